package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
)

// categoryOf is under which category the sentences of a class are.
var categoryOf = map[meaning.Class]report.Category{
	meaning.Joining: report.Joining, meaning.SignIn: report.SignIn, meaning.Outgoing: report.Outgoing, meaning.DataLoss: report.DataLoss,
	meaning.History: report.Widening, meaning.Credential: report.RoleChange,
}

// sayMeanings says of every change what it means by the table of meanings, beside who gains and who loses; what it means to
// nobody is listed, so that nothing of a plan is unmentioned.
func (b *builder) sayMeanings() {
	named := b.namedAddresses()
	for _, change := range b.changes {
		t, known := meaning.Of(change.Type)
		if !known {
			b.addUnknown(fmt.Sprintf("This version does not know what %s means: it has no resource %s.", change.Address, change.Type))
			continue
		}
		m := &meanings{builder: b, change: change, of: t, also: &report.Also{Address: change.Address, Action: actionOf(change, ended(t)), Attributes: []report.AlsoAttribute{}}}
		if t.NamedBy == "" && change.Does("create") {
			m.also.Action = report.Update // there is one already
		}
		m.say()
		if len(m.also.Attributes) > 0 || !named[change.Address] && !m.isSaid {
			b.report.Also = append(b.report.Also, m.also)
		}
	}
	slices.SortStableFunc(b.report.Also, func(x, y *report.Also) int { return strings.Compare(x.Address, y.Address) })
}

// namedAddresses are the resources that stand beside a channel, a group or an account of the report.
func (b *builder) namedAddresses() map[string]bool {
	named := map[string]bool{}
	add := func(addresses []string) {
		for _, address := range addresses {
			named[address] = true
		}
	}
	for _, channel := range b.report.Channels {
		add(channel.Addresses)
	}
	for _, group := range b.report.Groups {
		add(group.Addresses)
	}
	for _, person := range b.report.People {
		add(person.Addresses)
	}
	return named
}

// ended is what becomes of what a type makes when it is destroyed.
func ended(t *meaning.Type) report.Action {
	switch t.Name {
	case "zulip_channel", "zulip_channel_folder":
		return report.Archive
	case "zulip_user", "zulip_bot", "zulip_user_group":
		return report.Deactivate
	case "zulip_custom_emoji", "zulip_draft", "zulip_message", "zulip_reaction", "zulip_scheduled_message", "zulip_domain", "zulip_invite_link",
		"zulip_linkifier", "zulip_code_playground", "zulip_custom_profile_field", "zulip_default_channel_group":
		return report.Delete
	}
	return report.Release
}

// meanings says what one change means.
type meanings struct {
	*builder

	change *plan.Change
	of     *meaning.Type
	also   *report.Also
	// isSaid says that a risk was found, or that somewhere else is said what changes.
	isSaid bool
}

func (m *meanings) say() {
	switch m.also.Action {
	case report.Release:
		return
	case report.Update:
	default:
		m.sayEnd()
		if !m.change.HasAfter() {
			return
		}
	}
	for _, name := range m.change.After().Names() {
		m.attribute(name)
	}
}

// sayEnd says what it means that something is made or ends.
func (m *meanings) sayEnd() {
	kept, _ := m.change.Before().Text("on_destroy")
	if m.change.Does("delete") && m.of.Destroyed != nil && kept != "keep" {
		m.risk(m.of.Destroyed, m.of.Destroyed.Fill(m.subject("", m.change.Before())), m.where(m.change.Before()))
	}
	if m.change.Does("create") && m.of.Created != nil {
		m.risk(m.of.Created, m.of.Created.Fill(m.subject("", m.change.After())), m.where(m.change.After()))
	}
}

func (m *meanings) risk(row *meaning.Row, sentence, where string) {
	m.isSaid = true
	m.report.Risks = append(m.report.Risks, report.Risk{Category: categoryOf[row.Class], Where: where, Text: sentence})
}

// attribute says what the change of one attribute means.
func (m *meanings) attribute(name string) {
	row, known := m.of.Attribute(name)
	s := m.subject(name, m.change.After())
	switch {
	case s.After.IsUnknown && !m.change.IsSet(name): // the server decides
		return
	case !s.IsNew && sameValues(s.Before, s.After), s.IsNew && s.After.IsNone():
		return
	case !known:
		m.addUnknown(fmt.Sprintf("This version does not know what %s of %s means.", name, m.change.Address))
	case !row.Fits(s.Before) || !row.Fits(s.After):
		m.addUnknown(fmt.Sprintf("%s of %s is not what this version knows: it should be a %s.", name, m.change.Address, row.Kind))
	case m.isComputed(name, row) && (m.isListed(name) || m.change.Does("create")):
		m.isSaid = true
		return
	default:
		if sentence := row.Says(s); sentence != "" {
			where := m.where(m.change.After())
			if !s.IsNew && m.change.Values.Before != nil {
				where = m.where(m.change.Before())
			}
			if m.risk(row, sentence, where); s.After.IsUnknown {
				m.report.Risks = append(m.report.Risks, report.Risk{Category: report.Unknown, Where: where, Text: "The plan does not know " + name + " yet."})
			}
			return
		}
	}
	if m.also.Action == report.Update {
		m.also.Attributes = append(m.also.Attributes, report.AlsoAttribute{Name: name, Change: report.Change{Before: valueOf(s.Before, s.InWords), After: valueOf(s.After, s.InWords)}})
	}
}

func valueOf(v meaning.Value, inWords func(meaning.Value) string) report.Value {
	switch {
	case v.IsUnknown && v.Held == nil:
		return report.Value{Unknown: true}
	case v.Held == nil:
		return report.Value{}
	}
	return report.Value{Texts: []string{inWords(v)}, Unknown: v.IsUnknown}
}

// sameValues reports whether nothing differs for certain. The order of lists does not matter to access.
func sameValues(a, b meaning.Value) bool {
	return !a.IsUnknown && !b.IsUnknown && reflect.DeepEqual(sorted(a.Held), sorted(b.Held))
}

func sorted(held any) any {
	list, ok := held.([]any)
	if !ok {
		return held
	}
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// isComputed reports whether what follows from an attribute stands in the lists of the report.
func (m *meanings) isComputed(name string, row *meaning.Row) bool {
	switch row.Class {
	case meaning.Permission:
		isSetting := func(setting permission.Setting) bool { return setting.Name == name }
		return slices.Contains([]string{"privacy", waitingPeriod, spectators}, name) || slices.ContainsFunc(permission.ChannelSettings, isSetting) ||
			slices.ContainsFunc(permission.UserGroupSettings, isSetting) || slices.ContainsFunc(permission.RealmSettings, isSetting)
	case meaning.Membership:
		return slices.Contains([]string{"members", "subgroups", "users", "initial_subscribers", "added_user_ids"}, name)
	case meaning.Role:
		return name == "role" || m.of.Name == "zulip_user_role" && name != "on_destroy"
	case meaning.Credential:
		return name == "owner"
	case meaning.Identity:
		return name == "name" && (m.of.Name == "zulip_channel" || m.of.Name == "zulip_user_group")
	}
	return false
}

// isListed reports whether the report has a line of what is computed. Of the organization it has none where somebody has done by
// hand what is planned.
func (m *meanings) isListed(name string) bool {
	return m.of.Name != "zulip_organization" || slices.ContainsFunc(m.report.Rights, func(right *report.Right) bool { return right.Name == name })
}

// subject is the change of an attribute. Of what there is once, creating the resource is no making: the organization has the
// values that are compared with.
func (m *meanings) subject(name string, of plan.Attributes) meaning.Subject {
	s := meaning.Subject{
		Before: m.change.Before().Value(name), After: m.change.After().Value(name), IsNew: m.change.Does("create"),
		InWords: func(v meaning.Value) string { return m.inWords(name, v) },
	}
	s.Other = func(other string) string { return m.inWords(other, of.Value(other)) }
	if s.IsNew && m.of.NamedBy == "" {
		s.IsNew, s.Before = false, m.current(name)
	}
	return s
}

// current is a setting of the organization as it is; unknown where it cannot be told.
func (m *meanings) current(name string) meaning.Value {
	if m.org == nil || m.of.Name != "zulip_organization" || m.org.Realm() == nil {
		return meaning.Value{IsUnknown: true}
	}
	realm := m.org.Realm()
	if name == "authentication_methods" {
		enabled := []any{}
		for method, now := range realm.AuthenticationMethods {
			if now.Enabled {
				enabled = append(enabled, method)
			}
		}
		return meaning.Value{Held: enabled}
	}
	var held any
	raw, ok := realm.Settings[name]
	if !ok || json.Unmarshal(raw, &held) != nil {
		return meaning.Value{IsUnknown: true}
	}
	row, _ := m.of.Attribute(name)
	if row == nil || row.Kind != "string" {
		return meaning.Value{Held: held}
	}
	switch held := held.(type) {
	case nil:
		if name == "jitsi_server_url" {
			return meaning.Value{Held: "default"}
		}
		return meaning.Value{Held: "unlimited"}
	case float64:
		switch {
		case held < 0:
			return meaning.Value{Held: "unlimited"}
		case strings.HasSuffix(name, "_seconds"), strings.HasSuffix(name, "_days"):
			return meaning.Value{Held: strconv.FormatFloat(held, 'f', -1, 64)}
		}
		return meaning.Value{IsUnknown: true} // a number that stands for a word
	}
	return meaning.Value{Held: held}
}

// where is what the change is about, in words.
func (m *meanings) where(of plan.Attributes) string {
	if m.of.NamedBy == "" {
		return "the " + m.of.Called
	}
	value := of.Value(m.of.NamedBy)
	if value.Held == nil || value.IsSecret {
		return m.of.Called + " " + m.change.Address
	}
	if number, ok := value.Held.(float64); ok {
		return fmt.Sprintf("%s %.0f", m.of.Called, number)
	}
	text := strings.TrimPrefix(fmt.Sprint(value.Held), "name:")
	if m.of.NamedBy == "email" || m.of.NamedBy == "user" || m.of.NamedBy == "domain" {
		return m.of.Called + " " + text
	}
	return fmt.Sprintf("%s %q", m.of.Called, text)
}

// inWords writes a value for people: with names instead of numbers.
func (m *meanings) inWords(name string, v meaning.Value) string {
	switch {
	case v.IsSecret:
		return "a secret"
	case v.IsUnknown && v.Held == nil:
		return "what is not known yet"
	case v.Held == nil && strings.HasPrefix(name, "expires_in"):
		return "ever"
	case v.Held == nil && name == "invite_as":
		return "member"
	case v.Held == nil:
		return "nothing"
	}
	if list, ok := v.Held.([]any); ok {
		var texts []string
		for _, element := range list {
			texts = append(texts, m.inWords(name, meaning.Value{Held: element}))
		}
		if v.IsUnknown {
			texts = append(texts, "what is not known yet")
		}
		if len(texts) == 0 {
			return "nothing"
		}
		return report.List(texts)
	}
	if number, ok := v.Held.(float64); ok {
		return m.numberInWords(name, number)
	}
	if fields, ok := v.Held.(map[string]any); ok {
		text, _ := json.Marshal(fields)
		return string(text)
	}
	text := fmt.Sprint(v.Held)
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && strings.HasSuffix(name, "_seconds") {
		return duration(seconds)
	}
	if days, err := strconv.Atoi(text); err == nil && strings.HasSuffix(name, "_days") {
		return report.Counted(days, "day")
	}
	switch text {
	case "unlimited":
		return "any time"
	case "realm_default":
		return "as long as in the organization"
	}
	return text
}

// numberInWords writes what an ID stands for, or how long a limit is.
func (m *meanings) numberInWords(name string, number float64) string {
	id := int64(number)
	switch {
	case strings.HasSuffix(name, "stream_id"), strings.HasSuffix(name, "channel_id"), strings.HasSuffix(name, "channel_ids"):
		if id <= 0 {
			return "no channel"
		}
		if m.org != nil {
			if channel, ok := m.org.Channels().ByID(id); ok {
				return fmt.Sprintf("channel %q", channel.Name)
			}
			m.addUnknown(fmt.Sprintf("%s names channel %d, which the account that reviews does not see, or which is gone.", m.change.Address, id))
		}
		return fmt.Sprintf("channel %d", id)
	case strings.HasSuffix(name, "group_ids"):
		if m.org != nil {
			if group, ok := m.org.UserGroup(id); ok {
				return fmt.Sprintf("user group %q", group.Name)
			}
			m.addUnknown(fmt.Sprintf("%s names user group %d, which is not there.", m.change.Address, id))
		}
		return fmt.Sprintf("user group %d", id)
	case strings.HasSuffix(name, "_minutes"):
		return duration(id * 60)
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// duration writes seconds in the largest unit that fits.
func duration(seconds int64) string {
	for _, unit := range []struct {
		seconds int64
		name    string
	}{{86400, "day"}, {3600, "hour"}, {60, "minute"}} {
		if seconds >= unit.seconds && seconds%unit.seconds == 0 {
			return report.Counted(int(seconds/unit.seconds), unit.name)
		}
	}
	return report.Counted(int(seconds), "second")
}
