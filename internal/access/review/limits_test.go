package review_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// hostilePlan is a plan in which every name is so long. No server would take any of them.
func hostilePlan(t *testing.T, length int) string {
	t.Helper()
	long := func(name string) string { return name + strings.Repeat("n", length) }
	var changes []attributes
	add := func(kind string, before, after attributes) {
		change := resourceChange(kind, before, after)
		change["address"] = fmt.Sprintf("%s.x[%q]", kind, long(fmt.Sprint(len(changes))))
		changes = append(changes, change)
	}
	for i := range 20 {
		add("zulip_user", nil, attributes{"email": long(fmt.Sprint("user", i)) + "@example.com", "full_name": long(fmt.Sprint("User ", i)), "role": long("member")})
		add("zulip_user_group", nil, attributes{
			"name": long(fmt.Sprint("group", i)), "members": []string{"ines.moreau@example.com", long(fmt.Sprint("user", i)) + "@example.com"},
			"subgroups": []string{long(fmt.Sprint("group", i+1))}, "can_manage_group": []string{"group:" + long(fmt.Sprint("group", i))},
		})
		add("zulip_channel", nil, attributes{
			"name": long(fmt.Sprint("channel", i)), "privacy": long("private"), "topics_policy": long("inherit"),
			"can_send_message_group": []string{"group:" + long(fmt.Sprint("group", i)), "user:" + long(fmt.Sprint("user", i)) + "@example.com"}, "can_administer_channel_group": []string{long("role:")},
			"can_subscribe_group": []any{map[string]any{"x": long("")}},
		})
		add("zulip_channel_subscribers", nil, attributes{"channel": long(fmt.Sprint("channel", i)), "users": []string{long(fmt.Sprint("user", i)) + "@example.com"}})
		add("zulip_bot", nil, attributes{"short_name": long(fmt.Sprint("bot", i)), "full_name": long(fmt.Sprint("Bot ", i)), "owner": long(fmt.Sprint("user", i)) + "@example.com"})
	}
	add("zulip_organization", attributes{"can_create_groups": []string{"role:members"}}, attributes{"can_create_groups": []string{"group:" + long("group0")}})
	return planOf(t, changes...)
}

// Names as no server takes them make neither a page nor a comment large: they are cut to what servers take.
func TestReviewCutsGiganticNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const gigantic = 100_000
	for what, run := range map[string]func(text string) *report.Report{
		"with the organization": func(text string) *report.Report { return reviewOf(t, o, text) },
		"offline": func(text string) *report.Report {
			planned, err := plan.Parse(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			found, err := review.New(context.Background(), planned, review.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return found
		},
	} {
		found := run(hostilePlan(t, gigantic))
		var text strings.Builder
		if err := page.Write(&text, found); err != nil {
			t.Fatal(err)
		}
		if size := text.Len(); size > 1_500_000 {
			t.Errorf("%s: the page has %d bytes", what, size)
		}
		if strings.Contains(text.String(), strings.Repeat("n", 400)) {
			t.Errorf("%s: a name stands in the page that is not cut", what)
		}
		if found.Offline {
			if len(found.Also) < 80 {
				t.Errorf("%s: the review has %d changes", what, len(found.Also))
			}
			continue
		}
		if !strings.Contains(text.String(), strings.Repeat("n", 60-len("channel0"))+"…") {
			t.Errorf("%s: the name of a channel is not cut at 60 characters", what)
		}
		if len(found.Channels) < 20 || len(found.Groups) < 20 || len(found.People) < 40 {
			t.Errorf("%s: the review has %d channels, %d groups and %d people", what, len(found.Channels), len(found.Groups), len(found.People))
		}
	}
}
