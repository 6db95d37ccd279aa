package zulip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// AuthenticationMethod is one of the server's ways to log in (server-behavior §O5).
type AuthenticationMethod struct {
	Enabled bool `json:"enabled"`
	// Available is false if the organization's plan does not include the method. UnavailableReason then names a plan
	// that does.
	Available         bool   `json:"available"`
	UnavailableReason string `json:"unavailable_reason"`
}

// UnmarshalJSON reads the object, and the bare boolean of servers below 243.
func (m *AuthenticationMethod) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '{' {
		*m = AuthenticationMethod{Available: true}
		return json.Unmarshal(data, &m.Enabled)
	}
	type plain AuthenticationMethod
	return json.Unmarshal(data, (*plain)(m))
}

// EnabledMethods lists the ways to log in that are on, sorted.
func (r *Realm) EnabledMethods() []string {
	var methods []string
	for name, method := range r.AuthenticationMethods {
		if method.Enabled {
			methods = append(methods, name)
		}
	}
	slices.Sort(methods)
	return methods
}

// VideoChatProvider is a provider of calls that the server is set up for.
type VideoChatProvider struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// realmFieldPrefix precedes the organization's settings in answers, but not in requests (server-behavior §O3).
const realmFieldPrefix = "realm_"

// storeField stores a permission or a setting that has no field of its own in Realm. It skips lists and objects, except for
// one. null is a value (unlimited, or unset).
func (r *Realm) storeField(field string, raw json.RawMessage) error {
	name, ok := strings.CutPrefix(field, realmFieldPrefix)
	switch {
	case !ok:
	case isRealmPermission(name):
		// Another server may have a field with such a name that is no permission. It is skipped like every field without a
		// place in the snapshot.
		var value GroupSettingValue
		if err := json.Unmarshal(raw, &value); err == nil {
			r.Permissions[name] = value
		}
	case name == "authentication_methods":
		r.Settings[name] = raw
		return json.Unmarshal(raw, &r.AuthenticationMethods)
	case name == "waiting_period_threshold":
		r.Settings[name] = raw
		return json.Unmarshal(raw, &r.WaitingPeriodThreshold)
	case !bytes.HasPrefix(raw, []byte("[")) && !bytes.HasPrefix(raw, []byte("{")):
		r.Settings[name] = raw
	}
	return nil
}

// isRealmPermission reports whether a setting of the organization is a permission. The name of each ends in `_group`, or in
// `_groups` if it is about creating or managing groups.
func isRealmPermission(name string) bool {
	return strings.HasSuffix(name, "_group") || strings.HasSuffix(name, "_groups")
}

// RealmUpdate holds the changes of the organization. Absent settings are left unchanged.
type RealmUpdate struct {
	// Settings are parameters under the names of the API, each plain or JSON
	// (server-behavior §R1).
	Settings    Form
	Permissions map[string]GroupSettingChange
}

// Empty reports whether the update changes nothing.
func (u *RealmUpdate) Empty() bool { return u.Settings.Empty() && len(u.Permissions) == 0 }

// UpdateRealm changes settings of the organization. It requires an administrator, and some settings an owner. If a request
// of another account contains one of those, the server refuses all of it with UNAUTHORIZED_PRINCIPAL, even for an unchanged
// value (server-behavior §O1). Otherwise settings are applied one after the other, and those before a failure remain
// (server-behavior §O2). The client does not retry it, because an old value no longer matches the second time. Read the
// organization again and send the missing settings.
func (c *Client) UpdateRealm(ctx context.Context, update RealmUpdate) (*Answer, error) {
	form := update.Settings.clone()
	for name, change := range update.Permissions {
		form.JSON(name, change)
	}
	return c.send(ctx, http.MethodPatch, "/realm", form, neverRetry, nil)
}

// RealmImage is one of the pictures of the organization, as the server shows it (server-behavior §O11).
type RealmImage struct {
	// URL is the address of the picture, absolute or relative to the organization's. Every upload changes it.
	URL string
	// IsUploaded is false for the default picture.
	IsUploaded bool
}

// The kinds of pictures of an organization.
const (
	IconImage      = "icon"
	LogoImage      = "logo"
	NightLogoImage = "night_logo"
)

// Image returns a picture of the organization.
func (r *Realm) Image(kind string) (image RealmImage) {
	var source string
	_ = json.Unmarshal(r.Settings[kind+"_url"], &image.URL) // a server without it has none
	_ = json.Unmarshal(r.Settings[kind+"_source"], &source) // likewise
	image.IsUploaded = source == "U"
	return image
}

// UploadRealmImage uploads a picture of the organization, with the name of its file and its content type. A repeated call
// changes only the number in the URL.
func (c *Client) UploadRealmImage(ctx context.Context, kind, file, contentType string, content []byte) error {
	path, form := realmImage(kind)
	form.File(file, contentType, content)
	return c.do(ctx, http.MethodPost, path, form, safeToRetry)
}

// RemoveRealmImage removes a picture of the organization. It is not an error if there is none.
func (c *Client) RemoveRealmImage(ctx context.Context, kind string) error {
	path, form := realmImage(kind)
	return c.do(ctx, http.MethodDelete, path, form, safeToRetry)
}

func realmImage(kind string) (path string, form *Form) {
	form = &Form{}
	if kind == IconImage {
		return "/realm/icon", form
	}
	form.JSON("night", kind == NightLogoImage)
	return "/realm/logo", form
}

// Domain is an email domain that may join, if the organization is restricted to its domains. Domains have no readable ID
// (server-behavior §L11).
type Domain struct {
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

// StoredDomain returns a domain as the server stores it.
func StoredDomain(text string) string { return strings.ToLower(Strip(text)) }

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
		return errors.New("it has no dot, unlike example.com")
	case len(domain) > maxDomain:
		return fmt.Errorf("it has more than %d characters", maxDomain)
	}
	for _, label := range labels {
		if !domainLabel.MatchString(label) {
			return errors.New("between dots, only English letters, digits and inner hyphens are allowed")
		}
	}
	return nil
}

// AddDomain adds a domain. If it exists, the error satisfies [IsDomainTaken].
func (c *Client) AddDomain(ctx context.Context, domain Domain) error {
	// The server refuses a repeated call, which is harmless.
	return c.do(ctx, http.MethodPost, "/realm/domains", params{
		"domain":           text(domain.Domain),
		"allow_subdomains": domain.AllowSubdomains,
	}.form(), safeToRetry)
}

// UpdateDomain sets whether subdomains count too. If the domain does not exist, the error satisfies [IsNoDomain].
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

// ExportType is the content of an export of the organization's data (https://zulip.com/api/export-realm).
type ExportType int64

// The types of exports.
const (
	ExportPublic   ExportType = 1 // public data
	ExportStandard ExportType = 2 // also the private data of people who consent
)

// Export is one of the organization's data (server-behavior §O12).
type Export struct {
	ID           int64 `json:"id"`
	ActingUserID int64 `json:"acting_user_id"`
	// Pending is true if the server still works on the export. Afterwards FailedTimestamp says when it failed, in seconds
	// since 1970; otherwise it has succeeded.
	Pending          bool     `json:"pending"`
	FailedTimestamp  *float64 `json:"failed_timestamp"`
	DeletedTimestamp *float64 `json:"deleted_timestamp"`
	// URL is the address of the file. It is a secret, because it works without credentials. nil: no file exists.
	URL  *string    `json:"export_url"`
	Type ExportType `json:"export_type"`
}

// ExportConsent says whether a person allows exports of private data.
type ExportConsent struct {
	UserID    int64 `json:"user_id"`
	Consented bool  `json:"consented"`
}

// StartExport starts an export and returns its ID. The client does not retry it, because every call starts another export.
func (c *Client) StartExport(ctx context.Context, kind ExportType) (int64, error) {
	id, err := c.create(ctx, "/export/realm", params{"export_type": kind}.form(), neverRetry, "id")
	if err == nil && id == 0 {
		err = &maybeAppliedError{errors.New("POST /export/realm: the answer holds no ID")}
	}
	return id, err
}

// Exports lists all exports, by ID.
func (c *Client) Exports(ctx context.Context) ([]*Export, error) {
	return list[Export](ctx, c, "/export/realm", nil, "exports")
}

// ExportConsents lists the active people.
func (c *Client) ExportConsents(ctx context.Context) ([]*ExportConsent, error) {
	return list[ExportConsent](ctx, c, "/export/realm/consents", nil, "export_consents")
}
