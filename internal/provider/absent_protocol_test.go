package provider_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const newcomer = "zoe.quill@example.net"

// listsWith returns lists of people that all contain one person.
func listsWith(who string) map[string]values {
	const lena, amara = "lena.fischer@example.com", "amara.okafor@example.com"
	return map[string]values{
		"zulip_user_group":            {"name": "writers", "members": []any{lena, who}},
		"zulip_user_group_membership": {"group": "leads", "members": []any{lena, who}},
		"zulip_channel_subscribers":   {"channel": "leads", "users": []any{self, "tomas.berg@example.com", amara, who}},
		"zulip_channel_subscription":  {"channel": "leads", "users": []any{lena, who}},
		"zulip_role_members":          {"role": "moderator", "users": []any{amara, who}},
	}
}

// A list can contain someone who has not joined yet. A warning names the email, and the plan after they have joined
// adds them.
func TestProtocolLists_NotJoined_AddedLater(t *testing.T) {
	for resource, config := range listsWith(newcomer) {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			plan, diags := run.Plan(config)
			diags.Errors().ExpectNoError(t)
			if !strings.Contains(diags.Warnings().String(), `"zoe.quill@example.net" is not in the organization`) {
				t.Fatalf("the plan says %v", diags)
			}
			run.Apply(plan).ExpectNoError(t)
			run.Refresh().ExpectNoError(t)
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("a second plan has %v", again.Changes())
			}
			o.Call(t, "POST", "/users", map[string]string{"email": newcomer, "full_name": "Zoe Quill", "password": "correct horse battery staple"})
			run.Refresh().ExpectNoError(t)
			if again := run.MustPlan(config); again.Empty() {
				t.Error("nobody takes up who has joined")
			} else {
				run.Apply(again).ExpectNoError(t)
			}
			if again := run.MustPlan(config); !again.Empty() {
				t.Errorf("the last plan has %v", again.Changes())
			}
		})
	}
}

// An unknown email may be the new one of someone in the list, also if it is similar to that of someone else, so no one is
// removed because of it.
func TestProtocolLists_UnknownEmail_NoRemovals(t *testing.T) {
	for resource, config := range listsWith("kenji.sato@example.com") {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(config)
			for _, unknown := range []string{newcomer, "paul.dubios@example.com"} {
				_, diags := run.Plan(listsWith(unknown)[resource])
				if found := diags.Errors().String(); !strings.Contains(found, strconv.Quote(unknown)+" is not in the organization") || !strings.Contains(found, "kenji.sato@example.com") {
					t.Errorf("the plan says %v", diags)
				}
			}
		})
	}
}

// An email with a pending invitation is not the new one of someone in the list, so the same plan may remove others.
func TestProtocolLists_InvitedEmail_RemovalsAllowed(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, "zulip_user_group")
	run.MustApply(values{"name": "writers", "members": []any{someone, "kenji.sato@example.com"}})
	config := values{"name": "writers", "members": []any{someone, newcomer}}
	_, diags := run.Plan(config)
	diags.ExpectError(t, "members", "would also remove", "kenji.sato@example.com")
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": newcomer, "stream_ids": "[]"})
	p := run.Process()
	change, diags := p.Plan("zulip_user_group", run.State, config) // like Terraform in an apply
	diags.Errors().ExpectNoError(t)
	diags.ExpectWarning(t, "members", "An invited user is listed who has not joined", "An invitation to "+newcomer+" is pending or planned.")
	run.ApplyIn(p, change).ExpectNoError(t)
	if members := fmt.Sprint(run.State.Values["members"]); strings.Contains(members, "kenji") {
		t.Error(members)
	}
}

// An invited email is no misspelling, however similar to another one it is. A plan that invites it knows that too, if
// the list references the invitation. Without a reference, the error says how.
func TestProtocolLists_InvitedEmailSimilar_NoError(t *testing.T) {
	const similar = "kenjo.sato@example.com"
	for resource, config := range listsWith(similar) {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			_, diags := run.Plan(config)
			if found := diags.Errors().String(); !strings.Contains(found, "did you mean kenji.sato@example.com?") ||
				!strings.Contains(found, "or zulip_invitation.NAME.email so that Terraform does that first") {
				t.Errorf("the plan says %v", diags)
			}
			p := run.Process()
			p.MustPlan("zulip_invitation", nil, values{"email": similar})
			p.MustPlan(resource, nil, config)
			o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": similar, "stream_ids": "[]"})
			run.MustApply(config)
		})
	}
}

// Every plan names listed people who are deactivated, as in permissions.
func TestProtocolLists_Deactivated_Named(t *testing.T) {
	const kenji = "kenji.sato@example.com"
	for resource, config := range listsWith(kenji) {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(config)
			credentials, _ := o.Sandbox.Credentials("member2")
			o.Call(t, "DELETE", fmt.Sprintf("/users/%d", credentials.ID), nil)
			run.Refresh().ExpectNoError(t)
			plan, diags := run.Plan(config)
			if !plan.Empty() {
				t.Errorf("the plan has %v", plan.Changes())
			}
			if text := diags.String(); !strings.Contains(text, "Deactivated users and groups are ignored") || !strings.Contains(text, kenji) {
				t.Errorf("the plan says %s", text)
			}
		})
	}
}

// The guide lists exactly the resources that not every account can create in the sandbox.
func TestProtocolAccounts_EveryResource_MatchGuide(t *testing.T) {
	const level = featurelevel.NewestRelease
	cells := map[string][]string{}
	for _, who := range []struct {
		account string
		role    zulip.Role
	}{{"admin", zulip.RoleOwner}, {"admin", zulip.RoleAdministrator}, {"bot", zulip.RoleOwner}, {"bot", zulip.RoleAdministrator}} {
		o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: level})
		all := lives(t, o)
		self := o.WithAccount(t, who.account).Self
		if self.Role != who.role {
			o.Call(t, "PATCH", fmt.Sprintf("/users/%d", self.ID), map[string]string{"role": fmt.Sprint(int(who.role))})
		}
		// Requirements on one channel or group, other than the account's role, are met.
		for _, channel := range []string{"general", "leads"} {
			o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": fmt.Sprintf(`[{"name": %q}]`, channel), "principals": fmt.Sprintf("[%d]", self.ID)})
		}
		groups, err := o.Client.UserGroups(t.Context())
		requireNoError(t, err)
		for _, group := range groups {
			if group.Name == "leads" {
				o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group.ID), map[string]string{
					"can_manage_group": fmt.Sprintf(`{"new": %d}`, o.SystemGroup(t, "role:administrators"))})
			}
		}
		account := o.WithAccount(t, who.account)
		for _, l := range all {
			cells[l.of] = append(cells[l.of], l.managed(t, account, level))
		}
	}
	var table strings.Builder
	for _, resource := range sortedKeys(cells) {
		if row := strings.Join(cells[resource], " | "); row != "yes | yes | yes | yes" {
			fmt.Fprintf(&table, "| `%s` | %s |\n", resource, row)
		}
	}
	guide, err := os.ReadFile("../../templates/guides/accounts.md.tmpl")
	requireNoError(t, err)
	if !strings.Contains(string(guide), "|---|---|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("templates/guides/accounts.md.tmpl does not have exactly these rows:\n%s", table.String())
	}
}

// managed returns whether an account can create the resource, and the attributes that it can't set.
func (l life) managed(t *testing.T, o *acctest.Organization, level int) string {
	t.Helper()
	config, without := maps.Clone(l.at(level, l.create)), []string{}
	if l.of == "zulip_channel_subscribers" { // otherwise it would leave the private channel
		users, _ := config["users"].([]any)
		config["users"] = slices.Compact(append(slices.Clone(users), o.Self.Address()))
	}
	if l.of == "zulip_role_members" && o.Self.Role == zulip.RoleOwner { // otherwise it would lose the higher role
		users, _ := config["users"].([]any)
		config["users"] = slices.DeleteFunc(slices.Clone(users), func(user any) bool { return user == o.Self.Address() })
	}
	for {
		run := o.NewRun(t, l.of)
		plan, diags := run.Plan(config)
		if len(diags.Errors()) == 0 {
			diags = run.Apply(plan)
		}
		problems := diags.Errors()
		if len(problems) == 0 {
			break
		}
		if strings.Contains(problems[0].Detail, "can_create_users") {
			return "existing users"
		}
		at := problems[0].Attribute
		if _, isSet := config[at]; !isSet {
			return "no"
		}
		delete(config, at)
		without = append(without, "`"+at+"`")
	}
	if slices.Sort(without); len(without) > 0 {
		return "not " + strings.Join(without, ", ")
	}
	return "yes"
}

// The plan warns about an invisible character in every name that people read.
func TestProtocolInvisibleCharactersInNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for _, test := range []struct {
		resource, attribute string
		config              acctest.Values
	}{
		{"zulip_channel", "name", acctest.Values{}},
		{"zulip_channel_folder", "name", acctest.Values{}},
		{"zulip_user_group", "name", acctest.Values{}},
		{"zulip_default_channel_group", "name", acctest.Values{"channel_ids": []any{o.MustChannel(t, "general").ID}}},
		{"zulip_user", "full_name", acctest.Values{"email": "x@example.com"}},
		{"zulip_bot", "full_name", acctest.Values{"short_name": "x"}},
		{"zulip_custom_profile_field", "name", acctest.Values{"field_type": "short_text"}},
	} {
		for name, words := range map[string]string{
			"ops\u202egnp": `is "ops<U+202E>gnp": character 4 is U+202E (right-to-left override)`,
			"x\u200by":     `is "x<U+200B>y": character 2 is U+200B (zero width space)`,
		} {
			test.config[test.attribute] = name
			diags := o.NewRun(t, test.resource).Process().Validate(test.resource, test.config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, test.attribute, "Invisible characters in "+test.attribute, words)
		}
	}
	plan, diags := o.NewRun(t, "zulip_channel").Plan(acctest.Values{"name": "gen\u200beral"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "name", "character 4 is U+200B (zero width space)")
	if plan.Empty() {
		t.Error("nothing is planned")
	}
}

// TestProtocolUnknown_PossiblyNull_CheckDeferred plans with unknown values that would be wrong unless they turn out to
// be null. The check is postponed until the value is known.
func TestProtocolUnknown_PossiblyNull_CheckDeferred(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Oldest})
	for name, test := range map[string]struct {
		kind   string
		config acctest.Values
		wrong  acctest.Values // a value that is refused once it is known
	}{
		"message to a channel": {"zulip_message", acctest.Values{"channel": "general", "topic": "x", "content": "x"}, acctest.Values{"recipients": []any{"lena.fischer@example.com"}}},
		"message to people":    {"zulip_message", acctest.Values{"recipients": []any{"lena.fischer@example.com"}, "content": "x"}, acctest.Values{"channel": "general", "topic": "x"}},
		"draft":                {"zulip_draft", acctest.Values{"recipients": []any{"lena.fischer@example.com"}, "content": "x"}, acctest.Values{"topic": "x"}},
		"status":               {"zulip_user_status", acctest.Values{"status_text": "x"}, acctest.Values{"emoji_code": "1f334", "reaction_type": "unicode_emoji"}},
		"bot":                  {"zulip_bot", acctest.Values{"short_name": "x", "full_name": "X"}, acctest.Values{"payload_url": "https://example.com/", "interface": "slack"}},
		"profile field":        {"zulip_custom_profile_field", acctest.Values{"field_type": "short_text", "name": "X"}, acctest.Values{"subtype": "github", "url_pattern": "x"}},
		"profile field, level": {"zulip_custom_profile_field", acctest.Values{"field_type": "short_text", "name": "X"}, acctest.Values{"use_for_user_matching": true}},
		"known service":        {"zulip_custom_profile_field", acctest.Values{"field_type": "external_account", "subtype": "github"}, acctest.Values{"name": "X", "hint": "x"}},
		"linkifier":            {"zulip_linkifier", acctest.Values{"pattern": "x", "url_template": "https://example.com"}, acctest.Values{"example_input": "x"}},
		"user":                 {"zulip_user", acctest.Values{"email": "nadia.haddad@example.com", "full_name": "Nadia"}, acctest.Values{"deactivation_actions": acctest.Values{"delete_profile": true}}},
	} {
		t.Run(name, func(t *testing.T) {
			unknown, wrong := acctest.Values{}, acctest.Values{}
			for attribute, value := range test.config {
				unknown[attribute], wrong[attribute] = value, value
			}
			for attribute, value := range test.wrong {
				unknown[attribute], wrong[attribute] = acctest.Unknown, value
			}
			_, diags := o.NewRun(t, test.kind).Plan(wrong)
			if len(diags.Errors()) == 0 {
				t.Errorf("%v is not refused", wrong)
			}
			_, diags = o.NewRun(t, test.kind).Plan(unknown)
			for _, problem := range diags.Errors() {
				if _, put := test.wrong[problem.Attribute]; put {
					t.Errorf("%v: %s", unknown, problem)
				}
			}
		})
	}
}
