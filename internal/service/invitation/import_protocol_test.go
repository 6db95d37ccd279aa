package invitation_test

import (
	"fmt"
	"strings"
	"testing"
)

// An import knows what the server lists. The rest is recorded from the configuration, and nothing is sent for it.
func TestProtocolInvitationImport(t *testing.T) {
	o, run := managed(t)
	config := everything(t, o)
	run.MustApply(config)
	made, before := only(t, o), run.State.Values
	sent := o.Sent()
	for _, by := range []struct {
		id       string
		identity values
	}{{id: strings.ToUpper(nadia)}, {identity: values{"id": nadia}}} {
		fresh := o.NewRun(t, kind)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		for _, name := range []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"} {
			if fresh.State.Values[name] != nil {
				t.Errorf("%s is %v, and cannot be known", name, fresh.State.Values[name])
			}
		}
		if plan := fresh.MustPlan(values{"email": nadia, "expires_in_minutes": 60}); !plan.Empty() {
			t.Errorf("with what is known the plan changes %v", plan.Changes())
		}
		fresh.MustApply(config)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
	}
	partly := o.NewRun(t, kind)
	partly.Import(nadia, nil).ExpectNoError(t)
	partly.MustApply(values{"email": nadia, "expires_in_minutes": 60, "welcome_message_custom_text": "Hello!"})
	sent.Expect(t)
	if only(t, o).ID != made.ID {
		t.Error("another invitation was sent")
	}
	partly.MustApply(values{"email": nadia, "expires_in_minutes": 60, "welcome_message_custom_text": "Welcome!"})
	if only(t, o).ID == made.ID {
		t.Error("after it was recorded, another text sends nothing")
	}
}

// Whoever has an account is imported as somebody who has joined.
func TestProtocolInvitationImportAccepted(t *testing.T) {
	o, run := managed(t)
	sent := o.Sent()
	run.Import("lena.fischer@example.com", nil).ExpectNoError(t)
	if run.State.Values["status"] != "accepted" || run.State.Values["user_id"] == nil {
		t.Errorf("the state holds %v", run.State.Values)
	}
	config := values{"email": "lena.fischer@example.com", "channel_ids": []any{o.MustChannel(t, "general").ID}}
	run.MustApply(config)
	sent.Expect(t)
}

func TestProtocolInvitationImportRefused(t *testing.T) {
	o, _ := managed(t)
	o.NewRun(t, kind).Import(nadia, nil).ExpectError(t, "", "Cannot import this invitation", nadia, "zulip_invite_links")
	o.NewRun(t, kind).Import("terraform-bot@zulip.example.com", nil).ExpectError(t, "", "Cannot import this invitation")
}

// The list has each address once, and no links.
func TestProtocolInvitationList(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"email": nadia})
	inviteByHand(t, o, "admin", strings.ToUpper(nadia))
	inviteByHand(t, o, "admin", "else@example.com")
	var names []string
	for _, one := range run.Process().List(kind, values{}, 0, true) {
		names = append(names, fmt.Sprint(one.DisplayName, " ", one.Identity["id"]))
	}
	if want := []string{"else@example.com else@example.com", strings.ToUpper(nadia) + " " + strings.ToUpper(nadia)}; fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("listed are %q, want %q", names, want)
	}
}
