package export_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// useAccount sets the environment to an account of a sandbox.
func useAccount(t *testing.T, server *sandbox.Server, who sandbox.Credentials) {
	t.Helper()
	for name, value := range map[string]string{"ZULIP_SITE": server.URL(), "ZULIP_EMAIL": who.Email, "ZULIP_API_KEY": who.APIKey, "ZULIP_CONFIG": ""} {
		t.Setenv(name, value)
	}
}

// exportInto exports what the account of the environment sees.
func exportInto(folder string, options export.Options) (*export.Result, error) {
	session, err := provider.Open(context.Background(), "test")
	if err != nil {
		return nil, err
	}
	meta := session.Meta()
	options.Folder = folder
	return export.Run(context.Background(), export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, options)
}

// mustExport exports what the account of the environment sees, and fails the test if that fails.
func mustExport(t tester, folder string, options export.Options) {
	t.Helper()
	if _, err := exportInto(folder, options); err != nil {
		t.Fatal(err)
	}
}

// exportNew is mustExport into a folder that is empty.
func exportNew(t *testing.T, options export.Options) (folder string) {
	t.Helper()
	folder = t.TempDir()
	mustExport(t, folder, options)
	return folder
}

// enough is the number of random organizations in which each kind of object must occur at least once.
const enough = 40

// isSampled reports whether a test that takes several exports takes a random organization: one in a few, or with ZULIP_TEST_ALL=1
// every one.
func isSampled(r *rapid.T, few int) bool {
	return rapid.IntRange(1, few).Draw(r, "sampled") <= acctest.Number(few, 1)
}

// For any organization, the plan of its export imports everything and changes nothing. Another export writes the same
// files, into the same folder or another one.
func TestProtocolExport_RandomOrganization_EmptyPlan(t *testing.T) {
	seen, organizations := map[string]int{}, 0
	rapid.Check(t, func(r *rapid.T) {
		if !isSampled(r, 2) {
			return
		}
		w := newWorld(r)
		w.fill()
		useAccount(t, w.server, w.owner)
		options := w.options()
		folder := t.TempDir()
		result, err := exportInto(folder, options)
		acctest.NoError(r, err)
		if problems := planFolder(r, folder); len(problems) > 0 {
			r.Fatal(strings.Join(problems, "\n\n"))
		}
		written := filesOf(r, folder)
		for what, into := range map[string]string{"the same folder": folder, "another folder": t.TempDir()} {
			mustExport(r, into, options)
			sameFiles(r, what, written, filesOf(r, into))
		}
		organizations++
		for kind := range result.Counts {
			seen[kind]++
		}
	})
	for _, kind := range export.Kinds() {
		if organizations >= enough && seen[kind] == 0 && kind != "zulip_invite_link" { // written if requested
			t.Errorf("of %d organizations none had a %s", organizations, kind)
		}
	}
}

// An object that was created without attributes is exported with its name, and with the attributes that decide who gets in
// and who rules. The permission of its creator to manage it is not written. This also holds on an older server.
func TestProtocolExport_NewObjects_DefaultsOmitted(t *testing.T) {
	for _, level := range []int{442, featurelevel.Newest} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		o.Call(t, "POST", "/channels/create", map[string]string{"name": "plain", "subscribers": "[]"})
		o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "plain", "description": "", "members": "[]"})
		o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "plain", "description": ""})
		o.Call(t, "POST", "/bots", map[string]string{"full_name": "Plain", "short_name": "plain"})
		o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "plain", "field_type": "1"})
		o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "plain", "url_template": "https://example.com"})
		folder := exportNew(t, export.Options{})
		for of, want := range map[string]string{
			"zulip_channel":               "message_retention_days name privacy",
			"zulip_user_group":            "name",
			"zulip_channel_folder":        "name",
			"zulip_bot":                   "bot_type full_name owner short_name",
			"zulip_custom_profile_field":  "field_type name",
			"zulip_linkifier":             "pattern url_template",
			"zulip_default_user_settings": "", // not written at all
			"zulip_organization": "authentication_methods can_access_all_users_group can_add_subscribers_group can_create_web_public_channel_group " +
				"can_invite_users_group can_manage_all_groups create_multiuse_invite_group description disallow_disposable_email_addresses " +
				"emails_restricted_to_domains enable_spectator_access invite_required message_retention_days name waiting_period_threshold",
		} {
			if got := attributesOf(t, folder, of); got != want {
				t.Errorf("at level %d a new %s is exported with %q, want %q", level, of, got, want)
			}
		}
	}
}

// attributesOf returns the sorted names of the attributes of a resource in the files of a folder: the one called plain,
// or the only one.
func attributesOf(t *testing.T, folder, of string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	acctest.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		acctest.NoError(t, err)
		parsed, problems := hclparse.NewParser().ParseHCL(content, file)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		body, _ := parsed.Body.(*hclsyntax.Body)
		for _, block := range body.Blocks {
			if block.Type == "resource" && block.Labels[0] == of && slices.Contains([]string{"plain", "this"}, block.Labels[1]) {
				return strings.Join(slices.Sorted(maps.Keys(block.Body.Attributes)), " ")
			}
		}
	}
	return ""
}

// A filter that matches nothing has a warning, and a note in EXPORT.md.
func TestProtocolExport_UnmatchedFilter_Warning(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	var warnings []string
	folder := t.TempDir()
	_, err := exportInto(folder, export.Options{
		Only: export.Selection{"channel:gen*", "channel:nothing-*", "user_group"}, Exclude: export.Selection{"user_group:sre", "bot:none", "channel_folder"},
		Warn: func(text string) { warnings = append(warnings, text) },
	})
	acctest.NoError(t, err)
	slices.Sort(warnings)
	if want := []string{"--exclude bot:none matches nothing.", "--only channel:nothing-* matches nothing."}; !slices.Equal(warnings, want) {
		t.Errorf("warned %q, want %q", warnings, want)
	}
	if summary := readSummary(t, folder); !strings.Contains(summary, "`--only channel:nothing-*`: nothing matches it.") {
		t.Errorf("EXPORT.md does not say it:\n%s", summary)
	}
}

// A channel references its folder if the folder is exported, and otherwise names it.
func TestProtocolExportOfFolders(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for want, options := range map[string]export.Options{
		"folder_id              = zulip_channel_folder.operations.id": {Only: export.Selection{"channel:incidents"}},
		"folder                 = \"Operations\"":                     {Only: export.Selection{"channel:incidents"}, Exclude: export.Selection{"channel_folder"}},
	} {
		folder := exportNew(t, options)
		text := strings.Join(slices.Collect(maps.Values(filesOf(t, folder))), "\n")
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) || strings.Count(flat, " folder_id = ")+strings.Count(flat, " folder = ") != 1 {
			t.Errorf("the export says\n%s\nwant %s", text, want)
		}
		if problems := planFolder(t, folder); len(problems) > 0 {
			t.Errorf("%s: %v", want, problems)
		}
	}
}

// Selected channels include their folders and subscribers, but not those of other channels.
func TestProtocolExport_SelectedChannels_FoldersIncluded(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": "Other", "description": ""})
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "payroll", "subscribers": "[]", "invite_only": "true"})
	for what, trial := range map[string]struct {
		options export.Options
		want    []string
	}{
		"with subscribers": {export.Options{Only: export.Selection{"channel:incidents", "channel:leads"}, Subscribers: true},
			[]string{"zulip_channel.incidents", "zulip_channel.leads", "zulip_channel_folder.operations", "zulip_channel_subscribers.leads"}},
		"without folders": {export.Options{Only: export.Selection{"channel:incidents"}, Exclude: export.Selection{"channel_folder"}}, []string{"zulip_channel.incidents"}},
		"all folders": {export.Options{Only: export.Selection{"channel:leads", "channel_folder"}},
			[]string{"zulip_channel.leads", "zulip_channel_folder.operations", "zulip_channel_folder.other"}},
	} {
		folder := exportNew(t, trial.options)
		if got := slices.Sorted(maps.Keys(readConfiguration(t, folder).resources)); !slices.Equal(got, trial.want) {
			t.Errorf("%s: %q, want %q", what, got, trial.want)
		}
	}
}

// Subscribers are written for private channels, into which people are invited. With a list for a public or a default
// channel, the next apply would unsubscribe everyone who has joined since.
func TestProtocolExport_Subscribers_PrivateChannelsOnly(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	for _, params := range []map[string]string{
		{"name": "open"},
		{"name": "newcomers", "is_default_stream": "true"},
		{"name": "the-web", "is_web_public": "true"},
		{"name": "payroll", "invite_only": "true"},
		{"name": "board", "invite_only": "true", "history_public_to_subscribers": "false"},
	} {
		params["subscribers"] = "[]"
		o.Call(t, "POST", "/channels/create", params)
	}
	folder := exportNew(t, export.Options{Subscribers: true})
	lists := map[string]bool{}
	for address := range readConfiguration(t, folder).resources {
		if name, ok := strings.CutPrefix(address, "zulip_channel_subscribers."); ok {
			lists[name] = true
		}
	}
	for _, name := range []string{"open", "newcomers", "the_web", "general"} {
		if lists[name] {
			t.Errorf("who is in %s is written, where people join by themselves", name)
		}
	}
	for _, name := range []string{"payroll", "board"} {
		if !lists[name] {
			t.Errorf("who is in %s is not written: only %q", name, slices.Sorted(maps.Keys(lists)))
		}
	}
	if summary := readSummary(t, folder); !strings.Contains(summary, "people join and leave these themselves, and the next apply would undo that") {
		t.Errorf("EXPORT.md does not say that public channels are left out:\n%s", summary)
	}
}

// Each person is written once, in any form, and the plan is empty.
func TestProtocolExport_People_WrittenOnce(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	messy(t, o)
	for as, want := range map[export.PeopleAs][]string{
		"": {`lena_fischer = "lena.fischer@example.com"`, `user = local.people.paul_dubois`, `"user:${local.people.lena_fischer}"`},
		export.PeopleAsVariable: {
			`variable "people"`, `count = local.people.paul_dubois == null ? 0 : 1`, `], compact([local.principals.lena_fischer]))`,
			`count = var.people == null ? 1 : 0`,
			`= try(coalescelist(compact([local.principals.lena_fischer])), null)`,
		},
		export.PeopleAsUser: {`resource "zulip_user" "lena_fischer"`, `"user:${zulip_user.lena_fischer.email}"`},
	} {
		folder := exportNew(t, export.Options{PeopleAs: as, Subscribers: true})
		for address, times := range addressesIn(t, folder) {
			if times > 1 {
				t.Errorf("as %q: %s stands %d times", as, address, times)
			}
		}
		var all strings.Builder
		for name, content := range filesOf(t, folder) {
			if strings.HasSuffix(name, ".tf") {
				all.WriteString(content)
			}
		}
		for _, text := range want {
			if !strings.Contains(all.String(), text) {
				t.Errorf("as %q: %q is not in:\n%s", as, text, all.String())
			}
		}
		for _, problem := range planFolder(t, folder) {
			t.Errorf("as %q: %s", as, problem)
		}
	}
}

// After a default export, a plan shows each change in the web app that lets people in or gives them power.
func TestProtocolExport_AccessChanged_PlanShows(t *testing.T) {
	group := func(o *acctest.Organization, name string) string {
		return fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, name))
	}
	path := func(o *acctest.Organization, account string) string {
		return fmt.Sprint("/users/", o.Sandbox.AllCredentials()[account].ID)
	}
	for name, click := range map[string]func(o *acctest.Organization){
		"anyone can sign up": func(o *acctest.Organization) {
			o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "false"})
		},
		"moderators invite": func(o *acctest.Organization) {
			o.Call(t, "PATCH", "/realm", map[string]string{"can_invite_users_group": group(o, "role:moderators")})
		},
		"new administrator": func(o *acctest.Organization) {
			o.Call(t, "PATCH", path(o, "member"), map[string]string{"role": "200"})
		},
		"new owner": func(o *acctest.Organization) { o.Call(t, "PATCH", path(o, "admin"), map[string]string{"role": "100"}) },
		"private channel opened": func(o *acctest.Organization) {
			o.Call(t, "PATCH", fmt.Sprint("/streams/", o.MustChannel(t, "leads").ID), map[string]string{"is_private": "false"})
		},
		"private channel joined": func(o *acctest.Organization) {
			o.Call(t, "PATCH", fmt.Sprint("/streams/", o.MustChannel(t, "leads").ID), map[string]string{"can_subscribe_group": group(o, "role:members")})
		},
		"subscribers added": func(o *acctest.Organization) {
			o.Call(t, "PATCH", fmt.Sprint("/streams/", o.MustChannel(t, "leads").ID), map[string]string{"can_add_subscribers_group": group(o, "role:members")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			folder := exportNew(t, export.Options{})
			expectPlanEmpty(t, folder)
			click(o)
			if len(planFolder(t, folder)) == 0 {
				t.Error("the plan is empty")
			}
		})
	}
}

// A user with a higher role is a member again when the role is removed, except for the account itself. The plan stays
// empty.
func TestProtocolExport_Roles_DemotedOnDestroy(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := exportNew(t, export.Options{Only: export.Selection{"user_role"}})
	for name, want := range map[string]bool{"tomas_berg": true, "amara_okafor": true, "ines_moreau": false, "paul_dubois": false} {
		role := readConfiguration(t, folder).resources["zulip_user_role."+name]
		if _, ends := role.attributes["on_destroy"]; ends != want || strings.HasSuffix(role.importID, "=member") != want {
			t.Errorf("%s: it ends as a member: %t, imported by %s", name, ends, role.importID)
		}
	}
	expectPlanEmpty(t, folder)
}

// An export of unmanaged objects names people by email, because the configuration it is moved into has its own names
// for people.
func TestProtocolExportNew_People_ByEmail(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := exportNew(t, export.Options{States: map[string][]byte{"state.json": []byte(`{"format_version": "1.0"}`)}, Only: export.Selection{"channel", "bot"}})
	files := filesOf(t, folder)
	if _, ok := files["people.tf"]; ok || !strings.Contains(files["bots.tf"], `"tomas.berg@example.com"`) {
		t.Errorf("people are written otherwise:\n%s\n%s", files["people.tf"], files["bots.tf"])
	}
}
