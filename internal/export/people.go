package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// listedRoles returns the roles that have a list, so that a plan shows everyone who gets one.
func (e *export) listedRoles() []string {
	return []string{zulip.RoleOwner.String(), zulip.RoleAdministrator.String(), zulip.RoleModerator.String()}
}

// isListed reports whether the export has a list of all users with a role.
func (e *export) isListed(role string) bool {
	return slices.ContainsFunc(e.objects, func(o *object) bool { return o.kind.resource == "zulip_role_members" && o.id == role })
}

// rolesToList returns the arguments of lists of the users whose roles are written one by one: those with another role than
// member, or all. It leaves out the roles that have a list.
func (e *export) rolesToList() []map[string]string {
	roles := map[zulip.Role]bool{}
	for _, user := range e.snapshot.Users() {
		roles[user.Role] = (e.AllPeople || user.Role != zulip.RoleMember) && !e.isListed(user.Role.String())
	}
	var lists []map[string]string
	for _, role := range slices.Sorted(maps.Keys(roles)) {
		if roles[role] {
			lists = append(lists, map[string]string{"role": role.String()})
		}
	}
	return lists
}

// isJoinedByInvitation reports whether people invite the subscribers of a channel, as in a private one. People join a
// public channel on their own, and a default one with their account.
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

// checkAccount refuses an account that cannot manage any object of the export.
func checkAccount(self *zulip.User) error {
	if self.Role == zulip.RoleGuest {
		return fmt.Errorf("cannot export as %s: a guest manages nothing and sees only the channels they are subscribed to. Use an administrator's key", self.Address())
	}
	return nil
}

// warnOfHidden warns about objects that the server does not show to the account, or that it can't manage. They are left
// out.
func (e *export) warnOfHidden() {
	self := e.Store.Self()
	warn := func(text string) {
		e.note("%s %s", inCode(self.Address()), text)
		if e.Warn != nil {
			e.Warn(visible(self.Address()) + " " + text)
		}
	}
	if self.Role > zulip.RoleAdministrator {
		warn("is not an administrator. The server doesn't show it private channels it isn't subscribed to, or bots and invitation links of others, so these are left out.")
	}
	if self.IsBot {
		warn("is a bot. The server lets only people manage bots and invitation links, so these are left out.")
	}
}

// endsAsMember makes users with a higher role members again when the role is removed from the configuration, so that
// no one remains an administrator by accident. It leaves out the account of the export, because a destroy of
// everything would demote it halfway.
func (e *export) endsAsMember(o *object) bool {
	role, ok := zulip.ParseRole(o.text("role"))
	if ok && role < zulip.RoleMember && o.id != fmt.Sprint(e.Store.Self().ID) {
		o.config["on_destroy"] = tftypes.NewValue(tftypes.String, zulip.RoleMember.String())
		o.importID += "=" + zulip.RoleMember.String()
	}
	return true
}

// warnOfChannels adds a comment about the unknown attributes of an invitation link.
func warnOfChannels(_ *export, o *object) bool {
	o.comments["invite_as"] = "The server doesn't show the channels of a link: set channel_ids before you replace it."
	return true
}

// noteUnread adds a comment about the unknown attributes of an email invitation.
func noteUnread(_ *export, o *object) bool {
	o.comments["email"] = "The server doesn't show the channels, groups and welcome message of an invitation: set them before you send it again."
	return true
}

// imageFolder has the images of custom emoji, and pictureFolder those of the organization. moduleRelative is the prefix
// of the path of a file next to the configuration: the value of path.module in a root module.
const (
	imageFolder    = "emoji"
	pictureFolder  = "pictures"
	moduleRelative = "./"
)

// imageName matches the name of an emoji's image without the extension, as real servers name emoji (server-behavior
// §L8). It excludes path separators of any system, hidden files, and names that look like options of a command.
const imageName = `[a-z0-9][a-z0-9._-]*`

// longestImageName keeps the name of a file below what file systems take.
const longestImageName = 100

var (
	// imageEndings are the extensions of images that servers accept (server-behavior §L9).
	imageEndings   = []string{"png", "jpg", "jpeg", "gif", "webp", "avif"}
	wholeImageName = regexp.MustCompile(`^` + imageName + `$`)
	windowsDevice  = regexp.MustCompile(`^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)`)
)

// hasImage sets the file of an emoji's image, with which the emoji is also imported. The server's answer does not
// determine the folder or type of the file. The file has the emoji's ID if the name is not a valid file name, and the
// extension must be an image's.
func (e *export) hasImage(o *object) bool {
	address := o.text("source_url")
	if address == "" {
		e.note("custom emoji %s: the server doesn't show the URL of its image.", inCode(o.label))
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
	for e.images[file] { // another emoji has this name
		name += "-" + o.id
		file = path.Join(imageFolder, name+"."+ending)
	}
	e.giveFile(o, file)
	return true
}

// giveFile makes an object use a file next to the configuration.
func (e *export) giveFile(o *object, file string) {
	e.images[file] = true
	o.config["file"] = tftypes.NewValue(tftypes.String, moduleRelative+file)
	o.importID = o.fileOwner() + "=" + moduleRelative + file
}

// fileOwner returns the part of the import ID before the file.
func (o *object) fileOwner() string {
	if o.kind.resource == "zulip_organization_image" {
		return o.id
	}
	return o.text("name")
}

// hasFile reports whether objects of a kind have an image file, with which they are imported.
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

// hasPicture sets the file of a picture of the organization: the server's version of the uploaded one. The server has
// converted its own format to PNG.
func (e *export) hasPicture(o *object) bool {
	o.comments["file"] = "The server's version of the uploaded file. The server doesn't return the original."
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
			problems = append(problems, fmt.Errorf("cannot read the image of the %s %q: %w. To leave it out, use --exclude %s:%s", strings.ReplaceAll(o.kind.word(), "_", " "), o.label, err, o.kind.word(), o.label))
			continue
		}
		files[strings.TrimPrefix(textOf(o.config["file"]), moduleRelative)] = content
	}
	return errors.Join(problems...)
}

// PeopleAs is the form of people in an export.
type PeopleAs string

const (
	// PeopleAsAddress writes each email once, in a map of locals.
	PeopleAsAddress PeopleAs = "address"
	// PeopleAsVariable also adds a variable that sets other emails, or leaves people out.
	PeopleAsVariable PeopleAs = "variable"
	// PeopleAsUser writes their accounts as zulip_user.
	PeopleAsUser PeopleAs = "zulip_user"
)

// AllPeopleAs are all forms.
var AllPeopleAs = []string{string(PeopleAsAddress), string(PeopleAsVariable), string(PeopleAsUser)}

func (p PeopleAs) orDefault() PeopleAs { return cmp.Or(p, PeopleAsAddress) }

// person is a person that the configuration names but does not manage.
type person struct {
	id      int64
	address string
	// key is the name that the configuration has for the person.
	key string
}

// person returns the person with an email.
func (e *export) person(address string) (*person, bool) {
	user, ok := e.snapshot.UserByAddress(address)
	if !ok || e.managed != nil && e.PeopleAs.orDefault() == PeopleAsAddress {
		return nil, false // new objects are moved into a configuration that may already name people
	}
	known, ok := e.people[user.ID]
	if !ok {
		known = &person{id: user.ID, address: address}
		e.people[user.ID] = known
	}
	return known, known.address == address
}

// account returns the bot, the managed account or the person with an email.
func (e *export) account(address string) (link, bool) {
	for _, resource := range []string{"zulip_bot", "zulip_user"} {
		if to, ok := e.byAttribute[resource]["email"][address]; ok {
			return link{to: to, by: "email"}, true
		}
	}
	somebody, ok := e.person(address)
	return link{person: somebody}, ok
}

// namePeople gives people their names, the oldest first.
func (e *export) namePeople() {
	for _, id := range slices.Sorted(maps.Keys(e.people)) {
		person := e.people[id]
		called, _, _ := strings.Cut(person.address, "@")
		person.key = e.names.resource("zulip_user", fmt.Sprint(id), called, "person")
	}
}

// leaveOutUnnamedAccounts leaves out members that no object names, unless all people are requested.
func (e *export) leaveOutUnnamedAccounts() {
	if e.PeopleAs != PeopleAsUser || e.AllPeople {
		return
	}
	named := map[string]bool{}
	for _, o := range e.objects {
		for attribute, value := range o.config {
			reference, ok := o.kind.references[attribute]
			if !e.isPermission(o.kind, attribute) && (!ok || !reference.isUser) {
				continue
			}
			for _, text := range textsOf(value) {
				named[strings.TrimPrefix(text, userPrefix)] = true
			}
		}
	}
	e.objects = slices.DeleteFunc(e.objects, func(o *object) bool {
		_, hasRole := o.config["role"]
		return o.kind.resource == "zulip_user" && !hasRole && !named[o.text("email")]
	})
}

const (
	userPrefix = "user:"
	// allPeople is the local value that a variable chooses from.
	allPeople = "all_people"
)

// writePeople writes each email once. With a variable, the locals of people that it leaves out are null.
func (e *export) writePeople(body *hclwrite.Body) {
	addresses := map[string]cty.Value{}
	for _, person := range e.people {
		addresses[person.key] = cty.StringVal(person.address)
	}
	if e.PeopleAs != PeopleAsVariable {
		locals := body.AppendNewBlock("locals", nil).Body()
		comment(locals, "All people in this configuration.")
		locals.SetAttributeValue("people", cty.ObjectVal(addresses))
		return
	}
	variable := body.AppendNewBlock("variable", []string{"people"}).Body()
	variable.SetAttributeValue("description", cty.StringVal("Emails of the people in another organization, by the names of local."+allPeople+". People without an entry are left out everywhere."))
	variable.SetAttributeRaw("type", hclwrite.TokensForFunctionCall("map", hclwrite.TokensForIdentifier("string")))
	variable.SetAttributeValue("default", cty.NullVal(cty.String))
	variable.AppendNewline()
	refuseUnknownPeople(variable.AppendNewBlock("validation", nil).Body(), slices.Sorted(maps.Keys(addresses)))
	body.AppendNewline()
	locals := body.AppendNewBlock("locals", nil).Body()
	comment(locals, "All people in this configuration.")
	locals.SetAttributeValue(allPeople, cty.ObjectVal(addresses))
	locals.AppendNewline()
	comment(locals, "People who are left out are null, which compact() removes from lists.")
	locals.SetAttributeRaw("people", expression("{ for name, address in local."+allPeople+" : name => var.people == null ? address : try(var.people[name], null) }"))
	locals.SetAttributeRaw("principals", expression(`{ for name, address in local.people : name => address == null ? null : "`+userPrefix+`${address}" }`))
}

// refuseUnknownPeople adds a validation that refuses unknown names, because a misspelled one would leave someone out.
// It repeats the names, because before Terraform 1.9 the condition of a variable may refer only to the variable.
func refuseUnknownPeople(validation *hclwrite.Body, known []string) {
	length := 0
	names := make([]hclwrite.Tokens, len(known))
	for i, name := range known {
		names[i] = hclwrite.TokensForValue(cty.StringVal(name))
		length += len(name) + 4
	}
	list := hclwrite.TokensForTuple(names)
	if length > longestLine/3 {
		list = lines(names)
	}
	unknown := hclwrite.TokensForFunctionCall("setsubtract", expression("try(keys(var.people), [])"), list)
	none := append(hclwrite.TokensForFunctionCall("length", unknown), expression(" == 0")...)
	validation.SetAttributeRaw("condition", none)
	validation.SetAttributeRaw("error_message", hclwrite.TokensForFunctionCall("format",
		hclwrite.TokensForValue(cty.StringVal("No names in local."+allPeople+": %s. A misspelled name would leave someone out.")),
		hclwrite.TokensForFunctionCall("join", hclwrite.TokensForValue(cty.StringVal(", ")), unknown)))
}

// expression is the source of an expression.
func expression(source string) hclwrite.Tokens {
	return hclwrite.Tokens{{Type: hclsyntax.TokenIdent, Bytes: []byte(source)}}
}

// comesAfter returns the resources that a new organization must create before the zulip_organization resource,
// because its permissions let only some people create them.
func (e *export) comesAfter(o *object) (before []hclwrite.Tokens) {
	if e.PeopleAs.orDefault() == PeopleAsAddress || o.kind.resource != "zulip_organization" {
		return nil
	}
	isRestricted := func(attribute string) bool { return e.isPermission(o.kind, attribute) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(o.config)), isRestricted) {
		return nil
	}
	for _, resource := range []string{"zulip_bot", "zulip_channel", "zulip_custom_emoji", "zulip_invite_link", "zulip_user_group"} {
		for _, made := range e.inOrder(kindNamed(resource)) {
			before = append(before, hclwrite.TokensForTraversal(traversal(resource, made.name)))
		}
	}
	return before
}

// count returns the count of a resource that not every organization has, and "" for all others. A role exists if its
// person does. The subscribers of a private channel exist only in the exported organization. The account that manages a
// copy is not in these lists, and would permanently unsubscribe itself.
func (e *export) count(o *object) string {
	if e.PeopleAs != PeopleAsVariable {
		return ""
	}
	switch o.kind.resource {
	case "zulip_channel_subscribers":
		return "var.people == null ? 1 : 0"
	case "zulip_user_role":
		for _, link := range o.links["user"] {
			if link.person != nil {
				return "local.people." + link.person.key + " == null ? 0 : 1"
			}
		}
	}
	return ""
}
