package review

import (
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planned is a permission that the plan changes.
type planned struct {
	change Change
	value  zulip.GroupSettingValue
	// unknown says that the value, or a part of it, is not known; why says what it depends on.
	unknown bool
	why     string
}

// plannedRights returns the permissions of one thing that a change writes, by name. held are the values now; of a thing
// that is yet to be created there are none, and what the configuration does not set is left to the server.
func (b *builder) plannedRights(c *change, table permission.Table, held map[string]zulip.GroupSettingValue) map[string]planned {
	all := map[string]planned{}
	for _, setting := range table.Settings {
		texts, unknown, ok := c.after().list(setting.Name)
		was, _, had := c.before().list(setting.Name)
		if !ok || unknown && !c.isSet(setting.Name) || !unknown && had && !c.does("create") && slices.Equal(texts, was) {
			continue
		}
		value, there := held[setting.Name]
		planned := planned{change: Change{After: Value{Words: texts, Unknown: unknown}}, unknown: unknown}
		if there {
			planned.change.Before.Words = words(value, b.names.View)
		}
		resolved, sure := b.names.resolve(texts)
		switch {
		case unknown:
			planned.why = "the plan does not know yet whom " + setting.Name + " will name"
		case !sure:
			planned.unknown, planned.why = true, "the organization has nobody whom "+setting.Name+" names"
		case there && permission.Equal(resolved, value, permission.NobodyID(b.names)):
			continue // somebody has done it by hand
		default:
			planned.change.After.Words, planned.value = words(resolved, b.names), resolved
		}
		all[setting.Name] = planned
	}
	return all
}

// holders compares whom a permission of a group or of the organization admits before and after; nil if nothing differs.
func (b *builder) holders(table permission.Table, setting permission.Setting, before, after zulip.GroupSettingValue, planned planned, changes bool) *Right {
	right := &Right{
		Name: setting.Name, Text: setting.Right, Gain: b.crowd.nobody(), Lose: b.crowd.nobody(),
		Change: planned.change, Unknown: planned.unknown, Why: planned.why,
	}
	if !changes {
		text := Value{Words: words(before, b.names.View)}
		right.Change = Change{text, text}
	}
	if !right.Unknown && b.after.IsUncertain(after) {
		right.Unknown, right.Why = true, "it is not known yet who will be in a group that it names"
	}
	if right.Unknown {
		return right
	}
	was, is := b.before.Admitted(table, setting, before), b.after.Admitted(table, setting, after)
	gain, lose := is.Minus(was), was.Minus(is).Minus(b.gone())
	right.Gain, right.Lose = b.crowd.of(gain), b.crowd.of(lose)
	right.NobodyLeft = is.IsEmpty() && !was.Minus(b.gone()).IsEmpty()
	if !changes && gain.IsEmpty() && lose.IsEmpty() {
		return nil
	}
	return right
}

// gone are those who are deactivated: that they can do nothing is said of them, and not of every right.
func (b *builder) gone() permission.People {
	return b.before.Everybody().Minus(b.after.Everybody())
}

// organization takes up the permissions of the organization.
func (b *builder) organization(c *change) {
	if c.does("delete") || c.Change.After == nil {
		return
	}
	b.realmRights = b.plannedRights(c, permission.Organizations, b.names.Realm().Permissions)
	for name, planned := range b.realmRights {
		if b.change.Organization[name] = planned.value; planned.unknown {
			b.change.Organization[name], b.vague = zulip.NamedGroup(somebody), true
		}
	}
	b.realmSettings(c)
}

// The settings of the organization that are no permissions and decide who may do what all the same.
const (
	waitingPeriod = "waiting_period_threshold"
	spectators    = "enable_spectator_access"
)

// settingRights says what follows from a setting, to follow "can".
var settingRights = map[string]string{
	waitingPeriod: "count as a full member, after so many days", spectators: "read what is public on the web, without an account",
}

// realmSettings takes up the settings beside the permissions.
func (b *builder) realmSettings(c *change) {
	if days, known := c.after().number(waitingPeriod); known && int(days) != b.names.Realm().WaitingPeriodThreshold {
		period := int(days)
		b.change.WaitingPeriod = &period
		b.realmSetting(waitingPeriod, said(fmt.Sprint(b.names.Realm().WaitingPeriodThreshold)), said(fmt.Sprint(days)))
	} else if c.after().isUnknown(waitingPeriod) && c.isSet(waitingPeriod) {
		b.change.WaitingPeriodUnknown = true
		b.realmSetting(waitingPeriod, said(fmt.Sprint(b.names.Realm().WaitingPeriodThreshold)), Value{Unknown: true})
	}
	now := string(b.names.Realm().Settings[spectators])
	if lets, known := c.after().flag(spectators); known && fmt.Sprint(lets) != now {
		b.change.Spectators = &lets
		b.realmSetting(spectators, said(now), said(fmt.Sprint(lets)))
	} else if c.after().isUnknown(spectators) && c.isSet(spectators) {
		b.change.SpectatorsUnknown = true
		b.realmSetting(spectators, said(now), Value{Unknown: true})
	}
}

func (b *builder) realmSetting(name string, before, after Value) {
	right := &Right{
		Name: name, Text: settingRights[name], Change: Change{before, after}, Gain: b.crowd.nobody(), Lose: b.crowd.nobody(), Unknown: after.Unknown,
	}
	if right.Unknown {
		right.Why = "the plan does not know " + name + " yet"
	}
	b.realmSettingRights = append(b.realmSettingRights, right)
}

// compareSettings says who comes to be a full member and who no longer is.
func (b *builder) compareSettings() {
	group, ok := b.names.UserGroupByName("role:fullmembers")
	for _, right := range b.realmSettingRights {
		if right.Name == waitingPeriod && ok && !right.Unknown {
			value := zulip.NamedGroup(group.ID)
			was, is := b.before.In(value), b.after.In(value)
			right.Gain, right.Lose = b.crowd.of(is.Minus(was)), b.crowd.of(was.Minus(is).Minus(b.gone()))
		}
		b.review.Rights = append(b.review.Rights, right)
	}
}

// compareOrganization says who gains and who loses a permission of the organization, named by the plan or not.
func (b *builder) compareOrganization() {
	for _, setting := range permission.RealmSettings {
		before, has := b.names.Realm().Permissions[setting.Name]
		planned, changes := b.realmRights[setting.Name]
		if !has && !changes {
			continue
		}
		after := before
		if changes {
			after = planned.value
		}
		if right := b.holders(permission.Organizations, setting, before, after, planned, changes); right != nil {
			b.review.Rights = append(b.review.Rights, right)
		}
	}
}
