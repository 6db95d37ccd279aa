package provider_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestProtocolNamingAttributes_All_Tested finds the attributes by their descriptions.
func TestProtocolNamingAttributes_All_Tested(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	tested := slices.Clone(namesNothing)
	for _, n := range namings(t, o) {
		tested = append(tested, n.at)
	}
	settable := acctest.StartProcess(t.Context(), t).Settable()
	for at, text := range settable {
		if namesSomething.MatchString(text) && !isPermission.MatchString(text) && !slices.Contains(tested, at) {
			t.Errorf("%s is not tested: %s", at, text)
		}
	}
	for _, at := range tested {
		if _, ok := settable[at]; !ok {
			t.Errorf("there is no attribute %s", at)
		}
	}
}

// TestProtocolPlannedNames_NamingAttributes_Resolved tests every attribute that names a channel, a group, a person or a
// bot. It names an object that the same run creates, reactivates or renames, by the name that is known before. The plan
// accepts it, and so does the apply in another process, after the named object.
func TestProtocolPlannedNames_NamingAttributes_Resolved(t *testing.T) {
	probe := acctest.StartSandbox(t, sandbox.Config{})
	for i, n := range namings(t, probe) {
		for way, begin := range ways {
			t.Run(n.at+" of a "+n.names+" that is "+way, func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				n := namings(t, o)[i]
				one, config := begin(t, o, n.names)
				n.create(t, o, one, config)
			})
		}
		if n.before != nil && isResource(t, n) {
			t.Run(n.at+" of a "+n.names+" that is created, changed", func(t *testing.T) {
				t.Parallel()
				o := acctest.NewSandbox(t, sandbox.Config{})
				n := namings(t, o)[i]
				run := o.NewRun(t, n.of())
				run.MustApply(n.before)
				n.resource(t, o.NewRun(t, made[n.names].of), made[n.names].config, run)
			})
		}
	}
}

// If Terraform reads a data source before its object is created, the error has the fix.
func TestProtocolPlannedNames_DataSource_Advice(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, n := range namings(t, o) {
		if !n.data {
			continue
		}
		p := o.NewRun(t, made[n.names].of).Process()
		_, diags := p.Plan(made[n.names].of, nil, made[n.names].config)
		diags.ExpectNoError(t)
		_, diags = p.ReadData(n.of(), n.config)
		_, attribute, _ := strings.Cut(n.at, ".")
		diags.ExpectError(t, attribute, "depends_on = ["+made[n.names].of+".NAME]")
	}
}

func isResource(t *testing.T, n naming) bool {
	t.Helper()
	return !n.data && slices.Contains(acctest.StartProcess(t.Context(), t).Resources(), n.of())
}

// create plans and applies the resource with the attribute, after the named object.
func (n naming) create(t *testing.T, o *acctest.Organization, one *acctest.Run, config values) {
	t.Helper()
	if isResource(t, n) {
		n.resource(t, one, config, o.NewRun(t, n.of()))
		return
	}
	p := one.Process()
	plan, diags := p.Plan(made[n.names].of, one.State, config)
	diags.ExpectNoError(t)
	isAction := !n.data && n.of() != "zulip_bot_api_key"
	if isAction {
		p.PlanAction(n.of(), n.config).ExpectNoError(t)
	}
	p = one.Process()
	one.ApplyIn(p, plan).ExpectNoError(t)
	switch {
	case n.data: // Terraform postpones it to the apply if it depends on a new object
		_, diags = p.ReadData(n.of(), n.config)
	case isAction:
		_, diags = p.InvokeAction(context.Background(), n.of(), n.config, nil)
	default: // the email of a bot is not known before
		_, diags = p.OpenEphemeral(n.of(), values{"bot": one.State.Values["email"]})
	}
	diags.ExpectNoError(t)
}

// resource plans the named object and the resource that names it in one process, and applies them in another.
func (n naming) resource(t *testing.T, one *acctest.Run, config values, run *acctest.Run) {
	t.Helper()
	p := one.Process()
	plan, diags := p.Plan(made[n.names].of, one.State, config)
	diags.ExpectNoError(t)
	p.Validate(n.of(), n.config).ExpectNoError(t)
	naming, diags := p.Plan(n.of(), run.State, n.config)
	diags.ExpectNoError(t)
	p = one.Process()
	one.ApplyIn(p, plan).ExpectNoError(t)
	if len(naming.Replace) > 0 { // the old one is destroyed first
		end, diags := p.Plan(n.of(), run.State, nil)
		diags.ExpectNoError(t)
		run.ApplyIn(p, end).ExpectNoError(t)
		naming, diags = p.Plan(n.of(), nil, n.config)
		diags.ExpectNoError(t)
	}
	run.ApplyIn(p, naming).ExpectNoError(t)
	if again := run.MustPlan(n.config); !again.Empty() {
		t.Errorf("after the apply the plan still changes %q: %v, %v", again.Changes(), again.Prior.Values, again.Values)
	}
}

// These are the names of objects that do not exist before the run.
const (
	newsroom = "newsroom"
	press    = "press"
	nadia    = "nadia.haddad@example.com"
)

// These people exist: a member, and the owner, whose account the provider uses.
const (
	someone = "lena.fischer@example.com"
	self    = "ines.moreau@example.com"
)

// made are the resources whose objects get the name in this run: each is created, reactivated, or renamed.
var made = map[string]struct {
	of     string
	config values
	end    string // the request, with the ID, that archives or deactivates it
	adopt  string // the attribute that reactivates it
	// before is the configuration with another name, and nil if the object can't be renamed.
	before values
}{
	// The account is in the channel, so that it has settings of its own there.
	"channel": {
		"zulip_channel", values{"name": newsroom, "initial_subscribers": []any{self}}, "DELETE /streams/%v", "adopt_archived",
		values{"name": "editorial", "initial_subscribers": []any{self}},
	},
	"group": {
		"zulip_user_group", values{"name": press}, "POST /user_groups/%v/deactivate", "adopt_deactivated", values{"name": "media"},
	},
	"person": {
		"zulip_user", values{"email": nadia, "full_name": "Nadia Haddad"}, "DELETE /users/%v", "adopt_deactivated",
		values{"email": "n.haddad@example.com", "full_name": "Nadia Haddad"},
	},
	"bot": {
		"zulip_bot", values{"short_name": "alerts", "full_name": "Alerts", "bot_type": "generic"}, "DELETE /bots/%v", "adopt_deactivated",
		values{"short_name": "alarms", "full_name": "Alerts", "bot_type": "generic"},
	},
}

// ways are the ways in which the named object comes to exist. A way prepares the organization and returns the
// configuration.
var ways = map[string]func(t *testing.T, o *acctest.Organization, names string) (*acctest.Run, values){
	"created": func(t *testing.T, o *acctest.Organization, names string) (*acctest.Run, values) {
		return o.NewRun(t, made[names].of), made[names].config
	},
	"taken back": func(t *testing.T, o *acctest.Organization, names string) (*acctest.Run, values) {
		one := made[names]
		before := o.NewRun(t, one.of)
		before.MustApply(one.config)
		method, path, _ := strings.Cut(one.end, " ")
		o.Call(t, method, fmt.Sprintf(path, before.State.Values["id"]), nil)
		config := maps.Clone(one.config)
		config[one.adopt] = true
		return o.NewRun(t, one.of), config
	},
	"renamed": func(t *testing.T, o *acctest.Organization, names string) (*acctest.Run, values) {
		run := o.NewRun(t, made[names].of)
		run.MustApply(made[names].before)
		return run, made[names].config
	},
}

// naming is an attribute that names a channel, a group, a person or a bot.
type naming struct {
	at     string // the resource or data source with the attribute, and its path, joined with dots
	names  string // a key of made
	config values
	// before is the configuration of a resource that exists already and names another object.
	before values
	// data is true for the data source of the name, not the resource.
	data bool
}

// of returns the resource with the attribute.
func (n naming) of() string { of, _, _ := strings.Cut(n.at, "."); return of }

// addressed returns the attributes that name a channel or people.
func addressed(of string, more values) []naming {
	with := func(config values) values {
		for name, value := range more {
			config[name] = value
		}
		return config
	}
	general := with(values{"channel": "general", "topic": "news"})
	return []naming{
		{at: of + ".channel", names: "channel", config: with(values{"channel": newsroom, "topic": "news"}), before: general},
		{at: of + ".recipients", names: "person", config: with(values{"recipients": []any{nadia}}), before: with(values{"recipients": []any{someone}})},
	}
}

// namings are all such attributes except permissions.
func namings(t *testing.T, o *acctest.Organization) []naming {
	t.Helper()
	o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Mentors", "field_type": "6"})
	if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "hallway"}); err != nil {
		t.Fatal(err)
	}
	bot := func(attribute, value string) values {
		config := values{"short_name": "deploys", "full_name": "Deploys", "bot_type": "generic"}
		if attribute != "" {
			config[attribute] = value
		}
		return config
	}
	mentored := func(by string) values {
		return values{"email": "omar@example.com", "full_name": "Omar", "profile_data": values{"Mentors": fmt.Sprintf("[%q]", by)}}
	}
	group := func(attribute string, elements ...any) values {
		return values{"name": "editors", attribute: elements}
	}
	all := []naming{
		{at: "zulip_bot.default_sending_stream", names: "channel", config: bot("default_sending_stream", newsroom), before: bot("default_sending_stream", "general")},
		{at: "zulip_bot.default_events_register_stream", names: "channel", config: bot("default_events_register_stream", newsroom), before: bot("", "")},
		{at: "zulip_bot.owner", names: "person", config: bot("owner", nadia), before: bot("owner", someone)},
		{at: "zulip_bot_api_key.bot", names: "bot", config: values{"bot": "alerts-bot@example.com"}},
		{at: "zulip_channel.initial_subscribers", names: "person", config: values{"name": "desk", "initial_subscribers": []any{self, nadia}}},
		{at: "zulip_channel.name", names: "channel", config: values{"name": newsroom}, data: true},
		{at: "zulip_channel_access.channel", names: "channel", config: values{"channel": newsroom}, data: true},
		{at: "zulip_channel_subscribers.channel", names: "channel", config: values{"channel": newsroom, "users": []any{self}}},
		{at: "zulip_channel_subscribers.users", names: "person", config: values{"channel": "hallway", "users": []any{self, nadia}}, before: values{"channel": "hallway", "users": []any{self}}},
		{at: "zulip_channel_subscription.channel", names: "channel", config: values{"channel": newsroom, "users": []any{someone}}},
		{at: "zulip_channel_subscription.users", names: "person", config: values{"channel": "general", "users": []any{nadia}}, before: values{"channel": "general", "users": []any{someone}}},
		{at: "zulip_channel_subscription_settings.channel", names: "channel", config: values{"channel": newsroom, "color": "#76ce90"}},
		{at: "zulip_channel_topics.channel", names: "channel", config: values{"channel": newsroom}, data: true},
		{at: "zulip_mark_topic_as_read.channel", names: "channel", config: values{"channel": newsroom, "whole_channel": true}},
		{at: "zulip_message_flags_for_narrow.narrow.operand", names: "channel", config: values{
			"flag": "read", "op": "add", "anchor": "newest", "num_before": 10, "num_after": 0, "narrow": []any{values{"operator": "channel", "operand": newsroom}},
		}},
		{at: "zulip_role_members.users", names: "person", config: values{"role": "moderator", "users": []any{"amara.okafor@example.com", nadia}}, before: values{"role": "moderator", "users": []any{"amara.okafor@example.com"}}},
		{at: "zulip_set_user_settings.users", names: "person", config: values{"users": []any{nadia}, "color_scheme": "dark", "skip_if_already_edited": false}},
		{at: "zulip_set_user_settings.groups", names: "group", config: values{"groups": []any{press}, "color_scheme": "dark", "skip_if_already_edited": false}},
		{at: "zulip_user_access.user", names: "person", config: values{"user": nadia}, data: true},
		{at: "zulip_user.email", names: "person", config: values{"email": nadia}, data: true},
		{at: "zulip_user.profile_data", names: "person", config: mentored(nadia), before: mentored(someone)},
		{at: "zulip_user_group.members", names: "person", config: group("members", nadia), before: group("members", someone)},
		{at: "zulip_user_group.subgroups", names: "group", config: group("subgroups", press), before: group("subgroups", "sre")},
		{at: "zulip_user_group.name", names: "group", config: values{"name": press}, data: true},
		{at: "zulip_user_group_membership.group", names: "group", config: values{"group": press, "members": []any{someone}}},
		{at: "zulip_user_group_membership.members", names: "person", config: values{"group": "sre", "members": []any{nadia}}, before: values{"group": "sre", "members": []any{self}}},
		{at: "zulip_user_group_membership.subgroups", names: "group", config: values{"group": "sre", "subgroups": []any{press}}},
		{at: "zulip_user_groups.user", names: "person", config: values{"user": nadia}, data: true},
		{at: "zulip_user_role.user", names: "person", config: values{"user": nadia, "role": "moderator"}},
		{at: "zulip_user_status.user", names: "person", config: values{"user": nadia, "status_text": "New here"}},
		{at: "zulip_user_status.user", names: "person", config: values{"user": nadia}, data: true},
		{at: "zulip_users.emails", names: "person", config: values{"emails": []any{nadia}}, data: true},
	}
	all = append(all, addressed("zulip_draft", values{"content": "Hello"})...)
	all = append(all, addressed("zulip_message", values{"content": "Hello"})...)
	all = append(all, addressed("zulip_scheduled_message", values{"content": "Hello", "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"})...)
	all = append(all, addressed("zulip_send_message", values{"content": "Hello"})...)
	return append(all, addressed("zulip_typing", values{"op": "start"})...)
}

var (
	// namesSomething matches the description of every attribute that names one of these.
	namesSomething = regexp.MustCompile(`(?i)principals|its ID|mail address|the address|these addresses|by ID or name|by name|Digits are the ID|The (channel|group)'s name|find the user by`)
	// isPermission matches the description of every attribute with principals.
	isPermission = regexp.MustCompile("^Principals that can ")
)

// namesNothing are attributes whose descriptions match although they name none of these.
var namesNothing = []string{
	"zulip_bot.short_name", "zulip_default_user_settings.email_address_visibility", "zulip_invitation.email", "zulip_organization.jitsi_server_url",
}
