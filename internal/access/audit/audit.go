// Package audit says who can do what in an organization today, without any plan.
//
// [Make] reads the organization and returns an [Audit], which is the documented JSON form too: each channel, user group and
// permission of the organization with the people who can really use it, by the rules of the package permission, and what a
// person should look at as [Finding]s. [Read] reads the JSON form back, and [Compare] says what changed between two audits,
// as a report of an access review. The package markdown writes an audit for people.
package audit

import (
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Audit is the access in one organization. Lists are in reading order.
type Audit struct {
	FormatVersion string `json:"format_version"`
	// Site is the address of the organization's server, Organization its name.
	Site         string    `json:"site"`
	Organization string    `json:"organization"`
	When         time.Time `json:"when"`
	// AccountID is the account that audits.
	AccountID int64 `json:"account"`
	// Complete says that the account sees everything; Missing says in sentences what it does not see.
	Complete bool     `json:"complete"`
	Missing  []string `json:"missing"`
	// Selection says of what part the audit is; nil: of everything.
	Selection *Selection `json:"selection,omitempty"`
	// Rules are what was found of the rules that the audit was given; none without rules.
	Rules []*report.Rule `json:"rules,omitempty"`
	// Findings are those that are not accepted, and then those that are.
	Findings []*Finding `json:"findings"`
	// Warnings say in sentences what accepts findings that are not there.
	Warnings []string `json:"warnings,omitempty"`
	// Person is what one person can do, if that was asked for. Channels, Groups and Permissions are empty then.
	Person *Person `json:"person,omitempty"`
	// Channels are the channels that are not archived, by name; Archived counts the others.
	Channels []*Channel `json:"channels"`
	Archived int        `json:"archived_channels"`
	// ArchivedIDs are those of the archived channels, DeactivatedIDs those of the deactivated accounts: an audit that is
	// compared with this one tells by them what is back from what is new.
	ArchivedIDs    []int64 `json:"archived_ids,omitempty"`
	DeactivatedIDs []int64 `json:"deactivated_ids,omitempty"`
	// Groups are the user groups that are not deactivated, by name; roles are not among them.
	Groups []*Group `json:"groups"`
	// Permissions are the organization's own permissions.
	Permissions []*Permission `json:"permissions"`
	// Things are the objects that affect access apart from permissions; nil in an audit of a part.
	Things []*Thing `json:"things,omitempty"`
	// Accounts are the active people and bots, those first who are surprised most: the account that audits, guests, bots, then
	// people by role; and then the deactivated ones that a finding is about. In this order most sets are a few ranges.
	Accounts []*Account `json:"accounts"`
	// Sets are the sets of people that channels, groups, permissions and findings refer to by index; each set is in it once. The JSON
	// form has them as [writtenSet].
	Sets []*report.People `json:"sets"`
}

// Selection is what an audit was narrowed to.
type Selection struct {
	Person   string   `json:"person,omitempty"`
	Channels []string `json:"channels,omitempty"`
	Guests   bool     `json:"guests,omitempty"`
	Bots     bool     `json:"bots,omitempty"`
}

// Account is a person or a bot.
type Account struct {
	*report.Account

	IsActive bool `json:"is_active"`
	// OwnerID is the owner of a bot; zero if there is none.
	OwnerID int64 `json:"owner,omitempty"`
}

// Permission is a permission and the people with effective access.
type Permission struct {
	// Name is the permission, as attributes are called; can_read for reading, which no permission decides alone.
	Name string `json:"name"`
	// Text says what it permits, to follow "can": post.
	Text string `json:"text"`
	// Value is the permission as principals: role:members, group:sre. It is empty for can_read.
	Value []string `json:"value"`
	// People is the index of those who can among [Audit.Sets].
	People int `json:"people"`
	// Unknown says that others may be able to as well: it depends on something that the account does not see.
	Unknown bool `json:"unknown,omitempty"`
}

// Channel is a channel and who can do what in it.
type Channel struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
	// Privacy is what kind of channel it is, as the attribute privacy has it.
	Privacy zulip.Privacy `json:"privacy"`
	// Internet says that anyone on the internet can read it, without an account.
	Internet bool `json:"internet"`
	// Subscribers is the index of those who are in it among [Audit.Sets]; nil if the account does not see them.
	Subscribers *int          `json:"subscribers"`
	Permissions []*Permission `json:"permissions"`
}

// Group is a user group, who is in it and who has which permission over it.
type Group struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// People is the index of those who are in it, directly or through subgroups, among [Audit.Sets].
	People int `json:"people"`
	// Members are the IDs of those who are directly in it, Subgroups the names of the groups directly in it.
	Members     []int64       `json:"members"`
	Subgroups   []string      `json:"subgroups"`
	Permissions []*Permission `json:"permissions"`
}

// Person is everything that one person can do.
type Person struct {
	AccountID int64 `json:"account"`
	// Groups are the user groups that the person is in, each with the path: group:leads > group:sre.
	Groups []Membership `json:"groups"`
	// Scopes are what the person can do something in: channels, user groups, the organization.
	Scopes []*Scope `json:"scopes"`
}

// Membership is a person's membership in a group, with the groups it comes through.
type Membership struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Scope is a channel, a user group or the organization, with the access of one person.
type Scope struct {
	// Kind is channel, user group or organization. Name is empty for the organization.
	Kind        string             `json:"kind"`
	ID          int64              `json:"id,omitempty"`
	Name        string             `json:"name,omitempty"`
	Permissions []PersonPermission `json:"permissions"`
}

// PersonPermission is one permission of one person.
type PersonPermission struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Through says in words why the person has it: a principal of the permission ("group:leads > group:sre"),
	// another permission with one ("can_administer_channel_group: user:ada@example.com"), or "subscriber".
	Through []string `json:"through"`
}
