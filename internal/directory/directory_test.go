package directory_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// newDirectory returns an empty directory of a sandbox's organization, and a client beside it.
func newDirectory(t *testing.T) (*directory.Directory, *zulip.Client, *sandbox.Server) {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey, MaxRetries: -1})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	server.Journal().Reset()
	return directory.New(client, self, 442), client, server
}

func together(n int, do func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(do)
	}
	all.Wait()
}

func TestManyWhoAskAreOneRequest(t *testing.T) {
	d, _, server := newDirectory(t)
	together(50, func() {
		view, err := d.Channels(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		if channel, ok := view.ChannelByName("GENERAL"); !ok || !channel.IsDefault {
			t.Error("the default channel is not found")
		}
	})
	if _, err := d.Organization(context.Background()); err != nil { // has been read already
		t.Error(err)
	}
	if sent := server.Journal().Requests(sandbox.Filter{}); len(sent) != 2 {
		t.Errorf("%d requests, not a snapshot and the end of its queue: %v", len(sent), sent)
	}
}

func TestWhoGivesUpDoesNotSpoilItForTheOthers(t *testing.T) {
	d, _, server := newDirectory(t)
	gate := server.Gate("POST", "/register")
	impatient, giveUp := context.WithCancel(context.Background())
	gone := make(chan error)
	go func() {
		_, err := d.Organization(impatient)
		gone <- err
	}()
	held := <-gate.Arrived
	stays := make(chan error)
	go func() {
		_, err := d.Organization(context.Background())
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

func TestReadsThatFollowWritesAreOne(t *testing.T) {
	d, client, server := newDirectory(t)
	names := []string{"one", "two", "three", "four", "five", "six", "seven", "eight"}
	ready := make(chan string, len(names))
	for _, name := range names {
		ready <- name
	}
	together(len(names), func() {
		name, end := <-ready, d.Write()
		defer end()
		if _, _, err := client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name}); err != nil {
			t.Error(err)
			return
		}
		end()
		view, err := d.FreshChannels(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := view.ChannelByName(name); !ok {
			t.Errorf("%s is not in what was read after it was made", name)
		}
	})
	if reads := server.Journal().Count(sandbox.Filter{Method: "GET", Path: "/streams"}); reads > 3 {
		t.Errorf("%d writes were followed by %d reads", len(names), reads)
	}
}

func TestNamesPlannedInTheSameRun(t *testing.T) {
	d, _, _ := newDirectory(t)
	view, err := d.Channels(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	sres := permission.Principal{Kind: permission.KindGroup, Name: "sres"}
	_, problems := permission.Resolve([]permission.Principal{sres}, view)
	if len(problems) != 1 || !slices.Contains(view.Nearest(sres), permission.Principal{Kind: permission.KindGroup, Name: "sre"}) {
		t.Fatalf("an unknown group: %v, near: %v", problems, view.Nearest(sres))
	}
	d.Plan(sres)
	resolved, problems := permission.Resolve([]permission.Principal{sres}, view)
	if len(problems) != 0 || len(resolved.Planned) != 1 {
		t.Errorf("a planned group: %+v, %v", resolved, problems)
	}

	general, _ := view.ChannelByName("general")
	if _, taken := view.ChannelTaking("General", 0); !taken {
		t.Error("a name in use counts as free")
	}
	if _, taken := view.ChannelTaking("General", general.ID); taken {
		t.Error("a channel's own name counts as taken")
	}
	d.PlanChannelName(general.ID, "lobby")
	if _, taken := view.ChannelTaking("General", 0); taken {
		t.Error("a name that this run gives up counts as taken")
	}
}

func TestForgottenPartsAreReadAgain(t *testing.T) {
	d, _, server := newDirectory(t)
	for range 2 {
		if _, err := d.Organization(context.Background()); err != nil {
			t.Fatal(err)
		}
		d.Forget(zulip.FetchUserGroups)
	}
	registers := server.Journal().Requests(sandbox.Filter{Path: "/register"})
	if len(registers) != 2 || registers[1].Params["fetch_event_types"] != `["realm_user_groups"]` {
		t.Errorf("read: %v", registers)
	}
}

func TestAddresses(t *testing.T) {
	d, _, _ := newDirectory(t)
	view, err := d.Channels(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"Lena.Fischer@Example.com", "lena.fischer@example.com"} {
		user, ok := view.UserByAddress(address)
		if !ok || user.Address() != "lena.fischer@example.com" {
			t.Errorf("%s is %v", address, user)
		}
		if same, ok := view.UserByAddress(user.Email); !ok || same.ID != user.ID {
			t.Errorf("the API address %s is %v", user.Email, same)
		}
	}
	if near := directory.Nearest("lena.fisher@example.com", view.Addresses()); !slices.Contains(near, "lena.fischer@example.com") {
		t.Errorf("near are %v", near)
	}
	if near := directory.Nearest("xaver@example.com", view.Addresses()); len(near) > 0 {
		t.Errorf("only the domain is the same, and still near are %v", near)
	}
	if near := directory.Nearest("genral", view.ChannelNames()); !slices.Contains(near, "general") {
		t.Errorf("near are %v", near)
	}
}

func TestListsAreReadByThemselvesAfterAWrite(t *testing.T) {
	d, client, server := newDirectory(t)
	if view, err := d.Linkifiers(context.Background()); err != nil || len(view.Linkifiers()) != 0 {
		t.Fatal(view, err)
	}
	const many = 8
	patterns := make(chan string, many)
	for i := range many {
		patterns <- string(rune('a' + i))
	}
	server.Journal().Reset()
	together(many, func() {
		pattern, end := <-patterns, d.Write()
		defer end()
		if _, err := client.CreateLinkifier(context.Background(), zulip.LinkifierChange{Pattern: pattern, URLTemplate: "https://example.com/"}); err != nil {
			t.Error(err)
			return
		}
		end()
		view, err := d.FreshLinkifiers(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := view.LinkifierByPattern(pattern); !ok {
			t.Errorf("%s is not in what was read after it was made", pattern)
		}
	})
	view, err := d.Linkifiers(context.Background())
	if err != nil || len(view.Linkifiers()) != many {
		t.Fatalf("the snapshot has %v, %v", view, err)
	}
	if reads := len(server.Journal().Requests(sandbox.Filter{})) - many; reads > many/2 {
		t.Errorf("%d reads after %d writes", reads, many)
	}
	if err := client.DeleteLinkifier(context.Background(), view.Linkifiers()[0].ID); err != nil {
		t.Fatal(err)
	}
	d.Forget(zulip.FetchLinkifiers)
	if view, err := d.Linkifiers(context.Background()); err != nil || len(view.Linkifiers()) != many-1 {
		t.Errorf("what was forgotten is not read again: %v, %v", view.Linkifiers(), err)
	}
}

// A snapshot that was taken before a write, and arrives after it, does not hide what was written.
func TestASnapshotUnderWayIsNotNewerThanAWrite(t *testing.T) {
	for name, after := range map[string]func(*testing.T, *directory.Directory){
		"forgotten": func(_ *testing.T, d *directory.Directory) { d.Forget(zulip.FetchLinkifiers) },
		"read again": func(t *testing.T, d *directory.Directory) {
			if _, err := d.FreshLinkifiers(context.Background()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, client, server := newDirectory(t)
			gate := server.Gate("DELETE", "/events") // the snapshot is taken, and not yet in the directory
			asked := make(chan error, 1)
			go func() {
				_, err := d.Linkifiers(context.Background())
				asked <- err
			}()
			held := <-gate.Arrived
			gate.Open()
			if _, err := client.CreateLinkifier(context.Background(), zulip.LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"}); err != nil {
				t.Fatal(err)
			}
			after(t, d)
			held.Release()
			if err := <-asked; err != nil {
				t.Fatal(err)
			}
			if view, err := d.Linkifiers(context.Background()); err != nil || len(view.Linkifiers()) != 1 {
				t.Errorf("the snapshot holds %v, %v", view.Linkifiers(), err)
			}
		})
	}
}
