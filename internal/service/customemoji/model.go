package customemoji

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/picture"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	ID         types.Int64  `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	File       types.String `tfsdk:"file"`
	FileSHA256 types.String `tfsdk:"file_sha256"`
	AuthorID   types.Int64  `tfsdk:"author_id"`
	SourceURL  types.String `tfsdk:"source_url"`
}

// read takes what the server holds. What the image was made from, it does not tell.
func (m *model) read(emoji *zulip.CustomEmoji) {
	m.ID, m.Name = types.Int64Value(emoji.ID), types.StringValue(emoji.Name)
	m.AuthorID, m.SourceURL = types.Int64PointerValue(emoji.AuthorID), types.StringValue(emoji.SourceURL)
}

// The server's rules for names: small letters, digits, dashes and underscores, a letter or digit at the end
// (server-behavior §L8).
var (
	emojiName    = regexp.MustCompile(`^[0-9a-z_-]*$`)
	emojiNameEnd = regexp.MustCompile(`[0-9a-z]$`)
)

func resourceSchema() schema.Schema {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: fmt.Sprintf(`An emoji of the organization's own, made from an image file.

The server shrinks the image and does not give the file back, so the SHA-256 of the file is kept in the state: other content makes a new emoji, the same content in another file changes nothing. What somebody else does to the image is not seen; that the emoji was deactivated is.

Only people add emoji, not bots: those whom the organization's setting `+"`can_add_custom_emoji_group`"+` names. Administrators and who added it take one away. Destroying it deactivates it: messages that have it keep it.

No two active emoji have one name. `+core.NeverAdopted+` Its picture is not compared, for the server does not give it back.

After an import the content of the file is unknown, and the first plan takes the configured file for it; an import by `+"`NAME=FILE`"+`, as in `+"`kudos=./kudos.png`"+`, takes the file at once. Files up to %d MiB are taken, unless the server's administrator chose another limit.`, picture.UsualLimit>>20),
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The emoji's ID.", PlanModifiers: keepNumber},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name, without colons: small letters, digits, dashes and underscores, with a letter or digit at the end. The name of a standard emoji hides that emoji, and only administrators may use one. Changing this forces a new emoji.",
				Validators: []validator.String{
					validators.Matches(emojiName, "must have only small letters, digits, dashes and underscores"),
					validators.Matches(emojiNameEnd, "must end with a letter or digit"),
				},
			},
			"file": schema.StringAttribute{
				Required: true, MarkdownDescription: "The path of the image, as in `\"${path.module}/party.png\"`: PNG, JPEG, GIF, WebP or AVIF.",
			},
			"file_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The SHA-256 of the file that was uploaded, in hexadecimal; null after an import until the next apply.",
			},
			"author_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of who added it; null if the server does not know.", PlanModifiers: keepNumber},
			"source_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Where the image is, from the organization's address on.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}
