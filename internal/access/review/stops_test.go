package review_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// What the provider or the server will refuse is the first thing that the review says.
func TestReviewOfWhatCannotBeApplied(t *testing.T) {
	id := func(t *testing.T, o *acctest.Organization, account string) int64 {
		t.Helper()
		credentials, ok := o.Sandbox.Credentials(account)
		if !ok {
			t.Fatalf("there is no account %q", account)
		}
		return int64(credentials.ID)
	}
	deactivateLena := func(t *testing.T, o *acctest.Organization) {
		o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	}
	for name, test := range map[string]struct {
		before func(*testing.T, *acctest.Organization)
		as     string
		change func(*testing.T, *acctest.Organization) attributes
		says   string // "": it does not stop
	}{
		"an archived channel has the name": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodDelete, fmt.Sprint("/streams/", general(t, o)), nil)
			}, "owner",
			func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_channel", nil, attributes{"name": "General"})
			}, "adopt_archived = true",
		},
		"an archived channel is adopted": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodDelete, fmt.Sprint("/streams/", general(t, o)), nil)
			}, "owner",
			func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_channel", nil, attributes{"name": "general", "adopt_archived": true})
			}, "",
		},
		"a channel has the name": {
			nil, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_channel", nil, attributes{"name": "general"})
			}, "Import it, or choose another.",
		},
		"a user group has the name": {
			nil, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_user_group", nil, attributes{"name": "leads"})
			}, "Import it, or choose another.",
		},
		"a deactivated account has the address": {
			deactivateLena, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena"})
			}, "adopt_deactivated = true",
		},
		"a deactivated account is kept so": {
			deactivateLena, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena", "active": false})
			}, "",
		},
		"an active account is to be kept deactivated": {
			nil, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena", "active": false})
			}, "Import it, or choose another.",
		},
		"no account is to be kept deactivated": {
			nil, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_user", nil, attributes{"email": "nobody@example.com", "full_name": "Nobody", "active": false})
			}, "No account has the address nobody@example.com, and active = false creates none.",
		},
		"the last owner is deactivated": {
			nil, "owner", func(t *testing.T, o *acctest.Organization) attributes {
				ines := attributes{"id": id(t, o, "owner"), "email": "ines.moreau@example.com", "full_name": "Ines Moreau", "active": true}
				return resourceChange("zulip_user", ines, attributes{"id": ines["id"], "email": ines["email"], "full_name": ines["full_name"], "active": false})
			}, "Nobody is left who is its owner.",
		},
		"a deactivated owner": {
			deactivateLena, "owner", func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(t, o, "bot"), "owner": "lena.fischer@example.com"})
			}, "who is to own the bot, is deactivated",
		},
		"a deactivated owner of a new bot": {
			deactivateLena, "owner", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "lena.fischer@example.com"})
			}, "lena.fischer@example.com, who is to own the bot, is deactivated.",
		},
		"an owner who stays, although deactivated": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id(t, o, "bot")), map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "member"))})
				deactivateLena(t, o)
			}, "owner",
			func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "full_name": "Old", "owner": "lena.fischer@example.com"}, attributes{"id": id(t, o, "bot"), "full_name": "New", "owner": "lena.fischer@example.com"})
			}, "",
		},
		"a domain, by an administrator": {
			nil, "admin", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_domain", nil, attributes{"domain": "example.org"})
			}, "zulip_domain is for owners",
		},
		"a setting for owners, by an administrator": {
			nil, "admin", func(*testing.T, *acctest.Organization) attributes {
				return organizationSets("message_retention_days", "unlimited", "7")
			}, "message_retention_days may not be set by",
		},
		"a setting for owners that is so already": {
			nil, "admin", func(*testing.T, *acctest.Organization) attributes {
				return resourceChange("zulip_organization", nil, attributes{"message_retention_days": "unlimited", "can_create_groups": []string{"role:members"}})
			}, "",
		},
		"the last owner": {
			nil, "owner", func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_user_role", attributes{"user_id": id(t, o, "owner"), "role": "owner"}, attributes{"user_id": id(t, o, "owner"), "role": "member"})
			}, "Nobody is left who is its owner.",
		},
		"a group in itself": {
			nil, "owner", func(t *testing.T, o *acctest.Organization) attributes {
				leads := groupID(t, o, "leads")
				return resourceChange("zulip_user_group", attributes{"id": leads, "name": "leads", "subgroups": []string{}}, attributes{"id": leads, "name": "leads", "subgroups": []string{"leads"}})
			}, "It would contain itself.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{}).As(t, "owner")
			if test.before != nil {
				test.before(t, o)
			}
			change := test.change(t, o)
			found := reviewOf(t, o.As(t, test.as), planOf(t, change))
			stops := len(found.Fails([]report.Category{report.Stops})) > 0
			if stops != (test.says != "") || stops != strings.HasPrefix(found.Verdict.Text, "This apply will stop: ") || !strings.Contains(found.Verdict.Text, test.says) {
				t.Errorf("the verdict is %q", found.Verdict.Text)
			}
		})
	}
}

// An owner whom the same plan deactivates can be given no bot; one whom it reactivates can.
func TestReviewOfOwnersWhoComeAndGo(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{}).As(t, "owner")
	credentials, _ := o.Sandbox.Credentials("member")
	bot := resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "lena.fischer@example.com"})
	lena := attributes{"id": credentials.ID, "email": "lena.fischer@example.com", "full_name": "Lena Fischer", "role": "member"}
	stops := func(with attributes) bool {
		return len(reviewOf(t, o, planOf(t, bot, with)).Fails([]report.Category{report.Stops})) > 0
	}
	inactive := maps.Clone(lena)
	inactive["active"] = false
	for _, ended := range []attributes{nil, inactive} {
		if !stops(resourceChange("zulip_user", lena, ended)) {
			t.Error("a bot can be given to somebody who is deactivated")
		}
	}
	o.Call(t, http.MethodDelete, fmt.Sprint("/users/", credentials.ID), nil)
	back := attributes{"email": "lena.fischer@example.com", "full_name": "Lena Fischer", "role": "member", "adopt_deactivated": true}
	active := maps.Clone(lena)
	active["active"] = true
	for _, change := range []attributes{resourceChange("zulip_user", nil, back), resourceChange("zulip_user", inactive, active)} {
		if stops(change) {
			t.Error("a bot cannot be given to somebody who is reactivated")
		}
	}
}
