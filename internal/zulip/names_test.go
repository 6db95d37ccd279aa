package zulip_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Names are equal as on the recorded server (server-behavior §C23).
func TestConformanceFoldName(t *testing.T) {
	content, err := os.ReadFile("../sandbox/testdata/case-folding.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []struct {
		First, Second string
		Channel       int
	}
	if err := json.Unmarshal(content, &pairs); err != nil || len(pairs) == 0 {
		t.Fatal(err, len(pairs))
	}
	for _, pair := range pairs {
		if got := zulip.FoldName(pair.First) == zulip.FoldName(pair.Second); got != (pair.Channel == http.StatusConflict) {
			t.Errorf("%+q and %+q are equal: %v", pair.First, pair.Second, got)
		}
	}
}
