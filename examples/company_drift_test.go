package examples

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// One object of each kind is changed outside Terraform. The next plan names exactly these, and the apply repairs each
// with one request that carries the difference.
func TestExampleCompany_Drift_Repaired(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	w := newCompany(t)
	w.run(t, "apply", "-auto-approve")

	c := &companyByHand{o: o, held: w.state(t)}
	var addresses, repairs []string
	for _, d := range drifts {
		d.byHand(t, c)
		addresses = append(addresses, d.address+" "+d.action)
		repairs = append(repairs, c.fill(t, d.address, d.repair))
	}
	if missing := kindsWithoutDrift(c.held); len(missing) > 0 {
		t.Errorf("nothing is changed by hand of %q", missing)
	}

	w.run(t, "plan", "-out=drift.tfplan")
	expectSame(t, "planned", w.planned(t, "drift.tfplan"), addresses)
	o.Sandbox.Journal().Reset()
	w.run(t, "apply", "drift.tfplan")
	expectSame(t, "sent", writes(o), repairs)
	w.run(t, "plan", "-detailed-exitcode")
}

// companyByHand changes the organization outside Terraform, with the IDs of the state.
type companyByHand struct {
	o    *acctest.Organization
	held map[string]map[string]any
}

// id returns an attribute of the resource with an address, in the form of a path or a parameter.
func (c *companyByHand) id(t *testing.T, address, attribute string) string {
	t.Helper()
	value, found := c.held[address][attribute]
	if !found {
		t.Fatalf("the state has no %s of %s", attribute, address)
	}
	if number, ok := value.(float64); ok {
		return fmt.Sprintf("%.0f", number)
	}
	return fmt.Sprint(value)
}

// fill replaces {id}, {channel_id} and so on by the IDs of the resource.
func (c *companyByHand) fill(t *testing.T, address, text string) string {
	t.Helper()
	for _, attribute := range []string{"id", "user_id", "group_id", "channel_id"} {
		if place := "{" + attribute + "}"; strings.Contains(text, place) {
			text = strings.ReplaceAll(text, place, c.id(t, address, attribute))
		}
	}
	return text
}

// call sends the request, with parameters in the form NAME=VALUE.
func (c *companyByHand) call(t *testing.T, method, path string, params ...string) {
	t.Helper()
	form := map[string]string{}
	for _, param := range params {
		name, value, _ := strings.Cut(param, "=")
		form[name] = value
	}
	c.o.Call(t, method, path, form)
}

// A drift is one change outside Terraform and its repair.
type drift struct {
	address string
	// action is Terraform's planned action.
	action string
	byHand func(*testing.T, *companyByHand)
	// repair is the request: method, path, and the names of its parameters.
	repair string
}

// patched is a drift that the same request causes and repairs. In its path, {id} and the like are the resource's.
func patched(address, method, path string, params ...string) drift {
	var names []string
	for _, param := range params {
		name, _, _ := strings.Cut(param, "=")
		names = append(names, name)
	}
	return drift{
		address: address,
		action:  "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, method, c.fill(t, address, path), params...)
		},
		repair: strings.Join(append([]string{method, path}, names...), " "),
	}
}

// drifts has one of each kind of resource in the company.
var drifts = []drift{
	patched(`zulip_user_role.person["lena.fischer@example.com"]`, http.MethodPatch, "/users/{user_id}", "role=300"),
	patched(`zulip_user_status.on_call["kenji.sato@example.com"]`, http.MethodPost, "/users/{user_id}/status", "status_text=Away"),
	patched("zulip_user_group.staff", http.MethodPatch, "/user_groups/{id}", "description=Whoever"),
	{
		address: "zulip_user_group_membership.on_call_of_all", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPost, c.fill(t, "zulip_user_group_membership.on_call_of_all", "/user_groups/{group_id}/subgroups"),
				"delete=["+c.id(t, `zulip_user_group.on_call["support"]`, "id")+"]")
		},
		repair: "POST /user_groups/{group_id}/members add_subgroups",
	},

	patched("zulip_channel_folder.teams", http.MethodPatch, "/channel_folders/{id}", "description=Rooms"),
	{
		address: "zulip_channel_folder_order.this", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPatch, "/channel_folders", "order=["+strings.Join([]string{
				c.id(t, "zulip_channel_folder.alerts", "id"),
				c.id(t, "zulip_channel_folder.teams", "id"),
				c.id(t, "zulip_channel_folder.company", "id"),
			}, ",")+"]")
		},
		repair: "PATCH /channel_folders order",
	},
	{
		address: "zulip_channel.news", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			everyone := c.o.SystemGroup(t, "role:everyone")
			c.call(t, http.MethodPatch, c.fill(t, "zulip_channel.news", "/streams/{id}"), fmt.Sprintf(`can_send_message_group={"new":%d}`, everyone))
		},
		repair: "PATCH /streams/{id} can_send_message_group",
	},
	{
		address: "zulip_channel_subscription.leadership", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodDelete, "/users/me/subscriptions", `subscriptions=["leadership"]`,
				"principals=["+c.id(t, `zulip_user_role.person["amara.okafor@example.com"]`, "user_id")+"]")
		},
		repair: "POST /users/me/subscriptions invite_only is_default_stream principals send_new_subscription_messages subscriptions",
	},
	{
		address: `zulip_channel_subscribers.alerts["platform"]`, action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPost, "/users/me/subscriptions", `subscriptions=[{"name":"alerts-platform"}]`,
				"principals=["+c.id(t, `zulip_user_role.person["kenji.sato@example.com"]`, "user_id")+"]")
		},
		repair: "DELETE /users/me/subscriptions principals subscriptions",
	},
	{
		address: "zulip_default_channel_group.teams", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPatch, c.fill(t, "zulip_default_channel_group.teams", "/default_stream_groups/{id}/streams"), "op=remove", `stream_names=["team-support"]`)
		},
		repair: "PATCH /default_stream_groups/{id}/streams op stream_names",
	},
	{
		address: "zulip_message.welcome", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPatch, c.fill(t, "zulip_message.welcome", "/messages/{id}"), "content=Hello.")
		},
		// The request has the digest of the replaced text, so that an edit made in the meantime is not lost.
		repair: "PATCH /messages/{id} content prev_content_sha256",
	},

	patched("zulip_bot.alerts", http.MethodPatch, "/bots/{id}", "full_name=Siren"),
	patched("zulip_organization.this", http.MethodPatch, "/realm", "description=Ours."),
	patched("zulip_default_user_settings.this", http.MethodPatch, "/realm/user_settings_defaults", "twenty_four_hour_time=false"),
	patched("zulip_domain.company", http.MethodPatch, "/realm/domains/{id}", "allow_subdomains=true"),
	{
		address: "zulip_invite_link.new_people", action: "create",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodDelete, c.fill(t, "zulip_invite_link.new_people", "/invites/multiuse/{id}"))
		},
		repair: "POST /invites/multiuse include_realm_default_subscriptions invite_as invite_expires_in_minutes welcome_message_custom_text",
	},
	// The server accepts pattern and template only together.
	patched("zulip_linkifier.ticket", http.MethodPatch, "/realm/filters/{id}", "pattern=TICKET-(?P<id>[0-9]+)", "url_template=https://old.example.com/{id}"),
	{
		address: "zulip_linkifier_order.this", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPatch, "/realm/linkifiers", "ordered_linkifier_ids=["+c.id(t, "zulip_linkifier.commit", "id")+","+c.id(t, "zulip_linkifier.ticket", "id")+"]")
		},
		repair: "PATCH /realm/linkifiers ordered_linkifier_ids",
	},
	patched("zulip_custom_profile_field.working_hours", http.MethodPatch, "/realm/profile_fields/{id}", "hint=When"),
	{
		address: "zulip_custom_profile_field_order.this", action: "update",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodPatch, "/realm/profile_fields", "order=["+c.id(t, "zulip_custom_profile_field.working_hours", "id")+","+c.id(t, "zulip_custom_profile_field.office", "id")+"]")
		},
		repair: "PATCH /realm/profile_fields order",
	},
	// Playgrounds and pictures can be added and removed, but not changed.
	{
		address: "zulip_code_playground.python", action: "create",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodDelete, c.fill(t, "zulip_code_playground.python", "/realm/playgrounds/{id}"))
		},
		repair: "POST /realm/playgrounds name pygments_language url_template",
	},
	{
		address: "zulip_custom_emoji.kudos", action: "create",
		byHand: func(t *testing.T, c *companyByHand) {
			t.Helper()
			c.call(t, http.MethodDelete, "/realm/emoji/kudos")
		},
		repair: "POST /realm/emoji/kudos",
	},
}

// kindsWithoutDrift returns the types in the state without a drift.
func kindsWithoutDrift(held map[string]map[string]any) []string {
	drifted := map[string]bool{}
	for _, d := range drifts {
		kind, _, _ := strings.Cut(d.address, ".")
		drifted[kind] = true
	}
	var missing []string
	for address := range held {
		kind, _, _ := strings.Cut(address, ".")
		if !drifted[kind] && !slices.Contains(missing, kind) {
			missing = append(missing, kind)
		}
	}
	return missing
}

// writes returns the requests that changed something, with the names of their parameters.
func writes(o *acctest.Organization) []string {
	var sent []string
	for _, r := range o.Sandbox.Journal().Requests(sandbox.Filter{}) {
		if r.Method == http.MethodGet || r.Path == "/register" || r.Path == "/events" {
			continue // a reading: the snapshot is a POST, and its queue is deleted
		}
		words := []string{r.Method, r.Path}
		for name := range r.Params {
			words = append(words, name)
		}
		slices.Sort(words[2:])
		sent = append(sent, strings.Join(words, " "))
	}
	return sent
}

// expectSame compares two lists in any order.
func expectSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	for _, one := range got {
		if !slices.Contains(want, one) {
			t.Errorf("%s, and should not be: %s", what, one)
		}
	}
	for _, one := range want {
		if !slices.Contains(got, one) {
			t.Errorf("not %s: %s", what, one)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
	}
}
