package channelfolder_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const orderType = "zulip_channel_folder_order"

// made are the folders of an organization by their names: the example's, three more, and an archived one.
type made struct{ example, a, b, c, archived int64 }

// ordered gives a test folders, and their order to manage.
func ordered(t *testing.T) (*acctest.Organization, *acctest.Run, made) {
	t.Helper()
	o, _ := managed(t)
	f := made{example: folders(t, o)[0].ID, a: byHand(t, o, "a"), archived: byHand(t, o, "x"), b: byHand(t, o, "b"), c: byHand(t, o, "c")}
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

// What somebody moves before the named ones is moved back; what they do behind them is theirs.
func TestProtocolFolderOrderDrift(t *testing.T) {
	o, run, f := ordered(t)
	config := values{"folder_ids": []any{f.c, f.b}}
	run.MustApply(config)
	reorder := func(ids ...int64) {
		if err := o.Client.OrderChannelFolders(context.Background(), ids); err != nil {
			t.Fatal(err)
		}
	}
	reorder(f.a, f.c, f.b, f.example, f.archived)
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH order")
	expect(t, o, "c", "b", "a", "x archived")

	reorder(f.archived, f.c, f.b, f.example, f.a) // archived ones are not seen
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("planned: %v", plan.Values)
	}
}

// A folder that is made while the order is on its way is one that the order leaves out.
func TestProtocolFolderOrderMeanwhile(t *testing.T) {
	o, run, f := ordered(t)
	gate := o.Sandbox.Gate("PATCH", "/channel_folders")
	go func() {
		defer gate.Open()
		<-gate.Arrived
		if _, err := o.Client.CreateChannelFolder(context.Background(), "new", ""); err != nil {
			t.Error(err)
		}
	}()
	run.MustApply(values{"folder_ids": []any{f.c, f.b}})
	expect(t, o, "c", "b", "a", "x archived", "new")
}

func TestProtocolFolderOrderLostAnswer(t *testing.T) {
	o, run, f := ordered(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/channel_folders", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(values{"folder_ids": []any{f.c, f.b}})
	expect(t, o, "c", "b", "a", "x archived")
}

func TestProtocolFolderOrderImport(t *testing.T) {
	o, run, f := ordered(t)
	run.MustApply(values{"folder_ids": []any{f.c, f.b, f.a, f.example}})
	for _, by := range []struct {
		id       string
		identity values
	}{{id: "channel_folders"}, {identity: run.State.Identity}} {
		fresh := o.NewRun(t, orderType)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(run.State.Values) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, run.State.Values)
		}
	}
	o.NewRun(t, orderType).Import("7", nil).ExpectError(t, "", `has the ID "channel_folders"`)
}

func TestProtocolFolderOrderBadInput(t *testing.T) {
	_, run, f := ordered(t)
	for _, c := range []struct {
		ids   []any
		words []string
	}{
		{[]any{}, []string{"at least 1"}},
		{[]any{f.a, f.a}, []string{"is there twice"}},
		{[]any{f.a, nil}, []string{"null"}},
		{[]any{999999}, []string{"No such channel folder", "999999"}},
		{[]any{f.archived}, []string{"is archived", "adopt_archived"}},
	} {
		_, diags := run.Plan(values{"folder_ids": c.ids})
		diags.ExpectError(t, "folder_ids", c.words...)
	}
	run.MustPlan(values{"folder_ids": []any{f.a, acctest.Unknown}})

	// Two in one configuration.
	p := run.Process()
	_, diags := p.Plan(orderType, nil, values{"folder_ids": []any{f.a, f.b}})
	diags.ExpectNoError(t)
	_, diags = p.Plan(orderType, nil, values{"folder_ids": []any{f.b, f.a}})
	diags.ExpectError(t, "folder_ids", "Two orders")
}
