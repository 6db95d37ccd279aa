package zulip

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

// SavedSnippet is a text that the account keeps to write it again (server-behavior §M13,
// https://zulip.com/api/get-saved-snippets).
type SavedSnippet struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
	// DateCreated is in seconds since 1970.
	DateCreated int64 `json:"date_created"`
}

// SavedSnippets reads the account's own snippets.
func (c *Client) SavedSnippets(ctx context.Context) ([]*SavedSnippet, error) {
	return list[SavedSnippet](ctx, c, "/saved_snippets", nil, "saved_snippets")
}

// CreateSavedSnippet stores a snippet and returns its ID. Calling it again stores another: the client does not retry it.
func (c *Client) CreateSavedSnippet(ctx context.Context, title, content string) (int64, error) {
	form := &Form{}
	form.Text("title", title)
	form.Text("content", content)
	var answer struct {
		ID int64 `json:"saved_snippet_id"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/saved_snippets", form, neverRetry, &answer); err != nil {
		return 0, err
	}
	if answer.ID == 0 {
		return 0, &maybeAppliedError{errors.New("POST /saved_snippets: the answer holds no ID")}
	}
	return answer.ID, nil
}

// UpdateSavedSnippet changes what is not nil.
func (c *Client) UpdateSavedSnippet(ctx context.Context, id int64, title, content *string) error {
	return c.do(ctx, http.MethodPatch, savedSnippetPath(id), params{"title": (*text)(title), "content": (*text)(content)}.form(), safeToRetry)
}

// DeleteSavedSnippet deletes a snippet. It is not an error if it no longer exists.
func (c *Client) DeleteSavedSnippet(ctx context.Context, id int64) error {
	return c.remove(ctx, savedSnippetPath(id), says("Saved snippet does not exist."))
}

func savedSnippetPath(id int64) string { return "/saved_snippets/" + strconv.FormatInt(id, 10) }
