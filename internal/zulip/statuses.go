package zulip

import (
	"context"
	"net/http"
)

// MaxStatusLength is how many characters the text of a status may have
// (server-behavior §U11).
const MaxStatusLength = 60

// Status is what a person tells the others about being there (server-behavior §U11).
// Parts that there are none of are empty.
type Status struct {
	Text         string `json:"status_text"`
	EmojiName    string `json:"emoji_name"`
	EmojiCode    string `json:"emoji_code"`
	ReactionType string `json:"reaction_type"`
}

// StatusUpdate is a change of a status; nil leaves a part as it is, and an empty text or
// emoji name takes it away.
type StatusUpdate struct {
	Text      *string
	EmojiName *string
	// EmojiCode and ReactionType go with a name; left out, the server knows them by it.
	EmojiCode, ReactionType *string
}

func (u *StatusUpdate) form() *Form {
	return params{
		"status_text":   (*text)(u.Text),
		"emoji_name":    (*text)(u.EmojiName),
		"emoji_code":    (*text)(u.EmojiCode),
		"reaction_type": (*text)(u.ReactionType),
	}.form()
}

// Status reads the status of a person who is active. Bots have none: the server answers
// `No such user` for them. Servers have it from feature level 262 on.
func (c *Client) Status(ctx context.Context, userID int64) (Status, error) {
	return sendFor[Status](ctx, c, http.MethodGet, userPath(userID)+"/status", nil, safeToRetry, "status")
}

// SetOwnStatus changes the status of the account itself, which has to be a person's.
func (c *Client) SetOwnStatus(ctx context.Context, update StatusUpdate) error {
	return c.do(ctx, http.MethodPost, "/users/me/status", update.form(), safeToRetry)
}

// SetStatus changes the status of somebody else. The account has to be a person's and an
// administrator's. Servers have it from feature level 407 on.
func (c *Client) SetStatus(ctx context.Context, userID int64, update StatusUpdate) error {
	return c.do(ctx, http.MethodPost, userPath(userID)+"/status", update.form(), safeToRetry)
}
