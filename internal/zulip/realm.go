package zulip

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
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

// VideoChatProvider is a provider of calls that the server is set up for.
type VideoChatProvider struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// realmFieldPrefix stands before the settings of the organization where they are
// read, and not where they are written (server-behavior §O3).
const realmFieldPrefix = "realm_"

// keep takes a field that has no place of its own: a permission, or another setting.
// Lists and objects are none, but for the one setting that is an object; null is one
// (unlimited, or unset).
func (r *Realm) keep(field string, raw json.RawMessage) error {
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

// isRealmPermission tells the organization's permissions from its other settings:
// every one of them ends in `_group`, or in `_groups` where that is what it lets people
// create or manage.
func isRealmPermission(name string) bool {
	return strings.HasSuffix(name, "_group") || strings.HasSuffix(name, "_groups")
}

// RealmUpdate holds what an update of the organization changes; what is not in it
// is left alone.
type RealmUpdate struct {
	// Settings are parameters under the names of the wire, each plain or JSON
	// (server-behavior §R1).
	Settings    Form
	Permissions map[string]GroupSettingChange
}

// Empty reports whether the update changes nothing.
func (u *RealmUpdate) Empty() bool { return u.Settings.Empty() && len(u.Permissions) == 0 }

// UpdateRealm changes settings of the organization. Administrators may, and owners
// set some of them: for anything of theirs in a request of another account the
// server refuses all of it, changed or not, with UNAUTHORIZED_PRINCIPAL
// (server-behavior §O1). Otherwise the settings are carried out one after the
// other, and what came before a failure stays (server-behavior §O2). The client does not
// repeat it: an old value no longer matches the second time; read the organization
// and send what is missing.
func (c *Client) UpdateRealm(ctx context.Context, update RealmUpdate) (*Answer, error) {
	form := update.Settings.clone()
	for name, change := range update.Permissions {
		form.JSON(name, change)
	}
	return c.send(ctx, http.MethodPatch, "/realm", form, never, nil)
}
