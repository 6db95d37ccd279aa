package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Check returns the result of each rule, in the order of the file.
func (f *File) Check(org *access.Organization) []*Result {
	results := make([]*Result, len(f.Rules))
	for i, rule := range f.Rules {
		j := &checker{org: org, rule: rule, result: &Result{Rule: rule}}
		j.check()
		j.settle()
		j.result.first, results[i] = j.result.Status, j.result
	}
	return results
}

// Unite adds the results in another outcome of what a plan doesn't know. A rule that doesn't have the same status is unknown.
// why says what differs between the outcomes.
func Unite(results, others []*Result, why []string) {
	for i, other := range others {
		result := results[i]
		if result.first == other.Status || result.first != result.Status && len(why) > 1 { // it has a closer reason
			continue
		}
		result.Status, result.Violations, result.Unknowns = report.RuleUnknown, nil, lists.Add(result.Unknowns, why...)
	}
}

// checker checks one rule.
type checker struct {
	org    *access.Organization
	rule   *Rule
	result *Result

	only, never span
	// mayBeNamed says that the rule may name a new user or group whose name isn't known yet; "" if it doesn't.
	mayBeNamed string
	// excepted are the people whom the rule certainly exempts.
	excepted permission.People
}

// span is a set of people that may be partly unknown. least are certainly in it, and no one beyond most is.
type span struct {
	least, most permission.People
	// isOpen is true if people without an account yet might be in it.
	isOpen bool
}

func (j *checker) addUnknown(sentence string) { j.addUnknowns([]string{sentence}) }

func (j *checker) addUnknowns(sentences []string) {
	j.result.Unknowns = lists.Add(j.result.Unknowns, sentences...)
}

func (j *checker) note(sentence string) { j.result.Notes = append(j.result.Notes, sentence) }

func (j *checker) violation(violation *Violation) {
	j.result.Violations = append(j.result.Violations, violation)
}

func (j *checker) check() {
	j.addUnknowns(j.org.Unknowns(access.Anywhere, access.Told))
	j.only, j.never = j.span(j.rule.Only, j.note), j.span(j.rule.Never, j.addUnknown)
	j.except()
	switch {
	case j.rule.OnlyInvited:
		j.joining()
	case j.rule.Roles != nil:
		j.roles()
	case len(j.rule.Channels) > 0:
		for _, channel := range j.channels() {
			j.channel(channel)
		}
	case len(j.rule.Groups) > 0:
		for _, group := range j.groups() {
			j.group(group)
		}
	default:
		j.organization()
	}
	if j.mayBeNamed != "" && len(j.result.Violations) > 0 {
		j.addUnknown(j.mayBeNamed) // it might allow them
		j.result.Violations = nil
	}
	switch {
	case len(j.result.Violations) > 0:
		j.result.Status = report.RuleFails
	case len(j.result.Unknowns) > 0:
		j.result.Status = report.RuleUnknown
	default:
		j.result.Status = report.RulePasses
	}
}

// settle passes an unknown rule with only, if its groups both give the permission and are allowed to have it. Their unknown
// members don't matter then, because people without an account yet get the access only through such a group.
func (j *checker) settle() {
	if j.result.Status != report.RuleUnknown || len(j.rule.Only) == 0 || len(j.rule.Never) > 0 || j.rule.NeverInternet || j.rule.AtMost != noLimit {
		return
	}
	resolved, _ := permission.Resolve(j.rule.Only, j.org.Names)
	assumptions := j.org.People.Settle(resolved.Value)
	for _, people := range assumptions {
		org := *j.org
		org.People = people
		one := &checker{org: &org, rule: j.rule, result: &Result{Rule: j.rule}}
		if one.check(); one.result.Status != report.RulePasses {
			return
		}
	}
	if len(assumptions) > 0 {
		j.result.Status, j.result.Unknowns = report.RulePasses, nil
	}
}

// span finds the people of principals, and reports principals that don't exist. These allow nothing, but a rule that forbids
// them something is unknown.
func (j *checker) span(principals []permission.Principal, say func(sentence string)) span {
	named := slices.DeleteFunc(slices.Clone(principals), func(principal permission.Principal) bool { return principal == guests })
	resolved, problems := permission.Resolve(named, j.org.Names)
	for _, problem := range problems {
		say(problem.Summary + ".")
		switch {
		case problem.Principal.Kind == permission.KindGroup && slices.ContainsFunc(j.org.ActiveGroups(), func(group *access.Group) bool { return group.NameUnknown }):
			j.mayBeNamed = "A user group whose name isn't known yet might be meant: " + problem.Summary + "."
		case problem.Principal.Kind == permission.KindUser && slices.ContainsFunc(j.org.Accounts, func(account *access.Account) bool { return account.EmailUnknown }):
			j.mayBeNamed = "An account whose email isn't known yet might be meant: " + problem.Summary + "."
		}
	}
	for _, principal := range named {
		if group, ok := j.org.Names.UserGroupByName(principal.Name); principal.Kind == permission.KindGroup && ok && group.Deactivated {
			say(fmt.Sprintf("User group %q is deactivated.", group.Name))
		}
	}
	for _, principal := range resolved.Planned {
		say(fmt.Sprintf("%q doesn't exist yet.", principal))
	}
	var s span
	s.least, s.most, s.isOpen = j.org.People.Bounds(resolved.Value)
	if len(named) < len(principals) {
		s = j.withGuests(s)
	}
	return s
}

// withGuests adds the guests. If the members are not known, everyone who might not be a member might be a guest.
func (j *checker) withGuests(s span) span {
	least, most := j.org.People.Guests(), j.org.People.Guests()
	if members, ok := j.org.Names.UserGroupByName("role:members"); ok && j.org.People.IsUncertain(zulip.NamedGroup(members.ID)) {
		in, mayBeIn, isOpen := j.org.People.Bounds(zulip.NamedGroup(members.ID))
		least, most, s.isOpen = least.Minus(mayBeIn), j.org.People.Everybody().Minus(in), s.isOpen || isOpen
	}
	s.least, s.most = s.least.Or(least), s.most.Or(most)
	return s
}

// except finds the people whom the rule exempts today.
func (j *checker) except() {
	for _, one := range j.rule.Exceptions {
		if !one.ends.IsZero() && !j.org.Now.UTC().Before(one.ends) {
			j.note(fmt.Sprintf("The exception on line %d (%s) ended on %s.", one.line, one.Reason, one.Until))
			continue
		}
		j.excepted = j.excepted.Or(j.span(one.People, j.note).least)
	}
}

// channel checks the permissions of one channel.
func (j *checker) channel(channel *access.Channel) {
	where, state := "#"+channel.Name, permission.ChannelState{Access: j.org.People, Channel: channel.Facts}
	var held map[permission.ChannelPermission]permission.Held
	for _, name := range j.rule.Permissions {
		violation := Violation{Channel: channel, Where: where, Text: permission.ChannelPermission(name).InWords(), Permission: name}
		if name == Subscribed {
			violation.Text = "subscribed"
			j.permission(violation, state.HeldBySubscribers())
			continue
		}
		if held == nil {
			held = state.Held()
		}
		one, has := held[permission.ChannelPermission(name)]
		if !has {
			one = permission.HeldByUnknown()
		}
		if name == string(permission.CanRead) || name == string(permission.CanReadHistory) {
			reads, known := state.IsReadByInternet()
			if violation.Internet = reads && known; !known && j.minds() {
				j.addUnknown(fmt.Sprintf("It isn't known whether anyone on the internet can read %s.", where))
			}
		}
		j.permission(violation, one)
	}
}

// minds reports whether the rule forbids access without an account.
func (j *checker) minds() bool {
	return j.rule.NeverInternet || (len(j.rule.Only) > 0 || j.rule.OnlyInternet) && !j.rule.OnlyInternet
}

// group checks the permissions of one user group.
func (j *checker) group(group *access.Group) {
	for _, name := range j.rule.Permissions {
		violation := Violation{Group: group, Where: "user group " + fmt.Sprintf("%q", group.Name), Permission: name}
		if name == Member {
			violation.Text = "in it"
			j.permission(violation, j.org.People.HeldIn(zulip.NamedGroup(group.ID)))
			continue
		}
		violation.Text = permission.UserGroups.Setting(name).Action
		j.permission(violation, j.org.People.HeldInGroup(name, group.Permissions))
	}
}

// organization checks permissions of the organization.
func (j *checker) organization() {
	for _, name := range j.rule.Permissions {
		setting, held := permission.Organizations.Setting(name), permission.HeldByUnknown()
		if value, has := j.org.Permissions[name]; has {
			held = j.org.People.HeldBy(permission.Organizations, setting, value)
		}
		j.permission(Violation{Where: "the organization", Text: setting.Action, Permission: name}, held)
	}
}

// roles checks who has a role.
func (j *checker) roles() {
	texts := lists.Map(j.rule.Roles, zulip.Role.String)
	held := j.org.People.Everybody().WithRoles(j.rule.Roles...).Held()
	j.permission(Violation{Where: "the organization", Text: joinOr(texts), Permission: roleSubject}, held)
}

// permission checks who has effective access by one permission.
func (j *checker) permission(violation Violation, held permission.Held) {
	certain, isCertain := held.Certain()
	possible, isBounded := held.Possible()
	if !isBounded {
		possible = j.org.People.Everybody()
	}
	unknown := fmt.Sprintf("It isn't known of everyone who %s: %s.", violation.does(1), violation.Where)
	if len(j.rule.Only) > 0 || j.rule.OnlyInternet {
		isByInternet := violation.Internet && !j.rule.OnlyInternet
		j.forbidden(violation, certain.Minus(j.only.most), possible.Minus(j.only.least), isByInternet, isBounded || isCertain, unknown)
	}
	if len(j.rule.Never) > 0 || j.rule.NeverInternet {
		if j.never.isOpen {
			j.addUnknown(unknown)
		}
		j.forbidden(violation, certain.And(j.never.least), possible.And(j.never.most), violation.Internet && j.rule.NeverInternet, isBounded || isCertain, unknown)
	}
	j.count(violation, certain, possible, isBounded, unknown)
}

// forbidden notes people who have forbidden access, certainly and possibly.
func (j *checker) forbidden(violation Violation, certain, possible permission.People, isByInternet, isBounded bool, unknown string) {
	if violation.People, violation.Internet = certain.Minus(j.excepted), isByInternet; !violation.People.IsEmpty() || isByInternet {
		j.violation(&violation)
	}
	if !isBounded || !possible.Minus(j.excepted).Minus(violation.People).IsEmpty() {
		j.addUnknown(unknown)
	}
}

// count checks the number of people with access.
func (j *checker) count(violation Violation, certain, possible permission.People, isBounded bool, unknown string) {
	violation.Internet = false
	if need := j.rule.AtLeast; need > 0 {
		switch {
		case possible.Humans().Len() < need && isBounded:
			violation := violation
			violation.Need, violation.IsTooFew, violation.People = need, true, certain
			j.violation(&violation)
		case certain.Humans().Len() < need:
			j.addUnknown(unknown)
		}
	}
	if most := j.rule.AtMost; most != noLimit {
		switch {
		case certain.Minus(j.excepted).Len() > most:
			violation.Need, violation.isTooMany, violation.People = most, true, certain.Minus(j.excepted)
			j.violation(&violation)
		case possible.Minus(j.excepted).Len() > most || !isBounded:
			j.addUnknown(unknown)
		}
	}
}

// joining checks how people come to join.
func (j *checker) joining() {
	joining := j.org.Joining
	j.addUnknowns(j.org.Unknowns(access.OfJoining))
	switch {
	case joining.InviteRequired == nil:
		j.addUnknown("It isn't known whether joining needs an invitation.")
	case !*joining.InviteRequired:
		j.violation(&Violation{Where: "the organization", Text: "people can join without an invitation (invite_required)", Permission: joiningSubject})
	}
	for _, one := range joining.Invitations {
		who := "anyone who uses it"
		if one.IsForOne {
			who = "the invited person"
		}
		if one.Role < zulip.RoleMember {
			j.violation(&Violation{Where: one.Text, Text: who + " joins as " + one.Role.String(), Permission: joiningSubject})
		}
	}
}

// joinOr joins texts in a sentence.
func joinOr(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

// Through returns the sources of a person's access as audits write them: "group:leads > group:sre". It is empty if the
// violation itself is the source.
func (b *Violation) Through(org *access.Organization, user *zulip.User) []string {
	person := org.People.Person(user)
	switch {
	case b.Channel != nil && (b.Permission == string(permission.CanRead) || b.Permission == string(permission.CanReadHistory)):
		return person.In(b.Channel.Facts).Through
	case b.Channel != nil:
		for _, granted := range person.In(b.Channel.Facts).Permissions {
			if string(granted.Permission) == b.Permission {
				return granted.Through
			}
		}
		return nil
	case b.Group != nil && b.Permission == Member:
		if path, ok := person.Groups()[b.Group.ID]; ok {
			return []string{path}
		}
		return nil
	case b.Group != nil:
		return person.InGroup(b.Permission, b.Group.Permissions)
	}
	if value, ok := org.Permissions[b.Permission]; ok {
		return person.Through(value)
	}
	return nil
}

// Sorted returns people by address.
func Sorted(people permission.People) []*zulip.User {
	return slices.SortedFunc(people.All(), func(a, b *zulip.User) int {
		return cmp.Or(cmp.Compare(a.Address(), b.Address()), cmp.Compare(a.ID, b.ID))
	})
}
