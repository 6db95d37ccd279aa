package bot

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

const description = "A bot. The account the provider uses makes it and owns it at first, and has to be a person's: the server lets no bot make bots.\n\n" +
	"The bot's API key is in no state and no plan: the ephemeral resource `zulip_bot_api_key` reads it where it is needed.\n\n" +
	"Zulip deletes no bot: destroying deactivates it. Its short name stays taken, and `adopt_deactivated = true` takes the bot back. An active bot of the short name is not taken over: import it. A short name has one bot, so applying again after a lost answer makes no second one: the bot is found by its address."

func resourceSchema() schema.Schema {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The bot's ID.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Computed: true, MarkdownDescription: "The bot's address, made of the short name.", PlanModifiers: keep,
			},
			"short_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "What the address begins with, before `-bot@`. Another one is another bot.",
				Validators:    []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^[^\s@]+$`), "must be what an e-mail address begins with")},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name, at most 100 characters, which no other active account has.",
				Validators: []validator.String{stringvalidator.UTF8LengthBetween(1, 100)},
			},
			"bot_type": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("generic"),
				MarkdownDescription: "`generic` (the default), `incoming_webhook`, which only sends messages, `outgoing_webhook`, or `embedded`, where the server is set up for it. Another type is another bot, which needs another short name.",
				Validators:          []validator.String{stringvalidator.OneOf(typeWords[1:]...)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"owner": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keep,
				MarkdownDescription: "The person who owns the bot: the address or the ID. Not set, it is not managed; at first it is the account the provider uses.",
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keep,
				MarkdownDescription: "`owner`, `administrator`, `moderator`, `member` or `guest`. Not set, it is not managed; new bots are members. It takes an administrator, and feature level 130. A role that somebody changed since the plan was made is not written over.",
				Validators:          []validator.String{stringvalidator.OneOf(framework.Roles()...)},
			},
			"default_sending_stream": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keep,
				MarkdownDescription: "The channel the bot sends to by default: its ID, as in `zulip_channel.x.id`, or its name; `\"\"` is none. Not set, it is not managed.",
			},
			"default_events_register_stream": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keep,
				MarkdownDescription: "The channel the bot listens to by default: its ID or its name; `\"\"` is none. Not set, it is not managed.",
			},
			"default_all_public_streams": schema.BoolAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Whether the bot listens to all public channels by default. Not set, it is not managed.",
				PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
			},
			"payload_url": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Where an outgoing webhook sends to; only for that type, which needs it.",
				Validators: []validator.String{stringvalidator.RegexMatches(regexp.MustCompile(`^https?://[^\s/]+`), "must be an address like https://example.com/hook")},
			},
			"interface": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: keep,
				MarkdownDescription: "How an outgoing webhook speaks: `generic` (at first) or `slack`; only for that type. Not set, it is not managed.",
				Validators:          []validator.String{stringvalidator.OneOf(interfaceWords[1:]...)},
			},
			"service_name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Of an incoming webhook the integration, of an embedded bot which one it is. It counts only when the bot is made: the server neither shows nor changes it later.",
			},
			"config_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Sensitive: true,
				MarkdownDescription: "The settings of the bot's service. The server does not show them, so that changes made elsewhere are not noticed, and it takes no key away: what is taken out here stays there, and is not managed any more.",
			},
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether to take back, when it is created, a deactivated bot of the short name and type. By default that is an error.",
			},
		},
	}
}
