package trading

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"
)

// The operations, by their names in the API's documentation.
const (
	operationOrganizations = "Organizations_Get"
	operationPlatforms     = "TradePlatforms_GetAll"
	operationPing          = "TradePlatforms_Ping"

	platformsPath = "/api/TradePlatforms"
)

// Organization is an organization that the client belongs to.
type Organization struct {
	ID      string  `json:"id"` // GUID
	Name    *string `json:"name"`
	Created *string `json:"created"` // ISO 8601
}

// Platform is a trade platform.
type Platform struct {
	ID             string        `json:"id"` // GUID
	Name           *string       `json:"name"`
	Type           *PlatformType `json:"type"`
	Login          *int64        `json:"login"`
	OrganizationID *string       `json:"organizationId"`
	Organization   *Organization `json:"organization"`
	Created        *string       `json:"created"` // ISO 8601
}

// PlatformType is a word ("MT4", "MT5"), or in digits the number that some servers use instead.
type PlatformType string

// UnmarshalJSON reads a word or a number.
func (t *PlatformType) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err == nil && len(data) > 0 && data[0] != '"' {
		*t = PlatformType(number)
		return nil
	}
	var word string
	if err := json.Unmarshal(data, &word); err != nil {
		return fmt.Errorf("a platform's type is neither a word nor a number: %w", err)
	}
	*t = PlatformType(word)
	return nil
}

// Organizations lists the organizations that the client belongs to (Organizations_Get).
func (c *Client) Organizations(ctx context.Context) ([]Organization, error) {
	return list[Organization](ctx, c, call{operationOrganizations, c.organizationsPath, c.retrying})
}

// Platforms lists the trade platforms that the client may use (TradePlatforms_GetAll).
func (c *Client) Platforms(ctx context.Context) ([]Platform, error) {
	return list[Platform](ctx, c, call{operationPlatforms, platformsPath, c.retrying})
}

// Ping is the result of a check of the connection to a platform.
type Ping struct {
	Reachable bool
	// Latency is how long the web API took to answer.
	Latency time.Duration
	// Status is the HTTP status of the answer. 0: there was none in time.
	Status int
	// Problem says why the platform is not reachable; empty if it is.
	Problem string
}

// Ping checks the connection to a platform, by its ID (TradePlatforms_Ping). That a platform cannot be reached is a result.
// An error says nothing about the connection: no token, no permission, no answer from the web API, or no such platform.
func (c *Client) Ping(ctx context.Context, id string) (*Ping, error) {
	if !IsID(id) {
		return nil, fmt.Errorf("%s: %q is not the ID of a platform, which is a GUID", operationPing, id)
	}
	started := time.Now()
	answer, err := c.get(ctx, call{operationPing, platformsPath + "/" + id + "/Ping", c.single})
	var noAnswer *UnreachableError
	switch {
	case errors.As(err, &noAnswer) && noAnswer.timeout && noAnswer.Address == c.apiURL:
		// The web API got the request, and waits for the platform longer than this client does.
		return &Ping{Latency: time.Since(started), Problem: noAnswer.Problem}, nil
	case err != nil:
		return nil, err
	case answer.ok():
		return &Ping{Reachable: true, Latency: answer.latency, Status: answer.status}, nil
	case answer.status < http.StatusInternalServerError:
		return nil, c.refusalError(operationPing, answer)
	}
	problem := fmt.Sprintf("%d %s", answer.status, http.StatusText(answer.status))
	if words := excerpt(c.redactedWith(answer.token), answer.body); words != "" {
		problem += ": " + words
	}
	return &Ping{Latency: answer.latency, Status: answer.status, Problem: problem}, nil
}

var guid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// IsID reports whether a text can be the ID of a platform or an organization.
func IsID(text string) bool { return guid.MatchString(text) }

// list reads an array, which stands alone in the answer.
func list[Element any](ctx context.Context, c *Client, call call) ([]Element, error) {
	answer, err := c.get(ctx, call)
	if err != nil {
		return nil, err
	}
	if !answer.ok() {
		return nil, c.refusalError(call.operation, answer)
	}
	bad := &BadAnswerError{Operation: call.operation, Status: answer.status}
	if start := bytes.TrimSpace(answer.body); len(start) == 0 || start[0] != '[' {
		bad.Problem = "the answer is not a list"
		return nil, bad
	}
	var elements []Element
	if err := json.Unmarshal(answer.body, &elements); err != nil {
		bad.Problem = "the answer is not of the expected shape: " + err.Error()
		return nil, bad
	}
	return elements, nil
}

// refusalError is the error an answer stands for. What is wrong with a token stands in a header (RFC 6750 §3).
func (c *Client) refusalError(operation string, answer *response) error {
	words := excerpt(c.redactedWith(answer.token), answer.body)
	if words == "" {
		words = excerpt(c.redactedWith(answer.token), []byte(answer.header.Get("WWW-Authenticate")))
	}
	return &Error{Operation: operation, Status: answer.status, Words: words}
}

func (c *Client) redactedWith(token *Token) redaction {
	return append(redaction{token.AccessToken}, c.redacted...)
}
