package zulip

import (
	"errors"
	"testing"
)

// The server says when a link was created and when it ends, in whole seconds that may be rounded apart
// (server-behavior §U17).
func TestInvitationExpiresInMinutes(t *testing.T) {
	for _, c := range []struct{ invited, expires, want int64 }{
		{1795219006, 1795222606, 60}, {1795219006, 1795222605, 60}, {1795219006, 1795222607, 60},
		{1795219006, 1795219066, 1}, {1795219006, 1796083006, 14400},
	} {
		got := (&Invitation{Invited: c.invited, ExpiryDate: &c.expires}).ExpiresInMinutes()
		if got == nil || *got != c.want {
			t.Errorf("from %d to %d: %v, want %d", c.invited, c.expires, got, c.want)
		}
	}
	if got := (&Invitation{Invited: 1795219006}).ExpiresInMinutes(); got != nil {
		t.Errorf("without an end: %d", *got)
	}
}

// A link is asked for once: every time is another link. null is sent, for left out it would be ten days.
func TestCreateInviteLink(t *testing.T) {
	w := newWire(t, first(refusal(500, "", "Internal server error")))
	_, err := w.client.CreateInviteLink(w.ctx, InviteTerms{})
	if !MayHaveHappened(err) {
		t.Errorf("%v: it may have happened", err)
	}
	w.expectSent(t, 1)
	if got, want := w.requests()[0].body, "invite_expires_in_minutes=null"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	w = newWire(t, json200(ok))
	if _, err := w.client.CreateInviteLink(w.ctx, InviteTerms{}); !MayHaveHappened(err) {
		t.Errorf("an answer without a link: %v", err)
	}
}

// An invitation is sent once: every time is another mail. Channels are sent even if there are none.
func TestInvite(t *testing.T) {
	w := newWire(t, first(refusal(500, "", "Internal server error")))
	if err := w.client.Invite(w.ctx, NewInvitation{Email: "new+1@example.com"}); !MayHaveHappened(err) {
		t.Errorf("%v: it may have happened", err)
	}
	w.expectSent(t, 1)
	if got, want := w.requests()[0].body, "invite_expires_in_minutes=null&invitee_emails=new%2B1%40example.com&stream_ids=%5B%5D"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	no, guest, minutes := false, RoleGuest, int64(60)
	w = newWire(t, json200(ok))
	err := w.client.Invite(w.ctx, NewInvitation{
		Email: "a@example.com", NotifyReferrerOnJoin: &no, InviteTerms: InviteTerms{ExpiresInMinutes: &minutes, InviteAs: &guest, ChannelIDs: []int64{7}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.requests()[0].body, "invite_as=600&invite_expires_in_minutes=60&invitee_emails=a%40example.com&notify_referrer_on_join=false&stream_ids=%5B7%5D"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// Why an address was not invited stands in a list beside the message.
func TestInviteProblem(t *testing.T) {
	for body, want := range map[string]string{
		`{"result":"error","code":"INVITATION_FAILED","msg":"We weren't able to invite anyone.","errors":[["a@example.com","Already has an account.",false]],"sent_invitations":false}`: HasAccount,
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com","Account has been deactivated.",true]]}`:                                                     HasDeactivatedAccount,
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[]}`:                                                                                                           "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com"]]}`:                                                                                          "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x","errors":[["a@example.com",7]]}`:                                                                                        "",
		`{"result":"error","code":"INVITATION_FAILED","msg":"x"}`:                                                                                                                       "",
		`{"result":"error","code":"BAD_REQUEST","msg":"x","errors":[["a@example.com","Already has an account.",false]]}`:                                                                "",
	} {
		w := newWire(t, always(400, "application/json", body))
		if got := InviteProblem(w.client.Invite(w.ctx, NewInvitation{Email: "a@example.com"})); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	if got := InviteProblem(errors.New("no answer")); got != "" {
		t.Errorf("no answer: %q", got)
	}
}

// An invitation that is gone is revoked.
func TestRevokeInvitation(t *testing.T) {
	w := newWire(t, always(400, "application/json", `{"result":"error","code":"BAD_REQUEST","msg":"No such invitation"}`))
	if err := w.client.RevokeInvitation(w.ctx, 7); err != nil {
		t.Error(err)
	}
	if got := w.requests()[0]; got.method != "DELETE" || got.path != "/api/v1/invites/7" {
		t.Errorf("sent %+v", got)
	}
	w = newWire(t, always(400, "application/json", `{"result":"error","code":"BAD_REQUEST","msg":"Must be an organization administrator"}`))
	if err := w.client.RevokeInvitation(w.ctx, 7); err == nil {
		t.Error("a refusal is no error")
	}
}
