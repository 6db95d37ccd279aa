package zulip

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

const (
	// maxAnswerBytes is the largest answer that is read into memory, after unpacking.
	maxAnswerBytes = 50 << 20
	// maxStreamedBytes is the largest answer that is decoded while it arrives. It is enough for half a million people: a
	// person takes some 650 bytes, a channel 1,300, and a subscription 7.
	maxStreamedBytes = 500 << 20

	resultSuccess = "success"
)

// call is one call with all its attempts. It lives for one run.
type call struct {
	client        *Client
	authorization string
	method, path  string
	form          *Form
	policy        retryPolicy
	limiter       *requestLimiter
	places        int64   // of the limiter that an attempt has acquired and not released
	change        *Change // the change that the call belongs to; nil for a read, and for a write that an interruption may stop
	// accept decodes the body of a successful answer; decodeStream, if set, does so while it arrives.
	accept       func(body []byte) error
	decodeStream func(*json.Decoder) error

	trace    requestTrace
	attempts int
	secrets  secrets // the client's, and those of the caller
	retryState
}

func (c *Client) newCall(authorization, method, path string, form *Form, policy retryPolicy) *call {
	call := &call{client: c, authorization: authorization, method: method, path: path, form: form, policy: policy}
	// Event queues have a rate limit of their own (server-behavior §R19).
	if authorization != "" && path != eventsPath {
		call.limiter = c.limiter
	}
	return call
}

func (c *call) writes() bool {
	return c.method != http.MethodGet && c.path != registerPath
}

// writesRealm reports whether the call changes the organization itself. Such a call is sent alone: another request of the
// account that overlaps with it can leave the server with the old organization (server-behavior §O10).
func (c *call) writesRealm() bool {
	return c.writes() && slices.Contains([]string{"/realm", "/realm/icon", "/realm/logo"}, c.path)
}

// acquire returns when the next attempt may be sent.
func (c *call) acquire(ctx context.Context) error {
	if c.limiter == nil {
		return context.Cause(ctx)
	}
	if c.places > 0 {
		if err := c.limiter.wait(ctx); err != nil {
			return err
		}
	} else {
		// A call that is sent once depends on a recent read.
		places, err := c.limiter.acquire(ctx, c.attempts > 0 || c.isSentOnce(ctx), c.writesRealm())
		if err != nil {
			return err
		}
		c.places = places
	}
	if c.change != nil {
		if err := c.change.begin(); err != nil {
			c.release()
			return err
		}
	}
	if onSend, ok := ctx.Value(whenSent{}).(func()); ok {
		onSend()
	}
	return nil
}

// release frees the place of an attempt that has ended.
func (c *call) release() {
	if c.places > 0 {
		c.limiter.release(c.places)
		c.places = 0
	}
}

// run sends the call until it succeeds or must not be repeated.
func (c *call) run(ctx context.Context) error {
	if err := c.form.problem(); err != nil {
		return fmt.Errorf("%s %s: %w", c.method, c.path, err)
	}
	c.secrets = slices.Concat(c.client.secrets, newSecrets("", c.authorization), secretsOf(ctx))
	ctx = c.secrets.maskLogs(ctx)
	if c.limiter != nil && c.writes() {
		var end func()
		ctx, end = writeContext(ctx)
		defer end()
		c.change = changeOf(ctx)
	}
	req, err := c.request(ctx)
	if err != nil {
		return fmt.Errorf("%s %s: %w", c.method, c.path, err)
	}
	if err := c.acquire(ctx); err != nil {
		return fmt.Errorf("%s %s: not sent: %w", c.method, c.path, err)
	}
	defer c.release() // also after a panic
	tflog.Trace(ctx, "Zulip request parameters", map[string]any{
		"method": c.method, "path": c.path, "parameters": c.secrets.maskForm(c.form),
	})
	if _, err = c.retryClient().Do(req); err != nil { //nolint:bodyclose // receive has closed each body
		return c.finalError(ctx, err)
	}
	return nil
}

func (c *call) request(ctx context.Context) (*retryablehttp.Request, error) {
	ctx = httptrace.WithClientTrace(ctx, c.trace.hooks())
	target := c.client.site + apiRoot + c.path
	var body any // the library needs an untyped nil for no body
	var contentType string
	switch {
	case c.form.Empty():
	case c.method == http.MethodGet:
		target += "?" + c.form.encode()
	default:
		encoded, kind, err := c.form.body()
		if err != nil {
			return nil, err
		}
		body, contentType = encoded, kind
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, c.method, target, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	// Many refusals differ in their message only, so it must not be translated (server-behavior §R6).
	req.Header.Set("Accept-Language", "en")
	req.Header.Set("User-Agent", c.client.userAgent)
	if body != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if c.authorization != "" {
		req.Header.Set("Authorization", c.authorization)
	}
	req.SetResponseHandler(func(resp *http.Response) error { return c.receive(ctx, resp) })
	return req, nil
}

// receive reads one answer completely, inside the retry loop: a truncated answer
// is a failed attempt like any other.
func (c *call) receive(ctx context.Context, resp *http.Response) error {
	c.retryAfter = parseRetryAfter(resp.Header.Get("Retry-After"), Now(ctx))
	read := c.receiveWhole
	if c.decodeStream != nil && isSuccess(resp) {
		read = c.receiveStream
	}
	size, err := read(ctx, resp)
	c.recordOutcome(ctx, resp.Header, err)
	fields := map[string]any{
		"method": c.method, "path": c.path, "status": resp.StatusCode, "attempt": c.attempts,
		"duration_ms": time.Since(c.trace.started).Milliseconds(), "answer_bytes": size,
	}
	if err != nil {
		fields["error"] = err.Error()
	}
	tflog.Debug(ctx, "Zulip answered", fields)
	return err
}

func isSuccess(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode < 300 }

// receiveWhole reads the body into memory before it decodes it, and returns its size.
func (c *call) receiveWhole(ctx context.Context, resp *http.Response) (size int, err error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	_ = resp.Body.Close() // everything was read, or will not be
	switch {
	case err != nil:
		return len(body), c.readError(ctx, resp.StatusCode, err)
	case !isSuccess(resp) && isObject(body) && len(body) <= maxAnswerBytes:
		return len(body), c.refusal(resp, body)
	}
	return len(body), c.classify(resp, body, len(body), maxAnswerBytes, func() error { return c.accept(body) })
}

// classify determines the kind of an answer: data, which accept decodes, a refusal, a damaged answer, or one that does
// not come from Zulip. start is the beginning of the body, and maxSize its maximum length.
func (c *call) classify(resp *http.Response, start []byte, size, maxSize int, accept func() error) error {
	switch {
	case size > maxSize:
		return c.badAnswer(resp.StatusCode, fmt.Sprintf("the answer is larger than %d MB, more than this provider reads. If the organization is that large, please report it", maxSize>>20), nil, false)
	case len(bytes.TrimSpace(start)) == 0 && isSuccess(resp):
		return c.badAnswer(resp.StatusCode, "the answer is empty", nil, true)
	case !isObject(start):
		// The content type says nothing: a 405 is JSON labelled text/html (server-behavior §R10).
		return c.notZulip(resp, start)
	}
	err := accept()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errRefused):
		return c.refusal(resp, start)
	case errors.Is(err, errNoEnvelope):
		return c.notZulip(resp, start)
	case errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return c.badAnswer(resp.StatusCode, fmt.Sprintf("the answer is incomplete or damaged (%d bytes)", size), err, true)
	}
	return c.badAnswer(resp.StatusCode, "the answer has an unexpected format: "+err.Error(), err, false)
}

func isObject(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) }

// refusal returns the error that the body reports, or says why the body reports none.
func (c *call) refusal(resp *http.Response, body []byte) error {
	refusal, ok := decodeError(resp.StatusCode, body)
	switch {
	case ok:
		refusal.Method, refusal.Path = c.method, c.path
		refusal.Msg = c.secrets.maskText(refusal.Msg)
		c.retryAfter = cmp.Or(bodyRetryAfter(refusal), c.retryAfter)
		return refusal
	case json.Valid(body):
		return c.notZulip(resp, body)
	}
	return c.badAnswer(resp.StatusCode, fmt.Sprintf("the answer is incomplete or damaged (%d bytes)", len(body)), io.ErrUnexpectedEOF, true)
}

func (c *call) notZulip(resp *http.Response, body []byte) error {
	e := &NotZulipError{
		Status:      resp.StatusCode,
		ContentType: resp.Header.Get("Content-Type"),
		Method:      c.method,
		Path:        c.path,
	}
	title, text := readPage(body)
	e.Title = truncate(c.secrets.maskText(title), maxExcerptBytes)
	e.Text = truncate(c.secrets.maskText(text), maxExcerptBytes)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Location = c.secrets.maskText(resp.Header.Get("Location"))
	}
	return e
}

func (c *call) badAnswer(status int, problem string, cause error, broken bool) *BadAnswerError {
	return &BadAnswerError{
		Status: status, Problem: problem, Method: c.method, Path: c.path, Err: cause, damaged: broken,
		// A status of 400 to 499 is a refusal, even if its text is damaged.
		MayHaveHappened: status < 400 || status >= 500,
	}
}

// readError explains why the body could not be read to its end.
func (c *call) readError(ctx context.Context, status int, err error) error {
	var network net.Error
	if ctx.Err() != nil || (errors.As(err, &network) && network.Timeout()) {
		return c.connectionError(ctx, err)
	}
	return c.badAnswer(status, "the answer is incomplete", err, true)
}

var (
	errRefused    = errors.New("the envelope holds an error")
	errNoEnvelope = errors.New("the answer has no envelope")
)

// decodeSuccess takes the envelope and the data from the body of a 200.
func decodeSuccess(body []byte, answer *Answer, out any) error {
	var envelope struct {
		Result string `json:"result"`
		*Answer
	}
	envelope.Answer = answer
	if err := json.Unmarshal(body, &envelope); err != nil {
		return err
	}
	switch {
	case envelope.Result == "":
		return errNoEnvelope
	case envelope.Result != resultSuccess:
		return errRefused
	case out == nil:
		return nil
	}
	return json.Unmarshal(body, out)
}

func (c *call) beginAttempt(_ retryablehttp.Logger, _ *http.Request, _ int) {
	c.attempts++
	c.retryAfter, c.wait, c.isBetween = 0, 0, false
	c.trace.reset()
}

// retryClient is the library's loop of attempts around this call. Between two of them it waits for the call, and then for
// the limiter.
func (c *call) retryClient() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: c.client.http,
		RetryMax:   unlimited, // checkRetry counts, because waiting for a rate limit is not a failure

		RequestLogHook: c.beginAttempt,
		CheckRetry:     c.checkRetry,
		Backoff:        func(time.Duration, time.Duration, int, *http.Response) time.Duration { return 0 }, // PrepareRetry waits
		PrepareRetry: func(req *http.Request) error {
			if err := Sleep(req.Context(), c.wait); err != nil {
				return err
			}
			return c.acquire(req.Context())
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // run explains every error, also of a wait that ctx has ended
	}
}

// params are the parameters of a call, by name. A [text] is a plain parameter, any other value a JSON one. A nil pointer is
// not sent. A nil list is sent, as null, which the server refuses: to subscribe no users must not subscribe the account.
type params map[string]any

// text is the value of a plain parameter.
type text string

// when returns a value to send if a condition holds, and otherwise nil, which is not sent.
func when[T any](isSent bool, value T) *T {
	if !isSent {
		return nil
	}
	return &value
}

func (p params) form() *Form {
	form := &Form{}
	for name, value := range p {
		if pointer := reflect.ValueOf(value); pointer.Kind() == reflect.Pointer {
			if pointer.IsNil() {
				continue
			}
			value = pointer.Elem().Interface()
		}
		if plain, ok := value.(text); ok {
			form.Text(name, string(plain))
		} else {
			form.JSON(name, value)
		}
	}
	return form
}

// do sends a call and ignores the data of the answer.
func (c *Client) do(ctx context.Context, method, path string, form *Form, policy retryPolicy) error {
	_, err := c.send(ctx, method, path, form, policy, nil)
	return err
}

// sendFor sends a call and returns one field of the answer; the zero value if the answer does not have it.
func sendFor[T any](ctx context.Context, c *Client, method, path string, form *Form, policy retryPolicy, name string) (value T, err error) {
	_, err = c.send(ctx, method, path, form, policy, &field{name, &value})
	return value, err
}

// field decodes one field of an answer and skips the others.
type field struct {
	name string
	into any
}

// UnmarshalJSON reads the JSON form.
func (f *field) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal(data, &all)
	if raw := all[f.name]; err == nil && raw != nil {
		err = json.Unmarshal(raw, f.into)
	}
	return err
}

// list reads the objects in a field of the answer.
func list[T any](ctx context.Context, c *Client, path string, form *Form, name string) ([]*T, error) {
	all, err := sendFor[[]*T](ctx, c, http.MethodGet, path, form, safeToRetry, name)
	return withoutNull(all), err
}

// one reads the object in a field of the answer.
func one[T any](ctx context.Context, c *Client, path string, form *Form, name string) (*T, error) {
	object, err := sendFor[*T](ctx, c, http.MethodGet, path, form, safeToRetry, name)
	if err == nil && object == nil {
		err = fmt.Errorf("GET %s: the answer holds no %s", path, name)
	}
	return object, err
}

// create creates an object and returns its ID, which is in a field of the answer.
func (c *Client) create(ctx context.Context, path string, form *Form, policy retryPolicy, name string) (int64, error) {
	return sendFor[int64](ctx, c, http.MethodPost, path, form, policy, name)
}

// remove deletes an object. It is not an error if the object no longer exists.
func (c *Client) remove(ctx context.Context, path string, isGone func(error) bool) error {
	return ignoreError(isGone, c.do(ctx, http.MethodDelete, path, nil, safeToRetry))
}

// ignoreError returns nil if isDone matches the error, and otherwise the error.
func ignoreError(isDone func(error) bool, err error) error {
	if isDone(err) {
		return nil
	}
	return err
}

// says returns a function that reports whether an error is a refusal with one of these messages.
func says(messages ...string) func(error) bool {
	return func(err error) bool { return IsMessage(err, messages...) }
}

// itemPath is the path of one of several objects.
func itemPath(path string, id int64) string { return path + "/" + strconv.FormatInt(id, 10) }
