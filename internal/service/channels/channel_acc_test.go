package channels_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccChannelAccessWarning: who reviews a plan reads in it who gains and who loses what.
func TestAccChannelAccessWarning(t *testing.T) {
	o := acctest.Start(t)
	w := acctest.NewWorkspace(t)
	name := o.Prefix + "ops"
	config := func(privacy string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                         = %q
  privacy                      = %q
  initial_subscribers          = [%q]
  can_administer_channel_group = ["role:owners"]
}
`, name, privacy, o.Self.Address())
	}
	w.Configure(t, config("private_shared_history"))
	w.Must(t, "apply", "-auto-approve")
	t.Cleanup(func() { w.Must(t, "destroy", "-auto-approve") })

	warning := fmt.Sprintf("Who can do what in channel %q changes", name)
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("of no change it says:\n%s", printed)
	}
	w.Configure(t, config("private_protected_history"))
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("of a change that takes nothing from anybody in it, it says:\n%s", printed)
	}
	w.Configure(t, config("public"))
	if printed := w.Must(t, "plan"); !strings.Contains(printed, warning) || !strings.Contains(printed, "Can now read") {
		t.Errorf("it does not say who gains:\n%s", printed)
	}
}

// TestAccSandboxChannelFolderByName puts a channel into a folder of the same apply, by its name, and moves it to another one. The plan
// says names.
func TestAccSandboxChannelFolderByName(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	const folders = `
resource "zulip_channel_folder" "work" {
  name = "Work"
}
`
	channel := func(folder string) string {
		return "resource \"zulip_channel\" \"x\" {\n  name   = \"sorted\"\n  folder = " + folder + "\n}\n"
	}
	w.Configure(t, folders+channel("zulip_channel_folder.work.name"))
	w.Must(t, "apply", "-auto-approve")
	work := folderHeld(t, o, "sorted")
	if work == 0 {
		t.Error("the channel is in no folder")
	}
	w.Must(t, "plan", "-detailed-exitcode")
	w.Configure(t, folders+channel(`"Operations"`))
	printed := strings.Join(strings.Fields(w.Must(t, "apply", "-auto-approve")), " ")
	if !strings.Contains(printed, `~ folder = "Work" -> "Operations"`) || strings.Contains(printed, "folder_id") {
		t.Errorf("printed:\n%s", printed)
	}
	if held := folderHeld(t, o, "sorted"); held == 0 || held == work {
		t.Errorf("the channel is in folder %d", held)
	}
	w.Must(t, "plan", "-detailed-exitcode")

	// Another name of the folder: the channel stays in it.
	w.Configure(t, strings.Replace(folders, "Work", "Projects", 1)+channel("zulip_channel_folder.work.name"))
	w.Must(t, "apply", "-auto-approve")
	if held := folderHeld(t, o, "sorted"); held != work {
		t.Errorf("the channel is in folder %d, not %d", held, work)
	}
	w.Must(t, "plan", "-detailed-exitcode")
}

// Another key of for_each archives the channel and makes another one: the plan says where the messages stay. With a moved block
// it is renamed, and there is nothing to say.
func TestAccSandboxChannelWithAnotherKey(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	const teams = "resource \"zulip_channel\" \"team\" {\n  for_each = toset([\"docs\", \"KEY\"])\n  name = \"team ${each.key}\"\n}\n"
	const warning = "The messages stay in the archived channel; the new one begins without them."
	w.Configure(t, strings.ReplaceAll(teams, "KEY", "ops"))
	w.Must(t, "apply", "-auto-approve")
	id := o.MustChannel(t, "team ops").ID

	w.Configure(t, strings.ReplaceAll(teams, "KEY", "platform"))
	printed := w.Must(t, "plan")
	if strings.Count(printed, warning) != 1 || !strings.Contains(printed, `from = OLD_ADDRESS to = NEW_ADDRESS`) {
		t.Errorf("the plan does not say once what becomes of the messages:\n%s", printed)
	}
	w.Configure(t, strings.ReplaceAll(teams, "KEY", "platform")+"moved {\n  from = zulip_channel.team[\"ops\"]\n  to   = zulip_channel.team[\"platform\"]\n}\n")
	if printed := w.Must(t, "apply", "-auto-approve"); strings.Contains(printed, warning) {
		t.Errorf("a channel that is renamed is said to be archived:\n%s", printed)
	}
	if o.MustChannel(t, "team platform").ID != id {
		t.Error("it is another channel")
	}
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); strings.Contains(printed, warning) {
		t.Errorf("nothing is created:\n%s", printed)
	}
}

// Channels take over names from each other in one apply, although the CLI changes all of them at once. In a circle none of them
// could begin: the plan says so, and nothing is changed.
func TestAccChannelSandboxRenamesInAChain(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	named := func(names ...string) string {
		var config strings.Builder
		for i, name := range names {
			config.WriteString("resource \"zulip_channel\" \"" + string(rune('x'+i)) + "\" {\n  name = \"" + name + "\"\n}\n")
		}
		return config.String()
	}
	w.Configure(t, named("a", "b", "c"))
	w.Must(t, "apply", "-auto-approve")
	first, second, third := o.MustChannel(t, "a").ID, o.MustChannel(t, "b").ID, o.MustChannel(t, "c").ID

	w.Configure(t, named("b", "c", "d"))
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if o.MustChannel(t, "b").ID != first || o.MustChannel(t, "c").ID != second || o.MustChannel(t, "d").ID != third {
		t.Error("the channels are not called as configured")
	}

	w.Configure(t, named("c", "d", "b"))
	sent := o.Sent()
	printed, ok := w.Apply(t)
	if ok || !strings.Contains(printed, "Channels exchange their names") || !strings.Contains(printed, "In two applies") || len(sent.Writes()) > 0 {
		t.Errorf("sent %v:\n%s", sent.Writes(), printed)
	}
	w.Configure(t, named("between", "d", "b"))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, named("c", "d", "b"))
	w.Must(t, "apply", "-auto-approve")
	if o.MustChannel(t, "c").ID != first || o.MustChannel(t, "d").ID != second || o.MustChannel(t, "b").ID != third {
		t.Error("the channels are not called as configured")
	}
}

// fewRequests is what a plan may cost, however many channels it looks at: the server's settings, the account, the
// snapshot, and the end of its event queue.
const fewRequests = 4

// anotherProcess is what the CLI costs by starting the plugin again to apply: the server's settings and the account.
const anotherProcess = 2

// TestAccSandboxChannelRequests counts what fifty channels cost.
func TestAccSandboxChannelRequests(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	config := func(role string) string {
		return fmt.Sprintf(`resource "zulip_channel" "many" {
  count                  = 50
  name                   = "%s${count.index}"
  can_send_message_group = ["role:${count.index == 7 ? %q : "members"}"]
}
`, org.Prefix, role)
	}
	count := func(what string, args ...string) []sandbox.Request {
		sent := org.Sent()
		w.Must(t, args...)
		t.Logf("%s: %d requests", what, len(sent.Requests()))
		return sent.Requests()
	}
	w.Configure(t, config("members"))
	created := count("creating fifty channels", "apply", "-auto-approve")
	if len(created) >= 2*50 { // each is created, and those that are created at the same time are read together
		t.Errorf("%d requests to create fifty channels", len(created))
	}
	for what, args := range map[string][]string{
		"a plan without changes": {"plan", "-detailed-exitcode"}, "an apply without changes": {"apply", "-auto-approve"}, "a refresh": {"apply", "-refresh-only", "-auto-approve"},
	} {
		few := fewRequests
		if args[0] == "apply" {
			few += anotherProcess
		}
		if requests := count(what, args...); len(requests) > few {
			t.Errorf("%s: %d requests: %v", what, len(requests), channelWords(requests))
		}
	}

	// One that changes costs its write and the reads around it, beside what the plan and the apply cost each.
	w.Configure(t, config("moderators"))
	changed := count("a change of one", "apply", "-auto-approve")
	reads, writes := 0, 0
	for _, request := range changed {
		switch {
		case request.Method == http.MethodPatch:
			writes++
		case request.Path == "/streams":
			reads++
		}
	}
	if writes != 1 || reads != 2 || len(changed) > 2*fewRequests+3 {
		t.Errorf("a change of one: %v", channelWords(changed))
	}
	w.Must(t, "destroy", "-auto-approve")
	if left := org.Active(t); len(left) > 0 {
		t.Errorf("still active: %v", left)
	}
}

func channelWords(requests []sandbox.Request) string {
	var lines []string
	for _, request := range requests {
		lines = append(lines, request.Method+" "+request.Path)
	}
	return strings.Join(lines, ", ")
}

// TestAccChannelDataSource: found by name in any case and by ID, active or archived, a channel shows what the resource
// shows.
func TestAccChannelDataSource(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "all"
	lines := channelEverything(org, t)
	config := block("c", name, lines...) + block("old", org.Prefix+"old") + fmt.Sprintf(`
data "zulip_channel" "by_name" {
  name       = %q
  depends_on = [zulip_channel.c]
}
data "zulip_channel" "by_id" {
  id = zulip_channel.c.id
}
`, strings.ToUpper(name))
	const byName, byID = "data.zulip_channel.by_name", "data.zulip_channel.by_id"
	var same []statecheck.StateCheck
	alike := []string{"id", "name", "description", "privacy", "folder_id", "topics_policy", "message_retention_days", "is_default", "url"}
	for _, setting := range permission.ChannelSettings {
		alike = append(alike, setting.Name)
	}
	for _, attribute := range alike {
		for _, source := range []string{byName, byID} {
			same = append(same, statecheck.CompareValuePairs(c, tfjsonpath.New(attribute), source, tfjsonpath.New(attribute), compare.ValuesSame()))
		}
	}
	for _, attribute := range []string{"creator_id", "date_created", "is_archived"} { // which the state leaves out
		same = append(same, statecheck.ExpectKnownValue(byName, tfjsonpath.New(attribute), knownvalue.NotNull()),
			statecheck.CompareValuePairs(byName, tfjsonpath.New(attribute), byID, tfjsonpath.New(attribute), compare.ValuesSame()))
	}
	archivedToo := config + fmt.Sprintf("data \"zulip_channel\" \"gone\" {\n  name = %q\n}\n", org.Prefix+"gone")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: "data \"zulip_channel\" \"no\" {\n  id = 1\n  name = \"x\"\n}\n", ExpectError: acctest.Message("id and name are set. Remove all but one.")},
			{Config: config + block("gone", org.Prefix+"gone"), ConfigStateChecks: same},
			{Config: config}, // archives "gone"
			{
				Config:            archivedToo,
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("data.zulip_channel.gone", tfjsonpath.New("is_archived"), knownvalue.Bool(true))},
			},
			{
				Config:      config + fmt.Sprintf("data \"zulip_channel\" \"no\" {\n  name = %q\n}\n", name+"l"),
				ExpectError: acctest.Message(fmt.Sprintf("did you mean %q", name)),
			},
			{Config: config + "data \"zulip_channel\" \"no\" {\n  id = 999999999\n}\n", ExpectError: acctest.Message("no channel with the ID 999999999")},
		},
	})
}

// TestAccChannelsDataSource lists what the filters let through. Nothing is assumed of the rest of the organization: the
// folder is the test's own.
func TestAccChannelsDataSource(t *testing.T) {
	org := acctest.Start(t)
	folder := fmt.Sprint("folder_id = ", org.Folder(t, "list"))
	channels := block("a", org.Prefix+"a", folder, `privacy = "private_shared_history"`) + block("b", org.Prefix+"b", folder, "is_default = true")
	gone := block("gone", org.Prefix+"gone", folder)
	list := func(label string, filters ...string) string {
		return fmt.Sprintf("data \"zulip_channels\" %q {\n  %s\n  %s\n  depends_on = [zulip_channel.a, zulip_channel.b]\n}\n", label, folder, strings.Join(filters, "\n  "))
	}
	lists := list("active") + list("all", "include_archived = true") + list("private", `privacy = "private_shared_history"`) +
		list("default", "is_default = true") + list("none", `privacy = "web_public"`)
	shows := func(label string, names ...string) statecheck.StateCheck {
		found := []knownvalue.Check{}
		for _, name := range names {
			found = append(found, knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"name": knownvalue.StringExact(org.Prefix + name), "can_send_message_group": principals("role:everyone"),
			}))
		}
		return statecheck.ExpectKnownValue("data.zulip_channels."+label, tfjsonpath.New("channels"), knownvalue.ListExact(found))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: channels + gone},
			{Config: channels},
			{
				Config: channels + lists,
				ConfigStateChecks: []statecheck.StateCheck{
					shows("active", "a", "b"), shows("all", "a", "b", "gone"), shows("private", "a"), shows("default", "b"), shows("none"),
				},
			},
		},
	})
}
