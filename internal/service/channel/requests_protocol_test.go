package channel_test

import (
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolRequestsOfAChange: a change is one request, or two where permissions change too: the server carries out the
// parts of a request one after the other, permissions last (server-behavior §C10), and if it refuses one of them
// nothing else is to have changed. Beside them the channels are read before and after.
func TestProtocolRequestsOfAChange(t *testing.T) {
	base := values{"name": "counted", "description": "As it was", "privacy": "public", "can_send_message_group": who("role:everyone")}
	for name, test := range map[string]struct {
		change values
		want   []string
	}{
		"the description":         {values{"description": "New"}, []string{"PATCH description"}},
		"all but permissions":     {values{"name": "renamed", "description": "New", "is_default": true, "message_retention_days": "30"}, []string{"PATCH description is_default_stream message_retention_days new_name"}},
		"a permission":            {values{"can_send_message_group": who("role:moderators")}, []string{"PATCH can_send_message_group"}},
		"several permissions":     {values{"can_send_message_group": who("role:moderators"), "can_add_subscribers_group": who("role:members"), "can_resolve_topics_group": who("role:members")}, []string{"PATCH can_add_subscribers_group can_resolve_topics_group can_send_message_group"}},
		"both":                    {values{"description": "New", "can_send_message_group": who("role:moderators")}, []string{"PATCH can_send_message_group", "PATCH description"}},
		"as much as can be":       {values{"name": "renamed", "description": "New", "topics_policy": "allow_empty_topic", "can_send_message_group": who("role:moderators"), "can_delete_any_message_group": who("role:moderators")}, []string{"PATCH can_delete_any_message_group can_send_message_group", "PATCH description new_name topics_policy"}},
		"nothing, in other words": {values{"can_send_message_group": who("role:everyone"), "description": "As it was"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			run.MustApply(base)
			plan := run.MustPlan(but(base, test.change))
			sent := o.Sent()
			run.Apply(plan).ExpectNoError(t)
			sent.Expect(t, test.want...)
			if reads := count(sent.Requests(), http.MethodGet, "/streams"); len(test.want) > 0 && reads != 2 {
				t.Errorf("the channels were read %d times", reads)
			}
		})
	}
}

// TestProtocolRequestsOfCreationAndEnd: one request each, and after the creation one that reads.
func TestProtocolRequestsOfCreationAndEnd(t *testing.T) {
	o, run := managed(t)
	config := values{
		"name": "counted", "description": "Made", "privacy": "private_shared_history", "can_send_message_group": who("role:moderators"),
		"can_add_subscribers_group": who("role:moderators", "user:lena.fischer@example.com"),
	}
	sent := o.Sent()
	run.MustApply(config)
	if made, reads := len(sent.Writes()), count(sent.Requests(), http.MethodGet, "/streams"); made != 1 || reads != 1 {
		t.Errorf("%d writes and %d reads: %s", made, reads, sent.Words())
	}
	plan := run.MustPlan(nil)
	sent = o.Sent()
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "DELETE")
	if reads := count(sent.Requests(), http.MethodGet, "/streams") + count(sent.Requests(), http.MethodPost, "/register"); reads != 0 {
		t.Errorf("read %d times to archive one channel", reads)
	}
}

func count(requests []sandbox.Request, method, path string) (n int) {
	for _, request := range requests {
		if request.Method == method && request.Path == path {
			n++
		}
	}
	return n
}

// TestProtocolFailureIsExplainedOnce: many channels that cannot be read have one cause, and one message says it.
func TestProtocolFailureIsExplainedOnce(t *testing.T) {
	o, run := managed(t)
	run.MustApply(values{"name": "unread"})
	p := run.Process()
	heal := o.Sandbox.Fail(sandbox.Fault{Method: http.MethodPost, Path: "/register", Action: sandbox.FaultStatus, Status: http.StatusBadRequest})
	defer heal()
	sent := o.Sent()
	for i := range 30 {
		_, diags := p.Read("zulip_channel", run.State)
		if len(diags.Errors()) != 1 {
			t.Fatalf("%d errors: %v", len(diags.Errors()), diags)
		}
		detail, isTold := diags.Errors()[0].Detail, "The organization could not be read: another message of this run says why."
		if told := detail == isTold; told != (i > 0) {
			t.Errorf("channel %d: %s", i, detail)
		}
	}
	if asked := count(sent.Requests(), http.MethodPost, "/register"); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
