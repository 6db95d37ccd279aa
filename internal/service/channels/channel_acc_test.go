package channels_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// block returns a zulip_channel; lines are its attributes besides the name.
func block(label, name string, lines ...string) string {
	return fmt.Sprintf("resource \"zulip_channel\" %q {\n  name = %q\n  %s\n}\n", label, name, strings.Join(lines, "\n  "))
}

func address(label string) string { return "zulip_channel." + label }

// Another key of for_each archives the channel and creates another, and the plan says where the messages stay. With a
// moved block the channel is renamed, without such a warning.
func TestAccSandboxChannelWithAnotherKey(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // only the printed output counts, not the log
	const teams = "resource \"zulip_channel\" \"team\" {\n  for_each = toset([\"docs\", \"KEY\"])\n  name = \"team ${each.key}\"\n}\n"
	const warning = "The messages stay in the archived channel. The new channel starts without them."
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

// fewRequests is the maximum number of requests of a plan for any number of channels: the server's settings, the
// account, the snapshot, and the end of its event queue.
const fewRequests = 4

// anotherProcess is the number of requests when Terraform starts the plugin again to apply: the server's settings and
// the account.
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
	if len(created) >= 2*50 { // one request creates each; channels created at the same time are read together
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

	// A changed channel costs its write and the reads around it, besides the requests of the plan and of the apply.
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
	w.Must(t, "destroy", "-auto-approve", "-target=zulip_channel.c[0]")
	if printed, ok := w.Run(t, "destroy", "-auto-approve"); !ok && !strings.Contains(printed, "terraform destroy -refresh=false") {
		t.Errorf("destroy:\n%s", printed)
	}
	w.Must(t, "destroy", "-auto-approve", "-refresh=false")
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

// An interrupted apply has destroyed one channel, and someone has since archived another in the web app. `terraform
// destroy` plans the configuration first and can stop at the names of both. The error names the flag that destroys
// everything.
func TestAccSandboxFolder_DestroyedWithArchivedChannel(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, fmt.Sprintf(`
resource "zulip_channel_folder" "f" {
  name = "%[1]sops"
}
resource "zulip_channel" "c" {
  count     = 3
  name      = "%[1]sops ${count.index}"
  folder_id = zulip_channel_folder.f.id
}
`, o.Prefix))
	w.Must(t, "apply", "-auto-approve")
	o.Archive(t, o.Prefix+"ops 1")
	w.Must(t, "destroy", "-auto-approve", "-target=zulip_channel.c[0]")
	if printed, ok := w.Run(t, "destroy", "-auto-approve"); !ok && !strings.Contains(printed, "terraform destroy -refresh=false") {
		t.Errorf("destroy:\n%s", printed)
	}
	w.Must(t, "destroy", "-auto-approve", "-refresh=false")
	if left := w.Addresses(t); len(left) > 0 {
		t.Errorf("still in the state: %v", left)
	}
	expect(t, o, o.Prefix+"ops archived")
	for i := range 3 {
		if channel := o.MustChannel(t, fmt.Sprint(o.Prefix, "ops ", i)); !channel.IsArchived || channel.FolderID != nil {
			t.Errorf("the channel is %+v", channel)
		}
	}
}
