package channels_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	folderType = "zulip_channel_folder"
	changePath = "/channel_folders/*"
)

func channelFolderManaged(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, folderType)
	return o, run
}

// folders lists the server's folders, in its order.
func folders(t *testing.T, o *acctest.Organization) []*zulip.ChannelFolder {
	t.Helper()
	list, err := o.Client.ChannelFolders(context.Background())
	acctest.NoError(t, err)
	return list
}

// exampleFolder is the folder that the sandbox's organization begins with.
const exampleFolder = "Operations"

// expect fails the test unless the organization has these folders in this order after the initial one. Each is a name,
// with "archived" if it is.
func expect(t *testing.T, o *acctest.Organization, want ...string) {
	t.Helper()
	got := []string{}
	for _, folder := range folders(t, o) {
		if folder.IsArchived {
			folder.Name += " archived"
		}
		if folder.Name != exampleFolder {
			got = append(got, folder.Name)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the folders are %q, want %q", got, want)
	}
}

// channelFolderByHand creates a folder outside Terraform.
func channelFolderByHand(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	id, err := o.Client.CreateChannelFolder(context.Background(), name, "by hand")
	acctest.NoError(t, err)
	return id
}

// channelFolderChange changes a folder outside Terraform.
func channelFolderChange(t *testing.T, o *acctest.Organization, id int64, update zulip.ChannelFolderUpdate) {
	t.Helper()
	acctest.NoError(t, o.Client.UpdateChannelFolder(context.Background(), id, update))
}

func archive(t *testing.T, o *acctest.Organization, id int64) {
	t.Helper()
	archived := true
	channelFolderChange(t, o, id, zulip.ChannelFolderUpdate{IsArchived: &archived})
}

func channelFolderIdOf(run *acctest.Run) int64 {
	id, _ := run.State.Values["id"].(int64)
	return id
}

// The server treats a folder's own name as taken, so another case needs a temporary name.
func TestProtocolFolderCaseOnlyRename(t *testing.T) {
	o, run := channelFolderManaged(t)
	run.MustApply(values{"name": "Ops"})
	channelFolderByHand(t, o, "ops (1)") // the temporary name would be this one
	id := channelFolderIdOf(run)
	run.MustApply(values{"name": "OPS", "description": "loud"})
	expect(t, o, "OPS", "ops (1)")
	if channelFolderIdOf(run) != id || run.State.Values["description"] != "loud" {
		t.Errorf("the state holds %v", run.State.Values)
	}

	// After an interruption the state shows what was done, and the next apply continues.
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: changePath, Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Skip: 2, Count: 1})
	run.Apply(run.MustPlan(values{"name": "ops"})).ExpectError(t, "", "Cannot change channel folder")
	if run.State.Values["name"] != "OPS (2)" {
		t.Errorf("the state holds %v", run.State.Values)
	}
	run.MustApply(values{"name": "ops"})
	expect(t, o, "ops", "ops (1)")
}

func TestProtocolFolder_Archived_Adopted(t *testing.T) {
	o, run := channelFolderManaged(t)
	archive(t, o, channelFolderByHand(t, o, "OPS"))
	last := channelFolderByHand(t, o, "oPS")
	archive(t, o, last)
	plan, diags := run.Plan(values{"name": "Ops", "adopt_archived": true})
	diags.ExpectWarning(t, "adopt_archived", "An archived channel folder will be reactivated", `"oPS"`)
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH is_archived name")
	expect(t, o, "OPS archived", "Ops")
	run.Refresh().ExpectNoError(t) // an unset description is planned as null
	if channelFolderIdOf(run) != last || run.State.Values["description"] != "by hand" {
		t.Errorf("the state holds %v", run.State.Values)
	}
	// A name that is in use again is refused, because reactivating the archived folder would make the server fail.
	_, diags = o.NewRun(t, folderType).Plan(values{"name": "ops", "adopt_archived": true})
	diags.ExpectError(t, "name", "already exists", fmt.Sprint(last))
	// Without an archived folder to adopt, the apply creates a folder.
	o.NewRun(t, folderType).MustApply(values{"name": "Dev", "adopt_archived": true})
	expect(t, o, "OPS archived", "Ops", "Dev")
}

// The name of a folder created outside Terraform is refused, in upper or lower case.
func TestProtocolFolder_CreatedOutside_Refused(t *testing.T) {
	o, run := channelFolderManaged(t)
	channelFolderByHand(t, o, "Ops")
	for _, name := range []string{"Ops", "OPS"} {
		_, diags := run.Plan(values{"name": name, "description": "other"})
		diags.ExpectError(t, "name", "already exists", "import {")
	}
	p := run.Process()
	_, diags := p.Plan(folderType, nil, values{"name": "Twice"})
	diags.ExpectNoError(t)
	_, diags = p.Plan(folderType, nil, values{"name": "TWICE"})
	diags.ExpectError(t, "name", `Duplicate channel folder name "TWICE"`)
}

func TestProtocolFolderImport(t *testing.T) {
	o, run := channelFolderManaged(t)
	run.MustApply(values{"name": "2024", "description": "A year"})
	expectImports(t, o, folderType, run, "name:2024", fmt.Sprint(run.State.Values["id"]))
	o.NewRun(t, folderType).Import("2024", nil).ExpectError(t, "", "name:2024")
	archive(t, o, channelFolderByHand(t, o, "Old"))
	o.NewRun(t, folderType).Import("old", nil).ExpectError(t, "", "archived", "adopt_archived")
	channelFolderByHand(t, o, "Releases")
	o.NewRun(t, folderType).Import("Releasse", nil).ExpectError(t, "", `did you mean "Releases"?`)
}

func TestProtocolFolderBadInput(t *testing.T) {
	o, run := channelFolderManaged(t)
	for _, c := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"name": " "}, "name", []string{"blank"}},
		{values{"name": "a\tb"}, "name", []string{"control characters"}},
		{values{"name": fmt.Sprintf("%061d", 0)}, "name", []string{"60"}},
		{values{"name": "x", "description": fmt.Sprintf("%01025d", 0)}, "description", []string{"1024"}},
		{values{"name": "x", "on_destroy": "delete"}, "on_destroy", []string{"archive"}},
	} {
		_, diags := run.Plan(c.config)
		diags.ExpectError(t, c.attribute, c.words...)
	}
	if plan := run.MustPlan(values{"name": acctest.Unknown, "description": acctest.Unknown}); plan.Values["id"] != acctest.Unknown {
		t.Errorf("planned: %v", plan.Values)
	}
	run.MustApply(values{"name": "Ops"})
	member := o.As(t, "member")
	theirs := member.NewRun(t, folderType)
	_, diags := theirs.Plan(values{"name": "Dev"})
	diags.ExpectError(t, "", "cannot manage channel folders", "administrators and owners")
	theirs.State = run.State
	if plan := theirs.MustPlan(values{"name": "Ops"}); !plan.Empty() { // a data source is allowed
		t.Errorf("planned: %v", plan.Changes())
	}
	_, diags = theirs.Plan(nil)
	diags.ExpectError(t, "", "cannot manage channel folders")
}

func TestProtocolFoldersDataSource(t *testing.T) {
	o, run := channelFolderManaged(t)
	channelFolderByHand(t, o, "One")
	archive(t, o, channelFolderByHand(t, o, "Two"))
	channelFolderByHand(t, o, "Three")
	read := func(config values) []any {
		found, diags := run.Process().ReadData("zulip_channel_folders", config)
		diags.ExpectNoError(t)
		list, _ := found["folders"].([]any)
		return list
	}
	if list := read(values{}); len(list) != 3 {
		t.Errorf("listed: %v", list)
	}
	list := read(values{"include_archived": true})
	names := []any{}
	for _, folder := range list {
		one, _ := folder.(values)
		names = append(names, one["name"], one["is_archived"])
	}
	if fmt.Sprint(names) != "[Operations false One false Two true Three false]" {
		t.Errorf("listed: %v", names)
	}
}

// The test destroys twenty channels and their folder in one process, in Terraform's order: the channels first. The
// server archives no folder that contains a channel, archived or not, and an archived channel stays in its folder: each
// is removed once. A folder that is kept costs nothing.
func TestProtocolFolderEndRequests(t *testing.T) {
	const many, few = 20, 8
	for onDestroy, each := range map[string]int{"archive": 2, "keep": 1} {
		t.Run(onDestroy, func(t *testing.T) {
			o, folder := channelFolderManaged(t)
			folder.MustApply(values{"name": "Ops", "on_destroy": onDestroy})
			runs := make([]*acctest.Run, many)
			for i := range runs {
				runs[i] = o.NewRun(t, "zulip_channel")
				runs[i].Apply(runs[i].MustPlan(values{"name": fmt.Sprint("ops ", i), "folder_id": channelFolderIdOf(folder)})).ExpectNoError(t)
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

// Values of resources without a table are quoted too.
func TestProtocolChannelFolder_ChangedSincePlan_Quoted(t *testing.T) {
	o, _ := channelManaged(t)
	run := o.NewRun(t, folderType)
	config := values{"name": "Team", "description": "Ours "}
	run.MustApply(config)
	plan := run.MustPlan(but(config, values{"description": "Ours"}))
	o.Call(t, http.MethodPatch, fmt.Sprintf("/channel_folders/%v", run.State.Values["id"]), map[string]string{"description": " Ours"})
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "when the plan was made:     \"Ours \"", "now:                        \" Ours\"", "the configuration asks for: \"Ours\"")
	sent.Expect(t)
}
