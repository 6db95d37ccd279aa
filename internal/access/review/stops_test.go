package review_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The review begins with changes that the provider or the server will refuse.
func TestReview_ApplyWouldFail_ShownFirst(t *testing.T) {
	deactivateLena := func(t *testing.T, o *acctest.Organization) {
		o.Call(t, http.MethodDelete, fmt.Sprint("/users/", id(t, o, "member")), nil)
	}
	archiveGeneral := func(t *testing.T, o *acctest.Organization) { o.Archive(t, "general") }
	for name, test := range map[string]struct {
		before func(*testing.T, *acctest.Organization)
		as     string // "": the owner
		plan   attributes
		change func(*testing.T, *acctest.Organization) attributes // makes the plan, if it depends on the organization
		says   string                                             // "": the apply does not fail
	}{
		"an archived channel has the name": {before: archiveGeneral, plan: resourceChange("zulip_channel", nil, attributes{"name": "General"}),
			says: "Set adopt_archived = true to adopt it, or choose another name."},
		"an archived channel is adopted": {before: archiveGeneral, plan: resourceChange("zulip_channel", nil, attributes{"name": "general", "adopt_archived": true})},
		"a channel has the name": {plan: resourceChange("zulip_channel", nil, attributes{"name": "general"}),
			says: "Import it, or choose another name."},
		"a user group has the name": {plan: resourceChange("zulip_user_group", nil, attributes{"name": "leads"}),
			says: "Import it, or choose another name."},
		"a deactivated account has the address": {before: deactivateLena, plan: resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena"}),
			says: "Set adopt_deactivated = true to adopt it, or choose another email."},
		"a bot has the address": {plan: resourceChange("zulip_bot", nil, attributes{"short_name": "terraform", "full_name": "Terraform"}),
			says: "Import it, or choose another short_name."},
		"a deactivated account is kept so": {before: deactivateLena, plan: resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena", "active": false})},
		"an active account is to be kept deactivated": {plan: resourceChange("zulip_user", nil, attributes{"email": "lena.fischer@example.com", "full_name": "Lena", "active": false}),
			says: "Import it, or choose another email."},
		"no account is to be kept deactivated": {plan: resourceChange("zulip_user", nil, attributes{"email": "nobody@example.com", "full_name": "Nobody", "active": false}),
			says: "No account has the email nobody@example.com, and active = false creates none."},
		"the last owner is deactivated": {
			change: func(t *testing.T, o *acctest.Organization) attributes {
				ines := attributes{"id": id(t, o, "owner"), "email": "ines.moreau@example.com", "full_name": "Ines Moreau", "active": true}
				return resourceChange("zulip_user", ines, attributes{"id": ines["id"], "email": ines["email"], "full_name": ines["full_name"], "active": false})
			},
			says: "It would have no owner.",
		},
		"a deactivated owner": {
			before: deactivateLena,
			change: func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "owner": "tomas.berg@example.com"}, attributes{"id": id(t, o, "bot"), "owner": "lena.fischer@example.com"})
			},
			says: "The bot's new owner",
		},
		"a deactivated owner of a new bot": {before: deactivateLena, plan: resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "lena.fischer@example.com"}),
			says: "The bot's new owner, lena.fischer@example.com, is deactivated."},
		"an owner who stays, although deactivated": {
			before: func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/bots/", id(t, o, "bot")), map[string]string{"bot_owner_id": fmt.Sprint(id(t, o, "member"))})
				deactivateLena(t, o)
			},
			change: func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_bot", attributes{"id": id(t, o, "bot"), "full_name": "Old", "owner": "lena.fischer@example.com"}, attributes{"id": id(t, o, "bot"), "full_name": "New", "owner": "lena.fischer@example.com"})
			},
		},
		"a domain, by an administrator": {as: "admin", plan: resourceChange("zulip_domain", nil, attributes{"domain": "example.org"}),
			says: "zulip_domain requires the role owner"},
		"a setting for owners, by an administrator": {as: "admin", plan: organizationSets("message_retention_days", "unlimited", "7"),
			says: "message_retention_days can't be set by"},
		"a setting for owners that is so already": {as: "admin", plan: resourceChange("zulip_organization", nil, attributes{"message_retention_days": "unlimited", "can_create_groups": []string{"role:members"}})},
		"the last owner": {
			change: func(t *testing.T, o *acctest.Organization) attributes {
				return resourceChange("zulip_user_role", attributes{"user_id": id(t, o, "owner"), "role": "owner"}, attributes{"user_id": id(t, o, "owner"), "role": "member"})
			},
			says: "It would have no owner.",
		},
		"a group in itself": {
			change: func(t *testing.T, o *acctest.Organization) attributes {
				leads := groupID(t, o, "leads")
				return resourceChange("zulip_user_group", attributes{"id": leads, "name": "leads", "subgroups": []string{}}, attributes{"id": leads, "name": "leads", "subgroups": []string{"leads"}})
			},
			says: "It would contain itself.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{}).As(t, "owner")
			if test.before != nil {
				test.before(t, o)
			}
			change := test.plan
			if test.change != nil {
				change = test.change(t, o)
			}
			found := reviewOf(t, o.As(t, cmp.Or(test.as, "owner")), planOf(t, change))
			stops := len(found.Fails([]report.Condition{report.Stops})) > 0
			if stops != (test.says != "") || stops != strings.HasPrefix(found.Summary.Text, "This apply will fail: ") || !strings.Contains(found.Summary.Text, test.says) {
				t.Errorf("the summary is %q", found.Summary.Text)
			}
		})
	}
}

// A bot can't be given to an owner whom the same plan deactivates. It can be given to one whom the plan reactivates.
func TestReviewBot_OwnerActiveChanged_Checked(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{}).As(t, "owner")
	credentials, _ := o.Sandbox.Credentials("member")
	bot := resourceChange("zulip_bot", nil, attributes{"short_name": "news", "full_name": "News", "owner": "lena.fischer@example.com"})
	lena := attributes{"id": credentials.ID, "email": "lena.fischer@example.com", "full_name": "Lena Fischer", "role": "member"}
	stops := func(with attributes) bool {
		return len(reviewOf(t, o, planOf(t, bot, with)).Fails([]report.Condition{report.Stops})) > 0
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

// becomesManaged is a change of the channel "general" in which an unmanaged attribute gets a value.
func becomesManaged(t *testing.T, o *acctest.Organization, attribute string, value any) attributes {
	t.Helper()
	id := o.MustChannel(t, "general").ID
	return resourceChange("zulip_channel", attributes{"id": id, "name": "general", attribute: nil}, attributes{"id": id, "name": "general", attribute: value})
}

// Attributes that weren't managed are null before the change. The review uses the organization's value.
func TestReviewUnmanaged_NowManaged_ServerValue(t *testing.T) {
	moderators, members := []string{"role:moderators"}, []string{"role:members"}
	for name, test := range map[string]struct {
		has     string // who can post, if not everyone
		planned []string
		effect  int // on a member
	}{
		"a permission widens":             {"role:moderators", members, 1},
		"a permission narrows":            {"", moderators, -1},
		"the organization has it already": {"role:moderators", moderators, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			if test.has != "" {
				o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, test.has))}}})
			}
			found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "can_send_message_group", test.planned)))
			if effect := effectOn(found, "general", permission.CanSendMessage, id(t, o, "member")); effect != test.effect || effect == 0 && len(found.Risks) > 0 {
				t.Errorf("on whether a member can post the effect is %d, want %d:\n%s", effect, test.effect, markdownOf(t, found))
			}
		})
	}
	t.Run("privacy", func(t *testing.T) {
		o := acctest.StartSandbox(t, sandbox.Config{})
		found := reviewOf(t, o, planOf(t, becomesManaged(t, o, "privacy", "private_shared_history")))
		if effectOn(found, "general", permission.CanSubscribe, id(t, o, "member")) == 1 || len(found.Channels) != 1 {
			t.Errorf("it is not reviewed as a channel that was public:\n%s", markdownOf(t, found))
		}
	})
	for name, test := range map[string]struct {
		has           int64
		planned, says string
	}{
		"messages are kept for a shorter time": {30, "7", "Its messages are deleted after 7 days; before: 30 days."},
		"messages are kept for a longer time":  {7, "30", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			o.Change(t, "general", zulip.ChannelUpdate{MessageRetentionDays: &zulip.Retention{Days: test.has}})
			text := markdownOf(t, reviewOf(t, o, planOf(t, becomesManaged(t, o, "message_retention_days", test.planned))))
			if strings.Contains(text, "Its messages are deleted") != (test.says != "") || !strings.Contains(text, test.says) {
				t.Errorf("it should say %q:\n%s", test.says, text)
			}
		})
	}
}

// Attributes that are null before and after the change are unchanged.
func TestReviewUnmanaged_StillNull_NoChange(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	id, group := o.MustChannel(t, "general").ID, groupID(t, o, "sre")
	channel := func(description string) attributes {
		return attributes{"id": id, "name": "general", "description": description, "topics_policy": nil, "message_retention_days": nil, "is_default": nil, "folder_id": nil, "can_send_message_group": nil}
	}
	userGroup := func(name string) attributes {
		return attributes{"id": group, "name": name, "description": nil, "can_mention_group": nil}
	}
	for what, test := range map[string]struct {
		change attributes
		says   []string
	}{
		"channel":    {resourceChange("zulip_channel", channel("before"), channel("after")), []string{"description"}},
		"user group": {resourceChange("zulip_user_group", userGroup("sre"), userGroup("renamed")), nil},
	} {
		t.Run(what, func(t *testing.T) {
			found := reviewOf(t, o, planOf(t, test.change))
			var names []string
			for _, also := range found.Also {
				for _, attribute := range also.Attributes {
					names = append(names, attribute.Name)
				}
			}
			if !slices.Equal(names, test.says) || len(found.Unknown)+len(found.Risks) > 0 {
				t.Errorf("it is said of %v:\n%s", names, markdownOf(t, found))
			}
		})
	}
}

// Another key of for_each archives a channel with its messages and creates another one. The review says so, and how to
// rename it.
func TestReviewForEachKey_Changed_Advice(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	at := func(address string, change attributes) attributes {
		change["address"] = address
		return change
	}
	old := attributes{"id": o.Channel(t, "general").ID, "name": "general"}
	const moved = "add a moved block from zulip_channel.team[\"a\"] to zulip_channel.team[\"b\"]."
	for name, test := range map[string]struct {
		ended, made attributes
		says        string
	}{
		"another key":       {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", old, nil)), at(`zulip_channel.team["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), moved},
		"another resource":  {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", old, nil)), at(`zulip_channel.other["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), ""},
		"a channel to keep": {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", attributes{"id": old["id"], "name": "general", "on_destroy": "keep"}, nil)), at(`zulip_channel.team["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := reviewOf(t, o, planOf(t, test.ended, test.made))
			said := ""
			for _, risk := range found.Risks {
				if strings.HasPrefix(risk.Text, "Keys change:") {
					said = string(risk.Condition) + " " + risk.Where + " " + risk.Text
				}
			}
			if test.says == "" != (said == "") || !strings.Contains(said, test.says) || said != "" && !strings.HasPrefix(said, "data-loss zulip_channel.team Keys change: ") {
				t.Errorf("said %q", said)
			}
			if test.says != "" {
				expectText(t, markdownOf(t, found), "add a moved block from `zulip_channel.team[\"a\"]` to `zulip_channel.team[\"b\"]`.")
			}
		})
	}
}

// The organization's can_manage_all_groups and the group's can_manage_group let people do everything with a group except
// mention it (server-behavior §G8).
func TestReviewGroup_CreatorDeactivated_NoLockout(t *testing.T) {
	f := newFirm(t)
	creator := f.WithAccount(t, "otto")
	group := int64(creator.Call(t, "POST", "/user_groups/create", map[string]string{
		"name": "crew", "description": "", "members": "[]", "can_mention_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, f.otto),
	})["group_id"].(float64))
	leaves := resourceChange("zulip_user", attributes{"id": f.otto, "email": "otto@example.com", "full_name": "Otto", "role": "owner"}, nil)
	lockouts := func(found *report.Report) (texts []string) {
		for _, risk := range found.Risks {
			if risk.Condition == report.Lockout {
				texts = append(texts, risk.Where+": "+risk.Text)
			}
		}
		return texts
	}
	const mention = `user group "crew": No one can mention the group any more.`
	found := f.reviewed("", leaves)
	if got := lockouts(found); !slices.Equal(got, []string{mention}) {
		t.Errorf("owners can manage all groups, and the lockouts are %q", got)
	}
	for _, group := range found.Groups {
		for _, permission := range group.Permissions {
			if permission.Name != "can_mention_group" {
				t.Errorf("the review lists %s of %q, which nobody else loses", permission.Name, group.Name)
			}
		}
	}
	f.Call(t, "PATCH", "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, f.otto)})
	for _, text := range lockouts(f.reviewed("", leaves)) {
		if strings.Contains(text, "crew") && strings.Contains(text, "change the group") {
			return
		}
	}
	t.Errorf("no one can manage group %d any more, and the review doesn't say so", group)
}

// A plan takes a permission from people who can still do the same by another permission.
func TestReviewGroup_OtherGrantRemains_NoLoss(t *testing.T) {
	f := newFirm(t)
	mel := fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, f.mel)
	f.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", f.directors), map[string]string{"can_add_members_group": mel, "can_manage_group": mel})
	found := f.reviewed("", resourceChange("zulip_user_group",
		attributes{"id": f.directors, "name": "directors", "can_add_members_group": []string{"user:mel@example.com"}},
		attributes{"id": f.directors, "name": "directors", "can_add_members_group": []string{"role:nobody"}}))
	if len(found.Groups) != 1 || len(found.Groups[0].Permissions) != 1 {
		t.Fatalf("the review says %+v", found.Groups)
	}
	if said := found.Groups[0].Permissions[0]; said.Unknown || said.Lose.Len() != 0 || said.NoOneLeft || !said.Change.Differs() {
		t.Errorf("Mel still manages the group, and the review says %+v", said)
	}
}
