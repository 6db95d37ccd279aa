package sandbox

import (
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

func unauthorized(msg string) *rules.Error {
	return &rules.Error{Status: http.StatusUnauthorized, Code: "UNAUTHORIZED", Msg: msg}
}

// basicCredentials reads the Authorization header (server-behavior §R7).
func basicCredentials(header string) (email, key string, err error) {
	if header == "" {
		return "", "", unauthorized("Not logged in: API authentication or user session required")
	}
	scheme, encoded, ok := strings.Cut(header, " ")
	if !ok {
		return "", "", unauthorized("Invalid authorization header for basic auth")
	}
	if !strings.EqualFold(scheme, "basic") {
		return "", "", rules.Refuse("This endpoint requires HTTP basic authentication.")
	}
	decoded, decodeErr := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if decodeErr != nil || strings.Count(string(decoded), ":") != 1 {
		return "", "", unauthorized("Invalid authorization header for basic auth")
	}
	email, key, _ = strings.Cut(string(decoded), ":")
	return strings.TrimSpace(email), strings.TrimSpace(key), nil
}

// authenticate finds the account behind a header: by its real address and its
// API key.
func authenticate(o *rules.Organization, header string) (rules.User, error) {
	email, key, err := basicCredentials(header)
	if err != nil {
		return rules.User{}, err
	}
	if !keyShaped(key) {
		return rules.User{}, unauthorized("Malformed API key")
	}
	u, known := o.UserByEmail(email)
	// An unknown address is compared with a key as well, so that both take as long.
	if subtle.ConstantTimeCompare([]byte(key), []byte(u.APIKey)) != 1 || !known {
		return rules.User{}, unauthorized("Invalid API key")
	}
	if !u.Active {
		return rules.User{}, unauthorized("Account is deactivated")
	}
	return u, nil
}

func keyShaped(key string) bool {
	if len(key) != 32 {
		return false
	}
	for _, c := range []byte(key) {
		digit := c >= '0' && c <= '9'
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !digit && !letter {
			return false
		}
	}
	return true
}

// guard is the class of accounts that may call an endpoint (server-behavior §R15, §R16).
type guard int

const (
	open          guard = iota // no credentials needed
	anyUser                    // every account
	human                      // no bots
	nonGuest                   // no guests
	humanNonGuest              // neither
	admin                      // administrators and owners, bots of that role too
	owner                      // owners, bots of that role too
)

// withBots returns the guard that lets bots in like people.
func (g guard) withBots() guard {
	switch g {
	case human:
		return anyUser
	case humanNonGuest:
		return nonGuest
	}
	return g
}

// check returns the refusal for a caller who may not call the endpoint.
func (g guard) check(u rules.User) error {
	if u.IsGuest() && (g == nonGuest || g == humanNonGuest) {
		return rules.Refuse("Not allowed for guest users")
	}
	if u.IsBot && (g == human || g == humanNonGuest) {
		return rules.Refuse("This endpoint does not accept bot requests.")
	}
	if g == admin && !u.IsAdmin() {
		return rules.ErrMustBeAdministrator
	}
	if g == owner && !u.IsOwner() {
		return rules.ErrMustBeOwner
	}
	return nil
}
