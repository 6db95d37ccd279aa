package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestSubscribersAreReadOneByOneAndThenAllAtOnce(t *testing.T) {
	d, client, server := newStore(t)
	ctx := context.Background()
	self := d.Self().ID
	var channels []int64
	for i := range 40 {
		private := true
		id, _, err := client.CreateChannel(ctx, zulip.ChannelCreate{Name: fmt.Sprintf("channel %d", i), InviteOnly: &private, Subscribers: []int64{self}})
		if err != nil {
			t.Fatal(err)
		}
		channels = append(channels, id)
	}
	server.Journal().Reset()
	requests := func(method, path string) int {
		return len(server.Journal().Requests(sandbox.Filter{Method: method, Path: path}))
	}
	ask := func(channel int64) {
		t.Helper()
		found, err := d.Subscribers(ctx, channel)
		if err != nil || !slices.Equal(found, []int64{self}) {
			t.Errorf("in channel %d: %v, %v", channel, found, err)
		}
	}
	for range 3 {
		ask(channels[0])
	}
	if all := len(server.Journal().Requests(sandbox.Filter{})); all != 1 || requests("GET", fmt.Sprintf("/streams/%d/members", channels[0])) != 1 {
		t.Errorf("%d requests for one channel", all)
	}
	for _, channel := range channels {
		ask(channel)
	}
	if all := len(server.Journal().Requests(sandbox.Filter{})); all != 4 || requests("POST", "/register") != 1 || requests("DELETE", "/events") != 1 {
		t.Errorf("%d requests for %d channels", all, len(channels))
	}

	if _, err := client.Unsubscribe(ctx, "channel 7", []int64{self}); err != nil {
		t.Fatal(err)
	}
	if found, err := d.FreshSubscribers(ctx, channels[7]); err != nil || found == nil || len(found) > 0 {
		t.Errorf("after leaving: %v, %v", found, err)
	}
}

func TestSubscribersOfAChannelThatIsNotThere(t *testing.T) {
	d, _, _ := newStore(t)
	general := int64(1)
	view, err := d.Read(context.Background(), store.Channels)
	if err != nil {
		t.Fatal(err)
	}
	if channel, ok := view.Channels().ByName("general"); ok {
		general = channel.ID
	}
	together(2, func() {
		if found, err := d.Subscribers(context.Background(), 9999); err != nil || found != nil {
			t.Errorf("found %v, %v", found, err)
		}
		// Who asked at the same time for another is told.
		if found, err := d.Subscribers(context.Background(), general); err != nil || len(found) == 0 {
			t.Errorf("in general: %v, %v", found, err)
		}
	})
}

func TestEffectiveAccessIsWorkedOutOnce(t *testing.T) {
	d, _, _ := newStore(t)
	view, err := d.Read(context.Background(), store.Channels)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.Read(context.Background(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	if view.Access() != again.Access() {
		t.Error("two who look at one snapshot do not share it")
	}
	if !view.Access().Everybody().Has(d.Self().ID) {
		t.Error("the account itself is not among the people")
	}
	d.Invalidate(store.Users)
	if again, err = d.Read(context.Background(), store.Organization); err != nil || view.Access() == again.Access() {
		t.Error("it outlives the people it was worked out from:", err)
	}
}

// The failure to read one channel is that of who asked for it: others who asked at the same time have their answers.
func TestSubscribersOfOneChannelThatCannotBeRead(t *testing.T) {
	for name, read := range map[string]func(*store.Store, context.Context, int64) ([]int64, error){
		"read": (*store.Store).Subscribers, "fresh": (*store.Store).FreshSubscribers,
	} {
		t.Run(name, func(t *testing.T) {
			d, _, server := newStore(t)
			view, err := d.Read(t.Context(), store.Channels)
			if err != nil {
				t.Fatal(err)
			}
			general, _ := view.Channels().ByName("general")
			broken, _ := view.Channels().ByName("incidents")
			server.Fail(sandbox.Fault{
				Method: "GET", Path: fmt.Sprintf("/streams/%d/members", broken.ID), Action: sandbox.FaultStatus, Status: 400,
				Body: `{"result":"error","msg":"No","code":"BAD_REQUEST"}`,
			})
			var waiting sync.WaitGroup
			waiting.Go(func() {
				if found, err := read(d, t.Context(), general.ID); err != nil || len(found) == 0 {
					t.Errorf("general: %v, %v", found, err)
				}
			})
			waiting.Go(func() {
				if found, err := read(d, t.Context(), broken.ID); err == nil || found != nil {
					t.Errorf("incidents: %v, %v", found, err)
				}
			})
			waiting.Wait()
		})
	}
}

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
