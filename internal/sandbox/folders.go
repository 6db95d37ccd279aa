package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Limits of a folder's texts, in characters (server-behavior §F1).
const (
	maxFolderName        = 60
	maxFolderDescription = 1024
)

func (r *request) folderObjects(folders []rules.Folder) []fields {
	objects := []fields{}
	for _, f := range folders {
		object := fields{
			"id": f.ID, "name": f.Name,
			"description": f.Description, "rendered_description": r.org.Render(f.Description),
			"creator_id": f.CreatorID, "date_created": f.DateCreated, "is_archived": f.Archived,
		}
		r.add(object, featurelevel.Since("zulip_channel_folder_order", "folder_ids"), "order", f.Order)
		objects = append(objects, object)
	}
	return objects
}

func listFolders(r *request) (fields, error) {
	archivedToo := withDefault(r, "include_archived", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return fields{"channel_folders": r.folderObjects(r.org.ListFolders(archivedToo))}, nil
}

func createFolder(r *request) (fields, error) {
	name := required(r, "name", text(atMost(maxFolderName)))
	description := required(r, "description", text(atMost(maxFolderDescription)))
	if err := r.checked(); err != nil {
		return nil, err
	}
	f, err := r.org.CreateFolder(r.me, name, description)
	if err != nil {
		return nil, err
	}
	return fields{"channel_folder_id": f.ID}, nil
}

func updateFolder(r *request) (fields, error) {
	change := rules.FolderUpdate{
		Name:        optional(r, "name", text(atMost(maxFolderName))),
		Description: optional(r, "description", text(atMost(maxFolderDescription))),
		Archived:    optional(r, "is_archived", boolean),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateFolder(r.id("folder_id"), change)
}

func orderFolders(r *request) (fields, error) {
	order := required(r, "order", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.OrderFolders(order)
}

// registerFolders is the channel_folders part of a snapshot: archived ones too.
func registerFolders(r *request, _ registerOptions) fields {
	return fields{"channel_folders": r.folderObjects(r.org.ListFolders(true))}
}
