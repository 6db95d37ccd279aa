// Package attribute describes a resource as a table in which every attribute is one row: what the schema says of it, where
// the model has it, how it is read from what the server holds, how it is sent, and who may set it. The attributes of the
// resource and of its data sources, what a plan changes, what an apply sends, what counts as a conflict and what an account
// may not do follow from the rows.
//
// A [Table] has three type parameters: the model, which is a struct with tfsdk tags (the plugin framework asks for one);
// the object as the client reads it; and the update as the client sends it. A [Field] is the row of one attribute. What is
// read or sent in an unusual way is a row of its own type, which embeds a Field and replaces methods. Permissions are rows of
// [permission.Table] already: the table only says where the model has them.
//
// A prior value is what the plan was computed from, a planned value what it asks for, and the current value what the server
// has when the plan is applied. A current value that is neither is a conflict, and is not overwritten: see
// [Subject]. An attribute that is unset is read and never sent.
//
// # Permissions
//
// Channels, user groups and the organization have attributes that are permissions: sets of
// principals, as in can_send_message_group = ["role:members"]. [Attributes] are their schema, [Sets] their place in a model,
// [PermissionPlan] the checks of a plan, and [Permissions] makes the steps that an apply sends.
//
// Which permissions there are is in the tables of package permission. The values that the server had when the state was read
// are kept in the private state: [Raw] and [KeepRaw].
//
// # Changes
//
// An object of the server is changed without overwriting what somebody else changed since the plan. A
// [Step] is the change of one attribute from its prior value, which the plan was computed from, to the planned one.
// [Subject.Change] reads the object, refuses to go on where a current value is neither of the two, sends what is pending,
// and reads the object again, so that a lost answer or a setting that the server dropped is sent again.
//
// A [Subject] says how one kind of object is read and sent: a channel, a user group, the organization.
package attribute

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Table describes every attribute that the server knows of a resource.
type Table[Model, Object, Update any] struct {
	// Resource is the name of the resource, by which the table of feature levels is asked.
	Resource string
	// Rows are the attributes other than permissions.
	Rows []Row[Model, Object, Update]
	// Permissions are the attributes that are permissions, by name: one for each row of Wire.Table.
	Permissions map[string]Permission[Model]
	// Wire says which permissions there are, and where an object and an update have them.
	Wire Permissions[Object, Update]
	// OmitUnmanaged says that what is not managed is not in the state: see [Prior].
	OmitUnmanaged bool
}

// Row is one attribute of a table. [Field] implements it for most of them.
type Row[Model, Object, Update any] interface {
	// AttributeName is the name of the attribute.
	AttributeName() string
	// ResourceAttribute and DataSourceAttribute describe it in the schema of the resource, and in that of data sources.
	ResourceAttribute(resource string) schema.Attribute
	DataSourceAttribute(resource string) datasourceschema.Attribute
	// ReadInto takes the value that the server has into the model. A value that the model has already and that means the
	// same stays as it is written.
	ReadInto(model *Model, object Object, on Server, diags *diag.Diagnostics)
	// Step is the change from the prior to the planned value; found is false where there is nothing to change.
	Step(prior *Prior[Model, Object], planned *Model, on Server) (step Step[Object, Update], problems []permission.Problem, found bool)
	// KeepPrior gives the plan the prior value where the two mean the same.
	KeepPrior(config, planned, prior *Model, on Server)
	// KeepPlanned gives the model the planned value, unless that is unknown.
	KeepPlanned(model, planned *Model)
	// ForgetUnknown makes an unknown value null.
	ForgetUnknown(model *Model)
	// Takes is what an account takes to set it.
	Takes() Requirement
}

// Permission is a permission of a model.
type Permission[Model any] struct {
	// At is where the model has it.
	At func(*Model) *types.Set
	// Requires is what an account takes to set it; the zero value: no more than to change the object at all.
	Requires Requirement
}

// Server is what a row may need to know besides the object.
type Server struct {
	View         *snapshot.Snapshot
	FeatureLevel int
	Site         string
}

// On returns what rows know of the server that a resource or data source works on.
func On(b *base.Base, view *snapshot.Snapshot) Server {
	return Server{View: view, FeatureLevel: b.FeatureLevel(), Site: b.Meta.Client.Site()}
}

// Prior is what a plan is computed from: a state, or for an object that is to be created what it starts from.
//
// A state may leave out what is not managed ([Table.OmitUnmanaged]): an optional attribute that was not configured when the
// object was created. It is null in the plan of the creation and in the state from then on; a refresh leaves it null, and
// keeps the server's value in the private state. When it is configured later, that value is the prior one: it is compared
// with the current value like any other. It must be read by the refresh and not by the plan: an apply plans again, and is
// told of the first plan nothing but the state that was refreshed for it, with its private state.
type Prior[Model, Object any] struct {
	// Values are those of the state, completed by what it leaves out. Of the permissions only Permissions is completed.
	Values *Model
	// IsState says that the values are those of a state; else they are those of Object.
	IsState bool
	// State is the state as it is; nil for an object that is to be created.
	State  *Model
	Object Object
	// Permissions are the values of the permissions as the server had them.
	Permissions map[string]zulip.GroupSettingValue
	// Unread are the attributes that the state leaves out and of which no value was kept.
	Unread []string
}

// PriorState returns a state as what a plan is computed from. raw are the values of the permissions that are in the private state of
// the state.
func (t *Table[Model, Object, Update]) PriorState(state *Model, raw map[string]zulip.GroupSettingValue, on Server) *Prior[Model, Object] {
	return &Prior[Model, Object]{Values: state, State: state, IsState: true, Permissions: t.Sets(state).Prior(t.Wire.Table, raw, on.View)}
}

// PriorWithPrivate is PriorState with the values of what the state leaves out. object is what was just read; nil if nothing was.
func (t *Table[Model, Object, Update]) PriorWithPrivate(state *Model, private PrivateState, object *Object, on Server, diags *diag.Diagnostics) *Prior[Model, Object] {
	prior := t.PriorState(state, private.Permissions, on)
	t.complete(prior, private.Unmanaged, object, on, diags)
	return prior
}

// PriorObject returns an object as what a plan is computed from.
func (t *Table[Model, Object, Update]) PriorObject(object Object, on Server, diags *diag.Diagnostics) *Prior[Model, Object] {
	values := new(Model)
	for _, row := range t.Rows {
		row.ReadInto(values, object, on, diags)
	}
	return &Prior[Model, Object]{Values: values, Object: object, Permissions: t.Wire.Values(object)}
}

// Sets returns where a model has the permissions.
func (t *Table[Model, Object, Update]) Sets(model *Model) Sets {
	return func(setting string) *types.Set { return t.Permissions[setting].At(model) }
}

// ResourceAttributes describes all attributes in the schema of the resource.
func (t *Table[Model, Object, Update]) ResourceAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, row := range t.Rows {
		attributes[row.AttributeName()] = row.ResourceAttribute(t.Resource)
	}
	Attributes(attributes, t.Wire.Table)
	return attributes
}

// DataSourceAttributes describes all attributes in the schema of a data source.
func (t *Table[Model, Object, Update]) DataSourceAttributes() map[string]datasourceschema.Attribute {
	attributes := map[string]datasourceschema.Attribute{}
	for _, row := range t.Rows {
		attributes[row.AttributeName()] = row.DataSourceAttribute(t.Resource)
	}
	DataSourceAttributes(attributes, t.Wire.Table)
	return attributes
}

// Read takes what the server has into the model. What the model says already in other words it goes on saying so, so that
// a plan shows no difference that is none.
func (t *Table[Model, Object, Update]) Read(model *Model, object Object, on Server, diags *diag.Diagnostics) {
	for _, row := range t.Rows {
		row.ReadInto(model, object, on, diags)
	}
	t.Sets(model).Read(t.Wire.Table, t.Wire.Values(object), on.View)
}

// ForgetUnknown makes unknown values null: a state holds none.
func (t *Table[Model, Object, Update]) ForgetUnknown(model *Model) {
	t.Sets(model).ForgetUnknown(t.Wire.Table)
	for _, row := range t.Rows {
		row.ForgetUnknown(model)
	}
}

// Steps lists what leads from the prior to the planned values. Attributes that are unset, or not known yet, are none.
func (t *Table[Model, Object, Update]) Steps(prior *Prior[Model, Object], planned *Model, on Server) ([]Step[Object, Update], []permission.Problem) {
	var before Sets
	if prior.IsState {
		before = t.Sets(prior.State)
	}
	permissions, problems := t.Wire.Steps(prior.Permissions, before, t.Sets(planned), on.View)
	var steps []Step[Object, Update]
	for _, row := range t.Rows {
		step, more, found := row.Step(prior, planned, on)
		problems = append(problems, more...)
		if found {
			steps = append(steps, step)
		}
	}
	return append(steps, permissions...), problems
}

// PermissionPlan is the plan of the permissions, for what is checked of it.
func (t *Table[Model, Object, Update]) PermissionPlan(config, planned *Model, prior *Prior[Model, Object], view *snapshot.Snapshot) PermissionPlan {
	plan := PermissionPlan{Table: t.Wire.Table, Config: t.Sets(config), Plan: t.Sets(planned), Prior: prior.Permissions, View: view}
	if prior.IsState {
		plan.State = t.Sets(prior.State)
	}
	return plan
}

// KeepPrior gives a plan the values of the state where it says the same in other words, so that it shows no difference
// that is none.
func (t *Table[Model, Object, Update]) KeepPrior(config, planned *Model, prior *Prior[Model, Object], on Server) {
	if !prior.IsState {
		return
	}
	t.PermissionPlan(config, planned, prior, on.View).KeepEqual()
	for _, row := range t.Rows {
		row.KeepPrior(config, planned, prior.State, on)
	}
}

// KeepPlanned gives a model the planned values that are known, and returns the permissions for which that makes a difference.
func (t *Table[Model, Object, Update]) KeepPlanned(model, planned *Model) (differing []string) {
	for _, row := range t.Rows {
		row.KeepPlanned(model, planned)
	}
	return t.Sets(model).Keep(t.Wire.Table, t.Sets(planned))
}

// Store takes what the server has into the state, and the values of the permissions into the private state; set writes the state.
// Without an object the state stays as it is.
//
// After an apply, planned is its plan: the state then says what the plan said. What somebody else changed since is for the
// next plan to find and to show, and the CLI accepts nothing but what was planned.
func (t *Table[Model, Object, Update]) Store(ctx context.Context, state *Model, now *Reading[Object], planned *Model, on Server,
	set func() diag.Diagnostics, private PrivateSetter, diags *diag.Diagnostics,
) {
	if now == nil {
		return
	}
	on.View = now.View
	t.Read(state, now.Thing, on, diags)
	var differing []string
	if planned != nil {
		differing = t.KeepPlanned(state, planned)
	}
	diags.Append(set()...)
	KeepRaw(ctx, private, t.Wire.Values(now.Thing), differing, diags)
}

// Attributes adds an attribute for each permission of a table: a set of principals.
func Attributes(attributes map[string]schema.Attribute, table permission.Table) {
	for _, setting := range table.Settings {
		attributes[setting.Name] = attributeOf(table, setting)
	}
	for _, setting := range table.Shown {
		attributes[setting.Name] = schema.SetAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: shownDescription(setting) + " " + featurelevel.Sentence(setting.FeatureLevel),
			PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
		}
	}
}

func shownDescription(setting permission.Setting) string {
	return fmt.Sprintf("Principals that %s.", setting.Right)
}

func attributeOf(table permission.Table, setting permission.Setting) schema.SetAttribute {
	return schema.SetAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description(table, setting),
		Validators:          []validator.Set{setvalidator.ValueStringsAre(principalValidator{})},
		PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
	}
}

// DataSourceAttributes adds an attribute that shows each permission of a table.
func DataSourceAttributes(attributes map[string]datasourceschema.Attribute, table permission.Table) {
	add := func(setting permission.Setting, description string) {
		attributes[setting.Name] = datasourceschema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
	}
	for _, setting := range table.Settings {
		add(setting, fmt.Sprintf("Principals that can %s.", setting.Right))
	}
	for _, setting := range table.Shown {
		add(setting, shownDescription(setting))
	}
}

func description(table permission.Table, setting permission.Setting) string {
	text := fmt.Sprintf("Principals that can %s.", setting.Right)
	if !setting.AllowEveryone {
		text += " Never guests."
	}
	if setting.NeedsContentAccess {
		text += " Also grants access to a private channel. Changing it there requires access to the channel's messages."
	}
	if len(setting.Roles) > 0 {
		text += " One role only: `" + strings.Join(setting.Roles, "`, `") + "`."
	} else if setting.RefuseNobody {
		text += " Can't be nobody."
	}
	if setting.OwnersOnly {
		text += " Only owners can set it."
	}
	text += fmt.Sprintf(" Default for new %ss: %s.", table.Noun, code(setting.Default))
	if setting.FeatureLevel > 0 {
		text += " " + featurelevel.Sentence(setting.FeatureLevel)
	}
	return text
}

func code(text string) string {
	if strings.Contains(text, ":") {
		return "`" + text + "`"
	}
	return text
}

// principalValidator checks the form of a principal; whether it exists is checked at plan.
type principalValidator struct{}

// Description says what is accepted.
func (principalValidator) Description(context.Context) string {
	return "a principal: role:NAME, group:NAME, user:EMAIL, group_id:N or user_id:N"
}

// MarkdownDescription says what is accepted.
func (v principalValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString refuses the rest.
func (principalValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := permission.Parse(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid principal", base.Capitalize(err.Error())+".")
	}
}

// PrincipalsOf reads the principals of a set. known is false while one of them is not known yet.
func PrincipalsOf(set types.Set) (principals []permission.Principal, known bool) {
	if set.IsUnknown() {
		return nil, false
	}
	for _, element := range set.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() || text.IsNull() {
			return nil, false
		}
		principal, err := permission.Parse(text.ValueString())
		if err != nil {
			return nil, false // said by the validator
		}
		principals = append(principals, principal)
	}
	return principals, true
}

// SetOf writes principals as a set.
func SetOf(principals []permission.Principal) types.Set {
	elements := make([]attr.Value, len(principals))
	for i, principal := range principals {
		elements[i] = types.StringValue(principal.String())
	}
	return types.SetValueMust(types.StringType, elements)
}

// addProblems reports principals that cannot be used.
func addProblems(diags *diag.Diagnostics, at path.Path, problems []permission.Problem) {
	for _, problem := range problems {
		diags.AddAttributeError(at, problem.Summary, problem.Detail)
	}
}

// keepOrFormat returns a set for a value the server holds. A set that already means the value is kept as it is written:
// people and groups that have been deactivated since do not count.
// It is compared with the server's value alone: nil for the state, because Unchanged would hide what the server has.
func keepOrFormat(kept types.Set, value zulip.GroupSettingValue, view *snapshot.Snapshot) types.Set {
	if classify(kept, nil, &value, view).Outcome == Equivalent {
		return kept
	}
	like, _ := PrincipalsOf(kept)
	return SetOf(permission.Format(value, view, like))
}
