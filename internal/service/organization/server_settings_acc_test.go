package organization_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// TestAccServerSettingsDataSource asks without an account, which is enough for this, and for nothing else.
func TestAccServerSettingsDataSource(t *testing.T) {
	org := acctest.Start(t)
	answer := org.Call(t, http.MethodGet, "/server_settings", nil)
	text := func(name string) knownvalue.Check {
		value, _ := answer[name].(string)
		return knownvalue.StringExact(value)
	}
	flag := func(name string) knownvalue.Check { value, _ := answer[name].(bool); return knownvalue.Bool(value) }
	level, _ := answer["zulip_feature_level"].(float64)
	methods := map[string]knownvalue.Check{}
	enabled, _ := answer["authentication_methods"].(map[string]any)
	for name, value := range enabled {
		on, _ := value.(bool)
		methods[name] = knownvalue.Bool(on)
	}
	external, _ := answer["external_authentication_methods"].([]any)
	t.Setenv("ZULIP_EMAIL", "")
	t.Setenv("ZULIP_API_KEY", "")
	t.Setenv("HOME", t.TempDir()) // no ~/.zuliprc

	var checks []statecheck.StateCheck
	for attribute, want := range map[string]knownvalue.Check{
		"zulip_feature_level":             knownvalue.Int64Exact(int64(level)),
		"zulip_version":                   text("zulip_version"),
		"zulip_merge_base":                text("zulip_merge_base"),
		"realm_url":                       text("realm_url"),
		"realm_name":                      text("realm_name"),
		"realm_icon":                      text("realm_icon"),
		"realm_description":               text("realm_description"),
		"push_notifications_enabled":      flag("push_notifications_enabled"),
		"is_incompatible":                 flag("is_incompatible"),
		"email_auth_enabled":              flag("email_auth_enabled"),
		"require_email_format_usernames":  flag("require_email_format_usernames"),
		"realm_web_public_access_enabled": flag("realm_web_public_access_enabled"),
		"authentication_methods":          knownvalue.MapExact(methods),
		"external_authentication_methods": knownvalue.ListSizeExact(len(external)),
	} {
		checks = append(checks, statecheck.ExpectKnownValue("data.zulip_server_settings.s", tfjsonpath.New(attribute), want))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: "data \"zulip_server_settings\" \"s\" {}\n", ConfigStateChecks: checks},
			{Config: "data \"zulip_users\" \"all\" {}\n", ExpectError: acctest.Message("Not set: email, api_key")},
		},
	})
}
