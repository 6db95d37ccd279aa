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
		return func(facts *facts) { facts.folders = newFolders(folders) }, nil
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
func (v *View) Folder(id int64) (*zulip.ChannelFolder, bool) { return v.facts.folders.withID(id) }

// FolderByName returns the active channel folder with a name, whatever the case of its letters. Archived folders do not
// hold their names (server-behavior §F2).
func (v *View) FolderByName(name string) (*zulip.ChannelFolder, bool) {
	return v.facts.folders.called(fold(name))
}

// ArchivedFolder returns the archived channel folder with a name; of several, the one that was made last.
func (v *View) ArchivedFolder(name string) (*zulip.ChannelFolder, bool) {
	return v.facts.folders.archivedAs(fold(name))
}

// FolderList returns every channel folder in the organization's order, archived ones included.
func (v *View) FolderList() []*zulip.ChannelFolder { return v.facts.folders.all }

// FolderNames returns the names of the active channel folders.
func (v *View) FolderNames() []string {
	return namesOf(v.facts.folders.all, func(folder *zulip.ChannelFolder) string {
		if folder.IsArchived {
			return ""
		}
		return folder.Name
	})
}

// folders are the channel folders in the organization's order. By name the active ones are found.
type folders struct {
	list[zulip.ChannelFolder]

	archived lazy[map[string]*zulip.ChannelFolder]
}

func newFolders(all []*zulip.ChannelFolder) *folders {
	f := &folders{}
	f.all = slices.SortedStableFunc(slices.Values(all), func(a, b *zulip.ChannelFolder) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	f.id, f.name = func(folder *zulip.ChannelFolder) int64 { return folder.ID }, func(folder *zulip.ChannelFolder) string {
		if folder.IsArchived {
			return ""
		}
		return fold(folder.Name)
	}
	return f
}

// archivedAs finds the archived folder of a name; of several, the one that was made last.
func (f *folders) archivedAs(name string) (*zulip.ChannelFolder, bool) {
	folder, ok := f.archived.get(func() map[string]*zulip.ChannelFolder {
		found := map[string]*zulip.ChannelFolder{}
		for _, folder := range f.all {
			if last := found[fold(folder.Name)]; folder.IsArchived && (last == nil || last.ID < folder.ID) {
				found[fold(folder.Name)] = folder
			}
		}
		return found
	})[name]
	return folder, ok
}
