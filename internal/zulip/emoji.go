package zulip

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// EmojiNames reads the standard emoji that the server knows: the code of each, by every name it has. address is
// [Realm.EmojiDataURL]. It may be on another host, so the request has no credentials. The client does not retry it, because
// callers can skip checking a name.
func (c *Client) EmojiNames(ctx context.Context, address string) (map[string]string, error) {
	content, err := c.File(ctx, address)
	if err != nil {
		return nil, err
	}
	names, err := decodeEmojiNames(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", address, err)
	}
	return names, nil
}

// File reads a public file, usually an image, from the server or from a host that the server names. An address without a
// host is on the server. The request has no credentials.
func (c *Client) File(ctx context.Context, address string) ([]byte, error) {
	site, err := url.Parse(c.site)
	if err != nil {
		return nil, err
	}
	target, err := site.Parse(address)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.userAgent)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", target, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
}

// decodeEmojiNames returns the code of each name. If a name has two codes, the last one counts, so that the result is
// always the same.
func decodeEmojiNames(from io.Reader) (map[string]string, error) {
	var data struct {
		CodeToNames map[string][]string `json:"code_to_names"`
	}
	if err := json.NewDecoder(from).Decode(&data); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, code := range slices.Sorted(maps.Keys(data.CodeToNames)) {
		for _, name := range data.CodeToNames[code] {
			names[name] = code
		}
	}
	return names, nil
}

// CustomEmoji is an emoji that the organization has added
// (https://zulip.com/api/get-custom-emoji).
type CustomEmoji struct {
	ID   int64  `json:"-"`
	Name string `json:"name"`
	// SourceURL is the URL of the image, absolute or relative to the organization's.
	SourceURL string `json:"source_url"`
	// AuthorID is the user who uploaded it; nil if unknown.
	AuthorID *int64 `json:"author_id"`
	// Deactivated is true if the emoji remains only in old messages. Its name can be used again.
	Deactivated bool `json:"deactivated"`
}

// UploadCustomEmoji adds an emoji: an image with the name of its file and its content type. The server does not return its
// ID, and refuses a second emoji with the name.
func (c *Client) UploadCustomEmoji(ctx context.Context, name, file, contentType string, content []byte) error {
	form := &Form{}
	form.File(file, contentType, content)
	return c.do(ctx, http.MethodPost, customEmojiPath(name), form, neverRetry)
}

// DeactivateCustomEmoji removes an emoji from the picker; messages keep it. It is not an error if the emoji no longer
// exists.
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
