package channels_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// permitInOrganization gives a permission of the organization to one role.
func permitInOrganization(t *testing.T, o *acctest.Organization, setting, role string) {
	t.Helper()
	o.Call(t, http.MethodPatch, "/realm", map[string]string{setting: fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:"+role))})
}

// shut creates a private channel with one subscriber, which the test's account administers without access to its
// messages.
func shut(t *testing.T, o *acctest.Organization, name string) {
	t.Helper()
	private(t, o, name, nil, "kenji.sato@example.com")
}

func TestProtocolChannel_PrivacyWithoutPermission_Refused(t *testing.T) {
	o, _ := channelManaged(t)
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"enable_spectator_access": "true"})
	for permission, change := range map[string]struct{ from, to string }{
		"can_create_private_channel_group":    {"public", "private_shared_history"},
		"can_create_public_channel_group":     {"private_protected_history", "public"},
		"can_create_web_public_channel_group": {"public", "web_public"},
	} {
		t.Run(permission, func(t *testing.T) {
			member := o.WithAccount(t, "member")
			run := member.NewRun(t, "zulip_channel")
			config := values{"name": permission, "privacy": change.from, "initial_subscribers": who("lena.fischer@example.com")}
			run.MustApply(config)
			permitInOrganization(t, o, permission, "administrators")
			sent := member.Sent()
			run.ExpectLack(but(config, values{"privacy": change.to}), "privacy",
				fmt.Sprintf("lena.fischer@example.com cannot set privacy = %q", change.to), permission+` lets only "role:administrators" do this`)
			run.ExpectUnchanged(config)
			sent.Expect(t)
			if permission != "can_create_web_public_channel_group" {
				permitInOrganization(t, o, permission, "members")
				run.MustApply(but(config, values{"privacy": change.to}))
			}
		})
	}
}

// A private channel that becomes web-public, or a new web-public one, also requires the permission to create public
// channels. A change of a private channel's history, and of web-public to public, require no such permission.
func TestProtocolChannel_PrivacyPermissions_MatchServer(t *testing.T) {
	o, owned := channelManaged(t)
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"enable_spectator_access": "true"})
	owned.MustApply(values{"name": "web", "privacy": "web_public", "can_administer_channel_group": who("user:lena.fischer@example.com")})
	member := o.WithAccount(t, "member")
	web := member.NewRun(t, "zulip_channel")
	web.State = owned.State
	private := member.NewRun(t, "zulip_channel")
	private.MustApply(values{"name": "private", "privacy": "private_shared_history"})
	for _, permission := range []string{"can_create_private_channel_group", "can_create_public_channel_group"} {
		permitInOrganization(t, o, permission, "administrators")
	}
	private.MustApply(values{"name": "private", "privacy": "private_protected_history"})
	web.MustApply(values{"name": "web", "privacy": "public", "can_administer_channel_group": who("user:lena.fischer@example.com")})

	permitInOrganization(t, o, "can_create_web_public_channel_group", "owners")
	private.ExpectLack(values{"name": "private", "privacy": "web_public"}, "privacy", "can_create_public_channel_group")
	permitInOrganization(t, o, "can_create_public_channel_group", "nobody")
	o.NewRun(t, "zulip_channel").ExpectLack(values{"name": "new", "privacy": "web_public"}, "privacy", "cannot create a channel with this privacy", "can_create_public_channel_group")
}

// Just before the request, the apply notices that the account has lost access since the plan.
func TestProtocolChannel_AdministrationLostSincePlan_Refused(t *testing.T) {
	o, _ := channelManaged(t)
	member := o.WithAccount(t, "member")
	run := member.NewRun(t, "zulip_channel")
	config := values{"name": "own"}
	run.MustApply(config)
	p := run.Process()
	plan := p.MustPlan("zulip_channel", run.State, but(config, values{"description": "changed"}))
	o.Change(t, "own", permit("can_administer_channel_group", role(t, o, "moderators")))
	sent := member.Sent()
	_, diags := p.Apply(plan)
	diags.ExpectError(t, "", `lena.fischer@example.com cannot change channel "own"`, `"role:moderators"`)
	sent.Expect(t)
}

// Someone makes a channel private in the web app. The plan shows that it will be public again, with the rest of the plan, and
// says what to do. The apply refuses it.
func TestProtocolChannel_PrivateWithoutContentAccess_Refused(t *testing.T) {
	o, run := channelManaged(t)
	shut(t, o, "vault")
	run.MustImport(o.MustChannel(t, "vault").ID)
	vault := values{"name": "vault"}
	words := []string{`ines.moreau@example.com cannot read private channel "vault"`, "Subscribers: kenji.sato@example.com"}
	for attribute, value := range (values{"privacy": "public", "can_subscribe_group": who("role:owners"), "can_add_subscribers_group": who("role:owners")}) {
		plan, diags := run.Plan(but(vault, values{attribute: value}))
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, attribute, append(words, "so the apply will fail")...)
		sent := o.Sent()
		run.Fork().Apply(plan).ExpectError(t, attribute, words...)
		sent.Expect(t)
	}
	run.MustApply(but(vault, values{"privacy": "private_shared_history", "description": "other", "can_resolve_topics_group": who("role:owners")}))

	// A subscriber adds the account, and the plan passes.
	o.WithAccount(t, "member2").Call(t, http.MethodPost, "/users/me/subscriptions", map[string]string{
		"subscriptions": `[{"name": "vault"}]`, "principals": fmt.Sprintf("[%d]", o.Self.ID),
	})
	run.MustApply(but(vault, values{"privacy": "public"}))
}

func TestProtocolChannel_PrivateWithoutAccount_Refused(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "initial_subscribers": who("kenji.sato@example.com")}
	run.MustApply(config)
	private := but(config, values{"privacy": "private_shared_history"})
	sent := o.Sent()
	run.ExpectRefused(private, "privacy", "This would remove the provider's own access", `is not among the subscribers of private channel "ops"`,
		`can_add_subscribers_group = ["user:ines.moreau@example.com"]`, "lockout_protection = false")
	sent.Expect(t)

	// The configuration follows the advice.
	for _, way := range []values{
		{"can_add_subscribers_group": who("user:ines.moreau@example.com")}, {"can_subscribe_group": who("role:owners")},
	} {
		fork := run.Fork()
		_, diags := fork.Plan(but(private, way))
		diags.ExpectNoError(t)
	}
	run.MustApply(but(private, values{"can_add_subscribers_group": who("user:ines.moreau@example.com")}))
	run.ExpectRefused(but(private, values{"can_add_subscribers_group": who("user:kenji.sato@example.com")}), "can_add_subscribers_group", "This would remove the provider's own access",
		`can_add_subscribers_group = ["user:kenji.sato@example.com", "user:ines.moreau@example.com"]`)
	run.MustApply(but(private, values{"can_add_subscribers_group": who("user:kenji.sato@example.com", "user:ines.moreau@example.com")}))
}

// A user that this run creates is not the account, and the plan of a new private channel says so.
func TestProtocolChannel_PrivateForNewUser_Lockout(t *testing.T) {
	o, run := channelManaged(t)
	p := run.Process()
	_, diags := p.Plan("zulip_user", nil, values{"email": "nadia@example.com", "full_name": "Nadia"})
	diags.ExpectNoError(t)
	config := values{"name": "new", "privacy": "private_shared_history", "initial_subscribers": who("nadia@example.com")}
	sent := o.Sent()
	_, diags = p.Plan("zulip_channel", nil, config)
	diags.ExpectError(t, "initial_subscribers", "This would remove the provider's own access", "is not among the initial subscribers", `can_add_subscribers_group = ["user:ines.moreau@example.com"]`)
	sent.Expect(t)
	_, diags = p.Plan("zulip_channel", nil, but(config, values{"name": "other", "can_add_subscribers_group": who("user:ines.moreau@example.com")}))
	diags.ExpectNoError(t)
}

// An adopted archived channel is checked with its own values, not those of a new channel.
func TestProtocolChannel_AdoptedPrivate_ExistingAccessChecked(t *testing.T) {
	o, run := channelManaged(t)
	shut(t, o, "vault")
	o.Archive(t, "vault")
	adopted := values{"name": "vault", "adopt_archived": true, "initial_subscribers": who("kenji.sato@example.com")}
	_, diags := run.Plan(but(adopted, values{"privacy": "public"}))
	diags.ExpectWarning(t, "privacy", `ines.moreau@example.com cannot read private channel "vault"`, "so the apply will fail")
	run.Apply(run.MustPlan(but(adopted, values{"privacy": "private_shared_history"}))).ExpectNoError(t)

	o.Archive(t, "vault")
	member := o.WithAccount(t, "member2").NewRun(t, "zulip_channel")
	member.ExpectLack(values{"name": "vault", "adopt_archived": true}, "", `kenji.sato@example.com cannot change channel "vault"`)
}

func TestProtocolChannel_ArchiveWithoutPermission_Refused(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "ops"})
	member := o.WithAccount(t, "member").NewRun(t, "zulip_channel")
	member.State = run.State
	sent := o.Sent()
	member.ExpectLack(nil, "", `lena.fischer@example.com cannot archive channel "ops"`, "can_administer_channel_group")
	sent.Expect(t, "DELETE")
	run.MustApply(values{"name": "ops", "on_destroy": "keep"})
	member.State = run.State
	member.Apply(member.MustPlan(nil)).ExpectNoError(t)
}

// The error about a lock-out by zulip_channel_subscribers advises naming the account in a permission of the channel. A
// plan that does so passes.
func TestProtocolSubscribers_LockoutAdviceFollowed_Passes(t *testing.T) {
	o, channel := channelManaged(t)
	config := values{"name": "vault", "privacy": "private_shared_history", "initial_subscribers": who(owner, admin)}
	channel.MustApply(config)
	subscribers := o.NewRun(t, exclusiveType)
	inside := values{"channel": fmt.Sprint(channel.State.Values["id"]), "users": who(owner, admin)}
	subscribers.MustApply(inside)
	without := but(inside, values{"users": who(admin)})
	subscribers.ExpectRefused(without, "users", "This would remove the provider's own access", "channel = zulip_channel.NAME.id")

	p := channel.Process()
	opened := p.MustPlan("zulip_channel", channel.State, but(config, values{"can_add_subscribers_group": who("user:" + owner)}))
	left := p.MustPlan(exclusiveType, subscribers.State, without)
	p.MustApply(opened)
	p.MustApply(left)
	expectIn(t, o, "vault", admin)
	if got := o.MustChannel(t, "vault").Permissions["can_add_subscribers_group"]; len(got.DirectMembers) != 1 || got.DirectMembers[0] != o.Self.ID {
		t.Errorf("the channel holds %v", got)
	}
}

// A channel that this run makes private counts as private in the plan of its subscribers.
func TestProtocolSubscribers_ChannelMadePrivate_Lockout(t *testing.T) {
	o, channel := channelManaged(t)
	config := values{"name": "ops", "privacy": "public", "initial_subscribers": who(owner, admin)}
	channel.MustApply(config)
	subscribers := o.NewRun(t, exclusiveType)
	inside := values{"channel": fmt.Sprint(channel.State.Values["id"]), "users": who(owner, admin)}
	subscribers.MustApply(inside)
	p := channel.Process()
	p.MustPlan("zulip_channel", channel.State, but(config, values{"privacy": string(zulip.PrivacyPrivateSharedHistory)}))
	_, diags := p.Plan(exclusiveType, subscribers.State, but(inside, values{"users": who(admin)}))
	diags.ExpectError(t, "users", "This would remove the provider's own access")
}

// The server accepts guests in every permission, but guests never have some of them.
func TestProtocolChannel_GuestWithoutEffect_Warning(t *testing.T) {
	_, run := channelManaged(t)
	for setting, summary := range map[string]string{"can_subscribe_group": "Guests have no effect in this permission", "can_send_message_group": ""} {
		config := values{"name": setting, setting: who("role:administrators", "user:"+guest)}
		detail := setting + ` names guests, who never have this permission: "user:paul.dubois@example.com". Remove them, or give them another role first.`
		if summary == "" {
			detail = ""
		}
		fork := run.Fork()
		_, diags := fork.Plan(config)
		diags.ExpectOnlyWarning(t, summary, detail)
		fork.MustApply(config)
		_, diags = fork.Plan(config) // nothing is written
		diags.ExpectOnlyWarning(t, "", "")
	}
}
