package user_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestProtocolUserSaysWhatARoleMeans(t *testing.T) {
	o, run := managed(t)
	run.MustApply(nadia(nil))
	const summary = "The role of Nadia.Haddad@example.com changes who can do what"
	_, diags := run.Plan(nadia(values{"role": "moderator"}))
	diags.ExpectOnlyAccessWarning(t, summary, "In announcements:\nCan now post and start topics: Nadia Haddad (Nadia.Haddad@example.com).")

	_, diags = run.Plan(nadia(values{"full_name": "Nadia H."}))
	diags.ExpectOnlyAccessWarning(t, summary, "")

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(nadia(values{"role": "moderator"}))
	diags.ExpectOnlyAccessWarning(t, summary, "")
}

// Who is deactivated takes the bots along, and a channel can be left with nobody who may post.
func TestProtocolUserSaysWhatDeactivationMeans(t *testing.T) {
	o, run := managed(t)
	run.MustApply(nadia(nil))
	nadia := held(t, o, run)
	o.Change(t, "general", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"can_send_message_group": {New: zulip.GroupSettingValue{DirectMembers: []int64{nadia.ID}}},
	}})
	_, diags := run.Plan(nil)
	const summary = "Deactivating Nadia.Haddad@example.com changes who can do what"
	diags.ExpectOnlyAccessWarning(t, summary, "Nadia.Haddad@example.com loses every right, until the account is reactivated.\n\n"+
		"In general:\nNobody is left who can post and start topics.")

	run.Block = o.Block(values{"access_warnings": false})
	_, diags = run.Plan(nil)
	diags.ExpectOnlyAccessWarning(t, summary, "")
}
