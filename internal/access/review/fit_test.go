package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A plan is reviewed against the organization that it was made of, and no other.
func TestReviewOfTheRightOrganization(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := func(id int64, name string) attributes {
		return resourceChange("zulip_channel", attributes{"id": id, "name": name, "privacy": "public"}, attributes{"id": id, "name": name, "privacy": "private_shared_history"})
	}
	group := func(name string) attributes {
		id := groupID(t, o, "leads")
		return resourceChange("zulip_user_group", attributes{"id": id, "name": name}, attributes{"id": id, "name": name, "members": []string{}})
	}
	general := general(t, o)
	for name, test := range map[string]struct {
		changes []attributes
		site    string
		fails   string // "": the review is made
		unknown string
	}{
		"the same":                      {[]attributes{channel(general, "general"), group("leads")}, "https://chat.example.com/", "", ""},
		"another site":                  {[]attributes{channel(general, "general")}, "https://other.example.com", "the plan is of https://other.example.com, as the provider configuration zulip says", ""},
		"other names":                   {[]attributes{channel(general, "random"), group("board")}, "", "the plan is of another organization", ""},
		"one that was renamed":          {[]attributes{channel(general, "random"), group("leads")}, "", "", "is not reviewed"},
		"one of which nothing is known": {[]attributes{channel(general, "random")}, "", "", "is not reviewed"},
	} {
		t.Run(name, func(t *testing.T) {
			text := planOf(t, test.changes...)
			if test.site != "" {
				text = strings.Replace(text, `"format_version"`, `"configuration":{"provider_config":{"zulip":{"expressions":{"site":{"constant_value":"`+test.site+`"}}}},"root_module":{}},"format_version"`, 1)
			}
			read, err := plan.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			found, err := review.New(t.Context(), read, review.Options{Store: store.New(o.Client, o.Self, 0, new(runstate.State)), Site: "https://chat.example.com", Now: time.Now()})
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found.Unknown, " "); !strings.Contains(got, test.unknown) || got != "" && test.unknown == "" {
				t.Errorf("unknown: %q", got)
			}
		})
	}
}
