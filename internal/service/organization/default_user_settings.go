package organization

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*defaultUserSettingsResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*defaultUserSettingsResource)(nil)
	_ resource.ResourceWithImportState = (*defaultUserSettingsResource)(nil)
	_ resource.ResourceWithIdentity    = (*defaultUserSettingsResource)(nil)
)

// defaultUserSettings are all settings that an organization can set for new users.
var defaultUserSettings = settings.Personal("zulip_default_user_settings")

// defaultUserSettingsResource is zulip_default_user_settings.
type defaultUserSettingsResource struct{ base.Resource }

// NewDefaultUserSettingsResource returns zulip_default_user_settings.
func NewDefaultUserSettingsResource() resource.Resource { return &defaultUserSettingsResource{} }

// identity is the identity of the settings, which an organization has once.
type identity struct {
	ID types.String `tfsdk:"id"`
}

func (r *defaultUserSettingsResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_default_user_settings"
}

func (r *defaultUserSettingsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := defaultUserSettings.Attributes()
	attributes["id"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "Always `" + settings.OnceID + "`.",
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
	resp.Schema = schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages the [default settings of new users](https://zulip.com/help/configure-default-new-user-settings).",
		Attributes:          attributes,
	}
}

// IdentitySchema describes the identity of the settings.
func (r *defaultUserSettingsResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Any text: an organization has these settings once."},
	}}
}

// ModifyPlan refuses changes that the server would refuse or ignore, and warns that a destroy leaves the settings
// unchanged.
func (r *defaultUserSettingsResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.AddWarning("The default user settings are left unchanged",
			"The server has no earlier values to restore. Terraform no longer manages them.")
		return
	}
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	if r.CheckLevels(ctx, "zulip_default_user_settings", req.Config, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	plan := settings.Get(ctx, req.Plan, &resp.Diagnostics)
	held := r.held(ctx, nil, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	changes := defaultUserSettings.Changes(plan, held)
	changes.Check(&r.Base, &resp.Diagnostics)
	changes.CheckSound(ctx, plan, &r.Base, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		plan.OmitUnset(settings.Get(ctx, req.Config, &resp.Diagnostics))
		change.WarnOfManaged("zulip_default_user_settings", defaultUserSettings.Steps(held, plan, r.FeatureLevel()), &resp.Diagnostics)
	} else {
		state := settings.Get(ctx, req.State, &resp.Diagnostics)
		state.RefuseNotStored(settings.Get(ctx, req.Config, &resp.Diagnostics), held, &resp.Diagnostics)
		defaultUserSettings.KeepEqual(plan, state)
	}
	plan.Set(ctx, &resp.Plan, &resp.Diagnostics)
}

// Create sends the differences from the current settings.
func (r *defaultUserSettingsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := settings.Get(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	now, err := r.fresh(ctx)
	if err != nil {
		resp.Diagnostics.AddError(defaultUserSettingsUnreadable, base.Explain(err))
		return
	}
	prior := defaultUserSettings.Read(now.Thing, r.FeatureLevel(), nil, &resp.Diagnostics)
	if now = r.change(ctx, prior, plan, now, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return // no object was created that could be lost; the next apply sends the rest
	}
	r.store(ctx, plan, now, &resp.State, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// Read sets the state to the snapshot's settings.
func (r *defaultUserSettingsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := settings.Get(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
	if held := r.held(ctx, state, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		held.Set(ctx, &resp.State, &resp.Diagnostics)
	}
}

// Update sends the differences between the prior and the planned values, unless there is a conflict.
func (r *defaultUserSettingsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := settings.Get(ctx, req.Plan, &resp.Diagnostics)
	state := settings.Get(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
	now := r.change(ctx, state, plan, nil, &resp.Diagnostics)
	switch {
	case !resp.Diagnostics.HasError():
		r.store(ctx, plan, now, &resp.State, &resp.Diagnostics)
	case now != nil:
		defaultUserSettings.Read(now.Thing, r.FeatureLevel(), state, &resp.Diagnostics).Set(ctx, &resp.State, &resp.Diagnostics)
	}
}

// Delete leaves the settings unchanged, because the server stores no earlier values.
func (r *defaultUserSettingsResource) Delete(ctx context.Context, _ resource.DeleteRequest, _ *resource.DeleteResponse) {
	tflog.Info(ctx, "The default user settings stay, and are not managed any more")
}

// ImportState accepts any ID, because an organization has these settings once.
func (r *defaultUserSettingsResource) ImportState(ctx context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), settings.OnceID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(settings.OnceID)})...)
}

// defaultUserSettingsUnreadable begins the message of a read that failed.
const defaultUserSettingsUnreadable = "Cannot read the default user settings"

// held returns the server's values, in the form of kept if they mean the same.
func (r *defaultUserSettingsResource) held(ctx context.Context, kept settings.Values, diags *diag.Diagnostics) settings.Values {
	view, err := r.Meta.Store.Read(ctx, store.UserDefaults)
	if err != nil {
		diags.AddError(defaultUserSettingsUnreadable, base.Explain(err))
		return nil
	}
	return defaultUserSettings.Read(view.UserDefaults(), r.FeatureLevel(), kept, diags)
}

type defaultUserSettingsReading = change.Reading[settings.ServerValues]

// fresh reads the current settings.
func (r *defaultUserSettingsResource) fresh(ctx context.Context) (*defaultUserSettingsReading, error) {
	view, err := r.Meta.Store.Fresh(ctx, store.UserDefaults)
	if err != nil {
		return nil, err
	}
	return &defaultUserSettingsReading{Thing: view.UserDefaults(), View: view}, nil
}

// change sends the differences between prior and planned values, and returns the resulting ones, or nil if those
// could not be read. now was just read, or is nil.
func (r *defaultUserSettingsResource) change(ctx context.Context, prior, plan settings.Values, now *defaultUserSettingsReading, diags *diag.Diagnostics) *defaultUserSettingsReading {
	const name = "zulip_default_user_settings"
	subject := change.Subject[settings.ServerValues, zulip.Form]{
		Of: name, NameBefore: name, Name: func(settings.ServerValues) string { return name }, MayStayUnread: true,
		Read: func(ctx context.Context, _ func(settings.ServerValues) bool) (*defaultUserSettingsReading, error) {
			return r.fresh(ctx)
		},
		Send: func(ctx context.Context, pending change.Pending[settings.ServerValues, zulip.Form]) ([]string, error) {
			form := pending.Update()
			answer, err := r.Meta.Client.UpdateUserDefaults(ctx, &form)
			if err != nil {
				return nil, &sendError{err, form.Names()}
			}
			return answer.IgnoredParameters, nil
		},
	}
	return subject.Change(ctx, &r.Base, defaultUserSettings.Steps(prior, plan, r.FeatureLevel()), now, diags)
}

// sendError is the reason why settings were not sent, or not accepted.
type sendError struct {
	error
	names []string
}

// Unwrap returns the cause.
func (e *sendError) Unwrap() error { return e.error }

// Explanation explains the cause, and names the settings that were sent.
func (e *sendError) Explanation() string {
	return fmt.Sprintf("%s\n\nThese settings were sent: %s.", base.Explain(e.error), strings.Join(e.names, ", "))
}

// store sets the state to the server's values after an apply, or to the planned ones if now is nil. A setting that the plan did not change, but that has
// changed in the meantime, shows in the next plan.
func (r *defaultUserSettingsResource) store(ctx context.Context, plan settings.Values, now *defaultUserSettingsReading, state *tfsdk.State, diags *diag.Diagnostics) {
	held := plan
	if now != nil {
		held = defaultUserSettings.Read(now.Thing, r.FeatureLevel(), plan, diags)
		held.Keep(plan)
	}
	held["id"] = types.StringValue(settings.OnceID)
	held.Set(ctx, state, diags)
}
