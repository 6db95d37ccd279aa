package channelfolder_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolFolderEndRequests destroys twenty channels and their folder in one process, as the CLI does: the channels
// first. The server archives no folder that a channel is in, archived or not, and archiving a channel leaves it in its
// folder: each is taken out once. A folder that is kept costs nothing.
func TestProtocolFolderEndRequests(t *testing.T) {
	const many, few = 20, 8
	for onDestroy, each := range map[string]int{"archive": 2, "keep": 1} {
		t.Run(onDestroy, func(t *testing.T) {
			o, folder := managed(t)
			folder.MustApply(values{"name": "Ops", "on_destroy": onDestroy})
			runs := make([]*acctest.Run, many)
			for i := range runs {
				runs[i] = o.NewRun(t, "zulip_channel")
				runs[i].Apply(runs[i].MustPlan(values{"name": fmt.Sprint("ops ", i), "folder_id": idOf(folder)})).ExpectNoError(t)
			}
			plans := make([]*acctest.PlannedChange, many)
			for i, run := range runs {
				plans[i] = run.MustPlan(nil)
			}
			end := folder.MustPlan(nil)

			sent := o.Sent()
			p := folder.Process()
			for _, plan := range append(plans, end) {
				_, diags := p.Apply(plan)
				diags.ExpectNoError(t)
			}
			if got := len(sent.Requests()); got > each*many+few {
				t.Errorf("%d requests for %d channels and their folder", got, many)
			}
			paths := map[string]int{}
			for _, r := range sent.Writes() {
				if r.Method == http.MethodPatch {
					paths[r.Path]++
				}
			}
			for path, times := range paths {
				if times > 1 {
					t.Errorf("%s was changed %d times", path, times)
				}
			}
			want := "Ops archived"
			if onDestroy == "keep" {
				want = "Ops"
			}
			expect(t, o, want)
		})
	}
}

// TestAccSandboxFolderDestroyedWithAnArchivedChannel: one of its channels was archived in the web app since the last
// apply, and `terraform destroy` ends the rest all the same.
func TestAccSandboxFolderDestroyedWithAnArchivedChannel(t *testing.T) {
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
	w.Must(t, "destroy", "-auto-approve")
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
