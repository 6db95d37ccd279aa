package accounts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Said is the role that a resource of an account sets. reactivated is the account if the resource reactivates it, and
// otherwise nil; without a configured role, it keeps its own.
func Said(account runstate.AccountKey, configured types.String, reactivated *zulip.User) runstate.SaidRole {
	said := runstate.SaidRole{Account: account, Role: configured.ValueString(), IsReturn: configured.IsNull() && reactivated != nil}
	if said.IsReturn {
		said.Role = reactivated.Role.String()
	}
	return said
}

// DeclareRole refuses, during plan, the role of an account if another resource of the configuration sets a different
// one. An empty role is unset or unknown.
func DeclareRole(meta *base.Meta, said runstate.SaidRole, diags *diag.Diagnostics) {
	account := said.Account
	if said.Role == "" || account == (runstate.AccountKey{}) {
		return
	}
	other, ok := meta.Run.Roles.Say(said)
	switch {
	case ok:
	case other.Ending != "":
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			fmt.Sprintf("This resource sets the role %s, but this plan destroys a zulip_user_role that gives them the role %s.", said.Role, other.Ending)+takesOver("this resource"))
	case other.List == "":
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			"Another resource of this configuration sets a different role (a zulip_user_role, zulip_user or zulip_bot), so each apply would undo the change of the other. Keep one of them.")
	case said.IsReturn:
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email), returns(account.Email, other.List))
	default:
		diags.AddAttributeError(path.Root("role"), twoRoles(account.Email),
			fmt.Sprintf("This resource sets the role %s, and the zulip_role_members of the role %s contradicts it. Each apply would undo the change of the other. Make them agree, or remove one.", said.Role, other.List))
	}
}

// returns is the advice about a reactivated account that is not in the list of its role.
func returns(who, role string) string {
	return fmt.Sprintf("The deactivated account %s still has the role %q. This plan reactivates it, but it is not listed in users of the zulip_role_members of that role. "+
		"Nothing was changed. Set its role in its zulip_user or zulip_bot, which changes the role before it reactivates the account:\n\n  role = \"member\"\n\nOr list the account in users.", who, role)
}

// DeclareEnd refuses, during plan, a destroy that gives an account a role if another resource of the configuration
// contradicts it.
func DeclareEnd(meta *base.Meta, change Change, diags *diag.Diagnostics) {
	other, ok := meta.Run.Roles.End(change.User.ID, change.Planned.String())
	contradiction, owner := "another resource of this configuration sets a different role (a zulip_user or zulip_bot).", "the other resource"
	switch {
	case ok:
		return
	case other.List != "":
		contradiction, owner = fmt.Sprintf("the zulip_role_members of the role %s lists them.", other.List), "the list"
	}
	diags.AddAttributeError(change.At, twoRoles(change.User.Address()),
		fmt.Sprintf("Destroying this resource gives them the role %s, but %s", change.Planned, contradiction)+takesOver(owner))
}

// takesOver is the advice if a resource sets the role of an account to which the destroy of another one gives a role.
func takesOver(owner string) string {
	return fmt.Sprintf(" If %s should manage the role from now on, remove the zulip_user_role from the state, which leaves the role unchanged:\n\n"+
		"  removed {\n    from = zulip_user_role.NAME\n    lifecycle {\n      destroy = false\n    }\n  }", owner)
}

// DeclareRoleList refuses during plan a second list for a role, and a list that contradicts other resources of the
// configuration. at is the attribute with the list.
func DeclareRoleList(meta *base.Meta, s *snapshot.Snapshot, list runstate.RoleList, at path.Path, diags *diag.Diagnostics) {
	others, ending, isFirst := meta.Run.Roles.List(list)
	if !isFirst {
		diags.AddAttributeError(path.Root("role"), fmt.Sprintf("Duplicate list of users with the role %s", list.Role),
			"Another zulip_role_members of this configuration manages the same role. Keep one of them.")
		return
	}
	address := func(account runstate.AccountKey) string {
		if user, ok := s.User(account.ID); ok {
			return user.Address()
		}
		return cmp.Or(account.Email, fmt.Sprint("account ", account.ID))
	}
	for _, id := range slices.Sorted(maps.Keys(ending)) {
		diags.AddAttributeError(at, twoRoles(address(runstate.AccountKey{ID: id})),
			fmt.Sprintf("They are in this list, but this plan destroys a zulip_user_role that gives them the role %s.", ending[id])+takesOver("the list"))
	}
	for _, other := range others {
		who := address(other.Account)
		detail := "Another resource of this configuration sets a different role (a zulip_user_role, zulip_user or zulip_bot, or the zulip_role_members of another role). Each apply would undo the change of the other. Make them agree, or remove one."
		if other.IsReturn {
			detail = returns(who, list.Role)
		}
		diags.AddAttributeError(at, twoRoles(who), detail)
	}
}

func twoRoles(who string) string { return "Two roles for " + who }
