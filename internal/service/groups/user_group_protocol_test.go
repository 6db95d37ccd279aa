package groups_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The tests named TestProtocol… run the resources through the plugin protocol, in this process and without a CLI. The
// organization is the sandbox's example: ines.moreau@example.com is its owner and the account of the provider,
// tomas.berg@example.com an administrator, lena.fischer@example.com and kenji.sato@example.com are members. Lena and
// amara.okafor@example.com are in the group sre, which is in the group leads.

// These are attributes, as tests write them.
type values = acctest.Values

const (
	ines  = "ines.moreau@example.com"
	amara = "amara.okafor@example.com"
	lena  = "lena.fischer@example.com"
	kenji = "kenji.sato@example.com"
)

// managed starts a sandbox, and a run with one zulip_user_group that does not exist yet.
func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	return managedIn(t, sandbox.Config{})
}

func managedIn(t *testing.T, config sandbox.Config) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, config)
	run := o.NewRun(t, "zulip_user_group")
	return o, run
}

// sorted returns a list of a state in the order of its texts, like set.
func sorted(list any) []any {
	var texts []string
	for _, element := range list.([]any) {
		texts = append(texts, element.(string))
	}
	return set(texts...)
}

// set returns a set of texts, in the order of states.
func set(words ...string) []any {
	slices.Sort(words)
	all := []any{}
	for _, word := range words {
		all = append(all, word)
	}
	return all
}

// but is a configuration with some attributes changed.
func but(config, change values) values {
	changed := maps.Clone(config)
	maps.Copy(changed, change)
	return changed
}

// group reads the server's current group of a name; nil if there is none.
func group(t *testing.T, o *acctest.Organization, name string) *zulip.UserGroup {
	t.Helper()
	groups, err := o.Client.UserGroups(context.Background())
	acctest.NoError(t, err)
	for _, one := range groups {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// id returns the ID of a group, or of a person of the example by email.
func id(t *testing.T, o *acctest.Organization, word string) int64 {
	t.Helper()
	if found := group(t, o, word); found != nil {
		return found.ID
	}
	snapshot, err := o.Client.Register(context.Background(), []string{zulip.FetchUsers})
	acctest.NoError(t, err)
	for _, user := range snapshot.Users {
		if user.Address() == word {
			return user.ID
		}
	}
	t.Fatalf("there is no %q", word)
	return 0
}

// ids returns the IDs of people or groups, ascending.
func ids(t *testing.T, o *acctest.Organization, words ...string) []int64 {
	t.Helper()
	all := []int64{}
	for _, word := range words {
		all = append(all, id(t, o, word))
	}
	slices.Sort(all)
	return all
}

// text returns a value as a parameter of a request.
func text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	acctest.NoError(t, err)
	return string(data)
}

// change returns the change of a permission as a parameter of a request.
func change(t *testing.T, value, old zulip.GroupSettingValue) string {
	t.Helper()
	return text(t, zulip.GroupSettingChange{New: value, Old: &old})
}

// params returns the parameters of each change that was sent.
func params(sent *acctest.Sent) []map[string]string {
	all := []map[string]string{}
	for _, request := range sent.Writes() {
		all = append(all, request.Params)
	}
	return all
}

func expectParams(t *testing.T, sent *acctest.Sent, want ...map[string]string) {
	t.Helper()
	if got := params(sent); !reflect.DeepEqual(got, append([]map[string]string{}, want...)) {
		t.Errorf("sent %v\nnot %v", got, want)
	}
}

// alter changes a group outside Terraform. members changes its members.
func alter(t *testing.T, o *acctest.Organization, name string, update zulip.UserGroupUpdate) {
	t.Helper()
	if _, err := o.Client.UpdateUserGroup(context.Background(), id(t, o, name), update); err != nil {
		t.Fatal(err)
	}
}

func members(t *testing.T, o *acctest.Organization, name string, change zulip.MembershipChange) {
	t.Helper()
	acctest.NoError(t, o.Client.ChangeUserGroupMembership(context.Background(), id(t, o, name), change))
}

func deactivateUser(t *testing.T, o *acctest.Organization, address string) {
	t.Helper()
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", id(t, o, address)), nil)
}

// holds fails the test unless a group is active and has exactly these members and subgroups.
func holds(t *testing.T, o *acctest.Organization, name string, people, groups []string) {
	t.Helper()
	found := group(t, o, name)
	if found == nil || found.Deactivated {
		t.Fatalf("group %q is not there: %+v", name, found)
	}
	if want := ids(t, o, people...); !slices.Equal(found.Members, want) {
		t.Errorf("members of %q: %v, not %v", name, found.Members, want)
	}
	if want := ids(t, o, groups...); !slices.Equal(found.DirectSubgroupIDs, want) {
		t.Errorf("subgroups of %q: %v, not %v", name, found.DirectSubgroupIDs, want)
	}
}

// empty fails the test if the plan has changes.
func empty(t *testing.T, run *acctest.Run, config values) {
	t.Helper()
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("there is still something to do: %v", plan.Changes())
	}
}

func role(t *testing.T, o *acctest.Organization, name string) zulip.GroupSettingValue {
	t.Helper()
	return zulip.NamedGroup(id(t, o, "role:"+name))
}

// The lists accept principals. The state keeps that form, and the plain form is no change.
func TestProtocolUserGroupListsOfPrincipals(t *testing.T) {
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
			// A member written in two forms counts once.
			empty(t, run, but(written, values{"members": listed(lena, "user:LENA.fischer@example.com", ines, kenji)}))
			run.MustApply(but(config, values{"members": listed("user:" + kenji), "subgroups": listed("group:2024")}))
			holds(t, o, name, []string{kenji}, []string{"2024"})
		})
	}
}

// An element for the other list, or in an invalid form, is refused with the fix.
func TestProtocolUserGroupListsOfOtherPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for kind, config := range map[string]values{groupType: {"name": "ops"}, membershipType: {"group": "leads"}} {
		for _, test := range []struct {
			list, text string
			words      []string
		}{
			{"members", "group:sre", []string{`members[0]`, `"group:sre" is a group. List it in subgroups`}},
			{"members", "group_id:7", []string{`"group_id:7" is a group. List it in subgroups`}},
			{"members", "role:members", []string{`"role:members" is a group. List it in subgroups`}},
			{"members", "user_id:x", []string{`"user_id:x": a positive number must follow user_id:`}},
			{"members", "user:", []string{`"user:" names no one`}},
			{"members", "user:50", []string{`user_id:50`}},
			{"subgroups", "user:" + lena, []string{`is a user or bot. List it in members`}},
			{"subgroups", "user_id:50", []string{`is a user or bot. List it in members`}},
			{"subgroups", "group_id:sre", []string{`a positive number must follow group_id:`}},
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
func TestProtocolSubgroups_UnusualNames_Resolved(t *testing.T) {
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

// silent is the run with warnings of this kind turned off.
func silent(o *acctest.Organization, run *acctest.Run) *acctest.Run {
	fork := run.Fork()
	fork.Block = o.Block(values{"access_warnings": false})
	return fork
}

// Members of sre administer the channel incidents of the example.
func TestProtocolUserGroup_MembersChanged_AccessWarning(t *testing.T) {
	o, run := managed(t)
	o.NewRun(t, groupType).MustApply(values{"name": "juniors", "members": set(kenji)})
	run.Import("sre", nil).ExpectNoError(t)
	as := func(change values) values { return but(values{"name": "sre"}, change) }
	for name, test := range map[string]struct {
		config values
		want   string
	}{
		"nothing managed":        {as(nil), ""},
		"the same":               {as(values{"members": set(amara, lena)}), ""},
		"another attribute":      {as(values{"description": "On call"}), ""},
		"one instead of another": {as(values{"members": set(amara, kenji)}), acctest.GeneralAccess},
		"a group":                {as(values{"subgroups": set("role:administrators")}), ""}, // they already have the permission
		"a group with somebody":  {as(values{"subgroups": set("role:fullmembers")}), acctest.GeneralAccess},
		"a group that changes":   {as(values{"subgroups": set("group:juniors")}), acctest.GeneralAccess},
		"not known yet":          {as(values{"members": []any{amara, acctest.Unknown}}), acctest.GeneralAccess},
	} {
		t.Run(name, func(t *testing.T) {
			_, diags := run.Plan(test.config)
			diags.ExpectOnlyAccessWarning(t, test.want)
		})
	}
	_, diags := silent(o, run).Plan(as(values{"members": set(amara, kenji)}))
	diags.ExpectOnlyAccessWarning(t, "")
	_, diags = o.NewRun(t, "zulip_user_group").Plan(values{"name": "new", "members": set(kenji)}) // no permission names the group yet
	diags.ExpectOnlyAccessWarning(t, "")
}

func TestProtocolUserGroupMembership_Changed_AccessWarning(t *testing.T) {
	o, run := added(t)
	plan := func(run *acctest.Run, config values, want string) {
		t.Helper()
		_, diags := run.Plan(config)
		diags.ExpectOnlyAccessWarning(t, want)
	}
	both := values{"group": "sre", "members": set(kenji, lena)}
	plan(run, both, acctest.GeneralAccess)
	plan(silent(o, run), both, "")
	plan(run, values{"group": "sre", "members": set(lena)}, "") // she is already in the group
	plan(run, values{"group": "sre", "members": []any{lena, acctest.Unknown}}, acctest.GeneralAccess)
	run.MustApply(both)
	plan(run, both, "")
	plan(run, values{"group": "sre", "members": set(lena)}, acctest.GeneralAccess)
	plan(run, nil, acctest.GeneralAccess) // Lena was in before, and stays
	plan(run, values{"group": "leads", "members": set(kenji)}, acctest.GeneralAccess)
	plan(silent(o, run), nil, "")
}

// The time for members grows linearly with their number: added, planned in another order, removed, and read again,
// also by the data source of the role that all of them have.
func TestProtocolUserGroup_ManyMembers_Linear(t *testing.T) {
	acctest.ExpectLinear(t, 200, func(number int) func() {
		o, people := crowd(t, number)
		run := o.NewRun(t, "zulip_user_group")
		run.MustApply(values{"name": "all", "members": people[:1]})
		backwards := slices.Clone(people)
		slices.Reverse(backwards)
		return func() {
			run.MustApply(values{"name": "all", "members": people})
			empty(t, run, values{"name": "all", "members": backwards})
			run.MustApply(values{"name": "all", "members": people[:number/2]})
			_, diags := run.Process().ReadData("zulip_user_group", values{"name": "role:members"})
			diags.ExpectNoError(t)
		}
	})
}
