package channels_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// A refusal is a refused configuration, with the attribute and the message of the error.
type refusal struct {
	config    values
	attribute string
	words     []string
}

// expectRefusals plans each configuration with the run, and expects one error and no writes.
func expectRefusals(t *testing.T, o *acctest.Organization, run *acctest.Run, refusals map[string]refusal) {
	t.Helper()
	for name, test := range refusals {
		t.Run(name, func(t *testing.T) {
			sent := o.Sent()
			_, diags := run.Plan(but(values{"name": "new"}, test.config))
			diags.ExpectError(t, test.attribute, test.words...)
			sent.Expect(t)
		})
	}
}

func TestProtocolChannel_InvalidValues_Refused(t *testing.T) {
	o, run := channelManaged(t)
	expectRefusals(t, o, run, map[string]refusal{
		"no name":               {values{"name": ""}, "name", []string{"between 1 and 60"}},
		"a long name":           {values{"name": strings.Repeat("ä", 61)}, "name", []string{"between 1 and 60", "61"}},
		"a control":             {values{"name": "a\ab"}, "name", []string{"must not contain control characters"}},
		"a line break":          {values{"name": "a\nb"}, "name", []string{"must not contain control characters"}},
		"space before":          {values{"name": " a"}, "name", []string{"must not begin or end with white space"}},
		"space after":           {values{"name": "a "}, "name", []string{"must not begin or end with white space"}},
		"a no-break space":      {values{"name": "a\u00a0"}, "name", []string{"must not begin or end with white space"}},
		"a long text":           {values{"description": strings.Repeat("ä", 1025)}, "description", []string{"at most 1024"}},
		"no privacy":            {values{"privacy": "secret"}, "privacy", []string{`"private_shared_history"`, `"secret"`}},
		"a default":             {values{"privacy": "private_shared_history", "is_default": true}, "is_default", []string{"A private channel cannot be a default channel", `privacy = "public"`}},
		"no days":               {values{"message_retention_days": "0"}, "message_retention_days", []string{"Invalid value for message_retention_days", `must be a number of days from 1 to 999999999, "unlimited" or "realm_default"`, `For no limit, write "unlimited".`}},
		"no policy":             {values{"topics_policy": "none"}, "topics_policy", []string{`"inherit"`}},
		"no folder":             {values{"folder_id": -1}, "folder_id", []string{"at least 0"}},
		"no end":                {values{"on_destroy": "delete"}, "on_destroy", []string{`"archive"`, `"keep"`}},
		"a role alone":          {values{"can_send_message_group": who("members")}, "can_send_message_group", []string{"Invalid principal", `"members" has no prefix: write "role:members"`}},
		"an address alone":      {values{"can_send_message_group": who("lena@example.com")}, "can_send_message_group", []string{`write "user:lena@example.com"`}},
		"a group alone":         {values{"can_send_message_group": who("sre")}, "can_send_message_group", []string{`write "group:sre"`}},
		"a number alone":        {values{"can_send_message_group": who("12")}, "can_send_message_group", []string{`write "group_id:12" or "user_id:12"`}},
		"nothing behind":        {values{"can_send_message_group": who("role:")}, "can_send_message_group", []string{"names no one"}},
		"a foreign prefix":      {values{"can_send_message_group": who("team:sre")}, "can_send_message_group", []string{`unknown prefix "team:"`}},
		"a number that is none": {values{"can_send_message_group": who("user_id:x")}, "can_send_message_group", []string{"positive number"}},
	})
	// Emoji of several parts contain format characters, which the server accepts.
	run.MustApply(values{"name": "👩\u200d💻 " + strings.Repeat("ä", 55)})
}

func TestProtocolChannel_UnknownPrincipals_Refused(t *testing.T) {
	o, run := channelManaged(t)
	channelDeactivate(t, o, "member2")
	expectRefusals(t, o, run, map[string]refusal{
		"a group":     {values{"can_send_message_group": who("role:members", "group:srr")}, "can_send_message_group", []string{`User group "srr" is not in the organization`, `Did you mean "group:sre"?`}},
		"a far group": {values{"can_send_message_group": who("group:entirely-different")}, "can_send_message_group", []string{`User group "entirely-different" is not in the organization`, "zulip_user_group.NAME.name"}},
		"a role":      {values{"can_send_message_group": who("role:member")}, "can_send_message_group", []string{`Did you mean "role:members"`, "role:fullmembers"}},
		"a role that is none": {values{"can_send_message_group": who("role:foo")}, "can_send_message_group", []string{
			"The roles that can_send_message_group takes are role:owners, role:administrators, role:moderators, role:fullmembers, role:members, role:everyone and role:nobody."}},
		"a role without guests": {values{"can_administer_channel_group": who("role:foo")}, "can_administer_channel_group", []string{
			"The roles that can_administer_channel_group takes are role:owners, role:administrators, role:moderators, role:fullmembers, role:members and role:nobody."}},
		"an address":        {values{"can_subscribe_group": who("user:lena.fisher@example.com")}, "can_subscribe_group", []string{`"lena.fisher@example.com" is not in the organization`, `Did you mean "user:lena.fischer@example.com"`}},
		"a group_id":        {values{"can_subscribe_group": who("group_id:999")}, "can_subscribe_group", []string{`"group_id:999"`, "no user group with the ID 999"}},
		"a user_id":         {values{"can_subscribe_group": who("user_id:999")}, "can_subscribe_group", []string{`"user_id:999"`, "sees no user or bot"}},
		"a subscriber":      {values{"initial_subscribers": []any{"lena.fisher@example.com"}}, "initial_subscribers", []string{`is not in the organization`, `"lena.fisher@example.com"`, "did you mean lena.fischer@example.com?"}},
		"a subscriber gone": {values{"initial_subscribers": []any{"kenji.sato@example.com"}}, "initial_subscribers", []string{"Cannot subscribe a deactivated user", "kenji.sato@example.com"}},
		"a folder":          {values{"folder_id": 999}, "folder_id", []string{"No such channel folder", "999", "zulip_channel_folders lists all"}},
	})
}

func TestProtocolChannel_PrincipalNotAllowed_Refused(t *testing.T) {
	o, run := channelManaged(t)
	expectRefusals(t, o, run, map[string]refusal{
		"guests who administer": {values{"can_administer_channel_group": who("role:everyone")}, "can_administer_channel_group", []string{"Not allowed for can_administer_channel_group", "guests never have this permission", `"role:members"`}},
		"the internet":          {values{"can_send_message_group": who("role:internet")}, "can_send_message_group", []string{"Not allowed for can_send_message_group", "only users of the organization"}},
		"topics without history": {
			values{"privacy": "private_protected_history", "can_create_topic_group": who("role:members")}, "can_create_topic_group",
			[]string{"can_create_topic_group requires shared history", `can_create_topic_group = ["role:everyone"]`, "private_shared_history"},
		},
	})
	run.MustApply(values{"name": "new", "privacy": "private_protected_history", "can_create_topic_group": who("role:everyone")})
}

func TestProtocolChannelName_Taken_Refused(t *testing.T) {
	o, run := channelManaged(t)
	o.Archive(t, "announcements")
	existing := []string{`A channel with the name "general" already exists`, "ignoring case", "import {", "moved block"}
	archived := []string{`An archived channel has the name "announcements"`, "keep their names", "adopt_archived = true"}
	expectRefusals(t, o, run, map[string]refusal{
		"by a channel":          {values{"name": "General"}, "name", existing},
		"by an archived one":    {values{"name": "Announcements"}, "name", archived},
		"by one not to take":    {values{"name": "general", "adopt_archived": true}, "name", existing},
		"by an archived one, 2": {values{"name": "announcements", "adopt_archived": false}, "name", archived},
	})
	run.MustApply(values{"name": "new"})
	expectRefusals(t, o, run, map[string]refusal{
		"renamed to an archived one": {values{"name": "announcements", "adopt_archived": true}, "name", archived},
	})
	plan, diags := run.Plan(values{"name": "general"}) // another resource of the same run may release it
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "name", existing[0], existing[1], "depends_on", "import that object with the ID")
	run.Apply(plan).ExpectError(t, "name", `Cannot change channel "new"`, `Channel "general"`, "has the name now")
}

func TestProtocolChannelName_Duplicate_Refused(t *testing.T) {
	_, run := channelManaged(t)
	p := run.Process()
	_, diags := p.Plan("zulip_channel", nil, values{"name": "new"})
	diags.ExpectNoError(t)
	_, diags = p.Plan("zulip_channel", nil, values{"name": "New"})
	diags.ExpectError(t, "name", `Duplicate channel name "New"`, "Change or remove one")
}

func TestProtocolChannelName_TakenSincePlan_Refused(t *testing.T) {
	for name, archive := range map[string]bool{"by a channel": false, "by an archived one": true} {
		t.Run(name, func(t *testing.T) {
			o, run := channelManaged(t)
			p := run.Process()
			plan, diags := p.Plan("zulip_channel", nil, values{"name": "new"})
			diags.ExpectNoError(t)
			if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: "New"}); err != nil {
				t.Fatal(err)
			}
			words := []string{`A channel with the name "New" already exists`, "import"}
			if archive {
				o.Archive(t, "New")
				words = []string{`An archived channel has the name "New"`, "adopt_archived = true"}
			}
			state, diags := p.Apply(plan)
			diags.ExpectError(t, "name", words...)
			if state != nil {
				t.Errorf("in the state: %v", state.Values)
			}
			// Another process sees the name before it sends a request.
			run.Apply(plan).ExpectError(t, "name", words...)
		})
	}
}

func TestProtocolChannel_ArchivedAdopted_Warning(t *testing.T) {
	o, run := managedAt(t, featurelevel.ChannelPushNotifications)
	if _, _, err := o.Client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: "old", Subscribers: []int64{o.Self.ID}}); err != nil {
		t.Fatal(err)
	}
	on := true
	o.Change(t, "old", zulip.ChannelUpdate{DefaultPushNotifications: &on})
	o.Archive(t, "old")
	_, diags := run.Process().Plan("zulip_channel", nil, values{"name": "old", "adopt_archived": true})
	diags.ExpectWarning(t, "adopt_archived", "An archived channel will be unarchived", `Channel "old" has the ID`, "has subscribers: 1.")

	// The channel is unarchived with its old values, so configured values that differ are sent.
	sent := o.Sent()
	run.MustApply(values{"name": "old", "adopt_archived": true, "description": "", "topics_policy": "allow_empty_topic", pushes: false})
	expectWrites(t, sent, params{"is_archived": "false"}, params{"topics_policy": "allow_empty_topic", pushes: "false"})
}

// A channel that someone made private cannot become a default channel, also if the configuration does not set the privacy.
func TestProtocolChannel_PrivateByHand_NoDefault(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "hall"})
	o.Call(t, "PATCH", fmt.Sprintf("/streams/%v", run.State.Values["id"]), map[string]string{"is_private": "true"})
	run.ExpectRefused(values{"name": "hall", "is_default": true}, "is_default", "A private channel cannot be a default channel", `privacy = "public"`)
}

// A channel that someone made a default channel becomes private only with is_default = false, which the plan shows.
func TestProtocolChannel_DefaultByHand_NotPrivate(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "hall", "initial_subscribers": texts(owner)})
	o.Call(t, "PATCH", fmt.Sprintf("/streams/%v", run.State.Values["id"]), map[string]string{"is_default_stream": "true"})
	run.ExpectRefused(values{"name": "hall", "initial_subscribers": texts(owner), "privacy": "private_shared_history"}, "privacy", "A private channel cannot be a default channel", "is_default = false")
	run.MustApply(values{"name": "hall", "initial_subscribers": texts(owner), "privacy": "private_shared_history", "is_default": false})
}

// The lifecycle of a channel on servers without some features. These servers create a channel by subscribing the
// account, which is then unsubscribed.
func TestProtocolChannel_OldServers_CreatedAndChanged(t *testing.T) {
	for _, level := range []int{400, featurelevel.Oldest} {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			o, run := managedAt(t, level)
			private, config := run.Fork(), values{"name": "old", "description": "One", "is_default": true, "can_remove_subscribers_group": who("role:moderators")}
			sent := o.Sent()
			run.MustApply(config)
			sent.Expect(t, "POST can_remove_subscribers_group is_default_stream subscriptions", "DELETE principals subscriptions")
			if in := o.Subscribers(t, "old"); len(in) > 0 || run.State.Values["can_create_topic_group"] != nil {
				t.Errorf("subscribed are %v, the state is %v", in, run.State.Values)
			}
			sent = o.Sent()
			private.MustApply(values{"name": "private", "privacy": "private_protected_history"})
			sent.Expect(t, "POST history_public_to_subscribers invite_only is_web_public principals subscriptions")

			text := "By hand"
			o.Change(t, "old", zulip.ChannelUpdate{Description: &text})
			run.MustApply(but(config, values{"description": "Two", "is_default": false}))
			if channel := o.MustChannel(t, "old"); channel.Description != "Two" || channel.IsDefault {
				t.Errorf("the server holds %+v", channel)
			}
			run.Import("old", nil).ExpectNoError(t)
			run.MustApply(but(config, values{"description": "Two", "is_default": nil}))
		})
	}
}

func TestProtocolChannel_PermissionMissing_Refused(t *testing.T) {
	o, _ := channelManaged(t)
	as := func(account string) *acctest.Run { return o.As(t, account).NewRun(t, "zulip_channel") }
	expectRefusals(t, o, as("guest"), map[string]refusal{
		"a guest": {values{}, "", []string{"A guest cannot manage channels", "paul.dubois@example.com is a guest"}},
	})
	expectRefusals(t, o, as("admin"), map[string]refusal{
		"retention by an administrator": {values{"message_retention_days": "30"}, "message_retention_days", []string{"tomas.berg@example.com cannot set message_retention_days", "Only owners", "an administrator"}},
	})
	expectRefusals(t, o, as("member"), map[string]refusal{
		"a default by a member":      {values{"is_default": true}, "is_default", []string{"lena.fischer@example.com cannot set is_default", "Only administrators and owners", "a member"}},
		"retention by a member":      {values{"message_retention_days": "unlimited"}, "message_retention_days", []string{"Only owners"}},
		"what is the default anyway": {values{"name": " ", "message_retention_days": "realm_default", "is_default": false}, "name", nil},
	})
	as("member").ExpectLack(values{"name": "new", "can_delete_any_message_group": who("role:members")}, "can_delete_any_message_group", "cannot set", "can_set_delete_message_policy_group", `"role:moderators"`)
	as("member").ExpectLack(values{"name": "new", "privacy": "web_public"}, "privacy", "cannot create a channel with this privacy", "can_create_web_public_channel_group", `"role:owners"`)

	existing := o.As(t, "owner").NewRun(t, "zulip_channel")
	existing.MustApply(values{"name": "new", "can_administer_channel_group": who("group:sre"), "message_retention_days": "7"})
	for account, words := range map[string][]string{
		"member2":   {`kenji.sato@example.com cannot change channel "new"`, "can_administer_channel_group", `"group:sre"`},
		"moderator": nil, // the account is in the group
		"admin":     nil,
	} {
		run := existing.Fork()
		run.Block = o.As(t, account).Block(nil)
		changed := values{"name": "new", "description": "changed"}
		if words == nil {
			run.MustPlan(changed)
			continue
		}
		run.ExpectLack(changed, "", words...)
		if _, diags := run.Plan(values{"name": "new"}); len(diags.Errors()) > 0 {
			t.Errorf("%s cannot even leave it as it is: %v", account, diags)
		}
	}
}

func TestProtocolChannel_Lockout_Refused(t *testing.T) {
	o, run := channelManaged(t)
	private := values{"privacy": "private_shared_history", "initial_subscribers": []any{"kenji.sato@example.com"}}
	lockouts := map[string]refusal{
		"out of a private channel": {private, "initial_subscribers", []string{"This would remove the provider's own access", "ines.moreau@example.com is not among the initial subscribers", "lockout_protection = false"}},
		"others may add":           {but(private, values{"can_add_subscribers_group": who("group:sre")}), "initial_subscribers", []string{"This would remove the provider's own access"}},
	}
	expectRefusals(t, o, run, lockouts)
	for _, inside := range []values{
		{"initial_subscribers": []any{"ines.moreau@example.com", "kenji.sato@example.com"}},
		{"can_add_subscribers_group": who("role:owners")}, {"can_subscribe_group": who("group:leads")},
	} {
		_, diags := run.Plan(but(but(values{"name": "new"}, private), inside))
		diags.ExpectNoError(t)
	}

	member := o.As(t, "member")
	own := member.NewRun(t, "zulip_channel")
	own.MustApply(values{"name": "own"})
	alone := map[string]refusal{
		"out of its own channel": {values{"name": "own", "can_administer_channel_group": who("role:moderators")}, "can_administer_channel_group", []string{"This would remove the provider's own access", "lena.fischer@example.com is not an administrator", "lockout_protection = false"}},
		"for nobody":             {values{"name": "own", "can_administer_channel_group": who()}, "can_administer_channel_group", []string{"This would remove the provider's own access"}},
	}
	expectRefusals(t, member, own, alone)
	_, diags := own.Plan(values{"name": "own", "can_administer_channel_group": who("role:moderators", "group:sre")})
	diags.ExpectNoError(t)

	// The confirmed change passes.
	run.Block["lockout_protection"], own.Block["lockout_protection"] = false, false
	for name, test := range lockouts {
		run.Fork().MustApply(but(values{"name": name}, test.config))
	}
	own.Apply(own.MustPlan(values{"name": "own", "can_administer_channel_group": who("role:moderators")})).ExpectNoError(t)
}

func TestProtocolChannel_UnknownValues_Deferred(t *testing.T) {
	o, run := channelManaged(t)
	existing := run.Fork()
	existing.MustApply(values{"name": "existing", "can_send_message_group": who("role:members"), "initial_subscribers": []any{"kenji.sato@example.com"}})
	provided := o.Block(nil)
	configurable := run.Process().Configurable("zulip_channel")
	plan := func(t *testing.T, run *acctest.Run, config values) {
		t.Helper()
		planned, diags := run.Plan(config)
		diags.ExpectNoError(t)
		for name, value := range config {
			if value == acctest.Unknown && planned.Values[name] != acctest.Unknown {
				t.Errorf("%s is not known, but planned as %v", name, planned.Values[name])
			}
		}
	}
	all := values{}
	for _, attribute := range configurable {
		all[attribute] = acctest.Unknown
		unknown := values{attribute: acctest.Unknown}
		t.Run(attribute, func(t *testing.T) {
			plan(t, run.Fork(), but(values{"name": "new", "privacy": "private_protected_history"}, unknown))
			plan(t, existing.Fork(), but(values{"name": "existing"}, unknown))
			if strings.HasSuffix(attribute, "_group") {
				plan(t, run.Fork(), values{"name": "new", attribute: []any{"role:members", acctest.Unknown}})
				plan(t, existing.Fork(), values{"name": "existing", attribute: []any{"role:members", acctest.Unknown}})
			}
		})
	}
	t.Run("everything", func(t *testing.T) {
		plan(t, run.Fork(), all)
		plan(t, existing.Fork(), all)
		plan(t, o.As(t, "member").NewRun(t, "zulip_channel"), all)
	})
	t.Run("a subscriber", func(t *testing.T) {
		plan(t, run.Fork(), values{"name": "new", "privacy": "private_shared_history", "initial_subscribers": []any{acctest.Unknown}})
	})
	for _, attribute := range slices.Sorted(maps.Keys(provided)) {
		t.Run("the provider's "+attribute, func(t *testing.T) {
			blind := run.Fork()
			blind.Block = but(provided, values{attribute: acctest.Unknown})
			sent := o.Sent()
			plan(t, blind, all)
			plan(t, blind, values{"name": "general", "can_send_message_group": who("group:nowhere")})
			if got := sent.Requests(); len(got) > 0 {
				t.Errorf("sent without knowing where to: %v", got)
			}
			blind.State = existing.State
			blind.Refresh().ExpectError(t, "", "The provider is not configured", "not known yet")
		})
	}
}

func TestProtocolChannel_KnownAtApply_Checked(t *testing.T) {
	_, run := channelManaged(t)
	unknown := values{"name": acctest.Unknown, "can_send_message_group": []any{acctest.Unknown}, "description": acctest.Unknown}
	for name, test := range map[string]refusal{
		"a name":  {values{"name": "General", "can_send_message_group": who("role:members"), "description": ""}, "name", []string{"already exists"}},
		"a group": {values{"name": "new", "can_send_message_group": who("group:srr"), "description": ""}, "can_send_message_group", []string{`Did you mean "group:sre"?`}},
	} {
		t.Run(name, func(t *testing.T) {
			run := run.Fork()
			plan := run.MustPlan(unknown)
			plan.Config = test.config
			run.Apply(plan).ExpectError(t, test.attribute, test.words...)
		})
	}
	plan := run.MustPlan(unknown)
	plan.Config = values{"name": "new", "can_send_message_group": who("group:sre"), "description": "known"}
	run.Apply(plan).ExpectNoError(t)
	if plan := run.MustPlan(plan.Config); !plan.Empty() {
		t.Errorf("still to do: %v", plan.Changes())
	}
}
