package bot

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const description = "Manages a bot. The provider's account has to be a person's, since the server lets no bot manage bots; it owns the new bot unless `owner` names somebody else.\n\n" +
	"The bot's API key is in no state and no plan: the ephemeral resource `zulip_bot_api_key` reads it where it is needed.\n\n" +
	"Zulip cannot delete a bot: destroying the resource deactivates it. A deactivated bot keeps its short name; `adopt_deactivated = true` reactivates it. " +
	core.NeverAdopted

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID of the bot.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Email address of the bot, which it authenticates with. Changes with `short_name`.", PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"short_name": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Local part of the bot's email address, which is `<short_name>-bot@<host>`. Case is ignored. A change is applied in place from " + featurelevel.Describe(featurelevel.BotShortName) +
					" on: the bot keeps its ID and API key, and whoever authenticates as the bot needs the new address. On an older server, or if the level is not known when planning, a change forces a new bot.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^[^\s@]+$`), "must be the beginning of an email address")},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Display name, at most 100 characters. No other active account may have it.",
				Validators: []validator.String{validators.Length(1, 100), validators.VisibleName{}},
			},
			"bot_type": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("generic"),
				MarkdownDescription: "Type of the bot: `generic`, `incoming_webhook` (only sends messages), `outgoing_webhook`, or `embedded` (if the server is set up for it). Defaults to `generic`. Changing this forces a new bot, which needs another `short_name`.",
				Validators:          []validator.String{validators.OneOf(typeNames[1:]...)},
			},
			"owner": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Email address or user ID of the person who owns the bot. If unset, the owner is not managed; a new bot belongs to the provider's account. The server deactivates a bot with its owner: if this apply deactivates the owner (`zulip_user`) and sets another one here, the bot is reactivated, whichever of the two comes first.",
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Role of the bot: `owner`, `administrator`, `moderator`, `member` or `guest`. If unset, the role is not managed; a new bot is a member. Only administrators can set it. If somebody else changes the role between plan and apply, the apply stops. " + featurelevel.Needs("zulip_bot", "role"),
				Validators:          []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"default_sending_stream": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Channel that the bot sends to by default: its ID, as in `zulip_channel.x.id`, or its name; `\"\"` for none. If unset, it is not managed; a new bot has none.",
			},
			"default_events_register_stream": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Channel whose events the bot gets by default: its ID or its name; `\"\"` for none. If unset, it is not managed; a new bot has none.",
			},
			"default_all_public_streams": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Whether the bot gets the events of all public channels by default. If unset, it is not managed; a new bot has `false`.",
			},
			"payload_url": schema.StringAttribute{
				Optional: true, MarkdownDescription: "URL that an outgoing webhook sends to. Required for `outgoing_webhook`, not allowed for other types.",
				Validators: []validator.String{validators.Matches(regexp.MustCompile(`^https?://[^\s/]+`), "must be a URL like https://example.com/hook")},
			},
			"interface": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Format of the requests of an outgoing webhook: `generic` or `slack`. Not allowed for other types. If unset, it is not managed; a new webhook has `generic`.",
				Validators:          []validator.String{validators.OneOf(interfaceNames[1:]...)},
			},
			"service_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of the integration of an incoming webhook, or of the embedded bot. Only used on create: the server neither shows nor changes it later.",
			},
			"config_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Sensitive: true,
				MarkdownDescription: "Settings of the bot's service. The server does not show them, so changes made elsewhere are not detected. It cannot remove a key either: a key removed here stays on the server and is no longer managed.",
			},
			"avatar_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of an image to upload as the bot's picture, as in `\"${path.module}/bot.png\"`: PNG, JPEG, GIF, WebP or AVIF. Other content is uploaded in place; the same content in another file changes nothing. " +
					"If somebody else changes the picture, the next plan proposes to upload the file again. If unset, the picture is not managed. The server does not give the file back: after an import the first apply uploads it. Removing the attribute, or destroying the resource, leaves the picture: only a request with the bot's own key can remove one.",
			},
			"avatar_sha256": schema.StringAttribute{
				Computed: true, MarkdownDescription: "SHA-256 of the file that was uploaded as the picture, in hexadecimal. Empty if somebody else has changed the picture since; null if `avatar_file` is unset.",
			},
			"avatar_url": schema.StringAttribute{
				Computed: true, MarkdownDescription: "URL of the picture, from the organization's address on or whole. Another one after each upload; null if `avatar_file` is unset.",
			},
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Reactivate a deactivated bot with the same `short_name` and `bot_type` instead of failing. Only used on create. Defaults to `false`.",
			},
		},
	}
}
