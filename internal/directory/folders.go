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
			renewed.folders = indexFolders(folders)
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
func (v *View) Folder(id int64) (*zulip.ChannelFolder, bool) { return v.folders.withID(id) }

// FolderByName returns the active channel folder with a name, whatever the case of its letters. Archived folders do not
// hold their names (wire-1 §7).
func (v *View) FolderByName(name string) (*zulip.ChannelFolder, bool) {
	return v.folders.called(fold(name))
}

// ArchivedFolder returns the archived channel folder with a name; of several, the one that was made last.
func (v *View) ArchivedFolder(name string) (*zulip.ChannelFolder, bool) {
	folder, ok := v.folders.archived[fold(name)]
	return folder, ok
}

// FolderList returns every channel folder in the organization's order, archived ones included.
func (v *View) FolderList() []*zulip.ChannelFolder { return v.folders.list }

// NearestFolders returns the names of active channel folders that may have been meant by one that does not exist.
func (v *View) NearestFolders(name string) []string {
	var names []string
	for _, folder := range v.folders.list {
		if !folder.IsArchived {
			names = append(names, folder.Name)
		}
	}
	return nearest(name, names)
}

// folders are the channel folders in the organization's order. By name the active ones are found.
type folders struct {
	indexed[zulip.ChannelFolder]
	archived map[string]*zulip.ChannelFolder
}

func indexFolders(list []*zulip.ChannelFolder) folders {
	slices.SortFunc(list, func(a, b *zulip.ChannelFolder) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	f := folders{archived: map[string]*zulip.ChannelFolder{}}
	f.indexed = index(list, func(folder *zulip.ChannelFolder) int64 { return folder.ID }, func(folder *zulip.ChannelFolder) string {
		if folder.IsArchived {
			return ""
		}
		return fold(folder.Name)
	})
	for _, folder := range list {
		if last := f.archived[fold(folder.Name)]; folder.IsArchived && (last == nil || last.ID < folder.ID) {
			f.archived[fold(folder.Name)] = folder
		}
	}
	return f
}
