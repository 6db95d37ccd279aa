// Package user is the resource zulip_user, a person's account, and the data sources zulip_user and zulip_users.
package user

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// facts are what a person or bot is.
type facts struct {
	ID            types.Int64  `tfsdk:"id"`
	Email         types.String `tfsdk:"email"`
	DeliveryEmail types.String `tfsdk:"delivery_email"`
	FullName      types.String `tfsdk:"full_name"`
	Role          types.String `tfsdk:"role"`
	IsActive      types.Bool   `tfsdk:"is_active"`
	IsDeleted     types.Bool   `tfsdk:"is_deleted"`
	IsBot         types.Bool   `tfsdk:"is_bot"`
	BotType       types.Int64  `tfsdk:"bot_type"`
	BotOwnerID    types.Int64  `tfsdk:"bot_owner_id"`
	Timezone      types.String `tfsdk:"timezone"`
	DateJoined    types.String `tfsdk:"date_joined"`
	ProfileData   types.Map    `tfsdk:"profile_data"`
}

// read sets the facts to what the server has. tellsDeleted is whether it tells which accounts were deleted.
func (f *facts) read(ctx context.Context, user *zulip.User, s *snapshot.Snapshot, tellsDeleted bool) diag.Diagnostics {
	f.ID = types.Int64Value(user.ID)
	f.Email = types.StringValue(user.Email)
	f.DeliveryEmail = types.StringPointerValue(user.DeliveryEmail)
	f.FullName = types.StringValue(user.FullName)
	f.Role = types.StringValue(user.Role.String())
	f.IsActive = types.BoolValue(user.IsActive)
	f.IsDeleted = types.BoolNull()
	if tellsDeleted {
		f.IsDeleted = types.BoolValue(user.IsDeleted)
	}
	f.IsBot = types.BoolValue(user.IsBot)
	f.BotType = types.Int64PointerValue(user.BotType)
	f.BotOwnerID = types.Int64PointerValue(user.BotOwnerID)
	f.Timezone = types.StringValue(user.Timezone)
	f.DateJoined = types.StringValue(user.DateJoined)
	profile, diags := types.MapValueFrom(ctx, types.StringType, profileOf(user, s))
	f.ProfileData = profile
	return diags
}

// profileOf returns the custom profile of a person, by the names of the fields.
func profileOf(user *zulip.User, s *snapshot.Snapshot) map[string]string {
	profile := map[string]string{}
	for _, field := range s.ProfileFields().List() {
		if value, ok := user.ProfileData[strconv.FormatInt(field.ID, 10)]; ok {
			profile[field.Name] = value.Value
		}
	}
	return profile
}

// attributes describe the facts.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":             schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID."},
		"email":          schema.StringAttribute{Computed: true, MarkdownDescription: "Email address in the API: the real one if the provider's account may see it, otherwise one that the server generates."},
		"delivery_email": schema.StringAttribute{Computed: true, MarkdownDescription: "Real email address; null if the provider's account may not see it."},
		"full_name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Display name."},
		"role":           schema.StringAttribute{Computed: true, MarkdownDescription: "Role: `owner`, `administrator`, `moderator`, `member` or `guest`."},
		"is_active":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is active; `false` if it is deactivated."},
		"is_deleted":     schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account was deleted on the server. A deleted account is deactivated too, and cannot be reactivated. " + featurelevel.Needs(kind, "is_deleted")},
		"is_bot":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the account is a bot."},
		"bot_type":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Type of the bot: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. Null for people."},
		"bot_owner_id":   schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the bot's owner. Null for people."},
		"timezone":       schema.StringAttribute{Computed: true, MarkdownDescription: "Time zone, as in `Europe/Berlin`; empty if it is not set."},
		"date_joined":    schema.StringAttribute{Computed: true, MarkdownDescription: "Time at which the account was created (RFC 3339)."},
		"profile_data":   schema.MapAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Values of custom profile fields by the names of the fields, as the server stores them. Fields without a value are absent."},
	}
}
