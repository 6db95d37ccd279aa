// Package channel is the resource zulip_channel, with the permissions of a channel, and the data sources zulip_channel and
// zulip_channels.
package channel

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// kind is the type of the resource, by which the directory knows what belongs to it.
const kind = framework.ChannelKind

// Resource is zulip_channel.
type Resource struct{ framework.Resource }

// NewResource returns zulip_channel.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a channel is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a channel is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The channel's ID."},
	}}
}

// ValidateConfig refuses what is wrong in any organization.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if zulip.Privacy(config.Privacy.ValueString()).IsPrivate() && config.IsDefault.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("is_default"), "A private channel cannot be a default channel",
			"Everybody who joins the organization is put into its default channels. Remove is_default, or set privacy = \"public\".")
	}
}

// Create makes the channel, or takes an archived one back, and brings it to what is planned.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := r.make(ctx, &plan, &resp.Diagnostics)
	if id == 0 {
		return
	}
	// From here on the channel exists: it is in the state before anything else can fail.
	state := plan
	attributes.ForgetUnknown(&state.facts)
	state.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)

	now, err := r.fresh(ctx, id)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Channel %q was created, but could not be read", plan.Name.ValueString()),
			framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
		return
	}
	// What creation dropped (server-behavior §C8), or an archived channel has otherwise, is sent now.
	on := attribute.On(&r.Base, now.View)
	missing, problems := attributes.Steps(attributes.PriorObject(now.Thing, on, &resp.Diagnostics), &plan.facts, on)
	framework.ReportProblems(&resp.Diagnostics, problems)
	now = r.subject(id).Change(ctx, &r.Base, missing, now, &resp.Diagnostics)
	planned := &plan.facts
	if resp.Diagnostics.HasError() {
		planned = nil
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	attributes.Store(ctx, &state.facts, now, planned, on, set, resp.Private, &resp.Diagnostics)
}

// Read takes the channel from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	// First of all, and also for a channel that is gone: a CLI that keeps no identities would be told that one is missing.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", framework.Explain(err))
		return
	}
	channel, ok := view.Channels().ByID(state.ID.ValueInt64())
	if !ok || channel.IsArchived {
		r.Meta.Run.Lose(kind, state.ID.ValueInt64())
		tflog.Info(ctx, "The channel is not there any more, or was archived by somebody else: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "name": state.Name.ValueString(), "archived": ok})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, channel.ID)
	before := state
	set := func() diag.Diagnostics {
		if reflect.DeepEqual(before, state) {
			return nil // the response holds it already, and to write it again costs more than to compare
		}
		return resp.State.Set(ctx, &state)
	}
	now := &reading{Thing: channel, View: view}
	attributes.Store(ctx, &state.facts, now, nil, attribute.On(&r.Base, view), set, resp.Private, &resp.Diagnostics)
}

// Update sends what differs between what the plan saw and what it asks, and nothing that somebody else has changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	id := state.ID.ValueInt64()
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", framework.Explain(err))
		return
	}
	// The CLI ends what is not used any more before it changes what has used it: a folder that this run has archived has
	// let go of its channels.
	before := state
	if folder, ok := r.Meta.Run.TakenFromFolder(id); ok && state.FolderID.ValueInt64() == folder {
		before.FolderID = types.Int64Value(0)
	}
	on := attribute.On(&r.Base, view)
	prior := attributes.PriorState(&before.facts, framework.RawPermissions(ctx, req.Private, &resp.Diagnostics), on)
	changes, problems := attributes.Steps(prior, &plan.facts, on)
	framework.ReportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	now := r.subject(id).Change(ctx, &r.Base, changes, nil, &resp.Diagnostics)
	planned := &plan.facts
	if resp.Diagnostics.HasError() {
		planned = nil // what was refused is shown in the words the state had, not in the words that were planned
	} else {
		state = plan
	}
	set := func() diag.Diagnostics { return resp.State.Set(ctx, &state) }
	attributes.Store(ctx, &state.facts, now, planned, on, set, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(id)})...)
}

// Delete archives the channel, unless it is to be kept. Nothing is deleted for good (server-behavior §C14).
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if state.OnDestroy.ValueString() == onDestroyKeep {
		tflog.Info(ctx, "The channel is kept, and not managed any more", map[string]any{"name": state.Name.ValueString()})
		return
	}
	if r.Meta.Run.IsAdopted(kind, state.ID.ValueInt64()) {
		tflog.Info(ctx, "The channel stays: another resource has taken it over", map[string]any{"name": state.Name.ValueString()})
		return
	}
	r.archive(ctx, state.ID.ValueInt64(), state.Name.ValueString(), &resp.Diagnostics)
}

// archive archives a channel; one that is archived or gone already is fine.
func (r *Resource) archive(ctx context.Context, id int64, name string, diags *diag.Diagnostics) {
	pause := framework.FirstPause
	for attempt := 0; ; attempt++ {
		err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.ArchiveChannel(ctx, id) })
		if err == nil || zulip.IsMessage(err, "Channel is already deactivated", "Invalid channel ID") {
			// Its name is taken, but not for the channel that replaces it: that one is planned again while it is applied.
			r.Meta.Run.Manage(kind, id)
			r.Meta.Run.Destroy(kind, id)
			r.Meta.Run.Release(kind, strings.ToLower(name), id)
			return
		}
		// A second request finds out whether the first was carried out.
		if !zulip.MayHaveHappened(err) || attempt == r.Meta.Client.MaxRetries() || !framework.Wait(ctx, pause) {
			diags.AddError(fmt.Sprintf("Cannot archive channel %q", name), framework.Explain(err))
			return
		}
		pause *= 2
	}
}

// ImportState takes the channel's ID, or its name; "name:2024" is the channel called 2024.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", framework.Explain(err))
		return
	}
	channel, err := framework.FindChannel(view, word)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this channel", framework.Sentence(err))
		return
	}
	if channel.IsArchived {
		resp.Diagnostics.AddError("Cannot import an archived channel",
			fmt.Sprintf("Channel %q is archived. Write a zulip_channel with its name and adopt_archived = true to unarchive it.", channel.Name))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), channel.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(channel.ID)})...)
}
