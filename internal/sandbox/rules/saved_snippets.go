package rules

import (
	"net/http"
	"time"
)

// SavedSnippet is a text that an account keeps to write it again (server-behavior §M13).
type SavedSnippet struct {
	ID      int       `json:"id"`
	UserID  int       `json:"user_id"`
	Title   string    `json:"title"`
	Content string    `json:"content"`
	Created time.Time `json:"created"`
}

// SavedSnippetsOf returns the snippets of an account, which nobody else sees.
func (o *Organization) SavedSnippetsOf(u User) []SavedSnippet {
	var own []SavedSnippet
	for _, s := range o.SavedSnippets.All() {
		if s.UserID == u.ID {
			own = append(own, s)
		}
	}
	return own
}

// AddSavedSnippet keeps a text.
func (o *Organization) AddSavedSnippet(u User, title, content string) SavedSnippet {
	s := SavedSnippet{ID: o.SavedSnippets.NextID(), UserID: u.ID, Title: title, Content: content, Created: o.now().UTC()}
	o.SavedSnippets.Put(s.ID, s)
	return s
}

// EditSavedSnippet changes what is not nil.
func (o *Organization) EditSavedSnippet(u User, id int, title, content *string) error {
	s, err := o.savedSnippet(u, id)
	if err != nil {
		return err
	}
	if title != nil {
		s.Title = *title
	}
	if content != nil {
		s.Content = *content
	}
	o.SavedSnippets.Put(id, s)
	return nil
}

// DeleteSavedSnippet deletes one of the account's own.
func (o *Organization) DeleteSavedSnippet(u User, id int) error {
	_, err := o.savedSnippet(u, id)
	if err == nil {
		o.SavedSnippets.Delete(id)
	}
	return err
}

func (o *Organization) savedSnippet(u User, id int) (SavedSnippet, error) {
	s, ok := o.SavedSnippets.Get(id)
	if !ok || s.UserID != u.ID {
		return s, &Error{Status: http.StatusNotFound, Msg: "Saved snippet does not exist."}
	}
	return s, nil
}
