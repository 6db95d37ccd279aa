package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const (
	leaver, stayer = "kenji.sato@example.com", "ines.moreau@example.com"
)

// effectsOf are two resources that change together. The write of one changes what the other reads.
type effectsOf struct {
	// prepare changes the organization first.
	prepare func(t *testing.T, o *acctest.Organization)
	// before, middle and after are the configurations. The last one is applied in every order.
	before, middle, after []acctest.Entry
	imported              map[string]string
	// left are the changes of the next plan, and warning is what it says about them.
	left    map[string][]string
	warning string
}

func entry(name, kind string, config acctest.Values, needs ...string) acctest.Entry {
	return acctest.Entry{Name: name, Kind: kind, Config: acctest.Fixed(config), Needs: needs}
}

func person(email, name string, active bool) acctest.Entry {
	return entry("person", "zulip_user", acctest.Values{"email": email, "full_name": name, "active": active})
}

// kenji is the account of the leaver.
func kenji(active bool) acctest.Entry { return person(leaver, "Kenji Sato", active) }

// leaves returns the deactivation of the leaver with another change. The lists name IN before, and TO afterwards.
func leaves(kind string, before, after acctest.Values) effectsOf {
	return effectsOf{
		imported: map[string]string{"person": leaver},
		before:   []acctest.Entry{kenji(true), entry("other", kind, before)},
		after:    []acctest.Entry{kenji(false), entry("other", kind, after)},
	}
}

// ends returns the end of two groups with another change. The object names both before.
func ends(kind string, before, after acctest.Values) effectsOf {
	old, older := entry("old", "zulip_user_group", acctest.Values{"name": "old"}), entry("older", "zulip_user_group", acctest.Values{"name": "older"})
	return effectsOf{
		before: []acctest.Entry{old, older, entry("other", kind, before)},
		after:  []acctest.Entry{old.Removed(), older.Removed(), entry("other", kind, after)},
	}
}

// moves returns the end of a channel, which the setting of the organization names before.
func moves(setting string, privacy string) effectsOf {
	channel := func(name string) acctest.Entry {
		return entry(name, "zulip_channel", acctest.Values{"name": name, "privacy": privacy})
	}
	organization := func(names string) acctest.Entry {
		return acctest.Entry{Name: "other", Kind: "zulip_organization", Needs: []string{"new", names}, Config: func(get acctest.Get) acctest.Values {
			return acctest.Values{setting: get(names, "id")}
		}}
	}
	return effectsOf{
		before: []acctest.Entry{channel("old"), channel("new"), organization("old")},
		after:  []acctest.Entry{channel("old").Removed(), channel("new"), organization("new")},
	}
}

func effectScenarios() map[string]effectsOf {
	all := func(people ...string) []any {
		var texts []any
		for _, one := range people {
			texts = append(texts, one)
		}
		return texts
	}
	group := func(members []any, manage ...any) acctest.Values {
		return acctest.Values{"name": "press", "members": members, "can_manage_group": append([]any{"role:owners"}, manage...)}
	}
	channel := func(send ...any) acctest.Values {
		return acctest.Values{"name": "news", "can_send_message_group": append([]any{"role:moderators"}, send...)}
	}
	organization := func(create ...any) acctest.Values {
		return acctest.Values{"can_create_public_channel_group": append([]any{"role:moderators"}, create...)}
	}
	subscribers := func(people ...string) acctest.Values {
		return acctest.Values{"channel": "general", "users": all(people...)}
	}
	general := func(t *testing.T, o *acctest.Organization) {
		o.Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{
			"subscriptions": `[{"name": "general"}]`, "principals": fmt.Sprintf("[%d, %d]", idOf(t, o, leaver), idOf(t, o, stayer)),
		})
		for _, one := range o.Subscribers(t, "general") {
			if one != idOf(t, o, leaver) && one != idOf(t, o, stayer) {
				_, err := o.Client.Unsubscribe(t.Context(), "general", []int64{one})
				requireNoError(t, err)
			}
		}
	}
	alone := func(send ...string) acctest.Values {
		return acctest.Values{"name": "news", "can_send_message_group": all(send...)}
	}
	subgroups := func(names ...string) acctest.Values {
		return acctest.Values{"name": "press", "subgroups": all(names...)}
	}
	membership := func(names ...string) acctest.Values {
		return acctest.Values{"group": "sre", "subgroups": all(names...)}
	}
	user := "user:" + leaver
	joins := func(t *testing.T, o *acctest.Organization) {
		general(t, o)
		o.Call(t, http.MethodPatch, fmt.Sprintf("/streams/%d", o.MustChannel(t, "general").ID), map[string]string{"is_default_stream": "true"})
	}
	scenarios := map[string]effectsOf{
		"a new person joins a default channel with a list": {
			prepare: joins, imported: map[string]string{"other": "general"}, left: map[string][]string{"other": {"user_ids", "users"}},
			warning: "New people are subscribed to a default channel",
			before:  []acctest.Entry{entry("other", "zulip_channel_subscribers", subscribers(leaver, stayer))},
			after: []acctest.Entry{
				entry("person", "zulip_user", acctest.Values{"email": "zoe.quill@example.net", "full_name": "Zoe Quill"}),
				entry("other", "zulip_channel_subscribers", subscribers(leaver, "tomas.berg@example.com")),
			},
		},
		"comes back to a list of subscribers": {
			prepare: general, imported: map[string]string{"person": leaver, "other": "general"}, left: map[string][]string{"other": {"user_ids", "users"}},
			before: []acctest.Entry{kenji(true), entry("other", "zulip_channel_subscribers", subscribers(leaver, stayer))},
			middle: []acctest.Entry{kenji(false), entry("other", "zulip_channel_subscribers", subscribers(stayer))},
			after:  []acctest.Entry{kenji(true), entry("other", "zulip_channel_subscribers", subscribers(stayer, "tomas.berg@example.com"))},
		},
		"leaves a list of subscribers": {
			prepare: general, imported: map[string]string{"person": leaver, "other": "general"},
			before: []acctest.Entry{kenji(true), entry("other", "zulip_channel_subscribers", subscribers(leaver, stayer))},
			after:  []acctest.Entry{kenji(false), entry("other", "zulip_channel_subscribers", subscribers(stayer))},
		},
		"stays in a list of subscribers": {
			prepare: general, imported: map[string]string{"person": leaver, "other": "general"},
			before: []acctest.Entry{kenji(true), entry("other", "zulip_channel_subscribers", subscribers(leaver, stayer))},
			after:  []acctest.Entry{kenji(false), entry("other", "zulip_channel_subscribers", subscribers(leaver, stayer, "tomas.berg@example.com"))},
		},
		"leaves the members of a group":                       leaves("zulip_user_group", group(all(leaver, stayer)), group(all(stayer))),
		"stays in the members of a group":                     leaves("zulip_user_group", group(all(leaver, stayer)), group(all(leaver))),
		"joins the members of a group":                        leaves("zulip_user_group", group(all(stayer)), group(all(stayer, leaver))),
		"leaves a permission of a group":                      leaves("zulip_user_group", group(all(stayer), user), group(all(stayer))),
		"stays in a permission of a group":                    leaves("zulip_user_group", group(all(stayer), user), group(all(stayer), user, "role:moderators")),
		"joins a permission of a group":                       leaves("zulip_user_group", group(all(stayer)), group(all(stayer), user)),
		"leaves a permission of a channel":                    leaves("zulip_channel", channel(user), channel()),
		"stays in a permission of a channel":                  leaves("zulip_channel", channel(user), channel(user, "user:"+stayer)),
		"joins a permission of a channel":                     leaves("zulip_channel", channel(), channel(user)),
		"leaves a permission of the organization":             leaves("zulip_organization", organization(user), organization()),
		"stays in a permission of the organization":           leaves("zulip_organization", organization(user), organization(user, "user:"+stayer)),
		"joins a permission of the organization":              leaves("zulip_organization", organization(), organization(user)),
		"ended groups leave a permission of a channel":        ends("zulip_channel", channel("group:old", "group:older"), channel()),
		"ended groups are replaced in a permission":           ends("zulip_channel", channel("group:old", "group:older"), channel("group:leads")),
		"ended groups were all of a permission":               ends("zulip_channel", alone("group:old", "group:older"), alone("role:members")),
		"ended groups were alone in permissions":              ends("zulip_channel", acctest.Values{"name": "news", "can_send_message_group": all("group:old"), "can_subscribe_group": all("group:older")}, acctest.Values{"name": "news", "can_send_message_group": all("role:members"), "can_subscribe_group": all()}),
		"ended groups leave a permission of a group":          ends("zulip_user_group", group(all(stayer), "group:old", "group:older"), group(all(stayer))),
		"ended groups leave the subgroups of a group":         ends("zulip_user_group", subgroups("old", "older", "leads"), subgroups("leads")),
		"ended groups leave a membership":                     ends("zulip_user_group_membership", membership("old", "older", "role:moderators"), membership("role:moderators")),
		"ended groups leave a permission of the organization": ends("zulip_organization", organization("group:old", "group:older"), organization()),
		"a default group loses a channel": {
			before: []acctest.Entry{
				entry("old", "zulip_channel", acctest.Values{"name": "old"}), entry("new", "zulip_channel", acctest.Values{"name": "new"}),
				defaultGroup("old"),
			},
			after: []acctest.Entry{
				entry("old", "zulip_channel", acctest.Values{"name": "old"}).Removed(), entry("new", "zulip_channel", acctest.Values{"name": "new"}),
				defaultGroup("new"),
			},
		},
	}
	for _, setting := range []string{"new_stream_announcements_stream_id", "signup_announcements_stream_id", "zulip_update_announcements_stream_id"} {
		scenarios["an archived channel leaves "+setting] = moves(setting, "public")
	}
	scenarios["an archived channel leaves moderation_request_channel_id"] = moves("moderation_request_channel_id", "private_shared_history")
	return scenarios
}

func defaultGroup(channel string) acctest.Entry {
	return acctest.Entry{Name: "other", Kind: "zulip_default_channel_group", Needs: []string{channel}, Config: func(get acctest.Get) acctest.Values {
		return acctest.Values{"name": "Engineering", "description": "Channels", "channel_ids": []any{get(channel, "id")}}
	}}
}

func idOf(t *testing.T, o *acctest.Organization, email string) int64 {
	t.Helper()
	user, err := o.Client.UserByEmail(t.Context(), email)
	requireNoError(t, err)
	return user.ID
}

// The effects of one resource are no conflict for another one of the apply, whichever comes first or if both run at the
// same time, and the next plan is empty.
func TestProtocolEffects(t *testing.T) {
	latencies := []time.Duration{5 * time.Millisecond, 0, 30 * time.Millisecond}
	orders := []string{"together", "in order", "backwards"}
	acctest.Schedules(t, "effects of a run", len(latencies)*len(orders)*2, effectScenarios(), func(t *testing.T, scenario effectsOf, s *acctest.Schedule) {
		scenario.try(t, latencies[s.Choose(len(latencies))], orders[s.Choose(len(orders))], s.Choose(2) == 1)
	})
}

func (e effectsOf) try(t *testing.T, latency time.Duration, order string, warns bool) {
	t.Helper()
	t.Logf("%s, latency %s, access warnings %t", order, latency, warns)
	r := e.begin(t, acctest.NewSandbox(t, sandbox.Config{Latency: latency}), warns)
	plans, diags := r.Plan(e.after...)
	diags.ExpectNoError(t)
	switch order {
	case "in order":
		diags = r.Apply(plans, e.after...)
	case "backwards":
		back := slices.Clone(e.after)
		slices.Reverse(back)
		diags = r.Apply(plans, back...)
	default:
		diags = r.ApplyTogether(plans, e.after...)
	}
	diags.ExpectNoError(t)
	plans, diags = r.Plan(e.after...)
	if diags.ExpectNoError(t); e.warning != "" {
		diags.ExpectWarning(t, "users", e.warning)
	}
	for part, plan := range plans {
		if changes := plan.Changes(); !slices.Equal(changes, e.left[part]) || e.left == nil && !plan.Empty() {
			t.Errorf("the next plan changes %s: %v", part, changes)
		}
	}
}

// begin applies the configurations before the last one.
func (e effectsOf) begin(t *testing.T, o *acctest.Organization, warns bool) *acctest.Resources {
	t.Helper()
	if e.prepare != nil {
		e.prepare(t, o)
	}
	r := o.NewResources(t)
	r.Block = o.Block(acctest.Values{"access_warnings": warns})
	for _, part := range slices.Sorted(maps.Keys(e.imported)) {
		i := slices.IndexFunc(e.before, func(one acctest.Entry) bool { return one.Name == part })
		r.Import(part, e.before[i].Kind, e.imported[part])
	}
	for _, parts := range [][]acctest.Entry{e.before, e.middle} {
		plans, diags := r.Plan(parts...)
		diags.ExpectNoError(t)
		r.Apply(plans, parts...).ExpectNoError(t)
	}
	return r
}

// The facts of a plan warn and refuse. They never change what an apply writes: an apply with the facts of the whole plan sends
// the same requests as one in a process of its own.
func TestProtocolFacts_OfPlan_ChangeNoWrite(t *testing.T) {
	scenarios := effectScenarios()
	group := func(name string) acctest.Entry {
		return entry("group", "zulip_user_group", acctest.Values{"name": name})
	}
	named := func(name string) acctest.Entry {
		return entry("channel", "zulip_channel", acctest.Values{"name": "news", "can_send_message_group": []any{"group:" + name}}, "group")
	}
	scenarios["a group is renamed"] = effectsOf{before: []acctest.Entry{group("old"), named("old")}, after: []acctest.Entry{group("new"), named("new")}}
	channel := func(name string) acctest.Entry { return entry(name, "zulip_channel", acctest.Values{"name": name}) }
	scenarios["a channel takes the place of another"] = effectsOf{before: []acctest.Entry{channel("old")}, after: []acctest.Entry{channel("old").Removed(), channel("new")}}
	bot := func(owner string) acctest.Entry {
		return entry("bot", "zulip_bot", acctest.Values{"short_name": "alerts", "full_name": "Alerts", "owner": owner})
	}
	scenarios["a bot of a leaver gets another owner"] = effectsOf{
		imported: map[string]string{"person": leaver}, before: []acctest.Entry{kenji(true), bot(leaver)}, after: []acctest.Entry{bot(stayer), kenji(false)},
	}
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written [2][]string
			for i := range written {
				o := acctest.NewSandbox(t, sandbox.Config{})
				r := scenario.begin(t, o, false)
				if i == 1 {
					r.InOneProcess()
				}
				plans, diags := r.Plan(scenario.after...)
				diags.ExpectNoError(t)
				sent := o.Sent()
				r.Apply(plans, scenario.after...).ExpectNoError(t)
				for _, request := range sent.Writes() {
					written[i] = append(written[i], fmt.Sprint(request.Method, " ", request.Path, " ", request.Params))
				}
			}
			if len(written[0]) == 0 || !slices.Equal(written[0], written[1]) {
				t.Errorf("with empty facts:\n%q\nwith those of the plan:\n%q", written[0], written[1])
			}
		})
	}
}

// The server subscribes a new person to a default channel before it answers with their ID. A new list of the channel's
// subscribers waits for the answer, and leaves the person to the next plan.
func TestProtocolEffects_AnswerIsLate_Waited(t *testing.T) {
	hall := entry("channel", "zulip_channel", acctest.Values{"name": "hall", "is_default": true})
	effectsOf{
		prepare: func(_ *testing.T, o *acctest.Organization) {
			o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", After: true, Action: sandbox.FaultStall, Delay: 100 * time.Millisecond})
		},
		before: []acctest.Entry{hall},
		after: []acctest.Entry{
			entry("person", "zulip_user", acctest.Values{"email": "zoe.quill@example.net", "full_name": "Zoe Quill"}), hall,
			entry("other", "zulip_channel_subscribers", acctest.Values{"channel": "hall", "users": []any{"ines.moreau@example.com", "tomas.berg@example.com"}}),
		},
		left: map[string][]string{"other": {"user_ids", "users"}}, warning: "New people are subscribed to a default channel",
	}.try(t, 5*time.Millisecond, "together", true)
}
