package provider_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// hiding are resources that name a member, and the same with another change: an attribute that accepts further people
// gets one more.
var hiding = map[string]struct {
	config, changed values
	at, id          string // the attribute, and the text for a user ID in it
}{
	"zulip_channel_subscribers":   {values{"channel": "hall", "users": []any{someone}}, values{"users": []any{someone, self}}, "users", "%d"},
	"zulip_channel_subscription":  {values{"channel": "cellar", "users": []any{someone}}, values{"users": []any{someone, self}}, "users", "%d"},
	"zulip_user_group":            {values{"name": "writers", "members": []any{someone}}, values{"members": []any{self, someone}}, "members", "%d"},
	"zulip_user_group_membership": {values{"group": "sre", "members": []any{someone}}, values{"members": []any{self, someone}}, "members", "%d"},
	"zulip_bot":                   {values{"short_name": "spy", "full_name": "Spy", "owner": someone}, values{"full_name": "Spies"}, "owner", "%d"},
	"zulip_user_role":             {values{"user": someone, "role": "member"}, values{"role": "guest"}, "user", "%d"},
	"zulip_user_status":           {values{"user": someone, "status_text": "away"}, values{"status_text": "back"}, "user", "%d"},
	"zulip_role_members":          {values{"role": "moderator", "users": []any{"amara.okafor@example.com", someone}}, values{"users": []any{"amara.okafor@example.com", someone, "kenji.sato@example.com"}}, "users", "%d"},
	"zulip_channel":               {values{"name": "lobby", "can_send_message_group": []any{"user:" + someone}}, values{"can_send_message_group": []any{"user:" + someone, "role:moderators"}}, "can_send_message_group", "user_id:%d"},
	"zulip_organization":          {values{"can_create_groups": []any{"user:" + someone}}, values{"can_create_groups": []any{"user:" + someone, "role:moderators"}}, "can_create_groups", "user_id:%d"},
}

// eachHiding runs a test for each of these resources, in an organization with their channels.
func eachHiding(t *testing.T, test func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, hide func(visibility string))) {
	t.Helper()
	for _, kind := range acctest.Sample(sortedKeys(hiding)) {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			for _, name := range []string{"hall", "cellar"} {
				o.Call(t, "POST", "/channels/create", map[string]string{"name": name, "subscribers": "[]"})
			}
			test(t, o, o.NewRun(t, kind), kind, func(visibility string) {
				o.WithAccount(t, "member").Call(t, "PATCH", "/settings", map[string]string{"email_address_visibility": visibility})
			})
		})
	}
}

// A state knows whom an email names. A user who hides their email later stops no plan and changes none. Another change
// of the resource is planned and applied, and the user stays.
func TestProtocolHiddenEmail_InOwnState_Found(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, hide func(string)) {
		config := hiding[kind].config
		run.MustApply(config)
		hide("4")
		sent := o.Sent()
		if !run.MustPlan(config).Empty() {
			t.Error("the plan has changes")
		}
		run.MustApply(config)
		sent.Expect(t)
		changed := maps.Clone(config)
		maps.Copy(changed, hiding[kind].changed)
		run.MustApply(changed)
		if !run.MustPlan(changed).Empty() {
			t.Errorf("after the apply the plan has changes: %v", run.State.Values)
		}
		hide("1")
		if !run.MustPlan(changed).Empty() {
			t.Errorf("once the email is shown again, the plan has changes: %v", run.State.Values)
		}
	})
}

// The zulip_user of someone who hides their email does not change what other resources say. If another user gets the email, they say
// that it changes, as they do if it is shown.
func TestProtocolHiddenEmail_OwnUserPlanned_Found(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, hide func(string)) {
		user, other := o.NewRun(t, "zulip_user"), o.NewRun(t, "zulip_user")
		user.Import(someone, nil).ExpectNoError(t)
		other.Import("tomas.berg@example.com", nil).ExpectNoError(t)
		run.MustApply(hiding[kind].config)
		for _, visibility := range []string{"1", "4"} {
			hide(visibility)
			user.Refresh().ExpectNoError(t)
			run.Refresh().ExpectNoError(t)
			p := run.Process()
			p.MustPlan("zulip_user", user.State, values{"email": someone, "full_name": "Lena Fischer"})
			same, diags := p.Plan(kind, run.State, hiding[kind].config)
			if len(diags) > 0 || !same.Empty() {
				t.Errorf("visibility %s: the plan says %v, and changes %v", visibility, diags, same.Changes())
			}
		}
		p := run.Process()
		p.MustPlan("zulip_user", user.State, nil)
		p.MustPlan("zulip_user", other.State, values{"email": someone, "full_name": "Tomas Berg"})
		_, diags := p.Plan(kind, run.State, hiding[kind].config)
		diags.ExpectError(t, hiding[kind].at, "changes in this plan", fmt.Sprint(user.State.Values["id"]))
		generated := mapTexts(hiding[kind].config, func(one string) string {
			return strings.Replace(one, someone, fmt.Sprintf("user%v@zulip.example.com", user.State.Values["id"]), 1)
		}).(values)
		run.MustApply(generated)
		p = run.Process()
		p.MustPlan("zulip_user", user.State, values{"email": someone, "full_name": "Lena Fischer"})
		if same, diags := p.Plan(kind, run.State, generated); len(diags) > 0 || !same.Empty() {
			t.Errorf("by the email for the API: the plan says %v, and changes %v", diags, same.Changes())
		}
	})
}

// No one else's state finds a user who hides their email: an apply would not have it. The plan says what to write.
func TestProtocolHiddenEmail_Named_RefusedWithID(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, hide func(string)) {
		user := o.NewRun(t, "zulip_user")
		user.Import(someone, nil).ExpectNoError(t)
		hide("4")
		user.Refresh().ExpectNoError(t)
		p := run.Process()
		_, diags := p.Plan("zulip_user", user.State, values{"email": someone, "full_name": "Lena Fischer"})
		diags.ExpectNoError(t)
		_, diags = p.Plan(kind, nil, hiding[kind].config)
		id := fmt.Sprintf(hiding[kind].id, user.State.Values["id"])
		diags.ExpectError(t, hiding[kind].at, someone+" is a hidden email", fmt.Sprintf("ser %v hides it", user.State.Values["id"]), fmt.Sprintf("write %q", id), "zulip_user.NAME.id")

		named := regexp.MustCompile(`(user:)?` + regexp.QuoteMeta(someone))
		config := mapTexts(hiding[kind].config, func(text string) string { return named.ReplaceAllString(text, id) }).(values)
		run.MustApply(config)
		if !run.MustPlan(config).Empty() {
			t.Error("after the apply with the ID the plan has changes")
		}
	})
}

// -replace plans a resource with its state, which finds the user, and without. The second plan says the same as for a new
// resource, and takes nothing for another resource.
func TestProtocolHiddenEmail_Replaced_RefusedWithID(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, hide func(string)) {
		user := o.NewRun(t, "zulip_user")
		user.Import(someone, nil).ExpectNoError(t)
		run.MustApply(hiding[kind].config)
		hide("4")
		user.Refresh().ExpectNoError(t)
		p := run.Process()
		p.MustPlan("zulip_user", user.State, values{"email": someone, "full_name": "Lena Fischer"})
		_, diags := p.Plan(kind, p.MustPlan(kind, run.State, hiding[kind].config).Replaced(), hiding[kind].config)
		if failed := diags.Errors(); len(failed) != 1 || !strings.Contains(failed[0].Summary, "hidden email") {
			t.Errorf("not one error: %v", diags)
		}
	})
}

// The server's list of people may lack a new user (server-behavior §U18). Every resource that names the user still works.
func TestProtocolUser_MissingFromList_Found(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, _ func(string)) {
		o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
		o.Call(t, "POST", "/users", map[string]string{"email": nadia, "full_name": "Nadia Haddad", "password": "a long enough password"})
		with := func(config values) values {
			return mapTexts(config, func(text string) string { return strings.Replace(text, someone, nadia, 1) }).(values)
		}
		changed := with(hiding[kind].config)
		run.MustApply(changed)
		maps.Copy(changed, with(hiding[kind].changed))
		run.MustApply(changed)
		if !run.MustPlan(changed).Empty() {
			t.Errorf("after the apply the plan has changes: %v", run.State.Values)
		}
		run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	})
}

// One plan changes an email in the zulip_user and everywhere else. Terraform may plan and apply the other resource before
// the user, unless that references it, and no plan can see a reference. So each plan says what to write, whichever is first.
func TestProtocolEmail_ChangedEverywhere_ReferenceAdvised(t *testing.T) {
	eachHiding(t, func(t *testing.T, o *acctest.Organization, run *acctest.Run, kind string, _ func(string)) {
		const later = "lena.berg@example.com"
		user, at := o.NewRun(t, "zulip_user"), hiding[kind].at
		user.Import(someone, nil).ExpectNoError(t)
		run.MustApply(hiding[kind].config)
		email := func(text string) values { return values{"email": text, "full_name": "Lena Fischer"} }
		with := func(text string) values {
			return mapTexts(hiding[kind].config, func(one string) string { return strings.Replace(one, someone, text, 1) }).(values)
		}
		p := run.Process()
		renamed, diags := p.Plan("zulip_user", user.State, email(later))
		diags.ExpectNoError(t)
		changed, diags := p.Plan(kind, run.State, with(later))
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, at, "A name is new in this plan", later, "zulip_user.NAME.email or zulip_user.NAME.id")
		p = run.Process()
		_, diags = p.Plan("zulip_user", user.State, email(later))
		diags.ExpectNoError(t)
		_, diags = p.Plan(kind, run.State, with(someone))
		diags.ExpectError(t, at, `"`+someone+`" changes in this plan`, "zulip_user.NAME.id")

		p = run.Process()
		_, diags = p.Plan(kind, run.State, with(later))
		if !slices.ContainsFunc(diags, func(one acctest.Diagnostic) bool {
			return one.Attribute == at && one.Summary == `"`+later+`" is not in the organization` && strings.Contains(one.Detail, "zulip_user.NAME")
		}) {
			t.Errorf("the new email is planned: %v", diags)
		}
		p = run.Process()
		_, diags = p.Plan(kind, run.State, with(someone))
		diags.ExpectNoError(t)
		_, diags = p.Plan("zulip_user", user.State, email(later))
		diags.ExpectError(t, "email", `The email "`+someone+`" is written as text elsewhere`, "zulip_user.NAME.id")

		p = run.Process()
		user.ApplyIn(p, renamed).ExpectNoError(t)
		run.ApplyIn(p, changed).ExpectNoError(t)
		if !run.MustPlan(with(later)).Empty() {
			t.Error("after the apply the plan has changes")
		}
	})
}

// mapTexts returns a value with other texts.
func mapTexts(value any, change func(string) string) any {
	switch value := value.(type) {
	case string:
		return change(value)
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = mapTexts(one, change)
		}
		return all
	case values:
		all := values{}
		for name, one := range value {
			all[name] = mapTexts(one, change)
		}
		return all
	}
	return value
}
