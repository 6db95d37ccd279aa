package attribute

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Sets returns the place of a permission attribute in a model.
type Sets func(setting string) *types.Set

// NamedUsers returns the emails that the permissions of a table name, for [store.Store.ReadNaming].
func (s Sets) NamedUsers(table permission.Table) (addresses []string) {
	for _, setting := range table.Settings {
		for _, element := range s(setting.Name).Elements() {
			if text, ok := element.(types.String); ok {
				if address, ok := strings.CutPrefix(text.ValueString(), "user:"); ok {
					addresses = append(addresses, address)
				}
			}
		}
	}
	return addresses
}

// Read sets the permissions to the server's values, and keeps sets with the same meaning. A permission that the server
// does not have is null.
func (s Sets) Read(table permission.Table, held map[string]zulip.GroupSettingValue, view *snapshot.Snapshot) {
	for _, setting := range table.All() {
		attribute := s(setting.Name)
		value, ok := held[setting.Name]
		if !ok {
			*attribute = types.SetNull(types.StringType)
			continue
		}
		*attribute = keepOrFormat(*attribute, value, view)
	}
}

// ForgetUnknown makes unknown values null, because a state can't have them.
func (s Sets) ForgetUnknown(table permission.Table) {
	for _, setting := range table.All() {
		if attribute := s(setting.Name); attribute.IsUnknown() {
			*attribute = types.SetNull(types.StringType)
		}
	}
}

// Keep replaces the permissions that were read after an apply by the known ones of its plan, and returns the
// permissions that differ.
func (s Sets) Keep(table permission.Table, plan Sets) (differing []string) {
	for _, setting := range table.All() {
		if base.KeepKnown(s(setting.Name), *plan(setting.Name)) {
			differing = append(differing, setting.Name)
		}
	}
	return differing
}

// Complete returns the raw permissions of the private state, and those of the principals in a state without raw ones.
func (s Sets) Complete(table permission.Table, raw map[string]zulip.GroupSettingValue, view *snapshot.Snapshot) map[string]zulip.GroupSettingValue {
	complete := map[string]zulip.GroupSettingValue{}
	for _, setting := range table.Settings {
		if value, ok := raw[setting.Name]; ok {
			complete[setting.Name] = value
		} else if principals, known := PrincipalsOf(*s(setting.Name)); known && !s(setting.Name).IsNull() {
			resolved, _ := permission.Resolve(principals, view)
			complete[setting.Name] = resolved.Value
		}
	}
	return complete
}

// PermissionPlan is a plan of permissions while it is checked.
type PermissionPlan struct {
	Table        permission.Table
	Config, Plan Sets
	// State is nil for an object that does not exist yet.
	State Sets
	// Prior has the values that the plan is computed from.
	Prior map[string]zulip.GroupSettingValue
	View  *snapshot.Snapshot
}

// KeepEqual keeps the state's principals if the configuration means the same, so that a plan shows no spurious
// difference.
func (p PermissionPlan) KeepEqual() {
	if p.State == nil {
		return
	}
	for _, setting := range p.Table.All() {
		planned, stated := p.Plan(setting.Name), *p.State(setting.Name)
		if planned.IsUnknown() && stated.IsNull() && p.Config(setting.Name).IsNull() {
			// The server does not have the setting, and will not have it after this apply either.
			*planned = stated
			continue
		}
		if stated.IsNull() {
			continue
		}
		if found := p.Classify(setting.Name); found.Outcome == Equivalent && found.isSameIn(stated, p.View) {
			*planned = stated
		}
	}
}

// Classify classifies the change of one permission.
func (p PermissionPlan) Classify(setting string) Case {
	var stated *types.Set
	if p.State != nil {
		stated = p.State(setting)
	}
	var raw *zulip.GroupSettingValue
	if value, ok := p.Prior[setting]; ok {
		raw = &value
	}
	found := classify(*p.Plan(setting), stated, raw, p.View)
	for i, problem := range found.Problems {
		found.Problems[i] = problem.For(setting, p.supported(setting), p.View)
	}
	return found
}

// supported returns the supported values of a permission.
func (p PermissionPlan) supported(setting string) zulip.SupportedPermission {
	all := p.Table.All()
	i := slices.IndexFunc(all, func(one permission.Spec) bool { return one.Name == setting })
	return p.Table.Supported(all[i], p.View.Realm())
}

// Check resolves every permission of the configuration and refuses unsupported values.
func (p PermissionPlan) Check(diags *diag.Diagnostics) {
	for _, setting := range p.Table.Settings {
		if p.Config(setting.Name).IsNull() {
			continue
		}
		p.check(setting, diags)
	}
}

func (p PermissionPlan) check(setting permission.Spec, diags *diag.Diagnostics) {
	at, found := path.Root(setting.Name), p.Classify(setting.Name)
	lookup.NameInPlan(p.View, at, diags, knownPrincipals(*p.Config(setting.Name))...)
	warnDeactivated(setting.Name, *p.Config(setting.Name), p.View, diags)
	addProblems(diags, at, found.Problems)
	supported := p.Table.Supported(setting, p.View.Realm())
	if found.Outcome != Written {
		if named := knownPrincipals(*p.Config(setting.Name)); supported.RequireSystemGroup && len(found.Problems) == 0 && slices.ContainsFunc(named, permission.Principal.IsNoRole) {
			diags.AddAttributeError(at, "Not allowed for "+setting.Name, fmt.Sprintf("%s takes a single role, and no users or other groups.", setting.Name))
		}
		return
	}
	if err := permission.Allowed(setting.Name, supported, found.Value, p.View); err != nil {
		diags.AddAttributeError(at, "Not allowed for "+setting.Name, base.Sentence(err))
	}
	if setting.NeverGuests(supported) {
		warnGuests(at, found.Value, p.View, diags)
	}
}

// warnGuests warns about the guests among the users of a permission that guests never have.
func warnGuests(at path.Path, value zulip.GroupSettingValue, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	guests := slices.DeleteFunc(slices.Clone(value.DirectMembers), func(id int64) bool {
		user, ok := view.User(id)
		return !ok || user.Role != zulip.RoleGuest
	})
	if len(guests) > 0 {
		diags.AddAttributeWarning(at, "Guests have no effect in this permission",
			fmt.Sprintf("%s names guests, who never have this permission: %s. Remove them, or give them another role first.",
				at, permission.Describe(zulip.GroupSettingValue{DirectMembers: guests}, view)))
	}
}

// Admits reports whether a planned permission will admit a user. It assumes so of unknown and unmanaged permissions.
func (s Sets) Admits(setting string, user *zulip.User, view *snapshot.Snapshot) bool {
	set := *s(setting)
	principals, known := PrincipalsOf(set)
	if !known || set.IsNull() {
		return true
	}
	resolved, problems := permission.Resolve(principals, view)
	return len(problems) > 0 || len(resolved.Planned) > 0 || permission.Admits(resolved.Value, user, view)
}

// privateKey is the key of the raw permissions in the private state.
const privateKey = "permissions"

// Raw returns the server's permissions from the time of the state. A plan compares with them, and an apply uses them as
// prior values. The old value in a request is read again before it.
func Raw(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) map[string]zulip.GroupSettingValue {
	raw := map[string]zulip.GroupSettingValue{}
	base.ReadPrivate(ctx, private, privateKey, &raw, diags)
	return raw
}

// emailsKey is the key of the IDs in the private state of the people whom the permissions name by emails.
const emailsKey = "emails"

// Emails returns the IDs of the people whom the permissions of the state name by emails, for [snapshot.Snapshot.Knowing].
func Emails(ctx context.Context, private base.PrivateGetter, diags *diag.Diagnostics) map[string]int64 {
	emails := map[string]int64{}
	base.ReadPrivate(ctx, private, emailsKey, &emails, diags)
	return emails
}

// emails returns the IDs of the people whom the permissions name by emails.
func (s Sets) emails(table permission.Table, view *snapshot.Snapshot) map[string]int64 {
	emails := map[string]int64{}
	for _, email := range s.NamedUsers(table) {
		if user, ok := view.UserByAddress(email); ok {
			emails[email] = user.ID
		}
	}
	return emails
}

// KeepRaw writes the server's permissions into the private state, and the IDs of the people whom they name by emails. It
// omits permissions that follow from the state itself.
func KeepRaw(ctx context.Context, private base.PrivateSetter, held map[string]zulip.GroupSettingValue, leftOut []string, emails map[string]int64, diags *diag.Diagnostics) {
	permissions := maps.Clone(held)
	for _, setting := range leftOut {
		delete(permissions, setting)
	}
	base.WritePrivate(ctx, private, privateKey, permissions, diags)
	if len(emails) == 0 {
		diags.Append(private.SetKey(ctx, emailsKey, nil)...) // which removes them
		return
	}
	base.WritePrivate(ctx, private, emailsKey, emails, diags)
}

// Permissions is the part of a [change.Subject] that all objects with permissions share: the permissions of a T, and their
// changes in an update U.
type Permissions[T, U any] struct {
	Table   permission.Table
	Values  func(T) map[string]zulip.GroupSettingValue
	Changes func(*U) *map[string]zulip.GroupSettingChange
}

// Steps returns the permissions that change from prior values, in the table's order, as [PermissionPlan.Classify]
// decides. before are the attributes of the state, or nil for an object that does not exist yet. It returns
// principals that cannot be sent as problems.
func (p Permissions[T, U]) Steps(prior map[string]zulip.GroupSettingValue, before, plan Sets, view *snapshot.Snapshot) (all []change.Step[T, U], problems []permission.Problem) {
	table := PermissionPlan{Table: p.Table, Plan: plan, State: before, Prior: prior, View: view}
	for _, setting := range p.Table.Settings {
		found := table.Classify(setting.Name)
		switch found.Outcome {
		case Unusable, Planned, Written:
		default:
			continue
		}
		problems = append(problems, found.Problems...)
		for _, principal := range found.Planned {
			summary, detail := base.StillMissing(principal.String())
			problems = append(problems, permission.Problem{Principal: principal, Summary: summary, Detail: detail})
		}
		step := p.Step(setting.Name, prior[setting.Name], found.Value, view)
		if principals, _ := PrincipalsOf(*plan(setting.Name)); len(found.Planned) > 0 {
			texts := lists.Map(principals, permission.Principal.String)
			slices.Sort(texts)
			step.Planned = permission.DescribeTexts(texts)
		}
		all = append(all, step)
	}
	return all, problems
}

// Step returns the change of one permission from a prior value to a planned one. It removes deactivated people, who
// have no effect in a permission, from every value.
func (p Permissions[T, U]) Step(setting string, prior, want zulip.GroupSettingValue, view *snapshot.Snapshot) change.Step[T, U] {
	return p.step(setting, prior, want, view, nil)
}

// step is Step after known effects.
func (p Permissions[T, U]) step(setting string, prior, want zulip.GroupSettingValue, view *snapshot.Snapshot, known *effects.Log) change.Step[T, U] {
	describe := func(value zulip.GroupSettingValue) string {
		return permission.Describe(activeMembers(after(known, value, nil), view), view)
	}
	return change.Step[T, U]{
		Attribute: setting, Permission: true, Current: func(thing T) string { return describe(p.Values(thing)[setting]) },
		Prior: describe(prior), Planned: permission.Describe(want, view),
		Put: func(update *U, now T, compare bool) {
			changes := p.Changes(update)
			if *changes == nil {
				*changes = map[string]zulip.GroupSettingChange{}
			}
			change := zulip.GroupSettingChange{New: want}
			// A value that is not in the server's stored form hides a deactivated user. The server would compare an old
			// value with the hidden one and refuse it. So the provider, which has just read and compared the value,
			// sends no old value. If a value hides a user without such a sign, only a refused request shows it.
			old, ok := p.Values(now)[setting]
			if ok && permission.IsCanonical(old, permission.NobodyID(view)) && (compare || old.IsNamed()) {
				change.Old = &old
			}
			(*changes)[setting] = change
		},
		After: func(known *effects.Log, now T) change.Step[T, U] {
			return p.step(setting, after(known, prior, p.Values(now)[setting].DirectMembers), after(known, want, nil), view, known)
		},
		People: func(now T) []int64 {
			current := p.Values(now)[setting].DirectMembers
			return sets.Differing(prior.DirectMembers, current, want.DirectMembers)
		},
	}
}

// Removals returns the changes that remove a group from permissions with prior values, by name.
func (p Permissions[T, U]) Removals(prior map[string]zulip.GroupSettingValue, group int64, view *snapshot.Snapshot) (all []change.Step[T, U]) {
	for _, setting := range slices.Sorted(maps.Keys(prior)) {
		all = append(all, p.removal(setting, p.Table.Without(setting, prior[setting], group, view), group, view, nil))
	}
	return all
}

// removal is the change that leaves a value without a group, after known effects. Any value that does not name the group
// is as planned, because another resource of the run may change the permission too.
func (p Permissions[T, U]) removal(setting string, rest zulip.GroupSettingValue, group int64, view *snapshot.Snapshot, known *effects.Log) change.Step[T, U] {
	named := func(rest zulip.GroupSettingValue) string {
		if rest.DirectSubgroups = append(slices.Clone(rest.DirectSubgroups), group); rest.IsNamed() {
			rest = zulip.GroupSettingValue{DirectSubgroups: []int64{rest.Group, group}}
		}
		return permission.Describe(activeMembers(rest, view), view)
	}
	one := p.Step(setting, rest, permission.Canonical(rest, permission.NobodyID(view)), view)
	one.Prior = named(rest)
	one.Current = func(thing T) string {
		value := p.Values(thing)[setting]
		if !permission.Names(value, group) {
			return one.Planned
		}
		return named(after(known, p.Table.Without(setting, value, group, view), nil))
	}
	one.Put = func(update *U, now T, compare bool) {
		value := p.Table.Without(setting, p.Values(now)[setting], group, view)
		p.Step(setting, rest, permission.Canonical(value, permission.NobodyID(view)), view).Put(update, now, compare)
	}
	one.After = func(known *effects.Log, now T) change.Step[T, U] {
		return p.removal(setting, after(known, rest, p.Values(now)[setting].DirectMembers), group, view, known)
	}
	return one
}

// after returns a value after known effects. current are the people in it now.
func after(known *effects.Log, value zulip.GroupSettingValue, current []int64) zulip.GroupSettingValue {
	if value.IsNamed() {
		if len(known.After(effects.Subgroups, []int64{value.Group}, nil)) == 0 {
			return zulip.GroupSettingValue{}
		}
		return value
	}
	value.DirectMembers = known.After(effects.Members, value.DirectMembers, current)
	value.DirectSubgroups = known.After(effects.Subgroups, value.DirectSubgroups, nil)
	return value
}

// ReportProblems reports principals that an apply found unusable.
func ReportProblems(diags *diag.Diagnostics, problems []permission.Problem) {
	for _, problem := range problems {
		diags.AddError(problem.Summary, problem.Detail)
	}
}
