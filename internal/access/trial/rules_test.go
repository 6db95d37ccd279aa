package trial_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// Trials of rules: a random organization, a rule for each account, permission and channel, and a plan of one change.
// Requests make the same change, and every account tries.

// ruleNames are the names in rules of the permissions that are tried, with the names of the permissions.
var ruleNames = map[string]string{
	"send_message": "can_send_message_group", "read": "can_read", "read_history": "can_read_history", "administer_channel": "can_administer_channel_group", "join": "can_subscribe_group",
}

// ruleTrials counts the results. More than a third of the plans do not know a value of the change.
type ruleTrials struct{ passed, failed, notKnown, wronglyPassed, wronglyFailed, withheld, unknown int }

// TestConformanceRulesAgainstTries checks that no rule passes that is then violated, and that no rule fails that can't be
// violated. A rule that depends on an unknown value is unknown.
func TestConformanceRulesAgainstTries(t *testing.T) {
	var sum ruleTrials
	number := acctest.Number(600, 20)
	for seed := range uint64(number) {
		r := rand.New(rand.NewPCG(seed, 27))
		sum.try(t, randomorg.New(t, r), r, seed%5 >= 2)
	}
	all := sum.passed + sum.failed + sum.notKnown
	fmt.Printf("plans with a value that is not known: %d; rules that are unknown because of it: %d\n", sum.withheld, sum.unknown)
	fmt.Printf("rules tried: %d, passed %d, failed %d, unknown %d; wrongly passed %d, wrongly failed %d\n",
		all, sum.passed, sum.failed, sum.notKnown, sum.wronglyPassed, sum.wronglyFailed)
	if sum.wronglyPassed+sum.wronglyFailed > 0 || sum.withheld*3 < number || sum.unknown < sum.withheld || sum.notKnown*50 > all || sum.failed < all/20 {
		t.Errorf("%+v", sum)
	}
}

// try reviews a change with a rule for everything that is tried, makes the change, and tries.
func (sum *ruleTrials) try(t *testing.T, o *randomorg.Organization, r *rand.Rand, withholds bool) {
	t.Helper()
	planned, apply := o.Change()
	var text strings.Builder
	type attempt struct{ person, permission, channel string }
	var attempts []attempt
	people := slices.Sorted(maps.Keys(o.People))
	change, _ := planned[0]["change"].(randomorg.Attributes)
	actions, _ := change["actions"].([]string)
	if planned[0]["type"] == "zulip_user" && slices.Contains(actions, "create") {
		people = append(people, "nia")
	}
	channels := maps.Clone(o.Channels)
	if before, _ := change["before"].(randomorg.Attributes); planned[0]["type"] == "zulip_channel" && slices.Equal(actions, []string{"delete"}) {
		delete(channels, fmt.Sprint(before["name"])) // no rule selects archived channels
	}
	for _, permission := range slices.Sorted(maps.Keys(ruleNames)) {
		for _, person := range people {
			for _, channel := range slices.Sorted(maps.Keys(channels)) {
				attempts = append(attempts, attempt{person, permission, channel})
				fmt.Fprintf(&text, "rule \"%d\" {\n  channels = %q\n  permission = %q\n  never = \"user:%s\"\n}\n", len(attempts), channel, permission, o.Address(person))
			}
		}
	}
	isWithheld := withholds && randomorg.Withhold(r, planned[r.IntN(len(planned))]) != ""
	if isWithheld {
		sum.withheld++
	}
	found := reviewWithRules(t, o.Organization, text.String(), randomorg.Plan(t, planned...))
	apply()
	for i, one := range attempts {
		isAble, isTried := can(o.Sandbox, o.People[one.person], o.Channels[one.channel], ruleNames[one.permission])
		if !isTried {
			continue // such as what a guest reads as a spectator
		}
		switch rule := found.Rules[i]; rule.Status {
		case report.RulePasses:
			sum.passed++
			if isAble {
				sum.wronglyPassed++
				t.Errorf("it passes, and %s can %s #%s after %v", one.person, one.permission, one.channel, planned)
			}
		case report.RuleFails:
			sum.failed++
			isPossible := isWithheld && len(rule.Unknowns) > 0 // another value violates it
			if !isAble && !isPossible {
				sum.wronglyFailed++
				t.Errorf("it fails, and %s cannot %s #%s after %v: %v", one.person, one.permission, one.channel, planned, rule.Lines())
			}
		case report.RuleUnknown:
			if isWithheld {
				sum.unknown++
			} else {
				sum.notKnown++
			}
		}
	}
}

// reviewWithRules reviews a plan with rules.
func reviewWithRules(t *testing.T, o *acctest.Organization, text, planned string) *report.Report {
	t.Helper()
	file, err := rules.Parse("rules.zulip.hcl", []byte(text))
	acctest.NoError(t, err)
	parsed, err := plan.Parse([]byte(planned))
	acctest.NoError(t, err)
	found, err := review.New(t.Context(), parsed, review.Options{
		Store: store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), Site: "https://chat.example.com", Now: time.Now(), Rules: file,
	})
	acctest.NoError(t, err)
	return found
}
