package base

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestRateLimitWarning_LongWait_Once(t *testing.T) {
	for wait, says := range map[string]string{"12.5": "", "40.25": "Requests have waited 40s so far"} {
		synctest.Test(t, func(t *testing.T) {
			client, err := zulip.New(zulip.Config{
				Site: fmt.Sprintf("https://%d.example.com", rand.Int64()), Email: "bot@example.com", APIKey: "secret",
				Transport: &busyServer{retryAfter: wait},
			})
			if err != nil {
				t.Fatal(err)
			}
			b := Base{Meta: &Meta{Client: client}}
			ready := func() diag.Diagnostics {
				var diags diag.Diagnostics
				if !b.Ready(&diags) {
					t.Fatal(diags)
				}
				return diags
			}
			if diags := ready(); len(diags) > 0 {
				t.Errorf("before anything was sent: %v", diags)
			}
			if _, err := client.Me(t.Context()); err != nil {
				t.Fatal(err)
			}
			said := ready()
			switch {
			case says == "" && len(said) > 0:
				t.Errorf("after %s s: %v", wait, said)
			case says != "" && (said.WarningsCount() != 1 || !strings.Contains(said[0].Detail(), says)):
				t.Errorf("after %s s: %v", wait, said)
			}
			if again := ready(); len(again) > 0 {
				t.Errorf("said twice: %v", again)
			}
		})
	}
}

// busyServer refuses the first request.
type busyServer struct {
	retryAfter string
	asked      int
}

func (s *busyServer) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	status, body := http.StatusOK, `{"result":"success","msg":"","user_id":7,"email":"bot@example.com"}`
	if s.asked == 1 {
		status, body = http.StatusTooManyRequests, `{"result":"error","msg":"API usage exceeded rate limit","code":"RATE_LIMIT_HIT","retry-after":`+s.retryAfter+`}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {s.retryAfter}},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}
