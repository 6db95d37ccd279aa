// Package customemoji is the noun of the organization's own emoji.
package customemoji

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// kind is the type of the resource.
const kind = framework.KindCustomEmoji

// list is the part of a snapshot that holds the custom emoji.
const list = zulip.FetchCustomEmoji

// Resource is zulip_custom_emoji.
type Resource struct{ framework.Resource }

// NewResource returns zulip_custom_emoji.
func NewResource() resource.Resource { return &Resource{} }

// identity is what an emoji is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = kind
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what an emoji is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The emoji's ID."},
	}}
}

// Create uploads the file, and finds the ID by the name.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	picture, err := openPicture(plan.File.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("file"), "Not an image to upload", framework.Sentence(err))
		return
	}
	if !plan.FileSHA256.IsUnknown() && plan.FileSHA256.ValueString() != picture.sha256() {
		resp.Diagnostics.AddAttributeError(path.Root("file"), "The file is another one now",
			fmt.Sprintf("The content of %s has changed since the plan was made. Plan again.", plan.File.ValueString()))
		return
	}
	plan.FileSHA256 = types.StringValue(picture.sha256())
	plan.ID, plan.AuthorID, plan.SourceURL = types.Int64Null(), types.Int64Null(), types.StringNull()
	if id, ok := r.Meta.Run.Take(kind, plan.Name.ValueString()); ok {
		r.adopt(ctx, id, &plan, resp)
		return
	}
	search := r.searchFor(plan.Name.ValueString())
	added, perhaps, err := framework.NamedCreation[zulip.CustomEmoji]{
		Kind: kind, Name: plan.Name.ValueString(),
		Find: search.find,
		ID:   func(emoji *zulip.CustomEmoji) int64 { return emoji.ID },
		Make: func(ctx context.Context) error {
			search.uploaded = true
			return r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
				return r.Meta.Client.UploadCustomEmoji(ctx, plan.Name.ValueString(), picture.file, picture.contentType, picture.content)
			})
		},
	}.Run(ctx, r.Meta)
	switch {
	case err == nil:
		plan.read(added)
	case !perhaps:
		r.refuse(ctx, &plan, err, &resp.Diagnostics)
		return
	default: // it is in the state, for it may be there, and has a name to be found by
		resp.Diagnostics.AddError(fmt.Sprintf("It is not clear whether the emoji %q was added", plan.Name.ValueString()),
			framework.Explain(err)+"\n\nThe next plan finds out by its name.")
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// refuse reports why the emoji was not added; a taken name with what has it.
func (r *Resource) refuse(ctx context.Context, plan *model, cause error, diags *diag.Diagnostics) {
	name := plan.Name.ValueString()
	if zulip.IsMessage(cause, "A custom emoji with this name already exists.") {
		is := func(view *snapshot.Snapshot) bool { _, ok := view.CustomEmoji().ByName(name); return ok }
		if view, err := r.Meta.Store.ReadUntil(ctx, list, is); err == nil && is(view) {
			namesake, _ := view.CustomEmoji().ByName(name)
			r.existing(namesake, view).Refuse(r.Meta, diags)
			return
		}
	}
	diags.AddError(fmt.Sprintf("Could not add the emoji %q", name), explain(cause))
}

// adopt takes what an apply has left that was broken off.
func (r *Resource) adopt(ctx context.Context, id int64, plan *model, resp *resource.CreateResponse) {
	plan.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
	view, err := r.Meta.Store.Read(ctx, store.CustomEmoji)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom emoji", framework.Explain(err))
		return
	}
	if emoji, ok := view.CustomEmoji().ByID(id); ok {
		plan.read(emoji)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	}
}

// search finds an emoji by its name. What had the name before the upload is not what was uploaded, though a list may
// still show it.
type search struct {
	*framework.Meta
	name     string
	before   int64
	uploaded bool
}

func (r *Resource) searchFor(name string) *search {
	return &search{Meta: r.Meta, name: name}
}

// find reads anew, and returns the emoji that has the name now; nil if none has.
func (s *search) find(ctx context.Context) (*zulip.CustomEmoji, error) {
	view, err := s.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool { return !s.uploaded || s.in(view) != nil })
	if err != nil {
		return nil, err
	}
	emoji := s.in(view)
	if emoji != nil && !s.uploaded {
		s.before = emoji.ID
	}
	return emoji, nil
}

func (s *search) in(view *snapshot.Snapshot) *zulip.CustomEmoji {
	emoji, ok := view.CustomEmoji().ByName(s.name)
	if !ok || s.uploaded && (emoji.ID == s.before || s.Run.IsManaged(kind, emoji.ID)) {
		return nil
	}
	return emoji
}

// Read takes the emoji from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	view, err := r.showing(ctx, &state)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom emoji", framework.Explain(err))
		return
	}
	emoji, ok := r.find(view, &state)
	if !ok || emoji.Deactivated {
		tflog.Info(ctx, "The emoji is not there any more: removing it from the state",
			map[string]any{"id": state.ID.ValueInt64(), "name": state.Name.ValueString()})
		// An ID that could not be read when it was made is written as zero: without one the CLI takes the answer for a mistake.
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(state.ID.ValueInt64())})...)
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, emoji.ID)
	state.read(emoji)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// find finds the emoji of a state: by its name, among what the account has added, if the ID could not be read then.
func (r *Resource) find(view *snapshot.Snapshot, state *model) (*zulip.CustomEmoji, bool) {
	if !state.ID.IsNull() {
		return view.CustomEmoji().ByID(state.ID.ValueInt64())
	}
	emoji, ok := view.CustomEmoji().ByName(state.Name.ValueString())
	return emoji, ok && emoji.AuthorID != nil && *emoji.AuthorID == r.Meta.Store.Self().ID
}

// showing returns a snapshot that shows the emoji of a state, unless it is gone.
func (r *Resource) showing(ctx context.Context, state *model) (*snapshot.Snapshot, error) {
	return r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		emoji, ok := r.find(view, state)
		return ok && !emoji.Deactivated
	})
}

// Update notes which file the emoji is from: nothing else of an emoji can be changed.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// Delete deactivates the emoji, unless its name belongs to another one by now: the server knows emoji by their names.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	name := state.Name.ValueString()
	view, err := r.showing(ctx, &state)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom emoji", framework.Explain(err))
		return
	}
	emoji, ok := r.find(view, &state)
	if !ok || emoji.Deactivated {
		tflog.Info(ctx, "The emoji is deactivated already", map[string]any{"id": state.ID.ValueInt64(), "name": name})
		return
	}
	if r.Meta.Run.IsAdopted(kind, emoji.ID) {
		tflog.Info(ctx, "The emoji stays: another resource has taken it over", map[string]any{"id": emoji.ID})
		return
	}
	r.Meta.Run.Manage(kind, emoji.ID) // no other resource takes it, though a list still shows it
	err = r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error {
		return r.Meta.Client.DeactivateCustomEmoji(ctx, emoji.Name)
	})
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Could not deactivate the emoji %q", name), framework.Explain(err))
	}
}

// ImportState takes the emoji's ID, or its name; "name:42" is the emoji called 42.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.CustomEmoji)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the custom emoji", framework.Explain(err))
		return
	}
	emoji := meant(view, word, &resp.Diagnostics)
	if emoji == nil {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), emoji.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(emoji.ID)})...)
}

// meant finds the emoji that an import means, and reports why there is none.
func meant(view *snapshot.Snapshot, text string, diags *diag.Diagnostics) *zulip.CustomEmoji {
	emoji, ok := view.CustomEmoji().ByName(strings.TrimPrefix(text, "name:"))
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		emoji, ok = view.CustomEmoji().ByID(id)
	}
	switch {
	case !ok:
		names := framework.Names{Things: "custom emoji", All: view.CustomEmoji().Names(), Where: "the organization's settings list all, under Custom emoji"}
		problem := fmt.Errorf("the organization has no custom emoji with the name or ID %q%s", text, names.Suggest(strings.TrimPrefix(text, "name:")))
		diags.AddError("Cannot import this emoji", framework.Sentence(problem))
	case emoji.Deactivated:
		diags.AddError("Cannot import a deactivated emoji",
			fmt.Sprintf("The emoji %q with the ID %d is deactivated, and the server cannot bring it back. Upload it anew.", emoji.Name, emoji.ID))
	default:
		return emoji
	}
	return nil
}

// explain adds to the server's words what they mean for who writes the configuration.
func explain(err error) string {
	text := framework.Explain(err)
	if zulip.IsMessage(err, "Only administrators can override default emoji.", "Only administrators can override built-in emoji.") {
		text += "\n\nA standard emoji has this name. Choose another one, or use the key of an administrator or owner of the organization."
	}
	return text
}
