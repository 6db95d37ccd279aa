package invitelink_test

import (
	"fmt"
	"net/http"
	"testing"
)

func TestProtocolInviteLinksDataSource(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"invite_as": "guest", "expires_in_minutes": 60})
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "new@example.com", "stream_ids": "[]", "notify_referrer_on_join": "false"})
	found, diags := run.Process().ReadData("zulip_invite_links", values{})
	diags.ExpectNoError(t)
	state := run.State.Values
	want := values{
		"id": state["id"], "link_url": state["link_url"], "invite_as": "guest", "invited_by_user_id": o.Self.ID,
		"invited": state["invited"], "expiry_date": state["expiry_date"],
	}
	if got := found["invite_links"]; fmt.Sprint(got) != fmt.Sprint([]any{want}) {
		t.Errorf("links:\n%v\nwant:\n%v", got, want)
	}
	mails, _ := found["email_invitations"].([]any)
	if len(mails) != 1 {
		t.Fatalf("%d invitations by e-mail, want one", len(mails))
	}
	mail, _ := mails[0].(values)
	if mail["email"] != "new@example.com" || mail["notify_referrer_on_join"] != false || mail["invite_as"] != "member" {
		t.Errorf("by e-mail: %v", mail)
	}
	member, diags := o.As(t, "member").NewRun(t, kind).Process().ReadData("zulip_invite_links", values{})
	diags.ExpectNoError(t)
	if fmt.Sprint(member["invite_links"]) != "[]" {
		t.Errorf("a member sees %v", member["invite_links"])
	}
	_, diags = o.As(t, "bot").NewRun(t, kind).Process().ReadData("zulip_invite_links", values{})
	diags.ExpectError(t, "", "Cannot read the invitations", "The server lets only people do this.")
}
