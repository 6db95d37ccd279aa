package zulip

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Domain is an email domain whose addresses may join, if the organization is restricted to its domains. Domains have no ID
// that can be read (server-behavior §L11).
type Domain struct {
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

// StoredDomain is a domain as the server keeps it.
func StoredDomain(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// maxDomain is the limit of the server's database, in characters; its check allows more (server-behavior §L11).
const maxDomain = 80

var domainLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// CheckDomain returns why the server would refuse a domain.
func CheckDomain(text string) error {
	domain := StoredDomain(text)
	labels := strings.Split(domain, ".")
	switch {
	case domain == "":
		return errors.New("it is empty")
	case len(labels) == 1:
		return errors.New("it has no dot, as example.com has")
	case len(domain) > maxDomain:
		return fmt.Errorf("it has more than %d characters", maxDomain)
	}
	for _, label := range labels {
		if !domainLabel.MatchString(label) {
			return errors.New("between dots are letters of English, digits, and hyphens that are neither first nor last")
		}
	}
	return nil
}

// AddDomain adds a domain. If it exists, the error satisfies [IsDomainTaken].
func (c *Client) AddDomain(ctx context.Context, domain Domain) error {
	// A second time is refused as taken, so that it does no harm.
	return c.do(ctx, http.MethodPost, "/realm/domains", params{
		"domain":           text(domain.Domain),
		"allow_subdomains": domain.AllowSubdomains,
	}.form(), safeToRetry)
}

// UpdateDomain sets whether a domain's subdomains count too. If there is no such domain, the error satisfies [IsNoDomain].
func (c *Client) UpdateDomain(ctx context.Context, domain Domain) error {
	return c.do(ctx, http.MethodPatch, domainPath(domain.Domain), params{"allow_subdomains": domain.AllowSubdomains}.form(), safeToRetry)
}

// DeleteDomain removes a domain. It is not an error if it no longer exists.
func (c *Client) DeleteDomain(ctx context.Context, domain string) error {
	return c.remove(ctx, domainPath(domain), IsNoDomain)
}

var (
	domainTaken = regexp.MustCompile(`^The domain .* is already a part of your organization\.$`)
	noDomain    = regexp.MustCompile(`^No entry found for domain .*\.$`)
)

// IsDomainTaken reports whether the organization has the domain already.
func IsDomainTaken(err error) bool { return hasMessageLike(err, domainTaken) }

// IsNoDomain reports whether the organization does not have the domain.
func IsNoDomain(err error) bool { return hasMessageLike(err, noDomain) }

// hasMessageLike reports whether the server refused with a message that matches.
func hasMessageLike(err error, sentence *regexp.Regexp) bool {
	var refusal *Error
	return errors.As(err, &refusal) && sentence.MatchString(refusal.Msg)
}

// domainPath returns the path of a domain in its stored form, because the server compares it exactly.
func domainPath(domain string) string {
	return "/realm/domains/" + url.PathEscape(StoredDomain(domain))
}
