package invitations_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// If the link no longer exists during apply, it is not revoked again, and no other link is revoked.
func TestProtocolInviteLink_ChangedSincePlan(t *testing.T) {
	revoked := func(t *testing.T, o *acctest.Organization, _ func(time.Duration)) {
		t.Helper()
		o.WithAccount(t, "admin").Call(t, http.MethodDelete, fmt.Sprint("/invites/multiuse/", inviteLinkOnly(t, o).ID), nil)
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, o *acctest.Organization, pass func(time.Duration))
		sent   []string
		holds  int // besides the new link of a replacement
	}{
		"unchanged": {func(*testing.T, *acctest.Organization, func(time.Duration)) {}, []string{"DELETE"}, 0},
		"revoked":   {revoked, nil, 0},
		"replaced": {func(t *testing.T, o *acctest.Organization, pass func(time.Duration)) {
			t.Helper()
			revoked(t, o, pass)
			o.WithAccount(t, "admin").Call(t, http.MethodPost, "/invites/multiuse", map[string]string{"invite_as": "600", "invite_expires_in_minutes": "60"})
		}, nil, 1},
		"expired": {func(_ *testing.T, _ *acctest.Organization, pass func(time.Duration)) { pass(2 * time.Hour) }, nil, 0},
	} {
		for _, isReplaced := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " replace=", isReplaced), func(t *testing.T) {
				var ahead atomic.Int64
				o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
				run := o.NewRun(t, inviteLinkKind)
				run.MustApply(values{"invite_as": "guest", "expires_in_minutes": 60})
				p := run.Process()
				end, diags := p.Plan(inviteLinkKind, run.State, nil)
				diags.ExpectNoError(t)
				c.change(t, o, func(d time.Duration) { ahead.Store(int64(d)) })
				sent, want := o.Sent(), c.sent
				_, diags = run.Process().Apply(end)
				diags.ExpectNoError(t)
				if isReplaced {
					plan, diags := p.Plan(inviteLinkKind, nil, values{"invite_as": "member"})
					diags.ExpectNoError(t)
					made, diags := p.Apply(plan)
					diags.ExpectNoError(t)
					if made == nil || made.Values["invite_as"] != "member" {
						t.Errorf("the state holds %v", made)
					}
					want = append(want, "POST")
				}
				if got := sentMethods(sent); got != methodsOf(want) {
					t.Errorf("sent %q, want %q", got, want)
				}
				expected := c.holds
				if isReplaced {
					expected++
				}
				if left := len(links(t, o)); left != expected {
					t.Errorf("the server holds %d links, want %d", left, expected)
				}
			})
		}
	}
}

// A link that the server does not show to the account stays in the state, because it may not be revoked.
func TestProtocolInviteLink_NotShown_NotDestroyed(t *testing.T) {
	o, run := acctest.StartRun(t, inviteLinkKind)
	run.MustApply(values{})
	p := o.WithAccount(t, "member").NewRun(t, inviteLinkKind).Process()
	plan, diags := p.Plan(inviteLinkKind, run.State, nil) // without a refresh
	diags.ExpectNoError(t)
	state, diags := p.Apply(plan)
	diags.ExpectError(t, "", fmt.Sprint("Cannot revoke invitation link ", run.State.Values["id"]), "does not show it", "Nothing was changed", "terraform state rm")
	if state == nil {
		t.Error("the link is not in the state any more, and people can still join by it")
	}
	inviteLinkOnly(t, o)
}

// sentMethods are the methods of the writes, sorted.
func sentMethods(sent *acctest.Sent) string { return methodsOf(sent.Words()) }

func methodsOf(words []string) string {
	var methods []string
	for _, word := range words {
		method, _, _ := strings.Cut(word, " ")
		methods = append(methods, method)
	}
	return strings.Join(methods, " ")
}
