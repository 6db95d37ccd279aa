package trading

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// tokenOperation names the token request in errors.
const tokenOperation = "token request"

// Error codes of RFC 6749 §5.2. An overloaded identity provider returns the last one, of §4.1.2.1.
const (
	CodeInvalidClient          = "invalid_client"
	CodeInvalidScope           = "invalid_scope"
	CodeUnauthorizedClient     = "unauthorized_client"
	CodeUnsupportedGrantType   = "unsupported_grant_type"
	CodeInvalidGrant           = "invalid_grant"
	CodeInvalidRequest         = "invalid_request"
	CodeTemporarilyUnavailable = "temporarily_unavailable"
)

// TokenError is a refusal by the identity provider, in the words of RFC 6749 §5.2.
type TokenError struct {
	Code        string // CodeInvalidClient and its like
	Description string // may be empty
	Status      int
	ClientID    string
	Endpoint    string
}

func (e *TokenError) Error() string {
	text := fmt.Sprintf("%s returned no token: %d %s", e.Endpoint, e.Status, e.Code)
	if e.Description != "" {
		text += fmt.Sprintf(" (%q)", e.Description)
	}
	return text + ". " + e.advice()
}

func (e *TokenError) advice() string {
	switch e.Code {
	case CodeInvalidClient:
		return fmt.Sprintf("The identity provider does not know the client %q, or client_secret is wrong. Compare both with the admin portal, section Clients", e.ClientID)
	case CodeInvalidScope:
		return fmt.Sprintf("The client %q cannot use the scope %q, which the web API requires. Grant it in the admin portal, section Clients", e.ClientID, scope)
	case CodeUnauthorizedClient, CodeUnsupportedGrantType, CodeInvalidGrant:
		return fmt.Sprintf("The client %q cannot use the client-credentials grant. Register a client for the API in the admin portal, section Clients", e.ClientID)
	case CodeInvalidRequest:
		return "It does not understand the request. Check that auth_url is the URL of the identity provider"
	case CodeTemporarilyUnavailable:
		return "Try again later"
	}
	return "Check the identity provider's log"
}

// Error is a refusal by the web API or a proxy in front of it.
type Error struct {
	Operation string
	Status    int
	Words     string // text of the answer, without markup, truncated; may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.Operation, e.Status, strings.ToLower(http.StatusText(e.Status)))
	if e.Words != "" {
		text += fmt.Sprintf(" (%q)", e.Words)
	}
	if advice := e.advice(); advice != "" {
		text += ". " + advice
	}
	return text
}

func (e *Error) advice() string {
	switch {
	case e.Status >= 300 && e.Status < 400:
		return "The URL redirects to another one. Set api_url or auth_url to that URL"
	case e.Status == http.StatusUnauthorized:
		return "The server refused the token, and a new one too. Check that api_url and auth_url belong together"
	case e.Status == http.StatusForbidden:
		return "The client is not allowed to do this. Check it in the admin portal, section Clients"
	case e.Status == http.StatusNotFound && e.Operation == operationOrganizations:
		return "Check api_url. The path of this operation is not documented; organizations_path sets another path"
	case e.Status == http.StatusNotFound && e.Operation == operationPing:
		return "There is no such platform, or the client cannot see it. zulip_trading_platforms lists those it can see"
	case e.Status == http.StatusNotFound && e.Operation == tokenOperation:
		return "Check that auth_url is the URL of the identity provider"
	case e.Status == http.StatusNotFound:
		return "Check that api_url is the URL of the web API"
	case e.Status >= http.StatusInternalServerError:
		return "The server, or a proxy before it, is failing"
	}
	return ""
}

// UnreachableError is the error if no answer arrived.
type UnreachableError struct {
	Address string
	Problem string
	Err     error

	timeout bool // connected, but no answer in time
}

func (e *UnreachableError) Error() string { return e.Address + ": " + e.Problem }

func (e *UnreachableError) Unwrap() error { return e.Err }

// BadAnswerError is the error if an answer is unusable.
type BadAnswerError struct {
	Operation string
	Status    int
	Problem   string
}

func (e *BadAnswerError) Error() string {
	return fmt.Sprintf("%s: %d: %s. Check that this URL belongs to the trading cloud", e.Operation, e.Status, e.Problem)
}

// errWindowsRefused is what Windows reports instead of ECONNREFUSED (WSAECONNREFUSED).
const errWindowsRefused = syscall.Errno(10061)

// newUnreachableError returns the error with the reason why no answer arrived.
func newUnreachableError(ctx context.Context, redacted redaction, address string, timeout time.Duration, err error) error {
	var (
		wrapped *url.Error
		dns     *net.DNSError
		network net.Error
		op      *net.OpError
		unknown x509.UnknownAuthorityError
	)
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the whole address
	}
	e := &UnreachableError{Address: address, Err: err}
	switch {
	case ctx.Err() != nil:
		e.Err, e.Problem = ctx.Err(), "stopped before there was an answer: "+ctx.Err().Error()
	case errors.As(err, &dns):
		e.Problem = "the name " + dns.Name + " cannot be looked up: " + dns.Err
	case errors.As(err, &unknown):
		e.Problem = "its certificate is signed by an authority this machine does not know"
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errWindowsRefused):
		e.Problem = "nothing listens there (connection refused)"
	case errors.As(err, &network) && network.Timeout():
		e.Problem = "no answer in " + timeout.String()
		e.timeout = !errors.As(err, &op) || op.Op != "dial"
	default:
		e.Problem = "no answer: " + redacted.mask(err.Error())
	}
	return e
}

// redaction is a list of texts that must not appear in a log or an error.
type redaction []string

func (r redaction) mask(words string) string {
	for _, word := range r {
		if word != "" {
			words = strings.ReplaceAll(words, word, "***")
		}
	}
	return words
}

// maxExcerptBytes is how much of an unexpected answer an error shows.
const maxExcerptBytes = 200

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// excerpt returns the readable part of a refusal: the message of the usual JSON errors or the title of an HTML page.
// Without either it returns the beginning of the text.
func excerpt(redacted redaction, body []byte) string {
	words := string(body)
	if strings.HasPrefix(strings.TrimSpace(words), "<") {
		found := title.FindStringSubmatch(words)
		words = "a page without a title"
		if found != nil {
			words = html.UnescapeString(found[1])
		}
	}
	var problem struct{ Message, Detail, Title string } // matched in any case
	if json.Unmarshal(body, &problem) == nil {
		for _, candidate := range []string{problem.Detail, problem.Message, problem.Title} {
			if candidate != "" {
				words = candidate
				break
			}
		}
	}
	words = redacted.mask(strings.ToValidUTF8(words, "�"))
	words = strings.Join(strings.Fields(words), " ")
	if len(words) <= maxExcerptBytes {
		return words
	}
	end := maxExcerptBytes
	for !utf8.RuneStart(words[end]) {
		end--
	}
	return words[:end] + "…"
}
