package review_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func writers(name, member string) string {
	return "resource \"zulip_user_group\" \"writers\" {\n  name    = \"" + name + "\"\n  members = [\"" + member + "\"]\n}\n"
}

// realPlan is a case of TestAccReviewOfRealPlans.
type realPlan struct {
	name string
	// The test applies before, does byHand in the organization, and plans after.
	before string
	byHand func(*testing.T, *acctest.Organization)
	after  string
	plan   []string // additional arguments of plan
	as     string   // the account that reviews, if it is not the one that plans
	says   string   // the warning of the plan, which agrees with the review
	words  string
}

// TestAccReviewOfRealPlans plans changes of the sandbox's organization with the real CLI. It compares the reviews with
// golden files, which people can read too.
func TestAccReviewOfRealPlans(t *testing.T) {
	for _, test := range []realPlan{
		{
			name:   "permission",
			before: channel("releases", "initial_subscribers = [\"paul.dubois@example.com\"]\ncan_send_message_group = [\"role:moderators\"]"),
			after:  channel("releases", "initial_subscribers = [\"paul.dubois@example.com\"]\ncan_send_message_group = [\"role:members\", \"user:paul.dubois@example.com\"]"),
			words:  "external widening",
		},
		{
			name:   "drift",
			before: channel("releases", `can_send_message_group = ["role:moderators"]`),
			byHand: func(t *testing.T, o *acctest.Organization) {
				o.Change(t, "releases", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
					"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:everyone"))},
				}})
			},
			after: channel("releases", `can_send_message_group = ["role:moderators"]`),
			words: "narrowing",
		},
		{
			name:   "web-public",
			before: channel("releases", `privacy = "public"`),
			byHand: letSpectatorsIn,
			after:  channel("releases", `privacy = "web_public"`),
			words:  "external widening",
		},
		{
			name:   "private",
			before: channel("releases", `privacy = "public"`),
			after:  channel("releases", "privacy = \"private_shared_history\"\ncan_add_subscribers_group = [\"group:leads\"]"),
			words:  "narrowing",
		},
		{
			name:   "archived",
			before: channel("releases", `privacy = "public"`),
			after:  "\n",
			words:  "data-loss narrowing",
		},
		{
			name: "new-channel",
			after: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + writers("writers", "lena.fischer@example.com") + `
resource "zulip_channel_subscription" "releases" {
  channel = zulip_channel.x.id
  users   = ["kenji.sato@example.com"]
}
`,
		},
		{
			name:   "group",
			before: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + writers("writers", "lena.fischer@example.com"),
			after:  channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + writers("authors", "kenji.sato@example.com"),
			words:  "widening narrowing",
		},
		{
			name: "membership", // a guest gains nothing by being added to the group
			after: `
resource "zulip_user_group_membership" "x" {
  group   = "sre"
  members = ["kenji.sato@example.com", "paul.dubois@example.com"]
}
`,
			words: "widening",
		},
		{
			name: "role",
			after: `
resource "zulip_user_role" "x" {
  user = "lena.fischer@example.com"
  role = "administrator"
}
`,
			words: "role-change widening",
		},
		{
			name: "role-members", // someone was made an administrator outside Terraform
			before: `
resource "zulip_role_members" "administrators" {
  role  = "administrator"
  users = ["tomas.berg@example.com", "terraform-bot@zulip.example.com"]
}
resource "zulip_role_members" "owners" {
  role  = "owner"
  users = ["ines.moreau@example.com"]
}
resource "zulip_role_members" "moderators" {
  role  = "moderator"
  users = ["amara.okafor@example.com"]
}
`,
			byHand: func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPatch, fmt.Sprint("/users/", id(t, o, "member")), map[string]string{"role": "200"})
			},
			after: `
resource "zulip_role_members" "administrators" {
  role  = "administrator"
  users = ["tomas.berg@example.com", "terraform-bot@zulip.example.com"]
}
resource "zulip_role_members" "owners" {
  role  = "owner"
  users = ["ines.moreau@example.com", "amara.okafor@example.com"]
}
resource "zulip_role_members" "moderators" {
  role  = "moderator"
  users = ["kenji.sato@example.com"]
}
`,
			says:  `- "lena.fischer@example.com",`,
			words: "role-change widening narrowing",
		},
		{
			name: "people",
			before: `
resource "zulip_user" "leaves" {
  email     = "noor@example.com"
  full_name = "Noor"
}
`,
			after: `
resource "zulip_user" "comes" {
  email     = "jo@example.com"
  full_name = "Jo"
  role      = "guest"
}
`,
			words: "external role-change widening narrowing",
		},
		{
			name: "referenced",
			after: channel("releases", `can_administer_channel_group = ["group_id:${zulip_user_group.writers.id}"]`) + `
resource "zulip_user_group" "writers" {
  name = "writers"
}
`,
		},
		{
			name:   "replaced",
			before: channel("releases", `can_send_message_group = ["role:moderators"]`),
			after:  channel("releases", `can_send_message_group = ["role:moderators"]`),
			plan:   []string{"-replace=zulip_channel.x"},
			words:  "",
		},
		{
			name:   "adopted", // from the archive
			byHand: func(t *testing.T, o *acctest.Organization) { o.Archive(t, "incidents") },
			after:  channel("incidents", "adopt_archived = true\ncan_send_message_group = [\"role:members\"]"),
			words:  "widening",
		},
		{
			name: "reactivated",
			before: `
resource "zulip_user_group" "writers" {
  name = "writers"
}
resource "zulip_user" "noor" {
  email     = "noor@example.com"
  full_name = "Noor"
}
`,
			byHand: func(t *testing.T, o *acctest.Organization) {
				o.Call(t, http.MethodPost, fmt.Sprintf("/user_groups/%d/deactivate", groupID(t, o, "writers")), nil)
				noor, _ := o.Call(t, http.MethodGet, "/users/noor@example.com", nil)["user"].(map[string]any)
				o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%v", noor["user_id"]), nil)
			},
			after: `
resource "zulip_user_group" "writers" {
  name              = "writers"
  members           = ["kenji.sato@example.com"]
  adopt_deactivated = true
}
resource "zulip_user" "noor" {
  email             = "noor@example.com"
  full_name         = "Noor"
  adopt_deactivated = true
}
`,
			words: "role-change unknown widening",
		},
		{
			name:   "bot",
			before: channel("alerts", `can_send_message_group = ["role:everyone"]`),
			after:  channel("alerts", `can_send_message_group = ["group:sre"]`),
			words:  "narrowing",
		},
		{
			name:   "lockout",
			before: "provider \"zulip\" {\n  lockout_protection = false\n}\n" + channel("releases", "privacy = \"private_shared_history\"\ncan_send_message_group = [\"role:moderators\"]"),
			after:  "provider \"zulip\" {\n  lockout_protection = false\n}\n" + channel("releases", "privacy = \"private_shared_history\"\ncan_send_message_group = [\"role:nobody\"]"),
			words:  "lockout narrowing",
		},
		{
			name: "organization",
			after: `
resource "zulip_organization" "x" {
  can_create_public_channel_group = ["role:moderators"]
  can_invite_users_group          = ["role:members"]
}
`,
			words: "narrowing",
		},
		{
			name:   "member", // the reviewer is one, and does not see the private channel
			before: channel("releases", `privacy = "private_shared_history"`),
			after: channel("releases", "privacy = \"private_shared_history\"\ncan_administer_channel_group = [\"role:moderators\"]") + `
resource "zulip_user_group_membership" "x" {
  group   = "sre"
  members = ["kenji.sato@example.com"]
}
`,
			as:    "member",
			words: "unknown",
		},
		{
			name: "instances",
			before: `
resource "zulip_channel" "each" {
  for_each               = toset(["a \"quoted\" one"])
  name                   = each.key
  can_send_message_group = ["role:everyone"]
}
resource "zulip_channel" "counted" {
  count      = 1 # what is made at once has no certain IDs
  name       = "room ${count.index}"
  depends_on = [zulip_channel.each]
}
`,
			after: `
resource "zulip_channel" "every" {
  for_each               = toset(["a \"quoted\" one"])
  name                   = each.key
  can_send_message_group = ["role:members"]
}
moved {
  from = zulip_channel.each
  to   = zulip_channel.every
}
resource "zulip_channel" "counted" {
  count                  = 1
  name                   = "room ${count.index}"
  can_send_message_group = ["role:moderators"]
}
`,
			words: "narrowing",
		},
		{
			name: "imported",
			after: `
import {
  to = zulip_channel.x
  id = "name:announcements"
}
` + channel("announcements", `can_send_message_group = ["role:members"]`),
			words: "widening",
		},
		{
			name: "released",
			before: channel("releases", `privacy = "public"`) + `
resource "zulip_user_group" "writers" {
  name = "writers"
}
resource "zulip_channel_subscription" "releases" {
  channel = zulip_channel.x.id
  users   = ["kenji.sato@example.com"]
}
resource "zulip_user_role" "lena" {
  user = "lena.fischer@example.com"
  role = "member"
}
`,
			after: removed("zulip_channel.x") + removed("zulip_user_group.writers") + removed("zulip_channel_subscription.releases") + removed("zulip_user_role.lena"),
			words: "widening",
		},
		{
			name: "destroyed",
			before: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + writers("writers", "lena.fischer@example.com") + `
resource "zulip_user" "noor" {
  email     = "noor@example.com"
  full_name = "Noor"
}
resource "zulip_user_role" "kenji" {
  user       = "kenji.sato@example.com"
  role       = "moderator"
  on_destroy = "member"
}
`,
			after: "same",
			plan:  []string{"-destroy"},
			words: "role-change data-loss narrowing",
		},
		{
			name:   "owner",
			before: ownedBot("lena.fischer@example.com") + channel("releases", `can_send_message_group = ["user:kenji.sato@example.com"]`),
			after:  ownedBot("kenji.sato@example.com") + channel("releases", `can_send_message_group = ["user:kenji.sato@example.com"]`),
			says:   "Warning: This plan can change who can do what",
			words:  "widening",
		},
		{
			name:   "nothing",
			before: channel("releases", `description = "one"`),
			after:  channel("releases", `description = "two"`),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			workspace := acctest.NewWorkspace(t)
			if test.before != "" {
				workspace.Configure(t, test.before)
				workspace.Must(t, "apply", "-auto-approve")
			}
			if test.byHand != nil {
				test.byHand(t, o)
			}
			if test.after != "same" {
				workspace.Configure(t, test.after)
			}
			if printed := workspace.Must(t, append([]string{"plan", "-out=plan"}, test.plan...)...); !strings.Contains(printed, test.says) {
				t.Errorf("the plan does not say %q:\n%s", test.says, printed)
			}
			plan := workspace.Show(t, "plan")
			if test.as != "" {
				o = o.As(t, test.as)
			}
			sent := o.Sent()
			found := reviewOf(t, o, plan)
			want := 2 // one for the snapshot, and one that ends its event queue
			if slices.ContainsFunc(found.People, func(one *report.Person) bool { return one.Action == report.Deactivate && !one.Account.IsBot }) {
				want++ // for the invitations that the server revokes
			}
			if requests := len(sent.Requests()); requests != want {
				t.Errorf("the review sent %d requests, not %d", requests, want)
			}
			var got []string
			for _, word := range found.Summary.Conditions {
				got = append(got, string(word))
			}
			if strings.Join(got, " ") != test.words {
				t.Errorf("the words are %q, not %q", strings.Join(got, " "), test.words)
			}
			golden(t, test.name+".md", markdownOf(t, found))
			golden(t, test.name+".review.json", indented(t, found))
			if madeBy() == "" || slices.Contains(savedPlans, test.name) {
				keep(t, madeBy()+test.name+".plan.json", host.ReplaceAllString(plan, `"registry.example.com/zulip-iac/zulip`))
			}
		})
	}
}

// TestAccReviewOfInactiveUsers compares the review of a real plan that sets active = false with that of one that destroys
// the resource. Both are equal, word for word. A reactivated account is an account that comes back.
func TestAccReviewOfInactiveUsers(t *testing.T) {
	const noor, bot = `
resource "zulip_user" "noor" {
  email     = "noor@example.com"
  full_name = "Noor"
  role      = "moderator"
  ACTIVE
}
`, `
resource "zulip_channel" "x" {
  name                   = "releases"
  can_send_message_group = ["user:noor@example.com"]
  initial_subscribers    = ["noor@example.com", "lena.fischer@example.com"]
  depends_on             = [zulip_user.noor]
}
resource "zulip_bot" "alerts" {
  short_name = "alerts"
  full_name  = "Alerts"
  owner      = "noor@example.com"
  depends_on = [zulip_user.noor]
}
`
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	with := func(active string) string { return strings.Replace(noor, "ACTIVE", active, 1) }
	review := func(configuration string) *report.Report {
		t.Helper()
		w.Configure(t, configuration)
		w.Must(t, "plan", "-out=plan")
		return reviewOf(t, o, w.Show(t, "plan"))
	}
	w.Configure(t, with("")+bot)
	w.Must(t, "apply", "-auto-approve")
	free := strings.ReplaceAll(bot, "  depends_on             = [zulip_user.noor]\n", "")
	free = strings.ReplaceAll(free, "  depends_on = [zulip_user.noor]\n", "")

	destroyed, inactive := review(free), review(with("active = false")+bot)
	if got, want := indented(t, inactive), indented(t, destroyed); got != want {
		t.Errorf("active = false is\n%s\nand to destroy the resource\n%s", got, want)
	}
	if len(inactive.People) != 2 || !inactive.People[0].LosesEverything || len(inactive.Risks) == 0 {
		t.Errorf("the review says %s", indented(t, inactive))
	}
	w.Configure(t, with("active = false"))
	w.Must(t, "apply", "-auto-approve")
	back := review(with("active = true"))
	if len(back.People) != 1 || back.People[0].Action != report.Reactivate || len(back.Fails([]report.Condition{report.RoleChange})) == 0 {
		t.Errorf("the review says %s", indented(t, back))
	}
	if nothing := review(with("active = false")); len(nothing.People)+len(nothing.Risks) > 0 {
		t.Errorf("the review says %s", indented(t, nothing))
	}
}
