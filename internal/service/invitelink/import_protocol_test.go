package invitelink_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// An import knows what the server lists. The rest is recorded from the configuration, and nothing is sent for it.
func TestProtocolInviteLinkImport(t *testing.T) {
	o, run := managed(t)
	config := everything(t, o)
	run.MustApply(config)
	made, before := only(t, o), run.State.Values
	sent := o.Sent()
	for _, by := range []struct {
		id       string
		identity values
	}{{id: fmt.Sprint(made.ID)}, {identity: values{"id": made.ID}}} {
		fresh := o.NewRun(t, kind)
		fresh.Import(by.id, by.identity).ExpectNoError(t)
		for _, name := range []string{"channel_ids", "group_ids", "include_realm_default_subscriptions", "welcome_message_custom_text"} {
			if fresh.State.Values[name] != nil {
				t.Errorf("%s is %v, and cannot be known", name, fresh.State.Values[name])
			}
		}
		if plan := fresh.MustPlan(values{"expires_in_minutes": 60}); !plan.Empty() {
			t.Errorf("with what is known the plan changes %v", plan.Changes())
		}
		plan := fresh.MustPlan(config)
		if len(plan.Replace) > 0 {
			t.Fatalf("an imported link is to be replaced because of %v", plan.Replace)
		}
		fresh.MustApply(config)
		if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
			t.Errorf("imported by %v:\n%v\nwant:\n%v", by, fresh.State.Values, before)
		}
		config["welcome_message_custom_text"] = "Welcome!"
		if plan := fresh.MustPlan(config); fmt.Sprint(plan.Replace) != "[welcome_message_custom_text]" {
			t.Errorf("after it was recorded, another text replaces because of %v", plan.Replace)
		}
		config["welcome_message_custom_text"] = "Hello!"
	}
	sent.Expect(t)
	if only(t, o).ID != made.ID {
		t.Error("the link was replaced")
	}
	imported := o.NewRun(t, kind)
	imported.Import(fmt.Sprint(made.ID), nil).ExpectNoError(t)
	_, diags := imported.Plan(values{})
	diags.ExpectError(t, "channel_ids", "The channels of the imported link are not known", "the new link would have none")
	if plan := imported.MustPlan(values{"channel_ids": []any{}}); fmt.Sprint(plan.Replace) != "[expires_in_minutes]" {
		t.Errorf("what can be read and differs replaces: %v", plan.Replace)
	}
}

func TestProtocolInviteLinkImportRefused(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{})
	link := only(t, o).LinkURL
	diags := o.NewRun(t, kind).Import(link, nil)
	diags.ExpectError(t, "", "Cannot import this invitation link", "zulip_invite_links")
	if strings.Contains(diags.String(), link) {
		t.Error("the message shows the link")
	}
	o.NewRun(t, kind).Import("999999", nil).ExpectError(t, "", "Cannot import this invitation link", "999999")
	o.Call(t, http.MethodPost, "/invites", map[string]string{"invitee_emails": "new1@example.com,new2@example.com", "stream_ids": "[]"})
	all, err := o.Client.Invitations(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, mail := range all {
		if !mail.IsMultiuse && mail.ID != only(t, o).ID {
			o.NewRun(t, kind).Import(fmt.Sprint(mail.ID), nil).ExpectError(t, "", "invitations by e-mail have IDs of their own")
			return
		}
	}
	t.Error("no invitation by e-mail has an ID that no link has")
}
