package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// hasSpecialRole reports whether somebody is more or less than a member; with all people selected everybody is.
func (e *export) hasSpecialRole(o *object) bool { return e.AllPeople || o.text("role") != "member" }

// imageFolder is where the images of custom emoji are, besideModule what the path of a file begins with that is beside the
// configuration: what path.module is in a root module.
const (
	imageFolder  = "emoji"
	besideModule = "./"
)

// hasImage gives an emoji the file that its image is written to, by which it is imported too.
func (e *export) hasImage(o *object) bool {
	address := o.text("source_url")
	if address == "" {
		e.note("custom emoji %q: the server does not say where its image is.", o.label)
		return false
	}
	file := path.Join(imageFolder, o.text("name")+cmp.Or(path.Ext(strings.Split(address, "?")[0]), ".png"))
	o.config["file"] = tftypes.NewValue(tftypes.String, besideModule+file)
	o.importID = o.text("name") + "=" + besideModule + file
	return true
}

// addImages reads the images of the emoji that are exported.
func (e *export) addImages(ctx context.Context, files map[string][]byte) error {
	var problems []error
	for _, o := range e.objects {
		if o.kind.resource != "zulip_custom_emoji" {
			continue
		}
		content, err := e.Client.File(ctx, o.text("source_url"))
		if err != nil {
			problems = append(problems, fmt.Errorf("cannot read the image of the custom emoji %q: %w. --exclude custom_emoji leaves the emoji out", o.label, err))
			continue
		}
		files[filepath.FromSlash(strings.TrimPrefix(textOf(o.config["file"]), besideModule))] = content
	}
	return errors.Join(problems...)
}
