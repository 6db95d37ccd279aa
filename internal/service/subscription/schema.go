package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
)

// whichToUse tells the three ways to say who is in a channel apart.
const whichToUse = `

Which to use:

- ` + "`initial_subscribers`" + ` of ` + "`zulip_channel`" + ` sets who is subscribed to a new channel, on create only: people subscribe and unsubscribe as they like afterwards.
- ` + "`zulip_channel_subscription`" + ` keeps some people subscribed, whoever else is.
- ` + "`zulip_channel_subscribers`" + ` sets exactly who is subscribed, and unsubscribes everybody else.

The last two cannot be used for the same channel: the plan refuses it. With either of them, leave ` + "`initial_subscribers`" + ` of a private channel unset: then the provider's account is subscribed to it and can add the others. To manage the subscribers of a private channel, the provider's account needs access to its messages, so list it among the users, or in ` + "`can_add_subscribers_group`" + `.

Deactivated people may be listed, and cause no change: the server neither shows nor accepts them, and they are subscribed again when they are reactivated.

Groups:

- The server subscribes people and bots, not groups. The provider subscribes the members of the groups: people and bots, and the members of subgroups at any depth, without deactivated people. If somebody joins a group, the next plan proposes to subscribe them; if somebody leaves it, to unsubscribe them, unless ` + "`users`" + ` or another of the groups still has them.
- Roles such as ` + "`role:members`" + ` are groups too. ` + "`role:everyone`" + ` includes guests. Bots have a role, and are included. ` + "`role:internet`" + ` and deactivated groups are refused.
- Write ` + "`zulip_user_group.x.id`" + `: then a change of the group's members and the change of the subscriptions that follows from it are made in one apply, in this order. If the group is written by name, or if its members change through a ` + "`zulip_user_group_membership`" + `, a subgroup or a role, the order is not known, and ` + "`group_user_ids`" + ` is known after the apply. If the subscriptions came first, the next plan proposes the rest; ` + "`depends_on`" + ` sets the order.
- The plan warns who will be subscribed and unsubscribed because of groups, by name, unless the provider block sets ` + "`access_warnings = false`" + `.
- If somebody else has changed the members of a group since the plan was made, the apply stops without a change, and the error names them. On create, and if ` + "`groups`" + ` itself changes, it is Terraform that stops, with the error "inconsistent final plan". In both cases, plan again.`

// The users are lists although they have no order: of a set the plugin framework compares every element with every
// other, which takes minutes for some thousands.

func exclusiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Optional: true,
		MarkdownDescription: "All subscribers of the channel beside the members of `groups`, by email address or user ID: people and bots. `[]` is nobody. The order does not matter. At least one of `users` and `groups` is required.",
		Validators:          []validator.List{validators.AtLeastOneListOf("users", "groups"), listvalidator.ValueStringsAre(validators.Length(1, 0))},
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages all subscribers of a channel: exactly the listed people and bots, and the members of the listed groups, are subscribed, and everybody else is unsubscribed. If somebody subscribes later by themselves, the next plan proposes to unsubscribe them. If somebody has subscribed or unsubscribed since the plan was made, the apply stops without a change, and the error names them.

Only the difference is sent, in at most two requests for any number of people. Destroying the resource leaves the subscriptions as they are.` + whichToUse,
		Attributes: attributes,
	}
}

func additiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Optional: true,
		MarkdownDescription: "Subscribers to keep in the channel, by email address or user ID: people and bots, at least one. The order does not matter. At least one of `users` and `groups` is required.",
		Validators:          []validator.List{validators.AtLeastOneListOf("users", "groups"), validators.Size(1, 0), listvalidator.ValueStringsAre(validators.Length(1, 0))},
	}
	attributes["added_user_ids"] = schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: "User IDs of those whom this resource has subscribed. Only they are unsubscribed when they are removed from `users`, when they leave the groups, or when the resource is destroyed. Empty after an import.",
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Keeps people, bots and the members of user groups subscribed to a channel, beside whoever else is subscribed. If one of them unsubscribes, the next plan proposes to subscribe them again, unless ` + "`resubscribe` is `false`" + `. Destroying the resource unsubscribes those whom it has subscribed. List a person for a channel in only one resource of this kind: the one that subscribed them would unsubscribe them.

The identity of the resource is the channel, since the users may change. Several resources of this kind for one channel have the same identity. An import by identity imports all subscribers of the channel, none of whom count as subscribed by the resource.` + whichToUse,
		Attributes: attributes,
	}
}

// sharedAttributes are what both resources have.
func sharedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "ID of the channel, as in `zulip_channel.x.id`, or its name. Write `name:2024` for a channel whose name is a number. Changing this forces a new resource.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "ID of the channel.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"groups": schema.ListAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "User groups whose members are subscribers, by ID, as in `zulip_user_group.x.id`, or by name; `role:members` and other roles are groups too, and `name:2024` is the group with the name 2024. The order does not matter.",
			Validators:          []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0))},
		},
		"group_user_ids": schema.ListAttribute{
			ElementType: types.Int64Type, Computed: true,
			MarkdownDescription: "User IDs of the members of `groups` who are subscribed, ascending. Null without `groups`.",
		},
		"resubscribe": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether people who were subscribed and have unsubscribed by themselves are subscribed again. Whoever was unsubscribed outside Terraform counts as such. With `false` they stay out, even if they leave a group and come back, until they subscribe by themselves. Defaults to `true`.",
		},
		"left_user_ids": schema.ListAttribute{
			ElementType: types.Int64Type, Computed: true,
			MarkdownDescription: "User IDs of those who were subscribed and have unsubscribed since, or were unsubscribed outside Terraform, ascending. With `resubscribe = false` they are left out. Null if there are none.",
		},
		"send_new_subscription_messages": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether people get a message that they were subscribed. Defaults to `false`. The server sends no messages if it subscribes more than 100 at once. Below " + featurelevel.Describe(featurelevel.QuietSubscribing) + " it always sends them, and `false` is refused.",
		},
	}
}
