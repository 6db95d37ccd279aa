// Package rules checks rules about an organization: "nobody outside the group board reads #board", "at least two owners". A
// [File] has the rules as people write them; [File.Check] returns the result of each, from the effective access that the package
// permission computes.
//
// A rule passes only if everything that it depends on is known. Otherwise it fails or is unknown.
package rules

import (
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// File is a file of rules.
type File struct {
	Rules  []*Rule
	Limits []*Limit

	path string
}

// Rule is one rule. It is about what someone can do in channels, over user groups or in the organization, about who has a role, or
// about how people come to join.
type Rule struct {
	Name string
	// Line is its line in the file.
	Line int
	// Channels and Groups select things, as a configuration names them; both are empty where the rule is about the organization.
	Channels, Groups []string
	// Permissions are by the names of attributes, and can_read, can_read_history, [Subscribed] and [Member].
	Permissions []string
	Roles       []zulip.Role
	// OnlyInvited is true if people must be invited to join, and not as moderator or higher.
	OnlyInvited bool
	// Only are all who may, Never those who must not; nil: not asked. A bot counts like a person.
	Only, Never []permission.Principal
	// OnlyInternet says that Only names those without an account too, NeverInternet that Never does.
	OnlyInternet, NeverInternet bool
	// AtLeast and AtMost are how many people can; bots do not count for the first. Zero: not asked, for AtMost [noLimit].
	AtLeast, AtMost int
	Exceptions      []*Exception
}

// Exception leaves people out of a rule.
type Exception struct {
	People []permission.Principal
	Reason string
	// Until is the first day on which it no longer counts, as 2027-06-30; empty: it always does.
	Until string

	ends time.Time
	line int
}

// Limit is the largest number of people that one apply can remove from channels, user groups or the organization.
type Limit struct {
	Name string
	Line int
	// People is the largest number, Percent the largest share of all active people; [noLimit]: not limited by it.
	People, Percent int
}

// noLimit is the maximum that is none.
const noLimit = -1

// The values of permission in a rule that are not permissions.
const (
	// Subscribed means being subscribed to a channel.
	Subscribed = "subscribed"
	// Member means being in a user group, also through subgroups.
	Member = "member"
)

// The subjects of a violation that are not permissions.
const (
	roleSubject    = "role"
	joiningSubject = "joining"
)

// internet is how rules name those who have no account.
const internet = "internet"

// guests is how rules name those whose role is guest. The server has no group of them.
var guests = permission.Principal{Kind: permission.KindRole, Name: "guests"}

// Result is the result of one rule.
type Result struct {
	Rule *Rule
	// Status is [report.RulePasses], [report.RuleFails] or [report.RuleUnknown].
	Status string
	// Violations are the reasons why it fails.
	Violations []*Violation
	// Unknowns are sentences about unknown values that it depends on, also if it fails anyway.
	Unknowns []string
	// Notes are other sentences about it: that it selects nothing, or that an exception has ended.
	Notes []string
}

// Violation is one violation of a rule.
type Violation struct {
	// Channel and Group are what it is about; nil where it is about the organization.
	Channel *access.Channel
	Group   *access.Group
	// Where names the object in words: #board, user group "sre", the organization.
	Where string
	// Text is what they can do, to follow "can", as "read"; or what they are, as "owner" or "in it".
	Text string
	// People are those who must not, or all who can where they are too many or too few.
	People permission.People
	// Internet is true if anyone on the internet is among them.
	Internet bool
	// Need is how many there must be, or may be, where it is about how many.
	Need                int
	isTooFew, isTooMany bool
	// permission is by name.
	permission string
}
