package trial_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trial"
)

type attributes = map[string]any

// firm is an organization with a channel #hall, in which members post, and a private channel #board, which Ada is in.
type firm struct {
	*acctest.Organization
	hall, board int64
	crew        int64 // a user group: Mel
}

func newFirm(t *testing.T) *firm {
	t.Helper()
	f := &firm{Organization: acctest.NewSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": {Email: "olga@example.com", FullName: "Olga", Role: 100},
		"admin": {Email: "ada@example.com", FullName: "Ada", Role: 200},
		"mel":   {Email: "mel@example.com", FullName: "Mel", Role: 400},
		"max":   {Email: "max@example.com", FullName: "Max", Role: 400},
		"gus":   {Email: "gus@example.com", FullName: "Gus", Role: 600},
	}})}
	f.Organization = f.WithAccount(t, "owner")
	f.hall = f.made(t, "/channels/create", "id", map[string]string{"name": "hall", "subscribers": f.ids("owner", "mel", "gus")})
	f.board = f.made(t, "/channels/create", "id", map[string]string{"name": "board", "subscribers": f.ids("admin"), "invite_only": "true"})
	f.crew = f.made(t, "/user_groups/create", "group_id", map[string]string{"name": "crew", "description": "", "members": f.ids("mel")})
	return f
}

func (f *firm) made(t *testing.T, path, key string, params map[string]string) int64 {
	t.Helper()
	id, _ := f.Call(t, "POST", path, params)[key].(float64)
	return int64(id)
}

func (f *firm) ids(accounts ...string) string {
	var ids []string
	for _, account := range accounts {
		credentials, _ := f.Sandbox.Credentials(account)
		ids = append(ids, fmt.Sprint(credentials.ID))
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// narrowed is a plan that lets the crew alone post in #hall.
func (f *firm) narrowed(t *testing.T) string {
	t.Helper()
	return randomorg.Plan(t, randomorg.ResourceChange("zulip_channel",
		attributes{"id": f.hall, "name": "hall", "can_send_message_group": []string{"role:everyone"}},
		attributes{"id": f.hall, "name": "hall", "can_send_message_group": []string{"group:crew"}}))
}

func TestTriedAgrees(t *testing.T) {
	f := newFirm(t)
	result, found, _ := tried(t, f.Organization, f.narrowed(t), 0)
	if len(result.Differences)+len(result.Unapplied) > 0 || result.Accounts != 5 || result.Rights < 50 || result.Tries < 400 {
		t.Errorf("%+v\n%s", result, strings.Join(result.Lines(), "\n"))
	}
	if lose := found.Channels[0].Rights[0].Lose; lose.Len() != 4 {
		t.Errorf("the plan takes the right to post from %d", lose.Len())
	}
	text := result.Text()
	if want := fmt.Sprintf("Tried on a sandbox: %d rights by 5 accounts, %d tries; computed and tried agree.", result.Rights, result.Tries); text != want {
		t.Errorf("it says %q", text)
	}
}

// Each side of what was computed is found to be wrong, before the plan and after it, whether it says too much or too little.
func TestWrongComputationIsFound(t *testing.T) {
	f := newFirm(t)
	maxim, _ := f.Sandbox.Credentials("max")
	for name, test := range map[string]struct {
		right         string
		isAfter, says bool
	}{
		"too many before": {"can_add_subscribers_group", false, false},
		"too few before":  {"can_send_message_group", false, true},
		"too many after":  {"can_send_message_group", true, false},
		"too few after":   {"can_read", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			found, computed := reviewed(t, f.Organization, f.narrowed(t))
			side := computed.Before
			if test.isAfter {
				side = computed.After
			}
			if test.right == "can_add_subscribers_group" { // members can in public channels; here, nobody can
				f.Call(t, "PATCH", "/realm", map[string]string{"can_add_subscribers_group": fmt.Sprintf(`{"new":%d}`, f.SystemGroup(t, "role:administrators"))})
				found, computed = reviewed(t, f.Organization, f.narrowed(t))
				side = computed.Before
			}
			channel := side.Channels[slices.IndexFunc(side.Channels, func(one *access.Channel) bool { return one.ID == f.hall })]
			right := channel.Rights[slices.IndexFunc(channel.Rights, func(one *access.Right) bool { return one.Name == test.right })]
			who, _ := right.Held.Certain()
			if who.Has(int64(maxim.ID)) != test.says {
				t.Fatalf("computed is that Max can: %t", !test.says)
			}
			wrong := append(who.IDs(), int64(maxim.ID))
			if test.says {
				wrong = slices.DeleteFunc(who.IDs(), func(id int64) bool { return id == int64(maxim.ID) })
			}
			right.Held = side.People.People(wrong).Held()
			result, err := trial.Run(t.Context(), trial.Input{Version: "test", Sandbox: likeness(t, f.Organization), Self: f.Self.ID, Report: found, Computed: computed})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Differences) != 1 {
				t.Fatalf("differences: %s", strings.Join(result.Lines(), "\n"))
			}
			one := result.Differences[0]
			if one.Where != "#hall" || one.Right != test.right || one.Account != int64(maxim.ID) || one.IsAfter != test.isAfter || one.Computed == test.says || one.Tried != test.says || (one.Answer == "") != test.says {
				t.Errorf("%+v", one)
			}
			if text := result.Text(); !strings.Contains(text, "computed and tried differ in 1 try: ") {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// What the plan does not know is taken from what was created, by the references of the configuration: here the IDs of a new group
// and a new channel, and through a module's variable.
func TestPlanWithUnknownValues(t *testing.T) {
	f := newFirm(t)
	const provider = `"mode":"managed","provider_name":"registry.example.com/zulip-iac/zulip"`
	change := func(address, module, kind, after, unknown string) string {
		return fmt.Sprintf(`{"address":%q,"module_address":%q,"type":%q,%s,"change":{"actions":["create"],"before":null,"after":%s,"after_unknown":%s}}`, address, module, kind, provider, after, unknown)
	}
	resource := func(address, expressions string) string {
		return fmt.Sprintf(`{"address":%q,"provider_config_key":"zulip","expressions":%s}`, address, expressions)
	}
	text := `{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[` + strings.Join([]string{
		change("zulip_channel_subscribers.in", "", "zulip_channel_subscribers", `{"users":["mel@example.com","olga@example.com"]}`, `{"channel_id":true,"channel":true}`),
		change(`zulip_channel.new["a"]`, "", "zulip_channel", `{"name":"new a","privacy":"private_shared_history","can_subscribe_group":["role:administrators",null]}`, `{"id":true,"can_subscribe_group":[false,true]}`),
		change("zulip_user_group.fresh", "", "zulip_user_group", `{"name":"fresh"}`, `{"id":true}`),
		change("module.m.zulip_user_group_membership.gus", "module.m", "zulip_user_group_membership", `{"members":["gus@example.com"]}`, `{"group_id":true,"group":true}`),
	}, ",") + `],"configuration":{"root_module":{"resources":[` + strings.Join([]string{
		resource("zulip_channel_subscribers.in", `{"channel":{"references":["zulip_channel.new[\"a\"].name","zulip_channel.new[\"a\"]","zulip_channel.new"]},"users":{}}`),
		resource("zulip_channel.new", `{"name":{},"privacy":{},"can_subscribe_group":{"references":["zulip_user_group.fresh.id","zulip_user_group.fresh"]}}`),
		resource("zulip_user_group.fresh", `{"name":{}}`),
	}, ",") + `],"module_calls":{"m":{"expressions":{"into":{"references":["zulip_user_group.fresh.name","zulip_user_group.fresh"]}},"module":{"resources":[` +
		resource("zulip_user_group_membership.gus", `{"group":{"references":["var.into"]},"members":{}}`) + `]}}}}}}`
	result, _, _ := tried(t, f.Organization, text, 0)
	if len(result.Unapplied)+len(result.Differences) > 0 {
		t.Fatalf("%s", strings.Join(result.Lines(), "\n"))
	}
	if result.Tries < 300 {
		t.Errorf("%d tries", result.Tries)
	}
}

// What cannot be applied is named with the reason, what depends on it too, and nothing is tried after it that could depend on it.
func TestPlanThatCannotBeApplied(t *testing.T) {
	f := newFirm(t)
	plan := randomorg.Plan(t,
		randomorg.ResourceChange("zulip_user_group", nil, attributes{"name": "crew", "members": []string{"max@example.com"}}), // the name is taken
		randomorg.ResourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "privacy": "public"}, attributes{"id": f.hall, "name": "hall", "privacy": "private_shared_history"}))
	result, _, _ := tried(t, f.Organization, plan, 0)
	if len(result.Unapplied) != 1 || result.Unapplied[0].Address != "zulip_user_group.x" || !strings.Contains(result.Unapplied[0].Why, "crew") {
		t.Errorf("%s", strings.Join(result.Lines(), "\n"))
	}
	if !slices.ContainsFunc(result.Untried, func(one *report.Untried) bool { return one.What == "everything after the plan" }) || result.Tries == 0 {
		t.Errorf("%+v", result.Untried)
	}
	local := `{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[{"address":"zulip_channel.x","type":"zulip_channel","mode":"managed","provider_name":"a/zulip-iac/zulip",
		"change":{"actions":["create"],"before":null,"after":{},"after_unknown":{"name":true,"id":true}}}],"configuration":{"root_module":{"resources":[
		{"address":"zulip_channel.x","provider_config_key":"zulip","expressions":{"name":{"references":["local.name"]}}}]}}}`
	result, _, _ = tried(t, f.Organization, local, 0)
	if len(result.Unapplied) != 1 || !strings.Contains(result.Unapplied[0].Why, "name: the plan does not know the value") {
		t.Errorf("%s", strings.Join(result.Lines(), "\n"))
	}
}

// The organization gets no request but those that read it, and is not changed, whatever the plan does.
func TestOrganizationIsOnlyRead(t *testing.T) {
	for seed := range uint64(5) {
		o := randomorg.New(t, rand.New(rand.NewPCG(seed, 5)))
		planned, _ := o.Change()
		o.Sandbox.Journal().Reset()
		tried(t, o.Organization, randomorg.Plan(t, planned...), 0)
		for _, request := range o.Sandbox.Journal().Requests(sandbox.Filter{}) {
			isRead := request.Method == "GET" || request.Method == "POST" && request.Path == "/register" || request.Method == "DELETE" && request.Path == "/events"
			if !isRead {
				t.Errorf("%d: %s %s", seed, request.Method, request.Path)
			}
		}
	}
}

// Who does not see everything tries what is seen, and says what is missing.
func TestTriedByMember(t *testing.T) {
	f := newFirm(t)
	f.Call(t, "PATCH", fmt.Sprintf("/streams/%d", f.hall), map[string]string{"can_administer_channel_group": fmt.Sprintf(`{"new":%d}`, f.crew)})
	mel := f.WithAccount(t, "mel")
	found, computed := reviewed(t, mel, f.narrowed(t))
	server, missing, err := trial.Sandbox(t.Context(), mel.Client, mel.Self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	result, err := trial.Run(t.Context(), trial.Input{Version: "test", Sandbox: server, Self: mel.Self.ID, Report: found, Computed: computed, Missing: missing})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(result.Lines(), "\n")
	if len(result.Differences)+len(result.Unapplied) > 0 || result.Tries < 200 || !strings.Contains(text, "private channels that mel@example.com is not in") {
		t.Errorf("%d tries:\n%s", result.Tries, text)
	}
}

// In a large organization a sample tries: who the report names first.
func TestSample(t *testing.T) {
	f := newFirm(t)
	result, _, _ := tried(t, f.Organization, f.narrowed(t), 2)
	if result.Accounts != 2 || len(result.Differences) > 0 {
		t.Errorf("%+v", result)
	}
}

// One change in 2,000 channels takes some seconds.
func TestTriedInManyChannels(t *testing.T) {
	f := newFirm(t)
	const channels = 2000
	for i := range channels {
		f.Call(t, "POST", "/channels/create", map[string]string{
			"name": fmt.Sprintf("c%d", i), "subscribers": "[]", "can_send_message_group": fmt.Sprint(f.crew),
		})
	}
	plan := randomorg.Plan(t, randomorg.ResourceChange("zulip_user_group",
		attributes{"id": f.crew, "name": "crew", "members": []string{"mel@example.com"}},
		attributes{"id": f.crew, "name": "crew", "members": []string{"max@example.com"}}))
	started := time.Now()
	result, found, _ := tried(t, f.Organization, plan, 0)
	took := time.Since(started)
	fmt.Printf("one change in %d channels: %d rights, %d tries, %s\n", len(found.Channels), result.Rights, result.Tries, took.Round(time.Millisecond))
	if len(found.Channels) != channels || len(result.Differences)+len(result.Unapplied) > 0 || took > 20*time.Second {
		t.Errorf("%s\n%s", took, strings.Join(result.Lines(), "\n"))
	}
	if !slices.ContainsFunc(result.Untried, func(one *report.Untried) bool {
		return strings.Contains(one.Why, "others with the same effects were tried")
	}) {
		t.Errorf("it does not say that not all channels were tried: %+v", result.Untried)
	}
}
