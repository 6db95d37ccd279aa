// Package rules checks rules about an organization: "nobody outside the group board reads #board", "at least two owners".
//
// A [File] has the rules as people write them. [File.Check] returns the result of each rule, from the effective access that
// the package permission computes.
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

// Rule is one rule. It is about effective access to channels, user groups or the organization, about people with a role, or
// about joining.
type Rule struct {
	Name string
	// Line is its line in the file.
	Line int
	// Channels and Groups select objects, as a configuration names them. Both are empty if the rule is about the
	// organization.
	Channels, Groups []string
	// Permissions are names of attributes, and can_read, can_read_history, [Subscribed] and [Member].
	Permissions []string
	Roles       []zulip.Role
	// OnlyInvited is true if people must be invited to join, and not as moderator or higher.
	OnlyInvited bool
	// Only are the people allowed, Never the people not allowed; nil if not set. A bot counts like a person.
	Only, Never []permission.Principal
	// OnlyInternet is true if Only includes people without an account, NeverInternet if Never does.
	OnlyInternet, NeverInternet bool
	// AtLeast and AtMost are the bounds of the number of people. Bots do not count for AtLeast. Without a bound, AtLeast is
	// zero and AtMost is [noLimit].
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
	// People is the maximum number, Percent the maximum share of all active people. [noLimit] is no maximum.
	People, Percent int
}

// noLimit is the value without a maximum.
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

// internet is the name of people without an account in rules.
const internet = "internet"

// guests is the name of people with the role guest in rules. The server has no group of them.
var guests = permission.Principal{Kind: permission.KindRole, Name: "guests"}

// Result is the result of one rule.
type Result struct {
	Rule *Rule
	// Status is [report.RulePasses], [report.RuleFails] or [report.RuleUnknown].
	Status string
	// first is the status in the first of several outcomes.
	first string
	// Violations are the reasons why it fails.
	Violations []*Violation
	// Unknowns are sentences about unknown values that the result depends on, also if the rule fails anyway.
	Unknowns []string
	// Notes are other sentences: that it selects nothing, or that an exception has ended.
	Notes []string
}

// Violation is one violation of a rule.
type Violation struct {
	// Channel and Group are the object; nil if it is the organization.
	Channel *access.Channel
	Group   *access.Group
	// Where names the object in words: #board, user group "sre", the organization.
	Where string
	// Text is what the people can do, to follow "can", such as "read"; or what they are, such as "owner" or "in it".
	Text string
	// People are the people who are not allowed, or all people with access if they are too many or too few.
	People permission.People
	// Internet is true if anyone on the internet is among them.
	Internet bool
	// Need is the required or allowed number of people in a violation about their number.
	Need                int
	IsTooFew, isTooMany bool
	// Permission is the name of the permission, or another subject.
	Permission string
}
