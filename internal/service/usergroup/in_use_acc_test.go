package usergroup_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// oldAndNew are two groups, and what names the first: a channel and a group.
const oldAndNew = `
resource "zulip_user_group" "old" {
  name = "old"
  LIFECYCLE
}
resource "zulip_user_group" "new" {
  name = "new"
}
resource "zulip_user_group" "above" {
  name              = "above"
  subgroups         = [NAME]
  can_mention_group = ["group:${NAME}"]
}
resource "zulip_channel" "news" {
  name                   = "news"
  can_send_message_group = ["role:moderators", "group:${NAME}"]
}
`

// onlyNew is the same without the first group.
func onlyNew(name string) string {
	_, rest, _ := strings.Cut(oldAndNew, "\n}\n")
	return strings.ReplaceAll(rest, "NAME", name)
}

func oldNamed(name, lifecycle string) string {
	return strings.NewReplacer("NAME", name, "LIFECYCLE", lifecycle).Replace(oldAndNew)
}

// A group ends in the apply that takes its name out of permissions and groups, where the CLI does both at once, and where
// create_before_destroy makes it change the others first.
func TestAccSandboxGroupEndsWithItsUses(t *testing.T) {
	for name, test := range map[string]struct{ lifecycle, old, new string }{
		"named as text":         {"", `"old"`, `"new"`},
		"create before destroy": {"lifecycle {\n create_before_destroy = true\n }", "zulip_user_group.old.name", "zulip_user_group.new.name"},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, "resource \"zulip_user_group\" \"old\" {\n  name = \"old\"\n"+test.lifecycle+"\n}\nresource \"zulip_user_group\" \"new\" {\n  name = \"new\"\n}")
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, oldNamed(test.old, test.lifecycle))
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, onlyNew(test.new))
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			if !group(t, o, "old").Deactivated {
				t.Error("the group is still active")
			}
			holds(t, o, "above", nil, []string{"new"})
		})
	}
}

// Where references make the CLI deactivate the group first, the plan says so and how to go on; the apply stops without a change.
func TestAccSandboxGroupInUse(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, oldNamed("zulip_user_group.old.name", ""))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, onlyNew("zulip_user_group.new.name"))
	contains := func(printed string, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(printed, word) {
				t.Errorf("not printed: %s\n%s", word, printed)
			}
		}
	}
	contains(w.Must(t, "plan"), "still in use", `User group "old" is named by:`, `user group "above", of which it is a subgroup`,
		`user group "above": can_mention_group`, `channel "news": can_send_message_group`, "terraform apply -target=ADDRESS", "create_before_destroy")
	sent := o.Sent()
	printed, ok := w.Apply(t)
	if ok || len(sent.Writes()) != 1 {
		t.Fatalf("applied, or more was sent than one deactivation: %v", sent.Writes())
	}
	contains(printed, `Cannot deactivate user group "old"`, "nothing of it was changed", `channel "news": can_send_message_group`)
	holds(t, o, "above", nil, []string{"old"})

	w.Must(t, "apply", "-auto-approve", "-target=zulip_channel.news", "-target=zulip_user_group.above")
	if printed := w.Must(t, "plan"); strings.Contains(printed, "still in use") {
		t.Errorf("the plan warns of what names the group no more:\n%s", printed)
	}
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "plan", "-detailed-exitcode")
	if !group(t, o, "old").Deactivated {
		t.Error("the group is still active")
	}
}
