package export_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Each person stands once in what is written, whichever way people are written, and the plan of it is empty.
func TestProtocolExportWritesEachPersonOnce(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	messy(t, o)
	for as, want := range map[export.PeopleAs][]string{
		"": {`lena_fischer = "lena.fischer@example.com"`, `user = local.people.paul_dubois`, `"user:${local.people.lena_fischer}"`},
		export.PeopleAsVariable: {
			`variable "people"`, `count = local.people.paul_dubois == null ? 0 : 1`, `], compact([local.principals.lena_fischer]))`,
			`count = var.people == null ? 1 : 0`,
			`can_create_public_channel_group = try(coalescelist(compact([local.principals.lena_fischer])), null)`,
		},
		export.PeopleAsUser: {`resource "zulip_user" "lena_fischer"`, `"user:${zulip_user.lena_fischer.email}"`},
	} {
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{PeopleAs: as, Subscribers: true}); err != nil {
			t.Fatal(err)
		}
		for address, times := range addressesIn(t, folder) {
			if times > 1 {
				t.Errorf("as %q: %s stands %d times", as, address, times)
			}
		}
		var all strings.Builder
		for name, content := range filesOf(t, folder) {
			if strings.HasSuffix(name, ".tf") {
				all.WriteString(content)
			}
		}
		for _, text := range want {
			if !strings.Contains(all.String(), text) {
				t.Errorf("as %q: %q is not in:\n%s", as, text, all.String())
			}
		}
		for _, problem := range planFolder(t, folder) {
			t.Errorf("as %q: %s", as, problem)
		}
	}
}

// Whoever is more than a member is one again when the role is removed, but for the account itself. The plan stays empty.
func TestProtocolExportHasRolesEnd(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	if _, err := exportInto(folder, export.Options{Only: export.Selection{"user_role"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"tomas_berg": true, "amara_okafor": true, "ines_moreau": false, "paul_dubois": false} {
		role := readConfiguration(t, folder).resources["zulip_user_role."+name]
		if _, ends := role.attributes["on_destroy"]; ends != want || strings.HasSuffix(role.importID, "=member") != want {
			t.Errorf("%s: it ends as a member: %t, imported by %s", name, ends, role.importID)
		}
	}
	for _, problem := range planFolder(t, folder) {
		t.Error(problem)
	}
}

// What is new is moved into a configuration that has its own names for people: it names them by address.
func TestProtocolExportOfWhatIsNewHasAddresses(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	if _, err := exportInto(folder, export.Options{States: map[string][]byte{"state.json": []byte(`{"format_version": "1.0"}`)}, Only: export.Selection{"channel", "bot"}}); err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, folder)
	if _, ok := files["people.tf"]; ok || !strings.Contains(files["bots.tf"], `"tomas.berg@example.com"`) {
		t.Errorf("people are written otherwise:\n%s\n%s", files["people.tf"], files["bots.tf"])
	}
}
