package store_test

import (
	"context"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A folder that is made in the course of a run is seen by who reads the snapshot later, and costs one small request for
// all who wait for it.
func TestFreshFoldersAreInTheSnapshot(t *testing.T) {
	d, client, server := newStore(t)
	if _, err := d.Read(context.Background(), store.Channels); err != nil {
		t.Fatal(err)
	}
	id, err := client.CreateChannelFolder(context.Background(), "new", "")
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := view.Folders().ByID(id); !ok {
		t.Error("who reads the channels does not see the folder")
	}
	if sent := server.Journal().Requests(sandbox.Filter{}); len(sent) != 1 || sent[0].Path != "/channel_folders" {
		t.Errorf("sent: %v", sent)
	}
}
