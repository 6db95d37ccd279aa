package store_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A snapshot takes what grows with the channels: from the answer to the index by which each is found, with who is in it and who may
// post there.
func TestSnapshotsGrowWithTheChannels(t *testing.T) {
	acctest.ExpectLinear(t, 100, func(number int) func() {
		o := acctest.StartSandbox(t, sandbox.Config{})
		for i := range number {
			if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: fmt.Sprint("room ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		return func() {
			view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime().Read(t.Context(), store.Channels, store.Subscribers)
			if err != nil {
				t.Fatal(err)
			}
			for i := range number {
				channel, ok := view.Channels().ByName(fmt.Sprint("Room ", i))
				if !ok {
					t.Fatalf("there is no channel %d of %d", i, number)
				}
				if _, known := view.Subscribers()[channel.ID]; !known {
					t.Fatalf("who is in channel %d of %d is not known", i, number)
				}
				view.Access().In(channel.Permissions["can_send_message_group"])
			}
		}
	})
}
