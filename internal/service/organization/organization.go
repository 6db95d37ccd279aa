// Package organization has the organization: its settings, pictures and exports, and the lists that administrators keep for it.
package organization

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*organizationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*organizationResource)(nil)
	_ resource.ResourceWithImportState = (*organizationResource)(nil)
	_ resource.ResourceWithIdentity    = (*organizationResource)(nil)
)

// organizationResource is zulip_organization.
type organizationResource struct{ base.Resource }

// NewOrganizationResource returns zulip_organization.
func NewOrganizationResource() resource.Resource { return &organizationResource{} }

func (r *organizationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_organization"
}

func (r *organizationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	all := organizationTable.ResourceAttributes()
	all["id"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Always `" + settings.OnceID + "`.",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	all[onDestroyAttribute] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Effect of destroying the resource. `keep` leaves all settings unchanged. `reset` sets each permission in `reset_permissions` that names a user group to its default. Defaults to `keep`.",
		Validators:          []validator.String{validators.OneOf(onDestroyKeep, onDestroyReset)},
	}
	all[resetsAttribute] = schema.SetAttribute{
		ElementType: types.StringType, Computed: true,
		MarkdownDescription: "Names of the permissions in the configuration if `on_destroy` is `reset`, otherwise null.",
	}
	resp.Schema = schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the [settings and permissions of the organization](https://zulip.com/help/customize-organization-settings).",
		Attributes:          all,
	}
}

// IdentitySchema describes the identity of the organization.
func (r *organizationResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Any text: an account belongs to one organization."},
	}}
}

// Create sends the differences from the current organization.
func (r *organizationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := getModel(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	_, err := r.readNaming(ctx, plan)
	var now *organizationReading
	if err == nil {
		now, err = r.fresh(ctx)
	}
	if err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	env := attribute.NewEnv(&r.Base, now.View)
	if now = r.apply(ctx, organizationTable.PriorObject(now.Thing, env, &resp.Diagnostics), plan, now, env, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return // no object was created that could be lost; the next apply sends the rest
	}
	r.store(ctx, plan.clone(), now, plan, nil, &resp.State, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// readNaming reads the organization, and the people in the permissions of models, even if the server's lists lack
// them.
func (r *organizationResource) readNaming(ctx context.Context, models ...*organizationModel) (*snapshot.Snapshot, error) {
	var named []string
	for _, m := range models {
		named = append(named, organizationTable.Sets(m).NamedUsers(permission.Organizations)...)
	}
	return r.Meta.Store.ReadNaming(ctx, named, store.Organization)
}

// Read takes the organization from the snapshot.
func (r *organizationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := getModel(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
	view, err := r.readNaming(ctx, state)
	if err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	own := attribute.Emails(ctx, req.Private, &resp.Diagnostics)
	r.store(ctx, state, &organizationReading{Thing: view.Realm(), View: view}, nil, own, &resp.State, resp.Private, &resp.Diagnostics)
}

// Update sends the differences between the prior and the planned values, unless there is a conflict.
func (r *organizationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, prior := getModel(ctx, req.Plan, &resp.Diagnostics), getModel(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.readNaming(ctx, plan, prior)
	if err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	env := attribute.NewEnv(&r.Base, view).Knowing(attribute.Emails(ctx, req.Private, &resp.Diagnostics))
	before := organizationTable.PriorState(prior, attribute.Raw(ctx, req.Private, &resp.Diagnostics), env)
	now := r.apply(ctx, before, plan, nil, env, &resp.Diagnostics)
	state, planned := plan.clone(), plan
	if resp.Diagnostics.HasError() {
		// A refused value is shown in the form of the state, not in the planned one.
		state, planned = prior, nil
	}
	r.store(ctx, state, now, planned, env.Own, &resp.State, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// Delete leaves the organization unchanged, or resets the permissions that the plan listed.
func (r *organizationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := getModel(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !state.resets() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.readNaming(ctx, state)
	if err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	env := attribute.NewEnv(&r.Base, view)
	before := organizationTable.PriorState(state, attribute.Raw(ctx, req.Private, &resp.Diagnostics), env)
	r.apply(ctx, before, state.afterDestroy(before, view), nil, env, &resp.Diagnostics)
}

// ImportState accepts any ID, because an account is in one organization.
func (r *organizationResource) ImportState(ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), settings.OnceID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// organizationUnreadable begins the message of a read that failed.
const organizationUnreadable = "Cannot read the organization"

// apply sends the differences between prior and planned values, and returns the result, or nil if that could not be
// read. now was just read, or is nil.
func (r *organizationResource) apply(ctx context.Context, prior *organizationPrior, plan *organizationModel, now *organizationReading, env attribute.Env, diags *diag.Diagnostics) *organizationReading {
	steps, problems := organizationTable.Steps(prior, plan, env)
	attribute.ReportProblems(diags, problems)
	if diags.HasError() {
		return nil
	}
	subject := r.subject()
	if plan.isDestroyed {
		subject.OnConflict = "Plan again, and review which permissions destroying the resource resets. To leave the organization unchanged, set on_destroy = \"keep\" and apply, or remove the resource from the state: terraform state rm ADDRESS."
	}
	return subject.Change(ctx, &r.Base, steps, now, diags)
}

// RemoveGroup removes a group from permissions of the organization, which have these values in the plan.
func RemoveGroup(ctx context.Context, b *base.Base, _ int64, from map[string]zulip.GroupSettingValue, group int64, diags *diag.Diagnostics) {
	r := &organizationResource{}
	r.Base = *b
	now, err := r.fresh(ctx)
	if err != nil {
		diags.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	r.subject().Change(ctx, b, organizationTable.Wire.Removals(from, group, now.View), now, diags)
}

// store writes the server's values into the state; after an apply, planned is its plan.
func (r *organizationResource) store(ctx context.Context, state *organizationModel, now *organizationReading, planned *organizationModel, own map[string]int64, into *tfsdk.State, private base.PrivateSetter, diags *diag.Diagnostics) {
	set := func() diag.Diagnostics {
		state.set("id", types.StringValue(settings.OnceID))
		return state.write(ctx, into)
	}
	organizationTable.SaveState(ctx, state, now, planned, attribute.NewEnv(&r.Base, nil).Knowing(own), set, private, diags)
}

// subject returns the organization as the subject of a change.
func (r *organizationResource) subject() change.Subject[*zulip.Realm, zulip.RealmUpdate] {
	return change.Subject[*zulip.Realm, zulip.RealmUpdate]{
		Of:         "zulip_organization",
		NameBefore: "the organization", MayStayUnread: true,
		Name: func(*zulip.Realm) string { return "the organization" },
		Read: func(ctx context.Context, _ func(*zulip.Realm) bool) (*organizationReading, error) {
			return r.fresh(ctx)
		},
		Send:   r.send,
		Resend: r.renew,
	}
}

// renew sends current values of the organization, so that the server updates the copy that it compares with
// (server-behavior §O10).
func (r *organizationResource) renew(ctx context.Context, pending organizationPending) error {
	var unreadable diag.Diagnostics // reported when the state was read
	current := organizationTable.PriorObject(pending.Now, attribute.NewEnv(&r.Base, nil), &unreadable).Values
	update := zulip.RealmUpdate{Permissions: map[string]zulip.GroupSettingChange{}}
	names := pending.Attributes()
	for name, held := range pending.Now.Permissions {
		if slices.Contains(names, name) {
			update.Permissions[name] = zulip.GroupSettingChange{New: held}
		}
	}
	for _, setting := range organizationSettings {
		if slices.Contains(names, setting.Name) {
			organizationRow{setting}.put(&update, current, pending.Now, r.FeatureLevel())
		}
	}
	_, err := r.Meta.Client.UpdateRealm(ctx, update)
	return err
}

// send sends everything in one request. The server executes it piece by piece (server-behavior §O2), so the
// organization is read after an error.
func (r *organizationResource) send(ctx context.Context, pending organizationPending) (ignored []string, err error) {
	update := pending.Update()
	if slices.Contains(update.Settings.Names(), waitingAttribute) {
		// The change also decides who is a full member.
		defer r.Meta.Store.Invalidate(store.UserGroups)
	}
	answer, err := r.Meta.Client.UpdateRealm(ctx, update)
	if err != nil {
		return nil, err
	}
	return answer.IgnoredParameters, nil
}

// fresh reads the current organization.
func (r *organizationResource) fresh(ctx context.Context) (*organizationReading, error) {
	view, err := r.Meta.Store.Fresh(ctx, store.Organization)
	if err != nil {
		return nil, err
	}
	return &organizationReading{Thing: view.Realm(), View: view}, nil
}

// organizationModel has the values of a plan, a state or a configuration. It is not a struct because the tables are
// so long.
type organizationModel struct {
	// settings are all attributes except the permissions.
	settings settings.Values
	sets     map[string]*types.Set
	// isDestroyed is true if the model is the result of destroying the resource.
	isDestroyed bool
}

// The attributes that are not settings of the organization.
const (
	onDestroyAttribute = "on_destroy"
	onDestroyKeep      = "keep"
	onDestroyReset     = "reset"
	resetsAttribute    = "reset_permissions"
)

// resets reports whether destroying the resource resets permissions.
func (m *organizationModel) resets() bool {
	return m.settings[onDestroyAttribute].Equal(types.StringValue(onDestroyReset))
}

// planResets plans the names of the configured permissions, which destroying the resource may reset.
func (m *organizationModel) planResets(config *organizationModel) {
	if onDestroy := m.settings[onDestroyAttribute]; !onDestroy.IsUnknown() && !m.resets() {
		m.set(resetsAttribute, types.SetNull(types.StringType))
		return
	}
	managed := []attr.Value{}
	for _, setting := range permission.Organizations.Settings {
		if !config.permission(setting.Name).IsNull() {
			managed = append(managed, types.StringValue(setting.Name))
		}
	}
	m.set(resetsAttribute, types.SetValueMust(types.StringType, managed))
}

// afterDestroy returns the model with the defaults of the permissions that destroying the resource resets. prior is
// the starting point of the plan.
func (m *organizationModel) afterDestroy(prior *organizationPrior, view *snapshot.Snapshot) *organizationModel {
	after := m.clone()
	after.isDestroyed = true
	saw := *view.Realm()
	saw.Permissions = prior.Permissions
	for name, principal := range permission.ResetsOf(&saw, organizationTextsOf(m.settings[resetsAttribute]), view) {
		*after.permission(name) = attribute.SetOf([]permission.Principal{principal})
	}
	return after
}

// getModel reads a plan, a state or a configuration.
func getModel(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics,
) *organizationModel {
	m := emptyModel()
	for name, value := range settings.Get(ctx, from, diags) {
		if set, ok := m.sets[name]; ok {
			*set, _ = value.(types.Set)
		} else {
			m.settings[name] = value
		}
	}
	return m
}

// omitUnset sets attributes that the configuration leaves unset to null in the plan of a new resource.
func (m *organizationModel) omitUnset(config *organizationModel) {
	m.settings.OmitUnset(config.settings)
	for name, set := range m.sets {
		if set.IsUnknown() && config.permission(name).IsNull() {
			*set = types.SetNull(types.StringType)
		}
	}
}

func emptyModel() *organizationModel {
	m := &organizationModel{settings: settings.Values{}}
	for _, setting := range permission.Organizations.All() {
		m.permission(setting.Name)
	}
	return m
}

// clone returns an independent copy of the model.
func (m *organizationModel) clone() *organizationModel {
	same := &organizationModel{settings: maps.Clone(m.settings), sets: map[string]*types.Set{}}
	for name, set := range m.sets {
		value := *set
		same.sets[name] = &value
	}
	return same
}

// write writes the model into a plan or a state.
func (m *organizationModel) write(ctx context.Context, into interface {
	Set(ctx context.Context, value any) diag.Diagnostics
},
) (diags diag.Diagnostics) {
	m.values().Set(ctx, into, &diags)
	return diags
}

// values returns all attributes, including permissions.
func (m *organizationModel) values() settings.Values {
	all := maps.Clone(m.settings)
	for name, set := range m.sets {
		all[name] = *set
	}
	return all
}

// permission returns a pointer to a permission of the model.
func (m *organizationModel) permission(setting string) *types.Set {
	if m.sets == nil {
		m.sets = map[string]*types.Set{}
	}
	if m.sets[setting] == nil {
		set := types.SetNull(types.StringType)
		m.sets[setting] = &set
	}
	return m.sets[setting]
}

// set sets the value of a setting.
func (m *organizationModel) set(setting string, value attr.Value) {
	if m.settings == nil {
		m.settings = settings.Values{}
	}
	m.settings[setting] = value
}

// organizationDataSource is the data source zulip_organization.
type organizationDataSource struct{ base.DataSource }

// NewOrganizationDataSource returns the data source zulip_organization.
func NewOrganizationDataSource() datasource.DataSource { return &organizationDataSource{} }

func (d *organizationDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_organization"
}

func (d *organizationDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := organizationTable.DataSourceAttributes()
	all["id"] = datasourceschema.StringAttribute{Computed: true, MarkdownDescription: "Always `" + settings.OnceID + "`."}
	resp.Schema = datasourceschema.Schema{
		MarkdownDescription: "Reads the settings and permissions of the organization. Settings unknown to the server are null.",
		Attributes:          all,
	}
}

// Read takes the organization from the snapshot.
func (d *organizationDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.Ready(&resp.Diagnostics) {
		return
	}
	view, err := d.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError(organizationUnreadable, base.Explain(err))
		return
	}
	found := emptyModel()
	organizationTable.Read(found, view.Realm(), attribute.NewEnv(&d.Base, view), &resp.Diagnostics)
	found.set("id", types.StringValue(settings.OnceID))
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(found.write(ctx, &resp.State)...)
	}
}
