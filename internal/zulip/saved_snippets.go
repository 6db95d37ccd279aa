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
	var answer struct {
		SavedSnippets []*SavedSnippet `json:"saved_snippets"`
	}
	if _, err := c.send(ctx, http.MethodGet, "/saved_snippets", nil, safeToRetry, &answer); err != nil {
		return nil, err
	}
	return withoutNull(answer.SavedSnippets), nil
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
	form := &Form{}
	if title != nil {
		form.Text("title", *title)
	}
	if content != nil {
		form.Text("content", *content)
	}
	_, err := c.send(ctx, http.MethodPatch, savedSnippetPath(id), form, safeToRetry, nil)
	return err
}

// DeleteSavedSnippet deletes a snippet. It is not an error if it no longer exists.
func (c *Client) DeleteSavedSnippet(ctx context.Context, id int64) error {
	_, err := c.send(ctx, http.MethodDelete, savedSnippetPath(id), nil, safeToRetry, nil)
	if IsMessage(err, "Saved snippet does not exist.") {
		return nil
	}
	return err
}

func savedSnippetPath(id int64) string { return "/saved_snippets/" + strconv.FormatInt(id, 10) }
