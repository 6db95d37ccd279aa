package rules

import (
	"cmp"
	"slices"
	"strings"
)

// Folder groups channels in the sidebar (server-behavior §F1).
type Folder struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Order       int    `json:"order"`
	CreatorID   *int   `json:"creator_id"`
	DateCreated int64  `json:"date_created"` // Unix seconds
	Archived    bool   `json:"archived,omitempty"`
}

var errInvalidFolder = Refuse("Invalid channel folder ID")

// ListFolders returns the folders in their order.
func (o *Organization) ListFolders(archivedToo bool) []Folder {
	list := []Folder{}
	for _, f := range o.Folders.All() {
		if archivedToo || !f.Archived {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Folder) int { return cmp.Compare(a.Order, b.Order) })
	return list
}

// CreateFolder appends a folder.
func (o *Organization) CreateFolder(actor User, name, description string) (Folder, error) {
	if err := o.checkFolderName(name); err != nil {
		return Folder{}, err
	}
	f := Folder{ID: o.Folders.NextID(), Name: name, Description: description, CreatorID: &actor.ID, DateCreated: o.now().Unix()}
	f.Order = f.ID
	o.Folders.Put(f.ID, f)
	return f, nil
}

// FolderUpdate is what PATCH /channel_folders/{id} asks for; nil leaves things
// as they are.
type FolderUpdate struct {
	Name, Description *string
	Archived          *bool
}

// UpdateFolder changes a folder; name, description and archiving are committed
// one by one.
func (o *Organization) UpdateFolder(id int, c FolderUpdate) error {
	f, ok := o.Folders.Get(id)
	if !ok {
		return errInvalidFolder
	}
	if c.Name != nil && *c.Name != f.Name {
		// The folder's own name counts as taken: a change of case is refused.
		if err := o.checkFolderName(*c.Name); err != nil {
			return err
		}
		f.Name = *c.Name
		o.Folders.Put(id, f)
		o.Commit()
	}
	if c.Description != nil && *c.Description != f.Description {
		f.Description = *c.Description
		o.Folders.Put(id, f)
		o.Commit()
	}
	if c.Archived == nil || *c.Archived == f.Archived {
		return nil
	}
	if *c.Archived && o.folderInUse(id) {
		return Refuse("You need to remove all the channels from this folder to archive it.")
	}
	if !*c.Archived && o.folderNameTaken(f.Name) {
		return errConflict // the database's constraint, which nothing handles
	}
	f.Archived = *c.Archived
	o.Folders.Put(id, f)
	return nil
}

// OrderFolders puts the folders into the order of ids, which must hold every
// folder; unknown ids take a place of their own, and of duplicates the last
// place counts.
func (o *Organization) OrderFolders(ids []int) error {
	place := map[int]int{}
	for i, id := range ids {
		place[id] = i
	}
	var moved []Folder
	for id, f := range o.Folders.All() {
		at, ok := place[id]
		if !ok {
			return Refuse("Invalid order mapping.")
		}
		f.Order = at
		moved = append(moved, f)
	}
	for _, f := range moved {
		o.Folders.Put(f.ID, f)
	}
	return nil
}

func (o *Organization) checkFolderName(name string) error {
	if strings.TrimSpace(name) == "" {
		return Refuse("Channel folder name can't be empty.")
	}
	if at := unprintableAt(name); at > 0 {
		return Refuse("Invalid character in channel folder name, at position %d.", at)
	}
	if o.folderNameTaken(name) {
		return Refuse("Channel folder name already in use")
	}
	return nil
}

func (o *Organization) folderNameTaken(name string) bool {
	for _, f := range o.Folders.All() {
		if !f.Archived && strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// folderInUse reports whether any channel, archived ones included, is in it.
func (o *Organization) folderInUse(id int) bool {
	for _, ch := range o.Channels.All() {
		if ch.FolderID != nil && *ch.FolderID == id {
			return true
		}
	}
	return false
}
