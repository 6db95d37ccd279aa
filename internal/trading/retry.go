package trading

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	defaultMaxRetries = 2
	shortestBackoff   = 500 * time.Millisecond
	// longestBackoff bounds what a server may ask for, too.
	longestBackoff = 30 * time.Second
)

// newClient returns a client that sends a request once.
func newClient(cfg Config) *http.Client {
	return &http.Client{
		Transport: cfg.Transport,
		Timeout:   cfg.RequestTimeout,
		// A redirect would take the secret, or the token, to an address that nobody has set.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// newSteadyClient returns a client that repeats a request that failed on the way or by the server's fault. Everything it
// is used for only reads, or asks for a token, of which one too many does no harm.
func newSteadyClient(cfg Config) *http.Client {
	retrying := retryablehttp.NewClient()
	retrying.HTTPClient = newClient(cfg)
	retrying.Logger = nil // CheckRetry logs, without addresses
	retrying.RetryMax = max(cfg.MaxRetries, 0)
	if cfg.MaxRetries == 0 {
		retrying.RetryMax = defaultMaxRetries
	}
	retrying.RetryWaitMin, retrying.RetryWaitMax = shortestBackoff, longestBackoff
	retrying.ErrorHandler = retryablehttp.PassthroughErrorHandler
	retrying.CheckRetry = checkRetry
	retrying.Backoff = func(shortest, longest time.Duration, attempt int, resp *http.Response) time.Duration {
		return min(retryablehttp.DefaultBackoff(shortest, longest, attempt, resp), longest)
	}
	steady := retrying.StandardClient()
	steady.CheckRedirect = retrying.HTTPClient.CheckRedirect
	return steady
}

func checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	again, failed := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if again {
		because := "no answer"
		if resp != nil {
			because = resp.Status
		}
		tflog.Info(ctx, "Repeating a request to the trading cloud if there are attempts left", map[string]any{"because": because})
	}
	return again, failed
}
