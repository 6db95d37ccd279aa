package sandbox

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// emojiObjects are all custom emoji by id, deactivated ones too (server-behavior §L10).
func (r *request) emojiObjects() fields {
	objects := fields{}
	for id, e := range r.org.RealmEmoji.All() {
		object := fields{
			"id": strconv.Itoa(id), "name": e.Name, "author_id": e.AuthorID, "deactivated": e.Deactivated,
			"source_url": fmt.Sprintf("%s%d%s", rules.CustomEmojiImages, id, e.Extension),
		}
		r.add(object, 113, "still_url", nil) // only animated images have one
		objects[strconv.Itoa(id)] = object
	}
	return objects
}

func listEmoji(r *request) (fields, error) {
	return fields{"emoji": r.emojiObjects()}, nil
}

func uploadEmoji(r *request) (fields, error) {
	return nil, r.org.AddCustomEmoji(r.me, r.vars["emoji_name"], r.uploads())
}

func deleteEmoji(r *request) (fields, error) {
	return nil, r.org.DeactivateCustomEmoji(r.me, r.vars["emoji_name"])
}

// emojiDataPath is where a server has the names of the standard emoji. A real one has the digest of the file in it.
const emojiDataPath = "/static/generated/emoji/emoji_api.json"

// serveEmojiImage serves the image of a custom emoji as a web server does: to everybody.
func (s *Server) serveEmojiImage(w http.ResponseWriter, req *http.Request) {
	name := path.Base(req.URL.Path)
	id, err := strconv.Atoi(strings.TrimSuffix(name, path.Ext(name)))
	s.mu.Lock()
	emoji, ok := s.org.RealmEmoji.Get(id)
	s.mu.Unlock()
	if err != nil || !ok || len(emoji.Image) == 0 {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(emoji.Extension))
	_, _ = w.Write(emoji.Image) // the client is gone, then
}

// serveEmojiNames answers as a web server does that serves a file: to everybody, and without the envelope.
func serveEmojiNames(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(fields{"code_to_names": rules.StandardEmojiNames()}) // the client is gone, then
}

// uploads are the files of a request. The kind of one that does not say it is
// guessed from its name.
func (r *request) uploads() []rules.Upload {
	var uploads []rules.Upload
	for _, f := range r.files {
		kind := f.ContentType
		if kind == "" {
			kind = mime.TypeByExtension(filepath.Ext(f.Name))
		}
		uploads = append(uploads, rules.Upload{Name: f.Name, ContentType: kind, Content: f.Content})
	}
	return uploads
}

// registerEmoji is the realm_emoji part of a snapshot.
func registerEmoji(r *request, _ registerOptions) fields {
	return fields{"realm_emoji": r.emojiObjects()}
}
