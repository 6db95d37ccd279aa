package zulip

import (
	"context"
	"net/http"
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
	return list[ChannelFolder](ctx, c, "/channel_folders", params{"include_archived": true}.form(), "channel_folders")
}

// CreateChannelFolder creates a folder, the last in the order, and returns its ID. The
// client does not repeat it: the server refuses a name that an active folder has
// ([IsFolderNameTaken]), also when it is the one that was just made.
func (c *Client) CreateChannelFolder(ctx context.Context, name, description string) (int64, error) {
	return c.create(ctx, "/channel_folders/create", params{
		"name":        text(name),
		"description": text(description), // required, may be empty
	}.form(), neverRetry, "channel_folder_id")
}

// UpdateChannelFolder changes a folder. Name, description and archiving are applied one
// after the other, and those before a failure stay (server-behavior §F6). Values that are
// current already are skipped, so the call can be repeated. A folder with any channel in it, archived
// ones included, is not archived ([IsFolderInUse]).
func (c *Client) UpdateChannelFolder(ctx context.Context, id int64, update ChannelFolderUpdate) error {
	return c.do(ctx, http.MethodPatch, itemPath("/channel_folders", id), params{
		"name":        (*text)(update.Name),
		"description": (*text)(update.Description),
		"is_archived": update.IsArchived,
	}.form(), safeToRetry)
}

// OrderChannelFolders puts the folders into an order. All of them have to be there, archived ones included; else
// [IsIncompleteOrder].
func (c *Client) OrderChannelFolders(ctx context.Context, ids []int64) error {
	return c.do(ctx, http.MethodPatch, "/channel_folders", params{"order": ids}.form(), safeToRetry)
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
