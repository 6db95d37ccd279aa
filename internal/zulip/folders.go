package zulip

import (
	"context"
	"net/http"
	"strconv"
)

// ChannelFolder is a folder of channels (https://zulip.com/api/get-channel-folders).
type ChannelFolder struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Order is the place among the folders; zero for all on servers that keep none.
	Order     int64  `json:"order"`
	CreatorID *int64 `json:"creator_id"`
	// DateCreated is in seconds since 1970, UTC.
	DateCreated int64 `json:"date_created"`
	IsArchived  bool  `json:"is_archived"`
}

// ChannelFolderUpdate holds what an update changes; what is nil is not sent.
type ChannelFolderUpdate struct {
	Name        *string
	Description *string
	IsArchived  *bool
}

// ChannelFolders reads every folder, archived ones included, in their order.
func (c *Client) ChannelFolders(ctx context.Context) ([]*ChannelFolder, error) {
	form := &Form{}
	form.JSON("include_archived", true)
	var answer struct {
		Folders []*ChannelFolder `json:"channel_folders"`
	}
	if _, err := c.send(ctx, http.MethodGet, "/channel_folders", form, safeToRetry, &answer); err != nil {
		return nil, err
	}
	return withoutNull(answer.Folders), nil
}

// CreateChannelFolder creates a folder, the last in the order, and returns its ID. The
// client does not repeat it: the server refuses a name that an active folder has
// ([IsFolderNameTaken]), also when it is the one that was just made.
func (c *Client) CreateChannelFolder(ctx context.Context, name, description string) (int64, error) {
	form := &Form{}
	form.Text("name", name)
	form.Text("description", description) // required, may be empty
	var answer struct {
		ID int64 `json:"channel_folder_id"`
	}
	_, err := c.send(ctx, http.MethodPost, "/channel_folders/create", form, neverRetry, &answer)
	return answer.ID, err
}

// UpdateChannelFolder changes a folder. Name, description and archiving are applied one
// after the other, and those before a failure stay (server-behavior §F6). Values that are
// current already are skipped, so the call can be repeated. A folder with any channel in it, archived
// ones included, is not archived ([IsFolderInUse]).
func (c *Client) UpdateChannelFolder(ctx context.Context, id int64, update ChannelFolderUpdate) error {
	form := &Form{}
	if update.Name != nil {
		form.Text("name", *update.Name)
	}
	if update.Description != nil {
		form.Text("description", *update.Description)
	}
	jsonIfSet(form, "is_archived", update.IsArchived)
	_, err := c.send(ctx, http.MethodPatch, "/channel_folders/"+strconv.FormatInt(id, 10), form, safeToRetry, nil)
	return err
}

// OrderChannelFolders puts the folders into an order. All of them have to be there, archived ones included; else
// [IsIncompleteOrder].
func (c *Client) OrderChannelFolders(ctx context.Context, ids []int64) error {
	form := &Form{}
	form.JSON("order", ids)
	_, err := c.send(ctx, http.MethodPatch, "/channel_folders", form, safeToRetry, nil)
	return err
}

// IsFolderNameTaken reports whether an active folder has the name, ignoring case.
func IsFolderNameTaken(err error) bool { return IsMessage(err, "Channel folder name already in use") }

// IsFolderInUse reports whether a folder cannot be archived because of the channels in it.
func IsFolderInUse(err error) bool {
	return IsMessage(err, "You need to remove all the channels from this folder to archive it.")
}

// IsNoFolder reports whether the organization has no such folder.
func IsNoFolder(err error) bool { return IsMessage(err, "Invalid channel folder ID") }

// IsIncompleteOrder reports whether an order of folders, linkifiers or profile fields leaves something out, as it does when
// somebody has made another one meanwhile.
func IsIncompleteOrder(err error) bool {
	return IsMessage(err, "Invalid order mapping.", "The ordered list must enumerate all existing linkifiers exactly once")
}
