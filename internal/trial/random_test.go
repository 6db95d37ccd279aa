package trial_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trial"
)

// randomOrganizations is how many random organizations are tried in each run of the tests; TRY_ORGANIZATIONS says another number.
var randomOrganizations = func() int {
	number, err := strconv.Atoi(cmp.Or(os.Getenv("TRY_ORGANIZATIONS"), "40"))
	if err != nil {
		panic("TRY_ORGANIZATIONS: " + err.Error())
	}
	return number
}()

// tried reviews a plan in JSON, and tries it on a sandbox.
func tried(t *testing.T, o *acctest.Organization, text string, sample int) (*report.Tried, *report.Report, *review.Computed) {
	t.Helper()
	found, computed := reviewed(t, o, text)
	result, err := trial.Run(t.Context(), trial.Input{Version: "test", Sandbox: likeness(t, o), Self: o.Self.ID, Report: found, Computed: computed, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	return result, found, computed
}

func reviewed(t *testing.T, o *acctest.Organization, text string) (*report.Report, *review.Computed) {
	t.Helper()
	parsed, err := plan.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	found, computed, err := review.Compute(t.Context(), parsed, review.Options{
		Store: store.New(o.Client, o.Self, o.Sandbox.FeatureLevel(), new(runstate.State)).OneAtATime(), Site: "https://chat.example.com", Now: time.Now(), Beside: trial.Beside,
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, computed
}

// likeness is a sandbox like an organization, as it is read.
func likeness(t *testing.T, o *acctest.Organization) *sandbox.Server {
	t.Helper()
	server, _, err := trial.Sandbox(t.Context(), o.Client, o.Self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// TestConformanceTries finds nothing computed that the rules of the sandbox do not say too.
func TestConformanceTries(t *testing.T) {
	tries, unapplied, untried := 0, 0, map[string]int{}
	for seed := range uint64(randomOrganizations) {
		o := randomorg.New(t, rand.New(rand.NewPCG(seed, 31)))
		planned, _ := o.Change()
		result, _, _ := tried(t, o.Organization, randomorg.Plan(t, planned...), 0)
		tries += result.Tries
		for _, one := range result.Unapplied {
			unapplied++
			t.Errorf("%d: %v", seed, one)
		}
		for _, one := range result.Untried {
			untried[one.What+": "+one.Why] += max(one.Tries, 1)
		}
		if len(result.Differences) > 0 {
			t.Errorf("%d, %v:\n%s", seed, planned, strings.Join(result.Lines()[:min(20, len(result.Differences))], "\n"))
		}
	}
	fmt.Printf("rights tried on random organizations: %d organizations, %d tries\n", randomOrganizations, tries)
	for what, count := range untried {
		t.Log(count, what)
	}
}
