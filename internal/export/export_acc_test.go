package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// With a real CLI, the plan of an export only imports, its apply sends nothing, and the next plan is empty. With
// ZULIP_TEST_ALL=1 it runs for more random organizations.
func TestAccExportOfRandomOrganizations(t *testing.T) {
	for seed := range acctest.Number(40, 8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rapid.Custom(func(r *rapid.T) bool {
				w := newWorld(r)
				w.fill()
				useAccount(t, w.server, w.owner)
				exportAndApply(t, w.server)
				return true
			}).Example(seed)
		})
	}
}

// exportAndApply exports a sandbox's organization with the command, and applies the files with the CLI.
func exportAndApply(t *testing.T, server *sandbox.Server) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "organization")
	printed := runExport(t, folder, "--subscribers", "--check", "--cli", acctest.CLI(t))
	resources := len(readConfiguration(t, folder).resources)
	if want := fmt.Sprintf("Checked: %d to import, 0 to add, 0 to change, 0 to destroy.", resources); !strings.Contains(printed, want) {
		t.Errorf("%q is not in:\n%s", want, printed)
	}
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	w.Must(t, "fmt", "-check", "-recursive")
	before := len(writes(server))
	applied, ok := w.Apply(t)
	if want := fmt.Sprintf("Resources: %d imported, 0 added, 0 changed, 0 destroyed.", resources); !ok || !strings.Contains(applied, want) {
		t.Errorf("%q is not in:\n%s", want, applied)
	}
	if sent := writes(server)[before:]; len(sent) > 0 {
		t.Errorf("the apply sent %v", sent)
	}
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes

	state := filepath.Join(t.TempDir(), "state.json")
	acctest.NoError(t, os.WriteFile(state, []byte(w.Show(t, "terraform.tfstate")), 0o600))
	printed = runExport(t, filepath.Join(t.TempDir(), "new"), "--subscribers", "--new", state)
	if want := "Nothing is new: the given states contain everything"; !strings.Contains(printed, want) {
		t.Errorf("%q is not in:\n%s", want, printed)
	}
}

// A remaining import block stops the plan after its resource is removed or moved. Without imports.tf, as EXPORT.md and
// the file itself advise, both are planned.
func TestAccExport_LeftoverImports_RemovalAdvised(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "organization")
	runExport(t, folder, "--only", "channel", "--only", "linkifier")
	for _, name := range []string{"EXPORT.md", "imports.tf"} {
		if text := filesOf(t, folder)[name]; !strings.Contains(text, "after the") || !regexp.MustCompile(`removed?, renamed? or moved?`).MatchString(text) {
			t.Errorf("%s does not say that the imports go:\n%s", name, text)
		}
	}
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	before := w.Read(t, "channels.tf")
	removed := regexp.MustCompile(`(?s)resource "zulip_channel" "leads" \{.*?\n\}\n`).ReplaceAllString(before, "")
	moved := strings.Replace(before, `"zulip_channel" "leads"`, `"zulip_channel" "leaders"`, 1) + "\nmoved {\n  from = zulip_channel.leads\n  to   = zulip_channel.leaders\n}\n"
	plans := map[string]string{removed: "0 to add, 0 to change, 1 to destroy.", moved: "0 to add, 0 to change, 0 to destroy."}
	for channels := range plans {
		w.Write(t, "channels.tf", channels)
		if printed, ok := w.Run(t, "plan"); ok {
			t.Errorf("a leftover import does no harm any more, and the texts can say so: %s", printed)
		}
	}
	w.Remove(t, "imports.tf")
	for channels, want := range plans {
		w.Write(t, "channels.tf", channels)
		if printed := w.Must(t, "plan"); !strings.Contains(printed, want) {
			t.Errorf("%q is not in:\n%s", want, printed)
		}
	}
}

// runExport runs the command with the account of the environment, and returns its output.
func runExport(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), acctest.Plugin(t), append([]string{"export", folder}, args...)...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return string(out)
}

// writes are the requests that may have changed a sandbox.
func writes(server *sandbox.Server) (sent []string) {
	for _, r := range server.Journal().Requests(sandbox.Filter{}) {
		if r.Method != "GET" && r.Path != "/register" && r.Path != "/events" {
			sent = append(sent, r.Method+" "+r.Path)
		}
	}
	return sent
}

// personAddress matches the emails of people of the example organization.
var personAddress = regexp.MustCompile(`[a-z.]+@example\.com`)

// messy fills an organization like one that has grown over years. It has groups in groups that manage themselves, bots
// in permissions and with their own channels, and private channels. People have left but are still named, and
// permissions name people.
func messy(t *testing.T, o *acctest.Organization) {
	t.Helper()
	id := func(account string) int { return o.Sandbox.AllCredentials()[account].ID }
	number := func(value any) int { return int(value.(float64)) } //nolint:forcetypeassert // a number in JSON
	list := func(ids ...int) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
	principals := func(people []int, groups ...int) string {
		return fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":%s}`, list(people...), list(groups...))
	}
	group := func(name string, members []int, subgroups ...int) int {
		return number(o.Call(t, "POST", "/user_groups/create", map[string]string{
			"name": name, "description": "Since 2019", "members": list(members...), "subgroups": list(subgroups...),
		})["group_id"])
	}
	leaver := number(o.Call(t, "POST", "/users", map[string]string{"email": "old.hand@example.com", "full_name": "Old Hand", "password": "a long password 4 you"})["user_id"])
	hook := number(o.Call(t, "POST", "/bots", map[string]string{"full_name": "Deploys", "short_name": "deploys", "bot_type": "2"})["user_id"])

	press := group("Press 日本", []int{id("member"), id("member2")})
	web := group("web", []int{id("guest"), hook}, press)
	company := group("whole-company", nil, web, press)
	former := group("former", []int{leaver})
	for _, one := range []int{press, web, company} {
		o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", one), map[string]string{
			"can_manage_group": `{"new":` + principals([]int{id("member")}, one) + `}`, "can_join_group": `{"new":` + principals([]int{leaver, id("admin")}, former) + `}`,
		})
	}
	for i := range 12 {
		params := map[string]string{
			"name": fmt.Sprintf("project %d", i), "description": "", "subscribers": list(id("member"), id("admin"), hook), "invite_only": fmt.Sprint(i%3 == 0),
			"can_send_message_group":       principals([]int{id("member"), hook, leaver}, company, former),
			"can_administer_channel_group": principals([]int{id("member2")}), "can_add_subscribers_group": principals([]int{leaver}),
			"is_default_stream": fmt.Sprint(i == 1),
		}
		o.Call(t, "POST", "/channels/create", params)
	}
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", hook), map[string]string{"default_sending_stream": "project 2"})
	watch := number(o.Call(t, "POST", "/bots", map[string]string{"full_name": "Watch", "short_name": "watch"})["user_id"])
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", watch), map[string]string{"default_sending_stream": "project 4"})
	o.Call(t, "PATCH", "/realm", map[string]string{
		"can_create_public_channel_group": `{"new":` + principals([]int{id("member"), leaver}) + `}`,
		"create_multiuse_invite_group":    `{"new":` + principals([]int{id("admin")}, web) + `}`,
	})
	o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}"})
	o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Team", "field_type": "1"})
	o.Call(t, "POST", "/default_stream_groups/create", map[string]string{"group_name": "Engineers", "description": "All of it.", "stream_names": `["project 4"]`})
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", leaver), nil)
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/deactivate", group("gone", nil)), nil)
}

// With a real CLI, two commands recreate the export of a messy organization: in an organization with only an
// administrator, and in one with some of the people. Then all plans are empty, also that of the exported organization.
// Destroying the copy leaves no group and no channel active.
func TestAccExport_Staging_OrganizationCreated(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	messy(t, o)
	folder := filepath.Join(t.TempDir(), "organization")
	printed := runExport(t, folder, "--subscribers", "--people-as", "variable", "--check", "--cli", acctest.CLI(t))
	if !strings.Contains(printed, " to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("the plan of the organization itself: %s", printed)
	}
	for address, times := range addressesIn(t, folder) {
		if times > 1 {
			t.Errorf("%s stands %d times in what is written", address, times)
		}
	}
	accounts := filepath.Join(t.TempDir(), "accounts")
	runExport(t, accounts, "--people-as", "zulip_user")
	for what, trial := range map[string]struct{ folder, people string }{
		"nobody":      {folder, `people={}`},
		"some people": {folder, `people={ lena_fischer = "new.lena@example.net", ines_moreau = "owner@example.net" }`},
		"accounts":    {accounts, ""},
	} {
		t.Run(what, func(t *testing.T) {
			staging := acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
				"owner": {Email: "owner@example.net", FullName: "Owner", Role: 100, CanCreateUsers: true},
				"lena":  {Email: "new.lena@example.net", FullName: "Lena", Role: 400},
			}})
			staging.As(t, "owner")
			w := acctest.NewWorkspace(t)
			w.Copy(t, trial.folder)
			w.Remove(t, "imports.tf")
			var flags []string
			if trial.people != "" {
				flags = []string{"-var", trial.people}
			}
			if printed, ok := w.Apply(t, flags...); !ok {
				_, problem, _ := strings.Cut(printed, "Error: ")
				t.Fatal(problem)
			}
			w.Must(t, append([]string{"plan", "-detailed-exitcode"}, flags...)...)
			if _, ok := staging.Sandbox.Organization().Group("whole-company"); !ok {
				t.Error("the group is not there")
			}
			if trial.people == "" {
				return // its owner's account is managed, too
			}
			w.Must(t, append([]string{"destroy", "-auto-approve"}, flags...)...)
			all, err := staging.Client.Register(t.Context(), []string{zulip.FetchUserGroups, zulip.FetchChannels})
			acctest.NoError(t, err)
			for _, group := range all.UserGroups {
				if !group.Deactivated && !group.IsSystemGroup {
					t.Errorf("the group %s is still active", group.Name)
				}
			}
			for _, channel := range all.Channels {
				if !channel.IsArchived {
					t.Errorf("the channel %s is still active", channel.Name)
				}
			}
		})
	}
}

// With a real CLI, a misspelled name in the variable is refused, with a message.
func TestAccExport_UnknownPeople_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := filepath.Join(t.TempDir(), "organization")
	runExport(t, folder, "--people-as", "variable")
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	printed, ok := w.Run(t, "plan", "-var", `people={ ines_moreau = "owner@example.net", ines_morau = "x@example.net", nobody = "y@example.net" }`)
	if want := "No names in local.all_people: ines_morau, nobody."; ok || !strings.Contains(printed, want) {
		t.Errorf("planned: %t, and %q is not in:\n%s", ok, want, printed)
	}
	for _, people := range []string{"people=null", "people={}", `people={ ines_moreau = "ines.moreau@example.com" }`} {
		if printed, ok := w.Run(t, "plan", "-var", people); !ok && strings.Contains(printed, "No names in") {
			t.Errorf("%s is refused: %s", people, printed)
		}
	}
}

// addressesIn counts the emails of people in the configuration of an export.
func addressesIn(t *testing.T, folder string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for name, content := range filesOf(t, folder) {
		if !strings.HasSuffix(name, ".tf") {
			continue
		}
		for _, address := range personAddress.FindAllString(content, -1) {
			found[address]++
		}
	}
	if len(found) < 5 {
		t.Errorf("only %v are in the files", found)
	}
	return found
}

// With a real CLI, the provider's sandbox is the organization that export --snapshot has recorded. The state of the
// real organization plans no change there.
func TestAccRecording_RealState_NoChanges(t *testing.T) {
	for seed := range acctest.Number(2, 2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rapid.Custom(func(r *rapid.T) bool {
				w := newWorld(r)
				w.fill()
				useAccount(t, w.server, w.owner)
				planAgainstRecording(t)
				return true
			}).Example(seed)
		})
	}
}

// planAgainstRecording applies an export of the organization of the environment, and plans against its recording.
func planAgainstRecording(t *testing.T) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "organization")
	// The account's own objects and pictures are not recorded.
	runExport(t, folder, "--subscribers", "--people", "all", "--exclude", "organization_image", "--exclude", "custom_emoji")
	w := acctest.NewWorkspace(t)
	w.Copy(t, folder)
	if printed, ok := w.Apply(t); !ok {
		t.Fatalf("the export cannot be applied:\n%s", printed)
	}
	file := filepath.Join(w.Dir(), "recorded.json")
	printed, err := exec.CommandContext(t.Context(), acctest.Plugin(t), "export", "--snapshot", file).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(printed), "Recorded ") {
		t.Fatalf("%v:\n%s", err, printed)
	}
	w.Write(t, "sandbox_override.tf", fmt.Sprintf("provider \"zulip\" {\n  sandbox = { organization = %q }\n}\n", file))
	w.Must(t, "plan", "-detailed-exitcode") // 2 if there are changes
	// The example organization differs, which shows that the empty plan did read the organization.
	w.Write(t, "sandbox_override.tf", "provider \"zulip\" {\n  sandbox = {}\n}\n")
	if printed, ok := w.Run(t, "plan", "-detailed-exitcode"); ok {
		t.Errorf("nothing is to be done in another organization:\n%s", printed)
	}
}

// moduleOfChannels is a module that creates channels and subscribes people.
const moduleOfChannels = `
terraform {
  required_providers {
    zulip = { source = "zulip-iac/zulip" }
  }
}

variable "channels" { type = map(string) }

resource "zulip_channel" "this" {
  for_each    = var.channels
  name        = each.key
  description = each.value
  privacy     = "private_shared_history"
}

resource "zulip_channel_subscribers" "this" {
  for_each = var.channels
  channel  = zulip_channel.this[each.key].id
  users    = ["ines.moreau@example.com", "lena.fischer@example.com"]
}

resource "zulip_channel" "extra" {
  name = "extra of ${join(" and ", keys(var.channels))}"
}
`

// configured is a configuration with modules, for_each and count.
const configured = `
module "team" {
  source   = "./channels"
  for_each = toset(["web", "press \"日本\""])
  channels = { "${each.key} talk" = "Talk", "${each.key}: plans" = "" }
}

resource "zulip_user_group" "press" {
  count   = 2
  name    = "press ${count.index}"
  members = ["lena.fischer@example.com"]
}

resource "zulip_channel_folder" "teams" { name = "Teams" }

resource "zulip_channel" "board" {
  name      = "board"
  folder_id = zulip_channel_folder.teams.id
  privacy   = "private_shared_history"
}

resource "zulip_channel_subscribers" "board" {
  channel = zulip_channel.board.id
  users   = ["ines.moreau@example.com"]
}

resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
}

resource "zulip_user_role" "lena" {
  user       = "lena.fischer@example.com"
  role       = "moderator"
  on_destroy = "member"
}

resource "zulip_linkifier" "issue" {
  pattern      = "#(?P<id>[0-9]+)"
  url_template = "https://example.com/{id}"
}

resource "zulip_organization" "this" { description = "Ours" }
`

// planFor plans a configuration of existing objects, runs export --for with the plan, and returns the output.
func planFor(t *testing.T, w *acctest.Workspace) string {
	t.Helper()
	w.Setenv("ZULIP_WARN_OF_EXISTING", "true")
	w.Must(t, "plan", "-out=zulip.tfplan")
	w.Setenv("ZULIP_WARN_OF_EXISTING", "")
	file := filepath.Join(t.TempDir(), "plan.json")
	acctest.NoError(t, os.WriteFile(file, []byte(w.Show(t, "zulip.tfplan")), 0o600))
	return runExport(t, w.Dir(), "--for", file)
}

// With a real CLI, modules, for_each and count, the state is lost, and the objects of the configuration are imported
// again. A second export imports the objects that the first plan cannot know. Nothing is sent, and then the plan is
// empty.
func TestAccExportForPlan_StateLost_Imported(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := configuredWorkspace(t, configured)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	w.Forget(t)
	before := len(writes(o.Sandbox))
	for _, want := range []string{"Wrote 15 imports and 0 moves", "Wrote 4 imports and 0 moves"} {
		if printed := planFor(t, w); !strings.Contains(printed, want) {
			t.Fatalf("%q is not in:\n%s", want, printed)
		}
	}
	if printed, ok := w.Apply(t); !ok || !strings.Contains(printed, "Resources: 19 imported, 0 added, 0 changed, 0 destroyed.") {
		t.Error(printed)
	}
	if sent := writes(o.Sandbox)[before:]; len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
	w.Remove(t, "imports.tf")
	w.Must(t, "plan", "-detailed-exitcode")
}

// A configuration was split into modules: an object that is destroyed at one address and created at another is moved.
func TestAccExportForPlan_Refactored_Moved(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := configuredWorkspace(t, configured)
	if printed, ok := w.Apply(t); !ok {
		t.Fatal(printed)
	}
	before := len(writes(o.Sandbox))
	w.Configure(t, strings.NewReplacer(`module "team"`, `module "groups"`, `"zulip_user_group" "press"`, `"zulip_user_group" "media"`, `zulip_channel.board`, `zulip_channel.leaders`, `"zulip_channel" "board"`, `"zulip_channel" "leaders"`).Replace(configured))
	w.Must(t, "get")
	for range 2 {
		planFor(t, w)
	}
	if printed, ok := w.Apply(t); !ok || !strings.Contains(printed, "Resources: 0 added, 0 changed, 0 destroyed.") {
		t.Error(printed)
	}
	if sent := writes(o.Sandbox)[before:]; len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
	w.Remove(t, "imports.tf")
	w.Must(t, "plan", "-detailed-exitcode")
}

func configuredWorkspace(t *testing.T, configuration string) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t)
	folder := filepath.Join(w.Dir(), "channels")
	acctest.NoError(t, os.Mkdir(folder, 0o700))
	acctest.NoError(t, os.WriteFile(filepath.Join(folder, "main.tf"), []byte(moduleOfChannels), 0o600))
	w.Configure(t, configuration)
	w.Must(t, "get")
	return w
}
