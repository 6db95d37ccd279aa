package channels_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const orderType = "zulip_channel_folder_order"

// made maps the names of the organization's folders to their IDs: the example's, three more, and an archived one.
type made struct{ example, a, b, c, archived int64 }

// ordered creates folders, and a resource that manages their order.
func ordered(t *testing.T) (*acctest.Organization, *acctest.Run, made) {
	t.Helper()
	o, _ := channelFolderManaged(t)
	f := made{example: folders(t, o)[0].ID, a: channelFolderByHand(t, o, "a"), archived: channelFolderByHand(t, o, "x"), b: channelFolderByHand(t, o, "b"), c: channelFolderByHand(t, o, "c")}
	archive(t, o, f.archived)
	run := o.NewRun(t, orderType)
	return o, run, f
}

func TestProtocolFolderOrder(t *testing.T) {
	o, run, f := ordered(t)
	sent := o.Sent()
	run.MustApply(values{"folder_ids": []any{f.c, f.b}})
	sent.Expect(t, "PATCH order")
	if want := fmt.Sprintf("[%d,%d,%d,%d,%d]", f.c, f.b, f.example, f.a, f.archived); sent.Writes()[0].Params["order"] != want {
		t.Errorf("sent %v, want %s", sent.Writes()[0].Params, want)
	}
	expect(t, o, "c", "b", "a", "x archived")

	sent = o.Sent()
	run.MustApply(values{"folder_ids": []any{f.c, f.b, f.example, f.a}}) // as it is
	run.MustApply(values{"folder_ids": []any{f.c}})
	sent.Expect(t)
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t)
	expect(t, o, "c", "b", "a", "x archived")
}

func TestProtocolFolderOrderBadInput(t *testing.T) {
	_, run, f := ordered(t)
	for _, c := range []struct {
		ids   []any
		words []string
	}{
		{[]any{}, []string{"at least 1"}},
		{[]any{f.a, f.a}, []string{"is listed twice"}},
		{[]any{f.a, nil}, []string{"null"}},
		{[]any{999999}, []string{"No such channel folder", "999999"}},
		{[]any{f.archived}, []string{"is archived", "adopt_archived"}},
	} {
		_, diags := run.Plan(values{"folder_ids": c.ids})
		diags.ExpectError(t, "folder_ids", c.words...)
	}
	run.MustPlan(values{"folder_ids": []any{f.a, acctest.Unknown}})

	// One configuration has two orders.
	p := run.Process()
	_, diags := p.Plan(orderType, nil, values{"folder_ids": []any{f.a, f.b}})
	diags.ExpectNoError(t)
	_, diags = p.Plan(orderType, nil, values{"folder_ids": []any{f.b, f.a}})
	diags.ExpectError(t, "folder_ids", "Duplicate order")
}

// newFolder creates a channel folder outside Terraform.
func newFolder(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	id, _ := o.Call(t, http.MethodPost, "/channel_folders/create", map[string]string{"name": name, "description": ""})["channel_folder_id"].(float64)
	return int64(id)
}

// folderHeld returns the ID of the folder of a channel; 0 for none.
func folderHeld(t *testing.T, o *acctest.Organization, channel string) int64 {
	t.Helper()
	if id := o.MustChannel(t, channel).FolderID; id != nil {
		return *id
	}
	return 0
}

func TestProtocolChannelFolderByName(t *testing.T) {
	o, run := channelManaged(t)
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

	// The channel is moved outside Terraform. The drift names the folder.
	o.Change(t, "sorted", zulip.ChannelUpdate{FolderID: pointer(pointer(one))})
	run.Refresh().ExpectNoError(t)
	if run.State.Values["folder"] != "Projects" {
		t.Errorf("the state says %v", run.State.Values["folder"])
	}
	run.MustApply(folder("Clients"))
	expect("Clients", two)

	// The folder is renamed outside Terraform. The state has the new name, and a plan with the old name lists the
	// existing folders.
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

// A folder that the same run creates or renames is found by its name. Without a reference the apply reports the missing
// folder.
func TestProtocolChannelFolder_CreatedInRun_Found(t *testing.T) {
	o, run := channelManaged(t)
	folders := o.NewRun(t, "zulip_channel_folder")
	p := run.Process()
	made, diags := p.Plan("zulip_channel_folder", nil, values{"name": "Projects"})
	diags.ExpectNoError(t)
	plan, diags := p.Plan("zulip_channel", nil, values{"name": "sorted", "folder": "Projects"})
	diags.ExpectNoError(t)
	sent := o.Sent()
	_, diags = p.Apply(plan)
	diags.ExpectError(t, "", "has not created the channel folder", "depends_on")
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

// folder and folder_id are the same folder. An import has both; one is configured, and the other is computed.
func TestProtocolChannelFolder_NameAndID_Same(t *testing.T) {
	o, run := channelManaged(t)
	one, two := newFolder(t, o, "Projects"), newFolder(t, o, "Clients")
	_, diags := run.Plan(values{"name": "sorted", "folder": "Projects", "folder_id": two})
	diags.ExpectError(t, "folder", "folder and folder_id contradict each other")
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
	// The state of a folder configured by ID has no name. The data source has both.
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
