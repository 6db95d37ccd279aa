package rules

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Proposal is a file of rules that pass.
type Proposal struct {
	Text []byte
	// Rules and Limits count the rules and limits in it.
	Rules, Limits int
}

// The limits of a proposal, which must be short enough to read.
const (
	maxProposed         = 12
	maxProposedClosed   = 4 // rules about who reads private channels
	maxProposedAnnounce = 2 // rules about who posts
	maxProposedNames    = 8 // channels or groups in one rule
)

// Propose writes rules that pass now and are easy to agree with. Each rule is checked in its written form. No rule names a person,
// because people change more often than groups and roles.
func Propose(org *access.Organization) Proposal {
	p := &proposer{org: org}
	p.owners()
	p.administrators()
	p.invited()
	p.web()
	p.permissions()
	p.guests()
	p.closed()
	p.managers()
	p.announcements()
	p.removals()
	return p.file()
}

type proposer struct {
	org      *access.Organization
	proposed []*proposedBlock
	// closing are the user groups whose members are the only readers of some private channels.
	closing []string
	// hints are comments in place of rules that do not pass yet.
	hints []string
}

// proposedBlock is a rule, or a limit.
type proposedBlock struct {
	kind, name, comment string
	attributes          []string
}

// text is the block as files have it.
func (b *proposedBlock) text() []byte {
	comment, attributes := strings.ReplaceAll(b.comment, "\n", "\n# "), strings.Join(b.attributes, "\n")
	return hclwrite.Format(fmt.Appendf(nil, "# %s\n%s %s {\n%s\n}\n", comment, b.kind, quoted(b.name), attributes))
}

// attribute writes an attribute with some texts.
func attribute(name string, texts ...string) string { return name + " = " + list(texts) }

// list writes one text, or a list, which has a line for each text if it is long.
func list(texts []string) string {
	const longest = 100
	elements, length := lists.Map(texts, quoted), 0
	for _, text := range texts {
		length += len(text) + len(`"", `)
	}
	switch short := strings.Join(elements, ", "); {
	case len(elements) == 1:
		return short
	case length <= longest:
		return "[" + short + "]"
	}
	return "[\n" + strings.Join(elements, ",\n") + ",\n]"
}

// quoted writes a text as a string of the language.
func quoted(text string) string { return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes()) }

// rule makes a rule.
func rule(name, comment string, attributes ...string) *proposedBlock {
	return &proposedBlock{"rule", name, comment, attributes}
}

// holds reports whether a rule passes in its written form, and selects something.
func (p *proposer) holds(block *proposedBlock) bool {
	file, err := Parse("", block.text())
	if err != nil {
		return false
	}
	for _, result := range file.Check(p.org) {
		if result.Status != report.RulePasses || len(result.Notes) > 0 {
			return false
		}
	}
	return true
}

// add proposes a rule if it passes, and if the limit has room for it.
func (p *proposer) add(block *proposedBlock) bool {
	isTaken := slices.ContainsFunc(p.proposed, func(one *proposedBlock) bool { return one.name == block.name })
	if len(p.proposed) >= maxProposed-1 || isTaken || !p.holds(block) {
		return false
	}
	p.proposed = append(p.proposed, block)
	return true
}

// withRoles are the accounts with some roles.
func (p *proposer) withRoles(roles ...zulip.Role) permission.People {
	return p.org.People.Everybody().WithRoles(roles...)
}

func (p *proposer) owners() {
	if p.withRoles(zulip.RoleOwner).Humans().Len() < 2 {
		p.hints = append(p.hints, "Only one person is an owner: if that account is lost, no one can appoint another. After you add a second owner, add:\n  rule \"two owners\" {\n    role     = \"owner\"\n    at_least = 2\n  }")
		return
	}
	p.add(rule("two owners", "If one owner leaves or is locked out, another can still act.",
		attribute("role", "owner"), "at_least = 2"))
}

func (p *proposer) administrators() {
	all := p.withRoles(zulip.RoleOwner, zulip.RoleAdministrator)
	role := attribute("role", "owner", "administrator")
	if group := p.groupOf(all); group != "" && p.add(rule("only this group administers the organization", "Only members of this user group become owners or administrators. Add people to the group first.",
		role, attribute("only", "group:"+group))) {
		return
	}
	p.add(rule("few administrators", "Owners and administrators can change everything. The limit leaves room for two more.",
		role, fmt.Sprintf("at_most = %d", all.Len()+2)))
}

func (p *proposer) invited() {
	p.add(rule("no one joins without an invitation", "People join only by invitation, and no pending invitation makes anyone a moderator or higher.",
		attribute("joining", invited)))
}

func (p *proposer) web() {
	p.add(rule("nothing is on the web", "No channel can be read without an account. Before you make one web-public, list the others in channels instead of *.",
		attribute("channels", "*"), attribute("permission", "read"), attribute("never", internet)))
}

// guarded are the permissions of the organization that open it to others, or that permit to delete.
var guarded = []string{
	"can_manage_all_groups", "can_manage_billing_group", "can_invite_users_group", "create_multiuse_invite_group", "can_create_web_public_channel_group",
	"can_add_subscribers_group", "can_create_bots_group", "can_delete_any_message_group", "can_mention_many_users_group",
}

// permissions proposes rules about the permissions of the organization, with the narrowest role that has each.
func (p *proposer) permissions() {
	left := guarded
	for _, one := range []struct{ role, name string }{{"role:administrators", "only administrators"}, {"role:moderators", "only moderators and administrators"}} {
		var permissions, others []string
		for _, permission := range left {
			if slices.Contains(organizationPermissions.names, permission) && p.holds(rule("x", "x", attribute("permission", permission), attribute("only", one.role))) {
				permissions = append(permissions, shortName(permission))
			} else {
				others = append(others, permission)
			}
		}
		left = others
		if len(permissions) > 0 {
			p.add(rule(one.name, "Permissions that let people in, or that affect the whole organization. To give one to others, remove it from the list.",
				attribute("permission", permissions...), attribute("only", one.role)))
		}
	}
}

// guests proposes that guests can't read private channels: all, those in some folders, or a few. Without guests it proposes
// nothing, because it is not known where guests should be.
func (p *proposer) guests() {
	if p.org.People.Guests().IsEmpty() {
		return
	}
	without := func(selectors []string, comment string) *proposedBlock {
		return rule("no guests in private channels", comment, attribute("channels", selectors...), attribute("permission", "read"), attribute("only", "role:members"))
	}
	if p.add(without([]string{"privacy:private"}, "Guests can't read private channels. To let guests into one, list the others instead of privacy:private.")) {
		return
	}
	var folders, names []string
	for _, folder := range slices.Sorted(maps.Values(p.org.Folders)) {
		selector := "folder:" + folder
		hasPrivate := slices.ContainsFunc(p.org.ActiveChannels(), func(channel *access.Channel) bool {
			return channel.Folder == folder && channel.Facts.Privacy.IsPrivate()
		})
		if hasPrivate && p.holds(without([]string{selector}, "x")) {
			folders = append(folders, selector)
		}
	}
	for _, channel := range p.org.ActiveChannels() {
		if channel.Facts.Privacy.IsPrivate() && !slices.Contains(folders, "folder:"+channel.Folder) && p.holds(without([]string{selectorOf(channel.Name)}, "x")) {
			names = append(names, selectorOf(channel.Name))
		}
	}
	slices.Sort(names)
	if len(folders) > maxProposedNames {
		folders = folders[:maxProposedNames]
	}
	if len(folders)+len(names) > maxProposedNames {
		names = nil // too many to check quickly
	}
	if all := slices.Concat(folders, names); len(all) > 0 {
		p.add(without(all, "Guests can't read these channels. To let guests into one, remove it from the list."))
	}
}

// selectorOf is how a rule selects one channel or group.
func selectorOf(name string) string {
	if strings.Contains(name, "*") || slices.ContainsFunc([]string{"folder:", "privacy:", "name:", "group:"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return "name:" + name
	}
	return name
}

// closed proposes who reads private channels that exactly one user group or role can read.
func (p *proposer) closed() {
	audiences, sizes := map[string][]*access.Channel{}, map[string]int{}
	for _, channel := range p.org.ActiveChannels() {
		if !channel.Facts.Privacy.IsPrivate() || !channel.Facts.SubscribersKnown {
			continue
		}
		held := permission.ChannelState{Access: p.org.People, Channel: channel.Facts}.Held()[permission.CanRead]
		readers, isAll := held.Certain()
		if !isAll {
			continue
		}
		if principal := p.principalOf(readers); principal != "" {
			audiences[principal], sizes[principal] = append(audiences[principal], channel), readers.Len()
		}
	}
	principals := slices.SortedFunc(maps.Keys(audiences), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(audiences[b]), len(audiences[a])), cmp.Compare(sizes[a], sizes[b]), cmp.Compare(a, b))
	})
	n, covered := 0, 0
	for _, principal := range principals {
		if n == maxProposedClosed {
			break
		}
		selectors, more := first(p.selectorsOf(audiences[principal]))
		name := "private to " + principal
		comment := "Only the group's members can read these channels. Add new readers to the group."
		if strings.HasPrefix(principal, "role:") {
			comment = "Only this role can read these channels. To let a user group in, add it to only."
		}
		comment += more
		channels, only := attribute("channels", selectors...), attribute("only", principal)
		if p.add(rule(name, comment, channels, attribute("permission", "read", "read_history", "join"), only)) || p.add(rule(name, comment, channels, attribute("permission", "read", "read_history"), only)) {
			n++
			covered += len(audiences[principal])
			if group, ok := strings.CutPrefix(principal, "group:"); ok {
				p.closing = append(p.closing, group)
			}
		}
	}
	private := len(lists.Where(p.org.ActiveChannels(), func(channel *access.Channel) bool { return channel.Facts.Privacy.IsPrivate() }))
	switch left := private - covered; {
	case left == 0:
	case n == maxProposedClosed:
		p.hints = append(p.hints, fmt.Sprintf("%d of %s have no rule about their readers here, because there would be too many. Write rules with only for important channels.", left, report.Counted(private, "private channel")))
	default:
		p.hints = append(p.hints, fmt.Sprintf("%d of %s have no rule about their readers here, because no single user group or role has\nexactly these people. For an important channel, create a user group of its readers and write a rule with only.", left, report.Counted(private, "private channel")))
	}
}

// principalOf returns the user group or role with exactly these people. The people of role:members and the people of
// role:everyone are then the same.
func (p *proposer) principalOf(people permission.People) string {
	if group := p.groupOf(people); group != "" {
		return "group:" + group
	}
	for role, least := range map[string]zulip.Role{"role:administrators": zulip.RoleAdministrator, "role:moderators": zulip.RoleModerator} {
		roles := []zulip.Role{zulip.RoleOwner, zulip.RoleAdministrator, zulip.RoleModerator}
		roles = slices.DeleteFunc(roles, func(one zulip.Role) bool { return one > least })
		if people.Len() > 1 && p.withRoles(roles...).Equal(people) && !p.withRoles(least).IsEmpty() {
			return role
		}
	}
	return ""
}

// selectorsOf selects channels by folder if all channels of the folder are among them, and otherwise by name.
func (p *proposer) selectorsOf(channels []*access.Channel) (selectors []string) {
	isOther := func(channel *access.Channel) bool { return !slices.Contains(channels, channel) }
	isWhole := map[string]bool{}
	for _, in := range lists.Grouped(p.org.ActiveChannels(), func(channel *access.Channel) string { return channel.Folder }) {
		isWhole[in[0].Folder] = in[0].Folder != "" && len(in) > 1 && !slices.ContainsFunc(in, isOther)
	}
	for _, channel := range channels {
		if isWhole[channel.Folder] {
			selectors = lists.Add(selectors, "folder:"+channel.Folder)
		} else {
			selectors = append(selectors, selectorOf(channel.Name))
		}
	}
	slices.SortFunc(selectors, func(a, b string) int {
		return cmp.Or(lists.TrueFirst(strings.HasPrefix(a, "folder:"), strings.HasPrefix(b, "folder:")), cmp.Compare(a, b))
	})
	return selectors
}

// first are the selectors that fit into one rule, and a sentence with the number of the others.
func first(selectors []string) (some []string, more string) {
	if n := len(selectors) - maxProposedNames; n > 0 {
		return selectors[:maxProposedNames], "\n" + strconv.Itoa(n) + " more channels are like these. To include them in this rule, put all into one folder."
	}
	return selectors, ""
}

// managers proposes who decides about the members of groups that read private channels.
func (p *proposer) managers() {
	permissions := []string{"manage", "add_members", "join"}
	managed := func(comment, role string, names []string) *proposedBlock {
		return rule("only staff control access to private channels", comment, attribute("groups", names...), attribute("permission", permissions...), attribute("only", role))
	}
	for _, role := range []string{"role:administrators", "role:moderators"} {
		var names []string
		for _, group := range slices.Sorted(slices.Values(p.closing)) {
			if p.holds(managed("x", role, []string{selectorOf(group)})) {
				names = append(names, selectorOf(group))
			}
		}
		if len(names) > 0 && p.add(managed("People who can add members to these user groups, or join them, control access to the channels above.", role, names)) {
			return
		}
	}
}

// announcements proposes who posts in channels where few post and many read.
func (p *proposer) announcements() {
	channels := map[string][]*access.Channel{}
	for _, channel := range p.org.ActiveChannels() {
		value, has := channel.Facts.Permissions["can_send_message_group"]
		if channel.Facts.Privacy.IsPrivate() || !has || !value.IsNamed() {
			continue
		}
		group, ok := p.org.Names.UserGroup(value.Group)
		switch {
		case !ok:
		case !group.IsSystemGroup:
			channels["group:"+group.Name] = append(channels["group:"+group.Name], channel)
		case slices.Contains([]string{"role:owners", "role:administrators", "role:moderators"}, group.Name):
			channels[group.Name] = append(channels[group.Name], channel)
		}
	}
	n := 0
	for _, principal := range slices.SortedFunc(maps.Keys(channels), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(channels[b]), len(channels[a])), cmp.Compare(a, b))
	}) {
		selectors, more := first(p.selectorsOf(channels[principal]))
		if n < maxProposedAnnounce && p.add(rule("only "+principal+" posts", "Only these people can post in these public channels. To let others post, add them to only."+more,
			attribute("channels", selectors...), attribute("permission", "send_message"), attribute("only", principal))) {
			n++
		}
	}
}

// removals proposes a limit. A tenth is more than the people who leave in a week, and less than a mistake in a list removes.
func (p *proposer) removals() {
	const least, most = 5, 50
	p.proposed = append(p.proposed, &proposedBlock{
		"limit", "removals", "A plan that removes more people fails. For a reorganization, raise the limit in the same pull request.",
		[]string{fmt.Sprintf("people = %d", min(max(p.org.People.Everybody().Humans().Len()/10, least), most))},
	})
}

// file writes the proposal.
func (p *proposer) file() Proposal {
	limits := len(lists.Where(p.proposed, func(block *proposedBlock) bool { return block.kind == "limit" }))
	var text bytes.Buffer
	text.WriteString("# Proposed rules, all of which pass today. Keep the intentional ones, remove the accidental ones, and maintain this file\n# with the configuration. Check them with terraform-provider-zulip audit --rules and review --rules.\n")
	for _, block := range p.proposed {
		text.WriteString("\n")
		text.Write(block.text())
	}
	for _, hint := range p.hints {
		text.WriteString("\n# " + strings.ReplaceAll(hint, "\n", "\n# ") + "\n")
	}
	return Proposal{Text: hclwrite.Format(text.Bytes()), Rules: len(p.proposed) - limits, Limits: limits}
}

// groupOf returns the user group with exactly these people, if they are more than one. It returns the first of several by
// name.
func (p *proposer) groupOf(people permission.People) string {
	if people.Len() < 2 {
		return ""
	}
	var names []string
	for _, group := range p.org.ActiveGroups() {
		if value := zulip.NamedGroup(group.ID); !p.org.People.IsUncertain(value) && p.org.People.In(value).Equal(people) {
			names = append(names, group.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}

// ProposeFor reads an organization, and proposes rules for it as [Propose] does.
func ProposeFor(ctx context.Context, from *store.Store, now time.Time) (*Proposal, error) {
	view, err := from.Read(ctx, store.Channels, store.Subscribers, store.Organization, store.Users, store.Folders)
	if err != nil {
		return nil, fmt.Errorf("cannot read the organization: %w", err)
	}
	read := access.Read{View: view, Self: from.Self(), Subscribers: view.Subscribers(), Now: now}
	read.Invitations, read.MissingInvitations = access.Invitations(ctx, from)
	proposal := Propose(access.Of(read))
	return &proposal, nil
}
