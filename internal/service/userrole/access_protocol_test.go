package userrole_test

import "testing"

func TestProtocolUserRoleSaysWhatItMeans(t *testing.T) {
	o, run := managed(t)
	const summary = "The role of lena.fischer@example.com changes who can do what"
	const guest = "In announcements and general:\n" +
		"Can no longer add subscribers, join and move messages to other channels: Lena Fischer (lena.fischer@example.com).\n\n" +
		"In incidents:\n" +
		"Can no longer administer the channel, add subscribers, join, remove subscribers and move messages to other channels: Lena Fischer (lena.fischer@example.com)."
	_, diags := run.Plan(values{"user": lena, "role": "guest"})
	diags.ExpectOnlyAccessWarning(t, summary, guest)

	run.MustApply(values{"user": lena, "role": "member", "on_destroy": "guest"})
	_, diags = run.Plan(values{"user": lena, "role": "member", "on_destroy": "guest"})
	diags.ExpectOnlyAccessWarning(t, summary, "")
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, summary, guest)

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(values{"user": lena, "role": "guest"})
	diags.ExpectOnlyAccessWarning(t, summary, "")
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, summary, "")
}

// Whoever is not shown the address of somebody does not take it for another one.
func TestProtocolUserRoleOfAHiddenAddress(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"user": lena, "role": "moderator"})
	member := o.As(t, "member2").NewRun(t, "zulip_user_role")
	member.State = run.State
	member.Refresh()
	if member.State.Values["user"] != lena {
		t.Errorf("the state says %v", member.State.Values["user"])
	}
}
