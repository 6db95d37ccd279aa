package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// inManyPlaces names one person wherever a configuration can.
const inManyPlaces = `
resource "zulip_user_role" "kenji" {
  user = "%[1]s"
  role = "moderator"
}

resource "zulip_user_group" "many" {
  count             = 3
  name              = "group-${count.index}"
  members           = ["%[1]s"]
  can_mention_group = ["user:%[1]s"]
}

resource "zulip_channel" "post" {
  name                   = "post"
  can_send_message_group = ["role:moderators", "user:%[1]s"]
}

resource "zulip_channel_subscribers" "post" {
  channel = zulip_channel.post.id
  users   = ["%[1]s", "lena.fischer@example.com"]
}

resource "zulip_bot" "kenji" {
  short_name = "kenji"
  full_name  = "Kenji's bot"
  owner      = "%[1]s"
}
`

// An address that somebody has no more is the same error in every place, and each says what it is now; one says it all.
func TestAccSandboxAddressThatChanged(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	w.Configure(t, fmt.Sprintf(inManyPlaces, "kenji.sato@example.com"))
	w.Must(t, "apply", "-auto-approve")
	kenji := o.WithAccount(t, "member2").Self
	o.Call(t, http.MethodPatch, fmt.Sprintf("/users/%d", kenji.ID), map[string]string{"new_email": "ken@example.org"})

	const title = `Error: "kenji.sato@example.com" is not in the organization`
	printed, ok := w.Run(t, "plan")
	errors := strings.Split(printed, "Error: ")[1:]
	if ok || strings.Count(printed, title) != len(errors) {
		t.Errorf("%d errors, %d of them about the address:\n%s", len(errors), strings.Count(printed, title), strings.Join(errors, "\n"))
	}
	now := fmt.Sprintf("Kenji Sato (user_id:%d), whose address is ken@example.org now.", kenji.ID)
	if n := strings.Count(printed, "Write the new address wherever"); n != 1 {
		t.Errorf("%d errors say what to do:\n%s", n, strings.Join(errors, "\n"))
	}
	for _, one := range errors {
		if !strings.Contains(one, `No person or bot with the address "kenji.sato@example.com" is visible`) || !strings.Contains(one, now) && !strings.Contains(one, "Another error of this run says more.") {
			t.Errorf("an error says %s", one)
		}
	}

	w.Configure(t, fmt.Sprintf(inManyPlaces, "ken@example.org"))
	sent := o.Sent()
	w.Must(t, "apply", "-auto-approve") // the old address leaves the lists of the state, and nobody the lists of the server
	sent.Expect(t)
	w.Must(t, "plan", "-detailed-exitcode")
}

// A name that nothing has is one error in full, and a short one for every other place.
func TestProtocolMissingNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_user_group").Process()
	for i, resource := range []struct {
		name   string
		config acctest.Values
	}{
		{"zulip_user_group", acctest.Values{"name": "a", "members": []any{"lena.fisher@example.com"}}},
		{"zulip_channel", acctest.Values{"name": "a", "can_send_message_group": []any{"user:Lena.Fisher@example.com"}}},
		{"zulip_user_role", acctest.Values{"user": "lena.fisher@example.com", "role": "moderator"}},
		{"zulip_bot", acctest.Values{"full_name": "A", "short_name": "a", "owner": "lena.fisher@example.com"}},
	} {
		_, diags := p.Plan(resource.name, nil, resource.config)
		more := "id you mean"
		if i > 0 {
			more = "uses. Another error of this run says more."
		}
		if found := diags.Errors(); len(found) != 1 || found[0].Summary != `"lena.fisher@example.com" is not in the organization` || !strings.Contains(found[0].Detail, more) {
			t.Errorf("%s: %v", resource.name, found)
		}
	}
	for i, resource := range []struct {
		name   string
		config acctest.Values
	}{
		{"zulip_user_group", acctest.Values{"name": "b", "subgroups": []any{"srr"}}},
		{"zulip_channel", acctest.Values{"name": "b", "can_send_message_group": []any{"group:srr"}}},
		{"zulip_user_group_membership", acctest.Values{"group": "srr", "members": []any{}}},
	} {
		_, diags := p.Plan(resource.name, nil, resource.config)
		more := `id you mean`
		if i > 0 {
			more = `called "srr". Another error of this run says more.`
		}
		if found := diags.Errors(); len(found) != 1 || found[0].Summary != `User group "srr" is not in the organization` || !strings.Contains(found[0].Detail, more) {
			t.Errorf("%s: %v", resource.name, found)
		}
	}
}

// What a second error of the same name leaves out begins after the sentence that names it, whatever signs the name has.
func TestProtocolMissingNameWithAStop(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_channel").Process()
	const sentence = `The organization has no user group called "St. Ives; east".`
	for i, says := range []string{sentence + " If this configuration creates it", sentence + " Another error of this run says more."} {
		_, diags := p.Plan("zulip_channel", nil, values{"name": string(rune('a' + i)), "can_send_message_group": []any{"group:St. Ives; east"}})
		diags.ExpectError(t, "can_send_message_group", `User group "St. Ives; east" is not in the organization`, says)
	}
}

// The configuration that a real CLI generates of what is imported plans no change.
func TestAccGeneratedConfiguration(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	var imports strings.Builder
	count := 0
	for _, l := range lives(t, o) {
		run := o.NewRun(t, l.of)
		run.MustApply(l.create)
		if neverGenerated[l.of] != "" {
			continue
		}
		fmt.Fprintf(&imports, "import {\n  provider = zulip\n  to       = %s.x\n  id       = %q\n}\n", l.of, l.importIDOf(run.State.Values["id"]))
		count++
	}
	w := acctest.NewWorkspace(t)
	w.Configure(t, imports.String())
	w.Must(t, "plan", "-input=false", "-generate-config-out=generated.tf", "-out=generated.tfplan")
	var plan struct {
		Changes []struct {
			Address string `json:"address"`
			Change  struct {
				Actions   []string             `json:"actions"`
				Importing *struct{ ID string } `json:"importing"`
			} `json:"change"`
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(w.Show(t, "generated.tfplan")), &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.Changes) != count {
		t.Errorf("%d resources are planned, want %d", len(plan.Changes), count)
	}
	for _, one := range plan.Changes {
		if !slices.Equal(one.Change.Actions, []string{"no-op"}) || one.Change.Importing == nil {
			t.Errorf("%s: %v of\n%s", one.Address, one.Change.Actions, w.Read(t, "generated.tf"))
		}
	}
}
