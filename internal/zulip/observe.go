package zulip

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// Observer is told every answer before the client decodes it: the path after /api/v1, the status and the body.
type Observer func(method, path string, status int, body []byte)

// observedTransport tells an observer what arrives.
type observedTransport struct {
	http.RoundTripper
	observe Observer
}

// RoundTrip sends a request, and reads the whole answer.
func (t observedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxStreamedBytes+1))
	_ = resp.Body.Close() // it was read, or cannot be
	if err != nil {
		return nil, err
	}
	_, path, _ := strings.Cut(req.URL.Path, apiRoot)
	t.observe(req.Method, path, resp.StatusCode, body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
