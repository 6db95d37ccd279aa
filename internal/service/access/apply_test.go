package access_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A configuration checks requirements on a channel found by ID and by name.
func TestAccChannelAccess(t *testing.T) {
	o := acctest.Start(t)
	name, self := o.Prefix+"ops", o.Self.Address()
	config := func(principals string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                   = %q
  privacy                = "private_shared_history"
  can_send_message_group = [%s]
}
data "zulip_channel_access" "by_id" {
  channel = zulip_channel.c.id
}
data "zulip_channel_access" "by_name" {
  channel = zulip_channel.c.name
}
output "posts" {
  value = contains(data.zulip_channel_access.by_id.can_send_message_group.users, %q)
}
output "administers" {
  value = contains(data.zulip_channel_access.by_id.can_administer_channel_group.users, %q)
}
`, name, principals, self, self)
	}
	strict := fmt.Sprintf(`
data "zulip_channel_access" "strict" {
  channel = zulip_channel.c.id

  lifecycle {
    postcondition {
      condition     = !contains(self.can_send_message_group.users, %q)
      error_message = "It can post."
    }
  }
}
`, self)
	const byID, byName = "data.zulip_channel_access.by_id", "data.zulip_channel_access.by_name"
	acctest.CLI(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(fmt.Sprintf("%q", "user:"+self)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("posts", knownvalue.Bool(true)),
					statecheck.ExpectKnownOutputValue("administers", knownvalue.Bool(true)),
					statecheck.CompareValuePairs(byID, tfjsonpath.New("can_read"), byName, tfjsonpath.New("can_read"), compare.ValuesSame()),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("can_read").AtMapKey("user_ids"), knownvalue.ListExact([]knownvalue.Check{knownvalue.Int64Exact(o.Self.ID)})),
				},
			},
			{
				Config:      config(`"role:everyone"`) + strict,
				ExpectError: acctest.Message("It can post."),
			},
		},
	})
}

// A configuration reads an account's access to a channel that the same apply creates. A postcondition that requires no
// access fails.
func TestAccUserAccess(t *testing.T) {
	o := acctest.Start(t)
	name, self := o.Prefix+"ops", o.Self.Address()
	config := func(principal, postcondition string) string {
		return fmt.Sprintf(`
resource "zulip_channel" "c" {
  name                   = %[1]q
  can_send_message_group = [%[3]q]
}
data "zulip_user_access" "self" {
  user         = %[2]q
  channel_name = "%[4]s*"
  depends_on   = [zulip_channel.c]
%[5]s
}
output "posts" {
  value = contains(data.zulip_user_access.self.channels[zulip_channel.c.name].permissions, "can_send_message_group")
}
`, name, self, principal, o.Prefix, postcondition)
	}
	const data = "data.zulip_user_access.self"
	inChannel := tfjsonpath.New("channels").AtMapKey(name)
	acctest.CLI(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{
				Config: config("user:"+self, ""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("posts", knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("user_id"), knownvalue.Int64Exact(o.Self.ID)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("email"), knownvalue.StringExact(self)),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("role"), knownvalue.StringExact("owner")),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("groups").AtMapKey("role:owners"), knownvalue.StringExact("role:owners")),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("organization_permissions"), knownvalue.SetPartial([]knownvalue.Check{knownvalue.StringExact("can_manage_all_groups")})),
					statecheck.ExpectKnownValue(data, inChannel.AtMapKey("through").AtMapKey("can_send_message_group"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("user:" + self)})),
					statecheck.ExpectKnownValue(data, inChannel.AtMapKey("unknown_permissions"), knownvalue.SetExact(nil)),
				},
			},
			{
				Config: config("role:everyone", `
  lifecycle {
    postcondition {
      condition     = alltrue([for channel in self.channels : !contains(channel.permissions, "can_send_message_group")])
      error_message = "It can post."
    }
  }`),
				ExpectError: acctest.Message("It can post."),
			},
		},
	})
}

// one is a process in which one apply plans, writes and reads everything.
type one struct {
	*acctest.Process
	t     *testing.T
	state map[string]*acctest.Instance // by name of the resource
}

func newOne(t *testing.T, o *acctest.Organization, before *one) *one {
	t.Helper()
	p := &one{Process: o.NewRun(t, "zulip_channel").Process(), t: t, state: map[string]*acctest.Instance{}}
	if before != nil {
		p.state = before.state
	}
	return p
}

// apply plans and applies a resource; a nil configuration destroys it.
func (p *one) apply(resource, name string, config values) {
	p.t.Helper()
	plan, diags := p.Plan(resource, p.state[name], config)
	diags.ExpectNoError(p.t)
	state, diags := p.Apply(plan)
	diags.ExpectNoError(p.t)
	p.state[name] = state
}

// who returns the people who have a permission in a channel.
func (p *one) who(name permission.ChannelPermission, channel string) []any {
	p.t.Helper()
	answer, diags := p.ReadData("zulip_channel_access", values{"channel": channel})
	diags.ExpectNoError(p.t)
	return answer[string(name)].(values)["users"].([]any)
}

func (p *one) expect(when string, name permission.ChannelPermission, channel, address string, can bool) {
	p.t.Helper()
	if who := p.who(name, channel); slices.Contains(who, any(address)) != can {
		p.t.Errorf("%s: %s in %s have %v; %s can: %t", when, name, channel, who, address, can)
	}
	answer, diags := p.ReadData("zulip_user_access", values{"user": address, "channel_name": channel})
	diags.ExpectNoError(p.t)
	if permissions := permissionsIn(answer, channel); slices.Contains(permissions, any(string(name))) != can {
		p.t.Errorf("%s: %s has %v in %s; can %s: %t", when, address, permissions, channel, name, can)
	}
}

const (
	lena  = "lena.fischer@example.com"
	kenji = "kenji.sato@example.com"
	paul  = "paul.dubois@example.com"
	amara = "amara.okafor@example.com"
)

// An apply that has changed the access reads the changed access.
func TestProtocolAccess_AfterOwnWrites_Current(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	press := func(members ...any) values { return values{"name": "press", "members": members} }
	p := newOne(t, o, nil)
	p.expect("before", permission.CanRead, "general", lena, true) // all access has been computed once
	p.apply("zulip_user_group", "press", press(lena))
	channel := values{"name": "newsroom", "can_send_message_group": []any{"group:press"}}
	p.apply("zulip_channel", "newsroom", channel)
	p.expect("with a new group", permission.CanSendMessage, "newsroom", lena, true)

	p = newOne(t, o, p)
	p.expect("in the next apply", permission.CanSendMessage, "newsroom", lena, true)
	p.apply("zulip_user_group", "press", press(kenji))
	p.expect("with another member", permission.CanSendMessage, "newsroom", kenji, true)
	p.expect("with another member", permission.CanSendMessage, "newsroom", lena, false)
	p.apply("zulip_user_group", "desk", values{"name": "desk"})
	p.apply("zulip_user_group_membership", "more", values{"group": "desk", "members": []any{amara}})
	p.apply("zulip_channel", "newsroom", values{"name": "newsroom", "can_send_message_group": []any{"group:desk"}})
	p.expect("with a membership", permission.CanSendMessage, "newsroom", amara, true)

	p.apply("zulip_channel", "newsroom", values{"name": "newsroom", "can_send_message_group": []any{"role:administrators"}})
	p.expect("with another value", permission.CanSendMessage, "newsroom", kenji, false)
	p.apply("zulip_user_role", "kenji", values{"user": kenji, "role": "administrator"})
	p.expect("with another role", permission.CanSendMessage, "newsroom", kenji, true)

	p = newOne(t, o, p)
	p.expect("in one more apply", permission.CanSendMessage, "newsroom", kenji, true)
	p.apply("zulip_user_role", "kenji", values{"user": kenji, "role": "member"})
	p.expect("with the role before", permission.CanSendMessage, "newsroom", kenji, false)

	p.apply("zulip_channel", "newsroom", values{"name": "newsroom", "can_send_message_group": []any{"role:everyone"}})
	p.apply("zulip_user", "jo", values{"email": "jo@example.com", "full_name": "Jo"})
	p.expect("with a new account", permission.CanSendMessage, "newsroom", "jo@example.com", true)
	p.apply("zulip_bot", "alerts", values{"short_name": "alerts", "full_name": "Alerts"})
	p.expect("with a new bot", permission.CanResolveTopics, "newsroom", fmt.Sprint(p.state["alerts"].Values["email"]), true)
	p.apply("zulip_user", "jo", nil)
	p.expect("without the account", permission.CanSendMessage, "newsroom", "jo@example.com", false)
	p.apply("zulip_user", "jo", values{"email": "jo@example.com", "full_name": "Jo", "adopt_deactivated": true})
	p.expect("with the account back", permission.CanSendMessage, "newsroom", "jo@example.com", true)

	p.expect("without being in it", permission.CanSendMessage, "newsroom", paul, false)
	p.apply("zulip_channel_subscribers", "in", values{"channel": fmt.Sprint(p.state["newsroom"].Values["id"]), "users": []any{paul}})
	p.expect("in the channel", permission.CanSendMessage, "newsroom", paul, true)

	p.expect("by the organization", permission.CanResolveTopics, "newsroom", lena, true)
	p.apply("zulip_organization", "o", values{"can_resolve_topics_group": []any{"role:fullmembers"}})
	p.expect("as a full member", permission.CanResolveTopics, "newsroom", lena, true)

	p = newOne(t, o, p)
	p.expect("in the last apply", permission.CanResolveTopics, "newsroom", lena, true)
	var read acctest.Diagnostics
	p.state["o"], read = p.Read("zulip_organization", p.state["o"]) // which has null for attributes that were unset during its creation
	read.ExpectNoError(t)
	p.apply("zulip_organization", "o", values{"can_resolve_topics_group": []any{"role:fullmembers"}, "waiting_period_threshold": int64(100000)})
	p.expect("as a member who has to wait", permission.CanResolveTopics, "newsroom", lena, false)
}

// A plan during an apply is compared with the organization that the apply has changed.
func TestProtocolAccess_OwnWrites_NotRefused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := newOne(t, o, nil)
	p.apply("zulip_user_group", "press", values{"name": "press", "members": []any{}})
	p.apply("zulip_channel", "newsroom", values{"name": "newsroom", "can_send_message_group": []any{"role:everyone"}})

	p = newOne(t, o, p)
	p.expect("before", permission.CanSendMessage, "newsroom", lena, true)
	closed := values{"name": "newsroom", "can_send_message_group": []any{"group:press"}}
	_, diags := p.Plan("zulip_channel", p.state["newsroom"], closed)
	diags.ExpectError(t, "can_send_message_group", `No one could post in channel "newsroom"`)
	p.apply("zulip_user_group", "press", values{"name": "press", "members": []any{kenji}})
	_, diags = p.Plan("zulip_channel", p.state["newsroom"], closed)
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", acctest.GeneralAccess)
}
