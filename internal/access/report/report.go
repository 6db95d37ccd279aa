// Package report holds the content of a report about access in an organization, independent of its presentation. A [Report]
// is also the documented JSON form.
//
// It knows nothing of plans. The package review makes a report of a plan; the packages markdown and page write it for
// people.
//
// To make a report, collect its people with [PeopleSets]. Call [Report.Assess] at the end, which finds the risks and writes
// the summary.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// FormatVersion is the version of the JSON form. Its first number changes if the new form could mislead a reader of the old
// form. Added fields do not change it.
const FormatVersion = "1.0"

// Report is the changes in one organization. Lists are in reading order.
type Report struct {
	FormatVersion string `json:"format_version"`
	// Site is the organization's URL, Organization its name; both are empty if it wasn't read.
	Site         string `json:"site"`
	Organization string `json:"organization"`
	// Since describes the earlier audit of a comparison; empty in a report of a plan.
	Since string `json:"since,omitempty"`
	// Provider is the provider configuration whose resources are reviewed, as plans write it: zulip, zulip.staging.
	Provider string `json:"provider"`
	// Offline is true if the organization wasn't read: all changes are in Also, and it isn't known who gains or loses access.
	Offline bool    `json:"offline"`
	Summary Summary `json:"summary"`
	Risks   []Risk  `json:"risks"`
	// Rules are the results of the rules that the review was given; none without rules.
	Rules []*Rule `json:"rules,omitempty"`
	// Channels are those in which something changes, also those that the plan doesn't name, because a change of a group has
	// effects in channels. Channels with the same effects are adjacent.
	Channels []*Channel `json:"channels"`
	Groups   []*Group   `json:"groups"`
	// People are accounts that the plan creates, changes or deactivates.
	People []*Person `json:"people"`
	// Permissions are the organization's own permissions, and two settings that decide who has others: [WaitingPeriod] and
	// [SpectatorAccess].
	Permissions []*PermissionChange `json:"permissions"`
	// Unknown are sentences about unknown values, in addition to the fields with this name above.
	Unknown []string `json:"unknown"`
	// Also are the changes that are in none of the lists above. With the risks, the report mentions everything that the plan
	// changes.
	Also []*Also `json:"also"`
	// Found are the findings of the later of two audits, the new ones first; a plan has none.
	Found []Found `json:"findings,omitempty"`
	// Others counts the changes of other providers.
	Others int `json:"others"`
	// Accounts are all accounts named above, ascending by ID.
	Accounts []*Account `json:"accounts"`
}

// New returns an empty report about an organization.
func New(site string) *Report {
	return &Report{
		FormatVersion: FormatVersion, Site: site, Risks: []Risk{}, Channels: []*Channel{}, Groups: []*Group{}, People: []*Person{},
		Permissions: []*PermissionChange{}, Unknown: []string{}, Also: []*Also{},
	}
}

// The settings of the organization that are not permissions but decide who can do what.
const (
	WaitingPeriod   = "waiting_period_threshold"
	SpectatorAccess = "enable_spectator_access"
)

// IncompleteText is the first line of a comparison with an incomplete audit.
const IncompleteText = "This comparison is incomplete because one of the audits is."

// Action is what happens to something.
type Action string

// The actions of a plan.
const (
	// Affects means that the plan changes the object only through a group, a role or another permission.
	Affects Action = ""
	Create  Action = "create"
	Update  Action = "update"
	// Replace destroys the object and creates another one in its place.
	Replace Action = "replace"
	// Archive ends a channel, Deactivate a user group or an account. Zulip deletes neither.
	Archive    Action = "archive"
	Deactivate Action = "deactivate"
	// Delete deletes the object on the server.
	Delete Action = "delete"
	// Reactivate reactivates an archived or deactivated object.
	Reactivate Action = "reactivate"
	// Release leaves the object unchanged, and no longer manages it.
	Release Action = "release"
	// Invoke invokes an action of the provider.
	Invoke Action = "invoke"
)

// Adjective describes an object after the action; empty for [Affects].
func (a Action) Adjective() string {
	return map[Action]string{
		Affects: "", Create: "new", Update: "changed", Replace: "replaced", Archive: "archived",
		Deactivate: "deactivated", Delete: "deleted", Reactivate: "reactivated", Release: "no longer managed", Invoke: "invoked",
	}[a]
}

// Channel is a channel in which something changes.
type Channel struct {
	// ID is zero for a channel that the plan creates.
	ID int64 `json:"id"`
	// Name is the name after the plan. OldName is the name before, if that differs.
	Name    string `json:"name"`
	OldName string `json:"old_name,omitempty"`
	Action  Action `json:"action"`
	// Resources are the addresses of the resources that change it in the plan; empty if it is only affected.
	Resources []string `json:"resources"`
	// Privacy is the privacy in words.
	Privacy     Change              `json:"privacy"`
	Permissions []*PermissionChange `json:"permissions"`
	// Joins and Leaves are the people subscribed and unsubscribed.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
	// Joiners are the people who can only now subscribe on their own, without those who can read the channel before or after.
	Joiners *People `json:"-"`
}

// isPrivate reports whether a value is the privacy of a private channel.
func isPrivate(privacy Value) bool {
	return len(privacy.Values) == 1 && (privacy.Values[0] == PrivacyText(zulip.PrivacyPrivateSharedHistory) || privacy.Values[0] == PrivacyText(zulip.PrivacyPrivateProtectedHistory))
}

// isOpened reports whether a private channel becomes one that isn't.
func (c *Channel) isOpened() bool {
	return isPrivate(c.Privacy.Before) && len(c.Privacy.After.Values) == 1 && !isPrivate(c.Privacy.After)
}

// gainOf returns the people who gain access by a permission of the channel.
func (c *Channel) gainOf(name permission.ChannelPermission) *People {
	for _, one := range c.Permissions {
		if one.Name == string(name) {
			return one.Gain
		}
	}
	return nil
}

// called returns a name, and the earlier name if it differs.
func called(name, oldName string) string {
	if oldName == "" {
		return name
	}
	return name + " (was " + oldName + ")"
}

// hash returns the channel's name for a sentence.
func (c *Channel) hash() string {
	if c.OldName == "" {
		return "#" + c.Name
	}
	return called("#"+c.Name, "#"+c.OldName)
}

// where names an object in a risk.
func where(kind, name, oldName string) string {
	if oldName != "" {
		oldName = fmt.Sprintf("%q", oldName)
	}
	return kind + " " + called(fmt.Sprintf("%q", name), oldName)
}

// PermissionChange is the change of a permission: of its value, and of the people with effective access.
type PermissionChange struct {
	// Name is the name of the attribute. It is can_read for reading, which no permission decides alone.
	Name string `json:"name"`
	// Text is what it permits, to follow "can": post.
	Text string `json:"text"`
	// Change is the value of the permission in words. If it doesn't differ, another change of the plan has the effect.
	Change Change `json:"change"`
	// FollowsFrom is the change that has the effect alone, in words, if the value doesn't differ. It is empty if only
	// several changes together have it, and [OwnChange] if it is a change of the same object.
	FollowsFrom string `json:"follows_from,omitempty"`
	// Parts are the same permission for some of the people each, if several changes have the effect together.
	Parts []*PermissionChange `json:"-"`
	// Gain and Lose are the people with effective access only after, or only before the plan. They are empty, not nil.
	Gain *People `json:"gain"`
	Lose *People `json:"lose"`
	// Internet is the effect on people outside the organization: gain, lose, or empty.
	Internet string `json:"internet,omitempty"`
	// NoOneLeft is true if someone could before, and no one can after.
	NoOneLeft bool `json:"no_one_left"`
	// Unknown is true if it isn't known who gains and loses. Why is the reason.
	Unknown bool   `json:"unknown"`
	Why     string `json:"why,omitempty"`
	// LocksOut is true if the provider's account loses access that it needs.
	LocksOut bool `json:"-"`
}

// OwnChange is the value of [PermissionChange.FollowsFrom] for a consequence of other attributes of the same object.
const OwnChange = "another attribute of the same object"

// The values of [PermissionChange.Internet].
const (
	InternetGains = "gain"
	InternetLoses = "lose"
)

// Change is a value in words before and after.
type Change struct {
	Before Value `json:"before"`
	After  Value `json:"after"`
}

// Value is a value in words.
type Value struct {
	// Values are principals (role:members, group:sre, user:a@example.com) or other words; nil if there is no value,
	// as before something is created.
	Values []string `json:"values"`
	// Unknown is true if the plan doesn't know the whole value yet.
	Unknown bool `json:"unknown"`
}

// ValueOf is a value with one text.
func ValueOf(text string) Value { return Value{Values: []string{text}} }

// IsNone reports whether there is no value, as before something is created.
func (v Value) IsNone() bool { return v.Values == nil && !v.Unknown }

// Differs reports whether the values differ, or may.
func (c Change) Differs() bool {
	return c.Before.Unknown || c.After.Unknown || !slices.Equal(c.Before.Values, c.After.Values)
}

// Difference is the difference of two long lists.
type Difference struct {
	Removed, Added Value
	// Before and After are the lengths of the lists.
	Before, After int
}

// Difference returns the difference if the values are long lists; nil otherwise.
func (c Change) Difference() *Difference {
	was, is := c.Before.Values, c.After.Values
	if len(was) == 0 || max(len(was), len(is)) <= MaxListed || c.Before.Unknown || c.After.Unknown {
		return nil
	}
	return &Difference{Value{Values: sets.Without(was, is)}, Value{Values: sets.Without(is, was)}, len(was), len(is)}
}

// key is an equal text for equal changes.
func (c Change) key() string {
	return fmt.Sprintf("%q %t %t %q %t %t", c.Before.Values, c.Before.Values == nil, c.Before.Unknown, c.After.Values, c.After.Values == nil, c.After.Unknown)
}

// String writes a value for people; names in it are not escaped.
func (v Value) String() string {
	switch text := strings.Join(v.Values, ", "); {
	case v.Unknown && text == "":
		return "not known yet"
	case v.Unknown:
		return text + " and values not known yet"
	default:
		return text
	}
}

// Group is a user group in which something changes.
type Group struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	OldName string `json:"old_name,omitempty"`
	Action  Action `json:"action"`
	// Resources are the addresses of the resources that change it in the plan; with zulip_user_group_membership there can be several.
	Resources []string `json:"resources"`
	// Members are the direct members by address, Subgroups the direct subgroups, if the plan changes them.
	Members   Change `json:"members"`
	Subgroups Change `json:"subgroups"`
	// Joins and Leaves are the people added and removed, also through subgroups.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
	// Unknown is true if its members aren't known yet.
	Unknown     bool                `json:"unknown"`
	Permissions []*PermissionChange `json:"permissions"`
}

// Found is a finding of an audit.
type Found struct {
	Kind     string   `json:"kind"`
	Severity string   `json:"severity"`
	Where    []string `json:"where"`
	Text     string   `json:"text"`
	// IsNew is true if the earlier audit doesn't have it.
	IsNew bool `json:"is_new"`
}

// Also is a change of something other than a permission, or of a permission that is not computed.
type Also struct {
	// Resource is the address of the resource in the plan, or what was compared.
	Resource string `json:"resource"`
	Action   Action `json:"action"`
	// Attributes are those that differ; none for a created or destroyed object.
	Attributes []AlsoAttribute `json:"attributes"`
}

// AlsoAttribute is an attribute that differs.
type AlsoAttribute struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
}

// Person is an account that is created, changed or deactivated.
type Person struct {
	Account   *Account `json:"-"`
	AccountID int64    `json:"account"`
	Resources []string `json:"resources"`
	Action    Action   `json:"action"`
	// Role is the role in words: member, guest.
	Role Change `json:"role"`
	// Owner is a bot's owner by address; nil if that doesn't change.
	Owner *Change `json:"owner,omitempty"`
	// IsOwnedByGuest is true if the new owner is a guest.
	IsOwnedByGuest bool `json:"-"`
	// IsRisk is true if a risk says what happens to the account and its role.
	IsRisk bool `json:"-"`
	// LosesEverything is true if the account is deactivated, and so loses all access. No list of people who lose access has
	// it.
	LosesEverything bool `json:"loses_everything,omitempty"`
}
