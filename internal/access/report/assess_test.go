package report_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// guests is a set of guests with these names, whose IDs are their places in the alphabet.
func guests(names ...string) *report.People {
	var accounts []*report.Account
	for _, name := range names {
		accounts = append(accounts, &report.Account{ID: int64(name[0]), Name: name, Role: "guest"})
	}
	return report.PeopleOf(accounts...)
}

func gained(name permission.Right, text string, by *report.People) *report.Right {
	return &report.Right{Name: string(name), Text: text, Gain: by, Lose: &report.People{}}
}

func channelIn(name string, rights ...*report.Right) *report.Channel {
	return &report.Channel{Name: name, Action: report.Update, Rights: rights}
}

func findingsOf(channels ...*report.Channel) (texts []string) {
	r := &report.Report{Channels: channels}
	r.Assess()
	for _, finding := range r.Findings() {
		texts = append(texts, finding.Text)
	}
	return texts
}

// What different guests gain is said of each of them, however many they are.
func TestGuestsAreNamedWithWhatTheyGain(t *testing.T) {
	grace, paul := guests("Grace"), guests("Paul")
	got := findingsOf(channelIn("a", gained(permission.CanRead, "read", grace), gained(permission.CanSendMessage, "post", paul), gained(permission.CanCreateTopic, "start topics", grace)))
	if want := []string{"1 guest can read and start topics: Grace.", "1 guest can post: Paul."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Guests who are not the same in all places are counted, in a sentence that is right for one and for several.
func TestGuestsOfSeveralPlacesAreCounted(t *testing.T) {
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

// Whose role the plan changes is not named among the guests by the account: such sets are told apart by everybody in them.
func TestGuestsByThePlanAreToldApart(t *testing.T) {
	become := func(id int64) *report.People {
		people := report.PeopleOf(&report.Account{ID: id, Name: fmt.Sprint("Number ", id), Role: "member"})
		people.Guests = 1
		return people
	}
	got := findingsOf(channelIn("a", gained(permission.CanRead, "read", become(1)), gained(permission.CanSendMessage, "post", become(2))))
	want := []string{"1 guest can read: by the role that the plan gives.", "1 guest can post: by the role that the plan gives."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The provider's account that can no longer administer a channel or manage a group is a risk, and so is a right that nobody has left.
func TestAssess_Lockout(t *testing.T) {
	right := func(name permission.Right, text string) *report.Right { return gained(name, text, &report.People{}) }
	administer, manage, post := right(permission.CanAdministerChannel, "administer the channel"), right("can_manage_group", "manage the group"), right(permission.CanSendMessage, "post")
	administer.LocksOut, manage.LocksOut, post.NobodyLeft = true, true, true
	r := &report.Report{Channels: []*report.Channel{channelIn("a", administer), channelIn("b", post)}, Groups: []*report.Group{{Name: "g", Rights: []*report.Right{manage}}}}
	r.Assess()
	want := map[string]string{
		`channel "a"`:    "The account the provider uses can no longer administer the channel.",
		`channel "b"`:    "Nobody is left who can post.",
		`user group "g"`: "The account the provider uses can no longer manage the group.",
	}
	for where, text := range want {
		if !slices.ContainsFunc(r.Risks, func(risk report.Risk) bool {
			return risk.Category == report.Lockout && risk.Where == where && risk.Text == text
		}) {
			t.Errorf("%s has no risk %q: %+v", where, text, r.Risks)
		}
	}
	if fails := r.Fails([]report.Category{report.Lockout}); len(r.Risks) != len(want) || len(fails) != 1 {
		t.Errorf("%d risks, fails %q", len(r.Risks), fails)
	}
}
