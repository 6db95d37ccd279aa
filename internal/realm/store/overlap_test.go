package store_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// lateAnswers holds answers until a test releases them.
type lateAnswers struct {
	mu      sync.Mutex
	request string // the method and path of the next answer to hold
	arrived chan func()
}

func (l *lateAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(req)
	l.mu.Lock()
	kept := l.request != "" && l.request == req.Method+" "+strings.TrimPrefix(req.URL.Path, "/api/v1")
	if kept {
		l.request = ""
	}
	l.mu.Unlock()
	if kept {
		goOn := make(chan struct{})
		l.arrived <- sync.OnceFunc(func() { close(goOn) })
		<-goOn
	}
	return answer, err
}

// keep holds the next answer to a request.
func (l *lateAnswers) keep(request string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.request = request
}

// newLateStore is newStore with held answers for the store, but not for the client.
func newLateStore(t *testing.T) (*store.Store, *zulip.Client, *sandbox.Server, *lateAnswers) {
	t.Helper()
	plain, client, server := newStore(t)
	owner, _ := server.Credentials("owner")
	late := &lateAnswers{arrived: make(chan func())}
	slow, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey, MaxRetries: -1, Transport: late})
	requireNoError(t, err)
	return store.New(slow, plain.Self(), 442, new(runstate.State)), client, server, late
}

// overlap is a write that is executed and registered while an older read is under way.
type overlap struct {
	what    string
	request string // the read under way
	read    func(context.Context, *store.Store, *written) error
	write   func(context.Context, *testing.T, *written) error
	told    func(context.Context, *store.Store, *written) error
	// shows reports whether the store's answer contains the write.
	shows func(context.Context, *testing.T, *store.Store, *written) bool
	// again is the request that must be repeated before the part is reliable; "" for none.
	again string
}

func makeAdministrator(ctx context.Context, t *testing.T, w *written) error {
	role := zulip.RoleAdministrator
	return w.client.UpdateUser(ctx, w.id(t, kenji), zulip.UserUpdate{Role: &role})
}

func gaveAdministrator(_ context.Context, d *store.Store, w *written) error {
	user, _ := w.view.UserByAddress(kenji)
	d.GaveRole(user.ID, zulip.RoleAdministrator)
	return nil
}

func isAdministrator(ctx context.Context, t *testing.T, d *store.Store, _ *written) bool {
	t.Helper()
	view, err := d.Read(ctx, store.Organization)
	requireNoError(t, err)
	user, _ := view.UserByAddress(kenji)
	administrators, _ := view.UserGroupByName("role:administrators")
	return user.Role == zulip.RoleAdministrator && slices.Contains(administrators.Members, user.ID)
}

func hasRole(ctx context.Context, t *testing.T, d *store.Store, _ *written) bool {
	t.Helper()
	view, err := d.Read(ctx, store.Users)
	requireNoError(t, err)
	user, _ := view.UserByAddress(kenji)
	return user.Role == zulip.RoleAdministrator
}

func exchange(ctx context.Context, t *testing.T, w *written) error {
	sre, _ := w.view.UserGroupByName("sre")
	return w.client.ChangeUserGroupMembership(ctx, sre.ID, zulip.MembershipChange{Add: []int64{w.id(t, ines)}})
}

func isExchanged(ctx context.Context, t *testing.T, d *store.Store, w *written) bool {
	t.Helper()
	view, err := d.Read(ctx, store.Organization)
	requireNoError(t, err)
	sre, _ := view.UserGroupByName("sre")
	return slices.Contains(sre.Members, w.id(t, ines))
}

func createFolder(ctx context.Context, _ *testing.T, w *written) error {
	_, err := w.client.CreateChannelFolder(ctx, "Teams", "")
	return err
}

func isFolder(ctx context.Context, t *testing.T, d *store.Store, _ *written) bool {
	t.Helper()
	view, err := d.Read(ctx, store.Folders)
	requireNoError(t, err)
	_, ok := view.Folders().ByName("Teams")
	return ok
}

func createChannel(ctx context.Context, _ *testing.T, w *written) error {
	_, _, err := w.client.CreateChannel(ctx, zulip.ChannelCreate{Name: "newsroom"})
	return err
}

func isChannel(ctx context.Context, t *testing.T, d *store.Store, _ *written) bool {
	t.Helper()
	view, err := d.Read(ctx, store.Channels)
	requireNoError(t, err)
	general, _ := view.Channels().ByName("general")
	_, ok := view.Channels().ByName("newsroom")
	return ok && general.IsDefault
}

const ines = "ines.moreau@example.com"

var overlaps = []overlap{
	{"people, and a role", "GET /users", freshPeople, makeAdministrator, gaveAdministrator, isAdministrator, "GET /user_groups"},
	{"bots with the people, and a role", "POST /register", freshBots, makeAdministrator, gaveAdministrator, isAdministrator, "GET /user_groups"},
	{"groups, and a role", "GET /user_groups", freshGroups, makeAdministrator, gaveAdministrator, isAdministrator, "GET /user_groups"},
	{"bots with the people, and a role that is read again", "POST /register", freshBots, makeAdministrator, freshPeople, hasRole, ""},
	{"groups, and a member", "GET /user_groups", freshGroups, exchange, forget(store.UserGroups), isExchanged, "GET /user_groups"},
	{"groups, and a member that is read again", "GET /user_groups", freshGroups, exchange, freshGroups, isExchanged, ""},
	{"folders, and a folder", "GET /channel_folders", readAgain(store.Folders), createFolder, forget(store.Folders), isFolder, "GET /channel_folders"},
	{"folders, and a folder that is read again", "GET /channel_folders", readAgain(store.Folders), createFolder, readAgain(store.Folders), isFolder, ""},
	{"channels, and a channel", "GET /streams", freshChannels, createChannel, forget(store.Channels), isChannel, "GET /streams"},
	{"channels, and a channel that is read again", "GET /streams", freshChannels, createChannel, freshChannels, isChannel, ""},
	{"channels, and a channel that a snapshot has brought", "GET /streams", freshChannels, createChannel, func(ctx context.Context, d *store.Store, _ *written) error {
		d.Invalidate(store.Channels)
		_, err := d.Read(ctx, store.Channels)
		return err
	}, isChannel, ""},
}

// A read that was answered before a write arrives after the write was registered.
func TestStore_OlderRead_WriteKept(t *testing.T) {
	for _, c := range overlaps {
		t.Run(c.what, func(t *testing.T) {
			ctx := t.Context()
			d, client, server, late := newLateStore(t)
			view, err := d.Read(ctx, store.Bots)
			requireNoError(t, err)
			w := &written{client: client, view: view}
			late.keep(c.request)
			read := make(chan error, 1)
			go func() { read <- c.read(ctx, d, w) }()
			arrive := <-late.arrived
			requireNoError(t, c.write(ctx, t, w))
			requireNoError(t, c.told(ctx, d, w))
			server.Journal().Reset()
			arrive()
			requireNoError(t, <-read)
			if !c.shows(ctx, t, d, w) {
				t.Error("the older read hides the write")
			}
			method, path, _ := strings.Cut(c.again, " ")
			if c.again != "" && server.Journal().Count(sandbox.Filter{Method: method, Path: path}) == 0 {
				t.Error("the older read counts as current")
			}
			// The older read asks for the account's own bots after its first answer.
			requests := func(method, path string) int {
				return server.Journal().Count(sandbox.Filter{Method: method, Path: path})
			}
			if c.again == "" && requests("POST", "")+requests("GET", "")-requests("GET", "/bots") > 0 {
				t.Error("what was read later is read once more")
			}
		})
	}
}

// A caller that waits for the older read does not get the old role either.
func TestStore_OlderRead_NewRoleShown(t *testing.T) {
	ctx := t.Context()
	d, client, _, late := newLateStore(t)
	view, err := d.Read(ctx, store.Organization)
	requireNoError(t, err)
	w := &written{client: client, view: view}
	late.keep("GET /users")
	read := make(chan *snapshot.Snapshot, 1)
	go func() {
		view, err := d.Fresh(ctx, store.Users)
		if err != nil {
			t.Error(err)
		}
		read <- view
	}()
	arrive := <-late.arrived
	requireNoError(t, makeAdministrator(ctx, t, w))
	_ = gaveAdministrator(ctx, d, w)
	arrive()
	if user, _ := (<-read).UserByAddress(kenji); user.Role != zulip.RoleAdministrator {
		t.Errorf("the role is %s", user.Role)
	}
}

// The default channels are read whenever the channels are.
func TestStore_ChannelsRead_DefaultsIncluded(t *testing.T) {
	for name, before := range map[string]func(context.Context, *store.Store) error{
		"after what stands alone": func(ctx context.Context, d *store.Store) error { _, err := d.Read(ctx, store.Linkifiers); return err },
		"after they were forgotten": func(ctx context.Context, d *store.Store) error {
			_, err := d.Read(ctx, store.Channels)
			d.Invalidate(store.Channels)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, _ := newStore(t)
			requireNoError(t, before(t.Context(), d))
			view, err := d.Read(t.Context(), store.Channels)
			requireNoError(t, err)
			if general, _ := view.Channels().ByName("general"); !general.IsDefault {
				t.Error("general is a default channel")
			}
		})
	}
}

// The same is true of the subscribers of a channel, which are stored by channel.
func TestStore_OlderSubscribersRead_WriteKept(t *testing.T) {
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
				requireNoError(t, err)
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
					requireNoError(t, <-read)
				}
				if now, err := d.Subscribers(ctx, channel); err != nil || !slices.Equal(now, self) {
					t.Errorf("in the channel are %v, %v", now, err)
				}
			})
		}
	}
}

// ownReads are the reads of the account's own objects: a count, and a write that changes it by one.
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

// Writes are not merged into the account's own objects. An older read of them is dropped.
func TestStore_OlderOwnRead_Forgotten(t *testing.T) {
	for request, c := range ownReads {
		t.Run(request, func(t *testing.T) {
			d, client, _, late := newLateStore(t)
			newsroom, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "newsroom", Subscribers: []int64{d.Self().ID}})
			requireNoError(t, err)
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
			requireNoError(t, c.write(t.Context(), client, d.Self().ID))
			d.Invalidate(c.part)
			arrive()
			old := <-before
			if now, err := c.count(t.Context(), d, newsroom); err != nil || now == old {
				t.Errorf("%d before and %d after, %v", old, now, err)
			}
		})
	}
}
