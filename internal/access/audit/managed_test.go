package audit_test

import (
	"fmt"
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
func resourceJSON(address, kind, name, values string) string {
	return fmt.Sprintf(`{"address":%q,"mode":"managed","type":%q,"name":%q,"provider_name":"registry.terraform.io/zulip-iac/zulip","values":%s}`, address, kind, name, values)
}

func managed(t *testing.T, text string) *audit.Managed {
	t.Helper()
	m, err := audit.ReadManaged(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// What mends a finding is written for each object, under the address that it has in a state or plan.
func TestChangesHaveTheAddressesOfAState(t *testing.T) {
	o := office(t)
	closed := map[string]string{"can_administer_channel_group": named(id(t, o, "max"))}
	root, inModule, twice := newChannel(t, o, "root", closed), newChannel(t, o, "in module", closed), newChannel(t, o, "twice", closed)
	byHand := newChannel(t, o, "by hand", closed)
	o.Call(t, "DELETE", fmt.Sprintf("/users/%d", id(t, o, "max")), nil)
	module := fmt.Sprintf(`{"resources":[%s],"child_modules":[{"address":"module.a[\"b\\n\"]","resources":[%s]}]}`,
		strings.Join([]string{
			resourceJSON("zulip_channel.first", "zulip_channel", "first", fmt.Sprintf(`{"id":%d,"name":"root"}`, root)),
			resourceJSON("zulip_channel.elsewhere", "zulip_channel", "elsewhere", fmt.Sprintf(`{"id":%d,"name":"of another organization"}`, twice)),
			resourceJSON("zulip_channel.twice", "zulip_channel", "twice", fmt.Sprintf(`{"id":%d,"name":"twice"}`, twice)),
			resourceJSON("zulip_user_group.by_hand", "zulip_user_group", "by_hand", `{"id":9999,"name":"by hand"}`),
			resourceJSON("zulip_channel.planned", "zulip_channel", "planned", `{"name":"by hand"}`),
		}, ","),
		resourceJSON(`module.a["b\n"].zulip_channel.team["x"]`, "zulip_channel", "team", fmt.Sprintf(`{"id":%d,"name":"renamed"}`, inModule)))
	for form, text := range map[string]string{
		"state": `{"format_version":"1.0","terraform_version":"1.9.0","values":{"root_module":` + module + `}}`,
		"plan":  `{"format_version":"1.2","planned_values":{"root_module":` + module + `},"prior_state":{"format_version":"1.0","values":{"root_module":{}}}}`,
	} {
		a := auditWith(t, o, audit.Options{Managed: managed(t, text)})
		for where, want := range map[string]string{
			`channel "root"`:      "resource \"zulip_channel\" \"first\" {\n  can_administer_channel_group = ",
			`channel "in module"`: "# module.a[\"b\\n\"].zulip_channel.team[\"x\"]\nresource \"zulip_channel\" \"team\" {\n",
			`channel "twice"`:     "resource \"zulip_channel\" \"twice\" {\n",
			`channel "by hand"`: fmt.Sprintf("# Nothing in the state or plan manages it: import it first.\nimport {\n  to = zulip_channel.by_hand\n  id = \"%d\"\n}\n\n", byHand) +
				"resource \"zulip_channel\" \"by_hand\" {\n  name                         = \"by hand\"\n",
		} {
			all := found(a, audit.NoAdministrator, where)
			if len(all) != 1 || !strings.HasPrefix(all[0].Change, want) {
				t.Errorf("%s, %s: %+v, want what mends it to begin with\n%s", form, where, all, want)
			}
		}
		if form == "state" {
			text := markdownOf(t, a)
			expectText(t, text, "  resource \"zulip_channel\" \"first\" {\n", "  resource \"zulip_channel\" \"team\" {\n", "  resource \"zulip_channel\" \"twice\" {\n", "  resource \"zulip_channel\" \"by_hand\" {\n")
		}
	}
	if all := found(auditOf(t, o, audit.Selection{}), audit.NoAdministrator, `channel "root"`); len(all) != 1 || !strings.HasPrefix(all[0].Change, fmt.Sprintf("# If nothing manages it, import ID %d first.\nresource \"zulip_channel\" \"root\" {\n", root)) {
		t.Errorf("without a state: %+v", all)
	}
}

// Two resources for objects of the same ID and name cannot be told apart: both are named, and nothing is imported again.
func TestAnAddressThatCannotBeToldIsNone(t *testing.T) {
	o := office(t)
	c := newChannel(t, o, "c", map[string]string{"can_send_message_group": named(id(t, o, "max"))})
	values := fmt.Sprintf(`{"id":%d,"name":"c"}`, c)
	a := auditWith(t, o, audit.Options{Managed: managed(t, `{"format_version":"1.0","values":{"root_module":{"resources":[`+
		resourceJSON("zulip_channel.one", "zulip_channel", "one", values)+","+resourceJSON("zulip_channel.other", "zulip_channel", "other", values)+`]}}}`)})
	if all := found(a, audit.SinglePerson, `channel "c"`); len(all) != 1 || !strings.HasPrefix(all[0].Change, "# If one of these manages it, change it there: zulip_channel.one, zulip_channel.other\nresource ") {
		t.Errorf("%+v", all)
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
