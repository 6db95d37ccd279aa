package review

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// plannedPermission is a permission that the plan changes.
type plannedPermission struct {
	change report.Change
	value  zulip.GroupSettingValue
	// unknown says that the value, or a part of it, is not known; why says what it depends on.
	unknown bool
	why     string
}

// plannedRights returns the permissions of one thing that a change writes, by name. current are the values now; of a thing
// that is yet to be created there are none, and what the configuration does not set is left to the server.
func (b *builder) plannedRights(c *plan.Change, table permission.Table, current map[string]zulip.GroupSettingValue) map[string]plannedPermission {
	all := map[string]plannedPermission{}
	for _, setting := range table.Settings {
		texts, unknown, ok := c.After().List(setting.Name)
		was, _, had := c.Before().List(setting.Name)
		if !ok || unknown && !c.IsSet(setting.Name) || !unknown && had && !c.Does("create") && slices.Equal(texts, was) {
			continue
		}
		value, there := current[setting.Name]
		planned := plannedPermission{change: report.Change{After: report.Value{Texts: texts, Unknown: unknown}}, unknown: unknown}
		if there {
			planned.change.Before.Texts = permission.Texts(value, b.org.Snapshot)
		}
		resolved, sure := b.org.resolve(texts)
		switch {
		case unknown:
			planned.why = "the plan does not know yet whom " + setting.Name + " will name"
		case !sure:
			planned.unknown, planned.why = true, "the organization has nobody whom "+setting.Name+" names"
		case there && permission.Equal(resolved, value, permission.NobodyID(b.org)):
			continue // somebody has done it by hand
		default:
			planned.change.After.Texts, planned.value = permission.Texts(resolved, b.org), resolved
		}
		all[setting.Name] = planned
	}
	return all
}

// compareRight compares whom a permission of a group or of the organization admits before and after; nil if nothing differs.
func (b *builder) compareRight(table permission.Table, setting permission.Setting, before, after zulip.GroupSettingValue, planned plannedPermission, changes bool) *report.Right {
	right := &report.Right{
		Name: setting.Name, Text: setting.Right, Gain: b.people.Nobody(), Lose: b.people.Nobody(),
		Change: planned.change, Unknown: planned.unknown, Why: planned.why,
	}
	if !changes {
		text := report.Value{Texts: permission.Texts(before, b.org.Snapshot)}
		right.Change = report.Change{Before: text, After: text}
	}
	if !right.Unknown && b.after.IsUncertain(after) {
		right.Unknown, right.Why = true, "it is not known yet who will be in a group that it names"
	}
	if right.Unknown {
		return right
	}
	was, is := b.before.Admitted(table, setting, before), b.after.Admitted(table, setting, after)
	gain, lose := is.Minus(was), was.Minus(is).Minus(b.deactivated())
	right.Gain, right.Lose = b.people.Of(gain), b.people.Of(lose)
	right.NobodyLeft = is.IsEmpty() && !was.Minus(b.deactivated()).IsEmpty()
	if !changes && gain.IsEmpty() && lose.IsEmpty() {
		return nil
	}
	return right
}

// deactivated are those who are deactivated: that they can do nothing is said of them, and not of every right.
func (b *builder) deactivated() permission.People {
	return b.before.Everybody().Minus(b.after.Everybody())
}

// organization records the permissions of the organization.
func (b *builder) organization(c *plan.Change) {
	if c.Does("delete") || !c.HasAfter() {
		return
	}
	b.organizationRights = b.plannedRights(c, permission.Organizations, b.org.Realm().Permissions)
	for name, planned := range b.organizationRights {
		if b.change.Organization[name] = planned.value; planned.unknown {
			b.change.Organization[name], b.namesUnknownPeople = zulip.NamedGroup(unknownPeopleID), true
		}
	}
	b.organizationSettings(c)
}

// The settings of the organization that are no permissions and decide who may do what all the same.
const (
	waitingPeriod = "waiting_period_threshold"
	spectators    = "enable_spectator_access"
)

// settingRightTexts says what follows from a setting, to follow "can".
var settingRightTexts = map[string]string{
	waitingPeriod: "count as a full member, after so many days", spectators: "read what is public on the web, without an account",
}

// organizationSettings records the settings beside the permissions.
func (b *builder) organizationSettings(c *plan.Change) {
	if days, known := c.After().Number(waitingPeriod); known && int(days) != b.org.Realm().WaitingPeriodThreshold {
		period := int(days)
		b.change.WaitingPeriod = &period
		b.organizationSetting(waitingPeriod, report.ValueOf(fmt.Sprint(b.org.Realm().WaitingPeriodThreshold)), report.ValueOf(fmt.Sprint(days)))
	} else if c.After().IsUnknown(waitingPeriod) && c.IsSet(waitingPeriod) {
		b.change.WaitingPeriodUnknown = true
		b.organizationSetting(waitingPeriod, report.ValueOf(fmt.Sprint(b.org.Realm().WaitingPeriodThreshold)), report.Value{Unknown: true})
	}
	now := string(b.org.Realm().Settings[spectators])
	if lets, known := c.After().Flag(spectators); known && fmt.Sprint(lets) != now {
		b.change.Spectators = &lets
		b.organizationSetting(spectators, report.ValueOf(now), report.ValueOf(fmt.Sprint(lets)))
	} else if c.After().IsUnknown(spectators) && c.IsSet(spectators) {
		b.change.SpectatorsUnknown = true
		b.organizationSetting(spectators, report.ValueOf(now), report.Value{Unknown: true})
	}
}

func (b *builder) organizationSetting(name string, before, after report.Value) {
	right := &report.Right{
		Name: name, Text: settingRightTexts[name], Change: report.Change{Before: before, After: after}, Gain: b.people.Nobody(), Lose: b.people.Nobody(), Unknown: after.Unknown,
	}
	if right.Unknown {
		right.Why = "the plan does not know " + name + " yet"
	}
	b.settingRights = append(b.settingRights, right)
}

// compareSettings says who comes to be a full member and who no longer is.
func (b *builder) compareSettings() {
	group, ok := b.org.UserGroupByName("role:fullmembers")
	for _, right := range b.settingRights {
		if right.Name == waitingPeriod && ok && !right.Unknown {
			value := zulip.NamedGroup(group.ID)
			was, is := b.before.In(value), b.after.In(value)
			right.Gain, right.Lose = b.people.Of(is.Minus(was)), b.people.Of(was.Minus(is).Minus(b.deactivated()))
		}
		b.report.Rights = append(b.report.Rights, right)
	}
}

// compareOrganization says who gains and who loses a permission of the organization, named by the plan or not.
func (b *builder) compareOrganization() {
	for _, setting := range permission.RealmSettings {
		before, has := b.org.Realm().Permissions[setting.Name]
		planned, changes := b.organizationRights[setting.Name]
		if !has && !changes {
			continue
		}
		after := before
		if changes {
			after = planned.value
		}
		if right := b.compareRight(permission.Organizations, setting, before, after, planned, changes); right != nil {
			b.report.Rights = append(b.report.Rights, right)
		}
	}
}
