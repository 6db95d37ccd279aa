package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// stateOf is the output of terraform show -json of a state with some resources.
func stateOf(resources ...string) []byte {
	return []byte(`{"format_version": "1.0", "values": {"root_module": {"resources": [` + strings.Join(resources, ", ") + `]}}}`)
}

func inState(kind, name, values string) string {
	return fmt.Sprintf(`{"address": %q, "mode": "managed", "type": %q, "name": %q, "values": %s}`, kind+"."+name, kind, name, values)
}

// An export of what no state has is called after the organization, counts only the invitations that no state has, and says who
// sent them.
func TestProtocolExportOfWhatIsNewCountsWhatNoStateHas(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "PATCH", "/realm", map[string]string{"name": "Dr. Who & Co. (Bonn)"})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "one@example.net,Two@example.net", "stream_ids": "[]"})
	for range 2 {
		o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "null"})
	}
	invitations, err := o.Client.Invitations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var links []int64
	for _, one := range invitations {
		if one.IsMultiuse {
			links = append(links, one.ID)
		}
	}
	first := stateOf(inState("zulip_invitation", "one", `{"id": "one@example.net"}`), inState("zulip_invite_link", "a", fmt.Sprintf(`{"id": %d}`, links[0])))
	both := stateOf(inState("zulip_invitation", "two", `{"id": "two@example.net"}`), inState("zulip_invite_link", "b", fmt.Sprintf(`{"id": %d}`, links[1])))
	summaryFor := func(states map[string][]byte) string {
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{States: states, Only: export.Selection{"channel"}}); err != nil {
			t.Fatal(err)
		}
		return readSummary(t, folder)
	}
	summary := summaryFor(map[string][]byte{"s1.json": first})
	for _, want := range []string{
		"# Dr. Who & Co. (Bonn) as configuration\n", "- 1 pending invitation by e-mail (1 as member by `ines.moreau@example.com`).", "- 1 invitation link (1 as member by `ines.moreau@example.com`).",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is not in:\n%s", want, summary)
		}
	}
	if summary = summaryFor(map[string][]byte{"s1.json": first, "s2.json": both}); strings.Contains(summary, "pending") || strings.Contains(summary, "invitation link") {
		t.Errorf("it counts what the states have:\n%s", summary)
	}
}

// A role of which a state has the whole list is nobody's own: the list decides it, whoever has got the role by hand or has lost it.
func TestProtocolExportOfWhatIsNewLeavesRolesToTheirList(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena := o.Sandbox.AllCredentials()["member"]
	o.Call(t, "PATCH", fmt.Sprintf("/users/%d", lena.ID), map[string]string{"role": "200"})
	list := inState("zulip_role_members", "administrators", `{"id": "administrator", "role": "administrator", "users": ["tomas.berg@example.com", "user:paul.dubois@example.com"]}`)
	for _, as := range []export.PeopleAs{export.PeopleAsAddress, export.PeopleAsVariable, export.PeopleAsUser} {
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{States: map[string][]byte{"s1.json": stateOf(list)}, PeopleAs: as}); err != nil {
			t.Fatal(err)
		}
		resources := readConfiguration(t, folder).resources
		roles := 0
		for address, resource := range resources {
			for _, name := range []string{"lena_fischer", "tomas_berg", "paul_dubois"} {
				if _, has := resource.attributes["role"]; has && strings.HasSuffix(address, "."+name) {
					t.Errorf("as %q: %s proposes a role that the list of a state decides", as, address)
				}
			}
			if _, has := resource.attributes["role"]; has {
				roles++
			}
		}
		if roles == 0 {
			t.Errorf("as %q: the roles of nobody are proposed", as)
		}
		summary := readSummary(t, folder)
		if want := "`zulip_role_members.administrators` of `s1.json` decides"; !strings.Contains(summary, want) || !strings.Contains(summary, "A plan of it shows") {
			t.Errorf("as %q: %q is not in:\n%s", as, want, summary)
		}
		if named := strings.Contains(summary, "lena.fischer@example.com"); named == (as == export.PeopleAsVariable) {
			t.Errorf("as %q: it names whom the list decides: %t, in:\n%s", as, named, summary)
		}
	}
}
