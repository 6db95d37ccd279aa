// Package report holds what is to be said about who may do what in an organization, without any decision about how it
// looks: a [Report], which is the documented JSON form too. It knows nothing of plans. The package review makes one of a
// plan; the packages markdown and page write it for people.
//
// Who makes a report collects the people in it with [PeopleSets], and calls [Report.Assess] at the end, which finds the
// risks and sums up.
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

// Report is what changes in one organization. Lists are in the order in which they are to be read.
type Report struct {
	FormatVersion string `json:"format_version"`
	// Site is the address of the organization's server, Organization its name; both are empty if it was not asked.
	Site         string `json:"site"`
	Organization string `json:"organization"`
	// Since is with what earlier audit the organization was compared, in words; empty where the report is of a plan.
	Since string `json:"since,omitempty"`
	// Provider is the provider configuration whose resources are reviewed, as plans write it: zulip, zulip.staging.
	Provider string `json:"provider"`
	// Offline says that the organization was not asked: all that changes is in Also, and nobody knows who gains and who
	// loses.
	Offline bool    `json:"offline"`
	Summary Summary `json:"summary"`
	Risks   []Risk  `json:"risks"`
	// Rules are what was found of the rules that the review was given; none without rules.
	Rules []*Rule `json:"rules,omitempty"`
	// Channels are those in which something changes, named by the plan or not: a change of a group has effects in
	// channels too. Those with the same effects are beside one another.
	Channels []*Channel `json:"channels"`
	Groups   []*Group   `json:"groups"`
	// People are accounts that the plan creates, changes or deactivates.
	People []*Person `json:"people"`
	// Rights are the organization's own permissions, and settings of it that decide who has others:
	// waiting_period_threshold and enable_spectator_access.
	Rights []*Right `json:"permissions"`
	// Unknown says in sentences what the plan does not know yet, beside what is marked as such above.
	Unknown []string `json:"unknown"`
	// Also are the changes that are in none of the lists above: with the risks they name everything that the plan changes.
	Also []*Also `json:"also"`
	// Found are the findings of the later of two audits, the new ones first; a plan has none.
	Found []Found `json:"findings,omitempty"`
	// Others counts the changes of other providers.
	Others int `json:"others"`
	// Accounts are all who are named above, ascending by ID.
	Accounts []*Account `json:"accounts"`
}

// IncompleteText is the first line of a comparison of which an audit does not have everything.
const IncompleteText = "This comparison is incomplete because one of the audits is."

// Action is what happens to something.
type Action string

// What a plan does.
const (
	// Affects is for what the plan does not change itself: it changes by a group, a role or a permission elsewhere.
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
	// Addresses are the resources of the plan that change it; empty if it is only affected.
	Addresses []string `json:"resources"`
	// Privacy is what kind of channel it is, in words.
	Privacy Change   `json:"privacy"`
	Rights  []*Right `json:"permissions"`
	// Joins and Leaves are who is put into the channel and taken out of it.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
}

// isPrivate reports whether a value is the privacy of a private channel.
func isPrivate(privacy Value) bool {
	return len(privacy.Texts) == 1 && (privacy.Texts[0] == PrivacyText(zulip.PrivacyPrivateSharedHistory) || privacy.Texts[0] == PrivacyText(zulip.PrivacyPrivateProtectedHistory))
}

// isOpened reports whether a private channel becomes one that is not.
func (c *Channel) isOpened() bool {
	return isPrivate(c.Privacy.Before) && len(c.Privacy.After.Texts) == 1 && !isPrivate(c.Privacy.After)
}

// gainOf are who gains one right in the channel.
func (c *Channel) gainOf(right permission.Right) *People {
	for _, one := range c.Rights {
		if one.Name == string(right) {
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

// where is a thing of a kind in a risk.
func where(kind, name, oldName string) string {
	if oldName != "" {
		oldName = fmt.Sprintf("%q", oldName)
	}
	return kind + " " + called(fmt.Sprintf("%q", name), oldName)
}

// Right is something that can be done: who is allowed to, and who can really do it.
type Right struct {
	// Name is the permission, as attributes are called; can_read for reading, which no permission decides alone.
	Name string `json:"name"`
	// Text says what it permits, to follow "can": post.
	Text string `json:"text"`
	// Change is the value of the permission in words. Where it does not differ, somebody gains or loses by something
	// else that the plan changes.
	Change Change `json:"change"`
	// FollowsFrom is what changes who can, in words, where the value does not differ.
	FollowsFrom string `json:"follows_from,omitempty"`
	// Gain and Lose are the people who really can after the plan only, and before only. They are empty, not nil.
	Gain *People `json:"gain"`
	Lose *People `json:"lose"`
	// Internet says what those outside the organization do: gain, lose, or empty.
	Internet string `json:"internet,omitempty"`
	// NoOneLeft says that somebody could before, and nobody can after.
	NoOneLeft bool `json:"no_one_left"`
	// Unknown says that it cannot be told who gains and who loses; Why says what it depends on.
	Unknown bool   `json:"unknown"`
	Why     string `json:"why,omitempty"`
	// LocksOut says that the account the provider uses loses by it what it needs.
	LocksOut bool `json:"-"`
}

// What [Right.Internet] says.
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
	// Texts are principals (role:members, group:sre, user:a@example.com) or other words; nil if there is no value,
	// as before something is created.
	Texts []string `json:"values"`
	// Unknown says that the plan does not know the value yet, or not all of it.
	Unknown bool `json:"unknown"`
}

// ValueOf is a value of one text.
func ValueOf(text string) Value { return Value{Texts: []string{text}} }

// IsNone reports whether there is no value, as before something is created.
func (v Value) IsNone() bool { return v.Texts == nil && !v.Unknown }

// Differs reports whether a change is one, for certain or not.
func (c Change) Differs() bool {
	return c.Before.Unknown || c.After.Unknown || !slices.Equal(c.Before.Texts, c.After.Texts)
}

// key is the same text for the same change.
func (c Change) key() string {
	return fmt.Sprintf("%q %t %t %q %t %t", c.Before.Texts, c.Before.Texts == nil, c.Before.Unknown, c.After.Texts, c.After.Texts == nil, c.After.Unknown)
}

// String writes a value for people; names in it are not escaped.
func (v Value) String() string {
	switch text := strings.Join(v.Texts, ", "); {
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
	// Addresses are the resources of the plan that change it; with zulip_user_group_membership there can be several.
	Addresses []string `json:"resources"`
	// Members are the people directly in it, by their address, Subgroups the groups; only where the plan changes them.
	Members   Change `json:"members"`
	Subgroups Change `json:"subgroups"`
	// Joins and Leaves are who comes to be in it and no longer is, however deep.
	Joins  *People `json:"joins"`
	Leaves *People `json:"leaves"`
	// Unknown says that it is not known yet who will be in it.
	Unknown bool     `json:"unknown"`
	Rights  []*Right `json:"permissions"`
}

// Found is a finding of an audit.
type Found struct {
	Kind     string   `json:"kind"`
	Severity string   `json:"severity"`
	Where    []string `json:"where"`
	Text     string   `json:"text"`
	// IsNew says that the earlier audit does not have it.
	IsNew bool `json:"is_new"`
}

// Also is a change that is no right, or not one that is computed.
type Also struct {
	// Address is the resource of the plan, or what was compared.
	Address string `json:"resource"`
	Action  Action `json:"action"`
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
	Addresses []string `json:"resources"`
	Action    Action   `json:"action"`
	// Role is the role in words: member, guest.
	Role Change `json:"role"`
	// Owner is who owns a bot, by address; nil unless that changes.
	Owner *Change `json:"owner,omitempty"`
	// IsOwnedByGuest is true if the new owner is a guest.
	IsOwnedByGuest bool `json:"-"`
	// LosesEverything says that the account is deactivated, and loses every right it has, in every channel, over every user
	// group and in the organization. It is not among those who lose these rights one by one.
	LosesEverything bool `json:"loses_everything,omitempty"`
}
