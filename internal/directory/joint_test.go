package directory_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestPartsWantedTogetherAreOneSnapshot: what follows writes of several kinds is one read, and brings what was written.
func TestPartsWantedTogetherAreOneSnapshot(t *testing.T) {
	d, client, server := newDirectory(t)
	if _, err := d.Organization(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateLinkifier(t.Context(), zulip.LinkifierChange{Pattern: "x", URLTemplate: "https://example.com/"}); err != nil {
		t.Fatal(err)
	}
	channel, _, err := client.CreateChannel(t.Context(), zulip.ChannelCreate{Name: "new"})
	if err != nil {
		t.Fatal(err)
	}
	server.Journal().Reset()
	reads := make(chan func(context.Context) (*directory.View, error), 5)
	for _, read := range []func(context.Context) (*directory.View, error){
		d.FreshChannels, d.FreshFolders, d.FreshUserGroups, d.FreshLinkifiers, d.FreshProfileFields,
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

	view, err := d.Channels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	general, _ := view.ChannelByName("general")
	if _, made := view.Channel(channel); !made || !general.IsDefault {
		t.Errorf("of the channels: made %v, default %v", made, general.IsDefault)
	}
	if _, made := view.LinkifierByPattern("x"); !made {
		t.Error("the linkifier is not there")
	}
	if all := server.Journal().Count(sandbox.Filter{}); all != 2 {
		t.Errorf("%d requests: what has been read is read again", all)
	}
}
