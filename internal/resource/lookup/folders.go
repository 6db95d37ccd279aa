package lookup

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// Folder finds the channel folder that a name means, also one that this run gives it; zero is no folder, which "" means.
// Archived folders are not found: they have given up their names. The error is for people and suggests the nearest names.
func Folder(view *snapshot.Snapshot, name string) (id int64, err error) {
	id, later, err := FolderInPlan(view, name)
	if err == nil && later {
		err = notYet("channel folder", runstate.Folder, name)
	}
	return id, err
}

// FolderInPlan is Folder for a plan. later says that this run has yet to create the folder or to reactivate it.
func FolderInPlan(view *snapshot.Snapshot, name string) (id int64, later bool, err error) {
	if name == "" {
		return 0, false, nil
	}
	planned, isPlanned := view.PlannedFolder(name)
	if isPlanned && planned != 0 {
		return planned, false, nil
	}
	if folder, ok := view.Folders().ByName(name); ok {
		return folder.ID, false, nil
	}
	if isPlanned {
		return 0, true, nil
	}
	names := suggest.Names{Things: "channel folders", All: view.Folders().Names(), Where: "the data source zulip_channel_folders lists all"}
	return 0, false, &missing{
		summary: fmt.Sprintf("Channel folder %s is not in the organization", suggest.Quote(name)),
		err:     fmt.Errorf("the organization has no channel folder called %q%s", name, names.Suggest(name)),
	}
}

// KeepFolder returns the words for a channel folder: those there are if they mean it, else its name. ok is false if its name is
// not known.
func KeepFolder(kept string, isKept bool, id int64, view *snapshot.Snapshot) (text string, ok bool) {
	if isKept {
		if found, later, err := FolderInPlan(view, kept); err == nil && !later && found == id {
			return kept, true
		}
	}
	if id == 0 {
		return "", true
	}
	if folder, ok := view.Folders().ByID(id); ok {
		return folder.Name, true
	}
	return "", false
}
