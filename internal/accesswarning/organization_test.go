package accesswarning_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
)

func TestWarnOfOrganizationAccess(t *testing.T) {
	b, _, view := newBase(t)
	set := func(principals ...string) types.Set {
		parsed := []permission.Principal{}
		for _, text := range principals {
			principal, err := permission.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, principal)
		}
		return permissionattribute.SetOf(parsed)
	}
	unknown := types.SetUnknown(types.StringType)
	b.Meta.Run.PlanName("zulip_user_group", 0, "to come")
	for name, test := range map[string]struct {
		config, plan types.Set // of can_create_groups
		want         string    // begins the warning; "": there is none
	}{
		"not managed":                  {types.SetNull(types.StringType), unknown, ""},
		"as it is":                     {set("role:members"), set("role:members"), ""},
		"less":                         {set("role:owners"), set("role:owners"), "Can no longer create user groups: "},
		"not known yet":                {unknown, unknown, "Not known yet: who gains and who loses that they can create user groups."},
		"a group that is yet to come":  {set("group:to come"), set("group:to come"), "Not known yet: "},
		"the guests, who never can it": {set("role:everyone"), set("role:everyone"), ""},
	} {
		sets := func(of types.Set) permissionattribute.Sets {
			return func(setting string) *types.Set {
				one := of
				if setting != "can_create_groups" {
					one = types.SetNull(types.StringType)
				}
				return &one
			}
		}
		plan := permissionattribute.Plan{
			Table: permission.Organizations, View: view, Prior: view.Realm().Permissions,
			Config: sets(test.config), Plan: sets(test.plan),
		}
		var diags diag.Diagnostics
		accesswarning.OfOrganization(b.Meta, &diags, plan, permission.Change{})
		got := ""
		if len(diags) > 0 {
			got = diags[0].Detail()
		}
		if len(diags) > 1 || diags.HasError() || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v", name, diags)
		}
		b.Meta.AccessWarnings = false
		diags = nil
		if accesswarning.OfOrganization(b.Meta, &diags, plan, permission.Change{}); len(diags) > 0 {
			t.Errorf("%s: warned although such warnings are off", name)
		}
		b.Meta.AccessWarnings = true
	}
}
