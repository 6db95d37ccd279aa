package directory_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestAnOlderReadOfSubscribersHidesNoWrite does the same for who is in a channel, which is kept by channel.
func TestAnOlderReadOfSubscribersHidesNoWrite(t *testing.T) {
	for name, ask := range map[string]func(*directory.Directory, context.Context, int64) ([]int64, error){
		"as read once": (*directory.Directory).Subscribers, "read again": (*directory.Directory).FreshSubscribers,
	} {
		for what, tell := range map[string]func(d *directory.Directory, channel int64, before, after []int64){
			"put": func(d *directory.Directory, channel int64, before, after []int64) {
				d.ChangedSubscribers(channel, before, after)
			},
			"forgotten": func(d *directory.Directory, _ int64, _, _ []int64) { d.ForgetSubscribers() },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				ctx := t.Context()
				d, client, _, late := newLateDirectory(t)
				channel, _, err := client.CreateChannel(ctx, zulip.ChannelCreate{Name: "newsroom"})
				if err != nil {
					t.Fatal(err)
				}
				late.keep("GET " + "/streams/" + strconv.FormatInt(channel, 10) + "/members")
				read := make(chan error, 1)
				go func() { _, err := ask(d, ctx, channel); read <- err }()
				arrive := <-late.arrived
				self := []int64{d.Self().ID}
				if _, err := client.Subscribe(ctx, "newsroom", self, false, 442); err != nil {
					t.Fatal(err)
				}
				tell(d, channel, nil, self)
				arrive()
				if err := <-read; err != nil {
					t.Fatal(err)
				}
				if now, err := d.Subscribers(ctx, channel); err != nil || !slices.Equal(now, self) {
					t.Errorf("in the channel are %v, %v", now, err)
				}
			})
		}
	}
}

// TestWritersOfOneChannelDoNotHideEachOther: both have read it before either wrote.
func TestWritersOfOneChannelDoNotHideEachOther(t *testing.T) {
	d, client, _ := newDirectory(t)
	channel, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "newsroom"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.FreshSubscribers(t.Context(), channel); err != nil {
		t.Fatal(err)
	}
	d.ChangedSubscribers(channel, nil, []int64{7})
	d.ChangedSubscribers(channel, nil, []int64{9})
	if now, err := d.Subscribers(t.Context(), channel); err != nil || !slices.Equal(now, []int64{7, 9}) {
		t.Errorf("in the channel are %v, %v", now, err)
	}
}

// ownReads are what is read of the account's own: how many there are, and a write that makes it one more or less.
var ownReads = map[string]struct {
	count  func(ctx context.Context, d *directory.Directory, newsroom int64) (int, error)
	write  func(context.Context, *zulip.Client, int64) error
	forget func(*directory.Directory)
}{
	"GET /drafts": {
		counted((*directory.Directory).Drafts),
		func(ctx context.Context, client *zulip.Client, _ int64) error {
			_, err := client.CreateDrafts(ctx, []zulip.Draft{{To: []int64{}, Content: "later"}})
			return err
		},
		(*directory.Directory).ForgetDrafts,
	},
	"GET /scheduled_messages": {
		counted((*directory.Directory).ScheduledMessages),
		func(ctx context.Context, client *zulip.Client, self int64) error {
			_, err := client.ScheduleMessage(ctx, zulip.Addressee{UserIDs: []int64{self}}, "later", time.Now().Add(time.Hour).Unix())
			return err
		},
		(*directory.Directory).ForgetScheduledMessages,
	},
	"GET /invites": {
		counted((*directory.Directory).Invitations),
		func(ctx context.Context, client *zulip.Client, _ int64) error {
			_, err := client.CreateInviteLink(ctx, zulip.NewInviteLink{})
			return err
		},
		(*directory.Directory).ForgetInvitations,
	},
	"GET /users/me/subscriptions": {
		func(ctx context.Context, d *directory.Directory, newsroom int64) (int, error) {
			own, err := d.Subscription(ctx, newsroom)
			if own == nil {
				return 0, err
			}
			return 1, err
		},
		func(ctx context.Context, client *zulip.Client, self int64) error {
			return client.Unsubscribe(ctx, "newsroom", []int64{self})
		},
		(*directory.Directory).ForgetSubscriptions,
	},
}

func counted[T any](read func(*directory.Directory, context.Context) ([]T, error)) func(context.Context, *directory.Directory, int64) (int, error) {
	return func(ctx context.Context, d *directory.Directory, _ int64) (int, error) {
		all, err := read(d, ctx)
		return len(all), err
	}
}

// TestAnOlderReadOfItsOwnHidesNoWrite: nothing is put into what belongs to the account; it is forgotten.
func TestAnOlderReadOfItsOwnHidesNoWrite(t *testing.T) {
	for request, c := range ownReads {
		t.Run(request, func(t *testing.T) {
			d, client, _, late := newLateDirectory(t)
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
			c.forget(d)
			arrive()
			old := <-before
			if now, err := c.count(t.Context(), d, newsroom); err != nil || now == old {
				t.Errorf("%d before and %d after, %v", old, now, err)
			}
		})
	}
}
