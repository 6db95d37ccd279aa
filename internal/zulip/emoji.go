package zulip

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// EmojiNames reads the standard emoji that the server knows: the code of each, by every name it has. address is what
// [Realm.EmojiDataURL] says; it may be on another host, so no credentials go with it. It is asked for once, without
// another attempt: whoever checks a name by it can do without.
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

// File reads a file that the server, or the host that it names, gives to everybody: an image, as a rule. An address without
// a host is on the server. No credentials go with the request.
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

// decodeEmojiNames turns the names of each code around. A name of two codes stands for the last of them, so that what is
// read twice says the same twice.
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
