package sandbox

import "strings"

// trimmed cuts white space at both ends.
func trimmed(value, _ string) (string, error) { return strings.TrimSpace(value), nil }

var (
	snippetTitle   = text(trimmed, notBlank, atMost(60))
	snippetContent = text(trimmed, notBlank, atMost(10000))
)

func (r *request) savedSnippetObjects() []fields {
	objects := []fields{}
	for _, s := range r.org.SavedSnippetsOf(r.me) {
		objects = append(objects, fields{"id": s.ID, "title": s.Title, "content": s.Content, "date_created": s.Created.Unix()})
	}
	return objects
}

func listSavedSnippets(r *request) (fields, error) {
	return fields{"saved_snippets": r.savedSnippetObjects()}, nil
}

func createSavedSnippet(r *request) (fields, error) {
	content := required(r, "content", snippetContent)
	title := required(r, "title", snippetTitle)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return fields{"saved_snippet_id": r.org.AddSavedSnippet(r.me, title, content).ID}, nil
}

func editSavedSnippet(r *request) (fields, error) {
	content := optional(r, "content", snippetContent)
	title := optional(r, "title", snippetTitle)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.EditSavedSnippet(r.me, r.id("saved_snippet_id"), title, content)
}

func deleteSavedSnippet(r *request) (fields, error) {
	return nil, r.org.DeleteSavedSnippet(r.me, r.id("saved_snippet_id"))
}

// registerSavedSnippets is the saved_snippets part of a snapshot.
func registerSavedSnippets(r *request, _ registerOptions) fields {
	return fields{"saved_snippets": r.savedSnippetObjects()}
}
