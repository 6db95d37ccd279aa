package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// newStore returns an empty store for a sandbox's organization, and a client.
func newStore(t *testing.T) (*store.Store, *zulip.Client, *sandbox.Server) {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	requireNoError(t, err)
	requireNoError(t, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey, MaxRetries: -1})
	requireNoError(t, err)
	self, err := client.Me(context.Background())
	requireNoError(t, err)
	server.Journal().Reset()
	return store.New(client, self, 442, new(runstate.State)), client, server
}

// newPlanningStore is newStore with the run state that the store resolves names with.
func newPlanningStore(t *testing.T) (*store.Store, *runstate.State) {
	t.Helper()
	d, client, _ := newStore(t)
	run := new(runstate.State)
	return store.New(client, d.Self(), 442, run), run
}

// known returns a function that reads a part from the run's snapshot.
func known(d *store.Store, part store.Part) func(context.Context) (*snapshot.Snapshot, error) {
	return func(ctx context.Context) (*snapshot.Snapshot, error) { return d.Read(ctx, part) }
}

// fresh returns a function that reads a part again.
func fresh(d *store.Store, part store.Part) func(context.Context) (*snapshot.Snapshot, error) {
	return func(ctx context.Context) (*snapshot.Snapshot, error) { return d.Fresh(ctx, part) }
}

// askBefore asks for a fresh read, so that the next caller is not the first for a while, which would not wait for
// others.
func askBefore(t *testing.T, d *store.Store) {
	t.Helper()
	if _, err := d.Fresh(t.Context(), store.ProfileFields); err != nil {
		t.Fatal(err)
	}
}

func together(n int, do func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(do)
	}
	all.Wait()
}

func TestStore_ConcurrentReads_OneRequest(t *testing.T) {
	d, _, server := newStore(t)
	together(50, func() {
		view, err := d.Read(context.Background(), store.Channels)
		if err != nil {
			t.Error(err)
			return
		}
		if channel, ok := view.Channels().ByName("GENERAL"); !ok || !channel.IsDefault {
			t.Error("the default channel is not found")
		}
	})
	if _, err := d.Read(context.Background(), store.Organization); err != nil { // has already been read
		t.Error(err)
	}
	if sent := server.Journal().Requests(sandbox.Filter{}); len(sent) != 2 {
		t.Errorf("%d requests, not a snapshot and the end of its queue: %v", len(sent), sent)
	}
}

func TestStore_OneReaderCanceled_OthersServed(t *testing.T) {
	d, _, server := newStore(t)
	gate := server.Gate("POST", "/register")
	impatient, giveUp := context.WithCancel(context.Background())
	gone := make(chan error)
	go func() {
		_, err := d.Read(impatient, store.Organization)
		gone <- err
	}()
	held := <-gate.Arrived
	stays := make(chan error)
	go func() {
		_, err := d.Read(context.Background(), store.Organization)
		stays <- err
	}()
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error("who gave up got", err)
	}
	held.Release()
	gate.Open()
	if err := <-stays; err != nil {
		t.Error("who stayed got", err)
	}
}

func TestStore_ReadsAfterWrites_Combined(t *testing.T) {
	d, client, server := newStore(t)
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	ready := make(chan string, len(names))
	for _, name := range names {
		ready <- name
	}
	together(len(names), func() {
		name := <-ready
		if err := d.Write(t.Context(), func(ctx context.Context) error {
			_, _, err := client.CreateChannel(ctx, zulip.ChannelCreate{Name: name})
			return err
		}); err != nil {
			t.Error(err)
			return
		}
		view, err := d.Fresh(context.Background(), store.Channels)
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := view.Channels().ByName(name); !ok {
			t.Errorf("%s is not in what was read after it was made", name)
		}
	})
	if reads := server.Journal().Count(sandbox.Filter{Method: "GET", Path: "/streams"}); reads > 3 {
		t.Errorf("%d writes were followed by %d reads", len(names), reads)
	}
}

func TestStore_NamesPlannedInRun_Resolved(t *testing.T) {
	d, run := newPlanningStore(t)
	view, err := d.Read(context.Background(), store.Channels)
	requireNoError(t, err)
	sres := permission.Principal{Kind: permission.KindGroup, Name: "sres"}
	_, problems := permission.Resolve([]permission.Principal{sres}, view)
	if len(problems) != 1 || !slices.Contains(view.Nearest(sres), permission.Principal{Kind: permission.KindGroup, Name: "sre"}) {
		t.Fatalf("an unknown group: %v, near: %v", problems, view.Nearest(sres))
	}
	run.PlanName("zulip_user_group", 0, sres.Name)
	resolved, problems := permission.Resolve([]permission.Principal{sres}, view)
	if len(problems) != 0 || len(resolved.Planned) != 1 {
		t.Errorf("a planned group: %+v, %v", resolved, problems)
	}

	general, _ := view.Channels().ByName("general")
	if _, taken := view.ChannelTaking("General", 0); !taken {
		t.Error("a name in use counts as free")
	}
	if _, taken := view.ChannelTaking("General", general.ID); taken {
		t.Error("a channel's own name counts as taken")
	}
	run.PlanName("zulip_channel", general.ID, "lobby")
	if _, taken := view.ChannelTaking("General", 0); taken {
		t.Error("a name that this run gives up counts as taken")
	}
}

func TestStore_InvalidatedPart_Reread(t *testing.T) {
	d, _, server := newStore(t)
	for range 2 {
		if _, err := d.Read(context.Background(), store.Organization); err != nil {
			t.Fatal(err)
		}
		d.Invalidate(store.UserGroups)
	}
	all := server.Journal().Requests(sandbox.Filter{})
	if len(all) != 3 || all[2].Path != "/user_groups" { // after the snapshot and the end of its queue
		t.Errorf("read: %v", all)
	}
}

func TestAddresses(t *testing.T) {
	d, _, _ := newStore(t)
	view, err := d.Read(context.Background(), store.Channels)
	requireNoError(t, err)
	for _, address := range []string{"Lena.Fischer@Example.com", "lena.fischer@example.com"} {
		user, ok := view.UserByAddress(address)
		if !ok || user.Address() != "lena.fischer@example.com" {
			t.Errorf("%s is %v", address, user)
		}
		if same, ok := view.UserByAddress(user.Email); !ok || same.ID != user.ID {
			t.Errorf("the API address %s is %v", user.Email, same)
		}
	}
	if near := suggest.Nearest("lena.fisher@example.com", view.Addresses()); !slices.Contains(near, "lena.fischer@example.com") {
		t.Errorf("near are %v", near)
	}
	if near := suggest.Nearest("xaver@example.com", view.Addresses()); len(near) > 0 {
		t.Errorf("only the domain is the same, and still near are %v", near)
	}
	if near := suggest.Nearest("genral", view.Channels().Names()); !slices.Contains(near, "general") {
		t.Errorf("near are %v", near)
	}
}

func TestStore_ListAfterWrite_ReadSeparately(t *testing.T) {
	d, client, server := newStore(t)
	if view, err := d.Read(context.Background(), store.Linkifiers); err != nil || len(view.Linkifiers().List()) != 0 {
		t.Fatal(view, err)
	}
	const many = 8
	patterns := make(chan string, many)
	for i := range many {
		patterns <- string(rune('a' + i))
	}
	server.Journal().Reset()
	together(many, func() {
		pattern := <-patterns
		if err := d.Write(t.Context(), func(ctx context.Context) error {
			_, err := client.CreateLinkifier(ctx, zulip.LinkifierChange{Pattern: pattern, URLTemplate: "https://example.com/"})
			return err
		}); err != nil {
			t.Error(err)
			return
		}
		view, err := d.Fresh(context.Background(), store.Linkifiers)
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := view.Linkifiers().ByName(pattern); !ok {
			t.Errorf("%s is not in what was read after it was made", pattern)
		}
	})
	view, err := d.Read(context.Background(), store.Linkifiers)
	if err != nil || len(view.Linkifiers().List()) != many {
		t.Fatalf("the snapshot has %v, %v", view, err)
	}
	if reads := len(server.Journal().Requests(sandbox.Filter{})) - many; reads > many/2 {
		t.Errorf("%d reads after %d writes", reads, many)
	}
	requireNoError(t, client.DeleteLinkifier(context.Background(), view.Linkifiers().List()[0].ID))
	d.Invalidate(store.Linkifiers)
	if view, err := d.Read(context.Background(), store.Linkifiers); err != nil || len(view.Linkifiers().List()) != many-1 {
		t.Errorf("what was forgotten is not read again: %v, %v", view.Linkifiers().List(), err)
	}
}

// A snapshot that was taken before a write, and arrives after it, does not hide the write.
func TestStore_SnapshotBeforeWrite_WriteKept(t *testing.T) {
	for name, after := range map[string]func(*testing.T, *store.Store){
		"forgotten": func(_ *testing.T, d *store.Store) { d.Invalidate(store.Linkifiers) },
		"read again": func(t *testing.T, d *store.Store) {
			if _, err := d.Fresh(context.Background(), store.Linkifiers); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, client, server := newStore(t)
			gate := server.Gate("DELETE", "/events") // the snapshot is taken, and not yet in the store
			asked := make(chan error, 1)
			go func() {
				_, err := d.Read(context.Background(), store.Linkifiers)
				asked <- err
			}()
			<-gate.Arrived
			if _, err := client.CreateLinkifier(context.Background(), zulip.LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"}); err != nil {
				t.Fatal(err)
			}
			after(t, d)
			gate.Open()
			requireNoError(t, <-asked)
			if view, err := d.Read(context.Background(), store.Linkifiers); err != nil || len(view.Linkifiers().List()) != 1 {
				t.Errorf("the snapshot holds %v, %v", view.Linkifiers().List(), err)
			}
		})
	}
}

// A server that is asked for a list while it changes the list can keep the old one in its cache.
func TestStoreBeginWrite_ReadRunning_Waits(t *testing.T) {
	d, _, server := newStore(t)
	gate := server.Gate("GET", "/realm/linkifiers")
	asked := make(chan error, 1)
	go func() {
		_, err := d.Fresh(context.Background(), store.Linkifiers)
		asked <- err
	}()
	<-gate.Arrived
	d.Invalidate(store.Linkifiers) // the read is out of date, and still under way
	impatient, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := d.BeginWrite(impatient, store.Linkifiers); err == nil {
		t.Fatal("the write began during the read")
	}
	other, err := d.BeginWrite(context.Background(), store.Domains)
	requireNoError(t, err) // a read of another list is not waited for
	other()
	gate.Open()
	requireNoError(t, <-asked)
	done, err := d.BeginWrite(context.Background(), store.Linkifiers)
	requireNoError(t, err)
	done()
}

func TestStoreSubscribers_SeveralChannels_Batched(t *testing.T) {
	d, client, server := newStore(t)
	ctx := context.Background()
	self := d.Self().ID
	var channels []int64
	for i := range 40 {
		private := true
		id, _, err := client.CreateChannel(ctx, zulip.ChannelCreate{Name: fmt.Sprintf("channel %d", i), InviteOnly: &private, Subscribers: []int64{self}})
		requireNoError(t, err)
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

func TestStoreSubscribers_ChannelMissing_NotFound(t *testing.T) {
	d, _, _ := newStore(t)
	general := int64(1)
	view, err := d.Read(context.Background(), store.Channels)
	requireNoError(t, err)
	if channel, ok := view.Channels().ByName("general"); ok {
		general = channel.ID
	}
	together(2, func() {
		if found, err := d.Subscribers(context.Background(), 9999); err != nil || found != nil {
			t.Errorf("found %v, %v", found, err)
		}
		// A concurrent caller that asked for another channel gets its answer.
		if found, err := d.Subscribers(context.Background(), general); err != nil || len(found) == 0 {
			t.Errorf("in general: %v, %v", found, err)
		}
	})
}

func TestStoreAccess_SameSnapshot_Shared(t *testing.T) {
	d, _, _ := newStore(t)
	view, err := d.Read(context.Background(), store.Channels)
	requireNoError(t, err)
	again, err := d.Read(context.Background(), store.Organization)
	requireNoError(t, err)
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

// Only the caller that asked for an unreadable channel gets the error; concurrent callers get their answers.
func TestStoreSubscribers_OneFails_OthersServed(t *testing.T) {
	for name, read := range map[string]func(*store.Store, context.Context, int64) ([]int64, error){
		"read": (*store.Store).Subscribers, "fresh": (*store.Store).FreshSubscribers,
	} {
		t.Run(name, func(t *testing.T) {
			d, _, server := newStore(t)
			view, err := d.Read(t.Context(), store.Channels)
			requireNoError(t, err)
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

// These benchmarks measure the parts of a snapshot that grow with the channels: from the answer to the index, with
// the subscribers and the people who may post.
func TestStoreSnapshot_ManyChannels_Linear(t *testing.T) {
	acctest.ExpectLinear(t, 100, func(number int) func() {
		o := acctest.StartSandbox(t, sandbox.Config{})
		for i := range number {
			if _, _, err := o.Client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: fmt.Sprint("room ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		return func() {
			view, err := store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime().Read(t.Context(), store.Channels, store.Subscribers)
			requireNoError(t, err)
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

// requireNoError ends a test with an error that the test is not about.
func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
