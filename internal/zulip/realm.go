package zulip

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// AuthenticationMethod is one way to log in that the server has (server-behavior §O5).
type AuthenticationMethod struct {
	Enabled bool `json:"enabled"`
	// Available is false where the organization's plan does not include it;
	// UnavailableReason then says what would.
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

// realmFieldPrefix stands before the settings of the organization where they are
// read, and not where they are written (server-behavior §O3).
const realmFieldPrefix = "realm_"

// storeField stores a field that has no field of its own in Realm: a permission, or another
// setting. Lists and objects are not settings, except for one; null is (unlimited, or unset).
func (r *Realm) storeField(field string, raw json.RawMessage) error {
	name, ok := strings.CutPrefix(field, realmFieldPrefix)
	switch {
	case !ok:
	case isRealmPermission(name):
		// Another server may have a field of such a name that is no permission: it is
		// passed over like every field the snapshot has no place for.
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

// isRealmPermission reports whether a setting of the organization is a permission: the name
// of each ends in `_group`, or in `_groups` if it is about creating or managing groups.
func isRealmPermission(name string) bool {
	return strings.HasSuffix(name, "_group") || strings.HasSuffix(name, "_groups")
}

// RealmUpdate holds what an update of the organization changes; what is not in it
// is left unchanged.
type RealmUpdate struct {
	// Settings are parameters under the names of the API, each plain or JSON
	// (server-behavior §R1).
	Settings    Form
	Permissions map[string]GroupSettingChange
}

// Empty reports whether the update changes nothing.
func (u *RealmUpdate) Empty() bool { return u.Settings.Empty() && len(u.Permissions) == 0 }

// UpdateRealm changes settings of the organization. It requires an administrator, and some
// settings an owner: if a request of another account contains one of those, the server
// refuses all of it with UNAUTHORIZED_PRINCIPAL, even if the value would not change
// (server-behavior §O1). Otherwise settings are applied one after the other, and those before
// a failure stay (server-behavior §O2). The client does not retry it: an old value no longer
// matches the second time. Read the organization again and send what is missing.
func (c *Client) UpdateRealm(ctx context.Context, update RealmUpdate) (*Answer, error) {
	form := update.Settings.clone()
	for name, change := range update.Permissions {
		form.JSON(name, change)
	}
	return c.send(ctx, http.MethodPatch, "/realm", form, neverRetry, nil)
}
