package message_test

import (
	"fmt"
	"net/http"
	"testing"
)

func TestProtocolMessageHistory(t *testing.T) {
	o, run := managed(t)
	run.MustApply(inTopic("rules", "Be kind."))
	byHand(t, o, run, map[string]string{"content": "Be loud."})
	byHand(t, o, run, map[string]string{"topic": "laws", "propagate_mode": "change_one"})
	p := run.Process()
	read, diags := p.ReadData("zulip_message_history", values{"message_id": run.State.Values["id"]})
	diags.ExpectNoError(t)
	got := []string{}
	list, _ := read["message_history"].([]any)
	for _, one := range list {
		s, _ := one.(values)
		got = append(got, fmt.Sprintf("%v<-%v in %v<-%v by %v", s["content"], s["prev_content"], s["topic"], s["prev_topic"], s["user_id"] == o.Self.ID))
		if s["timestamp"] == "" || s["timestamp"] == nil {
			t.Errorf("no time: %v", s)
		}
	}
	want := []string{
		"Be kind.<-<nil> in rules<-<nil> by true",
		"Be loud.<-Be kind. in rules<-<nil> by true",
		"Be loud.<-<nil> in laws<-rules by true",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read:\n%q\nwant:\n%q", got, want)
	}
	_, diags = p.ReadData("zulip_message_history", values{"message_id": 1})
	diags.ExpectError(t, "message_id", "The message is gone")
	o.Call(t, http.MethodPatch, "/realm", map[string]string{"message_edit_history_visibility_policy": "none"})
	_, diags = p.ReadData("zulip_message_history", values{"message_id": run.State.Values["id"]})
	diags.ExpectError(t, "message_id", "message_edit_history_visibility_policy")
}
