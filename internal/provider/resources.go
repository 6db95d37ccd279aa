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
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/bots"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channels"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/groups"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/invitations"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/messages"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/organization"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/users"
)

// Resources lists every resource.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		bots.NewBotResource,
		channels.NewChannelFolderOrderResource,
		channels.NewChannelFolderResource,
		channels.NewChannelResource,
		channels.NewChannelSubscribersResource,
		channels.NewChannelSubscriptionResource,
		channels.NewChannelSubscriptionSettingsResource,
		channels.NewDefaultChannelGroupResource,
		groups.NewUserGroupMembershipResource,
		func() resource.Resource {
			return groups.NewUserGroupResource(groups.Elsewhere{Channel: channels.RemoveGroup, Organization: organization.RemoveGroup})
		},
		invitations.NewInvitationResource,
		invitations.NewInviteLinkResource,
		messages.NewDraftResource,
		messages.NewMessageResource,
		messages.NewReactionResource,
		messages.NewScheduledMessageResource,
		organization.NewCodePlaygroundResource,
		organization.NewCustomEmojiResource,
		organization.NewDefaultUserSettingsResource,
		organization.NewDomainResource,
		organization.NewLinkifierOrderResource,
		organization.NewLinkifierResource,
		organization.NewOrganizationImageResource,
		organization.NewOrganizationResource,
		organization.NewProfileFieldOrderResource,
		organization.NewProfileFieldResource,
		users.NewRoleMembersResource,
		users.NewUserResource,
		users.NewUserRoleResource,
		users.NewUserStatusResource,
	}
}

// DataSources lists every data source.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		access.NewDataSource,
		access.NewUserDataSource,
		channels.NewChannelDataSource,
		channels.NewChannelFoldersDataSource,
		channels.NewChannelTopicsDataSource,
		channels.NewChannelsDataSource,
		groups.NewUserGroupDataSource,
		groups.NewUserGroupsDataSource,
		invitations.NewInviteLinksDataSource,
		messages.NewMessageHistoryDataSource,
		organization.NewLinkifiersDataSource,
		organization.NewOrganizationDataSource,
		organization.NewServerSettingsDataSource,
		trading.NewOrganizationsDataSource,
		trading.NewPingDataSource,
		trading.NewPlatformsDataSource,
		users.NewUserDataSource,
		users.NewUserStatusDataSource,
		users.NewUsersDataSource,
	}
}

// ListResources lists every list resource.
func (p *Provider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		bots.NewBotList,
		listOf(channels.NewChannelFolderResource),
		channels.NewChannelList,
		channels.NewChannelSubscribersList,
		listOf(channels.NewDefaultChannelGroupResource),
		groups.NewUserGroupList,
		invitations.NewInvitationList,
		listOf(invitations.NewInviteLinkResource),
		listOf(messages.NewDraftResource),
		listOf(messages.NewScheduledMessageResource),
		listOf(organization.NewCodePlaygroundResource),
		listOf(organization.NewCustomEmojiResource),
		listOf(organization.NewDomainResource),
		listOf(organization.NewLinkifierResource),
		listOf(organization.NewProfileFieldResource),
		users.NewRoleMembersList,
		users.NewUserList,
		users.NewUserRoleList,
		users.NewUserStatusList,
	}
}

// Actions lists every action.
func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		messages.NewMarkTopicAsReadAction,
		messages.NewMessageFlagsAction,
		messages.NewMessageFlagsForNarrowAction,
		messages.NewReportMessageAction,
		messages.NewSendMessageAction,
		messages.NewTypingAction,
		organization.NewExportAction,
		users.NewUserSettingsAction,
	}
}

// EphemeralResources lists every ephemeral resource.
func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		bots.NewBotAPIKeyEphemeral,
		trading.NewTokenEphemeral,
	}
}

// Functions lists every function.
func (p *Provider) Functions(context.Context) []func() function.Function { return functions.All() }
