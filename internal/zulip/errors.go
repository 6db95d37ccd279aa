package zulip

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Error is a refusal by the server, with the server's message (server-behavior §R9).
type Error struct {
	// Status is the HTTP status: 400 for most refusals, including "not found" and
	// "not permitted".
	Status int
	// Code is the kind of refusal, like "CHANNEL_ALREADY_EXISTS". Most are
	// "BAD_REQUEST"; a few have none.
	Code string
	// Msg is the server's sentence, in English.
	Msg string
	// Fields are the fields of the answer other than result, msg and code.
	Fields map[string]json.RawMessage

	Method, Path string

	// AfterLostAnswer is true if the same call was sent before and its answer was lost: it may have been applied then.
	AfterLostAnswer bool
}

func (e *Error) Error() string {
	status := fmt.Sprint(e.Status)
	if e.Code != "" {
		status += " " + e.Code
	}
	text := e.Msg
	if text == "" {
		text = strings.ToLower(http.StatusText(e.Status))
	}
	return fmt.Sprintf("%s %s: %s: %s", e.Method, e.Path, status, text)
}

// NotZulipError is the error if an answer does not come from Zulip's API. It comes from a proxy, a login page or
// another kind of server, or from a Zulip server that does not know the path (404 with an HTML page, server-behavior
// §R11).
type NotZulipError struct {
	Status       int
	ContentType  string
	Title        string // of the page, if it has one
	Text         string // its first words, without tags
	Location     string // the target of a redirect
	Method, Path string
}

func (e *NotZulipError) Error() string {
	if e.Location != "" {
		return fmt.Sprintf("%s %s: %d: the site URL redirects to %s. Set site to the URL of the organization itself",
			e.Method, e.Path, e.Status, e.Location)
	}
	words := e.Title
	if words == "" {
		words = e.Text
	}
	var seen []string
	if e.ContentType != "" {
		seen = append(seen, e.ContentType)
	}
	if words != "" {
		seen = append(seen, fmt.Sprintf("%q", words))
	}
	if len(seen) == 0 {
		seen = append(seen, "an empty answer")
	}
	advice := "This is not the answer of a Zulip server. Check that site is the URL of the organization, and that no proxy is in between"
	switch {
	case e.Status == http.StatusNotFound:
		advice = "Either this Zulip server is too old for the call, or site is not the URL of an organization"
	case e.Status == http.StatusRequestEntityTooLarge:
		advice = "The request is too large for the server or a proxy before it"
	case e.Status >= http.StatusInternalServerError:
		advice = "The server, or a proxy before it, is failing or overloaded"
	}
	return fmt.Sprintf("%s %s: %d (%s). %s", e.Method, e.Path, e.Status, strings.Join(seen, ", "), advice)
}

// BadAnswerError is the error if the server's answer is unusable: truncated, empty, too large, or not of the expected
// shape.
type BadAnswerError struct {
	Status       int
	Problem      string
	Method, Path string
	// MayHaveHappened is true if the request may have been applied.
	MayHaveHappened bool
	Err             error // may be nil

	// damaged: the answer was damaged in transit, so another attempt may help.
	damaged bool
}

func (e *BadAnswerError) Error() string {
	return fmt.Sprintf("%s %s: %d: %s%s", e.Method, e.Path, e.Status, e.Problem, unknownOutcomeNote(e.Method, e.MayHaveHappened))
}

func (e *BadAnswerError) Unwrap() error { return e.Err }

// IsCode reports whether the server refused with one of the codes.
func IsCode(err error, codes ...string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code != "" && slices.Contains(codes, e.Code)
}

// IsMessage reports whether the server refused with one of these messages: many
// conditions have no code of their own, for example "Invalid channel ID".
func IsMessage(err error, messages ...string) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(messages, e.Msg)
}

// IsExpectationMismatch reports whether the old value of a change was not the server's
// current value (server-behavior §P4).
func IsExpectationMismatch(err error) bool { return IsCode(err, "EXPECTATION_MISMATCH") }

// IsUnauthorized reports whether the credentials are missing, wrong, or not
// of this organization (server-behavior §R8).
func IsUnauthorized(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusUnauthorized
}

// IsUnknownEndpoint reports whether this server does not have the call. The server then does not know the path (404 with a
// page) or the verb (405, server-behavior §R10, §R11).
func IsUnknownEndpoint(err error) bool {
	var (
		page    *NotZulipError
		refusal *Error
	)
	return (errors.As(err, &page) && page.Status == http.StatusNotFound) ||
		(errors.As(err, &refusal) && refusal.Status == http.StatusMethodNotAllowed)
}

// IsRateLimited reports whether the account has used up its requests, and the
// client gave up waiting (server-behavior §R17).
func IsRateLimited(err error) bool {
	var (
		page    *NotZulipError
		refusal *Error
	)
	return IsCode(err, "RATE_LIMIT_HIT") ||
		(errors.As(err, &refusal) && refusal.Status == http.StatusTooManyRequests) ||
		(errors.As(err, &page) && page.Status == http.StatusTooManyRequests)
}

// MayHaveHappened reports whether the failed call may have been applied. The caller must check that before it repeats the
// call.
func MayHaveHappened(err error) bool {
	var (
		refusal    *Error
		page       *NotZulipError
		connection *ConnectionError
		answer     *BadAnswerError
		lost       *maybeAppliedError
	)
	switch {
	case errors.As(err, &lost):
		return true
	case errors.As(err, &refusal):
		return refusal.AfterLostAnswer || refusal.Status >= http.StatusInternalServerError
	case errors.As(err, &connection):
		return connection.MayHaveHappened
	case errors.As(err, &answer):
		return answer.MayHaveHappened
	case errors.As(err, &page):
		// Below 300 the page came with success, from 500 on from a proxy that lost
		// the connection to its server. Either way the server may have got the request.
		return page.Status < http.StatusMultipleChoices || page.Status >= http.StatusInternalServerError
	}
	return false
}

// FirstPause is the wait before the first check whether a call was applied. The wait doubles each time. max_retries limits
// the number of checks.
const FirstPause = 500 * time.Millisecond

// maybeAppliedError marks the failure of a call that an earlier attempt may have applied.
type maybeAppliedError struct{ error }

func (e *maybeAppliedError) Unwrap() error { return e.error }

// unknownOutcomeNote is the end of an error text about a write with an unknown outcome.
func unknownOutcomeNote(method string, mayHaveHappened bool) string {
	if !mayHaveHappened || method == http.MethodGet {
		return ""
	}
	return ". The request may or may not have been applied"
}

// decodeError reads the body of an answer that refuses. ok is false if it is
// not the server's envelope.
func decodeError(status int, body []byte) (refusal *Error, ok bool) {
	// A field of another type counts as absent: a 405 and a 500 have no code.
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields)
	var result string
	_ = json.Unmarshal(fields["result"], &result)
	if result == "" || result == resultSuccess {
		return nil, false
	}
	refusal = &Error{Status: status}
	_ = json.Unmarshal(fields["msg"], &refusal.Msg)
	_ = json.Unmarshal(fields["code"], &refusal.Code)
	for _, known := range []string{"result", "msg", "code"} {
		delete(fields, known)
	}
	refusal.Fields = fields
	return refusal, true
}

const (
	// maxPageBytes is how much of a foreign page is looked at, longestExcerpt
	// how much of it an error shows; both in bytes.
	maxPageBytes    = 64 << 10
	maxExcerptBytes = 200
)

var (
	pageTitle  = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	pageHidden = regexp.MustCompile(`(?is)<(script|style|title)\b.*?(</(script|style|title)>|$)`)
	pageTag    = regexp.MustCompile(`(?s)<[^>]*>`)
)

// readPage returns the visible text at the start of a page.
func readPage(body []byte) (title, text string) {
	page := strings.ToValidUTF8(string(body[:min(len(body), maxPageBytes)]), "�")
	if match := pageTitle.FindStringSubmatch(page); match != nil {
		title = plainText(match[1])
	}
	return title, plainText(pageHidden.ReplaceAllString(page, " "))
}

func plainText(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(pageTag.ReplaceAllString(markup, " "))), " ")
}
