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

// followingOf is a report of a number of groups whose members change, and the same number of channels whose permissions
// follow from one of them.
func followingOf(size int) *report.Report {
	r := &report.Report{}
	change := report.Change{Before: report.ValueOf("a@example.com"), After: report.ValueOf("b@example.com")}
	for i := range size {
		r.Groups = append(r.Groups, &report.Group{Name: fmt.Sprint("g", i), Action: report.Update, Members: change})
		r.People = append(r.People, &report.Person{Account: &report.Account{Email: "c@example.com"}})
		value := report.ValueOf(fmt.Sprint("group:g", i))
		r.Channels = append(r.Channels, &report.Channel{
			Name: fmt.Sprint("c", i), Permissions: []*report.PermissionChange{{Name: "can_read", Text: "read", Change: report.Change{Before: value, After: value}}},
		})
	}
	return r
}

// Finding the causes takes linear time in the size of the report.
func TestExplanation_LargeReport_Linear(t *testing.T) {
	allocations := func(size int) float64 {
		r := followingOf(size)
		return testing.AllocsPerRun(3, func() { r.Assess(); r.Risks = nil })
	}
	small, large := allocations(100), allocations(400)
	if large > 8*small {
		t.Errorf("of 100 groups and channels there are %.0f allocations, of 400 %.0f", small, large)
	}
}

func TestExplanation_Permissions_Source(t *testing.T) {
	r := followingOf(3)
	mixed := report.Value{Values: []string{"group:g2", "group:g1", "user:d@example.com"}}
	r.Channels[0].Permissions[0].Change = report.Change{Before: mixed, After: mixed}
	none := report.ValueOf("role:members")
	r.Channels[2].Permissions[0].Change = report.Change{Before: none, After: none}
	r.People[1].Role = report.Change{Before: report.ValueOf("guest"), After: report.ValueOf("member")}
	r.Assess()
	for i, want := range []string{"group:g1", "group:g1", "the role of c@example.com"} {
		if got := r.Channels[i].Permissions[0].FollowsFrom; got != want {
			t.Errorf("channel %d: %q, want %q", i, got, want)
		}
	}
	r.People[2].Account = &report.Account{Email: "e@example.com"}
	r.People[2].Role = r.People[1].Role
	r.Assess()
	if got := r.Channels[2].Permissions[0].FollowsFrom; got != "the roles of c@example.com and 1 other account" {
		t.Errorf("of two roles: %q", got)
	}
}

// The cause of access by the organization's permission is that permission. The cause is another one if only people gain
// access whose accounts change, or who are added to the channel.
func TestExplanation_OrganizationPermissions_Source(t *testing.T) {
	const setting = "can_delete_any_message_group"
	newcomer, old, joins := &report.Account{Email: "new@example.com", ID: 1}, &report.Account{Email: "old@example.com", ID: 2}, &report.Account{Email: "joins@example.com", ID: 3}
	same, change := report.ValueOf("role:nobody"), report.Change{Before: report.ValueOf("role:administrators"), After: report.ValueOf("role:members")}
	channel := func(posting report.Change, gain ...*report.Account) *report.Channel {
		return &report.Channel{Joins: report.PeopleOf(joins), Permissions: []*report.PermissionChange{
			{Name: "can_send_message_group", Change: posting},
			{Name: setting, Change: report.Change{Before: same, After: same}, Gain: report.PeopleOf(gain...)},
		}}
	}
	unchanged := report.Change{Before: same, After: same}
	r := &report.Report{
		Permissions: []*report.PermissionChange{{Name: setting, Change: change}},
		People:      []*report.Person{{Account: newcomer, Action: report.Create, Role: report.Change{After: report.ValueOf("guest")}}},
		Channels:    []*report.Channel{channel(unchanged, old, newcomer), channel(change, old), channel(unchanged, newcomer), channel(unchanged, joins)},
	}
	// The cause is the role if someone gains access who is in a group with changed members, but isn't one of the changed
	// members.
	named := report.ValueOf("group:g")
	r.Groups = []*report.Group{{Name: "g", Action: report.Update, Joins: report.PeopleOf(joins)}}
	r.Channels = append(r.Channels, channel(unchanged, newcomer), channel(unchanged, joins), channel(unchanged, old))
	for _, one := range r.Channels[4:] {
		one.Joins, one.Permissions[1].Change = nil, report.Change{Before: named, After: named}
	}
	r.Assess()
	for i, want := range []string{"the organization's " + setting, "can_send_message_group and the organization's " + setting, "the role of new@example.com", "changed subscriptions", "the role of new@example.com", "group:g", "group:g"} {
		if got := r.Channels[i].Permissions[1].FollowsFrom; got != want {
			t.Errorf("channel %d: %q, want %q", i, got, want)
		}
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
