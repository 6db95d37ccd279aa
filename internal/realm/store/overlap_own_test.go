package store_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAnOlderReadOfSubscribersHidesNoWrite does the same for who is in a channel, which is kept by channel.
func TestAnOlderReadOfSubscribersHidesNoWrite(t *testing.T) {
	for name, ask := range map[string]func(*store.Store, context.Context, int64) ([]int64, error){
		"as read once": (*store.Store).Subscribers, "read again": (*store.Store).FreshSubscribers,
	} {
		for what, after := range map[string]func(d *store.Store, channel int64) error{
			"read again": func(d *store.Store, channel int64) error {
				_, err := d.FreshSubscribers(t.Context(), channel)
				return err
			},
			"forgotten": func(d *store.Store, _ int64) error { d.Invalidate(store.Subscribers); return nil },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				ctx := t.Context()
				d, client, _, late := newLateStore(t)
				channel, _, err := client.CreateChannel(ctx, zulip.ChannelCreate{Name: "newsroom"})
				if err != nil {
					t.Fatal(err)
				}
				late.keep("GET " + "/streams/" + strconv.FormatInt(channel, 10) + "/members")
				read := make(chan error, 2)
				go func() { _, err := ask(d, ctx, channel); read <- err }()
				arrive := <-late.arrived
				self := []int64{d.Self().ID}
				if _, _, err := client.Subscribe(ctx, "newsroom", self, false, 442); err != nil {
					t.Fatal(err)
				}
				go func() { read <- after(d, channel) }()
				arrive()
				for range 2 {
					if err := <-read; err != nil {
						t.Fatal(err)
					}
				}
				if now, err := d.Subscribers(ctx, channel); err != nil || !slices.Equal(now, self) {
					t.Errorf("in the channel are %v, %v", now, err)
				}
			})
		}
	}
}

// ownReads are what is read of the account's own: how many there are, and a write that makes it one more or less.
var ownReads = map[string]struct {
	count func(ctx context.Context, d *store.Store, newsroom int64) (int, error)
	write func(context.Context, *zulip.Client, int64) error
	part  store.Part
}{
	"GET /drafts": {
		counted((*store.Store).Drafts),
		func(ctx context.Context, client *zulip.Client, _ int64) error {
			_, err := client.CreateDrafts(ctx, []zulip.Draft{{To: []int64{}, Content: "later"}})
			return err
		},
		store.Drafts,
	},
	"GET /scheduled_messages": {
		counted((*store.Store).ScheduledMessages),
		func(ctx context.Context, client *zulip.Client, self int64) error {
			_, err := client.ScheduleMessage(ctx, zulip.Addressee{UserIDs: []int64{self}}, "later", time.Now().Add(time.Hour).Unix())
			return err
		},
		store.ScheduledMessages,
	},
	"GET /invites": {
		counted((*store.Store).Invitations),
		func(ctx context.Context, client *zulip.Client, _ int64) error {
			_, err := client.CreateInviteLink(ctx, zulip.InviteTerms{})
			return err
		},
		store.Invitations,
	},
	"GET /users/me/subscriptions": {
		func(ctx context.Context, d *store.Store, newsroom int64) (int, error) {
			own, err := d.Subscription(ctx, newsroom)
			if own == nil {
				return 0, err
			}
			return 1, err
		},
		func(ctx context.Context, client *zulip.Client, self int64) error {
			_, err := client.Unsubscribe(ctx, "newsroom", []int64{self})
			return err
		},
		store.Subscriptions,
	},
}

func counted[T any](read func(*store.Store, context.Context) ([]T, error)) func(context.Context, *store.Store, int64) (int, error) {
	return func(ctx context.Context, d *store.Store, _ int64) (int, error) {
		all, err := read(d, ctx)
		return len(all), err
	}
}

// TestAnOlderReadOfItsOwnHidesNoWrite: nothing is put into what belongs to the account; it is forgotten.
func TestAnOlderReadOfItsOwnHidesNoWrite(t *testing.T) {
	for request, c := range ownReads {
		t.Run(request, func(t *testing.T) {
			d, client, _, late := newLateStore(t)
			newsroom, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "newsroom", Subscribers: []int64{d.Self().ID}})
			if err != nil {
				t.Fatal(err)
			}
			late.keep(request)
			before := make(chan int, 1)
			go func() {
				count, err := c.count(t.Context(), d, newsroom)
				if err != nil {
					t.Error(err)
				}
				before <- count
			}()
			arrive := <-late.arrived
			if err := c.write(t.Context(), client, d.Self().ID); err != nil {
				t.Fatal(err)
			}
			d.Invalidate(c.part)
			arrive()
			old := <-before
			if now, err := c.count(t.Context(), d, newsroom); err != nil || now == old {
				t.Errorf("%d before and %d after, %v", old, now, err)
			}
		})
	}
}
