package channels_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// No one can use an archived channel, so no one loses access when it is unarchived. Servers before feature level 480 do
// not show its subscribers.
func TestProtocolChannelAdopted_SubscribersUnknown_NotRefused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442})
	id := int64(o.Call(t, http.MethodPost, "/channels/create", map[string]string{"name": "shelf", "subscribers": fmt.Sprintf("[%d]", o.Self.ID)})["id"].(float64))
	o.Archive(t, "shelf")
	run := o.NewRun(t, "zulip_channel")
	run.MustApply(values{"name": "shelf", "adopt_archived": true})
	if got := o.MustChannel(t, "shelf"); got.ID != id || got.IsArchived {
		t.Errorf("the server holds %+v", got)
	}
}
