package invitelink_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

const kind = "zulip_invite_link"

// managed gives a test a sandbox and one zulip_invite_link to manage in it, which does not exist yet.
func managed(t *testing.T) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, kind)
	return o, run
}

// links are the usable links, by ID.
func links(t *testing.T, o *acctest.Organization) []*zulip.Invitation {
	t.Helper()
	all, err := o.Client.Invitations(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(one *zulip.Invitation) bool { return !one.IsMultiuse })
	slices.SortFunc(all, func(a, b *zulip.Invitation) int { return int(a.ID - b.ID) })
	return all
}

// only returns the one link there is.
func only(t *testing.T, o *acctest.Organization) *zulip.Invitation {
	t.Helper()
	all := links(t, o)
	if len(all) != 1 {
		t.Fatalf("there are %d links, want one", len(all))
	}
	return all[0]
}

// everything is a configuration with every attribute.
func everything(t *testing.T, o *acctest.Organization) values {
	t.Helper()
	return values{
		"expires_in_minutes": int64(60), "invite_as": "guest", "channel_ids": []any{o.MustChannel(t, "general").ID},
		"group_ids": []any{o.Group(t, "newcomers")}, "include_realm_default_subscriptions": true, "welcome_message_custom_text": "Hello!",
	}
}

func TestProtocolInviteLinkLives(t *testing.T) {
	o, run := managed(t)
	config := everything(t, o)
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "POST group_ids include_realm_default_subscriptions invite_as invite_expires_in_minutes stream_ids welcome_message_custom_text")
	made := only(t, o)
	if made.LinkURL != run.State.Values["link_url"] || made.ID != run.State.Values["id"] || made.InvitedAs != zulip.RoleGuest {
		t.Errorf("the server holds %+v, the state %v", made, run.State.Values)
	}
	for name, value := range map[string]any{
		"expires_in_minutes": nil, "invite_as": "member", "channel_ids": []any{}, "group_ids": []any{},
		"include_realm_default_subscriptions": false, "welcome_message_custom_text": "",
	} {
		changed := values{}
		for other, as := range config {
			changed[other] = as
		}
		changed[name] = value
		if plan := run.MustPlan(changed); fmt.Sprint(plan.Replace) != "["+name+"]" {
			t.Errorf("another %s: to be replaced because of %v", name, plan.Replace)
		}
	}
	sent = o.Sent()
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	if left := links(t, o); len(left) != 0 {
		t.Errorf("%d links are left", len(left))
	}
}

// What is left out is left to the server, but for the end: null is never. Set later on it is another link.
func TestProtocolInviteLinkBare(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.MustApply(values{})
	sent.Expect(t, "POST invite_expires_in_minutes")
	if made := only(t, o); made.ExpiryDate != nil || made.InvitedAs != zulip.RoleMember {
		t.Errorf("the server holds %+v", made)
	}
	want := values{
		"invite_as": "member", "channel_ids": []any{}, "group_ids": []any{}, "include_realm_default_subscriptions": false,
		"welcome_message_custom_text": nil, "expires_in_minutes": nil, "expiry_date": nil, "invited_by_user_id": o.Self.ID,
	}
	for name, value := range want {
		if got := run.State.Values[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	for name, value := range everything(t, o) {
		if plan := run.MustPlan(values{name: value}); fmt.Sprint(plan.Replace) != "["+name+"]" {
			t.Errorf("%s: to be replaced because of %v", name, plan.Replace)
		}
	}
	if plan := run.MustPlan(values{"invite_as": "member", "channel_ids": []any{}}); !plan.Empty() {
		t.Errorf("the same in words: plans %v", plan.Changes())
	}
}

// Revoked by hand, or expired: gone, and made again.
func TestProtocolInviteLinkGone(t *testing.T) {
	var ahead atomic.Int64
	o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	run := o.NewRun(t, kind)
	config := values{"expires_in_minutes": 5}
	run.MustApply(config)
	first := only(t, o)
	if err := o.Client.RevokeInviteLink(context.Background(), first.ID); err != nil {
		t.Fatal(err)
	}
	run.MustApply(config)
	second := only(t, o)
	ahead.Store(int64(6 * time.Minute))
	run.MustApply(config)
	if third := only(t, o); first.ID == second.ID || second.ID == third.ID {
		t.Error("a link that was gone was not made again")
	}
	gone := run.MustPlan(nil)
	if err := o.Client.RevokeInviteLink(context.Background(), only(t, o).ID); err != nil {
		t.Fatal(err)
	}
	run.Apply(gone).ExpectNoError(t)
}
