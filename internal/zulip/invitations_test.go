package zulip

import "testing"

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
	_, err := w.client.CreateInviteLink(w.ctx, NewInviteLink{})
	if !MayHaveHappened(err) {
		t.Errorf("%v: it may have happened", err)
	}
	w.expectSent(t, 1)
	if got, want := w.requests()[0].body, "invite_expires_in_minutes=null"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	w = newWire(t, json200(ok))
	if _, err := w.client.CreateInviteLink(w.ctx, NewInviteLink{}); !MayHaveHappened(err) {
		t.Errorf("an answer without a link: %v", err)
	}
}
