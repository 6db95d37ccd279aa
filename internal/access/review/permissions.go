package review

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// plannedPermissions returns the permissions of an object that a change writes, by name. current are its values now. A new
// object has none, and the server decides the permissions that the configuration leaves out.
func (b *builder) plannedPermissions(c *plan.Change, table permission.Table, current map[string]zulip.GroupSettingValue) map[string]access.PlannedPermission {
	all := map[string]access.PlannedPermission{}
	for _, setting := range table.Settings {
		texts, unknown, ok := c.After().List(setting.Name)
		was, _, had := c.Before().List(setting.Name)
		if !ok || unknown && !c.IsSet(setting.Name) || !unknown && had && slices.Equal(texts, was) {
			continue
		}
		value, there := current[setting.Name]
		planned := access.PlannedPermission{Text: report.Value{Values: texts, Unknown: unknown}, Unknown: unknown}
		resolved, sure := b.org.resolve(texts)
		may := b.everybody()
		if unknown {
			resolved, may = b.withUnknown(c, setting.Name, resolved)
		}
		switch {
		case slices.ContainsFunc(texts, b.org.changesHands) && !c.RefersTo(setting.Name):
			planned.Unknown, planned.Why = true, "this plan gives the name of a user group that "+setting.Name+" names to another group"
			planned.Value = b.partlyKnown(zulip.GroupSettingValue{}, b.everybody())
		case !sure:
			planned.Unknown, planned.Why = true, "the organization doesn't have someone whom "+setting.Name+" names"
			planned.Value = b.partlyKnown(resolved, b.everybody())
		case unknown && len(may) > 0:
			planned.Why = "the plan doesn't know " + setting.Name + " yet"
			planned.Value = b.partlyKnown(resolved, may)
		case there && permission.Equal(resolved, value, permission.NobodyID(b.org)):
			continue // it already has this value
		default:
			planned.Unknown, planned.Text.Unknown = false, false
			planned.Text.Values, planned.Value = permission.Texts(resolved, b.org), resolved
		}
		if c.After().IsSecret(setting.Name) {
			planned.Text.Values = []string{plan.Masked}
		}
		all[setting.Name] = planned
	}
	return all
}

// withUnknown adds the objects that the unknown elements of a permission stand for to its value, and returns the people who
// may have it besides.
func (b *builder) withUnknown(c *plan.Change, name string, value zulip.GroupSettingValue) (all zulip.GroupSettingValue, may []int64) {
	nobody := permission.NobodyID(b.org)
	if value.IsNamed() {
		value = zulip.GroupSettingValue{DirectSubgroups: sets.Without([]int64{value.Group}, []int64{nobody})}
	}
	l := list{accounts: value.DirectMembers, groups: value.DirectSubgroups}
	b.addUnknown(&l, c, name)
	return permission.Canonical(zulip.GroupSettingValue{DirectMembers: l.accounts, DirectSubgroups: l.groups}, nobody), l.may
}

// organization applies a zulip_organization.
func (b *builder) organization(c *plan.Change) {
	var planned map[string]access.PlannedPermission
	switch {
	case c.Does("delete"):
		planned = b.resetPermissions(c)
	case c.HasAfter():
		planned = b.plannedPermissions(c, permission.Organizations, b.is.Permissions)
		b.organizationSettings(c)
		if required, ok := c.After().Flag("invite_required"); ok {
			b.is.Joining.InviteRequired = &required
		} else if c.SetsUnknown("invite_required") {
			b.is.Joining.InviteRequired = nil
		}
	}
	maps.Copy(b.is.Planned, planned)
	b.is.Permissions = withPlanned(b.is.Permissions, planned)
}

// invitation applies a zulip_invite_link or zulip_invitation. A revoked invitation counts until it is revoked.
func (b *builder) invitation(c *plan.Change) {
	text, known := c.After().Plain("invite_as")
	role, ok := zulip.ParseRole(text)
	switch {
	case known && ok && role < zulip.RoleMember:
		b.is.Joining.Invitations = append(b.is.Joining.Invitations, access.Invitation{Text: c.Address, IsForOne: c.Type == "zulip_invitation", Role: role})
	case c.SetsUnknown("invite_as"):
		b.unknown(access.OfJoining, "The role that %s gives isn't known yet.", c.Address)
	}
}

// plannedPermission returns a known value of a permission, with its words.
func (b *builder) plannedPermission(value zulip.GroupSettingValue) access.PlannedPermission {
	return access.PlannedPermission{Text: report.Value{Values: permission.Texts(value, b.org)}, Value: value}
}

// resetPermissions returns the permissions that destroying the organization's resource resets.
func (b *builder) resetPermissions(c *plan.Change) map[string]access.PlannedPermission {
	all := map[string]access.PlannedPermission{}
	if onDestroy, _ := c.Before().Plain("on_destroy"); onDestroy != "reset" {
		return all
	}
	managed, _, _ := c.Before().List("reset_permissions")
	for name, principal := range permission.ResetsOf(b.org.Realm(), managed, b.org) {
		if resolved, sure := b.org.resolve([]string{principal.String()}); sure {
			all[name] = b.plannedPermission(resolved)
		}
	}
	return all
}

// settingPermissionTexts are the effects of settings, to follow "can".
var settingPermissionTexts = map[string]string{
	report.WaitingPeriod: "become a full member, after so many days", report.SpectatorAccess: "read web-public channels without an account",
}

// organizationSettings records the settings that affect access but aren't permissions.
func (b *builder) organizationSettings(c *plan.Change) {
	daysNow := b.org.Realm().WaitingPeriodThreshold
	if days, known := c.After().Number(report.WaitingPeriod); known && int(days) != daysNow {
		b.change.WaitingPeriod = new(int(days))
		b.organizationSetting(report.WaitingPeriod, report.ValueOf(fmt.Sprint(daysNow)), report.ValueOf(fmt.Sprint(days)))
	} else if c.SetsUnknown(report.WaitingPeriod) {
		b.change.WaitingPeriodUnknown = true
		b.organizationSetting(report.WaitingPeriod, report.ValueOf(fmt.Sprint(daysNow)), report.Value{Unknown: true})
	}
	now := string(b.org.Realm().Settings[report.SpectatorAccess])
	if lets, known := c.After().Flag(report.SpectatorAccess); known && fmt.Sprint(lets) != now {
		b.change.Spectators = &lets
		b.organizationSetting(report.SpectatorAccess, report.ValueOf(now), report.ValueOf(fmt.Sprint(lets)))
	} else if c.SetsUnknown(report.SpectatorAccess) {
		b.change.SpectatorsUnknown = true
		b.organizationSetting(report.SpectatorAccess, report.ValueOf(now), report.Value{Unknown: true})
	}
}

func (b *builder) organizationSetting(name string, before, after report.Value) {
	was := &access.EffectivePermission{Name: name, Text: settingPermissionTexts[name], Value: before}
	is := &access.EffectivePermission{Name: name, Text: settingPermissionTexts[name], Value: after}
	if after.Unknown {
		is.Held, is.Why = permission.HeldByUnknown(), "the plan doesn't know "+name+" yet"
	}
	b.was.Effective, b.is.Effective = append(b.was.Effective, was), append(b.is.Effective, is)
}

// fullMembers computes who is a full member if the waiting period changes.
func (b *builder) fullMembers() {
	fullMembers, ok := b.org.UserGroupByName("role:fullmembers")
	for i, is := range b.is.Effective {
		if is.Name == report.WaitingPeriod && ok && !is.Value.Unknown {
			value := zulip.NamedGroup(fullMembers.ID)
			b.was.Effective[i].Held, is.Held = b.was.People.In(value).Held(), b.is.People.In(value).Held()
		}
	}
}
