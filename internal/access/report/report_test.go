package report_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// guests returns a set of guests with these names. Their IDs are their places in the alphabet.
func guests(names ...string) *report.People {
	var accounts []*report.Account
	for _, name := range names {
		accounts = append(accounts, &report.Account{ID: int64(name[0]), Name: name, Role: "guest"})
	}
	return report.PeopleOf(accounts...)
}

func gained(name permission.ChannelPermission, text string, by *report.People) *report.PermissionChange {
	return &report.PermissionChange{Name: string(name), Text: text, Gain: by, Lose: &report.People{}}
}

func channelIn(name string, permissions ...*report.PermissionChange) *report.Channel {
	return &report.Channel{Name: name, Action: report.Update, Permissions: permissions}
}

func findingsOf(channels ...*report.Channel) (texts []string) {
	r := &report.Report{Channels: channels}
	r.Assess()
	for _, finding := range r.Findings() {
		texts = append(texts, finding.Text)
	}
	return texts
}

// The gains of different guests are reported for each guest.
func TestGuests_DifferentGains_Named(t *testing.T) {
	grace, paul := guests("Grace"), guests("Paul")
	got := findingsOf(channelIn("a", gained(permission.CanRead, "read", grace), gained(permission.CanSendMessage, "post", paul), gained(permission.CanCreateTopic, "start topics", grace)))
	if want := []string{"1 guest can read and start topics: Grace.", "1 guest can post: Paul."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Guests who differ between places are counted, in a sentence that is correct for one and for several.
func TestGuests_SeveralPlaces_Counted(t *testing.T) {
	in := func(name string, by *report.People) *report.Channel {
		return channelIn(name, gained(permission.CanRead, "read", by))
	}
	for _, test := range []struct {
		channels []*report.Channel
		want     string
	}{
		{[]*report.Channel{in("a", guests("Grace")), in("b", guests("Grace"))}, "1 guest can read: Grace."},
		{[]*report.Channel{in("a", guests("Grace")), in("b", guests("Paul"))}, "1 guest in each can read."},
		{[]*report.Channel{in("a", guests("Grace", "Paul")), in("b", guests("Paul", "Quinn"))}, "2 guests in each can read."},
		{[]*report.Channel{in("a", guests("Grace")), in("b", guests("Paul", "Quinn"))}, "1 to 2 guests can read."},
	} {
		if got := findingsOf(test.channels...); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// An account whose role the plan changes is not named as a guest. Such sets are equal only with the same people.
func TestGuests_RoleChangedByPlan_Distinguished(t *testing.T) {
	become := func(id int64) *report.People {
		people := report.PeopleOf(&report.Account{ID: id, Name: fmt.Sprint("Number ", id), Role: "member"})
		people.Guests = 1
		return people
	}
	got := findingsOf(channelIn("a", gained(permission.CanRead, "read", become(1)), gained(permission.CanSendMessage, "post", become(2))))
	want := []string{"1 guest can read: including users whom the plan makes guests.", "1 guest can post: including users whom the plan makes guests."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A provider's account that can no longer administer a channel or manage a group is a risk. So is a permission that no one
// has afterwards.
func TestAssess_Lockout(t *testing.T) {
	one := func(name permission.ChannelPermission, text string) *report.PermissionChange {
		return gained(name, text, &report.People{})
	}
	administer, manage, post := one(permission.CanAdministerChannel, "administer the channel"), one("can_manage_group", "manage the group"), one(permission.CanSendMessage, "post")
	administer.LocksOut, manage.LocksOut, post.NoOneLeft = true, true, true
	r := &report.Report{Channels: []*report.Channel{channelIn("a", administer), channelIn("b", post)}, Groups: []*report.Group{{Name: "g", Permissions: []*report.PermissionChange{manage}}}}
	r.Assess()
	want := map[string]string{
		`channel "a"`:    "The provider's account can no longer administer the channel.",
		`channel "b"`:    "No one can post any more.",
		`user group "g"`: "The provider's account can no longer manage the group.",
	}
	for where, text := range want {
		if !slices.ContainsFunc(r.Risks, func(risk report.Risk) bool {
			return risk.Condition == report.Lockout && risk.Where == where && risk.Text == text
		}) {
			t.Errorf("%s has no risk %q: %+v", where, text, r.Risks)
		}
	}
	if fails := r.Fails([]report.Condition{report.Lockout}); len(r.Risks) != len(want) || len(fails) != 1 {
		t.Errorf("%d risks, fails %q", len(r.Risks), fails)
	}
}

// ends are the actions on destroy by type of resource, as Delete of the resource has them.
var ends = map[string]report.Action{
	"zulip_bot": report.Deactivate, "zulip_user": report.Deactivate, "zulip_user_group": report.Deactivate, "zulip_custom_emoji": report.Deactivate,
	"zulip_channel": report.Archive, "zulip_channel_folder": report.Archive,

	"zulip_code_playground": report.Delete, "zulip_custom_profile_field": report.Delete, "zulip_default_channel_group": report.Delete,
	"zulip_domain": report.Delete, "zulip_draft": report.Delete, "zulip_invitation": report.Delete, "zulip_invite_link": report.Delete, "zulip_linkifier": report.Delete,
	"zulip_message": report.Delete, "zulip_organization_image": report.Delete, "zulip_reaction": report.Delete, "zulip_scheduled_message": report.Delete,
	// Destroying these resources removes people from an object, and clears a status.
	"zulip_channel_subscription": report.Delete, "zulip_user_group_membership": report.Delete, "zulip_user_status": report.Delete,

	"zulip_organization": report.Release, "zulip_default_user_settings": report.Release, "zulip_channel_subscription_settings": report.Release,
	"zulip_channel_folder_order": report.Release, "zulip_custom_profile_field_order": report.Release, "zulip_linkifier_order": report.Release,
	"zulip_channel_subscribers": report.Release, "zulip_user_role": report.Release, "zulip_role_members": report.Release,
}

// Each type of resource has an action on destroy, and an unknown type is deleted.
func TestEnds_EveryResource_Decided(t *testing.T) {
	resources := 0
	for _, kind := range meaning.Types() { // all types of the provider, and its actions
		if of, _ := meaning.Of(kind); of.Called == "action" {
			continue
		}
		resources++
		want, decided := ends[kind]
		if !decided {
			t.Errorf("it is not decided what becomes of a %s that is destroyed", kind)
		} else if got := report.EndOf(kind); got != want {
			t.Errorf("%s: %s, want %s", kind, got.Adjective(), want.Adjective())
		}
	}
	if len(ends) != resources {
		t.Errorf("there are %d resources, and the ends of %d", resources, len(ends))
	}
	if got := report.EndOf("zulip_of_another_version"); got != report.Delete {
		t.Errorf("an unknown resource: %s", got.Adjective())
	}
}
