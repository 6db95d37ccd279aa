package examples

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// employees are the people of examples/company, in an otherwise empty organization.
var employees = map[string]sandbox.Account{
	"ines":  {Email: "ines.moreau@example.com", FullName: "Ines Moreau", Role: int(zulip.RoleOwner)},
	"tomas": {Email: "tomas.berg@example.com", FullName: "Tomas Berg", Role: int(zulip.RoleMember)},
	"amara": {Email: "amara.okafor@example.com", FullName: "Amara Okafor", Role: int(zulip.RoleMember)},
	"lena":  {Email: "lena.fischer@example.com", FullName: "Lena Fischer", Role: int(zulip.RoleMember)},
	"kenji": {Email: "kenji.sato@example.com", FullName: "Kenji Sato", Role: int(zulip.RoleMember)},
	"paul":  {Email: "paul.dubois@example.com", FullName: "Paul Dubois", Role: int(zulip.RoleGuest)},
}

func TestExampleCompany(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	w := newCompany(t)

	if printed := w.run(t, "apply", "-auto-approve"); strings.Contains(printed, "Warning: Check block assertion failed") {
		t.Errorf("the bot cannot post:\n%s", printed)
	}
	w.run(t, "plan", "-detailed-exitcode") // 2 if there are changes

	w.run(t, "destroy", "-auto-approve")
	if left := active(o); len(left) > 0 {
		t.Errorf("left in the organization: %q", left)
	}

	// Names that the server never frees are no obstacle.
	w.run(t, "apply", "-auto-approve")
	w.run(t, "plan", "-detailed-exitcode")
}

// The company's own tests need no server. They remove the file of the organization, also after a test that failed.
func TestExampleCompanyTests(t *testing.T) {
	w := newCompany(t)
	w.run(t, "test")
	const onCall, everyone = `"group:${zulip_user_group.on_call[each.key].name}",`, `"role:members",`
	w.replace(t, "alerts.tf", onCall, everyone)
	if printed := w.fail(t, "test"); !strings.Contains(printed, "Lena can post in the alerts of the team that she has left.") {
		t.Errorf("the tests do not find that every member can post:\n%s", printed)
	}
	w.replace(t, "alerts.tf", everyone, onCall)
	w.run(t, "test")
}

// The organization of "make sandbox" has its own channels and groups.
func TestExampleCompany_ExistingObjects_Applied(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	try(t, newCompany(t), false)
}

// A team is removed in one apply, although its groups are in other groups and its channels name them.
func TestExampleCompany_TeamRemoved_Applied(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	w := newCompany(t)
	w.run(t, "apply", "-auto-approve")
	for name, variable := range map[string]string{
		"teams":  `{ platform = "Keeps everything running." }`,
		"people": `{ "ines.moreau@example.com" = { team = "platform", lead = true, role = "owner" }, "lena.fischer@example.com" = { team = "platform", on_call = true } }`,
	} {
		w.env = append(w.env, "TF_VAR_"+name+"="+variable)
	}
	w.run(t, "apply", "-auto-approve")
	w.run(t, "plan", "-detailed-exitcode")
	for _, thing := range active(o) {
		if strings.Contains(thing, "support") || strings.Contains(thing, "product") {
			t.Errorf("still there: %s", thing)
		}
	}
}

// A test fails after a change with which the bot cannot post in one of the channels.
func TestExampleCompany_AlertsBlocked_CheckFails(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	w := newCompany(t)
	w.run(t, "apply", "-auto-approve")

	w.replace(t, "alerts.tf", `    "user:${zulip_bot.alerts.email}",`, `    each.key == "platform" ? "user:lena.fischer@example.com" : "user:${zulip_bot.alerts.email}",`)
	if printed := w.run(t, "apply", "-auto-approve"); !strings.Contains(printed, "cannot post in every channel") {
		t.Errorf("the check says nothing:\n%s", printed)
	}
}

// active returns the names of the created objects in an organization that are neither archived nor deactivated.
func active(o *acctest.Organization) []string {
	var found []string
	add := func(kind, name string, gone bool) {
		if !gone {
			found = append(found, kind+" "+name)
		}
	}
	view := o.Sandbox.Organization()
	for _, c := range view.Channels() {
		add("channel", c.Name, c.Archived)
	}
	for _, g := range view.Groups() {
		add("group", g.Name, g.System || g.Deactivated)
	}
	for _, p := range view.People() {
		add("bot", p.Email, !p.IsBot || !p.Active)
	}
	view.Read(func(o *rules.Organization) {
		for _, f := range o.Folders.All() {
			add("folder", f.Name, f.Archived)
		}
		for _, g := range o.DefaultChannelGroups.All() {
			add("default channel group", g.Name, false)
		}
		for _, l := range o.Linkifiers.All() {
			add("linkifier", l.Pattern, false)
		}
		for _, f := range o.ProfileFields.All() {
			add("field", f.Name, false)
		}
		for _, p := range o.Playgrounds.All() {
			add("playground", p.Name, false)
		}
		for _, d := range o.Domains.All() {
			add("domain", d.Domain, false)
		}
		for _, e := range o.RealmEmoji.All() {
			add("emoji", e.Name, e.Deactivated)
		}
		for _, l := range o.InviteLinks.All() {
			add("invitation", l.Key, l.Revoked)
		}
		for _, s := range o.Statuses.All() {
			add("status", s.Text, s.Text == "" && s.Emoji.Name == "")
		}
		for _, m := range o.Messages.All() {
			add("message", m.Topic, m.Topic != "start here")
		}
	})
	return found
}

// newCompany returns a workspace with the files of the company in it.
func newCompany(t *testing.T) *workspace {
	t.Helper()
	w := newFolder(t)
	w.copyFolder(t, "company", ".")
	return w
}
