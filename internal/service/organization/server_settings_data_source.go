package organization

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewServerSettingsDataSource returns the data source zulip_server_settings.
func NewServerSettingsDataSource() datasource.DataSource {
	return adapter.DataSource[serverModel]{Name: "server_settings", Ready: serverSettingsReady, Schema: serverSettingsDataSchema, Read: readServerSettingsData}.New()
}

func serverSettingsReady(b *base.Base, diags *diag.Diagnostics) bool {
	if b.Meta == nil {
		return b.Ready(diags) // says that the provider's settings are not known yet
	}
	if b.Meta.Server == nil {
		diags.AddError("No server to ask", "Set site in the provider block, or ZULIP_SITE.")
	}
	return b.Meta.Server != nil
}

func serverSettingsDataSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	flag := func(description string) schema.BoolAttribute {
		return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "What the server says of itself to anyone. Needs `site` only, no account.",
		Attributes: map[string]schema.Attribute{
			"zulip_version":                   text("The server's version."),
			"zulip_merge_base":                text("The version that the server's code was last merged with; may be empty."),
			"zulip_feature_level":             schema.Int64Attribute{Computed: true, MarkdownDescription: "API feature level of the server."},
			"push_notifications_enabled":      flag("Whether the server sends push notifications to phones."),
			"is_incompatible":                 flag("Whether the server considers this client too old."),
			"email_auth_enabled":              flag("Whether people may sign in with address and password."),
			"require_email_format_usernames":  flag("Whether user names are addresses."),
			"realm_url":                       text("The organization's address."),
			"realm_name":                      text("The organization's name."),
			"realm_icon":                      text("The address of the organization's icon, which may be relative."),
			"realm_description":               text("The organization's description, as HTML."),
			"realm_web_public_access_enabled": flag("Whether anyone on the internet may read web-public channels."),
			"authentication_methods": schema.MapAttribute{
				ElementType: types.BoolType, Computed: true, MarkdownDescription: "Which ways to sign in are enabled.",
			},
			"external_authentication_methods": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The ways to sign in through another service.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":         text("The name by which the server knows it."),
					"display_name": text("The name by which people know it."),
					"display_icon": text("The address of its icon; may be null."),
					"login_url":    text("Where one signs in, relative to the organization's address."),
					"signup_url":   text("Where one signs up, relative to the organization's address."),
				}},
			},
		},
	}
}

// readServerSettingsData returns what the provider read when it was configured.
func readServerSettingsData(ctx context.Context, c *adapter.Call[serverModel], m *serverModel) error {
	settings := c.Meta.Server
	methods, diags := types.MapValueFrom(ctx, types.BoolType, settings.AuthenticationMethods)
	c.Diags.Append(diags...)
	*m = serverModel{
		ZulipVersion:                types.StringValue(settings.ZulipVersion),
		ZulipMergeBase:              types.StringValue(settings.ZulipMergeBase),
		ZulipFeatureLevel:           types.Int64Value(int64(settings.ZulipFeatureLevel)),
		PushNotificationsEnabled:    types.BoolValue(settings.PushNotificationsEnabled),
		IsIncompatible:              types.BoolValue(settings.IsIncompatible),
		EmailAuthEnabled:            types.BoolValue(settings.EmailAuthEnabled),
		RequireEmailFormatUsernames: types.BoolValue(settings.RequireEmailFormatUsernames),
		RealmURL:                    types.StringValue(settings.RealmURL),
		RealmName:                   types.StringValue(settings.RealmName),
		RealmIcon:                   types.StringValue(settings.RealmIcon),
		RealmDescription:            types.StringValue(settings.RealmDescription),
		RealmWebPublicAccessEnabled: types.BoolValue(settings.RealmWebPublicAccessEnabled),
		AuthenticationMethods:       methods,
		External:                    methodsOf(settings.ExternalAuthenticationMethods),
	}
	return nil
}

type serverModel struct {
	ZulipVersion                types.String  `tfsdk:"zulip_version"`
	ZulipMergeBase              types.String  `tfsdk:"zulip_merge_base"`
	ZulipFeatureLevel           types.Int64   `tfsdk:"zulip_feature_level"`
	PushNotificationsEnabled    types.Bool    `tfsdk:"push_notifications_enabled"`
	IsIncompatible              types.Bool    `tfsdk:"is_incompatible"`
	EmailAuthEnabled            types.Bool    `tfsdk:"email_auth_enabled"`
	RequireEmailFormatUsernames types.Bool    `tfsdk:"require_email_format_usernames"`
	RealmURL                    types.String  `tfsdk:"realm_url"`
	RealmName                   types.String  `tfsdk:"realm_name"`
	RealmIcon                   types.String  `tfsdk:"realm_icon"`
	RealmDescription            types.String  `tfsdk:"realm_description"`
	RealmWebPublicAccessEnabled types.Bool    `tfsdk:"realm_web_public_access_enabled"`
	AuthenticationMethods       types.Map     `tfsdk:"authentication_methods"`
	External                    []methodModel `tfsdk:"external_authentication_methods"`
}

type methodModel struct {
	Name        types.String `tfsdk:"name"`
	DisplayName types.String `tfsdk:"display_name"`
	DisplayIcon types.String `tfsdk:"display_icon"`
	LoginURL    types.String `tfsdk:"login_url"`
	SignupURL   types.String `tfsdk:"signup_url"`
}

func methodsOf(wire []zulip.ExternalAuthenticationMethod) []methodModel {
	methods := make([]methodModel, len(wire))
	for i, method := range wire {
		methods[i] = methodModel{
			types.StringValue(method.Name), types.StringValue(method.DisplayName), types.StringPointerValue(method.DisplayIcon),
			types.StringValue(method.LoginURL), types.StringValue(method.SignupURL),
		}
	}
	return methods
}
