package subscription_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func texts(all ...string) []any {
	list := []any{}
	for _, text := range all {
		list = append(list, text)
	}
	return list
}

// taken is a resource that takes over a channel with everybody who is in it.
func taken(t *testing.T, o *acctest.Organization, channel string) *acctest.Run {
	t.Helper()
	run := o.NewRun(t, exclusiveType)
	run.Import(channel, nil).ExpectNoError(t)
	return run
}

// A channel follows a group by reference: whichever order the CLI chooses, a private channel is not emptied by an apply in
// which the group's members come later.
func TestProtocolAGroupThatIsFilledLaterEmptiesNoChannel(t *testing.T) {
	const groupType, membershipType = "zulip_user_group", "zulip_user_group_membership"
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	people := taken(t, o, "vault")

	// The group is created in this apply, and a data source reads it when it is still empty. Whom that means was not known
	// at plan: nobody leaves.
	plan, diags := people.Plan(values{"channel": "vault", "users": acctest.Unknown})
	diags.ExpectWarning(t, "users", `The subscribers of channel "vault" wait for the next apply`)
	if !plan.Empty() && fmt.Sprint(plan.Changes()) != "[channel]" {
		t.Errorf("with users that are not known the plan changes %v", plan.Changes())
	}
	group, membership := o.NewRun(t, groupType), o.NewRun(t, membershipType)
	group.MustApply(values{"name": "press"})
	read, diags := people.Process().ReadData(groupType, values{"name": "press"})
	diags.ExpectNoError(t)
	if all := read["all_members"].([]any); len(all) != 0 {
		t.Fatalf("in the new group are %v", all)
	}
	expectIn(t, o, "vault", owner, admin, member)

	// The next plan lists who would leave, and refuses to lock the account out.
	_, diags = people.Plan(values{"channel": "vault", "users": read["all_members"]})
	diags.ExpectError(t, "users", "lock the provider out")

	// By reference to the membership it is exact, in the same apply.
	p := people.Process()
	_, diags = p.Plan(membershipType, nil, values{"group": "press", "members": texts(owner, admin)})
	diags.ExpectNoError(t)
	membership.MustApply(values{"group": "press", "members": texts(owner, admin)})
	people.MustApply(values{"channel": "vault", "users": membership.State.Values["members"]})
	expectIn(t, o, "vault", owner, admin)
}

// A new resource takes nobody out of a channel that is there, whatever was known at plan: the plan would not have listed them.
func TestProtocolANewResourceTakesNobodyOut(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	run := o.NewRun(t, exclusiveType)
	_, diags := run.Plan(values{"channel": "vault", "users": texts(owner)})
	diags.ExpectError(t, "users", `2 would leave channel "vault" whom no plan lists`, admin, member, "import {")

	// Not known at plan: the apply stops.
	sent := o.Sent()
	if _, diags := run.Plan(values{"channel": "vault", "users": acctest.Unknown}); len(diags) > 0 {
		t.Errorf("reported: %v", diags)
	}
	_, diags = run.Plan(values{"channel": "vault", "users": []any{}})
	diags.ExpectError(t, "users", "whom no plan lists")
	sent.Expect(t)

	// Who came since the plan stays too, and it is said.
	plan := run.MustPlan(values{"channel": "vault", "users": texts(owner, admin, member)})
	p := run.Process()
	again, diags := p.Plan(exclusiveType, nil, plan.Config)
	diags.ExpectNoError(t)
	subscribe(t, o, "vault", guest)
	sent = o.Sent()
	_, diags = p.Apply(again)
	diags.ExpectError(t, "users", "1 would leave", guest)
	sent.Expect(t)
	expectIn(t, o, "vault", owner, admin, member, guest)
}

// What lets the account in again is looked at when the request is made, not when the plan was: another resource of the same
// run may have taken it away in between.
func TestProtocolLockoutIsCheckedAgainBeforeTheRequest(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	group := o.NewRun(t, "zulip_user_group")
	group.MustApply(values{"name": "keepers", "members": texts(owner, admin)})
	channel := o.NewRun(t, "zulip_channel")
	channel.MustApply(values{"name": "vault", "privacy": "private_shared_history", "can_subscribe_group": []any{"group:keepers"}, "initial_subscribers": texts(owner, admin)})
	people := taken(t, o, "vault")
	config := values{"channel": "vault", "users": texts(admin)}
	plan := people.MustPlan(config) // the group keepers lets the account in again

	p := people.Process()
	again, diags := p.Plan(exclusiveType, plan.Prior, config)
	diags.ExpectNoError(t)
	planned := group.MustPlan(values{"name": "keepers", "members": texts(admin)})
	group.ApplyIn(p, planned).ExpectNoError(t) // the same run takes the account out of the group
	sent := o.Sent()
	_, diags = p.Apply(again)
	diags.ExpectError(t, "users", "lock the provider out")
	sent.Expect(t)
	expectIn(t, o, "vault", owner, admin)
}

// Words that are known in part list who leaves at most.
func TestProtocolUsersKnownInPart(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	private(t, o, "vault", nil, owner, admin, member)
	people := taken(t, o, "vault")
	plan, diags := people.Plan(values{"channel": "vault", "users": []any{owner, acctest.Unknown}})
	diags.ExpectNoError(t)
	if got := fmt.Sprint(plan.Values["users"]); !strings.Contains(got, "known after apply") {
		t.Errorf("planned: %s", got)
	}
}
