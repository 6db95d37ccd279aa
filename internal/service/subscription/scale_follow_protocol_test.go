package subscription_test

import (
	"testing"
	"time"
)

// A role of five thousand is read, and planned as users, in a time that a plan may take.
func TestProtocolAChannelFollowsALargeGroup(t *testing.T) {
	const count = 500
	o, users := crowd(t, count)
	began := time.Now()
	lap := func(what string) {
		t.Logf("%s: %.1fs", what, time.Since(began).Seconds())
		began = time.Now()
	}
	read, diags := o.NewRun(t, "zulip_user_group").Process().ReadData("zulip_user_group", values{"name": "role:members"})
	diags.ExpectNoError(t)
	lap("data source of a role")
	if all := read["all_members"].([]any); len(all) < count {
		t.Errorf("in the role are %d", len(all))
	}
	people := o.NewRun(t, exclusiveType)
	people.MustApply(values{"channel": "hall", "users": read["all_members"]})
	lap("subscribers, plan + apply + plan")
	group := o.NewRun(t, "zulip_user_group")
	plan := group.MustPlan(values{"name": "all", "members": users})
	lap("group of 5000 members, plan")
	group.Apply(plan).ExpectNoError(t)
	lap("group of 5000 members, apply")
	if plan := group.MustPlan(values{"name": "all", "members": users[1:]}); plan.Empty() {
		t.Error("nothing is planned")
	}
	lap("group of 5000 members, plan of a change")
}
