package permission

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Organization looks up the groups and users of an organization for [Resolve] and [Format]. Names of groups are
// case-sensitive, unlike emails.
type Organization interface {
	UserGroup(id int64) (*zulip.UserGroup, bool)
	UserGroupByName(name string) (*zulip.UserGroup, bool)
	User(id int64) (*zulip.User, bool)
	UserByAddress(address string) (*zulip.User, bool)
	// IsPlanned reports whether this run creates or renames an object that the principal will name. A user that this
	// run reactivates is planned under its ID.
	IsPlanned(principal Principal) bool
	// Reassigned returns the group or user that a principal names now, if this run takes the name from it.
	Reassigned(principal Principal) (id int64, ok bool)
	// HiddenUser returns the person who has an email in this run and hides it, as far as their resource is planned.
	HiddenUser(address string) (*zulip.User, bool)
	// Nearest returns existing principals of the same kind with a similar text, the most
	// similar first.
	Nearest(principal Principal) []Principal
}

// Resolution is the result of [Resolve].
type Resolution struct {
	// Value is canonical. It is complete only when Planned is empty.
	Value zulip.GroupSettingValue
	// Deactivated are the principals that name deactivated people and groups. They are
	// not in Value, because the server refuses them
	// (https://zulip.com/api/group-setting-values).
	Deactivated []Principal
	// LeftOut holds the IDs of Deactivated.
	LeftOut zulip.GroupSettingValue
	// Planned are the principals that this run will create or reactivate.
	Planned []Principal
}

// Problem is a principal that cannot be used, with the reason and the next step.
type Problem struct {
	Principal Principal
	Summary   string
	Detail    string
}

// For returns the problem for one setting: for an unknown role, the detail lists the roles that this setting can have.
func (p Problem) For(setting string, supported zulip.SupportedPermission, org Organization) Problem {
	if p.Principal.Kind != KindRole {
		return p
	}
	return unknownRole(p.Principal, "The roles that "+setting+" takes", allowedRoles(supported), org)
}

// NobodyID returns the ID of the group role:nobody, which represents the empty value.
func NobodyID(org Organization) int64 {
	if group, ok := org.UserGroupByName(Nobody.WireName()); ok {
		return group.ID
	}
	return 0
}

// Resolve returns the value of principals. Every principal that cannot be used is a problem; the value is then
// incomplete.
func Resolve(principals []Principal, org Organization) (Resolution, []Problem) {
	var (
		result   Resolution
		problems []Problem
	)
	for _, principal := range principals {
		group, user := lookUp(principal, org)
		reassigned, isReassigned := org.Reassigned(principal)
		switch {
		case isReassigned:
			problems = append(problems, reassignedPrincipal(principal, reassigned))
		case group != nil && group.Deactivated:
			result.Deactivated = append(result.Deactivated, principal)
			result.LeftOut.DirectSubgroups = append(result.LeftOut.DirectSubgroups, group.ID)
		case group != nil:
			result.Value.DirectSubgroups = append(result.Value.DirectSubgroups, group.ID)
		case user != nil && user.IsActive:
			result.Value.DirectMembers = append(result.Value.DirectMembers, user.ID)
		case user != nil && !org.IsPlanned(Principal{Kind: KindUserID, ID: user.ID}):
			result.Deactivated = append(result.Deactivated, principal)
			result.LeftOut.DirectMembers = append(result.LeftOut.DirectMembers, user.ID)
		case user != nil:
			result.Planned = append(result.Planned, principal)
		case org.IsPlanned(principal):
			result.Planned = append(result.Planned, principal)
		default:
			problems = append(problems, unknownPrincipal(principal, org))
		}
	}
	nobody := NobodyID(org)
	if len(result.Value.DirectSubgroups) > 1 || len(result.Value.DirectMembers) > 0 {
		// role:nobody adds nothing to other principals.
		result.Value.DirectSubgroups = slices.DeleteFunc(result.Value.DirectSubgroups,
			func(id int64) bool { return id == nobody })
	}
	result.Value = Canonical(result.Value, nobody)
	return result, problems
}

// Format returns the principals of a value, sorted by text. A principal has the name that the organization knows, or
// the ID otherwise, so that nothing is lost. A principal in preferred for the same group or user keeps its form.
func Format(value zulip.GroupSettingValue, org Organization, preferred []Principal) []Principal {
	nobody := NobodyID(org)
	groups, users := map[int64]Principal{}, map[int64]Principal{}
	for _, principal := range preferred {
		if group, user := lookUp(principal, org); group != nil {
			groups[group.ID] = principal
		} else if user != nil {
			users[user.ID] = principal
		}
	}
	value = Canonical(value, nobody)
	if value.IsNamed() {
		value = zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
	}
	var principals []Principal
	for _, id := range value.DirectSubgroups {
		principals = append(principals, groupPrincipal(id, org, groups))
	}
	for _, id := range value.DirectMembers {
		principals = append(principals, userPrincipal(id, org, users))
	}
	slices.SortFunc(principals, func(a, b Principal) int { return strings.Compare(a.String(), b.String()) })
	return principals
}

// Texts returns a value as principals, sorted.
func Texts(value zulip.GroupSettingValue, org Organization) []string {
	return lists.Map(Format(value, org, nil), Principal.String)
}

// Describe returns a value for a message: one principal quoted, several in brackets.
func Describe(value zulip.GroupSettingValue, org Organization) string {
	return DescribeTexts(Texts(value, org))
}

// DescribeTexts is [Describe] of the texts of principals.
func DescribeTexts(texts []string) string {
	quoted := lists.Map(texts, strconv.Quote)
	if len(quoted) == 1 {
		return quoted[0]
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// lookUp returns the group or the user that a principal names; both nil if there is none.
func lookUp(principal Principal, org Organization) (*zulip.UserGroup, *zulip.User) {
	switch principal.Kind {
	case KindRole, KindGroup:
		group, ok := org.UserGroupByName(principal.WireName())
		// A user group cannot have a role's name, and group: does not name roles.
		if ok && group.IsSystemGroup == (principal.Kind == KindRole) {
			return group, nil
		}
	case KindGroupID:
		group, _ := org.UserGroup(principal.ID)
		return group, nil
	case KindUser:
		user, _ := org.UserByAddress(principal.Name)
		return nil, user
	case KindUserID:
		user, _ := org.User(principal.ID)
		return nil, user
	}
	return nil, nil
}

func groupPrincipal(id int64, org Organization, preferred map[int64]Principal) Principal {
	if kept, ok := preferred[id]; ok {
		return kept
	}
	group, ok := org.UserGroup(id)
	if !ok {
		return Principal{Kind: KindGroupID, ID: id}
	}
	if group.IsSystemGroup {
		return Principal{Kind: KindRole, Name: strings.TrimPrefix(group.Name, prefixes[KindRole])}
	}
	return Principal{Kind: KindGroup, Name: group.Name}
}

func userPrincipal(id int64, org Organization, preferred map[int64]Principal) Principal {
	if kept, ok := preferred[id]; ok {
		return kept
	}
	if user, ok := org.User(id); ok {
		return Principal{Kind: KindUser, Name: user.Address()}
	}
	return Principal{Kind: KindUserID, ID: id}
}

// reassignedPrincipal is the problem of a principal whose name this run takes from a user or group.
func reassignedPrincipal(principal Principal, id int64) Problem {
	thing, kind, resource := "user", KindUserID, "zulip_user"
	if principal.Kind == KindGroup {
		thing, kind, resource = "user group", KindGroupID, "zulip_user_group"
	}
	instead := suggest.WriteID(thing, Principal{Kind: kind, ID: id}.String(), fmt.Sprintf(`"%s${%s.NAME.id}"`, prefixes[kind], resource))
	summary, detail := suggest.Reassigned(thing, principal.Name, id, instead)
	return problemOf(principal, summary, detail)
}

// problemOf returns a problem with a detail that is no sentence yet.
func problemOf(principal Principal, summary, detail string) Problem {
	return Problem{principal, summary, strings.ToUpper(detail[:1]) + detail[1:] + "."}
}

func unknownPrincipal(principal Principal, org Organization) Problem {
	if principal.Kind == KindRole {
		return unknownRole(principal, "The roles", allowedRoles(zulip.SupportedPermission{AllowEveryoneGroup: true, AllowNobodyGroup: true}), org)
	}
	var summary, cause, advice string
	switch principal.Kind {
	case KindUser:
		if user, ok := org.HiddenUser(principal.Name); ok {
			summary, detail := suggest.Hidden(principal.Name, user.ID, Principal{Kind: KindUserID, ID: user.ID}.String(), `"user_id:${zulip_user.NAME.id}"`)
			return problemOf(principal, summary, detail)
		}
		summary = suggest.MissingUser(principal.Name)
		cause = fmt.Sprintf("The provider's account sees no user or bot with the email %q.", principal.Name)
		advice = "Name a user who hides their email as user_id:N. If this configuration creates the user or changes their email, reference them as \"user:${zulip_user.NAME.email}\" so that Terraform does that first, or as \"user_id:${zulip_user.NAME.id}\" if another provider configuration (an alias) does."
	case KindUserID:
		summary = suggest.MissingUser(principal.String())
		cause = fmt.Sprintf("The provider's account sees no user or bot with the ID %d.", principal.ID)
	case KindGroup:
		summary = suggest.MissingGroup(principal.Name)
		cause = fmt.Sprintf("The organization has no user group called %q.", principal.Name)
		advice = "If this configuration creates or renames it, reference it as \"group:${zulip_user_group.NAME.name}\" so that Terraform does that first. If another provider configuration (an alias) does, reference \"group_id:${zulip_user_group.NAME.id}\", because each one runs alone."
	default:
		summary = suggest.MissingGroup(principal.String())
		cause = fmt.Sprintf("The organization has no user group with the ID %d.", principal.ID)
	}
	detail := cause + suggest.DidYouMean(quoted(org.Nearest(principal)))
	if advice != "" {
		detail += " " + advice
	}
	return Problem{principal, summary, detail}
}

// quoted returns principals for messages.
func quoted(principals []Principal) []string {
	texts := make([]string, len(principals))
	for i, one := range principals {
		texts[i] = strconv.Quote(one.String())
	}
	return texts
}

func notFound(principal Principal, detail string, nearest []Principal) Problem {
	detail = strings.TrimPrefix(suggest.DidYouMean(quoted(nearest))+" "+detail, " ")
	return Problem{principal, fmt.Sprintf("%q is not in the organization", principal), detail}
}

// OtherListError is the error if a list of people has a group, or a list of groups a person or bot.
type OtherListError struct{ text string }

// Error returns the message.
func (e *OtherListError) Error() string { return e.text }

// PlainUser returns an element of a list of people without a prefix: `user:EMAIL` as the email, and `user_id:N` as the
// number. Other texts are plain already. A principal that is a group is an error.
func PlainUser(text string) (string, error) {
	if !IsPrincipal(text) {
		return text, nil
	}
	principal, err := Parse(text)
	if err != nil {
		return "", err
	}
	switch principal.Kind {
	case KindUserID:
		return strconv.FormatInt(principal.ID, 10), nil
	case KindUser:
		if _, err := strconv.ParseInt(principal.Name, 10, 64); err == nil {
			return "", fmt.Errorf("%q: an email must follow user:. For an ID, write user_id:%s", text, principal.Name)
		}
		return principal.Name, nil
	}
	return "", &OtherListError{fmt.Sprintf("%q is a group", text)}
}

// PlainGroup is PlainUser for a list of groups: `group:NAME` is `name:NAME`, so that a name can be a number, and
// `group_id:N` the number. A role is plain. A person or bot is an error.
func PlainGroup(text string) (string, error) {
	if !IsPrincipal(text) || strings.HasPrefix(text, prefixes[KindRole]) {
		return text, nil
	}
	principal, err := Parse(text)
	if err != nil {
		return "", err
	}
	switch principal.Kind {
	case KindGroupID:
		return strconv.FormatInt(principal.ID, 10), nil
	case KindGroup:
		return namePrefix + ":" + principal.Name, nil
	}
	return "", &OtherListError{fmt.Sprintf("%q is a user or bot", text)}
}

// namePrefix precedes a name in a text that can also be an ID.
const namePrefix = "name"

// NameOrID reads an ID in digits, or a name. "name:2024" is the name 2024.
func NameOrID(text string) (name string, id int64, isID bool) { return WordOrID(text, namePrefix) }

// WordOrID is NameOrID for a kind of object whose names have another word.
func WordOrID(text, word string) (name string, id int64, isID bool) {
	name, isName := strings.CutPrefix(text, word+":")
	id, err := strconv.ParseInt(text, 10, 64)
	return name, id, err == nil && !isName
}

// NameText returns the text of a name that NameOrID reads.
func NameText(name string) string {
	if plain, _, isID := NameOrID(name); plain != name || isID {
		return namePrefix + ":" + name
	}
	return name
}

// IsPrincipal reports whether a text begins like a principal.
func IsPrincipal(text string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
