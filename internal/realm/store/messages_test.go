package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The failure to read one message is that of who asked for it.
func TestMessageThatCannotBeRead(t *testing.T) {
	d, client, server := newStore(t)
	var ids []int64
	for range 2 {
		id, err := client.SendMessage(t.Context(), zulip.Addressee{UserIDs: []int64{d.Self().ID}}, "hello")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	refuse := sandbox.Fault{Method: "GET", Action: sandbox.FaultStatus, Status: 400, Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`}
	refuse.Path = fmt.Sprintf("/messages/%d", ids[1])
	server.Fail(refuse)
	server.Fail(sandbox.Fault{Method: "GET", Path: "/messages", Action: sandbox.FaultStatus, Status: 200, Body: `{"result":"success","msg":"","messages":[]}`})
	var waiting sync.WaitGroup
	for i, id := range ids {
		waiting.Go(func() {
			if message, err := d.Message(t.Context(), id); (err != nil) != (i == 1) || (message == nil) != (i == 1) {
				t.Errorf("message %d: %v, %v", i, message, err)
			}
		})
	}
	waiting.Wait()
}
