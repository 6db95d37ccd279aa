package audit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The permissions that findings are about.
const (
	canManageGroup = "can_manage_group"
	canAddMembers  = "can_add_members_group"
)

func (m *maker) findInGroups() {
	for _, group := range m.activeGroups() {
		where, managed := []string{fmt.Sprintf("user group %q", group.Name)}, m.options.Managed.addresses(groupTarget(&group.UserGroup))
		m.findDeactivatedMembers(&group.UserGroup, where, managed)
		for _, setting := range permission.UserGroupSettings {
			value, has := group.Permissions[setting.Name]
			if !has {
				continue
			}
			all, _ := m.org.People.HeldInGroup(setting.Name, group.Permissions).Certain()
			switch setting.Name {
			case canManageGroup:
				text, severity := "Its can_manage_group includes no active user: only people in the organization's can_manage_all_groups can manage it.", Low
				if all.IsEmpty() {
					text, severity = "No one can manage the group.", High
				}
				if m.access.Admitted(permission.UserGroups, setting, value).IsEmpty() {
					m.addFinding(Finding{Kind: NoAdministrator, Severity: severity, Where: where, Text: text, Resources: managed, Fix: addActive(canManageGroup)}, all)
				}
				m.findSinglePerson(where, "manage the group", canManageGroup, all, managed)
			case canAddMembers:
				m.findNamedGuests(where, setting.Action, setting.Name, value, managed)
				m.findBotsOfGuests(where, setting.Action, all)
			}
		}
	}
}

// findDeactivatedMembers finds deactivated groups and people in a group. From feature level 303 on, servers don't show
// deactivated people.
func (m *maker) findDeactivatedMembers(group *zulip.UserGroup, where, managed []string) {
	var people []int64
	var gone []string
	for _, user := range lists.Found(group.Members, m.view.User) {
		if !user.IsActive {
			people, gone = append(people, user.ID), append(gone, user.Address())
		}
	}
	for _, below := range lists.Found(group.DirectSubgroupIDs, m.view.UserGroup) {
		if below.Deactivated {
			gone = append(gone, fmt.Sprintf("the group %q", below.Name))
		}
	}
	if len(gone) == 0 {
		return
	}
	m.addDeactivated(Finding{
		Kind: DeactivatedMember, Severity: Medium, Where: where, Text: fmt.Sprintf("It contains deactivated users or groups: %s.", report.List(gone)),
		Resources: managed, Fix: "Remove them from members and subgroups of the group.",
	}, m.access.In(zulip.NamedGroup(group.ID)), people)
}

// addingPeople are the permissions of the organization to add or invite people.
var addingPeople = []string{"can_add_subscribers_group", "can_invite_users_group", "create_multiuse_invite_group"}

func (m *maker) findInOrganization() {
	realm := m.view.Realm()
	if realm == nil {
		return
	}
	where, managed := []string{inOrganizationText}, m.options.Managed.addresses(organizationTarget)
	for _, setting := range permission.RealmSettings {
		value, has := realm.Permissions[setting.Name]
		if !has {
			continue
		}
		who := m.access.Admitted(permission.Organizations, setting, value)
		if slices.Contains(addingPeople, setting.Name) {
			m.findNamedGuests(where, setting.Action, setting.Name, value, managed)
			m.findBotsOfGuests(where, setting.Action, who)
		}
		if len(setting.Roles) == 0 {
			m.findSinglePerson(where, setting.Action, setting.Name, who, managed)
		}
	}
	m.findOpenSignUp(realm, where, managed)
}

// findOpenSignUp reports if people can join without an invitation.
func (m *maker) findOpenSignUp(realm *zulip.Realm, where, managed []string) {
	if isRequired, known := realmSetting[bool](realm, "invite_required"); !known || isRequired {
		return
	}
	const fix = "If people should need an invitation, set invite_required to true."
	if isRestricted, _ := realmSetting[bool](realm, "emails_restricted_to_domains"); isRestricted {
		domains := lists.Map(m.view.Domains().List(), func(domain *zulip.Domain) string { return domain.Domain })
		text := "People can join without an invitation if their email has one of the organization's domains."
		if len(domains) > 0 {
			text = fmt.Sprintf("People can join without an invitation if their email is at %s.", report.List(domains))
		}
		m.addFinding(Finding{Kind: OpenSignUp, Severity: Medium, Where: where, Text: text, Resources: managed, Fix: fix}, permission.People{})
		return
	}
	m.addFinding(Finding{
		Kind: OpenSignUp, Severity: High, Where: where, Resources: managed, Fix: fix,
		Text: "Anyone can join without an invitation, with an email of any domain, if the authentication methods allow it.",
	}, permission.People{})
}

// realmSetting returns a setting of the organization; known is false where the server does not have it.
func realmSetting[T any](realm *zulip.Realm, name string) (value T, known bool) {
	raw, has := realm.Settings[name]
	known = has && json.Unmarshal(raw, &value) == nil
	return value, known
}

const inOrganizationText = "the organization"

// findBots finds bots with a high role, and bots without an active owner.
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
			Resources: m.options.Managed.addresses(botTarget(bot)), Fix: "Choose an active person as the owner, or deactivate the bot.",
		}
		if bot.BotOwnerID == nil {
			m.addFinding(finding, m.access.People([]int64{bot.ID}))
		} else if owner, ok := m.view.User(*bot.BotOwnerID); ok && !owner.IsActive {
			finding.Text = fmt.Sprintf("The owner of the bot, %s, is deactivated.", owner.Address())
			m.addDeactivated(finding, m.access.People([]int64{bot.ID}), []int64{owner.ID})
		}
	}
}

// Changes that a bot can't make. Only owners can manage zulip_domain and settings of several resources (server-behavior §O1, §U7).
// Only people can use some endpoints (server-behavior §R15).
const (
	forOwnersText = "changes that need an owner's key (zulip_domain, the roles of owners, message_retention_days, some settings of zulip_organization)"
	forPeopleText = "changes that need a person's key (zulip_bot, zulip_invite_link, zulip_custom_emoji)"
)

// findPowerfulBot finds bots with the role of an administrator or owner, and owners with a lower role than their bot.
// The account that audits is usually the one that Terraform uses, which needs the role of an administrator.
func (m *maker) findPowerfulBot(bot *zulip.User, where []string) {
	managed := m.options.Managed.addresses(botTarget(bot), target{"zulip_user_role", fmt.Sprint(bot.ID), ""})
	managed = append(managed, m.options.Managed.lists(target{"zulip_role_members", bot.Role.String(), ""}, bot)...)
	finding := Finding{
		Kind: BotAdministrator, Severity: High, Where: where, Text: fmt.Sprintf("The bot is an %s: anyone with its API key can do nearly everything.", bot.Role),
		Resources: managed, Fix: "If Terraform uses the bot, accept the finding in the --accepted file; otherwise give the bot the role \"member\".",
	}
	if bot.ID == m.facts.Self.ID {
		const nearly = "This bot makes the audit. It is an %s: anyone with its API key can do nearly everything. "
		const guide = " The guide \"Choose an account\" describes how to use less."
		if bot.Role == zulip.RoleOwner {
			finding.Text = fmt.Sprintf(nearly+"An administrator's key is enough for everything except %s; let an owner apply those."+guide, bot.Role, forOwnersText)
			finding.Fix = "Give the bot the role \"administrator\"."
		} else {
			finding.Severity = Medium
			finding.Text = fmt.Sprintf(nearly+"Terraform needs this role, which is enough for everything except %s and %s."+guide, bot.Role, forOwnersText, forPeopleText)
			finding.Fix = "If Terraform must manage permissions, accept the finding in the --accepted file."
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
		Kind: BotKey, Severity: High, Where: where, Resources: managed,
		Text: fmt.Sprintf("%s owns the bot and can use its API key to do what %s can. The owner's role is %s.", owner.Address(), report.WithArticle(bot.Role.String()), owner.Role),
	}
	if owner.Role == zulip.RoleAdministrator {
		finding.Severity = Medium
	}
	finding.Fix = fmt.Sprintf("Choose a bot owner with the role %s or higher, then generate a new API key for the bot.", bot.Role)
	m.addFinding(finding, m.access.People([]int64{bot.ID, owner.ID}))
}

// findInvitations finds invitations that never expire, and invitations with a role above member. The link of an
// invitation is a secret, so the audit doesn't have it.
func (m *maker) findInvitations() {
	for _, invitation := range m.facts.Invitations {
		where, what := []string{fmt.Sprintf("invitation link %d", invitation.ID)}, "The link"
		if !invitation.IsMultiuse {
			where, what = []string{"invitation of " + invitation.Email}, "The invitation"
		}
		finding := Finding{
			Kind: Invitation, Severity: Medium, Where: where, Fix: "Revoke the invitation, and invite the person as a member.",
			Resources: m.options.Managed.addresses(target{"zulip_invitation", invitation.Email, ""}),
		}
		if invitation.IsMultiuse {
			finding.Fix = "Revoke the link, or replace it with a link for members that expires."
			finding.Resources = m.options.Managed.addresses(target{"zulip_invite_link", fmt.Sprint(invitation.ID), ""})
		}
		isPowerful := invitation.InvitedAs <= zulip.RoleAdministrator || invitation.IsMultiuse && invitation.InvitedAs <= zulip.RoleModerator
		neverExpires := invitation.IsMultiuse && invitation.ExpiryDate == nil
		switch {
		case isPowerful && neverExpires:
			finding.Text = fmt.Sprintf("%s never expires and makes anyone who uses it %s.", what, report.WithArticle(invitation.InvitedAs.String()))
		case isPowerful:
			finding.Text = fmt.Sprintf("%s makes anyone who uses it %s.", what, report.WithArticle(invitation.InvitedAs.String()))
		case neverExpires:
			finding.Text = what + " never expires."
		default:
			continue
		}
		if invitation.InvitedAs <= zulip.RoleAdministrator {
			finding.Severity = High
		}
		m.addFinding(finding, m.access.People([]int64{invitation.InvitedByUserID}))
	}
}
