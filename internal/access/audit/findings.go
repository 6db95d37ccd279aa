package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
)

// Severities lists the severities, the gravest first.
var Severities = []Severity{High, Medium, Low}

func (s Severity) rank() int { return slices.Index(Severities, s) }

// Kind is the kind of a finding.
type Kind string

// The kinds of finding. [Kinds] has their exact meanings.
const (
	OpenPrivate       Kind = "open-private"
	Internet          Kind = "internet"
	BotAdministrator  Kind = "bot-administrator"
	BotKey            Kind = "bot-key"
	BotOwner          Kind = "bot-owner"
	Invitation        Kind = "invitation"
	OpenSignUp        Kind = "open-sign-up"
	GuestsAdd         Kind = "guests-add"
	NoAdministrator   Kind = "no-administrator"
	DeactivatedMember Kind = "deactivated-member"
	SinglePerson      Kind = "single-person"
	WiderThanChannel  Kind = "wider-than-channel"
	ShortRetention    Kind = "short-retention"
)

// KindMeaning is a kind of finding and what it means.
type KindMeaning struct {
	Kind    Kind
	Meaning string
}

// Kinds says what each kind of finding means exactly.
var Kinds = []KindMeaning{
	{OpenPrivate, "high: a permission lets every member join and read a private channel; low: guests are in a private channel"},
	{Internet, "medium: anyone on the internet can read a channel"},
	{BotAdministrator, "high: a bot is an administrator or an owner; medium: the bot is an administrator and runs this audit"},
	{BotKey, "high: someone below administrator owns a bot that is an administrator or an owner, and holds its API key; medium: an administrator owns a bot that is an owner"},
	{BotOwner, "medium: the owner of an active bot is deactivated, or the bot has no owner"},
	{Invitation, "high: an invitation makes administrators or owners; medium: a link makes moderators, or never expires"},
	{OpenSignUp, "high: people can join without an invitation, with an email of any domain; medium: with an email of one of the organization's domains"},
	{GuestsAdd, "high: a bot that a guest owns can add people to a channel or a group; low: a permission to add or invite people includes guests, although the server refuses them"},
	{NoAdministrator, "high: no one can administer a channel or manage a user group; low: the permission includes no active user, and only the organization's roles and permissions remain"},
	{DeactivatedMember, "medium: a user group contains deactivated users or groups"},
	{SinglePerson, "low: only one person can administer or post in a channel, manage a user group, or has a permission of the organization"},
	{WiderThanChannel, "low: a permission of the organization gives people below administrator access to channels whose own permission is set and doesn't include them"},
	{ShortRetention, "low: messages of a channel are deleted sooner than the organization deletes messages"},
}

// Finding is something that a person should look at.
type Finding struct {
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`
	// Where names the objects in words: channel "general", the organization.
	Where []string `json:"where"`
	// Text is a sentence.
	Text string `json:"text"`
	// People is the index in [Audit.Sets] of the people concerned. Deactivated are the IDs of deactivated people
	// concerned.
	People      int     `json:"people"`
	Deactivated []int64 `json:"deactivated,omitempty"`
	// Resources are the addresses of the resources that manage the object, in the state or plan that the audit was
	// given.
	Resources []string `json:"resources,omitempty"`
	// Fix is a sentence about how to fix it.
	Fix string `json:"fix"`
	// Accepted is set if people accepted the finding, Expired if the acceptance has ended. At most one is set.
	Accepted *Acceptance `json:"accepted,omitempty"`
	Expired  *Acceptance `json:"expired,omitempty"`

	// peopleOf are the people concerned by place; nil if they are the same in all places.
	peopleOf []permission.People
}

// Conditions are the conditions of --fail-on: severities, kinds of findings, and changes since an earlier audit.
type Conditions struct {
	severities []Severity
	kinds      []Kind
	// Changes are the conditions for [report.Report.Fails] of the report that [Compare] returns.
	Changes []report.Condition
	// Rules is true if rules that fail or are unknown count.
	Rules bool
}

// ParseConditions reads conditions: severities, which include the higher ones, and kinds of findings. If the audit is
// compared with an earlier one, it also takes the conditions of an access review.
func ParseConditions(texts []string, isCompared bool) (Conditions, error) {
	var conditions Conditions
	for _, text := range texts {
		word := strings.TrimSpace(text)
		switch {
		case slices.Contains(Severities, Severity(word)):
			conditions.severities = append(conditions.severities, Severity(word))
		case slices.ContainsFunc(Kinds, func(known KindMeaning) bool { return known.Kind == Kind(word) }):
			conditions.kinds = append(conditions.kinds, Kind(word))
		case word == string(report.Rules):
			conditions.Rules = true
		case !slices.Contains(changeWords(), word):
			return conditions, fmt.Errorf("--fail-on %q: unknown condition; the conditions are %s, and with --against also %s",
				text, strings.Join(findingWords(), ", "), strings.Join(changeWords(), ", "))
		case !isCompared:
			return conditions, fmt.Errorf("--fail-on %q is about changes: name an earlier audit with --against", text)
		default:
			conditions.Changes = append(conditions.Changes, report.Condition(word))
		}
	}
	return conditions, nil
}

// ConditionNames lists all conditions: severities, kinds of findings, and changes.
func ConditionNames() []string { return append(findingWords(), changeWords()...) }

func changeWords() []string {
	return lists.Map(report.Conditions, func(known report.ConditionMeaning) string { return string(known.Condition) })
}

func findingWords() []string { return append(lists.Strings(Severities), kindNames()...) }

func kindNames() []string {
	return lists.Map(Kinds, func(known KindMeaning) string { return string(known.Kind) })
}

// Fails returns the kinds of findings to which the conditions apply, each once. Accepted findings don't count.
func (a *Audit) Fails(conditions Conditions) []string {
	var fails []string
	for _, finding := range a.Open() {
		stops := slices.Contains(conditions.kinds, finding.Kind) || slices.ContainsFunc(conditions.severities, func(severity Severity) bool {
			return finding.Severity.rank() <= severity.rank()
		})
		if kind := string(finding.Kind); stops && !slices.Contains(fails, kind) {
			fails = append(fails, kind)
		}
	}
	if conditions.Rules && slices.ContainsFunc(a.Rules, (*report.Rule).Fails) {
		fails = append(fails, string(report.Rules))
	}
	return fails
}

// find adds all findings.
func (m *maker) find() {
	for _, channel := range m.chosen {
		m.findInChannel(channel)
	}
	m.findWiderPermissions()
	if len(m.options.Selection.Channels) == 0 {
		m.findInGroups()
		m.findInOrganization()
		m.findBots()
		m.findInvitations()
	}
	slices.SortStableFunc(m.audit.Findings, func(a, b *Finding) int {
		return cmp.Or(lists.TrueFirst(a.Accepted == nil, b.Accepted == nil), cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)))
	})
	m.warnOfUnused()
}

func kindRank(kind Kind) int {
	return slices.IndexFunc(Kinds, func(known KindMeaning) bool { return known.Kind == kind })
}

// addFinding adds a finding about active people. An audit that was narrowed to some people has only findings about them.
func (m *maker) addFinding(finding Finding, people permission.People) {
	if m.among != nil && m.narrowed(people).IsEmpty() {
		return
	}
	for _, part := range m.split(finding, people) {
		if m.among != nil && m.narrowed(part.people).IsEmpty() {
			continue
		}
		part.peopleOf = nil
		part.People = m.set(part.people)
		m.audit.Findings = append(m.audit.Findings, &part.Finding)
	}
}

// addDeactivated adds a finding about deactivated people, who are in no set of the audit.
func (m *maker) addDeactivated(finding Finding, people permission.People, ids []int64) {
	before := len(m.audit.Findings)
	finding.Deactivated = ids
	if m.addFinding(finding, people); len(m.audit.Findings) > before {
		for _, id := range ids {
			m.named[id] = true
		}
	}
}

// keepFindingsOf keeps the findings that concern one person.
func (m *maker) keepFindingsOf(id int64) {
	m.audit.Findings = slices.DeleteFunc(m.audit.Findings, func(finding *Finding) bool {
		return !m.audit.Sets[finding.People].Has(id) && !slices.Contains(finding.Deactivated, id)
	})
}
