package export_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// exportedName is every name that an export may give to a file.
var exportedName = regexp.MustCompile(`^(?:EXPORT\.md|export\.json|[a-z][a-z0-9_-]{0,100}\.tf|emoji/[a-z0-9][a-z0-9._-]{0,100}\.png)$`)

// Whatever things are called: each is written with exactly its name, in files that can be read, and in no other place.
func TestProtocolExportOfHostileNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	person := o.Sandbox.AllCredentials()["guest"]
	// A configuration has its texts in this form, as every CLI reads them.
	var names, replaced []string
	for _, name := range acctest.HostileNames {
		names = append(names, norm.NFC.String(name))
	}
	for i, name := range acctest.HostileNames {
		placeholder := fmt.Sprintf("placeholder-%03d", i)
		replaced = append(replaced, placeholder, inJSON(t, name))
		folder := o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": placeholder, "description": placeholder})["channel_folder_id"]
		o.Call(t, "POST", "/channels/create", map[string]string{
			"name": placeholder, "description": placeholder, "subscribers": "[]", "folder_id": fmt.Sprint(folder),
			"can_send_message_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, person.ID),
		})
		o.Call(t, "POST", "/user_groups/create", map[string]string{"name": placeholder, "description": placeholder, "members": "[]"})
		if i < 30 {
			o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": placeholder, "field_type": "1", "hint": placeholder})
		}
		o.Emoji(t, placeholder)
	}
	serveReplaced(t, o.Sandbox, append(replaced, `"Paul Dubois"`, `"`+inJSON(t, "x\n}\u202e\r\nresource")+`"`)...)
	parent := t.TempDir()
	folder := filepath.Join(parent, "a", "b", "c", "organization")
	if _, err := exportInto(folder, export.Options{All: true, AllPeople: true, Subscribers: true}); err != nil {
		t.Fatal(err)
	}
	for name := range filesOf(t, parent) {
		if inside, ok := strings.CutPrefix(name, "a/b/c/organization/"); !ok || !exportedName.MatchString(inside) {
			t.Errorf("there is a file %q", name)
		}
	}
	written := map[string][]string{}
	for address, one := range readConfiguration(t, folder).resources {
		for _, attribute := range []string{"name", "description", "hint"} {
			found, ok := one.attributes[attribute]
			if !ok {
				continue
			}
			value, problems := found.Expr.Value(nil)
			if problems.HasErrors() {
				t.Errorf("%s: %v", address, problems)
				continue
			}
			written[one.kind+" "+attribute] = append(written[one.kind+" "+attribute], value.AsString())
		}
	}
	for what, have := range map[string]int{
		"zulip_channel name": len(names), "zulip_channel description": len(names), "zulip_user_group name": len(names), "zulip_user_group description": len(names),
		"zulip_channel_folder name": len(names), "zulip_channel_folder description": len(names), "zulip_custom_emoji name": len(names),
		"zulip_custom_profile_field name": 30, "zulip_custom_profile_field hint": 30,
	} {
		for _, name := range names[:have] {
			if !slices.Contains(written[what], name) {
				t.Errorf("no %s is %.100q", what, name)
			}
		}
	}
	for name, content := range filesOf(t, folder) {
		if !strings.HasPrefix(name, "emoji/") && strings.ContainsFunc(content, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%s has characters that nobody sees", name)
		}
	}
}
