package zulip

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A message is for somebody, and stays for them: what is understood of a message, a draft or a scheduled message names
// the same place each time it is asked.

func FuzzDecodeMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"sender_id":8,"content":"Hi","timestamp":1795219006,"type":"stream","stream_id":12,"subject":"news","display_recipient":"general","reactions":[{"emoji_name":"tada","emoji_code":"1f389","reaction_type":"unicode_emoji","user_id":8}]}`,
		`{"id":2,"type":"private","display_recipient":[{"id":8},{"id":9}],"reactions":[null]}`,
		`{"type":"private","stream_id":3,"display_recipient":[]}`, `{"type":"private","display_recipient":"general"}`, `{"type":"private"}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var message Message
		if err := json.Unmarshal(data, &message); err != nil {
			return
		}
		if message.Type == "private" && !message.To().IsDirect() {
			t.Errorf("%s is taken for a message to a channel", data)
		}
		if to := message.To(); !to.Same(message.To(), message.SenderID) {
			t.Errorf("%s is not for whom it is for", data)
		}
		checkContent(t, message.Content)
	})
}

func FuzzDecodeScheduledMessage(f *testing.F) {
	for _, seed := range []string{
		`{"scheduled_message_id":3,"type":"stream","to":12,"topic":"news","content":"Hi","scheduled_delivery_timestamp":1795219006,"failed":false}`,
		`{"scheduled_message_id":4,"type":"private","to":[8,9],"content":"Hi","failed":true}`,
		`{"type":"stream","to":null}`, `{"type":"private","to":null}`, `{"type":"stream","to":[1]}`, `{"type":"private","to":1}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var message ScheduledMessage
		if err := json.Unmarshal(data, &message); err != nil {
			return
		}
		if message.To.IsDirect() != (message.Type != "stream") {
			t.Errorf("%s is for %+v", data, message.To)
		}
		checkContent(t, message.Content)
	})
}

func FuzzDecodeDraft(f *testing.F) {
	for _, seed := range []string{
		`{"id":3,"type":"stream","to":[12],"topic":"news","content":"Hi","timestamp":1795219006}`,
		`{"id":4,"type":"private","to":[8,9],"topic":"","content":"Hi"}`, `{"id":5,"type":"","to":[],"content":"Hi"}`,
		`{"type":"stream","to":[0]}`, `{"type":"stream","to":[1,2]}`, `{"type":"stream","to":null}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var draft Draft
		if err := json.Unmarshal(data, &draft); err != nil {
			return
		}
		checkContent(t, draft.Content)
		to := draft.Addressee()
		written, err := json.Marshal(NewDraft(to, draft.Content))
		if err != nil {
			t.Fatal(err)
		}
		var again Draft
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s is not read back: %v", written, err)
		}
		if !reflect.DeepEqual(again.Addressee(), to) {
			t.Errorf("%s is for %+v, and written again for %+v", data, to, again.Addressee())
		}
	})
}

func FuzzDecodeInvitations(f *testing.F) {
	for _, seed := range []string{
		`[{"id":1,"is_multiuse":true,"invited":1795219006,"expiry_date":1795222606,"invited_as":400,"link_url":"https://chat.example.com/join/x/"},null]`,
		`[{"id":1,"expiry_date":-9223372036854775808,"invited":9223372036854775807}]`, `[{"invited_as":0}]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []*Invitation
		if err := json.Unmarshal(data, &list); err != nil {
			return
		}
		for _, invitation := range withoutNull(list) {
			minutes := invitation.ExpiresInMinutes()
			if minutes != nil && *invitation.ExpiryDate >= invitation.Invited && invitation.Invited >= 0 && *minutes < 0 {
				t.Errorf("%s ends %d minutes before it begins", data, -*minutes)
			}
			_ = invitation.InvitedAs.String()
		}
	})
}

// checkContent checks that the stored form of a text is its own stored form.
func checkContent(t *testing.T, content string) {
	t.Helper()
	if stored := StoredContent(content); StoredContent(stored) != stored {
		t.Errorf("%q is stored as %q, and that as %q", content, stored, StoredContent(stored))
	}
	if stored := StoredTopic(content); StoredTopic(stored) != stored {
		t.Errorf("the topic %q is stored as %q, and that as %q", content, stored, StoredTopic(stored))
	}
}
