package export

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// rolesToList are the lists of everybody who is more or less than a member, or of everybody.
func (e *export) rolesToList() []map[string]string {
	if e.AllPeople {
		return []map[string]string{nil}
	}
	var lists []map[string]string
	for _, role := range []zulip.Role{zulip.RoleOwner, zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleGuest} {
		lists = append(lists, map[string]string{"role": role.String()})
	}
	return lists
}

// isJoinedByInvitation reports whether a list of the subscribers of a channel is one that somebody keeps: of a private one. Into a
// public channel people come by themselves, and into a default one with their account.
func (e *export) isJoinedByInvitation(o *object) bool {
	id, _ := strconv.ParseInt(o.id, 10, 64) // it is one
	channel, ok := e.snapshot.Channels().ByID(id)
	if ok && channel.InviteOnly && !channel.IsDefault {
		return true
	}
	isSelected := func(other *object) bool { return other.kind.resource == "zulip_channel" && other.id == o.id }
	if !o.isAlong || slices.ContainsFunc(e.objects, isSelected) {
		e.openChannels++
	}
	return false
}

func isBot(self *zulip.User) bool { return self.IsBot }

// checkAccount refuses an account that can manage nothing of what it would export.
func checkAccount(self *zulip.User) error {
	if self.Role == zulip.RoleGuest {
		return fmt.Errorf("cannot export as %s: a guest manages nothing, and sees only the channels it is in. Use the key of an administrator", self.Address())
	}
	return nil
}

// warnOfHidden says what the server does not show to the account, or does not let it manage, which is therefore left out.
func (e *export) warnOfHidden() {
	self := e.Store.Self()
	warn := func(text string) {
		e.note("%s %s", inCode(self.Address()), text)
		if e.Warn != nil {
			e.Warn(visible(self.Address()) + " " + text)
		}
	}
	if self.Role > zulip.RoleAdministrator {
		warn("is no administrator: private channels it is not in, and bots and invitation links of others, are left out, because the server does not show them.")
	}
	if self.IsBot {
		warn("is a bot: bots and invitation links are left out, because the server lets only people manage them.")
	}
}

// endsAsMember has whoever is more than a member be one again when the role is removed from the configuration, so that nobody stays
// an administrator by accident. The account of the export is left out: a destroy of everything would demote it in its midst.
func (e *export) endsAsMember(o *object) bool {
	role, ok := zulip.ParseRole(o.text("role"))
	if ok && role < zulip.RoleMember && o.id != fmt.Sprint(e.Store.Self().ID) {
		o.config["on_destroy"] = tftypes.NewValue(tftypes.String, zulip.RoleMember.String())
		o.importID += "=" + zulip.RoleMember.String()
	}
	return true
}

// warnOfChannels says in a comment what of an invitation link is not known.
func warnOfChannels(_ *export, o *object) bool {
	o.comments["invite_as"] = "The server does not show the channels of a link: write them as channel_ids before it is replaced."
	return true
}

// noteUnread says in a comment what of an invitation by e-mail is not known.
func noteUnread(_ *export, o *object) bool {
	o.comments["email"] = "The server does not show the channels, groups and welcome message of an invitation: write them before it is sent again."
	return true
}

// imageFolder is where the images of custom emoji are, pictureFolder those of the organization, besideModule what the path of a file begins with that is beside the
// configuration: what path.module is in a root module.
const (
	imageFolder   = "emoji"
	pictureFolder = "pictures"
	besideModule  = "./"
)

// imageName is what the image of an emoji may be called, without the ending: what real servers call emoji (server-behavior §L8).
// Neither a separator of any system nor a hidden file nor an option of a command is among it.
const imageName = `[a-z0-9][a-z0-9._-]*`

// longestImageName keeps the name of a file below what file systems take.
const longestImageName = 100

var (
	// imageEndings are those of the images that servers take (server-behavior §L9).
	imageEndings   = []string{"png", "jpg", "jpeg", "gif", "webp", "avif"}
	wholeImageName = regexp.MustCompile(`^` + imageName + `$`)
	windowsDevice  = regexp.MustCompile(`^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)`)
)

// hasImage gives an emoji the file that its image is written to, by which it is imported too. What a server says decides neither
// the folder nor the kind of the file: an emoji whose name is no name of a file is called by its ID, and the ending is one of an
// image.
func (e *export) hasImage(o *object) bool {
	address := o.text("source_url")
	if address == "" {
		e.note("custom emoji %s: the server does not say where its image is.", inCode(o.label))
		return false
	}
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(strings.Split(address, "?")[0]), "."))
	if !slices.Contains(imageEndings, ending) {
		ending = imageEndings[0]
	}
	name := o.text("name")
	if !wholeImageName.MatchString(name) || windowsDevice.MatchString(name) || len(name) > longestImageName {
		name = "emoji-" + o.id
	}
	file := path.Join(imageFolder, name+"."+ending)
	for e.images[file] { // another emoji is called like this
		name += "-" + o.id
		file = path.Join(imageFolder, name+"."+ending)
	}
	e.giveFile(o, file)
	return true
}

// giveFile lets an object be made of a file that is beside the configuration.
func (e *export) giveFile(o *object, file string) {
	e.images[file] = true
	o.config["file"] = tftypes.NewValue(tftypes.String, besideModule+file)
	o.importID = o.fileOwner() + "=" + besideModule + file
}

// fileOwner is what an object is imported by, before the file.
func (o *object) fileOwner() string {
	if o.kind.resource == "zulip_organization_image" {
		return o.id
	}
	return o.text("name")
}

// hasFile reports whether objects of a kind are made of an image file, and imported with it.
func (k *kind) hasFile() bool {
	return k.resource == "zulip_custom_emoji" || k.resource == "zulip_organization_image"
}

// uploadedImages are the pictures that the organization has uploaded.
func (e *export) uploadedImages() (kinds []string) {
	realm := e.snapshot.Realm()
	for _, kind := range []string{zulip.IconImage, zulip.LogoImage, zulip.NightLogoImage} {
		if realm.Image(kind).IsUploaded {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// hasPicture gives a picture of the organization the file that it is written to: what the server made of the one that was uploaded.
// Its own kind of file a server has changed to PNG.
func (e *export) hasPicture(o *object) bool {
	o.comments["file"] = "What the server made of the file that was uploaded, which it does not give back."
	e.giveFile(o, path.Join(pictureFolder, o.id+".png"))
	return true
}

// addImages reads the images of the emoji and of the organization that are exported.
func (e *export) addImages(ctx context.Context, files map[string][]byte) error {
	var problems []error
	for _, o := range e.objects {
		if !o.kind.hasFile() {
			continue
		}
		content, err := e.Client.File(ctx, o.text("source_url"))
		if err != nil {
			problems = append(problems, fmt.Errorf("cannot read the image of the %s %q: %w. --exclude %s:%s leaves it out", strings.ReplaceAll(o.kind.word(), "_", " "), o.label, err, o.kind.word(), o.label))
			continue
		}
		files[strings.TrimPrefix(textOf(o.config["file"]), besideModule)] = content
	}
	return errors.Join(problems...)
}
