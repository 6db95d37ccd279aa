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
	minBackoff        = 500 * time.Millisecond
	// maxBackoff also limits the wait that a server can ask for.
	maxBackoff = 30 * time.Second
)

// newSingleAttemptClient returns a client that sends a request once.
func newSingleAttemptClient(cfg Config) *http.Client {
	return &http.Client{
		Transport: cfg.Transport,
		Timeout:   cfg.RequestTimeout,
		// A redirect would send the secret or the token to an address that is not configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// newRetryingClient returns a client that repeats a request after a network error or a status of 500 and above. It is used
// for reads and token requests only, which are safe to repeat.
func newRetryingClient(cfg Config) *http.Client {
	retrying := retryablehttp.NewClient()
	retrying.HTTPClient = newSingleAttemptClient(cfg)
	retrying.Logger = nil // CheckRetry logs, without addresses
	retrying.RetryMax = max(cfg.MaxRetries, 0)
	if cfg.MaxRetries == 0 {
		retrying.RetryMax = defaultMaxRetries
	}
	retrying.RetryWaitMin, retrying.RetryWaitMax = minBackoff, maxBackoff
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
	retry, failed := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	if retry {
		because := "no answer"
		if resp != nil {
			because = resp.Status
		}
		tflog.Info(ctx, "Repeating a request to the trading cloud if there are attempts left", map[string]any{"because": because})
	}
	return retry, failed
}
