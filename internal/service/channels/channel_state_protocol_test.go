package channels_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// called counts the channels of a name, archived ones included.
func called(o *acctest.Organization, name string) int {
	count := 0
	for _, channel := range o.Sandbox.Organization().Channels() {
		if channel.Name == name {
			count++
		}
	}
	return count
}

// An answer is lost, late, or wrong. The provider then looks up the result, and one apply still makes each change
// once.
func TestFaultChannel_AnswerLost_AppliedOnce(t *testing.T) {
	for _, fault := range []string{
		"POST /channels/create after drop 1", "POST /channels/create after truncate 1", "POST /channels/create after html 1",
		"POST /channels/create after empty 1", "POST /channels/create after status=502 1", "POST /channels/create before drop 1",
		"POST /channels/create before status=500 1", "POST /channels/create before stall=1m 1",
		"PATCH /streams/* after drop 1", "PATCH /streams/* after truncate 1", "PATCH /streams/* after html 1", "PATCH /streams/* after status=502 1",
		"PATCH /streams/* after stall=1m 1", "PATCH /streams/* before html 1", "DELETE /streams/* after drop 1",
		"POST /register before status=500 1", "POST /register after truncate 1",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			kept := o.NewRun(t, "zulip_channel")
			kept.Block = o.Block(values{"request_timeout": "2s", "max_retries": 1})
			gone, made := kept.Fork(), kept.Fork()
			kept.MustApply(values{"name": "kept", "description": "One", "can_send_message_group": who("role:members")})
			gone.MustApply(values{"name": "gone"})
			rule, err := sandbox.ParseFault(fault)
			acctest.NoError(t, err)
			o.Sandbox.Fail(rule)
			sent := o.Sent()
			kept.MustApply(values{"name": "kept", "description": "One", "can_send_message_group": who("role:moderators")})
			made.MustApply(values{"name": "made", "can_send_message_group": who("group:sre")})
			gone.Apply(gone.MustPlan(nil)).ExpectNoError(t)
			hits, done := 0, map[string]int{}
			for _, request := range sent.Requests() {
				if request.Fault != "" {
					hits++
				}
				if request.Fault == "" || rule.After || rule.Action == sandbox.FaultStall { // a stalled request is executed late
					done[request.Method+" "+request.Path]++
				}
			}
			channel, _ := o.Sandbox.Organization().Channel("made")
			for _, write := range []string{"POST /channels/create", fmt.Sprint("PATCH /streams/", kept.State.Values["id"])} {
				if done[write] != 1 {
					t.Errorf("%s was done %d times", write, done[write])
				}
			}
			if hits != 1 || made.State.Values["id"] != int64(channel.ID) || called(o, "made") != 1 || !o.MustChannel(t, "gone").IsArchived {
				t.Errorf("the fault hit %d times; channel %d in the state, %d on the server, %d of the name", hits, made.State.Values["id"], channel.ID, called(o, "made"))
			}
		})
	}
}

// expectImports imports the run's object by each ID and by its identity, and expects the state of the run.
func expectImports(t *testing.T, o *acctest.Organization, kind string, run *acctest.Run, ids ...string) {
	t.Helper()
	for _, id := range append(ids, "") {
		fresh := o.NewRun(t, kind)
		fresh.Import(id, run.State.Identity).ExpectNoError(t)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(run.State.Values) || !reflect.DeepEqual(fresh.State.Identity, run.State.Identity) {
			t.Errorf("imported by %q:\n%v\nwant:\n%v", id, fresh.State, run.State)
		}
	}
}

// With -refresh=false nothing is read before the plan, and a replaced resource is planned first. Two resources with
// the same object are reported.
func TestProtocolChannel_DuplicateWithoutRefresh_Warning(t *testing.T) {
	for kind, title := range map[string]string{channelType: "channel", folderType: "channel folder", typeName: "default channel group", groupType: "user group"} {
		t.Run(kind, func(t *testing.T) {
			o, config := acctest.StartSandbox(t, sandbox.Config{}), values{"name": "Kept"}
			run := o.NewRun(t, kind)
			run.MustApply(config)
			p := run.Process()
			plan, diags := p.Plan(kind, run.State, config)
			diags.ExpectOnlyWarning(t, "", "")
			_, diags = p.Plan(kind, plan.Replaced(), config)
			diags.ExpectOnlyWarning(t, "", "")
			_, diags = p.Plan(kind, run.State, config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, "", fmt.Sprintf("Two resources manage %s %q", title, "Kept"), "removed block")
		})
	}
}

// Terraform reads and plans in one process, so a channel that was read still uses its name. A destroy begins with such
// a plan, so the plan only warns, and the apply refuses.
func TestProtocolChannel_ArchivedOutsideTerraform_Reported(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "old"})
	o.Archive(t, "old")
	sent := o.Sent()
	_, diags := run.Plan(values{"name": "old"})
	if run.State != nil {
		t.Error("an archived channel is still in the state")
	}
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "name", `An archived channel has the name "old", so the apply will fail`, "adopt_archived = true")
	sent.Expect(t)
}

// Once the server has the channel, so does the state, whatever fails later.
func TestProtocolChannelCreated_LaterFailure_InState(t *testing.T) {
	config := values{"name": "created", "description": "what for", "can_create_topic_group": who("role:moderators")}
	for name, test := range map[string]struct {
		fault sandbox.Fault
		words []string
	}{
		"the reading fails": {
			sandbox.Fault{Method: http.MethodGet, Path: "/streams", Action: sandbox.FaultStatus, Status: http.StatusBadRequest},
			[]string{`Cannot read channel "created" after it was created`, "Terraform marks it as tainted", "terraform untaint ADDRESS"},
		},
		"the change that follows fails": {
			sandbox.Fault{Method: http.MethodPatch, Path: "/streams/*", Action: sandbox.FaultStatus, Status: http.StatusBadRequest},
			[]string{`Cannot change channel "created"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := channelManaged(t)
			p := run.Process()
			plan, diags := p.Plan("zulip_channel", nil, config)
			diags.ExpectNoError(t)
			heal := o.Sandbox.Fail(test.fault)
			state, diags := p.Apply(plan)
			diags.ExpectError(t, "", test.words...)
			channel, _ := o.Sandbox.Organization().Channel("created")
			if state == nil || state.Values["id"] != int64(channel.ID) || !reflect.DeepEqual(state.Identity, values{"id": int64(channel.ID)}) {
				t.Fatalf("in the state: %v", state)
			}

			heal()
			run.State = state
			run.MustApply(config)
			if called(o, "created") != 1 {
				t.Errorf("%d channels", called(o, "created"))
			}
		})
	}
}

// If a new channel cannot be read back, a warning says so, and the state has all values that were sent.
func TestProtocolChannelCreated_Unreadable_Complete(t *testing.T) {
	o, run := channelManaged(t)
	config := values{
		"name": "created", "description": "what for", "privacy": "private_shared_history", "initial_subscribers": []any{"ines.moreau@example.com"},
		"can_send_message_group": who("role:moderators", "user:lena.fischer@example.com"), "topics_policy": "allow_empty_topic",
	}
	p := run.Process()
	plan, diags := p.Plan("zulip_channel", nil, config)
	diags.ExpectNoError(t)
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodGet, Path: "/streams", Action: sandbox.FaultStatus, Status: http.StatusBadRequest})
	state, diags := p.Apply(plan)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", `Cannot read channel "created" after it was created`, "The server accepted it, and the state has the values that were sent.")
	heal()
	id := o.MustChannel(t, "created").ID
	run.State = state
	if state == nil || state.Values["id"] != id || !reflect.DeepEqual(state.Identity, values{"id": id}) {
		t.Fatalf("in the state: %v", state)
	}
	for name, want := range config {
		if got := state.Values[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s in the state: %v, want %v", name, got, want)
		}
	}
	sent := o.Sent()
	run.MustApply(config)
	expectWrites(t, sent)
}

func TestProtocolChannel_UpdateUnreadable_StateKept(t *testing.T) {
	o, run := channelManaged(t)
	before := values{"name": "changed", "description": "before"}
	run.MustApply(before)
	plan := run.MustPlan(but(before, values{"description": "after"}))
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodGet, Path: "/streams", Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Skip: 1})
	run.Apply(plan).ExpectError(t, "", "Cannot read channel")
	if run.State == nil || run.State.Values["description"] != "before" {
		t.Errorf("in the state: %v", run.State)
	}
	heal()
	sent := o.Sent()
	run.MustApply(plan.Config)
	expectWrites(t, sent)
}

func TestProtocolChannelImport_NotFound_Error(t *testing.T) {
	o, run := channelManaged(t)
	run.Import("generall", nil).ExpectError(t, "", "Cannot import this channel", "general")
	run.Import("4711", nil).ExpectError(t, "", "Cannot import this channel", "4711")
	run.Import("", values{"id": int64(4711)}).ExpectError(t, "", "Cannot import this channel", "4711")
	o.Archive(t, "general")
	run.Import("general", nil).ExpectError(t, "", "Cannot import this channel", "adopt_archived = true")
}

// A whole lifecycle at the finest log level must not show the account's credentials.
func TestProtocolChannel_Key_NotLogged(t *testing.T) {
	o, _ := channelManaged(t)
	var log bytes.Buffer
	ctx := tfsdklogtest.RootLogger(tflogtest.RootLogger(context.Background(), &log), &log)
	block := o.Block(values{"max_retries": 1})
	run := acctest.NewRun(ctx, t, "zulip_channel", block)

	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: "/channels/create", After: true, Action: sandbox.FaultDrop, Count: 1})
	run.MustApply(values{"name": "logged", "can_send_message_group": who("role:members")})
	o.Sandbox.Fail(sandbox.Fault{Method: http.MethodGet, Path: "/users/me", Action: sandbox.FaultHTML, Count: 1})
	run.MustApply(values{"name": "logged", "can_send_message_group": who("role:moderators")})
	_, diags := run.Plan(values{"name": "logged", "can_send_message_group": who("group:nowhere")})
	diags.ExpectError(t, "can_send_message_group")
	run.Import("logged", nil).ExpectNoError(t)
	if _, diags = run.Process().ReadData("zulip_channel", values{"name": "logged"}); len(diags) > 0 {
		t.Error(diags)
	}
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if channel, _ := o.Sandbox.Organization().Channel("logged"); !channel.Archived {
		t.Error("it is not archived")
	}

	for _, witness := range []string{"Zulip request parameters", "can_send_message_group", "Zulip answered", "/channels/create", "sdk.framework"} {
		if !strings.Contains(log.String(), witness) {
			t.Errorf("the log is not the whole: there is no %q in it", witness)
		}
	}
	key, _ := block["api_key"].(string)
	email, _ := block["email"].(string)
	for _, secret := range []string{key, base64.StdEncoding.EncodeToString([]byte(email + ":" + key)), base64.StdEncoding.EncodeToString([]byte(key))} {
		if at := strings.Index(log.String(), secret); at >= 0 {
			t.Errorf("the log shows %q", log.String()[max(0, at-100):at+len(secret)])
		}
	}
}

func TestProtocolChannelDataSources(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "looked up", "description": "what for", "can_send_message_group": who("group:sre", "user:lena.fischer@example.com")})
	id := o.MustChannel(t, "looked up").ID
	run.Import("looked up", nil).ExpectNoError(t) // then the state also has unmanaged attributes
	for _, config := range []values{{"name": "Looked Up"}, {"id": id}} {
		found, diags := run.Process().ReadData("zulip_channel", config)
		diags.ExpectNoError(t)
		for attribute, value := range found {
			if want, ok := run.State.Values[attribute]; ok && attribute != "name" && !reflect.DeepEqual(value, want) {
				t.Errorf("by %v: %s is %v, and %v in the resource", config, attribute, value, want)
			}
		}
	}
	for attribute, test := range map[string]refusal{
		"name": {config: values{"name": "genral"}, words: []string{"general"}},
		"id":   {config: values{"id": 4711}, words: []string{"4711"}},
	} {
		_, diags := run.Process().ReadData("zulip_channel", test.config)
		diags.ExpectError(t, attribute, test.words...)
	}
	_, diags := run.Process().ReadData("zulip_channel", values{"id": id, "name": "looked up"})
	if !strings.Contains(diags.String(), "id and name are set. Remove all but one.") {
		t.Errorf("reported: %v", diags)
	}
	o.Archive(t, "looked up")
	found, diags := run.Process().ReadData("zulip_channel", values{"name": "looked up"})
	diags.ExpectNoError(t)
	created := time.Unix(o.MustChannel(t, "looked up").DateCreated, 0).UTC().Format(time.RFC3339)
	if found["is_archived"] != true || found["creator_id"] != o.Self.ID || found["date_created"] != created {
		t.Errorf("the archived channel is %v", found)
	}
}

func TestProtocolChannels_Filters_Applied(t *testing.T) {
	o, run := channelManaged(t)
	folder := newFolder(t, o, "list")
	run.MustApply(values{"name": "a", "folder_id": folder, "privacy": "private_shared_history"})
	o.NewRun(t, "zulip_channel").MustApply(values{"name": "b", "folder_id": folder, "is_default": true})
	o.NewRun(t, "zulip_channel").MustApply(values{"name": "gone", "folder_id": folder})
	o.Archive(t, "gone")
	for name, test := range map[string]struct {
		filter values
		want   []string
	}{
		"active":          {nil, []string{"a", "b"}},
		"archived too":    {values{"include_archived": true}, []string{"a", "b", "gone"}},
		"private":         {values{"privacy": "private_shared_history"}, []string{"a"}},
		"default":         {values{"is_default": true}, []string{"b"}},
		"no such channel": {values{"privacy": "web_public"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			list, diags := run.Process().ReadData("zulip_channels", but(values{"folder_id": folder}, test.filter))
			diags.ExpectNoError(t)
			var names []string
			channels, _ := list["channels"].([]any)
			for _, one := range channels {
				channel, _ := one.(values)
				names = append(names, fmt.Sprint(channel["name"]))
				if !reflect.DeepEqual(channel["can_send_message_group"], who("role:everyone")) {
					t.Errorf("listed: %v", channel)
				}
			}
			if !slices.Equal(names, test.want) {
				t.Errorf("listed: %v, want %v", names, test.want)
			}
		})
	}
}

// topicsOf returns the topics that a data source has read: the list, and the newest message of each by its name.
func topicsOf(read values) (list []any, newest map[any]any) {
	newest = map[any]any{}
	list, _ = read["topics"].([]any)
	for _, one := range list {
		topic, _ := one.(values)
		newest[topic["name"]] = topic["max_id"]
	}
	return list, newest
}

func TestProtocolChannelTopics(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := o.MustChannel(t, "general").ID
	ids := []int64{}
	for _, topic := range []string{"plans", "", "news"} {
		id, err := o.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: topic}, "x")
		acctest.NoError(t, err)
		ids = append(ids, id)
	}
	p := o.NewRun(t, "zulip_message").Process()
	for _, name := range []string{"general", fmt.Sprint(channel)} {
		read, diags := p.ReadData("zulip_channel_topics", values{"channel": name})
		diags.ExpectNoError(t)
		if read["channel_id"] != channel {
			t.Errorf("channel_id is %v, want %d", read["channel_id"], channel)
		}
		list, found := topicsOf(read)
		if found["plans"] != ids[0] || found[""] != ids[1] || found["news"] != ids[2] {
			t.Errorf("read %v, sent messages %v", found, ids)
		}
		if first, _ := list[0].(values); first["name"] != "news" {
			t.Errorf("%v comes first, want the topic with the newest message", first)
		}
	}
	_, diags := p.ReadData("zulip_channel_topics", values{"channel": "genral"})
	diags.ExpectError(t, "channel", `did you mean "general"?`)

	guest := o.As(t, "guest").NewRun(t, "zulip_message").Process()
	_, diags = guest.ReadData("zulip_channel_topics", values{"channel": "leads"})
	diags.ExpectError(t, "channel", "No such channel")
}

func TestProtocolChannelTopics_Archived_ByLevel(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.ArchivedChannels - 1})
	channel := o.MustChannel(t, "general").ID
	id, err := o.Client.SendMessage(context.Background(), zulip.Addressee{ChannelID: channel, Topic: "plans"}, "x")
	acctest.NoError(t, err)
	o.Archive(t, "general")
	read := func() (values, acctest.Diagnostics) {
		return o.NewRun(t, "zulip_message").Process().ReadData("zulip_channel_topics", values{"channel": "general"})
	}
	_, diags := read()
	diags.ExpectError(t, "channel", `Cannot read the topics of channel "general"`, "The channel is archived", "requires Zulip 12.0 (feature level 480)", "the server has 479")

	o.Sandbox.SetFeatureLevel(featurelevel.ArchivedChannels)
	found, diags := read()
	diags.ExpectNoError(t)
	if _, topics := topicsOf(found); topics["plans"] != id {
		t.Errorf("read %v, sent message %d", found, id)
	}
}
