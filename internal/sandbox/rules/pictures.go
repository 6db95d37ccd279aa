package rules

// Picture is an uploaded file that the server serves to everybody. A real one makes it over, to PNG of another size; here it
// is kept as it was uploaded.
type Picture struct {
	Path    string `json:"path"`
	Content []byte `json:"content"`
}

// PicturesPath begins the path of uploaded pictures of accounts and of the organization.
const PicturesPath = "/user_avatars/1/"

// keepPicture keeps a picture, in place of one with the same path.
func (o *Organization) keepPicture(path string, content []byte) {
	for id, picture := range o.Pictures.All() {
		if picture.Path == path {
			o.Pictures.Put(id, Picture{path, content})
			return
		}
	}
	o.Pictures.Put(o.Pictures.NextID(), Picture{path, content})
}

// Picture returns what is at a path.
func (o *Organization) Picture(path string) (content []byte, ok bool) {
	for _, picture := range o.Pictures.All() {
		if picture.Path == path {
			return picture.Content, true
		}
	}
	return nil, false
}
