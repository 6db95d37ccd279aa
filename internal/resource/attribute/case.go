package attribute

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Outcome is what is to be done about one permission attribute.
type Outcome int

// The outcomes, in the order in which [PermissionPlan.Classify] decides between them.
const (
	// Unset is an attribute without a planned value. One that is not configured has its prior value in the plan: it is Unchanged.
	Unset Outcome = iota
	// Unknown is an attribute with a principal that is not known yet.
	Unknown
	// Unusable is an attribute with a principal that does not exist.
	Unusable
	// Unchanged is an attribute whose principals are those of the state.
	Unchanged
	// Planned is an attribute with a principal that this run creates or reactivates.
	Planned
	// Equivalent is an attribute whose principals have the effect of the raw value, though they are not written as
	// in the state.
	Equivalent
	// Written is an attribute whose value is to be sent.
	Written
)

// Case is what [PermissionPlan.Classify] found out about one permission attribute.
type Case struct {
	Outcome Outcome
	// Resolution is empty for an attribute that is unset or unknown.
	permission.Resolution
	Problems []permission.Problem
}

// classify decides what a plan or an apply does about one permission attribute. It is the only place that
// decides what is sent, so that a plan, its checks and its apply agree; whether the plan shows an equivalent value,
// [PermissionPlan.KeepEqual] decides. stated is the attribute in the state, nil for what is to be created; raw is the
// server's value that the plan was computed from, nil for one that was never read.
//
// A deactivated person or group has no effect in a permission and is never an error by itself. The server leaves
// deactivated people out of the values it returns, and refuses deactivated people and groups in the values it is sent
// (https://zulip.com/api/group-setting-values). So:
//
//	planned principals                              outcome     sent
//	those of the state, some deactivated            Unchanged   nothing
//	the same as in the state, in another form       Equivalent  nothing, and the plan shows no difference
//	  (group_id:N for group:NAME)
//	the same but for deactivated ones               Equivalent  nothing, and the plan shows the difference
//	the active ones differ from the state           Written     the active ones
//	deactivated ones alone, others in the state     Written     nobody
//	one that this run reactivates                   Planned     after the reactivation, all
//	one that is not known at plan                   Unknown     decided on apply, by this table
//
// The plan shows principals as the configuration has them, deactivated ones included: so it stays the same when somebody
// is deactivated between plan and apply. Who was left out is added once active again, for the value on the server then
// differs from the configuration; who was removed while deactivated, and is still in the value, is removed then.
func classify(planned types.Set, stated *types.Set, raw *zulip.GroupSettingValue, view *snapshot.Snapshot) Case {
	if planned.IsNull() {
		return Case{Outcome: Unset}
	}
	principals, known := PrincipalsOf(planned)
	if !known {
		return Case{Outcome: Unknown}
	}
	var found Case
	found.Resolution, found.Problems = permission.Resolve(principals, view)
	switch {
	case len(found.Problems) > 0:
		found.Outcome = Unusable
	case stated != nil && planned.Equal(*stated):
		found.Outcome = Unchanged
	case len(found.Planned) > 0:
		found.Outcome = Planned
	case raw != nil && found.isHeldIn(*raw, view):
		found.Outcome = Equivalent
	default:
		found.Outcome = Written
	}
	return found
}

// isHeldIn reports whether a value has the effect that was planned. Deactivated groups that the configuration names may
// be in it: the server shows those, unlike deactivated people.
func (c Case) isHeldIn(current zulip.GroupSettingValue, view *snapshot.Snapshot) bool {
	nobody := permission.NobodyID(view)
	current = activeMembers(current, view)
	if permission.Equal(c.Value, current, nobody) {
		return true
	}
	if current.IsNamed() {
		current = zulip.GroupSettingValue{DirectSubgroups: []int64{current.Group}}
	}
	current.DirectSubgroups = slices.DeleteFunc(slices.Clone(current.DirectSubgroups), func(id int64) bool {
		return slices.Contains(c.LeftOut.DirectSubgroups, id)
	})
	return permission.Equal(c.Value, current, nobody)
}

// isSameIn reports whether the principals of a state are the same, deactivated ones included, in any form.
func (c Case) isSameIn(prior types.Set, view *snapshot.Snapshot) bool {
	principals, _ := PrincipalsOf(prior)
	resolved, problems := permission.Resolve(principals, view)
	nobody := permission.NobodyID(view)
	return len(problems)+len(resolved.Planned) == 0 && permission.Equal(resolved.Value, c.Value, nobody) && permission.Equal(resolved.LeftOut, c.LeftOut, nobody)
}

// activeMembers returns a value without deactivated people. A value that was read before they were deactivated holds
// them, and one that is read now does not.
func activeMembers(value zulip.GroupSettingValue, view *snapshot.Snapshot) zulip.GroupSettingValue {
	value.DirectMembers = slices.DeleteFunc(slices.Clone(value.DirectMembers), func(id int64) bool {
		user, ok := view.User(id)
		return ok && !user.IsActive
	})
	return value
}

// DeactivatedPrincipals says on the pages of resources with permissions how deactivated people and groups are treated.
const DeactivatedPrincipals = `

Deactivated people and groups have no effect in a permission. A plan warns of those that the configuration names, and goes on:

| The configuration names | Plan and apply |
|---|---|
| somebody who has been deactivated since | No change. The server keeps the person in the value, hidden, until the value is next written. |
| the same people and groups as before, and somebody deactivated more or less | The plan shows the difference. Nothing is sent. |
| somebody deactivated, and others that change | The value is written without the deactivated. |
| nobody but deactivated people or groups | The value is written as nobody, if it is not so already. |
| somebody whom ` + "`adopt_deactivated`" + ` reactivates in the same run | The value is written with them. Refer to the resource that does it, so that it comes first. |
| an address that is known only on apply | Decided on apply, by the same rules. |

A plan can therefore add or remove somebody although the configuration has not changed: once somebody who was left out is active again, the next plan adds them. Somebody who was removed from the configuration while deactivated, and whom the server still keeps in the value, is removed by the next plan then.`

// warnDeactivated warns of the deactivated principals of a configured permission.
func warnDeactivated(setting string, configured types.Set, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	var principals []permission.Principal
	for _, element := range configured.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			if principal, err := permission.Parse(text.ValueString()); err == nil {
				principals = append(principals, principal)
			}
		}
	}
	resolved, _ := permission.Resolve(principals, view)
	if len(resolved.Deactivated) == 0 {
		return
	}
	texts := make([]string, len(resolved.Deactivated))
	for i, principal := range resolved.Deactivated {
		texts[i] = strconv.Quote(principal.String())
	}
	// The summary names nothing, so that the CLI can make one warning of many.
	diags.AddAttributeWarning(path.Root(setting), "Deactivated people and groups have no effect in a permission",
		fmt.Sprintf("%s names %s: deactivated. The server accepts nobody deactivated, so a value that is written leaves them out. Remove them from the configuration, or reactivate them. "+
			"If this configuration reactivates one (adopt_deactivated = true), refer to the resource that does (%s) instead of writing its name, so that it is planned first.",
			setting, strings.Join(texts, ", "), referenceTo(resolved.Deactivated[0])))
}

// referenceTo is how a configuration refers to the resource of a principal.
func referenceTo(principal permission.Principal) string {
	if principal.Kind == permission.KindUser || principal.Kind == permission.KindUserID {
		return `"user:${zulip_user.NAME.email}"`
	}
	return `"group:${zulip_user_group.NAME.name}"`
}
