package zulip

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// CustomEmoji is an emoji that the organization has added
// (https://zulip.com/api/get-custom-emoji).
type CustomEmoji struct {
	ID   int64  `json:"-"`
	Name string `json:"name"`
	// SourceURL is where the image is, from the organization's address on or whole.
	SourceURL string `json:"source_url"`
	// AuthorID is who uploaded it; nil if nobody knows.
	AuthorID *int64 `json:"author_id"`
	// Deactivated ones stay for the messages they are in. Their name is free.
	Deactivated bool `json:"deactivated"`
}

// UploadCustomEmoji adds an emoji: an image with the name of its file and its content
// type. The server does not tell its ID, and refuses a second one of the same name.
func (c *Client) UploadCustomEmoji(ctx context.Context, name, file, contentType string, content []byte) error {
	form := &Form{}
	form.File(file, contentType, content)
	return c.do(ctx, http.MethodPost, customEmojiPath(name), form, neverRetry)
}

// DeactivateCustomEmoji takes an emoji away from who writes; messages that have it keep
// it. It is not an error if it no longer exists.
func (c *Client) DeactivateCustomEmoji(ctx context.Context, name string) error {
	return c.remove(ctx, customEmojiPath(name), says(fmt.Sprintf("Emoji '%s' does not exist", name)))
}

func customEmojiPath(name string) string { return "/realm/emoji/" + url.PathEscape(name) }

// decodeCustomEmoji reads the object of emoji by ID. They are kept in the order they were
// added.
func (s *RegisterAnswer) decodeCustomEmoji(decoder *json.Decoder) error {
	var byID map[string]*CustomEmoji
	if err := decoder.Decode(&byID); err != nil {
		return err
	}
	s.CustomEmoji = make([]*CustomEmoji, 0, len(byID))
	for text, emoji := range byID {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("realm_emoji: %q is no ID", text)
		}
		if emoji != nil {
			emoji.ID = id
			s.CustomEmoji = append(s.CustomEmoji, emoji)
		}
	}
	slices.SortFunc(s.CustomEmoji, func(a, b *CustomEmoji) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}
