package channels_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// transitions says which flags of the wire lead from one kind of channel to another, and no flag more
// (server-behavior §C12).
var transitions = map[[2]zulip.Privacy]string{
	{zulip.PrivacyPublic, zulip.PrivacyWebPublic}:                             "is_web_public",
	{zulip.PrivacyPublic, zulip.PrivacyPrivateSharedHistory}:                  "history_public_to_subscribers is_private",
	{zulip.PrivacyPublic, zulip.PrivacyPrivateProtectedHistory}:               "is_private",
	{zulip.PrivacyWebPublic, zulip.PrivacyPublic}:                             "is_web_public",
	{zulip.PrivacyWebPublic, zulip.PrivacyPrivateSharedHistory}:               "history_public_to_subscribers is_private is_web_public",
	{zulip.PrivacyWebPublic, zulip.PrivacyPrivateProtectedHistory}:            "is_private is_web_public",
	{zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPublic}:                  "is_private",
	{zulip.PrivacyPrivateSharedHistory, zulip.PrivacyWebPublic}:               "is_private is_web_public",
	{zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPrivateProtectedHistory}: "history_public_to_subscribers",
	{zulip.PrivacyPrivateProtectedHistory, zulip.PrivacyPublic}:               "is_private",
	{zulip.PrivacyPrivateProtectedHistory, zulip.PrivacyWebPublic}:            "is_private is_web_public",
	{zulip.PrivacyPrivateProtectedHistory, zulip.PrivacyPrivateSharedHistory}: "history_public_to_subscribers",
}

// TestAccChannelPrivacy leads channels of each kind to each other kind, in place. Web-public ones are among them where
// the organization allows them, which a sandbox can be told to.
func TestAccChannelPrivacy(t *testing.T) {
	org := acctest.Start(t)
	if org.Sandbox != nil {
		org.Call(t, http.MethodPatch, "/realm", map[string]string{"enable_spectator_access": "true"})
	}
	web, _ := org.Call(t, http.MethodGet, "/server_settings", nil)["realm_web_public_access_enabled"].(bool)

	before, after := "", ""
	patches := []string{}
	var checks []plancheck.PlanCheck
	wanted := map[string]zulip.Privacy{}
	for pair, flags := range transitions {
		if !web && (pair[0] == zulip.PrivacyWebPublic || pair[1] == zulip.PrivacyWebPublic) {
			continue
		}
		label := fmt.Sprintf("%s_to_%s", pair[0], pair[1])
		name := org.Prefix + strings.ReplaceAll(label, "history", "h")
		// Somebody is in it: a plan that makes it private for nobody is refused.
		inside := fmt.Sprintf("initial_subscribers = [%q]", org.Self.Address())
		before += block(label, name, inside, fmt.Sprintf("privacy = %q", pair[0]))
		after += block(label, name, inside, fmt.Sprintf("privacy = %q", pair[1]))
		patches = append(patches, "PATCH "+flags)
		checks = append(checks, plancheck.ExpectResourceAction(address(label), plancheck.ResourceActionUpdate))
		wanted[name] = pair[1]
	}
	var sent *acctest.Sent
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: before},
			{
				PreConfig:        func() { sent = org.Sent() },
				Config:           after,
				ConfigPlanChecks: plans(checks...),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					sent.Expect(t, patches...)
					for name, privacy := range wanted {
						if got := org.MustChannel(t, name).Privacy(); got != privacy {
							t.Errorf("%s is %s", name, got)
						}
					}
				})},
			},
		},
	})
}

// TestAccChannelWords: the same principals may be written in several ways, and a state keeps the way it was written in.
func TestAccChannelWords(t *testing.T) {
	org := acctest.Start(t)
	group, name := org.Group(t, "words"), org.Prefix+"words"
	byNumber := []string{
		fmt.Sprintf(`can_send_message_group = ["group_id:%d"]`, group), fmt.Sprintf(`can_add_subscribers_group = ["user_id:%d", "role:moderators"]`, org.Self.ID),
		`can_subscribe_group = []`, `can_resolve_topics_group = ["role:nobody"]`,
	}
	byName := []string{
		fmt.Sprintf(`can_send_message_group = [%q]`, "group:"+name), fmt.Sprintf(`can_add_subscribers_group = ["role:moderators", "role:moderators", %q]`, "user:"+strings.ToUpper(org.Self.Address())),
		`can_subscribe_group = ["role:nobody"]`, `can_resolve_topics_group = []`,
	}
	numbers := []statecheck.StateCheck{
		attribute("can_send_message_group", principals(fmt.Sprint("group_id:", group))),
		attribute("can_add_subscribers_group", principals(fmt.Sprint("user_id:", org.Self.ID), "role:moderators")),
		attribute("can_subscribe_group", knownvalue.SetSizeExact(0)),
		attribute("can_resolve_topics_group", principals("role:nobody")),
	}
	var sent *acctest.Sent
	everyone := zulip.NamedGroup(org.SystemGroup(t, "role:everyone"))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{
				Config:            block("c", name, byNumber...),
				ConfigStateChecks: numbers,
			}, {
				Config:            block("c", name, byName...),
				ConfigPlanChecks:  unchanged(),
				ConfigStateChecks: numbers,
			}, { // what changes is written in the new words, what does not stays
				PreConfig: func() {
					org.Change(t, name, zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: everyone}}})
					sent = org.Sent()
				},
				Config:           block("c", name, byName...),
				ConfigPlanChecks: updated(),
				ConfigStateChecks: []statecheck.StateCheck{
					attribute("can_send_message_group", principals("group:"+name)), numbers[1], numbers[2], numbers[3],
					acctest.After(func() { sent.Expect(t, "PATCH can_send_message_group") }),
				},
			}, {
				Config:      block("c", name, `can_send_message_group = ["group:`+name+`x"]`),
				ExpectError: acctest.Message(`Did you mean "group:` + name + `"?`),
			},
		},
	})
}

// TestAccChannelSavedPlan: between plan and apply somebody else changes the channel. The same attribute is not
// overwritten; another one is no matter.
func TestAccChannelSavedPlan(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "saved"
	moderators, owners := zulip.NamedGroup(org.SystemGroup(t, "role:moderators")), zulip.NamedGroup(org.SystemGroup(t, "role:owners"))
	changes := func(text string, who zulip.GroupSettingValue) func() {
		return func() {
			org.Change(t, name, zulip.ChannelUpdate{Description: &text, Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: who}}})
		}
	}
	otherName := name + "-2"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: block("c", name, `description = "One"`, `can_send_message_group = ["role:members"]`)},
			{
				Config:           block("c", name, `description = "Two"`, `can_send_message_group = ["role:administrators"]`),
				ConfigPlanChecks: plans(acctest.Between(changes("Mine", moderators))),
				ExpectError:      acctest.Message(`when the plan was made: "role:members" now: "role:moderators" the configuration asks for: "role:administrators"`),
			}, {
				Config: block("c", name, `description = "Two"`, `can_send_message_group = ["role:administrators"]`),
				ConfigPlanChecks: plans(acctest.Between(func() {
					if got := org.MustChannel(t, name).Description; got != "Mine" {
						t.Errorf("the description was overwritten with %q", got)
					}
				})),
			}, { // somebody renames it and lets owners post; the plan is about the description
				Config: block("c", name, `description = "Three"`),
				ConfigPlanChecks: plans(plancheck.ExpectResourceAction(c, plancheck.ResourceActionUpdate), acctest.Between(func() {
					org.Change(t, name, zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: owners}}})
				})),
				ConfigStateChecks: []statecheck.StateCheck{attribute("description", knownvalue.StringExact("Three"))},
			}, { // it was done already, by hand
				Config: block("c", otherName, `description = "Four"`),
				ConfigPlanChecks: plans(acctest.Between(func() {
					text := "Four"
					org.Change(t, name, zulip.ChannelUpdate{Name: &otherName, Description: &text})
				})),
				ConfigStateChecks: []statecheck.StateCheck{attribute("can_send_message_group", principals("role:owners"))},
			},
		},
	})
}

// TestAccSandboxChannelDeactivated: deactivated people in a permission are no difference, and are left out of what is
// written.
func TestAccSandboxChannelDeactivated(t *testing.T) {
	org := acctest.StartSandbox(t, sandbox.Config{})
	lena, _ := org.Sandbox.Credentials("member")
	kenji, _ := org.Sandbox.Credentials("member2")
	name := org.Prefix + "left"
	who := func(more string) string {
		return fmt.Sprintf("can_send_message_group = [\"user:%s\", \"user:%s\"%s]", lena.Email, kenji.Email, more)
	}
	held := func(want ...string) statecheck.StateCheck {
		return acctest.After(func() {
			view, _ := org.Sandbox.Organization().Channel(name)
			if got := view.Permissions["can_send_message_group"]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the server holds %v, want %v", got, want)
			}
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: block("c", name, who(""))},
			{
				PreConfig:        func() { org.Call(t, http.MethodDelete, fmt.Sprint("/users/", lena.ID), nil) },
				Config:           block("c", name, who("")),
				ConfigPlanChecks: unchanged(),
			}, {
				Config:            block("c", name, who(`, "role:moderators"`)), // she is left out
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{held("role:moderators", "user:"+kenji.Email)},
			}, { // without her: the plan shows the configuration, and the server holds the same
				Config:            block("c", name, fmt.Sprintf("can_send_message_group = [\"user:%s\", \"role:moderators\"]", kenji.Email)),
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{held("role:moderators", "user:"+kenji.Email)},
			}, {
				PreConfig:         func() { org.Call(t, http.MethodDelete, fmt.Sprint("/users/", kenji.ID), nil) },
				Config:            block("c", name, `can_send_message_group = ["role:members"]`),
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{held("role:members"), attribute("can_send_message_group", principals("role:members"))},
			},
		},
	})
}

// TestAccSandboxChannelOldServer is the life of a channel on servers that lack some of what newer ones have.
func TestAccSandboxChannelOldServer(t *testing.T) {
	for _, server := range []struct {
		level   int
		refused string // an attribute that the server is too old for
	}{
		{400, `can_resolve_topics_group = ["role:members"]`},
		{360, `topics_policy = "allow_empty_topic"`},
	} {
		t.Run(fmt.Sprint(server.level), func(t *testing.T) {
			org := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: server.level})
			name, text := org.Prefix+"old", "By hand"
			sent := org.Sent()
			config := func(lines ...string) string {
				return block("c", name, append(lines, `can_remove_subscribers_group = ["role:moderators"]`)...) +
					block("private", org.Prefix+"private", `privacy = "private_protected_history"`)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories,
				CheckDestroy:             archived(t, org),
				Steps: []resource.TestStep{
					{
						Config:      block("c", name, server.refused),
						ExpectError: acctest.Message("The server is too old for " + strings.Fields(server.refused)[0]),
					}, {
						Config: config(`description = "One"`, `is_default = true`),
						ConfigStateChecks: []statecheck.StateCheck{
							attribute("can_create_topic_group", knownvalue.Null()),
							acctest.After(func() {
								sent.Expect(t,
									"POST can_remove_subscribers_group is_default_stream subscriptions", "DELETE principals subscriptions",
									"POST history_public_to_subscribers invite_only is_web_public principals subscriptions")
								if in := org.Subscribers(t, name); len(in) > 0 {
									t.Errorf("subscribed: %v, want nobody", in)
								}
							}),
						},
					}, {
						PreConfig:         func() { org.Change(t, name, zulip.ChannelUpdate{Description: &text}) },
						Config:            config(`description = "Two"`, `is_default = false`),
						ConfigStateChecks: []statecheck.StateCheck{attribute("description", knownvalue.StringExact("Two")), attribute("is_default", knownvalue.Bool(false))},
					},
					{ResourceName: c, ImportState: true, ImportStateVerify: true, ImportStateId: name, ImportStateVerifyIgnore: allBut("description", "is_default", "can_remove_subscribers_group")},
					{Config: config(`description = "Two"`), ConfigPlanChecks: unchanged()},
				},
			})
		})
	}
}

// brief is a provider block that does not wait long for anything.
const brief = "provider \"zulip\" {\n  request_timeout = \"2s\"\n  max_retries = 1\n}\n"

const (
	createChannelPath = "/channels/create"
	updatePath        = "/streams/*"
)

// TestFaultChannelAnswers: an answer is lost, late, or not what the server said. What was asked is then looked up, and one
// apply does it all the same.
func TestFaultChannelAnswers(t *testing.T) {
	for _, fault := range []struct {
		class, what string
		on          sandbox.Fault
	}{
		{"connection lost", "after the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "before the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultDrop}},
		{"connection lost", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"connection lost", "after the channel was archived", sandbox.Fault{Method: "DELETE", Path: updatePath, After: true, Action: sandbox.FaultDrop}},
		{"500 once", "before the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStatus}},
		{"500 once", "after the change was made", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}},
		{"500 once", "on the snapshot", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultStatus}},
		{"truncated JSON", "of the creation", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultTruncate}},
		{"truncated JSON", "of the snapshot", sandbox.Fault{Method: "POST", Path: "/register", After: true, Action: sandbox.FaultTruncate}},
		{"HTML from a proxy", "502 instead of the change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultHTML}},
		{"empty 200", "after the channel was created", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultEmpty}},
		{"stall", "the creation is done later than the request may take", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStall, Delay: time.Minute}},
		{"stall", "the answer to the change comes later than the request may take", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}},
	} {
		t.Run(fault.class+", "+fault.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, fault.class, fault.what, sandbox.Config{})
			kept, gone, made := trial.Prefix+"kept", trial.Prefix+"gone", trial.Prefix+"made"
			config := func(text string) string {
				return brief + block("kept", kept, fmt.Sprintf("description = %q", text), `can_send_message_group = ["role:members"]`)
			}
			trial.Given(config("One")+block("gone", gone), kept, gone)
			fault.on.Count = 1
			trial.Fail(fault.on)
			trial.Want(config("Two")+block("made", made, `can_create_topic_group = ["role:members"]`), kept, made)
			trial.Succeeds()
			hits := 0
			for _, request := range trial.Sandbox.Journal().Requests(sandbox.Filter{}) {
				if request.Fault != "" {
					hits++
				}
			}
			if hits != 1 {
				t.Errorf("the fault hit %d times", hits)
			}
			trial.Converges()
		})
	}
}

// TestFaultChannelOutage: the server fails for good. The apply ends with words; when the server is back, the next one does what
// was left.
func TestFaultChannelOutage(t *testing.T) {
	for _, outage := range []struct {
		class, what string
		on          sandbox.Fault
		says        []string
	}{
		{"500 forever", "on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultStatus}, []string{
			`Cannot create channel "`, `answered POST /channels/create with 500: "Internal server error"`, "The server failed.", "is not there, so that applying again is safe"}},
		{"500 forever", "on every change", sandbox.Fault{Method: "PATCH", Path: updatePath, Action: sandbox.FaultStatus}, []string{
			`does not take the change`, `description is "One", and stays so when it is set to "Two"`, "500"}},
		{"500 forever", "after every change", sandbox.Fault{Method: "PATCH", Path: updatePath, After: true, Action: sandbox.FaultStatus}, nil},
		{"HTML from a proxy", "a login page before everything", sandbox.Fault{Action: sandbox.FaultHTML, Status: 200}, []string{
			"This is not a Zulip server", "is no proxy in between?"}},
		{"HTML from a proxy", "502 on every creation", sandbox.Fault{Method: "POST", Path: createChannelPath, Action: sandbox.FaultHTML}, []string{
			`Cannot create channel "`, "The server, or a proxy before it, is out of order or overloaded"}},
		{"empty 200", "on every read of the organization", sandbox.Fault{Method: "POST", Path: "/register", Action: sandbox.FaultEmpty}, []string{"the answer is empty"}},
		{"stall", "no answer to any creation", sandbox.Fault{Method: "POST", Path: createChannelPath, After: true, Action: sandbox.FaultStall, Delay: time.Minute}, nil},
		{"stall", "no answer to anything", sandbox.Fault{Action: sandbox.FaultStall, Delay: time.Minute}, []string{"The server cannot be reached", "no answer from", "raise request_timeout"}},
	} {
		t.Run(outage.class+", "+outage.what, func(t *testing.T) {
			trial := acctest.NewTrial(t, outage.class, outage.what, sandbox.Config{})
			kept, made := trial.Prefix+"kept", trial.Prefix+"made"
			trial.Given(brief+block("kept", kept, `description = "One"`), kept)
			heal := trial.Fail(outage.on)
			trial.Want(brief+block("kept", kept, `description = "Two"`)+block("made", made), kept, made)
			if outage.says == nil {
				trial.Succeeds() // it was done each time, and looked up
			} else {
				trial.Fails(outage.says)
			}
			heal()
			trial.Converges()
		})
	}
}

// TestFaultChannelRateLimit: the server refuses more requests in the middle of an apply. It waits as long as it is told to.
func TestFaultChannelRateLimit(t *testing.T) {
	trial := acctest.NewTrial(t, "429", "ten requests a second, twenty channels", sandbox.Config{RateLimits: []sandbox.RateLimit{{Window: time.Second, Requests: 10}, {Window: time.Hour, Requests: 2000}}})
	var config strings.Builder
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", trial.Prefix, i))
		config.WriteString(block(fmt.Sprint("c", i), names[i], `can_create_topic_group = ["role:members"]`))
	}
	trial.Want(config.String(), names...)
	trial.Succeeds()
	if trial.Sandbox.Journal().Count(sandbox.Filter{Status: 429}) == 0 {
		t.Error("no request was refused")
	}
	trial.Converges()
}
