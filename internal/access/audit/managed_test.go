package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// auditWith audits an organization with options.
func auditWith(t testing.TB, o *acctest.Organization, options audit.Options) *audit.Audit {
	t.Helper()
	options.Site = "https://chat.example.com"
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	a, err := audit.Make(t.Context(), store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// resourceJSON is a resource as `terraform show -json` writes it.
func resourceJSON(address, kind, values string) string {
	return fmt.Sprintf(`{"address":%q,"mode":"managed","type":%q,"provider_name":"registry.terraform.io/zulip-iac/zulip","values":%s}`, address, kind, values)
}

func managed(t *testing.T, text string) *audit.Managed {
	t.Helper()
	m, err := audit.ReadManaged(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// A finding names the resources that manage its object in a state or plan.
func TestFindings_Managed_HaveAddresses(t *testing.T) {
	o := office(t)
	closed := map[string]string{"can_administer_channel_group": named(id(t, o, "max"))}
	root, inModule, twice := newChannel(t, o, "root", closed), newChannel(t, o, "in module", closed), newChannel(t, o, "twice", closed)
	newChannel(t, o, "by hand", closed)
	unclear := newChannel(t, o, "unclear", closed)
	guests := newChannel(t, o, "guests", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d,%d]", o.Self.ID, id(t, o, "gus"))})
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
	o.Call(t, "PATCH", fmt.Sprintf("/bots/%d", id(t, o, "bot")), map[string]string{"role": "200"})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "boss@example.com", "stream_ids": "[]", "invite_as": "200"})
	module := fmt.Sprintf(`{"resources":[%s],"child_modules":[{"address":"module.a[\"b\\n\"]","resources":[%s]}]}`,
		strings.Join([]string{
			resourceJSON("zulip_channel.first", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"root"}`, root)),
			resourceJSON("zulip_channel.elsewhere", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"of another organization"}`, twice)),
			resourceJSON("zulip_channel.twice", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"twice"}`, twice)),
			resourceJSON("zulip_user_group.by_hand", "zulip_user_group", `{"id":9999,"name":"by hand"}`),
			resourceJSON("zulip_channel.planned", "zulip_channel", `{"name":"by hand"}`),
			resourceJSON("zulip_channel.one", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"unclear"}`, unclear)),
			resourceJSON("zulip_channel.other", "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"unclear"}`, unclear)),
			resourceJSON("zulip_channel_subscription.some", "zulip_channel_subscription", fmt.Sprintf(`{"channel_id":%d,"users":["gus@example.com"]}`, guests)),
			resourceJSON("zulip_bot.news", "zulip_bot", fmt.Sprintf(`{"id":%d}`, id(t, o, "bot"))),
			resourceJSON("zulip_role_members.admins", "zulip_role_members", `{"id":"administrator","users":["ada@example.com","user:News-Bot@example.com"]}`),
			resourceJSON(`zulip_invitation.all["boss"]`, "zulip_invitation", `{"id":"Boss@example.com"}`),
		}, ","),
		resourceJSON(`module.a["b\n"].zulip_channel.team["x"]`, "zulip_channel", fmt.Sprintf(`{"id":%d,"name":"renamed"}`, inModule)))
	for form, text := range map[string]string{
		"state": `{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":` + module + `}}`,
		"plan":  `{"format_version":"1.2","planned_values":{"root_module":` + module + `},"prior_state":{"format_version":"1.0","values":{"root_module":{}}}}`,
	} {
		a := auditWith(t, o, audit.Options{Managed: managed(t, text)})
		for _, test := range []struct {
			kind  audit.Kind
			where string
			want  []string
		}{
			{audit.NoAdministrator, `channel "root"`, []string{"zulip_channel.first"}},
			{audit.NoAdministrator, `channel "in module"`, []string{`module.a["b\n"].zulip_channel.team["x"]`}},
			{audit.NoAdministrator, `channel "twice"`, []string{"zulip_channel.twice"}},
			{audit.NoAdministrator, `channel "by hand"`, nil},
			{audit.NoAdministrator, `channel "unclear"`, []string{"zulip_channel.one", "zulip_channel.other"}},
			{audit.OpenPrivate, `channel "guests"`, []string{"zulip_channel_subscription.some"}},
			{audit.BotAdministrator, "bot news-bot@example.com", []string{"zulip_bot.news", "zulip_role_members.admins"}},
			{audit.Invitation, "invitation of boss@example.com", []string{`zulip_invitation.all["boss"]`}},
		} {
			all := found(a, test.kind, test.where)
			if len(all) != 1 || !slices.Equal(all[0].Addresses, test.want) {
				t.Errorf("%s, %s: %+v, want the addresses %q", form, test.where, all, test.want)
			}
		}
		for _, finding := range a.Findings {
			if !strings.HasSuffix(finding.Fix, ".") || strings.Contains(strings.TrimSuffix(finding.Fix, "."), ". ") {
				t.Errorf("%s: the fix is not one sentence: %q", finding.Kind, finding.Fix)
			}
		}
		expectText(t, markdownOf(t, a), "Managed by `zulip_bot.news`, `zulip_role_members.admins`.", "`zulip_channel.first`")
	}
	for _, finding := range auditOf(t, o, audit.Selection{}).Findings {
		if len(finding.Addresses) > 0 {
			t.Errorf("without a state: %+v", finding)
		}
	}
}

func TestReadManagedRefusesWhatIsNone(t *testing.T) {
	for text, says := range map[string]string{
		`{"version":4,"lineage":"a","resources":[]}`:                "a state as it is stored",
		`{"format_version":"2.0","values":{"root_module":{}}}`:      `format version "2.0"`,
		`{"format_version":"1.0","site":"https://x","channels":[]}`: "neither a state nor a plan",
		`{}`: "neither a state nor a plan", `resource`: "it is no JSON", `{"format_version":"1.0","values":7}`: "it is no JSON",
	} {
		if _, err := audit.ReadManaged(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %s", text, err, says)
		}
	}
	if _, err := audit.ReadManaged(strings.NewReader(`{"format_version":"1.0"}`)); err != nil {
		t.Errorf("an empty state: %v", err)
	}
}
