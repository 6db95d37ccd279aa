package attribute

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Field is the row of an attribute that is a string, a boolean, a number or a set of strings.
type Field[Model, Object, Patch any, Value attr.Value] struct {
	Name string
	// Description describes the attribute on the pages of the resource and of data sources. Setting adds advice about
	// setting it on the page of the resource. Role and feature level are added automatically.
	Description, Setting string
	// Required is true if a configuration must set it, ReadOnly if it cannot.
	Required, ReadOnly bool
	// Follows is true if the value follows from other attributes, so that it is unknown while they change.
	Follows bool
	// Validators are validators of the attribute's type.
	Validators []validator.Describer
	// Requires is the role or permission that an account needs to set it. The zero value means that changing the
	// object is enough.
	Requires Requirement

	// At is where the model has it.
	At func(*Model) *Value
	// Read returns the value of an object; null if the server does not have the attribute.
	Read func(Object) Value
	// Send writes a planned value into an update of the current object.
	Send func(update *Patch, current Object, planned Value)
	// Text returns a value for messages, the same for two values with the same meaning. If it is nil, the value itself
	// is the text.
	Text func(Value) string
}

// AttributeName is the name of the attribute.
func (f Field[Model, Object, Patch, Value]) AttributeName() string { return f.Name }

// Takes returns the role or permission that an account needs to set the attribute.
func (f Field[Model, Object, Patch, Value]) Takes() Requirement { return f.Requires }

// ResourceAttribute describes the attribute in the schema of the resource.
func (f Field[Model, Object, Patch, Value]) ResourceAttribute(resource string) schema.Attribute {
	optional, text := !f.Required && !f.ReadOnly, f.Description
	for _, sentence := range []string{f.Setting, f.Requires.sentence(), needs(resource, f.Name)} {
		if sentence != "" {
			text += " " + sentence
		}
	}
	keep := !f.Required && !f.Follows
	switch any(*new(Value)).(type) {
	case types.String:
		return schema.StringAttribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.String](f.Validators), PlanModifiers: only[planmodifier.String](keep, stringplanmodifier.UseStateForUnknown),
		}
	case types.Bool:
		return schema.BoolAttribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Bool](f.Validators), PlanModifiers: only[planmodifier.Bool](keep, boolplanmodifier.UseStateForUnknown),
		}
	case types.Int64:
		return schema.Int64Attribute{
			Required: f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Int64](f.Validators), PlanModifiers: only[planmodifier.Int64](keep, int64planmodifier.UseStateForUnknown),
		}
	case types.Set:
		return schema.SetAttribute{
			ElementType: types.StringType,
			Required:    f.Required, Optional: optional, Computed: !f.Required, MarkdownDescription: text,
			Validators: all[validator.Set](f.Validators), PlanModifiers: only[planmodifier.Set](keep, setplanmodifier.UseStateForUnknown),
		}
	}
	panic(fmt.Sprintf("the attribute %s has a type that a row cannot have", f.Name))
}

// DataSourceAttribute describes the attribute in the schema of a data source.
func (f Field[Model, Object, Patch, Value]) DataSourceAttribute(resource string) datasourceschema.Attribute {
	text := f.Description
	if sentence := needs(resource, f.Name); sentence != "" {
		text += " " + sentence
	}
	switch any(*new(Value)).(type) {
	case types.String:
		return datasourceschema.StringAttribute{Computed: true, MarkdownDescription: text}
	case types.Bool:
		return datasourceschema.BoolAttribute{Computed: true, MarkdownDescription: text}
	case types.Int64:
		return datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: text}
	default:
		return datasourceschema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: text}
	}
}

// needs returns a sentence about the feature level of an attribute; "" if every server has it.
func needs(resource, name string) string {
	if level := featurelevel.Lookup(resource, name); level > 0 {
		return featurelevel.Sentence(level)
	}
	return ""
}

// all converts validators of one type. A validator of another type is a mistake in the table.
func all[Validator any](validators []validator.Describer) []Validator {
	typed := make([]Validator, len(validators))
	for i, one := range validators {
		var ok bool
		if typed[i], ok = one.(Validator); !ok {
			panic(fmt.Sprintf("a row has a validator of another type: %T", one))
		}
	}
	return typed
}

// only returns a list of one plan modifier, or of none.
func only[Modifier any](wanted bool, modifier func() Modifier) []Modifier {
	if !wanted {
		return nil
	}
	return []Modifier{modifier()}
}

// ReadInto sets the model to the object's value.
func (f Field[Model, Object, Patch, Value]) ReadInto(model *Model, object Object, _ Env, _ *diag.Diagnostics) {
	read, at := f.Read(object), f.At(model)
	if base.IsSet(*at) && !read.IsNull() && f.text(*at) == f.text(read) {
		return
	}
	*at = read
}

// Step returns the change to a planned value whose meaning differs from that of the prior one.
func (f Field[Model, Object, Patch, Value]) Step(prior *Prior[Model, Object], planned *Model, _ Env) (step change.Step[Object, Patch], problems []permission.Problem, found bool) {
	value := *f.At(planned)
	before, want := f.text(*f.At(prior.Values)), f.text(value)
	if f.ReadOnly || !base.IsSet(value) || before == want {
		return step, nil, false
	}
	return change.Step[Object, Patch]{
		Attribute: f.Name, Prior: f.quoted(*f.At(prior.Values)), Planned: f.quoted(value),
		Current: func(object Object) string { return f.quoted(f.Read(object)) },
		Put:     func(update *Patch, current Object, _ bool) { f.Send(update, current, value) },
	}, nil, true
}

// KeepPrior keeps the prior value if the planned one means the same, or if the server does not have the attribute,
// because it won't have it after the apply either.
func (f Field[Model, Object, Patch, Value]) KeepPrior(config, planned, prior *Model, _ Env) {
	plan, before := f.At(planned), *f.At(prior)
	switch {
	case (*plan).IsUnknown() && before.IsNull() && (*f.At(config)).IsNull(),
		base.IsSet(*plan) && !before.IsNull() && f.text(*plan) == f.text(before):
		*plan = before
	}
}

// KeepPlanned keeps the planned value, unless that is unknown.
func (f Field[Model, Object, Patch, Value]) KeepPlanned(model, planned *Model) {
	base.KeepKnown(f.At(model), *f.At(planned))
}

// ForgetUnknown makes an unknown value null.
func (f Field[Model, Object, Patch, Value]) ForgetUnknown(model *Model) {
	if at := f.At(model); (*at).IsUnknown() {
		*at = null[Value]()
	}
}

// null returns the null of a type.
func null[Value attr.Value]() (value Value) {
	if set, isSet := any(types.SetNull(types.StringType)).(Value); isSet {
		return set
	}
	return value // the zero value of the others is null
}

// quoted returns a value for messages, in which white space must be visible.
func (f Field[Model, Object, Patch, Value]) quoted(value Value) string {
	if _, isText := any(value).(types.String); isText {
		return strconv.Quote(f.text(value))
	}
	return f.text(value)
}

// text returns a value for comparison. Terraform normalizes every text to the Unicode normal form NFC, so that two
// forms of the same text must compare as equal.
func (f Field[Model, Object, Patch, Value]) text(value Value) string {
	if f.Text != nil {
		return norm.NFC.String(f.Text(value))
	}
	switch value := any(value).(type) {
	case types.String:
		return norm.NFC.String(value.ValueString())
	case types.Bool:
		return strconv.FormatBool(value.ValueBool())
	case types.Int64:
		return strconv.FormatInt(value.ValueInt64(), 10)
	}
	return norm.NFC.String(value.String())
}

// Outcome is the classification of a permission attribute in a plan or an apply.
type Outcome int

// The outcomes, in the order in which [PermissionPlan.Classify] decides between them.
const (
	// Unset is an attribute without a planned value. An attribute that is not configured has its prior value in the
	// plan, so it is Unchanged.
	Unset Outcome = iota
	// Unknown is an attribute with a principal that is not known yet.
	Unknown
	// Unchanged is an attribute whose principals are those of the state. If it is configured, a principal that does not
	// exist is still a problem.
	Unchanged
	// Unusable is an attribute with a principal that does not exist.
	Unusable
	// Planned is an attribute with a principal that this run creates or reactivates.
	Planned
	// Equivalent is an attribute whose principals have the effect of the raw value, but another form than in the state.
	Equivalent
	// Written is an attribute whose value must be sent.
	Written
)

// Case is the result of [PermissionPlan.Classify] for one permission attribute.
type Case struct {
	Outcome Outcome
	// Resolution is empty for an attribute that is unset or unknown.
	permission.Resolution
	Problems []permission.Problem
}

// classify decides how a plan or an apply treats one permission attribute. Only this function decides what is sent, so
// that a plan, its checks and its apply agree. [PermissionPlan.KeepEqual] decides whether the plan shows an equivalent
// value. stated is the attribute in the state, or nil for a new object. raw is the server's value that the plan was
// computed from, or nil if it was never read.
//
// A deactivated person or group has no effect in a permission and is never an error by itself. The server omits
// deactivated people from the values it returns, and refuses deactivated people and groups in requests
// (https://zulip.com/api/group-setting-values). So:
//
//	planned principals                              outcome     sent
//	those of the state, some deactivated or unseen  Unchanged   nothing
//	the same as in the state, in another form       Equivalent  nothing, and the plan shows no difference
//	  (group_id:N for group:NAME)
//	the same but for deactivated ones               Equivalent  nothing, and the plan shows the difference
//	the active ones differ from the state           Written     the active ones
//	deactivated ones alone, others in the state     Written     nobody
//	one that this run reactivates                   Planned     after the reactivation, all
//	one that is not known at plan                   Unknown     decided on apply, by this table
//
// The plan shows the principals of the configuration, including deactivated ones, so a deactivation between plan and
// apply does not change it. A reactivated user differs between the server's value and the configuration: the next plan
// adds or removes them as configured.
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
	case stated != nil && planned.Equal(*stated):
		// The account need not see the email of someone in it. But the plan may take a name in it from its user or group.
		found.Outcome = Unchanged
		found.Problems = slices.DeleteFunc(found.Problems, func(one permission.Problem) bool {
			_, isTaken := view.Reassigned(one.Principal)
			return !isTaken
		})
	case len(found.Problems) > 0:
		found.Outcome = Unusable
	case len(found.Planned) > 0:
		found.Outcome = Planned
	case raw != nil && found.isHeldIn(*raw, view):
		found.Outcome = Equivalent
	default:
		found.Outcome = Written
	}
	return found
}

// isHeldIn reports whether a value has the planned effect. It may contain deactivated groups of the configuration,
// because the server shows them, unlike deactivated people.
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

// isSameIn reports whether the principals of a state are the same, including deactivated ones, in any form.
func (c Case) isSameIn(prior types.Set, view *snapshot.Snapshot) bool {
	principals, _ := PrincipalsOf(prior)
	resolved, problems := permission.Resolve(principals, view)
	nobody := permission.NobodyID(view)
	return len(problems)+len(resolved.Planned) == 0 && permission.Equal(resolved.Value, c.Value, nobody) && permission.Equal(resolved.LeftOut, c.LeftOut, nobody)
}

// activeMembers returns a value without deactivated people. A value that was read before their deactivation has them,
// unlike one that is read now.
func activeMembers(value zulip.GroupSettingValue, view *snapshot.Snapshot) zulip.GroupSettingValue {
	value.DirectMembers = slices.DeleteFunc(slices.Clone(value.DirectMembers), func(id int64) bool {
		user, ok := view.User(id)
		return ok && !user.IsActive
	})
	return value
}

// KnownPart returns the value of the known principals of a set that exist now.
func KnownPart(set types.Set, view *snapshot.Snapshot) zulip.GroupSettingValue {
	resolved, _ := permission.Resolve(knownPrincipals(set), view)
	return resolved.Value
}

// knownPrincipals returns the known principals of a set.
func knownPrincipals(set types.Set) (principals []permission.Principal) {
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			if principal, err := permission.Parse(text.ValueString()); err == nil {
				principals = append(principals, principal)
			}
		}
	}
	return principals
}

// warnDeactivated warns about the deactivated principals of a configured permission.
func warnDeactivated(setting string, configured types.Set, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	resolved, _ := permission.Resolve(knownPrincipals(configured), view)
	if len(resolved.Deactivated) == 0 {
		return
	}
	texts := make([]string, len(resolved.Deactivated))
	for i, principal := range resolved.Deactivated {
		texts[i] = strconv.Quote(principal.String())
	}
	// The summary has no names, so that Terraform can combine many warnings into one.
	diags.AddAttributeWarning(path.Root(setting), "Deactivated people and groups have no effect in a permission",
		fmt.Sprintf("%s names %s: deactivated. The server accepts no deactivated users or groups, so the provider leaves them out of the value. Remove them from the configuration, or reactivate them: the next plan after that adds them. "+
			"If this configuration reactivates one (adopt_deactivated = true), reference that resource (%s) instead of writing its name, so that Terraform plans it first.",
			setting, strings.Join(texts, ", "), referenceTo(resolved.Deactivated[0])))
}

// referenceTo returns a reference to the resource of a principal.
func referenceTo(principal permission.Principal) string {
	if principal.Kind == permission.KindUser || principal.Kind == permission.KindUserID {
		return `"user:${zulip_user.NAME.email}"`
	}
	return `"group:${zulip_user_group.NAME.name}"`
}

// Requirement is the role or permission that an account needs to set an attribute, besides the one to change the
// object.
type Requirement struct {
	// Role is the lowest role that can set it; zero for any.
	Role zulip.Role
	// Permission is a permission of the organization with which accounts below administrators can set it; "" if any account
	// can.
	Permission string
	// Except is a value that does not require the permission.
	Except string
}

// sentence returns the sentence about the requirement on a page.
func (r Requirement) sentence() string {
	switch r.Role {
	case zulip.RoleOwner:
		return "Only owners can set it."
	case zulip.RoleAdministrator:
		return "Only administrators can set it."
	}
	return ""
}

// CheckPermissions refuses steps that the account can't make, and names who can.
func (t *Table[Model, Object, Patch]) CheckPermissions(b *base.Base, steps []change.Step[Object, Patch], view *snapshot.Snapshot, diags *diag.Diagnostics) {
	for _, step := range steps {
		takes := t.Requires(step.Attribute)
		if takes.Role != 0 {
			b.Meta.RequireRole(takes.Role, path.Root(step.Attribute), "set "+step.Attribute, diags)
		}
		if takes.Permission != "" && step.Planned != strconv.Quote(takes.Except) {
			requirePermission(b.Meta, step.Attribute, takes.Permission, view, diags)
		}
	}
}

// Requires returns the role or permission that an account needs to set an attribute.
func (t *Table[Model, Object, Patch]) Requires(attribute string) Requirement {
	for _, row := range t.Rows {
		if row.AttributeName() == attribute {
			return row.Takes()
		}
	}
	return t.Permissions[attribute].Requires
}

// requirePermission refuses a change unless the account is an administrator or in a permission of the organization.
func requirePermission(meta *base.Meta, attribute, name string, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	self := meta.Store.Self()
	value, ok := view.Realm().Permissions[name]
	if self.Role <= zulip.RoleAdministrator || !ok || permission.Admits(value, self, view) {
		return
	}
	meta.Lack(path.Root(attribute), "set "+attribute, fmt.Sprintf("This requires an administrator or owner of the organization, or a user whom the organization's setting %s names: %s.",
		name, permission.Describe(value, view)), diags)
}
