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
		diags.AddError("No server is configured", "Set site in the provider block, or ZULIP_SITE.")
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
		MarkdownDescription: "Reads the public settings of the server. Requires `site`, but no account.",
		Attributes: map[string]schema.Attribute{
			"zulip_version":                   text("Version of the server."),
			"zulip_merge_base":                text("Version that the server's code was last merged with. Can be empty."),
			"zulip_feature_level":             schema.Int64Attribute{Computed: true, MarkdownDescription: "API feature level of the server."},
			"push_notifications_enabled":      flag("True if the server sends push notifications to phones."),
			"is_incompatible":                 flag("True if the server considers this client too old."),
			"email_auth_enabled":              flag("True if people can log in with email and password."),
			"require_email_format_usernames":  flag("True if user names are email addresses."),
			"realm_url":                       text("URL of the organization."),
			"realm_name":                      text("Name of the organization."),
			"realm_icon":                      text("URL of the organization's icon. Can be relative."),
			"realm_description":               text("Description of the organization, in HTML."),
			"realm_web_public_access_enabled": flag("True if anyone on the internet can read web-public channels."),
			"authentication_methods": schema.MapAttribute{
				ElementType: types.BoolType, Computed: true, MarkdownDescription: "Login methods by name; true if enabled.",
			},
			"external_authentication_methods": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Login methods of other services.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":         text("Name on the server."),
					"display_name": text("Name that people see."),
					"display_icon": text("URL of the icon. Can be null."),
					"login_url":    text("URL for login, relative to the organization URL."),
					"signup_url":   text("URL for signup, relative to the organization URL."),
				}},
			},
		},
	}
}

// readServerSettingsData returns the settings that the provider read when it was configured.
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
