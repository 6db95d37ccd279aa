package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
)

// whichToUse tells the three ways to say who is in a channel apart.
const whichToUse = `

Which to use:

- ` + "`initial_subscribers`" + ` of ` + "`zulip_channel`" + ` says who is in a channel when it is made, and never again: people come and go as they like.
- ` + "`zulip_channel_subscription`" + ` makes sure that some people are in, whoever else is.
- ` + "`zulip_channel_subscribers`" + ` says who is in, and takes everybody else out.

The last two are not for the same channel: the plan says so. With either of them, a private channel is best made with ` + "`initial_subscribers`" + ` unset: the account the provider uses is in it then, and can add the others. To manage subscribers it needs access to the messages of a private channel, so name it among the users, or in ` + "`can_add_subscribers_group`" + `.

People who are deactivated count as they are written: the server neither lists nor accepts them, and they are in the channel again when they are reactivated. The server subscribes people and bots, not groups.`

// The users are lists although they have no order: of a set the plugin framework compares every element with every
// other, which takes minutes for some thousands.

func exclusiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Who is in the channel, by e-mail address or ID: people and bots. `[]` is nobody. The order does not matter.",
		Validators:          []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0))},
	}
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `Exactly these people and bots are in a channel. Whoever else is in it is taken out, also who subscribes later by themselves: that is shown by the next plan. If somebody came or left between plan and apply, nothing is changed, and the error says who.

Only the difference is sent, in at most two requests for any number of people. Destroying the resource leaves everybody where they are.` + whichToUse,
		Attributes: attributes,
	}
}

func additiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Who is in the channel, by e-mail address or ID: people and bots, at least one. The order does not matter.",
		Validators:          []validator.List{validators.Size(1, 0), listvalidator.ValueStringsAre(validators.Length(1, 0))},
	}
	attributes["added_user_ids"] = schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: "The IDs of those whom this resource has added. Only they are taken out when they are not named any more, or the resource is destroyed; who was in the channel before stays. After an import it is nobody.",
	}
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `These people and bots are in a channel, whoever else is. Who leaves is added again. Destroying the resource takes out whom it has added. Name a person for a channel in one of these only: the one that added the person would take the person out.

The identity of the resource is the channel: the users change. Several resources of this kind for one channel have the same identity. An import by identity takes in everybody who is in the channel, and nobody of them counts as added by the resource.` + whichToUse,
		Attributes: attributes,
	}
}

// sharedAttributes are what both resources have.
func sharedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"channel": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "The channel: its ID, as in `zulip_channel.x.id`, or its name. A channel whose name is a number is written `name:2024`. Changing this forces a new resource.",
		},
		"channel_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The channel's ID.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"send_new_subscription_messages": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether people are told by a message that they were subscribed; by default not. The server tells nobody where it subscribes more than a hundred at once. Below " + featurelevel.Describe(featurelevel.QuietSubscribing) + " it always tells, and `false` is refused.",
		},
	}
}
