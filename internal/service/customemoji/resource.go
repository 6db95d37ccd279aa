// Package customemoji is the resource zulip_custom_emoji: an emoji of the organization's own, made from an image file.
package customemoji

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// list is the part of a snapshot that holds the custom emoji.
const list = zulip.FetchCustomEmoji

// Resource is zulip_custom_emoji.
type Resource struct {
	*core.Resource[model, zulip.CustomEmoji, model]
}

// NewResource returns zulip_custom_emoji.
func NewResource() resource.Resource {
	return &Resource{core.New(&core.Definition[model, zulip.CustomEmoji, model]{
		Name: "custom_emoji", Title: "custom emoji", Plural: "custom emoji",
		ListText: core.ListText{Description: "Lists the custom emoji of the organization. The server does not give the image files back: add `file` to the generated configuration."},
		Schema:   resourceSchema,
		ForceNew: []string{"name"}, Unsent: []string{"file", "file_sha256"},
		Source:   core.Source{Part: list, Lags: true},
		Index:    (*snapshot.Snapshot).CustomEmoji,
		Key:      func(emoji *zulip.CustomEmoji) int64 { return emoji.ID },
		IsGone:   func(emoji *zulip.CustomEmoji) bool { return emoji.Deactivated },
		GoneWord: "deactivated",
		HowToAdopt: func(emoji *zulip.CustomEmoji) string {
			return fmt.Sprintf("Emoji %q with the ID %d is deactivated, and the server cannot reactivate it. Upload it anew.", emoji.Name, emoji.ID)
		},
		Unique: core.Unique[model, zulip.CustomEmoji]{
			Of:       func(m *model) string { return m.Name.ValueString() },
			Where:    "the organization's settings list all, under Custom emoji",
			IsTaken:  func(err error) bool { return zulip.IsMessage(err, "A custom emoji with this name already exists.") },
			Existing: describeExisting,
		},
		ReadInto:  func(m *model, emoji *zulip.CustomEmoji, _ *core.Context) { m.read(emoji) },
		CheckPlan: checkPlan,
		IsCreated: func(m *model, emoji *zulip.CustomEmoji, c *core.Context) bool {
			return emoji.Name == m.Name.ValueString() && isOwn(emoji, c)
		},
		Create: create, Delete: deactivate, DeletesByName: true, DeleteVerb: "deactivate",
		Hint: hint,
	})}
}

// describeExisting tells who added an emoji. The server does not give its picture back, nor say when it was added: of the
// account's own ones each counts as the planned one.
func describeExisting(e *core.Existing, emoji *zulip.CustomEmoji, c *core.Context) {
	own := isOwn(emoji, c)
	e.Detail = fmt.Sprintf("It has the ID %d%s.", emoji.ID, addedBy(emoji, c.Snapshot))
	e.AsPlanned, e.Ours, e.MayBeReplaced = own, own, own
}

// isOwn reports whether the provider's account added an emoji.
func isOwn(emoji *zulip.CustomEmoji, c *core.Context) bool {
	return emoji.AuthorID != nil && *emoji.AuthorID == c.Meta.Store.Self().ID
}

func addedBy(emoji *zulip.CustomEmoji, view *snapshot.Snapshot) string {
	if emoji.AuthorID == nil {
		return ""
	}
	author, ok := view.User(*emoji.AuthorID)
	if !ok {
		return ""
	}
	return ", and was added by " + author.Address()
}

// Create uploads the file, unless its content changed since the plan was made.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...); resp.Diagnostics.HasError() {
		return
	}
	if _, ok := picture.OpenPlanned(path.Root("file"), plan.File, plan.FileSHA256, &resp.Diagnostics); ok {
		r.Resource.Create(ctx, req, resp)
	}
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	image, err := picture.Open(plan.File.ValueString())
	if err != nil {
		return 0, err
	}
	plan.FileSHA256 = types.StringValue(image.SHA256())
	return 0, c.Meta.Client.UploadCustomEmoji(ctx, plan.Name.ValueString(), image.File, image.ContentType, image.Content)
}

// ImportState takes an ID, a name or the identity. After a name, =FILE says which file the emoji was made from: it is taken
// into the state, so that nothing is left to plan.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	name, file, hasFile := strings.Cut(req.ID, "=")
	req.ID = name
	r.Resource.ImportState(ctx, req, resp)
	if hasFile && !resp.Diagnostics.HasError() {
		picture.Import(ctx, file, "Cannot import this custom emoji", resp)
	}
}

// deactivate deactivates the emoji by its name, which is how the server knows emoji.
func deactivate(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeactivateCustomEmoji(ctx, state.Name.ValueString())
}

func hint(err error) string {
	if zulip.IsMessage(err, "Only administrators can override default emoji.", "Only administrators can override built-in emoji.") {
		return "A standard emoji has this name. Choose another one, or use the key of an administrator or owner of the organization."
	}
	return ""
}
