// Package audit says who can do what in an organization today, without any plan.
//
// [Make] reads the organization and returns an [Audit], which is also the documented JSON form. It lists each channel,
// user group and permission of the organization with the people who have effective access. The package permission
// computes these. It also lists [Finding]s: what a person should look at.
//
// [Read] reads the JSON form back. [Compare] returns the changes between two audits, as a report of an access review.
// The package markdown writes an audit for people.
package audit

import (
	"strings"
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
	// Selection is the part of the organization that the audit is about; nil for all of it.
	Selection *Selection `json:"selection,omitempty"`
	// Rules are the results of the rules that the audit was given; none without rules.
	Rules []*report.Rule `json:"rules,omitempty"`
	// Findings are first those that are not accepted, then those that are.
	Findings []*Finding `json:"findings"`
	// Warnings are sentences about entries that accept findings which do not exist.
	Warnings []string `json:"warnings,omitempty"`
	// Person is what one person can do, if that was asked for. Channels, Groups and Permissions are empty then.
	Person *Person `json:"person,omitempty"`
	// Channels are the channels that are not archived, by name; Archived counts the others.
	Channels []*Channel `json:"channels"`
	Archived int        `json:"archived_channels"`
	// ArchivedIDs are the IDs of archived channels, DeactivatedIDs those of deactivated accounts. A later audit uses
	// them to tell reactivated objects from new ones.
	ArchivedIDs    []int64 `json:"archived_ids,omitempty"`
	DeactivatedIDs []int64 `json:"deactivated_ids,omitempty"`
	// Groups are the user groups that are not deactivated, by name; roles are not among them.
	Groups []*Group `json:"groups"`
	// Permissions are the organization's own permissions.
	Permissions []*EffectivePermission `json:"permissions"`
	// Things are the objects that affect access apart from permissions; nil in an audit of a part.
	Things []*Thing `json:"things,omitempty"`
	// Accounts are the active people and bots, in the order of surprise: the account that audits, guests, bots, then
	// people by role. The deactivated accounts of findings come last. In this order most sets are a few ranges.
	Accounts []*Account `json:"accounts"`
	// Sets are the sets of people that channels, groups, permissions and findings refer to by index. Each set occurs
	// once. The JSON form has them as [writtenSet].
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

// EffectivePermission is a permission and the people with effective access.
type EffectivePermission struct {
	// Name is the permission, as attributes are called; can_read for reading, which no permission decides alone.
	Name string `json:"name"`
	// Text says what it permits, to follow "can": post.
	Text string `json:"text"`
	// Value is the permission as principals: role:members, group:sre. It is empty for can_read.
	Value []string `json:"value"`
	// People is the index in [Audit.Sets] of the people with effective access.
	People int `json:"people"`
	// Unknown is true if others may have effective access too, because it depends on something that the account does
	// not see.
	Unknown bool `json:"unknown,omitempty"`
}

// Channel is a channel and who can do what in it.
type Channel struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
	// Privacy is the privacy as the attribute privacy has it.
	Privacy zulip.Privacy `json:"privacy"`
	// Internet is true if anyone on the internet can read it, without an account.
	Internet bool `json:"internet"`
	// Subscribers is the index in [Audit.Sets] of the subscribers; nil if the account does not see them.
	Subscribers *int                   `json:"subscribers"`
	Permissions []*EffectivePermission `json:"permissions"`
}

// Group is a user group, its members, and the people with effective access by its permissions.
type Group struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// People is the index in [Audit.Sets] of the members, direct or through subgroups.
	People int `json:"people"`
	// Members are the IDs of the direct members, Subgroups the names of the direct subgroups.
	Members     []int64                `json:"members"`
	Subgroups   []string               `json:"subgroups"`
	Permissions []*EffectivePermission `json:"permissions"`
}

// Person is everything that one person can do.
type Person struct {
	AccountID int64 `json:"account"`
	// Groups are the user groups that the person is in, each with the path: group:leads > group:sre.
	Groups []Membership `json:"groups"`
	// Scopes are the channels, user groups and the organization in which the person can do something.
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

// PersonPermission is one permission by which a person has effective access.
type PersonPermission struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Through is the source of the access: a principal of the permission ("group:leads > group:sre"), another
	// permission with one ("can_administer_channel_group: user:ada@example.com"), or "subscriber".
	Through []string `json:"through"`
}

// About says what was audited, when and by which account. name writes a name, and quote one that can have any character.
func (a *Audit) About(name, quote func(string) string) []string {
	parts := []string{name(a.Site), a.When.UTC().Format("2006-01-02 15:04 MST")}
	if self := a.Self(); self != nil {
		parts = append(parts, "as "+name(self.Email))
	}
	if s := a.Selection; s != nil {
		var only []string
		for _, channel := range s.Channels {
			only = append(only, "channel "+quote(channel))
		}
		if s.Guests {
			only = append(only, "guests")
		}
		if s.Bots {
			only = append(only, "bots")
		}
		if s.Person != "" {
			only = append(only, name(s.Person))
		}
		parts = append(parts, "only "+strings.Join(only, ", "))
	}
	return parts
}
