package report_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// followingOf is a report of so many groups whose members change, and as many channels whose rights follow from one of them.
func followingOf(size int) *report.Report {
	r := &report.Report{}
	change := report.Change{Before: report.ValueOf("a@example.com"), After: report.ValueOf("b@example.com")}
	for i := range size {
		r.Groups = append(r.Groups, &report.Group{Name: fmt.Sprint("g", i), Action: report.Update, Members: change})
		r.People = append(r.People, &report.Person{Account: &report.Account{Address: "c@example.com"}})
		value := report.ValueOf(fmt.Sprint("group:g", i))
		r.Channels = append(r.Channels, &report.Channel{
			Name: fmt.Sprint("c", i), Rights: []*report.Right{{Name: "can_read", Text: "read", Change: report.Change{Before: value, After: value}}},
		})
	}
	return r
}

// What rights follow from is found in time that grows with the report, and not with its square.
func TestExplainingGrowsWithTheReport(t *testing.T) {
	allocations := func(size int) float64 {
		r := followingOf(size)
		return testing.AllocsPerRun(3, func() { r.Assess(); r.Risks = nil })
	}
	small, large := allocations(100), allocations(400)
	if large > 8*small {
		t.Errorf("of 100 groups and channels there are %.0f allocations, of 400 %.0f", small, large)
	}
}

func TestWhatRightsFollowFrom(t *testing.T) {
	r := followingOf(3)
	mixed := report.Value{Texts: []string{"group:g2", "group:g1", "user:d@example.com"}}
	r.Channels[0].Rights[0].Change = report.Change{Before: mixed, After: mixed}
	none := report.ValueOf("role:members")
	r.Channels[2].Rights[0].Change = report.Change{Before: none, After: none}
	r.People[1].Role = report.Change{Before: report.ValueOf("guest"), After: report.ValueOf("member")}
	r.Assess()
	for i, want := range []string{"group:g1", "group:g1", "the role of c@example.com"} {
		if got := r.Channels[i].Rights[0].FollowsFrom; got != want {
			t.Errorf("channel %d: %q, want %q", i, got, want)
		}
	}
	r.People[2].Account = &report.Account{Address: "e@example.com"}
	r.People[2].Role = r.People[1].Role
	r.Assess()
	if got := r.Channels[2].Rights[0].FollowsFrom; got != "the roles of c@example.com and 1 other account" {
		t.Errorf("of two roles: %q", got)
	}
}

// A right that the organization grants follows from its permission, unless only those gain it whose accounts change, or who come into
// the channel.
func TestRightsThatFollowFromTheOrganization(t *testing.T) {
	const setting = "can_delete_any_message_group"
	newcomer, old, joins := &report.Account{Address: "new@example.com", ID: 1}, &report.Account{Address: "old@example.com", ID: 2}, &report.Account{Address: "joins@example.com", ID: 3}
	same, change := report.ValueOf("role:nobody"), report.Change{Before: report.ValueOf("role:administrators"), After: report.ValueOf("role:members")}
	channel := func(posting report.Change, gain ...*report.Account) *report.Channel {
		return &report.Channel{Joins: report.PeopleOf(joins), Rights: []*report.Right{
			{Name: "can_send_message_group", Change: posting},
			{Name: setting, Change: report.Change{Before: same, After: same}, Gain: report.PeopleOf(gain...)},
		}}
	}
	unchanged := report.Change{Before: same, After: same}
	r := &report.Report{
		Rights:   []*report.Right{{Name: setting, Change: change}},
		People:   []*report.Person{{Account: newcomer, Action: report.Create, Role: report.Change{After: report.ValueOf("guest")}}},
		Channels: []*report.Channel{channel(unchanged, old, newcomer), channel(change, old), channel(unchanged, newcomer), channel(unchanged, joins)},
	}
	// Somebody is in a group whose members change, and is not among those: it is the role that counts.
	named := report.ValueOf("group:g")
	r.Groups = []*report.Group{{Name: "g", Action: report.Update, Joins: report.PeopleOf(joins)}}
	r.Channels = append(r.Channels, channel(unchanged, newcomer), channel(unchanged, joins), channel(unchanged, old))
	for _, one := range r.Channels[4:] {
		one.Joins, one.Rights[1].Change = nil, report.Change{Before: named, After: named}
	}
	r.Assess()
	for i, want := range []string{"the organization's " + setting, "can_send_message_group and the organization's " + setting, "the role of new@example.com", "who is subscribed", "the role of new@example.com", "group:g", "group:g"} {
		if got := r.Channels[i].Rights[1].FollowsFrom; got != want {
			t.Errorf("channel %d: %q, want %q", i, got, want)
		}
	}
}
