package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A group to which others refer can end in the apply that ends the references; one that nothing names needs nothing for that.
func TestProtocolExportOfGroupsInUse(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	create := func(name, subgroups string) any {
		return o.Call(t, "POST", "/user_groups/create", map[string]string{"name": name, "description": "", "members": "[]", "subgroups": subgroups})["group_id"]
	}
	create("unused", "[]")
	create("outer", fmt.Sprintf("[%v]", create("inner", "[]")))
	folder := filepath.Join(t.TempDir(), "export")
	if _, err := exportInto(folder, export.Options{}); err != nil {
		t.Fatal(err)
	}
	groups, err := os.ReadFile(filepath.Join(folder, "groups.tf"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for block := range strings.SplitSeq(string(groups), "\nresource \"zulip_user_group\" ") {
		if name, rest, ok := strings.Cut(block, " {\n"); ok {
			blocks[strings.Trim(name, `"`)] = rest
		}
	}
	for name, want := range map[string]bool{"inner": true, "outer": false, "unused": false} {
		if blocks[name] == "" || strings.Contains(blocks[name], "create_before_destroy = true") != want {
			t.Errorf("create_before_destroy in %s is not %v:\n%s", name, want, blocks[name])
		}
	}
}
