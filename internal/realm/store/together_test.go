package store_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestPartsWantedTogetherAreOneSnapshot: what follows writes of several kinds is one read, and brings what was written.
func TestPartsWantedTogetherAreOneSnapshot(t *testing.T) {
	d, client, server := newStore(t)
	if _, err := d.Read(t.Context(), store.Organization); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateLinkifier(t.Context(), zulip.LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	channel, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "new"})
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
