// Package attribute describes a resource as a table with one row for each attribute: its schema, its place in the
// model, how it is read from the server's answer, how it is sent, and who may set it. The rows determine the attributes
// of the resource and of its data sources, the changes of a plan, the requests of an apply, conflicts, and the checks
// of the account's permissions.
//
// A [Table] has three type parameters: the model, which is a struct with tfsdk tags (the plugin framework requires
// one); the client's object; and the client's update. A [Field] is the row of one attribute. An attribute that is read
// or sent in an unusual way has its own type, which embeds a Field and replaces methods. Permissions are rows of
// [permission.Table], and the table only has their place in the model.
//
// A plan is computed from the prior value, and results in the planned value. During apply, the server has the current
// value. A current value that is neither prior nor planned is a conflict, and is not overwritten: see [change.Subject]. An
// unset attribute is read and never sent.
//
// # Permissions
//
// Channels, user groups and the organization have attributes that are permissions: sets of principals, as in
// can_send_message_group = ["role:members"]. [Attributes] are their schema, [Sets] their place in a model,
// [PermissionPlan] the checks of a plan, and [Permissions] returns the steps that an apply sends.
//
// The tables of package permission list the permissions. The private state has the server's values at the time of the
// state: [Raw] and [KeepRaw]. This package knows no resource.
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
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Table describes all attributes of a resource that the server stores.
type Table[Model, Object, Patch any] struct {
	// Resource is the name of the resource in the table of feature levels.
	Resource string
	// Rows are the attributes other than permissions.
	Rows []Row[Model, Object, Patch]
	// Permissions are the attributes that are permissions, by name: one for each row of Wire.Table.
	Permissions map[string]Permission[Model]
	// Wire has the permissions, and their places in an object and an update.
	Wire Permissions[Object, Patch]
	// OmitUnmanaged is true if the state omits unmanaged attributes: see [Prior].
	OmitUnmanaged bool
	// New is an object that is created without attributes. It goes with OmitUnmanaged.
	New Object
}

// Row is one attribute of a table. [Field] implements it for most of them.
type Row[Model, Object, Patch any] interface {
	// AttributeName is the name of the attribute.
	AttributeName() string
	// ResourceAttribute and DataSourceAttribute describe it in the schema of the resource, and in that of data sources.
	ResourceAttribute(resource string) schema.Attribute
	DataSourceAttribute(resource string) datasourceschema.Attribute
	// ReadInto sets the model to the server's value. A value in the model with the same meaning keeps its form.
	ReadInto(model *Model, object Object, env Env, diags *diag.Diagnostics)
	// Step returns the change from the prior to the planned value; found is false if there is none.
	Step(prior *Prior[Model, Object], planned *Model, env Env) (step change.Step[Object, Patch], problems []permission.Problem, found bool)
	// KeepPrior gives the plan the prior value if the two mean the same.
	KeepPrior(config, planned, prior *Model, env Env)
	// KeepPlanned gives the model the planned value, unless that is unknown.
	KeepPlanned(model, planned *Model)
	// ForgetUnknown makes an unknown value null.
	ForgetUnknown(model *Model)
	// Takes returns the role or permission that an account needs to set the attribute.
	Takes() Requirement
}

// Permission is a permission of a model.
type Permission[Model any] struct {
	// At returns its place in the model.
	At func(*Model) *types.Set
	// Requires is the role or permission that an account needs to set it. The zero value means that changing the object
	// is enough.
	Requires Requirement
}

// Env is the context that a row may need besides the object.
type Env struct {
	View         *snapshot.Snapshot
	FeatureLevel int
	Site         string
	// Account is the user ID of the provider's account.
	Account int64
	// Own are the people whom the state names by emails: see [Emails]. View knows them.
	Own map[string]int64
}

// NewEnv returns the context of rows for the server of a resource or data source.
func NewEnv(b *base.Base, view *snapshot.Snapshot) Env {
	return Env{View: view, FeatureLevel: b.FeatureLevel(), Site: b.Meta.Client.Site(), Account: b.Meta.Store.Self().ID}
}

// Knowing returns the context of a resource whose state names people by emails.
func (e Env) Knowing(own map[string]int64) Env {
	e.View, e.Own = e.View.Knowing(own), own
	return e
}

// Prior is the starting point of a plan: a state, or for a new object the object that it starts from.
//
// A state may omit unmanaged attributes ([Table.OmitUnmanaged]): optional ones that were not configured when the object
// was created. They are null in the plan of the creation and in the state from then on. A refresh leaves them null, and
// stores the server's value in the private state. If such an attribute is configured later, the stored value is the
// prior one, and is compared with the current value like any other.
//
// The refresh must read it, not the plan: an apply plans again, and gets only the refreshed state and its private
// state from the first plan.
type Prior[Model, Object any] struct {
	// Values are the values of the state with the omitted ones added. Omitted permissions are only in Permissions.
	Values *Model
	// IsState is true if the values are those of a state, and false if they are those of Object.
	IsState bool
	// State is the unchanged state, or nil for an object that does not exist yet.
	State  *Model
	Object Object
	// Permissions are the server's values of the permissions.
	Permissions map[string]zulip.GroupSettingValue
	// NotStored are the attributes that the state omits and whose values were not stored.
	NotStored []string
}

// PriorState returns a state as the starting point of a plan. raw are the permissions in its private state.
func (t *Table[Model, Object, Patch]) PriorState(state *Model, raw map[string]zulip.GroupSettingValue, env Env) *Prior[Model, Object] {
	return &Prior[Model, Object]{Values: state, State: state, IsState: true, Permissions: t.Sets(state).Complete(t.Wire.Table, raw, env.View)}
}

// PriorWithPrivate is PriorState with the omitted values. object was just read, or is nil.
func (t *Table[Model, Object, Patch]) PriorWithPrivate(state *Model, private PrivateState, object *Object, env Env, diags *diag.Diagnostics) *Prior[Model, Object] {
	prior := t.PriorState(state, private.Permissions, env)
	t.complete(prior, private.Unmanaged, object, env, diags)
	return prior
}

// PriorObject returns an object as the starting point of a plan.
func (t *Table[Model, Object, Patch]) PriorObject(object Object, env Env, diags *diag.Diagnostics) *Prior[Model, Object] {
	values := new(Model)
	for _, row := range t.Rows {
		row.ReadInto(values, object, env, diags)
	}
	return &Prior[Model, Object]{Values: values, Object: object, Permissions: t.Wire.Values(object)}
}

// Sets returns the places of the permissions in a model.
func (t *Table[Model, Object, Patch]) Sets(model *Model) Sets {
	return func(setting string) *types.Set { return t.Permissions[setting].At(model) }
}

// ResourceAttributes describes all attributes in the schema of the resource.
func (t *Table[Model, Object, Patch]) ResourceAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, row := range t.Rows {
		attributes[row.AttributeName()] = row.ResourceAttribute(t.Resource)
	}
	Attributes(attributes, t.Wire.Table)
	return attributes
}

// DataSourceAttributes describes all attributes in the schema of a data source.
func (t *Table[Model, Object, Patch]) DataSourceAttributes() map[string]datasourceschema.Attribute {
	attributes := map[string]datasourceschema.Attribute{}
	for _, row := range t.Rows {
		attributes[row.AttributeName()] = row.DataSourceAttribute(t.Resource)
	}
	DataSourceAttributes(attributes, t.Wire.Table)
	return attributes
}

// Read sets the model to the server's values. A value in the model with the same meaning keeps its form, so that a
// plan shows no spurious difference.
func (t *Table[Model, Object, Patch]) Read(model *Model, object Object, env Env, diags *diag.Diagnostics) {
	for _, row := range t.Rows {
		row.ReadInto(model, object, env, diags)
	}
	t.Sets(model).Read(t.Wire.Table, t.Wire.Values(object), env.View)
}

// ForgetUnknown makes unknown values null, because a state can't have them.
func (t *Table[Model, Object, Patch]) ForgetUnknown(model *Model) {
	t.Sets(model).ForgetUnknown(t.Wire.Table)
	for _, row := range t.Rows {
		row.ForgetUnknown(model)
	}
}

// Steps returns the changes from the prior to the planned values. It omits attributes that are unset or unknown.
func (t *Table[Model, Object, Patch]) Steps(prior *Prior[Model, Object], planned *Model, env Env) ([]change.Step[Object, Patch], []permission.Problem) {
	var before Sets
	if prior.IsState {
		before = t.Sets(prior.State)
	}
	permissions, problems := t.Wire.Steps(prior.Permissions, before, t.Sets(planned), env.View)
	var steps []change.Step[Object, Patch]
	for _, row := range t.Rows {
		step, more, found := row.Step(prior, planned, env)
		problems = append(problems, more...)
		if found {
			steps = append(steps, step)
		}
	}
	return append(steps, permissions...), problems
}

// PermissionPlan returns the plan of the permissions, for its checks.
func (t *Table[Model, Object, Patch]) PermissionPlan(config, planned *Model, prior *Prior[Model, Object], view *snapshot.Snapshot) PermissionPlan {
	plan := PermissionPlan{Table: t.Wire.Table, Config: t.Sets(config), Plan: t.Sets(planned), Prior: prior.Permissions, View: view}
	if prior.IsState {
		plan.State = t.Sets(prior.State)
	}
	return plan
}

// KeepPrior gives a plan the values of the state with the same meaning, so that it shows no spurious difference.
func (t *Table[Model, Object, Patch]) KeepPrior(config, planned *Model, prior *Prior[Model, Object], env Env) {
	if !prior.IsState {
		return
	}
	t.PermissionPlan(config, planned, prior, env.View).KeepEqual()
	for _, row := range t.Rows {
		row.KeepPrior(config, planned, prior.State, env)
	}
}

// KeepPlanned gives a model the known planned values, and returns the permissions that differ.
func (t *Table[Model, Object, Patch]) KeepPlanned(model, planned *Model) (differing []string) {
	for _, row := range t.Rows {
		row.KeepPlanned(model, planned)
	}
	return t.Sets(model).Keep(t.Wire.Table, t.Sets(planned))
}

// SaveState sets the state to the server's values, and the private state to the server's permissions; set writes the state.
// Without an object the state gets the planned values, or stays unchanged.
//
// After an apply, planned is its plan, and the state gets the planned values: Terraform accepts no others. A change
// in the meantime shows in the next plan.
func (t *Table[Model, Object, Patch]) SaveState(ctx context.Context, state *Model, now *change.Reading[Object], planned *Model, env Env,
	set func() diag.Diagnostics, private base.PrivateSetter, diags *diag.Diagnostics,
) {
	switch {
	case now == nil && planned == nil:
		return
	case now == nil:
		t.ForgetUnknown(state)
		diags.Append(set()...)
		KeepRaw(ctx, private, nil, nil, env.Own, diags)
		return
	}
	env.View = now.View.Knowing(env.Own)
	t.Read(state, now.Thing, env, diags)
	var differing []string
	if planned != nil {
		differing = t.KeepPlanned(state, planned)
	}
	diags.Append(set()...)
	KeepRaw(ctx, private, t.Wire.Values(now.Thing), differing, t.Sets(state).emails(t.Wire.Table, env.View), diags)
}

// Attributes adds an attribute for each permission of a table, a set of principals.
func Attributes(attributes map[string]schema.Attribute, table permission.Table) {
	for _, setting := range table.Settings {
		attributes[setting.Name] = attributeOf(setting)
	}
	for _, setting := range table.Shown {
		attributes[setting.Name] = schema.SetAttribute{
			ElementType: types.StringType, Computed: true,
			MarkdownDescription: shownDescription(setting) + " " + featurelevel.Sentence(setting.FeatureLevel),
			PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
		}
	}
}

func shownDescription(setting permission.Spec) string {
	return fmt.Sprintf("Principals that %s.", setting.Action)
}

func attributeOf(setting permission.Spec) schema.SetAttribute {
	return schema.SetAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description(setting),
		Validators:          []validator.Set{setvalidator.ValueStringsAre(validators.Checked("principal", checkPrincipal))},
		PlanModifiers:       []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
	}
}

// DataSourceAttributes adds an attribute that shows each permission of a table.
func DataSourceAttributes(attributes map[string]datasourceschema.Attribute, table permission.Table) {
	add := func(setting permission.Spec, description string) {
		attributes[setting.Name] = datasourceschema.SetAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: description}
	}
	for _, setting := range table.Settings {
		add(setting, fmt.Sprintf("Principals that can %s.", setting.Action))
	}
	for _, setting := range table.Shown {
		add(setting, shownDescription(setting))
	}
}

func description(setting permission.Spec) string {
	text := fmt.Sprintf("Principals that can %s.", setting.Action)
	if setting.NeverGuests(setting.SupportedBy()) {
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
	text += " Initially " + code(setting.Default) + "."
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

// checkPrincipal checks the form of a principal. The plan checks whether it exists.
func checkPrincipal(text string) error {
	_, err := permission.Parse(text)
	return err
}

// PrincipalsOf returns the principals of a set. known is false if one of them is not known yet.
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
			return nil, false // the validator reports it
		}
		principals = append(principals, principal)
	}
	return principals, true
}

// SetOf returns principals as a set.
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

// keepOrFormat returns a set for the server's value. A set that already means the value is unchanged; people and groups
// that have been deactivated since do not count. It passes nil as the state, because Unchanged would hide the server's
// value.
func keepOrFormat(kept types.Set, value zulip.GroupSettingValue, view *snapshot.Snapshot) types.Set {
	if classify(kept, nil, &value, view).Outcome == Equivalent {
		return kept
	}
	like, _ := PrincipalsOf(kept)
	return SetOf(permission.Format(value, view, like))
}
