package usergroup_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// The lists take people and groups as permissions name them: the state keeps that, and the plain form is no other one.
func TestProtocolListsOfPrincipals(t *testing.T) {
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "crew"}} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			o.NewRun(t, groupType).MustApply(values{"name": "2024"})
			o.NewRun(t, groupType).MustApply(values{"name": "design"})
			o.NewRun(t, groupType).MustApply(values{"name": "crew"})
			run := o.NewRun(t, kind)
			written := but(config, values{
				"members":   listed("user:"+lena, fmt.Sprint("user_id:", id(t, o, ines)), kenji),
				"subgroups": listed("group:sre", "group:2024", "role:moderators", fmt.Sprint("group_id:", group(t, o, "design").ID)),
			})
			run.MustApply(written)
			for _, list := range []string{"members", "subgroups"} {
				if got := run.State.Values[list]; !reflect.DeepEqual(got, written[list]) {
					t.Errorf("%s in the state is %v", list, got)
				}
			}
			name, all := "ops", []string{lena, ines, kenji}
			if kind == membershipType {
				name = "crew"
			}
			holds(t, o, name, all, []string{"sre", "2024", "role:moderators", "design"})
			empty(t, run, but(config, values{"members": listed(kenji, ines, lena), "subgroups": listed("design", "name:2024", "sre", "role:moderators")}))
			// Somebody written twice, in two ways, is there once.
			empty(t, run, but(written, values{"members": listed(lena, "user:LENA.fischer@example.com", ines, kenji)}))
			run.MustApply(but(config, values{"members": listed("user:" + kenji), "subgroups": listed("group:2024")}))
			holds(t, o, name, []string{kenji}, []string{"2024"})
		})
	}
}

// What is of the other list, or of no form, is refused with what to write instead.
func TestProtocolListsOfOtherPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "leads"}} {
		for _, test := range []struct {
			list, text string
			words      []string
		}{
			{"members", "group:sre", []string{`members[0]`, `"group:sre" is a group. List it in subgroups`}},
			{"members", "group_id:7", []string{`"group_id:7" is a group. List it in subgroups`}},
			{"members", "role:members", []string{`"role:members" is a group. List it in subgroups`}},
			{"members", "user_id:x", []string{`"user_id:x": what follows user_id: is a positive number`}},
			{"members", "user:", []string{`"user:" names nobody`}},
			{"members", "user:50", []string{`user_id:50`}},
			{"subgroups", "user:" + lena, []string{`is a person or bot. List it in members`}},
			{"subgroups", "user_id:50", []string{`is a person or bot. List it in members`}},
			{"subgroups", "group_id:sre", []string{`what follows group_id: is a positive number`}},
		} {
			_, diags := o.NewRun(t, kind).Plan(but(config, values{test.list: listed(test.text)}))
			diags.ExpectError(t, test.list, test.words...)
		}
		for list, text := range map[string]string{"members": "user:lena.fisher@example.com", "subgroups": "group:srs"} {
			_, diags := o.NewRun(t, kind).Plan(but(config, values{list: listed(text)}))
			diags.ExpectError(t, list, map[string]string{"members": lena, "subgroups": `did you mean "sre"?`}[list])
		}
	}
}

// A group that contains itself is found under every name, and a group whose name looks like a principal is written by its name.
func TestProtocolSubgroupsOfSuchNames(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	_, diags := o.NewRun(t, membershipType).Plan(values{"group": "leads", "subgroups": listed("group:leads")})
	diags.ExpectError(t, "subgroups", "contain")
	o.NewRun(t, groupType).MustApply(values{"name": "group:sre"})
	run := o.NewRun(t, groupType)
	run.MustApply(values{"name": "ops", "subgroups": listed("name:group:sre")})
	holds(t, o, "ops", nil, []string{"group:sre"})
	run.MustApply(values{"name": "ops", "subgroups": listed("group:sre")})
	holds(t, o, "ops", nil, []string{"sre"})
	run.MustApply(values{"name": "ops", "subgroups": listed("group:group:sre")})
	holds(t, o, "ops", nil, []string{"group:sre"})
	imported := o.NewRun(t, groupType)
	imported.Import("ops", nil).ExpectNoError(t)
	if got := imported.State.Values["subgroups"]; !reflect.DeepEqual(got, listed("name:group:sre")) {
		t.Errorf("imported: %v", got)
	}
}
