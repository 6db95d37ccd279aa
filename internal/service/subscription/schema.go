package subscription

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// whichToUse tells the three ways to say who is in a channel apart.
const whichToUse = `

Which to use:

- ` + "`initial_subscribers`" + ` of ` + "`zulip_channel`" + ` sets who is subscribed to a new channel, on create only: people subscribe and unsubscribe as they like afterwards.
- ` + "`zulip_channel_subscription`" + ` keeps some people subscribed, whoever else is.
- ` + "`zulip_channel_subscribers`" + ` sets exactly who is subscribed, and unsubscribes everybody else.

The last two cannot be used for the same channel: the plan refuses it. With either of them, leave ` + "`initial_subscribers`" + ` of a private channel unset: then the provider's account is subscribed to it and can add the others. To manage the subscribers of a private channel, the provider's account needs access to its messages, so list it among the users, or in ` + "`can_add_subscribers_group`" + `.

A ` + "`zulip_channel_subscription`" + ` that is destroyed unsubscribes those whom it has subscribed; the plan refuses it while another resource lists them for the same channel. To replace it by another resource, let go of it with a ` + "`removed`" + ` block and ` + "`destroy = false`" + `: then nobody leaves. A ` + "`zulip_channel_subscribers`" + ` that is destroyed leaves everybody where they are.

Deactivated people may be listed, and cause no change: the server neither shows nor accepts them, and they are subscribed again when they are reactivated.

User groups: the server subscribes people and bots, not groups. A channel follows a group by reference: ` + "`users = zulip_user_group.press.members`" + `, of several ` + "`users = setunion(zulip_user_group.press.members, zulip_user_group.web.members)`" + `, of a ` + "`zulip_user_group_membership`" + ` its ` + "`members`" + `. Terraform then changes the group first, and the plan lists who comes and who goes. Of a group that is managed elsewhere, or of a role, ` + "`data.zulip_user_group.press.all_members`" + ` has everybody, subgroups included.

If the users are not known at plan, as where a data source has to wait for a resource, the plan could not list who is unsubscribed: then an existing resource changes nobody in this apply, and says so; the next plan lists them.`

// The users are lists although they have no order: of a set the plugin framework compares every element with every
// other, which takes minutes for some thousands.

func exclusiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "All subscribers of the channel, by email address or user ID, also as `user:EMAIL` or `user_id:N`: people and bots. `[]` is nobody. The order and repetitions do not matter.",
		Validators:          userElements(),
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages all subscribers of a channel: exactly the listed people and bots are subscribed, and everybody else is unsubscribed. If somebody subscribes later by themselves, the next plan proposes to unsubscribe them. If somebody has subscribed or unsubscribed since the plan was made, the apply stops without a change, and the error names them. A new resource takes nobody out of a channel that is there, but the account of the provider: import the channel first, so that the plan lists everybody who leaves.

Only the difference is sent, in at most two requests for any number of people. Destroying the resource leaves the subscriptions as they are.` + whichToUse,
		Attributes: attributes,
	}
}

func additiveSchema() schema.Schema {
	attributes := sharedAttributes()
	attributes["users"] = schema.ListAttribute{
		ElementType: types.StringType, Required: true,
		MarkdownDescription: "Subscribers to keep in the channel, by email address or user ID, also as `user:EMAIL` or `user_id:N`: people and bots. The order and repetitions do not matter.",
		Validators:          userElements(),
	}
	attributes["added_user_ids"] = schema.ListAttribute{
		ElementType: types.Int64Type, Computed: true,
		MarkdownDescription: "User IDs of those whom this resource has subscribed. Only they are unsubscribed when they are removed from `users`, or when the resource is destroyed. Empty after an import.",
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Keeps people and bots subscribed to a channel, beside whoever else is subscribed. If one of them unsubscribes, the next plan proposes to subscribe them again. Destroying the resource unsubscribes those whom it has subscribed. A resource unsubscribes nobody whom another one lists for the same channel: the plan refuses that.

The identity of the resource is the channel, since the users may change. Several resources of this kind for one channel have the same identity. An import by identity imports all subscribers of the channel, none of whom count as subscribed by the resource.` + whichToUse,
		Attributes: attributes,
	}
}

// userElements validates the elements of `users`.
func userElements() []validator.List {
	return []validator.List{listvalidator.ValueStringsAre(validators.Length(1, 0), validators.Person("The server subscribes people and bots. A channel follows a group by reference: "+
		"users = zulip_user_group.NAME.members, or for a role or a group that is managed elsewhere users = data.zulip_user_group.NAME.all_members."))}
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
		"send_new_subscription_messages": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether people get a message that they were subscribed. Defaults to `false`. The server sends no messages if it subscribes more than 100 at once. Below " + featurelevel.Describe(featurelevel.QuietSubscribing) + " it always sends them, and `false` is refused.",
		},
	}
}
