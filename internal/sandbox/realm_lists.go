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
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Addresses of the default pictures of an organization.
const (
	defaultIcon = "https://secure.gravatar.com/avatar/0b2c082c00e002a2f571cbe340644239?d=identicon"
	defaultLogo = "/static/images/logo/zulip-org-logo.svg?version=0"
)

// realmImage returns the address and the source of a picture.
func (r *request) realmImage(kind rules.RealmImageKind) (url, source string) {
	realm := r.org.Settings()
	held := realm.Icon
	switch kind {
	case rules.RealmLogo:
		held = realm.Logo
	case rules.RealmNightLogo:
		held = realm.NightLogo
	}
	switch {
	case held.Uploaded:
		return fmt.Sprintf("%s?version=%d", rules.RealmImagePath(kind), held.Version()), "U"
	case kind == rules.RealmIcon:
		return defaultIcon, "G"
	}
	return r.site + defaultLogo, "D"
}

// addRealmImages adds them to a snapshot.
func (r *request) addRealmImages(answer fields) {
	answer["realm_icon_url"], answer["realm_icon_source"] = r.realmImage(rules.RealmIcon)
	answer["realm_logo_url"], answer["realm_logo_source"] = r.realmImage(rules.RealmLogo)
	answer["realm_night_logo_url"], answer["realm_night_logo_source"] = r.realmImage(rules.RealmNightLogo)
}

func uploadIcon(r *request) (fields, error) {
	if err := r.org.UploadRealmImage(rules.RealmIcon, r.uploads()); err != nil {
		return nil, err
	}
	return r.iconAnswer(), nil
}

func removeIcon(r *request) (fields, error) {
	r.org.RemoveRealmImage(rules.RealmIcon)
	return r.iconAnswer(), nil
}

func (r *request) iconAnswer() fields {
	url, _ := r.realmImage(rules.RealmIcon)
	return fields{"icon_url": url}
}

// logoKind reads which of the two logos the request is about.
func (r *request) logoKind() (rules.RealmImageKind, error) {
	night := required(r, "night", boolean)
	if night {
		return rules.RealmNightLogo, r.checked()
	}
	return rules.RealmLogo, r.checked()
}

func uploadLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	return nil, r.org.UploadRealmImage(kind, r.uploads())
}

func removeLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	r.org.RemoveRealmImage(kind)
	return nil, nil
}

// showIcon and showLogo redirect to the picture, with the rest of the query after the version (server-behavior §O11).
func showIcon(r *request) (fields, error) {
	url, _ := r.realmImage(rules.RealmIcon)
	r.redirectTo(url)
	return nil, nil
}

func showLogo(r *request) (fields, error) {
	kind, err := r.logoKind()
	if err != nil {
		return nil, err
	}
	url, _ := r.realmImage(kind)
	r.redirectTo(url)
	return nil, nil
}

// redirectTo answers the request with another address, which has a query already.
func (r *request) redirectTo(url string) {
	if r.query != "" {
		url += "&" + r.query
	}
	r.redirect = url
}

// servePicture serves an uploaded picture of an account or of the organization publicly.
func (s *Server) servePicture(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	content, ok := s.org.Picture(req.URL.Path)
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(content))
	_, _ = w.Write(content) //nolint:gosec // an image, by an earlier check; the client may have gone
}

// emojiObjects are all custom emoji by id, deactivated ones too (server-behavior §L10).
func (r *request) emojiObjects() fields {
	objects := fields{}
	for id, e := range r.org.RealmEmoji.All() {
		object := fields{
			"id": strconv.Itoa(id), "name": e.Name, "author_id": e.AuthorID, "deactivated": e.Deactivated,
			"source_url": fmt.Sprintf("%s%d%s", rules.CustomEmojiImages, id, e.Extension),
		}
		object["still_url"] = nil // only animated images have one
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

// emojiDataPath is the address of the names of the standard emoji. On a real server it contains the digest of the file.
const emojiDataPath = "/static/generated/emoji/emoji_api.json"

// serveEmojiImage serves the image of a custom emoji publicly.
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
	_, _ = w.Write(emoji.Image) // the client has gone
}

// serveEmojiNames serves the file of emoji names publicly, and without the envelope.
func serveEmojiNames(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(fields{"code_to_names": rules.StandardEmojiNames()}) // the client has gone
}

// uploads are the files of a request. A missing content type is guessed from the name.
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

func (r *request) linkifierObjects() []fields {
	objects := []fields{}
	for _, l := range r.org.ListLinkifiers() {
		object := fields{"id": l.ID, "pattern": l.Pattern, "url_template": l.URLTemplate}
		r.add(object, featurelevel.Since("zulip_linkifier", "example_input"), "example_input", orNil(l.ExampleInput))
		r.add(object, featurelevel.Since("zulip_linkifier", "example_input"), "reverse_template", orNil(l.ReverseTemplate))
		r.add(object, featurelevel.Since("zulip_linkifier", "alternative_url_templates"), "alternative_url_templates", append([]string{}, l.AlternativeURLTemplates...))
		objects = append(objects, object)
	}
	return objects
}

// linkifierChange reads the change of a linkifier.
func (r *request) linkifierChange() (rules.LinkifierChange, error) {
	change := rules.LinkifierChange{
		Pattern:                 required(r, "pattern", text()),
		URLTemplate:             required(r, "url_template", text()),
		ExampleInput:            optional(r.since(featurelevel.Since("zulip_linkifier", "example_input")), "example_input", text()),
		ReverseTemplate:         optional(r.since(featurelevel.Since("zulip_linkifier", "example_input")), "reverse_template", text()),
		AlternativeURLTemplates: optional(r.since(featurelevel.Since("zulip_linkifier", "alternative_url_templates")), "alternative_url_templates", jsonOf(listOf(parseString))),
	}
	return change, r.checked()
}

func listLinkifiers(r *request) (fields, error) {
	return fields{"linkifiers": r.linkifierObjects()}, nil
}

func createLinkifier(r *request) (fields, error) {
	change, err := r.linkifierChange()
	if err != nil {
		return nil, err
	}
	l, err := r.org.CreateLinkifier(change)
	if err != nil {
		return nil, err
	}
	return fields{"id": l.ID}, nil
}

func updateLinkifier(r *request) (fields, error) {
	change, err := r.linkifierChange()
	if err != nil {
		return nil, err
	}
	return nil, r.org.UpdateLinkifier(r.id("filter_id"), change)
}

func deleteLinkifier(r *request) (fields, error) {
	return nil, r.org.DeleteLinkifier(r.id("filter_id"))
}

func orderLinkifiers(r *request) (fields, error) {
	order := required(r, "ordered_linkifier_ids", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.OrderLinkifiers(order)
}

// registerLinkifiers is the realm_linkifiers part of a snapshot, for clients that support templates.
func registerLinkifiers(r *request, options registerOptions) fields {
	objects := []fields{}
	if options.capabilities["linkifier_url_template"] {
		objects = r.linkifierObjects()
	}
	return fields{"realm_linkifiers": objects}
}

func addPlayground(r *request) (fields, error) {
	name := required(r, "name", text())
	language := required(r, "pygments_language", text(rules.CheckPlaygroundLanguage))
	template := required(r, "url_template", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	p, err := r.org.AddPlayground(name, language, template)
	if err != nil {
		return nil, err
	}
	return fields{"id": p.ID}, nil
}

func deletePlayground(r *request) (fields, error) {
	return nil, r.org.DeletePlayground(r.id("playground_id"))
}

// registerPlaygrounds is the realm_playgrounds part of a snapshot, the only
// place where playgrounds can be read.
func registerPlaygrounds(r *request, _ registerOptions) fields {
	objects := []fields{}
	for _, p := range r.org.Playgrounds.All() {
		objects = append(objects, fields{
			"id": p.ID, "name": p.Name, "pygments_language": p.Language, "url_template": p.URLTemplate,
		})
	}
	return fields{"realm_playgrounds": objects}
}

func (r *request) domainObjects() []fields {
	objects := []fields{}
	for _, d := range r.org.Domains.AsWritten() {
		objects = append(objects, fields{"domain": d.Domain, "allow_subdomains": d.AllowSubdomains})
	}
	return objects
}

func listDomains(r *request) (fields, error) {
	return fields{"domains": r.domainObjects()}, nil
}

func addDomain(r *request) (fields, error) {
	name := required(r, "domain", text())
	subdomains := required(r, "allow_subdomains", boolean)
	if err := r.checked(); err != nil {
		return nil, err
	}
	d, err := r.org.AddDomain(name, subdomains)
	if err != nil {
		return nil, err
	}
	return fields{"new_domain": []any{d.ID, d.Domain}}, nil
}

func updateDomain(r *request) (fields, error) {
	subdomains := required(r, "allow_subdomains", boolean)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateDomain(r.vars["domain"], subdomains)
}

func deleteDomain(r *request) (fields, error) {
	return nil, r.org.DeleteDomain(r.vars["domain"])
}

// registerDomains is the realm_domains part of a snapshot.
func registerDomains(r *request, _ registerOptions) fields {
	return fields{"realm_domains": r.domainObjects()}
}
