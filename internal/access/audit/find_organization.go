package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The permissions that findings are about.
const (
	canManageGroup     = "can_manage_group"
	canManageAllGroups = "can_manage_all_groups"
	canAddMembers      = "can_add_members_group"
)

func (m *maker) findInGroups() {
	var everywhere permission.People
	if realm := m.view.Realm(); realm != nil {
		everywhere = m.organizationHas(canManageAllGroups)
	}
	for _, group := range m.activeGroups() {
		where := []string{fmt.Sprintf("user group %q", group.Name)}
		m.findDeactivatedMembers(group, where)
		for _, setting := range permission.UserGroupSettings {
			value, has := group.Permissions[setting.Name]
			if !has {
				continue
			}
			who := m.access.Admitted(permission.UserGroups, setting, value)
			mend := func(value cty.Value) string {
				return m.groupChange(group, attribute{setting.Name, value})
			}
			switch setting.Name {
			case canManageGroup:
				all := union(m.access, who, everywhere)
				text, severity := "Nobody active is in its can_manage_group: only those in can_manage_all_groups of the organization can manage it.", Low
				if all.IsEmpty() {
					text, severity = "Nobody can manage the group.", High
				}
				if who.IsEmpty() {
					m.addFinding(Finding{Kind: NoAdministrator, Severity: severity, Where: where, Text: text, Change: mend(m.withModerators(value))}, all)
				}
				m.findSinglePerson(where, "manage the group", all, value, mend)
			case canAddMembers:
				m.findNamedGuests(where, setting.Right, value, mend)
				m.findBotsOfGuests(where, setting.Right, who)
			}
		}
	}
}

// findDeactivatedMembers finds deactivated groups and people in a group. Servers leave deactivated people out of what they
// tell from feature level 303 on.
func (m *maker) findDeactivatedMembers(group *zulip.UserGroup, where []string) {
	var people []int64
	var kept, gone []string
	members := []string{}
	for _, id := range group.Members {
		switch user, ok := m.view.User(id); {
		case ok && !user.IsActive:
			people, gone = append(people, id), append(gone, user.Address())
		case ok:
			members = append(members, user.Address())
		}
	}
	for _, id := range group.DirectSubgroupIDs {
		switch below, ok := m.view.UserGroup(id); {
		case ok && below.Deactivated:
			gone = append(gone, fmt.Sprintf("the group %q", below.Name))
		case ok:
			kept = append(kept, below.Name)
		}
	}
	if len(gone) == 0 {
		return
	}
	var attributes []attribute
	if len(kept) < len(group.DirectSubgroupIDs) {
		attributes = append(attributes, attribute{"subgroups", texts(kept...)})
	}
	if len(people) > 0 {
		attributes = append(attributes, attribute{"members", texts(members...)})
	}
	m.addDeactivated(Finding{
		Kind: DeactivatedMember, Severity: Medium, Where: where, Text: fmt.Sprintf("It contains what is deactivated: %s.", report.List(gone)),
		Change: m.groupChange(group, attributes...),
	}, m.access.In(zulip.NamedGroup(group.ID)), people)
}

// addingPeople are the permissions of the organization to add or invite people.
var addingPeople = []string{"can_add_subscribers_group", "can_invite_users_group", "create_multiuse_invite_group"}

func (m *maker) findInOrganization() {
	realm := m.view.Realm()
	if realm == nil {
		return
	}
	where := []string{inOrganizationText}
	for _, setting := range permission.RealmSettings {
		value, has := realm.Permissions[setting.Name]
		if !has {
			continue
		}
		who := m.access.Admitted(permission.Organizations, setting, value)
		mend := func(value cty.Value) string { return m.organizationChange(attribute{setting.Name, value}) }
		if slices.Contains(addingPeople, setting.Name) {
			m.findNamedGuests(where, setting.Right, value, mend)
			m.findBotsOfGuests(where, setting.Right, who)
		}
		if len(setting.Roles) == 0 {
			m.findSinglePerson(where, setting.Right, who, value, mend)
		}
	}
	m.findOpenSignUp(realm, where)
}

// findOpenSignUp finds that people can join without an invitation.
func (m *maker) findOpenSignUp(realm *zulip.Realm, where []string) {
	if isRequired, known := realmSetting[bool](realm, "invite_required"); !known || isRequired {
		return
	}
	mend := m.organizationChange(attribute{"invite_required", cty.True})
	if isRestricted, _ := realmSetting[bool](realm, "emails_restricted_to_domains"); isRestricted {
		var domains []string
		for _, domain := range m.view.Domains().List() {
			domains = append(domains, domain.Domain)
		}
		text := "People join without an invitation if their email address is of one of the organization's domains."
		if len(domains) > 0 {
			text = fmt.Sprintf("People join without an invitation if their email address is of %s.", report.List(domains))
		}
		m.addFinding(Finding{Kind: OpenSignUp, Severity: Medium, Where: where, Text: text, Change: mend}, permission.People{})
		return
	}
	m.addFinding(Finding{
		Kind: OpenSignUp, Severity: High, Where: where, Change: mend,
		Text: "Anybody can join without an invitation, with an email address of any domain, if the authentication methods let them in.",
	}, permission.People{})
}

// realmSetting returns a setting of the organization; known is false where the server does not have it.
func realmSetting[T any](realm *zulip.Realm, name string) (value T, known bool) {
	raw, has := realm.Settings[name]
	known = has && json.Unmarshal(raw, &value) == nil
	return value, known
}

const inOrganizationText = "the organization"

func (m *maker) organizationHas(name string) permission.People {
	for _, setting := range permission.RealmSettings {
		if setting.Name == name {
			return m.access.Admitted(permission.Organizations, setting, m.view.Realm().Permissions[name])
		}
	}
	return permission.People{}
}

func union(access *permission.Access, a, b permission.People) permission.People {
	return access.People(append(a.IDs(), b.IDs()...))
}

// findBots finds bots with a high role, and bots for which nobody answers.
func (m *maker) findBots() {
	for bot := range m.access.Everybody().All() {
		if !bot.IsBot {
			continue
		}
		where := []string{"bot " + bot.Address()}
		if bot.Role <= zulip.RoleAdministrator {
			m.findPowerfulBot(bot, where)
		}
		finding := Finding{
			Kind: BotOwner, Severity: Medium, Where: where, Text: "The bot has no owner.",
			Change: m.botChange(bot, attribute{"owner", cty.StringVal(m.newOwner())}),
		}
		if bot.BotOwnerID == nil {
			m.addFinding(finding, m.access.People([]int64{bot.ID}))
		} else if owner, ok := m.view.User(*bot.BotOwnerID); ok && !owner.IsActive {
			finding.Text = fmt.Sprintf("The owner of the bot, %s, is deactivated.", owner.Address())
			m.addDeactivated(finding, m.access.People([]int64{bot.ID}), []int64{owner.ID})
		}
	}
}

// What a bot cannot manage. For owners alone are, beside zulip_domain, settings of several resources (server-behavior §O1, §U7);
// for people alone are some endpoints (server-behavior §R15).
const (
	forOwnersText = "what takes the key of an owner (zulip_domain, the roles of owners, message_retention_days, some settings of zulip_organization)"
	forPeopleText = "what takes the key of a person (zulip_bot, zulip_invite_link, zulip_custom_emoji)"
)

// findPowerfulBot finds a bot that is an administrator or an owner, and people who are less than the bot that they own. The
// account that audits is usually the one that Terraform uses, which needs the role of an administrator and no other.
func (m *maker) findPowerfulBot(bot *zulip.User, where []string) {
	finding := Finding{
		Kind: BotAdministrator, Severity: High, Where: where, Text: fmt.Sprintf("The bot has the role of an %s: whoever has its API key can do nearly everything.", bot.Role),
		Change: m.botRoleChange(bot, zulip.RoleMember),
	}
	if bot.ID == m.facts.Self.ID {
		const nearly = "This bot is the account that audits. It has the role of an %s: whoever has its API key can do nearly everything. "
		const guide = " The guide \"Least privilege and nightly audit\" says how to do with less."
		if bot.Role == zulip.RoleOwner {
			finding.Text = fmt.Sprintf(nearly+"The role of an administrator is enough for all but %s; let an owner apply that."+guide, bot.Role, forOwnersText)
			finding.Change = m.botRoleChange(bot, zulip.RoleAdministrator)
		} else {
			finding.Severity = Medium
			finding.Text = fmt.Sprintf(nearly+"Terraform needs the role, and manages with it all but %s and %s."+guide, bot.Role, forOwnersText, forPeopleText)
			finding.Change = acceptChange(BotAdministrator, where[0], "runs Terraform")
		}
	}
	self := m.access.People([]int64{bot.ID})
	m.addFinding(finding, self)
	if bot.BotOwnerID == nil {
		return
	}
	owner, ok := m.view.User(*bot.BotOwnerID)
	if !ok || !owner.IsActive || owner.Role <= bot.Role {
		return
	}
	finding = Finding{
		Kind: BotKey, Severity: High, Where: where,
		Text: fmt.Sprintf("%s owns the bot, and with its API key can do what %s can. The role of the owner is %s.", owner.Address(), report.WithArticle(bot.Role.String()), owner.Role),
	}
	if owner.Role == zulip.RoleAdministrator {
		finding.Severity = Medium
	}
	finding.Change = m.botRoleChange(bot, owner.Role)
	if keeper := m.keeper(bot.Role); keeper != "" {
		finding.Change = m.botChange(bot, attribute{"owner", cty.StringVal(keeper)}) + "\n# Then make a new API key: the earlier owner may still have the old one.\n"
	}
	m.addFinding(finding, union(m.access, self, m.access.People([]int64{owner.ID})))
}

// keeper is a person who has a role and can own a bot with it, the account that audits before others; "" if there is none.
func (m *maker) keeper(role zulip.Role) string {
	if self := m.facts.Self; !self.IsBot && self.Role <= role {
		return self.Address()
	}
	for user := range m.access.Everybody().All() {
		if user.Role <= role && !user.IsBot {
			return user.Address()
		}
	}
	return ""
}

// botChange is a change of a bot.
func (m *maker) botChange(bot *zulip.User, one attribute) string {
	return m.change(target{resource: "zulip_bot", id: fmt.Sprint(bot.ID), called: shortName(bot)},
		attribute{"short_name", cty.StringVal(shortName(bot))}, attribute{"full_name", cty.StringVal(bot.FullName)}, one)
}

// botRoleChange gives a bot a lower role, where its role is managed: a plan refuses a zulip_bot that says otherwise than the resources
// that list who has a role.
func (m *maker) botRoleChange(bot *zulip.User, role zulip.Role) string {
	self := m.access.People([]int64{bot.ID})
	value := attribute{"role", cty.StringVal(role.String())}
	if all := m.options.Managed.all(target{resource: "zulip_user_role", id: fmt.Sprint(bot.ID)}); len(all) == 1 {
		return changeOf(all[0], value)
	}
	changes, _ := m.takeOut(target{resource: "zulip_role_members", id: bot.Role.String()}, "users", self)
	if len(changes) == 0 {
		return m.botChange(bot, value)
	}
	if role < zulip.RoleMember { // who is taken out of a list becomes a member, unless something says otherwise
		lists := m.options.Managed.all(target{resource: "zulip_role_members", id: role.String()})
		if len(lists) == 1 {
			changes = append(changes, changeOf(lists[0], attribute{"users", texts(append(lists[0].list("users"), bot.Address())...)}))
		} else {
			changes = append(changes, m.botChange(bot, value))
		}
	}
	return strings.Join(changes, "\n")
}

// newOwner is somebody who can own a bot: the account that audits, or the first owner of the organization.
func (m *maker) newOwner() string {
	if !m.facts.Self.IsBot {
		return m.facts.Self.Address()
	}
	for user := range m.access.Everybody().All() {
		if user.Role == zulip.RoleOwner && !user.IsBot {
			return user.Address()
		}
	}
	return m.facts.Self.Address()
}

// aWeek is how long an invitation link should be valid, in minutes.
const aWeek = int64(7 * 24 * time.Hour / time.Minute)

// findInvitations finds invitations that never expire, and those that make people powerful. A link itself is a secret and
// not in the audit.
func (m *maker) findInvitations() {
	for _, invitation := range m.facts.Invitations {
		where, what := []string{fmt.Sprintf("invitation link %d", invitation.ID)}, "The link"
		if !invitation.IsMultiuse {
			where, what = []string{"invitation of " + invitation.Email}, "The invitation"
		}
		role, expires := cty.StringVal(invitation.InvitedAs.String()), cty.NumberIntVal(aWeek)
		if minutes := invitation.ExpiresInMinutes(); minutes != nil {
			expires = cty.NumberIntVal(*minutes)
		}
		finding := Finding{Kind: Invitation, Severity: Medium, Where: where}
		isPowerful := invitation.InvitedAs <= zulip.RoleAdministrator || invitation.IsMultiuse && invitation.InvitedAs <= zulip.RoleModerator
		neverExpires := invitation.IsMultiuse && invitation.ExpiryDate == nil
		switch {
		case isPowerful && neverExpires:
			finding.Text = fmt.Sprintf("%s never expires, and makes whoever uses it %s.", what, report.WithArticle(invitation.InvitedAs.String()))
		case isPowerful:
			finding.Text = fmt.Sprintf("%s makes whoever uses it %s.", what, report.WithArticle(invitation.InvitedAs.String()))
		case neverExpires:
			finding.Text = what + " never expires."
		default:
			continue
		}
		if invitation.InvitedAs <= zulip.RoleAdministrator {
			finding.Severity = High
		}
		if isPowerful {
			role = cty.StringVal(zulip.RoleMember.String())
		}
		if finding.Change = m.linkChange(invitation, attribute{"invite_as", role}, attribute{"expires_in_minutes", expires}); !invitation.IsMultiuse {
			finding.Change = m.invitationChange(invitation, attribute{"invite_as", role})
		}
		m.addFinding(finding, m.access.People([]int64{invitation.InvitedByUserID}))
	}
}

// linkChange is a change of an invitation link. A link that nothing manages is not changed by a resource, which would create another.
func (m *maker) linkChange(link *zulip.Invitation, attributes ...attribute) string {
	of := target{resource: "zulip_invite_link", id: fmt.Sprint(link.ID)}
	switch all := m.options.Managed.all(of); {
	case len(all) > 0:
		return m.change(of, attributes...)
	case m.options.Managed != nil:
		return "# Nothing in the state or plan manages it: revoke it in the organization's settings.\n"
	}
	return "# If nothing manages it, revoke it in the organization's settings: a new resource would create another link.\n" + block(of.resource, of.label(), attributes)
}

// invitationChange is a change of an invitation by email.
func (m *maker) invitationChange(invitation *zulip.Invitation, one attribute) string {
	of := target{resource: "zulip_invitation", id: invitation.Email}
	switch all := m.options.Managed.all(of); {
	case len(all) > 0:
		return m.change(of, one)
	case m.options.Managed != nil:
		return "# Nothing in the state or plan manages it: revoke it in the organization's settings.\n"
	}
	return "# Revoke it in the organization's settings, or, if a zulip_invitation manages it, there: remove the resource or change its invite_as.\n"
}
