package usergroup_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// crowd is an organization with many members.
func crowd(t *testing.T, count int) (o *acctest.Organization, people []any) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range count {
		email := fmt.Sprintf("m%d@example.com", i)
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: email, FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
		people = append(people, email)
	}
	return acctest.StartSandbox(t, sandbox.Config{Accounts: accounts}), people
}

// Five thousand members are planned, written in one request and read again in linear time, in whatever order they are written.
func TestProtocolLargeGroups(t *testing.T) {
	const count = 5000
	for name, config := range map[string]func(people []any) values{
		"zulip_user_group": func(people []any) values { return values{"name": "all", "members": people} },
		"zulip_user_group_membership": func(people []any) values {
			return values{"group": "hall", "members": people}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, people := crowd(t, count)
			made(t, o, "zulip_user_group", values{"name": "hall"})
			began := time.Now()
			lap := func(what string) {
				t.Logf("%s: %.1fs", what, time.Since(began).Seconds())
				began = time.Now()
			}
			run := o.NewRun(t, name)
			sent := o.Sent()
			plan := run.MustPlan(config(people))
			lap("plan")
			run.Apply(plan).ExpectNoError(t)
			lap("apply")
			if writes := sent.Writes(); len(writes) != 1 {
				t.Errorf("%d writes", len(writes))
			}
			if !reflect.DeepEqual(run.State.Values["members"], people) {
				t.Error("the state does not keep the order that is written")
			}
			backwards := slices.Clone(people)
			slices.Reverse(backwards)
			empty(t, run, config(backwards))
			lap("plan in another order")
			sent = o.Sent()
			plan = run.MustPlan(config(backwards[1:]))
			lap("plan of a change")
			run.Apply(plan).ExpectNoError(t)
			lap("apply of a change")
			expectParams(t, sent, map[string]string{"delete": text(t, ids(t, o, people[count-1].(string)))})
			empty(t, run, config(people[:count-1]))
			data, diags := run.Process().ReadData("zulip_user_groups", values{})
			diags.ExpectNoError(t)
			lap("data source " + fmt.Sprint(len(data["groups"].([]any)), " groups"))
		})
	}
}
