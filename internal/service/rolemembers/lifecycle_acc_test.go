package rolemembers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func block(name, role string, users ...string) string {
	quoted := make([]string, len(users))
	for i, user := range users {
		if quoted[i] = user; strings.Contains(user, "@") {
			quoted[i] = fmt.Sprintf("%q", user)
		}
	}
	return fmt.Sprintf("resource \"zulip_role_members\" %q {\n  role  = %q\n  users = [%s]\n}\n", name, role, strings.Join(quoted, ", "))
}

// An administrator who was made by hand is drift, by name, from the import on: the plan takes the role away again.
func TestAccSandboxRoleMembersDrift(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what the CLI prints is looked at
	administrators := block("administrators", "administrator", tomas, bot(t, o))
	give(t, o, "member", zulip.RoleAdministrator)
	w.Configure(t, administrators)
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "Others are administrator too") || !strings.Contains(printed, lena) {
		t.Errorf("a new list that does not name everybody is planned:\n%s", printed)
	}
	w.Configure(t, "import {\n  to = zulip_role_members.administrators\n  id = \"administrator\"\n}\n"+administrators)
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "1 to import, 0 to add, 1 to change") || !strings.Contains(printed, `- "`+lena+`"`) {
		t.Errorf("the plan of the import does not name who is taken out:\n%s", printed)
	}
	w.Must(t, "apply", "-auto-approve")
	expect(t, o, map[string]string{"member": "member", "admin": "administrator", "bot": "administrator"})

	give(t, o, "member2", zulip.RoleAdministrator)
	if printed := w.Must(t, "plan"); !strings.Contains(printed, `- "`+kenji+`"`) || !strings.Contains(printed, "1 to change") {
		t.Errorf("the plan does not name who was made an administrator by hand:\n%s", printed)
	}
	give(t, o, "admin", zulip.RoleMember)
	w.Must(t, "apply", "-auto-approve")
	expect(t, o, map[string]string{"member2": "member", "admin": "administrator"})
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "No changes.") {
		t.Errorf("after the apply:\n%s", printed)
	}
	// A saved plan does not write over what was done since.
	w.Configure(t, block("administrators", "administrator", tomas, bot(t, o), kenji))
	w.Must(t, "plan", "-out=saved")
	give(t, o, "member2", zulip.RoleModerator)
	if printed, ok := w.Run(t, "apply", "saved"); ok || !strings.Contains(printed, "The role of "+kenji+" was changed since the plan was made") {
		t.Errorf("the saved plan is applied:\n%s", printed)
	}
	expect(t, o, map[string]string{"member2": "moderator"})
	w.Configure(t, "")
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "The role administrator stays with who has it") {
		t.Errorf("the plan of the end says\n%s", printed)
	}
}

// Somebody moves between lists, an account that is created comes in, and a list that is replaced is no second one.
func TestAccSandboxRoleMembersMove(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "")
	w.Configure(t, block("owners", "owner", ines)+block("administrators", "administrator", tomas, bot(t, o))+block("moderators", "moderator", amara))
	w.Must(t, "apply", "-auto-approve")
	noor := "resource \"zulip_user\" \"noor\" {\n  email     = \"noor@example.com\"\n  full_name = \"Noor\"\n}\n"
	moved := noor + block("owners", "owner", ines, amara) + block("administrators", "administrator", tomas, bot(t, o)) + block("moderators", "moderator", "zulip_user.noor.id", lena)
	w.Configure(t, moved)
	w.Must(t, "apply", "-auto-approve")
	expect(t, o, map[string]string{"moderator": "owner", "member": "moderator"})
	if user, err := o.Client.UserByEmail(t.Context(), "noor@example.com"); err != nil || user.Role != zulip.RoleModerator {
		t.Errorf("who was created is %+v, %v", user, err)
	}
	if printed := w.Must(t, "plan"); !strings.Contains(printed, "No changes.") {
		t.Errorf("after the move:\n%s", printed)
	}
	if printed := w.Must(t, "plan", "-replace=zulip_role_members.moderators"); !strings.Contains(printed, "1 to add, 0 to change, 1 to destroy") {
		t.Errorf("the plan of a replacement:\n%s", printed)
	}
	w.Configure(t, moved+block("others", "moderator", lena))
	if printed, ok := w.Run(t, "plan"); ok || !strings.Contains(printed, "Two lists of who is moderator") {
		t.Errorf("two lists of one role:\n%s", printed)
	}
}
