package base

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// minWaitToReport is how long requests have stood still before a run says so in its output. The log says it earlier.
const minWaitToReport = 30 * time.Second

// warnOfRateLimit warns, once in a run, that it takes longer because of the server's rate limit. The CLI shows no other word
// about what a provider is doing.
func (m *Meta) warnOfRateLimit(diags *diag.Diagnostics) {
	if m.Client == nil {
		return
	}
	waited := m.Client.Waited()
	if waited < minWaitToReport {
		return
	}
	m.warnedOfRateLimit.Do(func() {
		diags.AddWarning("The server's rate limit holds this run back",
			fmt.Sprintf("Requests have waited %s so far: the server takes a limited number of requests from one account, by default 200 a minute and 2,000 an hour. Nothing has failed, and whatever is left is done as the limit allows. "+
				"To interrupt the run is safe: the next one goes on where it ended. "+
				"What makes it shorter: fewer changes at once, an account that nothing else uses, or, on a server of your own, higher numbers for api_by_user in RATE_LIMITING_RULES.",
				waited.Round(time.Second)))
	})
}
