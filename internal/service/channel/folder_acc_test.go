package channel_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

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
