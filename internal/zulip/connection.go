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

// ConnectionError says that no answer arrived: the host name is unknown, nothing
// listens there, the certificate is not trusted, a timeout, a lost connection.
type ConnectionError struct {
	Method, Path string
	// Problem is what went wrong, Hint what to do about it; Hint may be empty.
	Problem, Hint string
	// MayHaveHappened says that the request may have reached the server and may have
	// been applied. It is false only if that is certain.
	MayHaveHappened bool
	Err             error

	// permanent: the next attempt would fail the same way.
	permanent bool
}

func (e *ConnectionError) Error() string {
	text := fmt.Sprintf("%s %s: %s%s", e.Method, e.Path, e.Problem, unknownOutcomeNote(e.Method, e.MayHaveHappened))
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// Windows reports the errors of sockets by numbers that no other system uses, and that syscall does not compare with its
// names: https://learn.microsoft.com/windows/win32/winsock/windows-sockets-error-codes-2.
const (
	errWindowsRefused = syscall.Errno(10061)
	errWindowsReset   = syscall.Errno(10054)
)

// connectionError explains why an attempt of the call ended without an answer.
func (c *call) connectionError(ctx context.Context, err error) *ConnectionError {
	site := c.client.site
	e := &ConnectionError{Method: c.method, Path: c.path, MayHaveHappened: c.trace.mayHaveBeenSent(err), Err: err}

	var (
		wrapped *url.Error
		dns     *net.DNSError
		network net.Error
		op      *net.OpError
	)
	if errors.As(err, &wrapped) {
		// Its text would repeat the whole URL, including the query.
		err, e.Err = wrapped.Err, wrapped.Err
	}
	problem, hint, certificate := certificateProblem(err)
	switch {
	case ctx.Err() != nil:
		e.Problem, e.Err, e.permanent = "stopped before "+site+" answered: "+context.Cause(ctx).Error(), context.Cause(ctx), true
	case certificate:
		e.Problem, e.Hint, e.permanent = site+" cannot be trusted: "+problem, hint, true
		e.MayHaveHappened = false
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Problem = "the proxy cannot be reached: " + err.Error()
		e.Hint = "The proxy is taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		e.Problem = "the name " + dns.Name + " cannot be looked up: " + dns.Err
		e.Hint = "Is site spelled right, and is the network there?"
		e.permanent = dns.IsNotFound
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errWindowsRefused):
		e.Problem = "nobody listens at " + site + " (connection refused)"
		e.Hint = "Is the server running, and is the port in site right?"
	case errors.As(err, &network) && network.Timeout():
		e.Problem = "no answer from " + site + " in " + c.client.timeout.String()
		e.Hint = "If the server is only slow, raise request_timeout"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, errWindowsReset) || errors.Is(err, syscall.EPIPE):
		e.Problem = site + " closed the connection without an answer"
	default:
		e.Problem = "no answer from " + site + ": " + err.Error()
	}
	e.Problem = c.secrets.maskText(e.Problem)
	return e
}

// requestTrace records whether any part of an attempt can have been sent.
type requestTrace struct {
	requested atomic.Bool // for a connection
	connected atomic.Bool
	started   time.Time
}

func (t *requestTrace) reset() {
	t.requested.Store(false)
	t.connected.Store(false)
	t.started = time.Now()
}

func (t *requestTrace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		// The transport may ask again within one attempt, when a kept
		// connection turns out to be closed before a byte was written.
		GetConn: func(string) { t.connected.Store(false); t.requested.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { t.connected.Store(true) },
	}
}

// mayHaveBeenSent is true unless the attempt certainly failed before it had a
// connection. A transport that reports nothing proves nothing.
func (t *requestTrace) mayHaveBeenSent(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return false
	}
	return !t.requested.Load() || t.connected.Load()
}
