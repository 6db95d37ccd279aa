package usergroup_test

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

// The tests called TestProtocol… drive the resources through the plugin protocol, in this process and without a CLI. The
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

// managed gives a test a sandbox and one zulip_user_group to manage in it, which does not exist yet.
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

// sorted is a list from a state in the order of its texts, as set has it.
func sorted(list any) []any {
	var texts []string
	for _, element := range list.([]any) {
		texts = append(texts, element.(string))
	}
	return set(texts...)
}

// set is a set of words, in order as states come back.
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

// group reads a group as the server holds it now; nil if there is none of the name.
func group(t *testing.T, o *acctest.Organization, name string) *zulip.UserGroup {
	t.Helper()
	groups, err := o.Client.UserGroups(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range groups {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// id returns the number of a group, or of a person of the example by the address.
func id(t *testing.T, o *acctest.Organization, word string) int64 {
	t.Helper()
	if found := group(t, o, word); found != nil {
		return found.ID
	}
	snapshot, err := o.Client.Register(context.Background(), []string{zulip.FetchUsers})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range snapshot.Users {
		if user.Address() == word {
			return user.ID
		}
	}
	t.Fatalf("there is no %q", word)
	return 0
}

// ids are the numbers of people or groups, ascending.
func ids(t *testing.T, o *acctest.Organization, words ...string) []int64 {
	t.Helper()
	all := []int64{}
	for _, word := range words {
		all = append(all, id(t, o, word))
	}
	slices.Sort(all)
	return all
}

// text is a value as the wire has it.
func text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// change writes the change of a permission as the wire has it.
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

// alter changes a group by hand, and members who is in it.
func alter(t *testing.T, o *acctest.Organization, name string, update zulip.UserGroupUpdate) {
	t.Helper()
	if _, err := o.Client.UpdateUserGroup(context.Background(), id(t, o, name), update); err != nil {
		t.Fatal(err)
	}
}

func members(t *testing.T, o *acctest.Organization, name string, change zulip.MembershipChange) {
	t.Helper()
	if err := o.Client.ChangeUserGroupMembership(context.Background(), id(t, o, name), change); err != nil {
		t.Fatal(err)
	}
}

func deactivateUser(t *testing.T, o *acctest.Organization, address string) {
	t.Helper()
	o.Call(t, http.MethodDelete, fmt.Sprintf("/users/%d", id(t, o, address)), nil)
}

// holds fails the test unless a group is active and holds exactly these people and groups.
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

// empty fails the test if there is anything to do.
func empty(t *testing.T, run *acctest.Run, config values) {
	t.Helper()
	if plan := run.MustPlan(config); !plan.Empty() {
		t.Errorf("there is still something to do: %v", plan.Changes())
	}
}

// fail puts one fault in force.
func fail(t *testing.T, o *acctest.Organization, text string) {
	t.Helper()
	rule, err := sandbox.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	o.Sandbox.Fail(rule)
}

func role(t *testing.T, o *acctest.Organization, name string) zulip.GroupSettingValue {
	t.Helper()
	return zulip.NamedGroup(id(t, o, "role:"+name))
}
