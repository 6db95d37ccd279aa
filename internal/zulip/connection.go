package zulip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"
)

// ConnectionError says that no answer arrived: the name is unknown, nobody
// listens, the certificate is not trusted, the time is up, the line broke.
type ConnectionError struct {
	Method, Path string
	// Problem is what went wrong, Hint what to do about it; Hint may be empty.
	Problem, Hint string
	// MayHaveHappened says that the request may have reached the server, which
	// then may have done what it was asked. False only if that is certain.
	MayHaveHappened bool
	Err             error

	// lasting: the next attempt would fail the same way.
	lasting bool
}

func (e *ConnectionError) Error() string {
	text := fmt.Sprintf("%s %s: %s%s", e.Method, e.Path, e.Problem, unknownOutcome(e.Method, e.MayHaveHappened))
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// connectionError explains why an attempt of the call ended without an answer.
func (c *call) connectionError(ctx context.Context, err error) *ConnectionError {
	site := c.client.site
	e := &ConnectionError{Method: c.method, Path: c.path, MayHaveHappened: c.trace.mayHaveLeft(err), Err: err}

	var (
		wrapped *url.Error
		dns     *net.DNSError
		network net.Error
		op      *net.OpError
	)
	if errors.As(err, &wrapped) {
		// It repeats the whole address, query included.
		err, e.Err = wrapped.Err, wrapped.Err
	}
	problem, hint, certificate := certificateProblem(err)
	switch {
	case ctx.Err() != nil:
		e.Problem, e.Err, e.lasting = "stopped before "+site+" answered: "+ctx.Err().Error(), ctx.Err(), true
	case certificate:
		e.Problem, e.Hint, e.lasting = site+" cannot be trusted: "+problem, hint, true
		e.MayHaveHappened = false
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Problem = "the proxy cannot be reached: " + err.Error()
		e.Hint = "The proxy is taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		e.Problem = "the name " + dns.Name + " cannot be looked up: " + dns.Err
		e.Hint = "Is site spelled right, and is the network there?"
		e.lasting = dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Problem = "nobody listens at " + site + " (connection refused)"
		e.Hint = "Is the server running, and is the port in site right?"
	case errors.As(err, &network) && network.Timeout():
		e.Problem = "no answer from " + site + " in " + c.client.timeout.String()
		e.Hint = "If the server is only slow, raise request_timeout"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		e.Problem = site + " closed the connection without an answer"
	default:
		e.Problem = "no answer from " + site + ": " + err.Error()
	}
	e.Problem = c.secrets.text(e.Problem)
	return e
}

// requestTrace watches one attempt, to know whether any of it can have left
// this machine.
type requestTrace struct {
	asked     atomic.Bool // for a connection
	connected atomic.Bool
	started   time.Time
}

func (t *requestTrace) reset(now time.Time) {
	t.asked.Store(false)
	t.connected.Store(false)
	t.started = now
}

func (t *requestTrace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		// The transport may ask again within one attempt, when a kept
		// connection turns out to be closed before a byte was written.
		GetConn: func(string) { t.connected.Store(false); t.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.connected.Store(true) },
	}
}

// mayHaveLeft is true unless the attempt certainly failed before it had a
// connection. A transport that reports nothing proves nothing.
func (t *requestTrace) mayHaveLeft(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return false
	}
	return !t.asked.Load() || t.connected.Load()
}
