// Package report holds the content of a report about access in an organization, independent of its presentation: a [Report], which is the documented JSON form too. It knows nothing of plans. The package review makes one of a
// plan; the packages markdown and page write it for people.
//
// To make a report, collect its people with [PeopleSets], and call [Report.Assess] at the end, which finds the risks and
// writes the summary.
package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// FormatVersion is that of the JSON form. The first number changes when a reader of the old form could be misled by the
// new one; fields that are added do not change it.
const FormatVersion = "1.0"

// Report is the changes in one organization. Lists are in reading order.
type Report struct {
	FormatVersion string `json:"format_version"`
	// Site is the organization's URL, Organization its name; both are empty if it wasn't read.
	Site         string `json:"site"`
	Organization string `json:"organization"`
	// Since is with what earlier audit the organization was compared, in words; empty where the report is of a plan.
	Since string `json:"since,omitempty"`
	// Provider is the provider configuration whose resources are reviewed, as plans write it: zulip, zulip.staging.
	Provider string `json:"provider"`
	// Offline is true if the organization wasn't read: all changes are in Also, and it isn't known who gains or loses access.
	Offline bool    `json:"offline"`
	Summary Summary `json:"summary"`
	Risks   []Risk  `json:"risks"`
	// Rules are what was found of the rules that the review was given; none without rules.
	Rules []*Rule `json:"rules,omitempty"`
	// Channels are those in which something changes, named by the plan or not: a change of a group has effects in
	// channels too. Channels with the same effects are adjacent.
	Channels []*Channel `json:"channels"`
	Groups   []*Group   `json:"groups"`
	// People are accounts that the plan creates, changes or deactivates.
	People []*Person `json:"people"`
	// Permissions are the organization's own permissions, and settings of it that decide who has others:
	// waiting_period_threshold and enable_spectator_access.
	Permissions []*Permission `json:"permissions"`
	// Unknown are sentences about values not known yet, in addition to the marks above.
	Unknown []string `json:"unknown"`
	// Also are the changes that are in none of the lists above: with the risks they name everything that the plan changes.
	Also []*Also `json:"also"`
	// Found are the findings of the later of two audits, the new ones first; a plan has none.
	Found []Found `json:"findings,omitempty"`
	// Others counts the changes of other providers.
	Others int `json:"others"`
	// Accounts are all accounts named above, ascending by ID.
	Accounts []*Account `json:"accounts"`
}

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
	// Replace is to destroy it and create another one in its place.
	Replace Action = "replace"
	// Archive ends a channel, Deactivate a user group or an account. Zulip deletes neither.
	Archive    Action = "archive"
	Deactivate Action = "deactivate"
	// Delete deletes what Zulip keeps nothing of.
	Delete Action = "delete"
	// Reactivate reactivates what was archived or deactivated.
	Reactivate Action = "reactivate"
	// Release leaves it as it is, no longer managed.
	Release Action = "release"
	// Invoke invokes an action of the provider.
	Invoke Action = "invoke"
)

// Adjective is what something is after the action; empty for [Affects].
func (a Action) Adjective() string {
	return map[Action]string{
		Affects: "", Create: "new", Update: "changed", Replace: "replaced", Archive: "archived",
		Deactivate: "deactivated", Delete: "deleted", Reactivate: "reactivated", Release: "no longer managed", Invoke: "invoked",
	}[a]
}

// Channel is a channel in which something changes.
type Channel struct {
	// ID is zero for one that is yet to be created.
	ID int64 `json:"id"`
	// Name is what it is called after the plan, OldName before it if that is another name.
	Name    string `json:"name"`
	OldName string `json:"old_name,omitempty"`
	Action  Action `json:"action"`
	// Resources are the addresses of the resources that change it in the plan; empty if it is only affected.
	Resources []string `json:"resources"`
	// Privacy is what kind of channel it is, in words.
	Privacy     Change        `json:"privacy"`
	Permissions []*Permission `json:"permissions"`
	// Joins and Leaves are the people subscribed and unsubscribed.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
}

// isPrivate reports whether a value is the privacy of a private channel.
func isPrivate(privacy Value) bool {
	return len(privacy.Values) == 1 && (privacy.Values[0] == PrivacyText(zulip.PrivacyPrivateSharedHistory) || privacy.Values[0] == PrivacyText(zulip.PrivacyPrivateProtectedHistory))
}

// isOpened reports whether a private channel becomes one that is not.
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

// called is what people call something, with the name that it had before if that is another one.
func called(name, oldName string) string {
	if oldName == "" {
		return name
	}
	return name + " (was " + oldName + ")"
}

// hash is the channel in a sentence.
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

// Permission is a permission: its value, and the people with effective access.
type Permission struct {
	// Name is the permission, as attributes are called; can_read for reading, which no permission decides alone.
	Name string `json:"name"`
	// Text says what it permits, to follow "can": post.
	Text string `json:"text"`
	// Change is the value of the permission in words. If it doesn't differ, another change of the plan has the effect.
	Change Change `json:"change"`
	// FollowsFrom is the cause of the effect in words if the value doesn't differ.
	FollowsFrom string `json:"follows_from,omitempty"`
	// Gain and Lose are the people with effective access only after, or only before the plan. They are empty, not nil.
	Gain *People `json:"gain"`
	Lose *People `json:"lose"`
	// Internet says what those outside the organization do: gain, lose, or empty.
	Internet string `json:"internet,omitempty"`
	// NoOneLeft is true if someone could before, and no one can after.
	NoOneLeft bool `json:"no_one_left"`
	// Unknown is true if it isn't known who gains and loses. Why is the reason.
	Unknown bool   `json:"unknown"`
	Why     string `json:"why,omitempty"`
	// LocksOut is true if the provider's account loses access that it needs.
	LocksOut bool `json:"-"`
}

// The values of [Permission.Internet].
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

// ValueOf is a value of one text.
func ValueOf(text string) Value { return Value{Values: []string{text}} }

// IsNone reports whether there is no value, as before something is created.
func (v Value) IsNone() bool { return v.Values == nil && !v.Unknown }

// Differs reports whether a change is one, for certain or not.
func (c Change) Differs() bool {
	return c.Before.Unknown || c.After.Unknown || !slices.Equal(c.Before.Values, c.After.Values)
}

// key is the same text for the same change.
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
	// Members are the people directly in it, by their address, Subgroups the groups; only where the plan changes them.
	Members   Change `json:"members"`
	Subgroups Change `json:"subgroups"`
	// Joins and Leaves are the people added and removed, also through subgroups.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
	// Unknown is true if its members aren't known yet.
	Unknown     bool          `json:"unknown"`
	Permissions []*Permission `json:"permissions"`
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
	// Attributes are those that differ; none for something that is made or ends.
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
	// Owner is who owns a bot, by address; nil unless that changes.
	Owner *Change `json:"owner,omitempty"`
	// IsOwnedByGuest is true if the new owner is a guest.
	IsOwnedByGuest bool `json:"-"`
	// LosesEverything says that the account is deactivated, and loses every permission it has, in every channel, over every user
	// group and in the organization. It is not among those who lose these permissions one by one.
	LosesEverything bool `json:"loses_everything,omitempty"`
}
