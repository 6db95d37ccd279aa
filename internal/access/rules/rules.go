// Package rules proves sentences about an organization: "nobody outside the group board reads #board", "at least two owners". A
// [File] has them, as people write them; [File.Check] says of each whether it holds, from who can really do what by the rules of
// the package permission.
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

// Rule is one rule. It is about what somebody can do in channels, over user groups or in the organization, about who has a role, or
// about how people come to join.
type Rule struct {
	Name string
	// Line is where it stands.
	Line int
	// Channels and Groups select things, as a configuration names them; both are empty where the rule is about the organization.
	Channels, Groups []string
	// Rights are by the names of attributes, and can_read, can_read_history, [Subscribed] and [Member].
	Rights []string
	Roles  []zulip.Role
	// OnlyInvited says that nobody joins without an invitation, and nobody by one as moderator or above.
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

// Limit is how many people one apply may take out of channels, user groups or the organization.
type Limit struct {
	Name string
	Line int
	// People is the largest number, Percent the largest share of all active people; [noLimit]: not limited by it.
	People, Percent int
}

// noLimit is the maximum that is none.
const noLimit = -1

// Rights that are no permission.
const (
	// Subscribed is to be in a channel.
	Subscribed = "subscribed"
	// Member is to be in a user group, however deep.
	Member = "member"
)

// The subjects of a violation that are no permission.
const (
	roleRight    = "role"
	joiningRight = "joining"
)

// internet is how rules name those who have no account.
const internet = "internet"

// guests is how rules name those whose role is guest. The server has no group of them.
var guests = permission.Principal{Kind: permission.KindRole, Name: "guests"}

// Result is what was found of one rule.
type Result struct {
	Rule *Rule
	// Status is [report.RulePasses], [report.RuleFails] or [report.RuleUnknown].
	Status string
	// Violations are what it fails about.
	Violations []*Violation
	// Unknowns say in sentences what is not known that it depends on, also where it fails anyway.
	Unknowns []string
	// Notes say in sentences what is to know of it: that it is about nothing, or that an exception has ended.
	Notes []string
}

// Violation is one thing about which a rule fails.
type Violation struct {
	// Channel and Group are what it is about; nil where it is about the organization.
	Channel *access.Channel
	Group   *access.Group
	// Where is the same in words: #board, user group "sre", the organization.
	Where string
	// Text is what they can do, to follow "can", as "read"; or what they are, as "owner" or "in it".
	Text string
	// People are those who must not, or all who can where they are too many or too few.
	People permission.People
	// Internet says that anyone on the internet is among them.
	Internet bool
	// Need is how many there must be, or may be, where it is about how many.
	Need                int
	isTooFew, isTooMany bool
	// right is by name.
	right string
}
