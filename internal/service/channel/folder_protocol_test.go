package channel_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// newFolder makes a channel folder by hand.
func newFolder(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	id, _ := o.Call(t, http.MethodPost, "/channel_folders/create", map[string]string{"name": name, "description": ""})["channel_folder_id"].(float64)
	return int64(id)
}

// folderHeld is the ID of the folder that a channel is in; 0 for none.
func folderHeld(t *testing.T, o *acctest.Organization, channel string) int64 {
	t.Helper()
	if id := o.MustChannel(t, channel).FolderID; id != nil {
		return *id
	}
	return 0
}

func TestProtocolChannelFolderByName(t *testing.T) {
	o, run := managed(t)
	one, two := newFolder(t, o, "Projects"), newFolder(t, o, "Clients")
	folder := func(name string) values { return values{"name": "sorted", "folder": name} }
	expect := func(state string, held int64) {
		t.Helper()
		if got := run.State.Values; got["folder"] != state || got["folder_id"] != nil {
			t.Errorf("the state has folder %v, folder_id %v", got["folder"], got["folder_id"])
		}
		if got := folderHeld(t, o, "sorted"); got != held {
			t.Errorf("the channel is in folder %d, not %d", got, held)
		}
	}
	run.MustApply(folder("Projects"))
	expect("Projects", one)
	sent := o.Sent()
	run.MustApply(folder("projects")) // case is ignored
	sent.Expect(t)
	run.MustApply(folder("Clients"))
	sent.Expect(t, "PATCH folder_id")
	expect("Clients", two)
	run.MustApply(folder(""))
	expect("", 0)
	run.MustApply(folder("Clients"))

	// Somebody moves the channel: drift, by name.
	o.Change(t, "sorted", zulip.ChannelUpdate{FolderID: pointer(pointer(one))})
	run.Refresh().ExpectNoError(t)
	if run.State.Values["folder"] != "Projects" {
		t.Errorf("the state says %v", run.State.Values["folder"])
	}
	run.MustApply(folder("Clients"))
	expect("Clients", two)

	// Somebody renames the folder: the state has the new name, and a plan with the old one says which there are.
	o.Call(t, http.MethodPatch, fmt.Sprint("/channel_folders/", two), map[string]string{"name": "Client work"})
	run.Refresh().ExpectNoError(t)
	if run.State.Values["folder"] != "Client work" {
		t.Errorf("the state says %v", run.State.Values["folder"])
	}
	_, diags := run.Plan(folder("Client works"))
	diags.ExpectError(t, "folder", `Channel folder "Client works" is not in the organization`, `did you mean "Client work"?`)
	sent = o.Sent()
	run.MustApply(folder("Client work"))
	sent.Expect(t)
}

func pointer[T any](value T) *T { return &value }

// What somebody else has done since the plan is not overwritten. Messages name folders, also where they are configured by ID.
func TestProtocolChannelFolderConflicts(t *testing.T) {
	for _, attribute := range []string{"folder", "folder_id"} {
		t.Run(attribute, func(t *testing.T) {
			o, run := managed(t)
			configured := map[string]any{"folder": "Projects", "folder_id": newFolder(t, o, "Projects")}[attribute]
			other := newFolder(t, o, "Clients")
			run.MustApply(values{"name": "sorted"})
			plan := run.MustPlan(values{"name": "sorted", attribute: configured})
			o.Change(t, "sorted", zulip.ChannelUpdate{FolderID: pointer(pointer(other))})
			sent := o.Sent()
			_, diags := run.Process().Apply(plan)
			diags.ExpectError(t, "", "was changed by somebody else", attribute+"\n", "no folder", `"Clients"`, `asks for: "Projects"`)
			sent.Expect(t)
			if got := folderHeld(t, o, "sorted"); got != other {
				t.Errorf("the channel is in folder %d", got)
			}
			// An attribute that becomes managed is warned of by the name it has now.
			run.Refresh().ExpectNoError(t)
			_, diags = run.Plan(values{"name": "sorted", attribute: configured})
			diags.ExpectWarning(t, "", "Attributes that were not managed have other values", `"Clients"`, `"Projects"`)
		})
	}
}

// A folder that the same run creates or renames is found by its name; without an order the apply says what is missing.
func TestProtocolChannelInAFolderOfTheSameRun(t *testing.T) {
	o, run := managed(t)
	folders := o.NewRun(t, "zulip_channel_folder")
	p := run.Process()
	made, diags := p.Plan("zulip_channel_folder", nil, values{"name": "Projects"})
	diags.ExpectNoError(t)
	plan, diags := p.Plan("zulip_channel", nil, values{"name": "sorted", "folder": "Projects"})
	diags.ExpectNoError(t)
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectError(t, "", "has yet to create the channel folder", "depends_on")
	sent.Expect(t)
	folders.State, diags = p.Apply(made)
	diags.ExpectNoError(t)
	run.State, diags = p.Apply(plan)
	diags.ExpectNoError(t)
	id, _ := folders.State.Values["id"].(int64)
	if got := folderHeld(t, o, "sorted"); got != id || run.State.Values["folder"] != "Projects" {
		t.Errorf("the channel is in folder %d, the state is %v", got, run.State.Values)
	}

	p = run.Process()
	renamed, diags := p.Plan("zulip_channel_folder", folders.State, values{"name": "Work"})
	diags.ExpectNoError(t)
	plan, diags = p.Plan("zulip_channel", run.State, values{"name": "sorted", "folder": "Work"})
	diags.ExpectNoError(t)
	_, diags = p.Apply(renamed)
	diags.ExpectNoError(t)
	sent = o.Sent()
	run.State, diags = p.Apply(plan)
	diags.ExpectNoError(t)
	sent.Expect(t)
	if plan := run.MustPlan(values{"name": "sorted", "folder": "Work"}); !plan.Empty() {
		t.Errorf("planned: %v", plan.Changes())
	}
}

// folder and folder_id are one thing: an import has both, either is configured, and the other follows.
func TestProtocolChannelFolderAndItsID(t *testing.T) {
	o, run := managed(t)
	one, two := newFolder(t, o, "Projects"), newFolder(t, o, "Clients")
	_, diags := run.Plan(values{"name": "sorted", "folder": "Projects", "folder_id": two})
	diags.ExpectError(t, "folder", "Two folders for one channel")
	run.MustApply(values{"name": "sorted", "folder": "Projects"})
	for _, config := range []values{{"folder": "Projects"}, {"folder_id": one}} {
		imported := o.NewRun(t, "zulip_channel")
		imported.Import("sorted", nil).ExpectNoError(t)
		config["name"] = "sorted"
		if got := imported.State.Values; got["folder"] != "Projects" || got["folder_id"] != one {
			t.Errorf("imported: %v, %v", got["folder"], got["folder_id"])
		}
		if plan := imported.MustPlan(config); !plan.Empty() {
			t.Errorf("planned: %v", plan.Changes())
		}
	}
	imported := o.NewRun(t, "zulip_channel")
	imported.Import("sorted", nil).ExpectNoError(t)
	for _, step := range []struct {
		config values
		folder string
		id     int64
	}{
		{values{"folder": "Clients"}, "Clients", two}, {values{"folder_id": one}, "Projects", one}, {values{"folder": ""}, "", 0}, {values{"folder_id": two}, "Clients", two},
	} {
		step.config["name"] = "sorted"
		imported.MustApply(step.config)
		if got := imported.State.Values; got["folder"] != step.folder || got["folder_id"] != step.id || folderHeld(t, o, "sorted") != step.id {
			t.Errorf("%v: the state has %v, %v; the server %d", step.config, got["folder"], got["folder_id"], folderHeld(t, o, "sorted"))
		}
	}
	// What was configured by ID is not in the state by name, and the data source has both.
	created := o.NewRun(t, "zulip_channel")
	created.MustApply(values{"name": "by ID", "folder_id": one})
	if got := created.State.Values; got["folder"] != nil {
		t.Errorf("the state has folder %v", got["folder"])
	}
	found, diags := created.Process().ReadData("zulip_channel", values{"name": "by ID"})
	diags.ExpectNoError(t)
	if found["folder"] != "Projects" || found["folder_id"] != one {
		t.Errorf("found %v, %v", found["folder"], found["folder_id"])
	}
}
