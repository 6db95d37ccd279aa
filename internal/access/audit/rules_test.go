package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// auditWithRules audits an organization with rules.
func auditWithRules(t *testing.T, o *acctest.Organization, text string) *audit.Audit {
	t.Helper()
	file, err := rules.Parse("rules.zulip.hcl", []byte(text))
	acctest.NoError(t, err)
	return auditWith(t, o, audit.Options{Now: day("2027-01-01T12:00:00Z"), Rules: file})
}

// said are the lines of the result of one rule.
func said(rule *report.Rule) string { return strings.Join(rule.Lines(), " | ") }

// People can change a group and its members by another permission than the one that the rule names: by can_manage_group, by
// can_add_members_group, or by the organization's can_manage_all_groups.
func TestAuditRules_GroupGrants_Fail(t *testing.T) {
	o := office(t)
	group := newGroup(t, o.WithAccount(t, "admin"), "SRE")
	newGroup(t, o.WithAccount(t, "admin"), "Müller")
	o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group), map[string]string{
		"can_manage_group":         fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, id(t, o, "max")),
		"can_remove_members_group": fmt.Sprintf(`{"new":%d}`, o.SystemGroup(t, "role:nobody")),
	})
	const byMax = "Max (max@example.com, through can_manage_group: user:max@example.com)"
	const olga = "Olga (owner@example.com, through organization's can_manage_all_groups: role:owners)"
	for _, one := range []struct{ rule, want string }{
		{`groups = "SRE*"
			permission = "add_members"
			only = "user:ada@example.com"`, `fails | user group "SRE": 2 accounts can add members and subgroups to the group: ` + byMax + ", " + olga + "."},
		{`groups = "Müller*"
			permission = ["manage", "add_members", "remove_members"]
			only = "user:ada@example.com"`, `fails | user group "Müller": 1 account can change the group, its members and its permissions, and deactivate it, add members and subgroups to the group and remove members from the group: ` + olga + "."},
		{`groups = "SRE*"
			permission = "remove_members"
			only = "role:nobody"`, `fails | user group "SRE": 2 accounts can remove members from the group: ` + byMax + ", " + olga + "."},
		{`groups = "SRE*"
			permission = ["join", "leave"]
			never = "user:max@example.com"`, `fails | user group "SRE": 1 account can join the group: ` + byMax + `. | user group "SRE": 1 account can leave the group: Max (max@example.com, through role:everyone and can_manage_group: user:max@example.com).`},
		{`groups = "SRE*"
			permission = "manage"
			only = ["role:owners", "user:max@example.com"]`, "passes"},
		{`groups = "*"
			permission = "mention"
			only = "role:nobody"
			never = "user:max@example.com"
			except {
			  people = "role:everyone"
			  reason = "They can"
			}`, "passes"},
	} {
		audited := auditWithRules(t, o, "rule \"one\" {\n"+one.rule+"\n}")
		if got := said(audited.Rules[0]); got != one.want {
			t.Errorf("%s\nsaid %q\nwant %q", one.rule, got, one.want)
		}
	}
}

// Each rule passes, is unknown, or fails with the people and the reason.
func TestAuditRules_Office_Evaluated(t *testing.T) {
	o := office(t)
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
	guests := newGroup(t, o, "partners", "gus", "mel")
	group := newGroup(t, o, "board", "max")
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", group), map[string]string{"add": fmt.Sprintf("[%d]", guests)})
	newChannel(t, o, "board", map[string]string{
		"invite_only": "true", "history_public_to_subscribers": "true", "can_subscribe_group": fmt.Sprint(group), "subscribers": fmt.Sprintf("[%d]", id(t, o, "max")),
	})
	newChannel(t, o, "lobby", map[string]string{"is_web_public": "true"})
	for _, one := range []struct{ rule, want string }{
		{`channels = ["board"]
			permission = "read"
			never = ["role:owners"]`, "passes"},
		{`channels = ["board"]
			permission = "read"
			never = ["user:mel@example.com"]`, "fails | #board: 1 account can read: Mel (mel@example.com, through can_subscribe_group: group:board > group:partners)."},
		{`channels = ["board"]
			permission = "read"
			never = ["user:gus@example.com"]`, "passes"}, // no guest joins by himself
		{`channels = ["board"]
			permission = ["read", "read_history", "join"]
			only = ["group:board", "role:owners"]`, "passes"},
		{`channels = ["board"]
			permission = "subscribed"
			only = ["user:mel@example.com"]`, "fails | #board: 1 account is subscribed: Max (max@example.com)."},
		{`channels = ["privacy:private"]
			permission = "subscribed"
			at_least = 2`, "fails | #board: 1 person is subscribed, and at least 2 must be: Max (max@example.com)."},
		{`channels = ["bord"]
			permission = "read"
			only = ["role:owners"]`, `unknown | Unknown: There is no channel "bord"; did you mean "board"?`},
		{`channels = ["incident-*"]
			permission = "read"
			only = ["role:owners"]`, `passes | Nothing matches "incident-*".`},
		{`channels = ["folder:Board"]
			permission = "read"
			only = ["role:owners"]`, `unknown | Unknown: There is no folder "Board"`},
		{`channels = ["lob*"]
			permission = "read"
			only = ["role:everyone"]`, "fails | #lobby: anyone on the internet can read."},
		{`channels = ["*"]
			permission = "read"
			never = ["internet"]`, "fails | #lobby: anyone on the internet can read."},
		{`channels = ["lobby"]
			permission = "read"
			only = ["role:everyone", "internet"]`, "passes"},
		{`groups = ["board"]
			permission = "member"
			never = ["role:everyone"]
			except {
			  people = ["user:max@example.com"]
			  reason = "He chairs it"
			}`, "fails | user group \"board\": 2 accounts are in it: Gus (gus@example.com, through group:board > group:partners), Mel (mel@example.com, through group:board > group:partners)."},
		{`groups = ["board"]
			permission = "member"
			never = ["role:everyone"]
			except {
			  people = ["group:partners", "user:max@example.com"]
			  reason = "They sit on it"
			  until  = "2027-01-02"
			}`, "passes"},
		{`groups = ["board"]
			permission = "member"
			at_most = 1
			except {
			  people = ["group:partners"]
			  reason = "They sit on it."
			  until  = "2027-01-01"
			}`, "fails | user group \"board\": 3 accounts are in it, and at most 1 may be: Gus (gus@example.com, through group:board > group:partners), Max (max@example.com, through group:board), Mel (mel@example.com, through group:board > group:partners). | The exception on line 5 (They sit on it) ended on 2027-01-01."},
		{`groups = ["board"]
			permission = "member"
			never = "role:guests"`, "fails | user group \"board\": 1 account is in it: Gus (gus@example.com, through group:board > group:partners)."},
		{`groups = ["board"]
			permission = "member"
			never = "role:guests"
			except {
			  people = ["role:guests"]
			  reason = "They sit on it"
			}`, "passes"},
		{`channels = ["board"]
			permission = ["read", "join", "subscribed"]
			never = ["role:guests"]`, "passes"},
		{`groups = ["partners"]
			permission = "member"
			only = ["role:guests"]`, "fails | user group \"partners\": 1 account is in it: Mel (mel@example.com, through group:partners)."},
		{`groups = ["partners"]
			permission = "member"
			only = ["role:guests", "user:mel@example.com"]`, "passes"},
		{`role = "owner"
			at_least = 2`, "fails | the organization: 1 person is owner, and at least 2 must be: Olga (owner@example.com)."},
		{`role = ["owner", "administrator"]
			at_least = 2`, "passes"},
		{`role = ["owner", "administrator"]
			only = ["user:owner@example.com"]`, "fails | the organization: 1 account is owner or administrator: Ada (ada@example.com)."},
		{`role = "guest"
			at_most = 0`, "fails | the organization: 1 account is guest, and at most 0 may be: Gus (gus@example.com)."},
		{`permission = "create_groups"
			never = ["role:everyone"]
			except {
			  people = ["role:members"]
			  reason = "They may"
			}`, "passes"},
		{`permission = "create_groups"
			only = ["role:owners"]
			except {
			  people = ["group:nobody-has-this"]
			  reason = "x"
			}`, `User group "nobody-has-this" is not in the organization.`},
		{`joining = "invited"`, "passes"},
	} {
		text := "rule \"a\" {\n" + one.rule + "\n}\n"
		found := auditWithRules(t, o, text)
		if got := said(found.Rules[0]); !strings.Contains(got, one.want) || got != one.want && (strings.HasPrefix(one.want, "passes") || strings.HasPrefix(one.want, "fails")) {
			t.Errorf("%s\n%s\nwant\n%s", text, got, one.want)
		}
		if conditions := (audit.Conditions{Rules: true}); slices.Contains(found.Fails(conditions), "rules") != !strings.HasPrefix(said(found.Rules[0]), "passes") {
			t.Errorf("%s\nfails %v", text, found.Fails(conditions))
		}
	}
}

// The rule about joining fails if no invitation is required, or if an invitation is for a moderator.
func TestAuditRules_OpenJoining_Failed(t *testing.T) {
	o := office(t)
	const joining = "rule \"no open door\" {\n  joining = \"invited\"\n}\n"
	o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_as": "300", "stream_ids": "[]", "invite_expires_in_minutes": "null"})
	links, err := o.Client.Invitations(t.Context())
	if err != nil || len(links) != 1 {
		t.Fatal(links, err)
	}
	id := links[0].ID
	expectText(t, said(auditWithRules(t, o, joining).Rules[0]), fmt.Sprintf("fails | invitation link %v: anyone who uses it joins as moderator.", id))
	o.Call(t, "DELETE", fmt.Sprintf("/invites/multiuse/%v", id), nil)
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "nadia@example.com", "invite_as": "100", "stream_ids": "[]", "invite_expires_in_minutes": "null"})
	expectText(t, said(auditWithRules(t, o, joining).Rules[0]), "fails | the invitation of nadia@example.com: the invited person joins as owner.")
	o.Call(t, "PATCH", "/realm", map[string]string{"invite_required": "false"})
	expectText(t, said(auditWithRules(t, o, joining).Rules[0]), "the organization: people can join without an invitation (invite_required).")
}

// A rule about objects that the account doesn't see is unknown.
func TestAuditRules_Invisible_Unknown(t *testing.T) {
	o := office(t)
	newChannel(t, o, "board", map[string]string{"invite_only": "true", "history_public_to_subscribers": "true", "subscribers": fmt.Sprintf("[%d]", id(t, o, "max"))})
	newChannel(t, o, "open", nil)
	mel := o.WithAccount(t, "mel")
	for rule, want := range map[string]string{
		`channels = ["*"]
			permission = "read"
			never = ["internet"]`: "unknown | Unknown: mel@example.com is not an administrator and doesn't see private channels that it isn't subscribed to.",
		`channels = ["board"]
			permission = "read"
			never = ["role:owners"]`: `unknown | Unknown: There is no channel "board"`,
		`channels = ["open"]
			permission = "read"
			never = ["internet"]`: "passes",
		`joining = "invited"`: "unknown",
	} {
		found := auditWithRules(t, mel, "rule \"a\" {\n"+rule+"\n}\n")
		if got := said(found.Rules[0]); !strings.HasPrefix(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", rule, got, want)
		}
	}
}

// The audit counts the rules that fail, and lists them before the findings.
func TestAuditRules_Failing_ListedFirst(t *testing.T) {
	found := auditWithRules(t, office(t), `
rule "two owners" {
  role     = "owner"
  at_least = 2
}
rule "an administrator" {
  role     = "administrator"
  at_least = 1
}
`)
	text := markdownOf(t, found)
	expectText(t, text, "1 rule fails", "#### Rules", "`two owners`", "**fails**", "1 person is owner, and at least 2 must be: Olga (`owner@example.com`).", "- 1 rule passes.")
	if strings.Index(text, "#### Rules") > strings.Index(text, "#### Findings") {
		t.Error("the rules come after the findings")
	}
}
