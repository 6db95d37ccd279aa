package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// summary returns EXPORT.md: the written objects, the omitted ones with the reasons, and the next steps.
func (e *export) summary() []byte {
	var b strings.Builder
	self := e.Store.Self()
	fmt.Fprintf(&b, "# %s as configuration\n\n`terraform-provider-zulip export` wrote what %s sees at %s. [Not exported](#not-exported) lists what is missing.\n\n", escaped(visible(e.organizationName())), inCode(self.Address()), inCode(e.Client.Site()))
	b.WriteString("## Next steps\n\n```sh\nterraform init\nterraform plan   # imports everything; nothing to add, change or destroy\nterraform apply  # imports everything into the state; sends nothing\nrm imports.tf    # no longer needed\n```\n\n")
	b.WriteString("Remove `imports.tf` after the apply. If you keep it and later remove, rename or move a resource, every plan fails, sometimes with the words \"This is a bug in Terraform\". Keep `export.json`: it has the names of the resources, and a later export into this folder uses the same names.\n\n")
	e.rulesCommands(&b)
	e.stagingCommands(&b)
	b.WriteString("## Exported\n\n| Resource | Number | Files |\n|---|---|---|\n")
	for _, kind := range kinds {
		inFiles := map[string]bool{}
		count := 0
		for _, o := range e.objects {
			if o.kind == kind {
				count++
				inFiles["`"+o.file+".tf`"] = true
			}
		}
		if count > 0 {
			fmt.Fprintf(&b, "| `%s` | %d | %s |\n", kind.resource, count, listed(slices.Sorted(maps.Keys(inFiles))))
		}
	}
	b.WriteString("\n")
	if !e.All {
		b.WriteString("Attributes with default values aren't written and aren't managed, except those that decide who gets in and who rules. Permissions that are still limited to the creator of a channel or group aren't written either. `--all` writes them too, and `export DIR --new state.json` shows what changed in them.\n\n")
	}
	b.WriteString("## Not exported\n\n")
	for _, note := range e.notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	e.writeInvitations(&b)
	e.tokens(&b)
	return []byte(b.String())
}

// stagingCommands returns the commands that create another organization from the files, if people are a variable.
func (e *export) stagingCommands(b *strings.Builder) {
	if e.PeopleAs != PeopleAsVariable {
		return
	}
	key := "NAME"
	if self, ok := e.people[e.Store.Self().ID]; ok {
		key = self.key
	}
	fmt.Fprintf(b, "## Another organization\n\nWith the account of an empty organization, in a copy of this folder without `imports.tf`:\n\n```sh\nterraform init\nterraform apply -var 'people={ %s = \"you@example.com\" }'\n```\n\n"+
		"`var.people` has emails by the names in `local.%s`. People without an entry are left out of lists, roles and permissions. "+
		"A permission of the organization that would then be empty isn't managed there. `zulip_channel_subscribers` are for this organization only.\n\n", key, allPeople)
}

// writeInvitations counts the invitations, by role and by sender. It does not name the invited people.
func (e *export) writeInvitations(b *strings.Builder) {
	mails, links, written := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, o := range e.objects {
		if o.kind.resource == "zulip_invitation" {
			written[strings.ToLower(o.id)] = true
		}
	}
	for address := range e.managed["zulip_invitation"] {
		written[strings.ToLower(address)] = true
	}
	for _, one := range e.invitations {
		into := mails
		switch {
		case one.IsMultiuse && e.managed.has("zulip_invite_link", fmt.Sprint(one.ID)), !one.IsMultiuse && written[strings.ToLower(one.Email)]:
			continue
		case one.IsMultiuse:
			into = links
		}
		into[fmt.Sprintf("as %s by %s", one.InvitedAs, e.nameOf(one.InvitedByUserID))]++
	}
	write := func(counts map[string]int, what, why string) {
		var texts []string
		total := 0
		for _, text := range slices.Sorted(maps.Keys(counts)) {
			total += counts[text]
			texts = append(texts, fmt.Sprintf("%d %s", counts[text], text))
		}
		if total > 0 {
			fmt.Fprintf(b, "- %s (%s). %s\n", counted(total, what), strings.Join(texts, ", "), why)
		}
	}
	write(mails, "pending invitation by email", "In another organization, they would invite the same people. `--only invitation` writes them.")
	if !e.isWanted(kindNamed("zulip_invite_link")) {
		write(links, "invitation link", "The server doesn't show their channels, so replacing a link would lose them. `--only invite_link` writes them; set `channel_ids` there.")
	}
}

// nameOf returns the name of a user in the configuration. Otherwise it returns the email, or the ID if the email
// means nothing in another organization.
func (e *export) nameOf(id int64) string {
	if person, ok := e.people[id]; ok {
		return "`" + person.key + "`"
	}
	for _, o := range e.objects {
		if (o.kind.resource == "zulip_user" || o.kind.resource == "zulip_user_role") && o.id == fmt.Sprint(id) {
			return "`" + o.address() + "`"
		}
	}
	if user, ok := e.snapshot.User(id); ok && e.PeopleAs != PeopleAsVariable {
		return inCode(user.Address())
	}
	return fmt.Sprintf("user %d", id)
}

// tokens lists the written URLs that may contain a token.
func (e *export) tokens(b *strings.Builder) {
	var found []string
	for _, o := range e.objects {
		for _, attribute := range slices.Sorted(maps.Keys(o.config)) {
			if attribute == "payload_url" || slices.ContainsFunc(textsOf(o.config[attribute]), hasToken) {
				found = append(found, fmt.Sprintf("- %#q: %#q\n", o.address(), attribute))
			}
		}
	}
	if len(found) == 0 {
		return
	}
	b.WriteString("\n## Possible tokens\n\nThese URLs can contain a secret. They aren't sensitive in the schema, so the files and plans show them. " +
		"If one contains a token, move it into a sensitive variable before you commit the files.\n\n")
	b.WriteString(strings.Join(found, ""))
}

// tokenName matches the names of URL parameters that hold a secret.
var tokenName = regexp.MustCompile(`(?i)token|key|secret|passw|pwd|auth|sig`)

// hasToken reports whether a text is a URL with a password, or with a parameter for a secret.
func hasToken(text string) bool {
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return false
	}
	if _, has := address.User.Password(); has {
		return true
	}
	for name := range address.Query() {
		if tokenName.MatchString(name) {
			return true
		}
	}
	return false
}

// listed joins texts, the first of many.
func listed(texts []string) string {
	const most = 4
	if len(texts) > most {
		return strings.Join(texts[:most-1], ", ") + fmt.Sprintf(" and %d more", len(texts)-most+1)
	}
	return strings.Join(texts, ", ")
}

func (e *export) organizationName() string {
	var name string
	if json.Unmarshal(e.realm.Settings["name"], &name) != nil || strings.TrimSpace(name) == "" {
		return e.Client.Site()
	}
	return name
}

// noteLeftOut names the objects that an export never has, and those that this account does not see.
func (e *export) noteLeftOut() {
	if e.managed != nil {
		e.note("Objects that the given states contain.")
		e.noteRoleLists()
	}
	if len(e.Only)+len(e.Exclude) > 0 {
		e.note("Objects that `--only` and `--exclude` don't select.")
	}
	e.noteCounts()
	switch {
	case !e.Subscribers:
		e.note("Subscribers of private channels. `--subscribers` writes them.")
	case e.openChannels > 0:
		e.note("Subscribers of %d public channels: people join and leave these themselves, and the next apply would undo that. "+
			"`zulip_channel_subscription` subscribes some people and leaves the others unchanged.", e.openChannels)
	}
	e.note("Users: they join by invitation or from a directory. `zulip_user` manages a user.")
	e.note("In the API, groups synchronized from a directory (LDAP, SCIM, SAML) look like other groups. Remove `members` from such a group, so that only the directory changes them.")
	e.note("Sensitive attributes and other secrets: API keys, the configuration of embedded bots, the links of invitations.")
	e.note("Content: messages, drafts, scheduled messages, reactions and statuses.")
}

// noteCounts returns the number and names of the objects that were left out.
func (e *export) noteCounts() {
	members := 0
	var archived, deactivated, groups, bots []string
	for _, channel := range e.snapshot.Channels().List() {
		if channel.IsArchived {
			archived = append(archived, channel.Name)
		}
	}
	for _, group := range e.snapshot.UserGroups().List() {
		if group.Deactivated {
			groups = append(groups, group.Name)
		}
	}
	for _, user := range e.snapshot.Users() {
		_, isManaged := e.snapshot.Bots().ByID(user.ID)
		switch {
		case !user.IsActive:
			deactivated = append(deactivated, user.Address())
		case user.IsBot && !user.IsSystemBot && !isManaged:
			bots = append(bots, user.Address())
		case !user.IsBot && user.Role == zulip.RoleMember:
			members++
		}
	}
	left := func(names []string, thing, advice string) {
		if len(names) > 0 {
			e.note("%s: %s.%s", counted(len(names), thing), someNames(names), advice)
		}
	}
	leftPeople := func(addresses []string, thing, advice string) {
		if len(addresses) > 0 && e.PeopleAs == PeopleAsVariable { // for another organization, people of this one are not named
			e.note("%s.%s", counted(len(addresses), thing), advice)
			return
		}
		left(addresses, thing, advice)
	}
	left(archived, "archived channel", " A `zulip_channel` with the name and `adopt_archived = true` unarchives one.")
	left(groups, "deactivated user group", " A `zulip_user_group` with the name and `adopt_deactivated = true` reactivates one.")
	leftPeople(deactivated, "deactivated account", " A `zulip_user` with the email and `active = false` manages one.")
	leftPeople(bots, "bot of another owner", "")
	if members > 0 && !e.AllPeople && e.selectsKind(kindNamed("zulip_user_role")) {
		e.note("The roles of %s. `--people all` writes them.", counted(members, "member"))
	}
}

// maxNamed is the maximum number of objects of a kind that a line names.
const maxNamed = 5

// someNames returns the first names alphabetically, and the number of the others.
func someNames(names []string) string {
	names = slices.Sorted(slices.Values(names))
	shown := make([]string, min(len(names), maxNamed))
	for i := range shown {
		shown[i] = inCode(visible(names[i]))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// counted returns a number with its noun: 1 channel, 2 channels. The plural comes before "of" or "by".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	for _, preposition := range []string{" of ", " by "} {
		if first, rest, ok := strings.Cut(thing, preposition); ok {
			return fmt.Sprintf("%d %ss%s%s", n, first, preposition, rest)
		}
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func kindNamed(resource string) *kind {
	k, _ := kindOf(resource)
	return k
}

// roleList is a zulip_role_members of a state: exactly its users have the role.
type roleList struct {
	address, state, role string
	users                []string
}

// roleListOf returns the role list of a resource in a state with a name.
func roleListOf(resource stateResource, state string) *roleList {
	list := &roleList{address: resource.Address, state: state, role: unquote(resource.Values["role"])}
	_ = json.Unmarshal(resource.Values["users"], &list.users) // without users it is an empty list
	return list
}

// leavesRoleToList leaves a role to a list in a state that decides it: the list of the user's role, or one that names
// the user. Together with such a list, the role would be refused as a contradiction. The result is true if nothing is
// left to export.
func (e *export) leavesRoleToList(o *object) bool {
	if len(e.roleLists) == 0 || !slices.Contains([]string{"zulip_user_role", "zulip_user", "zulip_bot"}, o.kind.resource) {
		return false
	}
	address := o.text("email")
	if o.kind.resource == "zulip_user_role" {
		address = o.text("user")
	}
	i := slices.IndexFunc(e.roleLists, func(list *roleList) bool {
		return list.role == o.text("role") || slices.ContainsFunc(list.users, func(user string) bool {
			plain, err := permission.PlainUser(user)
			return err == nil && (plain == o.id || strings.EqualFold(plain, address))
		})
	})
	if i < 0 {
		return false
	}
	if e.listed == nil {
		e.listed = map[*roleList][]string{}
	}
	list := e.roleLists[i]
	e.listed[list] = append(e.listed[list], address)
	delete(o.config, "role")
	return o.kind.resource == "zulip_user_role"
}

// noteRoleLists returns notes about users whose roles lists decide.
func (e *export) noteRoleLists() {
	for _, list := range e.roleLists {
		addresses := e.listed[list]
		if len(addresses) == 0 {
			continue
		}
		whose := counted(len(addresses), "account")
		if e.PeopleAs != PeopleAsVariable {
			whose = someNames(addresses)
		}
		e.note("The roles of %s: %s in %s lists every %s. Its plan shows people with the role who aren't listed.", whose, inCode(list.address), inCode(list.state), list.role)
	}
}

// rulesName is the file of rules. An export proposes it once, and users edit it from then on.
const rulesName = "rules.zulip.hcl"

// Rules are a file of rules.
type Rules struct {
	Text []byte
	// Rules and Limits count what it has.
	Rules, Limits int
}

// proposeRules proposes rules that hold, if the folder has none.
func (e *export) proposeRules(ctx context.Context, into *folder) error {
	if into.root != nil {
		_, err := into.root.Lstat(rulesName)
		if err == nil {
			e.note("Rules: `%s` exists and was left unchanged. If you remove it, `--rules` proposes a new one.", rulesName)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot use %s in %s: %w", rulesName, into.path, err)
		}
	}
	e.progress("the subscribers of channels")
	var err error
	e.rules, err = e.Rules(ctx, e.Store)
	return err
}

// rulesCommands explains the proposed rules, or how to get rules.
func (e *export) rulesCommands(b *strings.Builder) {
	if e.rules == nil {
		if e.Rules == nil && e.managed == nil {
			fmt.Fprintf(b, "`--rules` proposes access rules that pass today in `%s`, for audits and reviews.\n\n", rulesName)
		}
		return
	}
	fmt.Fprintf(b, "## Rules\n\n`%s` proposes %s and %s that pass today, with what each protects. Keep the intentional ones and remove the accidental ones; "+
		"later exports don't change the file. Check them every night and for every plan:\n\n```sh\nterraform-provider-zulip audit --rules %s --fail-on rules\nterraform-provider-zulip review plan.json --rules %s --fail-on rules\n```\n\n",
		rulesName, counted(e.rules.Rules, "rule"), counted(e.rules.Limits, "limit"), rulesName, rulesName)
}
