package plan_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/review/plan"
)

func TestOnlyPlansAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"": "not a plan in JSON", "[]": "not a plan in JSON", "{}": "it has no format_version",
		`{"format_version":"2.0","resource_changes":[]}`:                "this review reads 1.x",
		`{"format_version":"1.0","values":{}}`:                          "a state or something else",
		`{"format_version":"1.2","errored":true,"resource_changes":[]}`: "ended in an error",
	} {
		if _, err := plan.Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
