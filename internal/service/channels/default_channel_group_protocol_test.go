package channels_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const typeName = "zulip_default_channel_group"

// defaultChannelGroupHeld returns the server's group of a name; nil if there is none.
func defaultChannelGroupHeld(t *testing.T, o *acctest.Organization, name string) *zulip.DefaultChannelGroup {
	t.Helper()
	snapshot, err := o.Client.Register(context.Background(), []string{zulip.FetchDefaultGroups})
	acctest.NoError(t, err)
	acctest.NoError(t, o.Client.DeleteQueue(context.Background(), snapshot.QueueID))
	for _, group := range snapshot.DefaultGroups {
		if group.Name == name {
			return group
		}
	}
	return nil
}

// expectHeld fails the test unless the server has a group with these values.
func expectHeld(t *testing.T, o *acctest.Organization, name, description string, channels ...int64) {
	t.Helper()
	group := defaultChannelGroupHeld(t, o, name)
	slices.Sort(channels)
	if group != nil {
		slices.Sort(group.ChannelIDs) // a set
	}
	if group == nil || group.Description != description || !slices.Equal(group.ChannelIDs, channels) {
		t.Errorf("the server holds %+v, not %q with %v", group, description, channels)
	}
}

// defaultChannelGroupManaged creates the channels a, b and c, and returns their IDs.
func defaultChannelGroupManaged(t *testing.T) (o *acctest.Organization, run *acctest.Run, a, b, c int64) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{})
	run, a, b, c = o.NewRun(t, typeName), channel(t, o, "a"), channel(t, o, "b"), channel(t, o, "c")
	return o, run, a, b, c
}

func channel(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	id, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: o.Prefix + name})
	acctest.NoError(t, err)
	return id
}

// defaultChannelGroupByHand changes the channels of a group.
func defaultChannelGroupByHand(t *testing.T, o *acctest.Organization, group, op string, channels ...string) {
	t.Helper()
	for i := range channels {
		channels[i] = o.Prefix + channels[i]
	}
	names, err := json.Marshal(channels)
	acctest.NoError(t, err)
	o.Call(t, http.MethodPatch, fmt.Sprintf("/default_stream_groups/%d/streams", defaultChannelGroupHeld(t, o, group).ID), map[string]string{"op": op, "stream_names": string(names)})
}

func TestProtocolDefaultChannelGroupDrift(t *testing.T) {
	o, run, a, b, _ := defaultChannelGroupManaged(t)
	config := values{"name": "dev", "channel_ids": []any{a, b}}
	run.MustApply(config)
	defaultChannelGroupByHand(t, o, "dev", "remove", "a")
	defaultChannelGroupByHand(t, o, "dev", "add", "c")
	plan := run.MustPlan(config)
	if changes := plan.Changes(); !slices.Equal(changes, []string{"channel_ids"}) {
		t.Errorf("planned: %v", changes)
	}
	defaultChannelGroupByHand(t, o, "dev", "remove", "c") // the planned change is made before the apply
	sent := o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH op stream_names")
	expectHeld(t, o, "dev", "", a, b)

	o.Archive(t, o.Prefix+"a")
	_, diags := run.Plan(config)
	diags.ExpectError(t, "channel_ids", "archived")

	o.Call(t, http.MethodDelete, fmt.Sprintf("/default_stream_groups/%d", defaultChannelGroupHeld(t, o, "dev").ID), nil)
	plan = run.MustPlan(values{"name": "dev", "channel_ids": []any{b}})
	if plan.Prior != nil {
		t.Errorf("what is gone is still in the state: %v", plan.Prior)
	}
	run.Apply(plan).ExpectNoError(t)
	expectHeld(t, o, "dev", "", b)
}

func TestProtocolDefaultChannelGroupBadInput(t *testing.T) {
	o, run, a, _, _ := defaultChannelGroupManaged(t)
	o.Call(t, http.MethodPost, "/default_streams", map[string]string{"stream_id": fmt.Sprint(a)})
	general := o.MustChannel(t, "general").ID
	for _, bad := range []struct {
		config    values
		attribute string
		words     []string
	}{
		{values{"name": " "}, "name", []string{"blank"}},
		{values{"name": strings.Repeat("x", 61)}, "name", []string{"60"}},
		{values{"name": "x", "description": ""}, "description", []string{"between 1 and 1024"}},
		{values{"name": "x", "channel_ids": []any{int64(999999)}}, "channel_ids", []string{"No such channel", "999999"}},
		{values{"name": "x", "channel_ids": []any{a}}, "channel_ids", []string{"default channel cannot be in a default channel group"}},
		{values{"name": "x", "channel_ids": []any{general}}, "channel_ids", []string{"general", "is_default = false"}},
	} {
		_, diags := run.Plan(bad.config)
		diags.ExpectError(t, bad.attribute, bad.words...)
	}
	for _, unknown := range []values{{"name": acctest.Unknown}, {"name": "x", "channel_ids": acctest.Unknown}, {"name": "x", "channel_ids": []any{acctest.Unknown}}} {
		run.MustPlan(unknown)
	}
	private := channel(t, o, "private")
	isPrivate := true
	o.Change(t, o.Prefix+"private", zulip.ChannelUpdate{IsPrivate: &isPrivate})
	_, diags := run.Plan(values{"name": "x", "channel_ids": []any{private}})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "channel_ids", "private channel")

	run.MustApply(values{"name": "x"})
	_, diags = o.NewRun(t, typeName).Plan(values{"name": "x", "description": "other"})
	diags.ExpectError(t, "name", "already", "import it")
	o.NewRun(t, typeName).MustApply(values{"name": "X"}) // case matters
	_, diags = o.As(t, "moderator").NewRun(t, typeName).Plan(values{"name": "y"})
	diags.ExpectError(t, "", "cannot manage default channel groups", "administrators and owners")
}

// The warning about a private channel considers this plan's change of the channel.
func TestProtocolDefaultChannelGroup_PlannedPrivacy_Warning(t *testing.T) {
	for before, after := range map[zulip.Privacy]zulip.Privacy{
		zulip.PrivacyPrivateSharedHistory: zulip.PrivacyPublic, zulip.PrivacyPublic: zulip.PrivacyPrivateSharedHistory,
	} {
		t.Run(string(after), func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			news, config := o.NewRun(t, "zulip_channel"), values{"name": "news", "can_subscribe_group": []any{"role:members"}}
			config["privacy"] = string(before)
			news.MustApply(config)
			config["privacy"] = string(after)
			p := o.NewRun(t, typeName).Process()
			p.MustPlan("zulip_channel", news.State, config)
			_, diags := p.Plan(typeName, nil, values{"name": "x", "channel_ids": []any{news.State.Values["id"]}})
			diags.ExpectNoError(t)
			if warns := strings.Contains(fmt.Sprint(diags), "private channel"); warns != after.IsPrivate() {
				t.Errorf("the plan says %v", diags)
			}
		})
	}
}

// Someone makes a channel of the group private. The account cannot read it, so the server accepts no change for it.
func TestProtocolDefaultChannelGroup_UnreadableChannel_Announced(t *testing.T) {
	o, run, a, b, c := defaultChannelGroupManaged(t)
	run.MustApply(values{"name": "dev", "channel_ids": []any{a, b}})
	for name, id := range map[string]int64{"b": b, "c": c} {
		o.Call(t, http.MethodDelete, "/users/me/subscriptions", map[string]string{"subscriptions": fmt.Sprintf("[%q]", o.Prefix+name)})
		o.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%d", id), map[string]string{"is_private": "true"})
	}
	run.Refresh()
	for name, channels := range map[string][]any{"b": {a}, "c": {a, b, c}} {
		plan, diags := run.Plan(values{"name": "dev", "channel_ids": channels})
		diags.ExpectWarning(t, "channel_ids", "cannot add channel \""+o.Prefix+name, "The apply will fail", "can_subscribe_group")
		run.Fork().Apply(plan).ExpectError(t, "", "Invalid channel name")
	}
	run.MustApply(values{"name": "dev", "description": "d", "channel_ids": []any{a, b}})
}

// If nothing can be read after the creation, the group is in the state, and the next plan finds it.
func TestFaultDefaultChannelGroupLostReading(t *testing.T) {
	o, run, a, _, _ := defaultChannelGroupManaged(t)
	run.Block["max_retries"] = 0
	config := values{"name": "dev", "channel_ids": []any{a}}
	plan := run.MustPlan(config)
	// One read comes before the failing one.
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus, Status: http.StatusBadGateway, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Unknown whether", "finds out by its name")
	heal()
	if run.State == nil {
		t.Fatal("it is not in the state")
	}
	if plan := run.MustPlan(config); !plan.Empty() || run.State.Values["id"] != defaultChannelGroupHeld(t, o, "dev").ID {
		t.Errorf("planned: %v from %v", plan.Changes(), run.State.Values)
	}
}

// After a refusal halfway, the state is unchanged, and the next plan has the rest.
func TestFaultDefaultChannelGroup_PartlyRefused_Continued(t *testing.T) {
	o, run, a, b, _ := defaultChannelGroupManaged(t)
	run.MustApply(values{"name": "dev", "channel_ids": []any{a}})
	heal := o.Sandbox.Fail(sandbox.Fault{Method: "PATCH", Path: "/default_stream_groups/*/streams", Action: sandbox.FaultStatus, Status: http.StatusBadRequest,
		Body: `{"result":"error","msg":"Invalid channel name 'b'","code":"BAD_REQUEST"}`})
	config := values{"name": "devs", "channel_ids": []any{a, b}}
	run.Apply(run.MustPlan(config)).ExpectError(t, "", "Cannot change", "Invalid channel name", "was renamed", "Already as planned: name.")
	heal()
	plan := run.MustPlan(config)
	if changes := plan.Changes(); !slices.Equal(changes, []string{"channel_ids"}) {
		t.Errorf("planned: %v", changes)
	}
	run.Apply(plan).ExpectNoError(t)
	expectHeld(t, o, "devs", "", a, b)
}

// While a request that names a channel waits, another channel gets the name. The group still has the planned channels.
func TestProtocolDefaultChannelGroup_RenamedDuringWait(t *testing.T) {
	const create, change = "/default_stream_groups/create", "/default_stream_groups/*/streams"
	for name, test := range map[string]struct {
		method, path  string
		before, after []string // the channels of the group
	}{
		"create": {http.MethodPost, create, nil, []string{"a"}},
		"add":    {http.MethodPatch, change, []string{}, []string{"a"}},
		"remove": {http.MethodPatch, change, []string{"a", "c"}, []string{"c"}},
		"both":   {http.MethodPatch, change, []string{"b"}, []string{"a"}}, // the name is used by the second request
	} {
		for kind, fault := range map[string]sandbox.Fault{
			"429":     {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond},
			"dropped": {Action: sandbox.FaultDrop},
			"no":      {},
		} {
			if kind == "no" && name != "both" {
				continue // another channel gets the name while the request is under way, which no client can prevent
			}
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				ids := map[string]int64{"a": channel(t, o, "a"), "b": channel(t, o, "b"), "c": channel(t, o, "c")}
				config := func(names []string) values {
					channels := []any{}
					for _, name := range names {
						channels = append(channels, ids[name])
					}
					return values{"name": "dev", "channel_ids": channels}
				}
				run := o.NewRun(t, typeName)
				if test.before != nil {
					run.MustApply(config(test.before))
				}
				plan := run.MustPlan(config(test.after))
				gate := o.Sandbox.Gate(test.method, test.path)
				defer gate.Open()
				applied := make(chan acctest.Diagnostics)
				go func() { applied <- run.Apply(plan) }()
				held := <-gate.Arrived
				for _, rename := range [][2]string{{"a", "z"}, {"c", "a"}} {
					to := o.Prefix + rename[1]
					o.Change(t, o.Prefix+rename[0], zulip.ChannelUpdate{Name: &to})
				}
				if fault.Action != "" {
					fault.Method, fault.Path, fault.Count = test.method, test.path, 1
					o.Sandbox.Fail(fault)
				}
				held.Release()
				gate.Open()
				(<-applied).ExpectNoError(t)
				want := []int64{}
				for _, name := range test.after {
					want = append(want, ids[name])
				}
				expectHeld(t, o, "dev", "", want...)
			})
		}
	}
}
