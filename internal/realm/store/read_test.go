package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// slowServer answers snapshots, in the time of a test's bubble.
type slowServer struct {
	mu     sync.Mutex
	status int        // of its answers; zero is 200
	reads  [][]string // the requested types of each snapshot
	closed int        // event queues
	beyond []string   // other requests
}

func (s *slowServer) RoundTrip(req *http.Request) (*http.Response, error) {
	pass(100 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	body := `{"result": "success", "msg": "", "queue_id": "q"}`
	switch {
	case req.Method == http.MethodPost && req.URL.Path == "/api/v1/register":
		sent, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		form, err := url.ParseQuery(string(sent))
		if err != nil {
			return nil, err
		}
		var parts []string
		if err := json.Unmarshal([]byte(form.Get("fetch_event_types")), &parts); err != nil {
			return nil, err
		}
		s.reads = append(s.reads, parts)
	case req.Method == http.MethodDelete && req.URL.Path == "/api/v1/events":
		s.closed++
	default:
		s.beyond = append(s.beyond, req.Method+" "+req.URL.Path)
	}
	status := http.StatusOK
	if s.status != 0 {
		status, body = s.status, `{"result": "error", "code": "BAD_REQUEST", "msg": "Cannot allocate event queue"}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: req,
	}, nil
}

func (s *slowServer) store(t *testing.T) *store.Store {
	t.Helper()
	client, err := zulip.New(zulip.Config{Site: "https://zulip.example.com", Email: "o@example.com", APIKey: "key", MaxRetries: -1, Transport: s})
	requireNoError(t, err)
	return store.New(client, &zulip.User{ID: 1, Role: zulip.RoleOwner}, 442, new(runstate.State))
}

// pass advances the time of the test's bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // nobody waits for it
}

// kinds are all reads of the snapshot except the bots, which have their keys.
func kinds(d *store.Store) map[string]func(context.Context) (*snapshot.Snapshot, error) {
	return map[string]func(context.Context) (*snapshot.Snapshot, error){
		"organization": known(d, store.Organization), "people": known(d, store.Users), "user defaults": known(d, store.UserDefaults), "default channel groups": known(d, store.DefaultChannelGroups),
		"custom emoji": known(d, store.CustomEmoji), "channels": known(d, store.Channels), "folders": known(d, store.Folders), "linkifiers": known(d, store.Linkifiers),
		"profile fields": known(d, store.ProfileFields), "playgrounds": known(d, store.Playgrounds), "domains": known(d, store.Domains), "statuses": known(d, store.Statuses),
	}
}

// One read serves every kind, whichever comes first, concurrently or in turn.
func TestStore_SeveralParts_OneSnapshot(t *testing.T) {
	for first := range kinds(new(slowServer).store(t)) {
		for pace, between := range map[string]time.Duration{"at once": 0, "one after the other": 4 * time.Millisecond, "late": time.Second} {
			if lone := slices.Contains([]string{"linkifiers", "user defaults", "playgrounds", "domains"}, first); lone && pace == "late" {
				continue // see TestStore_IndependentPart_ReadAlone
			}
			t.Run(first+", the others "+pace, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &slowServer{}
					d := server.store(t)
					ask := func(kind func(context.Context) (*snapshot.Snapshot, error)) {
						if _, err := kind(t.Context()); err != nil {
							t.Error(err)
						}
					}
					var all sync.WaitGroup
					all.Go(func() { ask(kinds(d)[first]) })
					for _, kind := range kinds(d) {
						pass(between)
						all.Go(func() { ask(kind) })
						all.Go(func() { ask(kind) })
					}
					all.Wait()
					if len(server.reads) != 1 || server.closed != 1 || len(server.beyond) > 0 {
						t.Errorf("%d snapshots, %d queues closed, and %v: %v", len(server.reads), server.closed, server.beyond, server.reads)
					}
				})
			})
		}
	}
}

func TestStore_IndependentPart_ReadAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slowServer{}
		d := server.store(t)
		large := []string{zulip.FetchUsers, zulip.FetchUserGroups, zulip.FetchChannels, zulip.FetchStatuses}
		for _, kind := range []func(context.Context) (*snapshot.Snapshot, error){known(d, store.Linkifiers), known(d, store.Playgrounds), known(d, store.Domains), known(d, store.UserDefaults)} {
			if _, err := kind(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(server.reads) != 1 || slices.ContainsFunc(server.reads[0], func(part string) bool { return slices.Contains(large, part) }) {
			t.Errorf("read: %v", server.reads)
		}
		// A read that needs more costs one further request. The default channels are read again with the channels.
		for _, kind := range kinds(d) {
			if _, err := kind(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(server.reads) != 2 || len(server.reads[1]) != len(large)+1 {
			t.Errorf("read: %v", server.reads)
		}
	})
}

// Bots are not read unless needed, because the answer has the keys of all bots.
func TestStore_BotsUnneeded_NotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slowServer{}
		d := server.store(t)
		for _, kind := range []func(context.Context) (*snapshot.Snapshot, error){known(d, store.Channels), known(d, store.Bots)} {
			if _, err := kind(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(server.reads) != 2 || slices.Contains(server.reads[0], zulip.FetchBots) || !slices.Equal(server.reads[1], []string{zulip.FetchBots}) {
			t.Errorf("read: %v", server.reads)
		}
	})
}

// Hundreds of resources that wait for one failed request report one cause, without a delay.
func TestStore_SharedFailure_CauseOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slowServer{status: http.StatusBadRequest}
		d := server.store(t)
		var (
			count          sync.Mutex
			full, referred int
		)
		atOnce, started := make(chan struct{}, 10), time.Now()
		var all sync.WaitGroup
		for range 50 {
			for _, kind := range kinds(d) {
				all.Go(func() {
					atOnce <- struct{}{}
					defer func() { <-atOnce }()
					_, err := kind(t.Context())
					var told *store.ToldError
					count.Lock()
					defer count.Unlock()
					switch {
					case errors.As(err, &told):
						referred++
					case zulip.IsMessage(err, "Cannot allocate event queue"):
						full++
					default:
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if full != 1 || referred != 50*len(kinds(d))-1 || len(server.reads) != 1 || time.Since(started) > time.Second {
			t.Errorf("%d were told the cause, %d where to find it, after %d requests, in %s", full, referred, len(server.reads), time.Since(started))
		}

		// The failure does not count forever.
		server.status = 0
		pass(6 * time.Second)
		if _, err := d.Read(t.Context(), store.Channels); err != nil {
			t.Error(err)
		}
	})
}

// One read after writes of several kinds shows all of them.
func TestStore_PartsAfterWrites_OneSnapshot(t *testing.T) {
	d, client, server := newStore(t)
	if _, err := d.Read(t.Context(), store.Organization); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateLinkifier(t.Context(), zulip.LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	channel, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "new"})
	requireNoError(t, err)
	askBefore(t, d)
	server.Journal().Reset()
	reads := make(chan func(context.Context) (*snapshot.Snapshot, error), 5)
	for _, read := range []func(context.Context) (*snapshot.Snapshot, error){
		fresh(d, store.Channels), fresh(d, store.Folders), fresh(d, store.UserGroups), fresh(d, store.Linkifiers), fresh(d, store.ProfileFields),
	} {
		reads <- read
	}
	together(cap(reads), func() {
		if _, err := (<-reads)(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if snapshots, all := server.Journal().Count(sandbox.Filter{Path: "/register"}), server.Journal().Count(sandbox.Filter{}); snapshots != 1 || all != 2 {
		t.Errorf("%d snapshots among %d requests", snapshots, all)
	}

	view, err := d.Read(t.Context(), store.Channels)
	requireNoError(t, err)
	general, _ := view.Channels().ByName("general")
	if _, made := view.Channels().ByID(channel); !made || !general.IsDefault {
		t.Errorf("of the channels: made %v, default %v", made, general.IsDefault)
	}
	if _, made := view.Linkifiers().ByName("x"); !made {
		t.Error("the linkifier is not there")
	}
	if all := server.Journal().Count(sandbox.Filter{}); all != 2 {
		t.Errorf("%d requests: what has been read is read again", all)
	}
}

// A folder created during a run is in later snapshots, and costs one small request for all callers that wait for it.
func TestStore_NewFolder_InSnapshot(t *testing.T) {
	d, client, server := newStore(t)
	if _, err := d.Read(context.Background(), store.Channels); err != nil {
		t.Fatal(err)
	}
	id, err := client.CreateChannelFolder(context.Background(), "new", "")
	requireNoError(t, err)
	askBefore(t, d)
	server.Journal().Reset()
	together(10, func() {
		view, err := d.Fresh(context.Background(), store.Folders)
		if err != nil {
			t.Error(err)
			return
		}
		if folder, ok := view.Folders().ByName("NEW"); !ok || folder.ID != id {
			t.Error("the folder is not in what was read after it was made")
		}
	})
	view, err := d.Read(context.Background(), store.Channels)
	requireNoError(t, err)
	if _, ok := view.Folders().ByID(id); !ok {
		t.Error("who reads the channels does not see the folder")
	}
	if sent := server.Journal().Requests(sandbox.Filter{}); len(sent) != 1 || sent[0].Path != "/channel_folders" {
		t.Errorf("sent: %v", sent)
	}
}

// newGroup is a group that is not in the example.
var newGroup = zulip.UserGroupCreate{Name: "fresh"}

func TestStore_NewGroups_OneRequest(t *testing.T) {
	d, client, server := newStore(t)
	view, err := d.Read(context.Background(), store.Organization)
	requireNoError(t, err)
	sre, _ := view.UserGroupByName("sre")
	if err := client.DeactivateUserGroup(context.Background(), sre.ID); err == nil {
		t.Fatal("sre is in use")
	}
	id, _, err := client.CreateUserGroup(context.Background(), newGroup)
	requireNoError(t, err)
	askBefore(t, d)
	server.Journal().Reset()
	together(10, func() {
		view, err := d.Fresh(context.Background(), store.UserGroups)
		if err != nil {
			t.Error(err)
			return
		}
		if group, ok := view.UserGroup(id); !ok || group.Name != "fresh" {
			t.Error("the new group is not there")
		}
	})
	if got := server.Journal().Count(sandbox.Filter{Method: http.MethodGet, Path: "/user_groups"}); got != 1 {
		t.Errorf("%d requests", got)
	}
}

func TestStore_RenamedGroup_NewNameFound(t *testing.T) {
	d, run := newPlanningStore(t)
	view, err := d.Read(context.Background(), store.Organization)
	requireNoError(t, err)
	sre, _ := view.UserGroupByName("sre")
	leads, _ := view.UserGroupByName("leads")
	run.PlanName("zulip_user_group", sre.ID, "leads")
	run.PlanName("zulip_user_group", leads.ID, "bosses")
	for name, want := range map[string]int64{"leads": sre.ID, "bosses": leads.ID, "sre": 0} {
		group, ok := view.UserGroupByName(name)
		if ok != (want != 0) || ok && (group.ID != want || group.Name != name) {
			t.Errorf("%s is %+v", name, group)
		}
	}
	if held, _ := view.UserGroups().ByName("sre"); held == nil || held.ID != sre.ID {
		t.Error("the name that the group has now is lost")
	}
}

// Only the caller that asked for an unreadable message gets the error.
func TestStore_OneMessageFails_OthersServed(t *testing.T) {
	d, client, server := newStore(t)
	var ids []int64
	for range 2 {
		id, err := client.SendMessage(t.Context(), zulip.Addressee{UserIDs: []int64{d.Self().ID}}, "hello")
		requireNoError(t, err)
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
