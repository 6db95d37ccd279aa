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
		joins := report.PeopleOf(&report.Account{ID: int64(size + i), Email: "b@example.com"})
		r.Groups = append(r.Groups, &report.Group{Name: fmt.Sprint("g", i), Action: report.Update, Members: change, Joins: joins})
		r.People = append(r.People, &report.Person{Account: &report.Account{ID: int64(i), Email: "c@example.com"}})
		value := report.ValueOf(fmt.Sprint("group:g", i))
		r.Channels = append(r.Channels, &report.Channel{
			Name: fmt.Sprint("c", i), Permissions: []*report.PermissionChange{{Name: "can_read", Text: "read", Change: report.Change{Before: value, After: value}, Gain: joins}},
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

// person returns an account with the ID of its first letter.
func person(email string) *report.Account { return &report.Account{ID: int64(email[0]), Email: email} }

// held is a permission with a value that doesn't change, which some people gain.
func held(name string, value report.Value, gain ...*report.Account) *report.PermissionChange {
	return &report.PermissionChange{Name: name, Change: report.Change{Before: value, After: value}, Gain: report.PeopleOf(gain...), Lose: &report.People{}}
}

// The cause explains everyone who gains access. Without such a cause, two that explain some of them are named.
func TestExplanation_Permissions_Source(t *testing.T) {
	const post, read, remove = "can_send_message_group", "can_read", "can_delete_any_message_group"
	var (
		role, guest, full, inner, outer = person("role@example.com"), person("guest@example.com"), person("full@example.com"), person("inner@example.com"), person("outer@example.com")
		subscribed, deleter, other      = person("subscribed@example.com"), person("deleter@example.com"), person("other@example.com")
		bot                             = &report.Account{ID: 1000, Email: "bot@example.com", IsBot: true, OwnerID: inner.ID}
		members, outerGroup, innerGroup = report.ValueOf("role:members"), report.ValueOf("group:outer"), report.ValueOf("group:inner")
		changed                         = report.Change{Before: report.ValueOf("a"), After: report.ValueOf("b")}
	)
	wider := func(name string, gain ...*report.Account) *report.PermissionChange {
		return &report.PermissionChange{Name: name, Change: changed, Gain: report.PeopleOf(gain...)}
	}
	joined := func(email string) report.Change {
		return report.Change{Before: report.Value{Values: []string{}}, After: report.ValueOf(email)}
	}
	for name, test := range map[string]struct {
		one  *report.PermissionChange
		more []*report.PermissionChange
		open bool
		in   []*report.Account
		want string
	}{
		"group":                     {one: held(post, innerGroup, inner), want: "group:inner"},
		"renamed group":             {one: held(post, report.ValueOf("group:old"), inner), want: "group:inner"},
		"bot of a member":           {one: held(post, innerGroup, bot), want: "group:inner"},
		"subgroup":                  {one: held(post, outerGroup, inner), want: "group:outer > group:inner"},
		"other group":               {one: held(post, innerGroup, other), want: ""},
		"group of a granting one":   {one: held(read, members, inner), more: []*report.PermissionChange{held("can_subscribe_group", outerGroup, inner)}, want: "group:outer > group:inner"},
		"group of an unrelated one": {one: held(read, members, inner), more: []*report.PermissionChange{held(remove, outerGroup, inner)}, want: ""},
		"granting one":              {one: held(read, members, other), more: []*report.PermissionChange{wider("can_subscribe_group", other)}, want: "can_subscribe_group"},
		"unrelated one":             {one: held(read, members, other), more: []*report.PermissionChange{wider(remove, other)}, want: ""},
		"organization":              {one: held(remove, members, deleter), want: "the organization's can_delete_any_message_group"},
		"privacy":                   {one: held(read, members, other, inner), open: true, want: "the channel's privacy"},
		"subscription":              {one: held(post, members, subscribed), more: []*report.PermissionChange{held(read, members, subscribed)}, in: []*report.Account{subscribed}, want: "changed subscriptions"},
		"subscription, read before": {one: held(post, members, subscribed), in: []*report.Account{subscribed}, want: ""},
		"role":                      {one: held(post, members, role), want: "the role of role@example.com"},
		"roles":                     {one: held(post, members, role, guest), want: "the roles of role@example.com and 1 other account"},
		"waiting period":            {one: held(post, report.ValueOf("role:fullmembers"), full), want: "the organization's waiting_period_threshold"},
		"two causes":                {one: held(post, innerGroup, inner, role), want: "group:inner and the role of role@example.com"},
		"three causes":              {one: held(post, innerGroup, inner, role, full), want: "group:inner, the role of role@example.com and 1 other change"},
		"not for everyone":          {one: held(post, innerGroup, inner, role, other), want: ""},
		"internet":                  {one: &report.PermissionChange{Name: read, Internet: report.InternetGains}, want: "the organization's enable_spectator_access"},
		"unknown":                   {one: &report.PermissionChange{Name: post, Unknown: true, Change: report.Change{Before: outerGroup, After: outerGroup}}, want: "group:outer > group:inner"},
		"unknown, without a cause":  {one: &report.PermissionChange{Name: post, Unknown: true}, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			became := report.Change{Before: report.ValueOf("guest"), After: report.ValueOf("member")}
			channel := &report.Channel{Permissions: append(test.more, test.one)}
			if test.open {
				channel.Privacy = report.Change{Before: report.ValueOf("private, with shared history"), After: report.ValueOf("public")}
			}
			channel.Joins = report.PeopleOf(test.in...)
			r := &report.Report{
				Channels: []*report.Channel{channel},
				Groups: []*report.Group{
					{Name: "another", Members: joined("another@example.com"), Joins: report.PeopleOf(person("another@example.com"))},
					{ID: 1, Name: "inner", OldName: "old", Unknown: true, Members: joined(inner.Email), Joins: report.PeopleOf(inner)},
					{Name: "outer", Joins: report.PeopleOf(inner, outer)},
				},
				Subgroups:   map[string][]string{"outer": {"role:members", "inner"}, "inner": {"outer"}},
				People:      []*report.Person{{Account: role, Role: became}, {Account: guest, Role: became}},
				Permissions: []*report.PermissionChange{wider(remove, deleter), wider(report.WaitingPeriod, full), wider(report.SpectatorAccess)},
			}
			r.Assess()
			if got := test.one.FollowsFrom; got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
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
