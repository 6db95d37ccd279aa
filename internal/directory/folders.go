package directory

import (
	"cmp"
	"context"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Folders returns the snapshot with the channel folders in it, archived ones included.
func (d *Directory) Folders(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchFolders})
}

// FreshFolders returns a snapshot whose channel folders were read after the call began: one small request for all who
// ask at the same time. Whoever reads the snapshot later sees these folders too, so that a channel that is planned in
// the course of an apply finds the folder that was made before it.
func (d *Directory) FreshFolders(ctx context.Context) (*View, error) {
	return d.fresh(ctx, zulip.FetchFolders, func(ctx context.Context) (put, error) {
		folders, err := d.client.ChannelFolders(ctx)
		if err != nil {
			return nil, whileReading("channel folders", err)
		}
		return func(view *View) *View {
			renewed := *view
			renewed.indexFolders(folders)
			return &renewed
		}, nil
	})
}

// TookOut registers that this run has taken a channel out of a folder, to archive the folder.
func (d *Directory) TookOut(channel, folder int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.takenOut[channel] = folder
}

// TakenOutOf returns the folder that this run has taken a channel out of.
func (d *Directory) TakenOutOf(channel int64) (folder int64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	folder, ok = d.takenOut[channel]
	return folder, ok
}

// Folder returns a channel folder by ID, archived ones included.
func (v *View) Folder(id int64) (*zulip.ChannelFolder, bool) {
	folder, ok := v.folders[id]
	return folder, ok
}

// FolderByName returns the active channel folder with a name, whatever the case of its letters. Archived folders do not
// hold their names (wire-1 §7).
func (v *View) FolderByName(name string) (*zulip.ChannelFolder, bool) {
	for _, folder := range v.folders {
		if !folder.IsArchived && fold(folder.Name) == fold(name) {
			return folder, true
		}
	}
	return nil, false
}

// ArchivedFolder returns the archived channel folder with a name; of several, the one that was made last.
func (v *View) ArchivedFolder(name string) (*zulip.ChannelFolder, bool) {
	var last *zulip.ChannelFolder
	for _, folder := range v.folders {
		if folder.IsArchived && fold(folder.Name) == fold(name) && (last == nil || last.ID < folder.ID) {
			last = folder
		}
	}
	return last, last != nil
}

// FolderList returns every channel folder in the organization's order, archived ones included.
func (v *View) FolderList() []*zulip.ChannelFolder {
	folders := make([]*zulip.ChannelFolder, 0, len(v.folders))
	for _, folder := range v.folders {
		folders = append(folders, folder)
	}
	slices.SortFunc(folders, func(a, b *zulip.ChannelFolder) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	return folders
}

// NearestFolders returns the names of active channel folders that may have been meant by one that does not exist.
func (v *View) NearestFolders(name string) []string {
	var names []string
	for _, folder := range v.folders {
		if !folder.IsArchived {
			names = append(names, folder.Name)
		}
	}
	return nearest(name, names)
}

func (v *View) indexFolders(folders []*zulip.ChannelFolder) {
	v.folders = make(map[int64]*zulip.ChannelFolder, len(folders))
	for _, folder := range folders {
		v.folders[folder.ID] = folder
	}
}
