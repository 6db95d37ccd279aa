package channels_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A meddling has the value of an attribute that the plan saw, the value after another change, and the planned value.
// The fields saw, now and asked are the three values in messages.
type meddling struct {
	attribute       string
	was, asks       any
	byHand          func(*testing.T, *acctest.Organization) zulip.ChannelUpdate
	saw, now, asked string
}

func meddlings() []meddling {
	text := func(text string) *string { return &text }
	yes := true
	return []meddling{
		{
			"can_send_message_group", who("role:moderators"), who("role:members"),
			func(t *testing.T, o *acctest.Organization) zulip.ChannelUpdate {
				return permit("can_send_message_group", role(t, o, "administrators"))
			},
			`"role:moderators"`, `"role:administrators"`, `"role:members"`,
		},
		{
			"can_administer_channel_group", who("user:lena.fischer@example.com", "group:sre"), who("group:leads"),
			func(t *testing.T, o *acctest.Organization) zulip.ChannelUpdate {
				return permit("can_administer_channel_group", zulip.GroupSettingValue{
					DirectMembers: []int64{person(t, o, "member2")}, DirectSubgroups: []int64{channelGroup(t, o, "sre")},
				})
			},
			`["group:sre", "user:lena.fischer@example.com"]`, `["group:sre", "user:kenji.sato@example.com"]`, `"group:leads"`,
		},
		{
			"description", "before", "planned",
			func(*testing.T, *acctest.Organization) zulip.ChannelUpdate {
				return zulip.ChannelUpdate{Description: text("by hand")}
			}, `"before"`, `"by hand"`, `"planned"`,
		},
		{
			"privacy", "private_shared_history", "public",
			func(*testing.T, *acctest.Organization) zulip.ChannelUpdate {
				return zulip.ChannelUpdate{IsPrivate: &yes}
			}, `"private_shared_history"`, `"private_protected_history"`, `"public"`,
		},
		{
			"topics_policy", "inherit", "allow_empty_topic",
			func(*testing.T, *acctest.Organization) zulip.ChannelUpdate {
				return zulip.ChannelUpdate{TopicsPolicy: text("disable_empty_topic")}
			}, `"inherit"`, `"disable_empty_topic"`, `"allow_empty_topic"`,
		},
		{
			"message_retention_days", "realm_default", "30",
			func(*testing.T, *acctest.Organization) zulip.ChannelUpdate {
				return zulip.ChannelUpdate{MessageRetentionDays: &zulip.Retention{Days: 7}}
			}, `"realm_default"`, `"7"`, `"30"`,
		},
		{
			"name", "compared", "planned",
			func(*testing.T, *acctest.Organization) zulip.ChannelUpdate {
				return zulip.ChannelUpdate{Name: text("by hand")}
			}, `"compared"`, `"by hand"`, `"planned"`,
		},
	}
}

// A change made between plan and apply is not overwritten, even if no state has ever had the attribute. The planned
// change made by someone else counts as done.
func TestProtocolChannel_ChangedSincePlan_NotOverwritten(t *testing.T) {
	for _, test := range meddlings() {
		for name, hasManaged := range map[string]bool{"managed": true, "not managed before": false} {
			if test.attribute == "name" && !hasManaged {
				continue // the name is always managed
			}
			t.Run(test.attribute+", "+name, func(t *testing.T) {
				o, run := channelManaged(t)
				base := values{"name": "compared", "initial_subscribers": []any{"ines.moreau@example.com"}}
				before, after := but(base, values{test.attribute: test.was}), but(base, values{test.attribute: test.asks})
				if hasManaged {
					run.MustApply(before)
				} else {
					run.MustApply(base)
					channelSetByHand(t, o, before)
				}
				plan := run.MustPlan(after)
				changes := slices.DeleteFunc(plan.Changes(), func(name string) bool { return name == "url" }) // this channel has the name
				if !slices.Equal(changes, []string{test.attribute}) || (plan.Prior.Values[test.attribute] != nil) != hasManaged {
					t.Errorf("the plan changes %v, from %v", changes, plan.Prior.Values[test.attribute])
				}
				twin := run.Fork()
				o.Change(t, "compared", test.byHand(t, o))

				sent := o.Sent()
				run.Apply(plan).ExpectError(t, "", "was changed after the plan was made", test.attribute,
					"when the plan was made:     "+test.saw+"\n", "now:                        "+test.now+"\n", "the configuration asks for: "+test.asked+"\n", "Nothing was overwritten.")
				sent.Expect(t)
				// The state has the current value, so that the next plan starts from it and passes.
				run.MustApply(after)

				sent = o.Sent()
				twin.Apply(plan).ExpectNoError(t)
				sent.Expect(t)
				if plan := twin.MustPlan(after); !plan.Empty() {
					t.Errorf("there is still something to do: %v", plan.Changes())
				}
			})
		}
	}
}

func TestProtocolChannelConflict_SeveralAttributes_AllReported(t *testing.T) {
	o, run := channelManaged(t)
	before := values{"name": "compared", "description": "before", "can_send_message_group": who("role:members"), "can_subscribe_group": who("role:nobody")}
	run.MustApply(before)
	plan := run.MustPlan(values{"name": "compared", "description": "planned", "can_send_message_group": who("group:sre"), "can_subscribe_group": who("group:leads")})
	other := "by hand"
	o.Change(t, "compared", zulip.ChannelUpdate{Description: &other, Permissions: map[string]zulip.GroupSettingChange{
		"can_send_message_group": {New: role(t, o, "owners")},
		"can_subscribe_group":    {New: zulip.NamedGroup(channelGroup(t, o, "leads"))},
	}})

	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "can_send_message_group\n  when the plan was made:     \"role:members\"", "description\n  when the plan was made:     \"before\"",
		"Already as planned: can_subscribe_group.")
	sent.Expect(t)
}

// The server hides deactivated people from a value, and compares an old value with what it shows (server-behavior
// §P3). A value that it shows in a form which it never accepts cannot be sent as an old value.
func TestProtocolChannel_HiddenUserInValue_Changed(t *testing.T) {
	for name, test := range map[string]struct {
		holds []any
		old   func(*testing.T, *acctest.Organization) *zulip.GroupSettingValue // the comparable part of the value; nil if there is none
	}{
		"one person and a group": {
			who("user:lena.fischer@example.com", "group:sre"),
			func(*testing.T, *acctest.Organization) *zulip.GroupSettingValue { return nil },
		},
		"one person alone": {
			who("user:lena.fischer@example.com"),
			func(*testing.T, *acctest.Organization) *zulip.GroupSettingValue { return nil },
		},
		"two people and a group": {
			who("user:lena.fischer@example.com", "user:kenji.sato@example.com", "group:sre"),
			func(t *testing.T, o *acctest.Organization) *zulip.GroupSettingValue {
				return &zulip.GroupSettingValue{DirectMembers: []int64{person(t, o, "member2")}, DirectSubgroups: []int64{channelGroup(t, o, "sre")}}
			},
		},
		"one person and two groups": {
			who("user:lena.fischer@example.com", "group:sre", "group:leads"),
			func(t *testing.T, o *acctest.Organization) *zulip.GroupSettingValue {
				groups := []int64{channelGroup(t, o, "sre"), channelGroup(t, o, "leads")}
				slices.Sort(groups)
				return &zulip.GroupSettingValue{DirectSubgroups: groups}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			const setting = "can_administer_channel_group"
			o, run := channelManaged(t)
			config := values{"name": "compared", setting: test.holds}
			run.MustApply(config)
			channelDeactivate(t, o, "member")
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("someone who was deactivated makes a difference: %v", plan.Changes())
			}

			sent := o.Sent()
			run.MustApply(but(config, values{setting: who("role:moderators")}))
			want := []map[string]string{{setting: channelChange(t, role(t, o, "moderators"), test.old(t, o))}}
			if got := writes(sent); !reflect.DeepEqual(got, want) {
				t.Errorf("sent %v, not %v", got, want)
			}
		})
	}
}

// Deactivated people are left out of requests. A configuration without them is a change, although the server keeps the
// same value.
func TestProtocolChannel_DeactivatedInPermission_LeftOut(t *testing.T) {
	const setting, lena, kenji = "can_send_message_group", "user:lena.fischer@example.com", "user:kenji.sato@example.com"
	o, run := channelManaged(t)
	run.MustApply(values{"name": "left", setting: who(kenji, lena)})
	channelDeactivate(t, o, "member")
	for _, config := range [][]any{who(kenji, lena, "role:moderators"), who("role:moderators", kenji)} {
		plan := run.MustPlan(values{"name": "left", setting: config})
		if got := plan.Changes(); !slices.Equal(got, []string{setting}) {
			t.Errorf("the plan changes %v", got)
		}
		run.Apply(plan).ExpectNoError(t)
		if view, _ := o.Sandbox.Organization().Channel("left"); !slices.Equal(view.Permissions[setting], []string{"role:moderators", kenji}) {
			t.Errorf("the server holds %v", view.Permissions[setting])
		}
	}
	channelDeactivate(t, o, "member2")
	run.MustApply(values{"name": "left", setting: who("role:members")})
}

// A plan is applied on another server or with another account: the apply compares again, and sends nothing.
func TestProtocolChannel_OtherServerAtApply_Refused(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(t *testing.T, o *acctest.Organization)
		at       string
		words    []string
		existing values
	}{
		"downgraded": {
			func(_ *testing.T, o *acctest.Organization) { o.Sandbox.SetFeatureLevel(400) },
			"can_resolve_topics_group", []string{"The server is too old for can_resolve_topics_group", "It requires feature level 402; the server has 400"},
			values{"can_resolve_topics_group": who("role:members")},
		},
		"demoted": {
			func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/users/", person(t, o, "admin")), map[string]string{"role": "400"})
			},
			"is_default", []string{"Only administrators and owners of the organization can do this. The provider's account is a member"},
			values{"is_default": true},
		},
		"deactivated": {
			func(t *testing.T, o *acctest.Organization) { channelDeactivate(t, o, "admin") },
			"api_key", []string{"The server rejects the account's credentials", "Was the account deactivated"},
			values{"is_default": true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, owner := channelManaged(t)
			run := o.WithAccount(t, "admin").NewRun(t, "zulip_channel")
			run.MustApply(values{"name": "compared"})
			plan := run.MustPlan(but(values{"name": "compared"}, test.existing))
			test.change(t, o)
			sent := o.Sent()
			p := acctest.StartProcess(t.Context(), t)
			diags := p.Configure(run.Block)
			if len(diags.Errors()) == 0 {
				_, diags = p.Plan("zulip_channel", plan.Prior, plan.Config)
			}
			diags.ExpectError(t, test.at, test.words...)
			sent.Expect(t)
			o.Sandbox.SetFeatureLevel(sandbox.DefaultFeatureLevel)
			owner.State = run.State
			owner.MustApply(plan.Config)
		})
	}
}

// A value that hides a deactivated user is also read and compared just before it is replaced.
func TestProtocolChannel_HiddenUserInValue_Compared(t *testing.T) {
	const setting = "can_administer_channel_group"
	o, run := channelManaged(t)
	config := values{"name": "compared", setting: who("user:lena.fischer@example.com", "group:sre")}
	run.MustApply(config)
	channelDeactivate(t, o, "member")
	plan := run.MustPlan(but(config, values{setting: who("role:moderators")}))
	o.Change(t, "compared", permit(setting, zulip.NamedGroup(channelGroup(t, o, "leads"))))

	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "when the plan was made:     \"group:sre\"", "now:                        \"group:leads\"")
	sent.Expect(t)
}

// The value changes between the last reading and the write, which only the server can detect.
func TestProtocolChannel_ChangedBeforeWrite_Refused(t *testing.T) {
	const setting = "can_send_message_group"
	o, run := channelManaged(t)
	run.MustApply(values{"name": "compared", setting: who("role:members"), "can_add_subscribers_group": who()})
	plan := run.MustPlan(values{"name": "compared", setting: who("role:moderators"), "can_add_subscribers_group": who("group:sre")})
	id := o.MustChannel(t, "compared").ID
	owners := role(t, o, "owners")
	gate := o.Sandbox.Gate(http.MethodPatch, fmt.Sprintf("/streams/%d", id))

	applied := make(chan acctest.Diagnostics)
	go func() { applied <- run.Apply(plan) }()
	first := <-gate.Arrived
	hand := channelByHand(o, id, permit(setting, owners))
	(<-gate.Arrived).Release()
	acctest.NoError(t, <-hand)
	gate.Open()
	first.Release()

	// The server accepted the first of the two settings before it refused the second.
	(<-applied).ExpectError(t, "", "was changed after the plan was made", setting+"\n", "now:                        \"role:owners\"", "Already as planned: can_add_subscribers_group.")
	if got := o.Sandbox.Journal().Count(sandbox.Filter{Method: http.MethodPatch}); got != 2 {
		t.Errorf("%d requests to change the channel, not one by each", got)
	}
	if got := run.State.Values; !reflect.DeepEqual(got[setting], who("role:owners")) || !reflect.DeepEqual(got["can_add_subscribers_group"], who("group:sre")) {
		t.Errorf("the state says %v and %v", got[setting], got["can_add_subscribers_group"])
	}
}

// An apply does not write a configured permission that its plan does not change, even if it was changed outside
// Terraform since. The next plan shows the change.
func TestProtocolChannel_UnplannedAttributeChanged_Kept(t *testing.T) {
	o, run := channelManaged(t)
	before := values{"name": "compared", "description": "before", "can_send_message_group": who("role:moderators")}
	run.MustApply(before)
	after := but(before, values{"description": "after"})
	plan := run.MustPlan(after)
	byHand := zulip.GroupSettingValue{DirectMembers: []int64{o.Self.ID}, DirectSubgroups: []int64{role(t, o, "moderators").Group}}
	o.Change(t, "compared", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{"can_send_message_group": {New: byHand}}})

	run.Apply(plan).ExpectNoError(t)
	if got := o.MustChannel(t, "compared").Permissions["can_send_message_group"]; !slices.Equal(got.DirectMembers, byHand.DirectMembers) {
		t.Errorf("what was granted by hand is %v", got)
	}
	if got := run.MustPlan(after).Changes(); !slices.Equal(got, []string{"can_send_message_group"}) {
		t.Errorf("the next plan changes %q", got)
	}
}

// Terraform passes every text in the Unicode normal form NFC. The server stores texts as sent, so the name and
// description of a channel from another client can be decomposed. They are the same text.
func TestProtocolChannel_DecomposedTexts_NoChange(t *testing.T) {
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	o, run := channelManaged(t)
	o.Call(t, "POST", "/channels/create", map[string]string{"name": decomposed, "description": decomposed, "subscribers": "[]"})
	config := values{"name": composed, "description": composed, "topics_policy": "inherit"}
	handOver := func() {
		run.State.Values["name"], run.State.Values["description"] = composed, composed
	}
	run.Import(composed, nil).ExpectNoError(t)
	handOver()
	if plan, diags := run.Process().Plan("zulip_channel", run.State, config); !plan.Empty() || len(diags) > 0 {
		t.Errorf("planned: %v, reported: %v", plan.Changes(), diags)
	}
	p := run.Process()
	config["topics_policy"] = "disable_empty_topic"
	plan, diags := p.Plan("zulip_channel", run.State, config)
	diags.ExpectNoError(t)
	sent := o.Sent()
	state, diags := p.Apply(plan)
	diags.ExpectNoError(t)
	sent.Expect(t, "PATCH topics_policy")
	if run.State = state; state.Values["name"] != composed {
		t.Errorf("the state holds %v", state.Values)
	}
	for _, next := range []struct{ attribute, value string }{{"description", "Another " + composed}, {"name", "An" + composed}} {
		run.Refresh().ExpectNoError(t)
		run.State.Values["name"] = composed
		if next.attribute == "description" {
			handOver()
		}
		config[next.attribute] = next.value
		p = run.Process()
		plan, diags = p.Plan("zulip_channel", run.State, config)
		diags.ExpectNoError(t)
		run.State, diags = p.Apply(plan)
		diags.ExpectNoError(t)
	}
	if channel := o.MustChannel(t, "An"+composed); channel.Description != "Another "+composed {
		t.Errorf("the server has %+v", channel)
	}
}
