package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

type values = acctest.Values

// configure configures the provider and returns its diagnostics.
func configure(t *testing.T, block values) acctest.Diagnostics {
	t.Helper()
	return acctest.StartProcess(context.Background(), t).Configure(block)
}

// alone clears the environment that would complete a provider block.
func alone(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ZULIP_SITE", "ZULIP_EMAIL", "ZULIP_API_KEY", "ZULIP_CONFIG", "ZULIP_CERT_BUNDLE", "ZULIP_CERT", "ZULIP_CERT_KEY", "ZULIP_ALLOW_INSECURE"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
}

// at returns a block for a site with some account and without retries.
func at(site string) values {
	return values{"site": site, "email": "somebody@example.com", "api_key": "abcdefghijklmnopqrstuvwxyz012345", "max_retries": 0}
}

func TestProtocolProvider_SettingsMissing_Named(t *testing.T) {
	alone(t)
	configure(t, values{}).ExpectError(t, "", "Not set: site, email, api_key", "ZULIP_SITE, ZULIP_EMAIL, ZULIP_API_KEY, ZULIP_CONFIG", ".zuliprc, which does not exist")
	configure(t, values{"email": "somebody@example.com"}).ExpectError(t, "", "Not set: site, api_key")

	o := acctest.StartSandbox(t, sandbox.Config{})
	alone(t)
	block := o.Block(nil)
	configure(t, values{"site": block["site"], "email": block["email"]}).ExpectError(t, "", "Email is set (ines.moreau@example.com) but the API key is not", "api_key", "ZULIP_API_KEY")
	configure(t, values{"site": block["site"], "api_key": block["api_key"]}).ExpectError(t, "", "API key is set but its account is not", "ZULIP_EMAIL")

	t.Setenv("ZULIP_EMAIL", block["email"].(string))
	t.Setenv("ZULIP_API_KEY", block["api_key"].(string))
	configure(t, values{"site": block["site"]}).ExpectNoError(t)
}

func TestProtocolProvider_NoAccount_PublicDataRead(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	alone(t)
	run := acctest.NewRun(context.Background(), t, "zulip_channel", values{"site": o.Block(nil)["site"]})
	settings, diags := run.Process().ReadData("zulip_server_settings", values{})
	diags.ExpectNoError(t)
	if settings["realm_name"] != "Example Works" || settings["zulip_feature_level"] != int64(sandbox.DefaultFeatureLevel) {
		t.Errorf("the server says %v", settings)
	}
	_, diags = run.Process().ReadData("zulip_channel", values{"name": "general"})
	diags.ExpectError(t, "", "The provider has no account", "Not set: email, api_key")
	_, diags = run.Plan(values{"name": "new"})
	diags.ExpectError(t, "", "The provider has no account", "Not set: email, api_key")
}

// Every resource needs the organization, so without an account none reaches an apply.
func TestProtocolProvider_NoAccount_PlanFails(t *testing.T) {
	alone(t)
	ctx := context.Background()
	p := acctest.StartProcess(ctx, t)
	p.Configure(values{"trading_cloud": values{"api_url": "https://api.example.com", "auth_url": "https://auth.example.com", "client_id": "id", "client_secret": "secret"}}).ExpectNoError(t)
	for _, construct := range provider.New("test")().Resources(ctx) {
		var about resource.MetadataResponse
		var described resource.SchemaResponse
		construct().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "zulip"}, &about)
		construct().Schema(ctx, resource.SchemaRequest{}, &described)
		t.Run(about.TypeName, func(t *testing.T) {
			config := values{}
			for name, attribute := range described.Schema.Attributes {
				if attribute.IsRequired() {
					config[name] = acctest.Unknown
				}
			}
			_, diags := p.Plan(about.TypeName, nil, config)
			diags.ExpectError(t, "", "The provider has no account", "Not set: site, email, api_key")
		})
	}
}

// A resource with an identity is imported by it. The plugin framework requires that every create and read sets it:
// otherwise each acceptance test would fail.
func TestResources_All_IdentityAndImport(t *testing.T) {
	ctx := context.Background()
	for _, construct := range provider.New("test")().Resources(ctx) {
		one := construct()
		var about resource.MetadataResponse
		one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "zulip"}, &about)
		if about.ResourceBehavior.MutableIdentity {
			t.Errorf("%s says that its identity changes", about.TypeName)
		}
		if _, ok := one.(resource.ResourceWithImportState); !ok {
			t.Errorf("%s cannot be imported", about.TypeName)
		}
		identified, ok := one.(resource.ResourceWithIdentity)
		if !ok {
			t.Errorf("%s has no identity", about.TypeName)
			continue
		}
		var described resource.IdentitySchemaResponse
		identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &described)
		if diags := described.IdentitySchema.ValidateImplementation(ctx); diags.HasError() || len(described.IdentitySchema.Attributes) == 0 {
			t.Errorf("%s: %v", about.TypeName, diags)
		}
	}
}

func TestProtocolProvider_InvalidSite_Error(t *testing.T) {
	alone(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><title>Our intranet</title><p>Welcome</html>")
	}))
	t.Cleanup(page.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler("https://login.example.com/", http.StatusFound))
	t.Cleanup(elsewhere.Close)

	for name, test := range map[string]struct {
		site  string
		words []string
	}{
		"no scheme":     {"chat.example.com", []string{"Invalid site URL", "(From provider block.)", "write https://chat.example.com"}},
		"no address":    {"https://chat example com", []string{"Invalid site URL", "(From provider block.)", "like https://chat.example.com"}},
		"a page":        {"https://chat.example.com/#narrow/channel/5", []string{"is the URL of a page", "write only https://chat.example.com"}},
		"a password":    {"https://me:secret@chat.example.com", []string{"holds a user name or a password"}},
		"another kind":  {page.URL, []string{"This is not a Zulip server", page.URL + " (from provider block)", "Our intranet"}},
		"not reachable": {gone.URL, []string{"Cannot reach the server", gone.URL + " (from provider block)", "refused"}},
		"a redirect":    {elsewhere.URL, []string{"This is not a Zulip server", "redirects to https://login.example.com/"}},
	} {
		t.Run(name, func(t *testing.T) {
			diags := configure(t, at(test.site))
			diags.ExpectError(t, "site", test.words...)
			if strings.Contains(diags.String(), "secret") {
				t.Errorf("the message shows a password: %v", diags)
			}
			// If the block does not set it, the message does not name the block.
			t.Setenv("ZULIP_SITE", test.site)
			block := at(test.site)
			delete(block, "site")
			words := append([]string{}, test.words...)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "rom provider block", "rom ZULIP_SITE")
			}
			configure(t, block).ExpectError(t, "", words...)
		})
	}
}

func TestProtocolProvider_AccountRefused_ReasonShown(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	alone(t)
	credentials := func(account string) sandbox.Credentials {
		found, ok := o.Sandbox.Credentials(account)
		if !ok {
			t.Fatalf("there is no account %q", account)
		}
		return found
	}
	as := func(email, key string) values { return values{"site": o.Sandbox.URL(), "email": email, "api_key": key} }
	owner, member := credentials("owner"), credentials("member")

	wrong := strings.Repeat("x", 32)
	diags := configure(t, as(owner.Email, wrong))
	diags.ExpectError(t, "api_key", "The server rejects the account's credentials", "ines.moreau@example.com (from provider block)", "401", "Check email and api_key")
	if strings.Contains(diags.String(), wrong) {
		t.Errorf("the message shows the key: %v", diags)
	}
	configure(t, as("nobody@example.com", owner.APIKey)).ExpectError(t, "api_key", "The server rejects the account's credentials", "nobody@example.com")
	configure(t, as(owner.Email, "a:b")).ExpectError(t, "", "can contain a colon")

	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", member.ID), nil)
	configure(t, as(member.Email, member.APIKey)).ExpectError(t, "api_key", "The server rejects the account's credentials", "lena.fischer@example.com", "deactivated")

	bot := o.Call(t, http.MethodPost, "/bots", map[string]string{"full_name": "Hook", "short_name": "hook", "bot_type": "2"})
	configure(t, as("hook-bot@zulip.example.com", bot["api_key"].(string))).ExpectError(t, "api_key", "The server rejects the account's credentials", "incoming webhook bots")
}

func TestProtocolProvider_InvalidZuliprc_Error(t *testing.T) {
	alone(t)
	missing := filepath.Join(t.TempDir(), "missing")
	configure(t, values{"zuliprc": missing}).ExpectError(t, "zuliprc", "Cannot read the zuliprc file", missing)
	broken := filepath.Join(t.TempDir(), "zuliprc")
	requireNoError(t, os.WriteFile(broken, []byte("key=abcdefghijklmnopqrstuvwxyz012345\n"), 0o600))
	diags := configure(t, values{"zuliprc": broken})
	diags.ExpectError(t, "zuliprc", "The zuliprc file is malformed", "no section [api]")
	if strings.Contains(diags.String(), "abcdef") {
		t.Errorf("the message shows the key: %v", diags)
	}
}

func TestProtocolProvider_InvalidBlock_Error(t *testing.T) {
	alone(t)
	for attribute, test := range map[string]struct {
		value any
		words []string
	}{
		"request_timeout":     {"soon", []string{"must be a duration", `"soon"`, "30s"}},
		"max_retries":         {21, []string{"between 0 and 20"}},
		"requests_per_minute": {0, []string{"at least 1"}},
	} {
		block := at("https://chat.example.com")
		block[attribute] = test.value
		configure(t, block).ExpectError(t, attribute, test.words...)
	}
}

func TestProtocolProvider_KeyInClear_Warning(t *testing.T) {
	alone(t)
	const site = "http://chat.invalid"
	configure(t, at(site)).ExpectWarning(t, "", "The API key is sent unencrypted", site, "Use https.")

	o := acctest.StartSandbox(t, sandbox.Config{}) // on loopback
	alone(t)
	if diags := configure(t, o.Block(nil)); len(diags) > 0 {
		t.Errorf("reported of loopback: %v", diags)
	}
}

func TestProtocolProvider_LevelUnknown_Warning(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	alone(t)
	target, err := url.Parse(o.Sandbox.URL())
	requireNoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/server_settings" {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"result":"success","msg":"","zulip_version":"2.1.0"}`)
	}))
	t.Cleanup(silent.Close)
	run := o.NewRun(t, "zulip_channel")
	run.Block["site"] = silent.URL
	configure(t, run.Block).ExpectWarning(t, "", "The server reports no feature level", "no feature level")
	// An unknown level refuses nothing.
	run.MustApply(values{"name": "new", "topics_policy": "allow_empty_topic", "can_create_topic_group": []any{"role:moderators"}})
}

func TestProtocolProvider_UnknownSettings_ErrorDeferred(t *testing.T) {
	alone(t)
	for _, attribute := range []string{"site", "email", "api_key", "zuliprc", "request_timeout", "max_retries", "requests_per_minute", "lockout_protection", "access_warnings", "recover_interrupted", "adopt_archived", "adopt_deactivated"} {
		block := at("https://chat.invalid")
		block[attribute] = acctest.Unknown
		if diags := configure(t, block); len(diags) > 0 {
			t.Errorf("%s is not known yet, and reported is: %v", attribute, diags)
		}
	}
	// A plan that needs to read reports the error.
	p := acctest.StartProcess(t.Context(), t)
	p.Configure(values{"site": acctest.Unknown}).ExpectNoError(t)
	for _, source := range []string{"zulip_server_settings", "zulip_users", "zulip_trading_platforms"} {
		_, diags := p.ReadData(source, values{})
		diags.ExpectError(t, "", "The provider is not configured", "not known yet")
	}
}

// statesFile has a state of every resource before the first release, written by a build of that time. It is never
// written again.
const statesFile = "testdata/states-0.json"

// An earlier identity, which also had the people, can still be read.
func TestProtocolIdentitiesOfVersionZero(t *testing.T) {
	p := acctest.StartProcess(t.Context(), t)
	for resource, c := range map[string]struct {
		stored string
		want   values
	}{
		"zulip_channel_subscription":  {`{"channel_id": 7, "user_ids": [10, 11]}`, values{"channel_id": int64(7)}},
		"zulip_user_group_membership": {`{"group_id": 7, "members": [10], "subgroups": null}`, values{"group_id": int64(7)}},
	} {
		read, diags := p.UpgradeIdentityFrom(resource, 0, []byte(c.stored))
		diags.ExpectNoError(t)
		if !reflect.DeepEqual(read, c.want) {
			t.Errorf("%s: %v", resource, read)
		}
	}
}

// removed are the attributes that earlier states have and the resource no longer has.
var removed = map[string][]string{
	"zulip_channel":    {"creator_id", "date_created", "is_archived"},
	"zulip_user_group": {"creator_id", "date_created"},
}

// A state from before the first release can still be read, with every attribute that the resource still has.
func TestProtocolStatesOfVersionZero(t *testing.T) {
	text, err := os.ReadFile(statesFile)
	requireNoError(t, err)
	states := map[string]json.RawMessage{}
	requireNoError(t, json.Unmarshal(text, &states))
	p := acctest.StartProcess(t.Context(), t)
	for resource, state := range states {
		t.Run(resource, func(t *testing.T) {
			if version := p.SchemaVersion(resource); version < base.SchemaVersion {
				t.Errorf("the schema has version %d; the first release fixes %d", version, base.SchemaVersion)
			}
			read, diags := p.UpgradeFrom(resource, 0, state)
			diags.ExpectNoError(t)
			var stored values
			requireNoError(t, json.Unmarshal(state, &stored))
			again, err := json.Marshal(read)
			requireNoError(t, err)
			var kept values
			requireNoError(t, json.Unmarshal(again, &kept))
			for name, value := range stored {
				if _, isRead := kept[name]; isRead == slices.Contains(removed[resource], name) {
					t.Errorf("%s is read: %v", name, isRead)
				} else if isRead && !reflect.DeepEqual(kept[name], value) {
					t.Errorf("%s was %v, and is read as %v", name, value, kept[name])
				}
			}
		})
	}
}

// The IDs of a list were a map by its texts in version 1. They are a list in the same order.
func TestProtocolStates_IDsAsMap_List(t *testing.T) {
	p := acctest.StartProcess(t.Context(), t)
	for resource, attributes := range map[string][]string{
		"zulip_channel_subscribers": {"user_ids", "users"}, "zulip_channel_subscription": {"user_ids", "users"}, "zulip_role_members": {"user_ids", "users"},
		"zulip_user_group": {"member_ids", "members", "subgroup_ids", "subgroups"}, "zulip_user_group_membership": {"member_ids", "members", "subgroup_ids", "subgroups"},
	} {
		stored, want := values{}, values{}
		for i := 0; i < len(attributes); i += 2 {
			stored[attributes[i]], want[attributes[i]] = values{"a": 3, "b": 2, "c": nil}, []any{int64(2), int64(3), nil}
			stored[attributes[i+1]], want[attributes[i+1]] = []any{"b", "a", "c"}, []any{"b", "a", "c"}
		}
		state, err := json.Marshal(stored)
		requireNoError(t, err)
		read, diags := p.UpgradeFrom(resource, 1, state)
		diags.ExpectNoError(t)
		for name := range want {
			if !reflect.DeepEqual(read[name], want[name]) {
				t.Errorf("%s.%s is read as %v", resource, name, read[name])
			}
		}
	}
}

// A state that a newer version with the same schema version wrote can be read, without the attributes that the schema
// does not have. The guide about versions promises it to users who downgrade.
func TestProtocolState_NewerVersion_Read(t *testing.T) {
	text, err := os.ReadFile(statesFile)
	requireNoError(t, err)
	states := map[string]values{}
	requireNoError(t, json.Unmarshal(text, &states))
	p := acctest.StartProcess(t.Context(), t)
	for resource, stored := range states {
		t.Run(resource, func(t *testing.T) {
			stored["of_a_later_version"] = "x"
			state, err := json.Marshal(stored)
			requireNoError(t, err)
			read, diags := p.UpgradeFrom(resource, p.SchemaVersion(resource), state)
			diags.ExpectNoError(t)
			if _, ok := read["of_a_later_version"]; ok || len(read) == 0 {
				t.Errorf("it is read as %v", read)
			}
		})
	}
}

// requireNoError ends a test with an error that the test is not about.
func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
