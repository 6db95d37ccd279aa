package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	functions "github.com/zulip-iac/terraform-provider-zulip/internal/provider/function"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/bot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/botapikey"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channelfolder"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/codeplayground"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/customemoji"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/dataexport"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/defaultchannelgroup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/defaultusersettings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/domain"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/draft"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/invitation"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/invitelink"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/linkifier"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/message"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/messageflags"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/organization"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/organizationimage"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/profilefield"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/reaction"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/rolemembers"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/scheduledmessage"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/server"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/subscription"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/subscriptionsettings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/topic"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/tradingcloud"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/typing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/user"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/usergroup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/userrole"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/usersettings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/userstatus"
)

// Resources lists every resource.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		bot.NewResource,
		channel.NewResource,
		channelfolder.NewOrderResource,
		channelfolder.NewResource,
		codeplayground.NewResource,
		customemoji.NewResource,
		defaultchannelgroup.NewResource,
		defaultusersettings.NewResource,
		domain.NewResource,
		draft.NewResource,
		invitation.NewResource,
		invitelink.NewResource,
		linkifier.NewOrderResource,
		linkifier.NewResource,
		message.NewResource,
		organization.NewResource,
		organizationimage.NewResource,
		profilefield.NewOrderResource,
		profilefield.NewResource,
		reaction.NewResource,
		rolemembers.NewResource,
		scheduledmessage.NewResource,
		subscription.NewSubscribers,
		subscription.NewSubscription,
		subscriptionsettings.NewResource,
		user.NewResource,
		usergroup.NewMembershipResource,
		usergroup.NewResource,
		userrole.NewResource,
		userstatus.NewResource,
	}
}

// DataSources lists every data source.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		access.NewDataSource,
		access.NewUserDataSource,
		channel.NewDataSource,
		channel.NewListDataSource,
		channelfolder.NewDataSource,
		invitelink.NewDataSource,
		linkifier.NewListDataSource,
		message.NewHistoryDataSource,
		organization.NewDataSource,
		server.NewDataSource,
		topic.NewDataSource,
		tradingcloud.NewOrganizationsDataSource,
		tradingcloud.NewPingDataSource,
		tradingcloud.NewPlatformsDataSource,
		user.NewDataSource,
		user.NewListDataSource,
		usergroup.NewDataSource,
		usergroup.NewListDataSource,
		userstatus.NewDataSource,
	}
}

// ListResources lists every list resource.
func (p *Provider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		bot.NewListResource,
		channel.NewListResource,
		subscription.NewSubscribersListResource,
		listOf(channelfolder.NewResource),
		listOf(codeplayground.NewResource),
		listOf(customemoji.NewResource),
		listOf(defaultchannelgroup.NewResource),
		listOf(domain.NewResource),
		listOf(draft.NewResource),
		invitation.NewListResource,
		listOf(invitelink.NewResource),
		listOf(linkifier.NewResource),
		listOf(profilefield.NewResource),
		rolemembers.NewListResource,
		listOf(scheduledmessage.NewResource),
		user.NewListResource,
		usergroup.NewListResource,
		userrole.NewListResource,
		userstatus.NewListResource,
	}
}

// Actions lists every action.
func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		dataexport.NewAction,
		message.NewReportAction,
		message.NewSendAction,
		messageflags.NewFlagsAction,
		messageflags.NewNarrowAction,
		messageflags.NewTopicAction,
		typing.NewAction,
		usersettings.NewAction,
	}
}

// EphemeralResources lists every ephemeral resource.
func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		botapikey.NewEphemeral,
		tradingcloud.NewTokenEphemeral,
	}
}

// Functions lists every function.
func (p *Provider) Functions(context.Context) []func() function.Function { return functions.All() }
