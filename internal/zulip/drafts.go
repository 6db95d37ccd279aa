package zulip

import (
	"context"
	"fmt"
	"net/http"
)

// Draft is a draft of the account (https://zulip.com/api/get-drafts).
type Draft struct {
	ID int64 `json:"id,omitempty"`
	// Type is `stream`, `private`, or empty for a draft that is for nobody yet.
	Type    string  `json:"type"`
	To      []int64 `json:"to"`
	Topic   string  `json:"topic"`
	Content string  `json:"content"`
	// Timestamp is when it was last edited, in seconds since 1970; left out, now.
	Timestamp int64 `json:"timestamp,omitempty"`
}

// NewDraft returns a draft; to is nil if it has no recipient yet.
func NewDraft(to *Addressee, content string) Draft {
	draft := Draft{To: []int64{}, Content: content}
	switch {
	case to == nil:
	case to.IsDirect():
		draft.Type, draft.To = "private", to.UserIDs
	default:
		draft.Type, draft.To, draft.Topic = "stream", []int64{to.ChannelID}, to.Topic
	}
	return draft
}

// Addressee returns the recipient of the draft; nil if it has none yet.
func (d *Draft) Addressee() *Addressee {
	switch {
	case len(d.To) == 0, d.Type == "stream" && d.To[0] == 0:
		return nil
	case d.Type == "stream":
		return &Addressee{ChannelID: d.To[0], Topic: d.Topic}
	}
	return &Addressee{UserIDs: d.To}
}

// Drafts reads the account's drafts, the one edited longest ago first.
func (c *Client) Drafts(ctx context.Context) ([]*Draft, error) {
	return list[Draft](ctx, c, "/drafts", nil, "drafts")
}

// CreateDrafts stores drafts and returns their IDs in order; all or none. Calling it again
// creates duplicates: the client does not retry it.
func (c *Client) CreateDrafts(ctx context.Context, drafts []Draft) ([]int64, error) {
	ids, err := sendFor[[]int64](ctx, c, http.MethodPost, "/drafts", params{"drafts": drafts}.form(), neverRetry, "ids")
	if err != nil {
		return nil, err
	}
	if len(ids) != len(drafts) {
		return nil, fmt.Errorf("POST /drafts: %d IDs for %d drafts", len(ids), len(drafts))
	}
	return ids, nil
}

// ReplaceDraft replaces a draft completely. If there is none, the error satisfies [IsNoDraft].
func (c *Client) ReplaceDraft(ctx context.Context, id int64, draft Draft) error {
	draft.ID = 0 // refused
	return c.do(ctx, http.MethodPatch, draftPath(id), params{"draft": draft}.form(), safeToRetry)
}

// DeleteDraft deletes a draft. It is not an error if it no longer exists.
func (c *Client) DeleteDraft(ctx context.Context, id int64) error {
	return c.remove(ctx, draftPath(id), IsNoDraft)
}

// IsNoDraft reports whether the account has no such draft.
func IsNoDraft(err error) bool { return IsMessage(err, "Draft does not exist") }

func draftPath(id int64) string { return itemPath("/drafts", id) }
