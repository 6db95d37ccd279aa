package channel

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The server's limits, counted in characters (server-behavior §C5).
const (
	maxName        = 60
	maxDescription = 1024
)

// trimmedName is compiled once: the schema is made anew for every process and every test.
var trimmedName = regexp.MustCompile(`(?s)^([^\s\pZ](.*[^\s\pZ])?)?$`)

func resourceSchema() schema.Schema {
	attributes := map[string]schema.Attribute{}
	for _, group := range []map[string]schema.Attribute{settingAttributes(), lifeAttributes(), computedAttributes()} {
		for name, attribute := range group {
			attributes[name] = attribute
		}
	}
	framework.PermissionAttributes(attributes, permission.Channels)
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A channel, and who may do what in it.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `. ` +
			`The roles are ` + "`role:owners`, `role:administrators`, `role:moderators`, `role:fullmembers`, `role:members` and `role:everyone`" + `, each with all before it, and ` + "`role:nobody`" + `.

An attribute that is not set is not managed: it is read and shown, and never written. Taking an attribute out of the configuration leaves what it set.

A change is applied only to what the plan saw: if somebody else has changed the same attribute since, the apply stops and says what it is now, what the plan saw and what was asked.

` + framework.NeverAdopted + framework.DeactivatedPrincipals,
		Attributes: attributes,
	}
}

// settingAttributes are what the channel is.
func settingAttributes() map[string]schema.Attribute {
	keepString := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "The name, at most 60 characters. No other channel of the organization has it, whatever the case of its letters; archived channels keep theirs.",
			Validators: []validator.String{
				framework.Length(1, maxName),
				framework.Matches(trimmedName, "must not begin or end with white space, which the server would take away"),
				framework.VisibleName{RefuseControls: true},
			},
		},
		"description": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "What the channel is for, in Markdown, at most 1024 characters. The server makes each line break a space. A change posts a notice in the channel.",
			Validators:          []validator.String{framework.Length(0, maxDescription)},
			PlanModifiers:       keepString,
		},
		"privacy": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Who may enter: `public` (everybody but guests), `web_public` (anyone on the internet reads), `private_shared_history` (who is added, and reads what was written before) or `private_protected_history` (who is added, and reads what is written from then on). Each can become each, in place. A new channel is `public` by default.",
			Validators:          []validator.String{framework.OneOf(words(zulip.Privacies)...)},
			PlanModifiers:       keepString,
		},
		"folder_id": schema.Int64Attribute{
			Optional: true, Computed: true,
			MarkdownDescription: "The ID of the channel folder it is in; `0` is none. " + featurelevel.Needs("zulip_channel", "folder_id"),
			Validators:          []validator.Int64{framework.AtLeast(0)},
			PlanModifiers:       []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"topics_policy": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Whether messages may go without a topic: `inherit` (as the organization has it), `allow_empty_topic`, `disable_empty_topic`, or `empty_topic_only` (only while no message has a topic; needs " + featurelevel.Describe(featurelevel.SinceValue("zulip_channel", "topics_policy", "empty_topic_only")) + "). " +
				featurelevel.Needs("zulip_channel", "topics_policy"),
			Validators:    []validator.String{framework.OneOf("inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only")},
			PlanModifiers: keepString,
		},
		"message_retention_days": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "How long messages are kept: a number of days, `unlimited`, or `realm_default` (as the organization has it). Only owners may set it.",
			Validators:          []validator.String{framework.Count("days", "unlimited", "realm_default")},
			PlanModifiers:       keepString,
		},
		"is_default": schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Whether new people are put into the channel. Only administrators may set it, and not for private channels.",
			PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		},
		"default_push_notifications": schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Whether mobile push notifications are turned on for new subscribers. It counts when somebody subscribes for the first time; subscriptions that exist do not change. New channels have `false`. Only administrators may set it. " + featurelevel.Needs(kind, "default_push_notifications"),
			PlanModifiers:       []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		},
	}
}

// lifeAttributes are how the channel is made and unmade.
func lifeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"announce": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the new channel is announced in the organization's channel for that. It counts on creation only, and only if somebody is subscribed from the start.",
		},
		"initial_subscribers": schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Who is in the new channel, by e-mail address or ID. It counts on creation only. By default nobody is in a public channel, and the account the provider uses is in a private one: it could not add anybody to it otherwise, not even as an administrator.",
		},
		"adopt_archived": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If an archived channel has the name, take it back with its messages and subscribers instead of failing. What the configuration does not set stays as it was. It counts on creation only. " + featurelevel.Sentence(featurelevel.ReactivateChannel),
		},
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "What happens to the channel when it is destroyed: `archive` (the default) archives it, `keep` leaves it as it is. Zulip deletes no channel for good.",
			Validators:          []validator.String{framework.OneOf(onDestroyArchive, onDestroyKeep)},
		},
	}
}

// computedAttributes are what the server says.
func computedAttributes() map[string]schema.Attribute {
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	return map[string]schema.Attribute{
		"id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The channel's ID.", PlanModifiers: keepNumber,
		},
		"creator_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The ID of the user who created it; null for imported and very old channels.", PlanModifiers: keepNumber,
		},
		"date_created": schema.StringAttribute{
			Computed: true, MarkdownDescription: "When it was created (RFC 3339).",
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"is_archived": schema.BoolAttribute{
			Computed: true, MarkdownDescription: "Whether it is archived. A channel that somebody else archives is planned to be created again.",
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
		},
		"url": schema.StringAttribute{
			Computed: true, MarkdownDescription: "Its address in the web app.",
		},
	}
}

func words[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}
