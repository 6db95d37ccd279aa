package organization

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// customEmojiList is the part of a snapshot that holds the custom emoji.
const customEmojiList = zulip.FetchCustomEmoji

// customEmojiResource is zulip_custom_emoji.
type customEmojiResource struct {
	*core.Resource[customEmojiModel, zulip.CustomEmoji, customEmojiModel]
}

// NewCustomEmojiResource returns zulip_custom_emoji.
func NewCustomEmojiResource() resource.Resource {
	return &customEmojiResource{core.New(&core.Definition[customEmojiModel, zulip.CustomEmoji]{
		Name: "custom_emoji", Title: "custom emoji", Plural: "custom emoji",
		ListText: core.ListText{Description: "Lists the custom emoji of the organization. Add `file` to the generated configuration: the server doesn't return the images."},
		Schema:   customEmojiSchema,
		ForceNew: []string{"name"}, Unsent: []string{"file", "file_sha256"},
		Source: core.Source{Part: customEmojiList, Lags: true},
		Index:  (*snapshot.Snapshot).CustomEmoji,
		Key:    func(emoji *zulip.CustomEmoji) int64 { return emoji.ID },
		Unique: core.Unique[customEmojiModel, zulip.CustomEmoji]{
			Of:       func(m *customEmojiModel) string { return m.Name.ValueString() },
			Where:    "the organization's settings list all, under Custom emoji",
			IsTaken:  func(err error) bool { return zulip.IsMessage(err, "A custom emoji with this name already exists.") },
			Existing: describeExistingEmoji,
		},
		ReadInto:  func(m *customEmojiModel, emoji *zulip.CustomEmoji, _ *core.Call) { m.read(emoji) },
		CheckPlan: checkCustomEmojiPlan,
		Create:    createCustomEmoji, Delete: deactivateEmoji, ReadsToDelete: true, DeleteVerb: "deactivate",
		Hint: customEmojiHint,
		Creating: core.Creating[customEmojiModel, zulip.CustomEmoji]{
			Lacks: func(_ context.Context, c *core.Call, _ *customEmojiModel, diags *diag.Diagnostics) {
				checkMayAddEmoji(c.Meta, c.Snapshot, diags)
			},
			IsCreated: func(m *customEmojiModel, emoji *zulip.CustomEmoji, c *core.Call) bool {
				return emoji.Name == m.Name.ValueString() && isOwnEmoji(emoji, c)
			},
		},
		Archive: core.Archive[customEmojiModel, zulip.CustomEmoji]{
			IsGone:   func(emoji *zulip.CustomEmoji) bool { return emoji.Deactivated },
			GoneWord: "deactivated",
			HowToAdopt: func(emoji *zulip.CustomEmoji) string {
				return fmt.Sprintf("Emoji %q with the ID %d is deactivated, and the server cannot reactivate it. Upload it again.", emoji.Name, emoji.ID)
			},
		},
	})}
}

// describeExistingEmoji adds the author of an emoji. The server returns neither its picture nor its time, so each of the
// account's own emoji counts as the planned one.
func describeExistingEmoji(e *existing.Object, emoji *zulip.CustomEmoji, c *core.Call) {
	own := isOwnEmoji(emoji, c)
	e.Detail = fmt.Sprintf("It has the ID %d%s.", emoji.ID, emojiAuthor(emoji, c.Snapshot))
	e.AsPlanned, e.Ours, e.MayBeReplaced = own, own, own
}

// isOwnEmoji reports whether the provider's account added an emoji.
func isOwnEmoji(emoji *zulip.CustomEmoji, c *core.Call) bool {
	return emoji.AuthorID != nil && *emoji.AuthorID == c.Meta.Store.Self().ID
}

func emojiAuthor(emoji *zulip.CustomEmoji, view *snapshot.Snapshot) string {
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
func (r *customEmojiResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan customEmojiModel
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...); resp.Diagnostics.HasError() {
		return
	}
	if _, ok := picture.OpenPlanned(path.Root("file"), plan.File, plan.FileSHA256, &resp.Diagnostics); ok {
		r.Resource.Create(ctx, req, resp)
	}
}

func createCustomEmoji(ctx context.Context, c *core.Call, plan *customEmojiModel) (int64, error) {
	image, err := picture.Open(plan.File.ValueString())
	if err != nil {
		return 0, err
	}
	plan.FileSHA256 = types.StringValue(image.SHA256())
	return 0, c.Meta.Client.UploadCustomEmoji(ctx, plan.Name.ValueString(), image.File, image.ContentType, image.Content)
}

// ImportState takes an ID, a name or the identity. =FILE after a name is the file of the emoji. It is put into the
// state, so that the plan has no change.
func (r *customEmojiResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	name, file, hasFile := strings.Cut(req.ID, "=")
	req.ID = name
	r.Resource.ImportState(ctx, req, resp)
	if hasFile && !resp.Diagnostics.HasError() {
		picture.Import(file, "Cannot import this custom emoji", func(attribute string, value any) {
			resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
		}, &resp.Diagnostics)
	}
}

// deactivateEmoji deactivates the emoji by its name, because the server has no request by ID.
func deactivateEmoji(ctx context.Context, c *core.Call, state *customEmojiModel) error {
	return c.Meta.Client.DeactivateCustomEmoji(ctx, state.Name.ValueString())
}

func customEmojiHint(err error) string {
	if zulip.IsMessage(err, "Only administrators can override default emoji.", "Only administrators can override built-in emoji.") {
		return "A standard emoji has this name. Choose another name, or use the key of an administrator or owner of the organization."
	}
	return ""
}

// ModifyPlan plans the content of the file, and then does the plan of every resource.
func (r *customEmojiResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !req.Plan.Raw.IsNull() {
		var plan, state *customEmojiModel
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if resp.Diagnostics.HasError() {
			return
		}
		customEmojiPlanFile(plan, state, resp)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	r.Resource.ModifyPlan(ctx, req, resp)
}

// customEmojiPlanFile plans the content of the file. The same content is no change, and other content is another emoji.
func customEmojiPlanFile(plan, state *customEmojiModel, resp *resource.ModifyPlanResponse) {
	at := path.Root("file")
	image, sum := picture.Plan(at, plan.File, &resp.Diagnostics)
	plan.FileSHA256 = sum
	if sum.IsUnknown() && state != nil {
		resp.RequiresReplace.Append(at) // the file is known too late to detect equal content
	}
	if image == nil {
		return
	}
	image.WarnOfSize(at, &resp.Diagnostics)
	switch {
	case state == nil:
	case state.FileSHA256.IsNull():
		resp.Diagnostics.AddAttributeWarning(at, "Assuming the file matches the imported emoji",
			fmt.Sprintf("Zulip doesn't return the image of emoji %q, so the provider can't compare. Nothing is uploaded now. If you change the file later, the emoji is re-created.", state.Name.ValueString()))
	case state.FileSHA256.Equal(plan.FileSHA256):
		plan.File = state.File // the same content, wherever the file is
	default:
		resp.RequiresReplace.Append(path.Root("file_sha256"))
	}
}

// checkCustomEmojiPlan refuses changes that the account can't make.
func checkCustomEmojiPlan(ctx context.Context, p *core.Plan[customEmojiModel]) {
	if p.IsDestroy() || p.IsReplaced {
		checkMayDeactivateEmoji(p)
	}
	if p.IsDestroy() || !p.IsCreate() && !p.IsReplaced {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.CustomEmoji)
	if err != nil {
		p.Diags.AddError("Cannot read the custom emoji", base.Explain(err))
		return
	}
	base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { checkMayAddEmoji(p.Meta, view, found) })
}

// checkMayAddEmoji refuses an emoji that the account can't add (server-behavior §R15, §L8).
func checkMayAddEmoji(meta *base.Meta, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	const doing = "add emoji"
	if meta.RequirePerson(path.Empty(), doing, diags) && meta.RequireMember(doing, diags) {
		meta.RequirePermission(view, path.Empty(), doing, diags, "can_add_custom_emoji_group")
	}
}

// checkMayDeactivateEmoji refuses to plan the destroy of an emoji that the account can't deactivate.
func checkMayDeactivateEmoji(p *core.Plan[customEmojiModel]) {
	self := p.Meta.Store.Self()
	if self.Role <= zulip.RoleAdministrator || p.State.AuthorID.ValueInt64() == self.ID {
		return
	}
	p.Meta.Refuse(path.Empty(), fmt.Sprintf("deactivate the emoji %q", p.State.Name.ValueString()),
		fmt.Sprintf("This requires an administrator or owner of the organization, or the user who added it, the user with the ID %d.", p.State.AuthorID.ValueInt64()), p.Diags)
}

// customEmojiModel is the resource.
type customEmojiModel struct {
	ID         types.Int64  `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	File       types.String `tfsdk:"file"`
	FileSHA256 types.String `tfsdk:"file_sha256"`
	AuthorID   types.Int64  `tfsdk:"author_id"`
	SourceURL  types.String `tfsdk:"source_url"`
}

// read sets the model to the server's emoji. The server does not return the image file.
func (m *customEmojiModel) read(emoji *zulip.CustomEmoji) {
	m.ID, m.Name = types.Int64Value(emoji.ID), types.StringValue(emoji.Name)
	m.AuthorID, m.SourceURL = types.Int64PointerValue(emoji.AuthorID), types.StringValue(emoji.SourceURL)
}

// The server's rules for names: lowercase letters, digits, dashes and underscores, with a letter or digit at the end
// (server-behavior §L8).
var (
	emojiName    = regexp.MustCompile(`^[0-9a-z_-]*$`)
	emojiNameEnd = regexp.MustCompile(`[0-9a-z]$`)
)

func customEmojiSchema() schema.Schema {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [custom emoji](https://zulip.com/help/custom-emoji), uploaded from an image file.",
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "ID of the emoji.", PlanModifiers: keepNumber},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name without colons: lower-case letters, digits, dashes and underscores, ending with a letter or digit. Only administrators can use the name of a standard emoji, which hides that emoji. Changing this forces a new emoji.",
				Validators: []validator.String{
					validators.Matches(emojiName, "must have only small letters, digits, dashes and underscores"),
					validators.Matches(emojiNameEnd, "must end with a letter or digit"),
				},
			},
			"file": schema.StringAttribute{
				Required: true, MarkdownDescription: "Path of a PNG, JPEG, GIF, WebP or AVIF file, such as `\"${path.module}/party.png\"`.",
			},
			"file_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "SHA-256 of the uploaded file, in hexadecimal. Null after an import until the next apply.",
			},
			"author_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the author. Null if the server doesn't know it.", PlanModifiers: keepNumber},
			"source_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "URL of the image, relative to the organization URL.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}
