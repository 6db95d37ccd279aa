package accesswarning_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
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
		return attribute.SetOf(parsed)
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
		sets := func(of types.Set) attribute.Sets {
			return func(setting string) *types.Set {
				one := of
				if setting != "can_create_groups" {
					one = types.SetNull(types.StringType)
				}
				return &one
			}
		}
		plan := attribute.PermissionPlan{
			Table: permission.Organizations, View: view, Prior: view.Realm().Permissions,
			Config: sets(test.config), Plan: sets(test.plan),
		}
		var diags diag.Diagnostics
		accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{})
		got := ""
		if len(diags) > 0 {
			got = strings.TrimPrefix(diags[0].Detail(), "Who can do what in the organization changes.\n\n")
		}
		if len(diags) > 1 || diags.HasError() || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v", name, diags)
		}
		b.Meta.AccessWarnings = false
		diags = nil
		if accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{}); len(diags) > 0 {
			t.Errorf("%s: warned although such warnings are off", name)
		}
		b.Meta.AccessWarnings = true
	}
}

// Settings beside the permissions decide too who has a permission: how long a member waits to be a full one.
func TestWarnOfOrganizationAccessBySettings(t *testing.T) {
	b, _, view := newBase(t)
	fullMembers, _ := view.UserGroupByName("role:fullmembers")
	prior := maps.Clone(view.Realm().Permissions)
	prior["can_create_groups"] = zulip.GroupSettingValue{Group: fullMembers.ID}
	null := func(string) *types.Set { none := types.SetNull(types.StringType); return &none }
	long := 100_000
	for name, test := range map[string]struct {
		settings permission.Change
		want     string // begins the warning; "": there is none
	}{
		"nothing":       {permission.Change{}, ""},
		"the same":      {permission.Change{WaitingPeriod: &view.Realm().WaitingPeriodThreshold}, ""},
		"longer":        {permission.Change{WaitingPeriod: &long}, "Can no longer create user groups: Lena Fischer (lena.fischer@example.com) and Kenji Sato (kenji.sato@example.com)."},
		"not known":     {permission.Change{WaitingPeriodUnknown: true}, "Not known yet: who gains and who loses that they can create user groups."},
		"of no concern": {permission.Change{Spectators: new(bool)}, ""},
	} {
		plan := attribute.PermissionPlan{Table: permission.Organizations, View: view, Prior: prior, Config: null, Plan: null}
		var diags diag.Diagnostics
		accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, test.settings)
		got := ""
		for _, one := range diags {
			text, ok := strings.CutPrefix(one.Detail(), "Who can do what in the organization changes.\n\n")
			if !ok || one.Summary() != accesswarning.Summary {
				t.Errorf("%s: the warning is %v", name, one)
			}
			got += text
		}
		if len(diags) > 1 || diags.HasError() || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// Who is counted as a member of a group named by a permission is said to be so as of now.
func TestWarnOfOrganizationAccessOfAGroup(t *testing.T) {
	b, _, view := newBase(t)
	sre := types.SetValueMust(types.StringType, []attr.Value{types.StringValue("group:sre")})
	sets := func(setting string) *types.Set {
		one := types.SetNull(types.StringType)
		if setting == "can_create_groups" {
			one = sre
		}
		return &one
	}
	plan := attribute.PermissionPlan{Table: permission.Organizations, View: view, Prior: view.Realm().Permissions, Config: sets, Plan: sets}
	var diags diag.Diagnostics
	accesswarning.OfOrganization(t.Context(), b.Meta, &diags, plan, permission.Change{})
	if len(diags) != 1 || !strings.HasSuffix(diags[0].Detail(), `This counts the members of group "sre" as of now.`) {
		t.Errorf("reported: %v", diags)
	}
}
