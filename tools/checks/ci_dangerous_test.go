package checks

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dangerousRules are the rules of the base branch. They pass before the changes.
const dangerousRules = `
rule "Lena does not post" {
  channels   = "ruled"
  permission = "send_message"
  never      = "user:lena.fischer@example.com"
}
rule "two owners" {
  role     = "owner"
  at_least = 2
}
`

// A plannedChange is the part of a change that the test reads.
type plannedChange struct {
	Address, Type, Name string
	Change              struct{ Actions []string }
}

// Each change of testdata/dangerous, alone in a plan, fails the action with its default inputs. The harmless one passes.
// Every default condition is the only reason why one of the changes fails.
func TestDocsReviewAction_DangerousChanges_Fail(t *testing.T) {
	t.Parallel()
	r := newCIRun(t)
	r.config = read(t, "testdata/dangerous/changes.tf")
	folder := r.checkout(t)
	for _, branch := range []string{r.server, folder} {
		write(t, filepath.Join(branch, "rules.zulip.hcl"), dangerousRules)
	}
	inShell(t, folder, r.environment, "terraform init && terraform apply && terraform plan -var after=true -out=plan && terraform show -json plan >plan.json")
	text := strings.ReplaceAll(read(t, filepath.Join(folder, "plan.json")), "NAME_TAKEN_LATER", "general")
	plan := parseJSON[map[string]json.RawMessage](t, text)
	workflow := ciWorkflow{Jobs: map[string]ciJob{"review": {Steps: []ciStep{
		{Uses: "zulip-iac/terraform-provider-zulip/.github/actions/review@1", With: map[string]string{"plan": "change.json"}},
	}}}}
	conditions := strings.Split(parse[ciAction](t, reviewAction).Inputs["fail-on"].Default, ",")
	tried, untried := 0, slices.Clone(conditions)
	for _, raw := range parseJSON[[]json.RawMessage](t, string(plan["resource_changes"])) {
		change := parseJSON[plannedChange](t, string(raw))
		if !strings.HasPrefix(change.Type, "zulip_") || slices.Contains(change.Change.Actions, "no-op") {
			continue
		}
		tried++
		document := maps.Clone(plan)
		document["resource_changes"] = json.RawMessage("[" + string(raw) + "]")
		content, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "change.json"), string(content))
		result := r.job(t, workflow, "review", folder, pullRequest)
		review := parseJSON[struct{ Summary struct{ Conditions []string } }](t, r.serverFile(t, "access-review/review.json"))
		failed := slices.DeleteFunc(review.Summary.Conditions, func(condition string) bool { return !slices.Contains(conditions, condition) })
		if len(failed) == 1 {
			untried = slices.DeleteFunc(untried, func(condition string) bool { return condition == failed[0] })
		}
		named, _, _ := strings.Cut(change.Name, "_")
		want, status := strings.Split(named, "-and-"), 2
		if named == "harmless" {
			want, status = nil, 0
		}
		slices.Sort(want)
		slices.Sort(failed)
		if result.status != status || !slices.Equal(failed, want) {
			t.Errorf("%s: the action ends with %d and finds %q; want %d and %q\n%s", change.Address, result.status, failed, status, want, result.summary)
		}
	}
	if tried != 21 || len(untried) > 0 {
		t.Errorf("%d changes were tried; no change fails for one of these alone: %q", tried, untried)
	}
}

func parseJSON[T any](t *testing.T, text string) (parsed T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}
