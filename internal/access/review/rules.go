package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// proveRules proves the rules of the organization before and after the plan. It comes after everything is said that is not known:
// what the review cannot tell, no rule is proven of.
func (b *builder) proveRules(view *snapshot.Snapshot) error {
	if b.options.Rules == nil {
		return nil
	}
	before, err := b.organizationBefore(view)
	if err != nil {
		return err
	}
	after := b.organizationAfter(before)
	found := b.options.Rules.Judge(after)
	b.report.Rules = b.options.Rules.Report(after, found, b.options.Rules.Judge(before), b.changesBehind(after))
	b.checkLimits(view)
	return nil
}

// organizationBefore is the organization as it is.
func (b *builder) organizationBefore(view *snapshot.Snapshot) (*rules.Organization, error) {
	read := rules.Read{View: view, Self: b.options.Store.Self(), Subscribers: maps.Clone(view.Subscribers()), Now: b.options.Now}
	if read.Subscribers == nil {
		read.Subscribers = map[int64][]int64{}
	}
	for _, channel := range view.Channels().List() {
		if _, known := read.Subscribers[channel.ID]; known || channel.IsArchived || !b.options.Rules.SelectsName(channel.Name) {
			continue
		}
		in, err := b.options.Store.Subscribers(b.ctx, channel.ID)
		if err != nil {
			return nil, err
		}
		if in != nil {
			read.Subscribers[channel.ID] = in
		}
	}
	if b.options.Rules.AsksForInvitations() {
		var err error
		if read.Invitations, err = b.options.Store.Invitations(b.ctx); err != nil {
			read.MissingInvitations = fmt.Sprintf("The invitations could not be read: %s.", strings.TrimRight(err.Error(), "."))
		}
	}
	return rules.Of(read), nil
}

// organizationAfter is the organization as the plan leaves it.
func (b *builder) organizationAfter(before *rules.Organization) *rules.Organization {
	after := *before
	after.People, after.Names = b.peopleOfRules(), b.org
	after.Unknown = slices.Clone(before.Unknown)
	after.Unknown = append(after.Unknown, b.unproven...)
	for _, person := range b.report.People {
		if person.Action == report.Reactivate && !person.Account.IsBot {
			after.Unknown = append(after.Unknown, fmt.Sprintf("%s is reactivated: in which channels the account is then is not known.", person.Account.Address))
		}
	}
	b.foldersAfter(&after)
	b.channelsAfter(&after, before)
	b.groupsAfter(&after)
	after.Permissions, after.UnknownPermissions = maps.Clone(before.Permissions), map[string]bool{}
	for name, planned := range b.organizationRights {
		if after.Permissions[name] = planned.Value; planned.Unknown {
			after.UnknownPermissions[name] = true
		}
	}
	b.joiningAfter(&after)
	return &after
}

// peopleOfRules are the people after the plan. Who may stay in a group that the plan takes them out of may be in it.
func (b *builder) peopleOfRules() *permission.Access {
	if len(b.mayStay) == 0 {
		return b.after
	}
	change := b.change
	change.Groups = maps.Clone(change.Groups)
	for id := range b.mayStay {
		membership := change.Groups[id]
		membership.Unknown = true
		change.Groups[id] = membership
	}
	return b.before.With(change)
}

// foldersAfter are the names of the folders after the plan.
func (b *builder) foldersAfter(after *rules.Organization) {
	after.Folders = slices.Clone(after.Folders)
	for _, change := range b.of("zulip_channel_folder") {
		if name, ok := change.After().Text("name"); ok && change.HasAfter() && !slices.Contains(after.Folders, name) {
			after.Folders = append(after.Folders, name)
		}
	}
}

// channelsAfter are the channels after the plan.
func (b *builder) channelsAfter(after, before *rules.Organization) {
	was := map[int64]*rules.Channel{}
	for _, channel := range before.Channels {
		was[channel.ID] = channel
	}
	renamed := map[string]string{}
	for _, change := range b.of("zulip_channel_folder") {
		name, _ := change.Before().Text("name")
		if later, ok := change.After().Text("name"); ok && name != "" && change.Does("update") {
			renamed[name] = later
		}
	}
	after.Channels = nil
	add := func(channel *rules.Channel, reviewed *reviewedChannel) {
		if later, ok := renamed[channel.Folder]; ok {
			channel.Folder = later
		}
		if reviewed != nil {
			b.folderAfter(channel, reviewed)
		}
		if !channel.Facts.IsArchived {
			after.Channels = append(after.Channels, channel)
		}
	}
	for _, listed := range b.org.Channels().List() {
		reviewed := b.channels[listed.ID]
		one, isActive := was[listed.ID]
		if reviewed == nil && !isActive {
			continue
		}
		channel := &rules.Channel{ID: listed.ID, Name: listed.Name}
		if isActive {
			*channel = *one
		}
		isDefault := listed.IsDefault
		if reviewed != nil {
			known := channel.Facts
			channel.Name, channel.NameUnknown, channel.Facts = reviewed.Name, reviewed.nameUnknown, reviewed.after
			if !reviewed.before.SubscribersKnown && known.SubscribersKnown && reviewed.in == nil && reviewed.out == nil && !reviewed.isExclusive && reviewed.unknownReason == "" {
				channel.Facts.Subscribers, channel.Facts.SubscribersKnown = known.Subscribers, true
			}
			isDefault = isDefault || b.becomesDefault(reviewed)
		}
		b.joinDefault(&channel.Facts, isDefault, reviewed != nil && b.mayBecomeDefault(reviewed))
		add(channel, reviewed)
	}
	for _, reviewed := range b.created {
		channel := &rules.Channel{ID: reviewed.ID, Name: reviewed.Name, NameUnknown: reviewed.nameUnknown, Facts: reviewed.after}
		b.joinDefault(&channel.Facts, b.becomesDefault(reviewed), b.mayBecomeDefault(reviewed))
		add(channel, reviewed)
	}
}

// changesOf returns the changes of a type among the resources that change a channel.
func (b *builder) changesOf(reviewed *reviewedChannel) (changes []*plan.Change) {
	for _, change := range b.of("zulip_channel") {
		if slices.Contains(reviewed.Addresses, change.Address) && change.HasAfter() {
			changes = append(changes, change)
		}
	}
	return changes
}

// becomesDefault reports whether new people come into a channel by themselves after the plan.
func (b *builder) becomesDefault(reviewed *reviewedChannel) bool {
	return slices.ContainsFunc(b.changesOf(reviewed), func(change *plan.Change) bool { return change.After().IsTrue("is_default") })
}

// mayBecomeDefault reports whether that is not known yet.
func (b *builder) mayBecomeDefault(reviewed *reviewedChannel) bool {
	return slices.ContainsFunc(b.changesOf(reviewed), func(change *plan.Change) bool {
		return change.IsSet("is_default") && change.After().IsUnknown("is_default")
	})
}

// joinDefault puts the people whose accounts the plan creates into a default channel: the server does, whatever their role.
func (b *builder) joinDefault(facts *permission.Channel, isDefault, mayBe bool) {
	if !isDefault && !mayBe {
		return
	}
	facts.Subscribers = slices.Clone(facts.Subscribers)
	for id := range b.joining {
		user, ok := b.org.User(id)
		if !ok || user.IsBot || slices.Contains(facts.Subscribers, id) {
			continue
		}
		if isDefault {
			facts.Subscribers = append(facts.Subscribers, id)
		} else {
			facts.SubscribersKnown = false
		}
	}
}

// folderAfter is the folder of a channel that the plan changes or creates.
func (b *builder) folderAfter(channel *rules.Channel, reviewed *reviewedChannel) {
	for _, change := range b.changesOf(reviewed) {
		if !change.IsSet("folder_id") && !change.IsSet("folder") {
			continue
		}
		id, isKnown := change.After().Number("folder_id")
		name, isNamed := change.After().Text("folder")
		folder, isThere := b.org.Folders().ByID(id)
		switch {
		case isNamed:
			channel.Folder = strings.TrimPrefix(name, "folder:")
		case isKnown && isThere:
			channel.Folder = folder.Name
			for _, one := range b.of("zulip_channel_folder") {
				if was, _ := one.Before().Number("id"); was == id && one.Does("update") {
					channel.Folder, _ = one.After().Text("name")
				}
			}
		case change.After().IsUnknown("folder_id") || change.After().IsUnknown("folder") || isKnown:
			channel.FolderUnknown = true
		default:
			channel.Folder = ""
		}
	}
}

// groupsAfter are the user groups after the plan.
func (b *builder) groupsAfter(after *rules.Organization) {
	after.Groups = nil
	add := func(id int64, current map[string]zulip.GroupSettingValue) {
		group, _ := b.org.UserGroup(id)
		one := &rules.Group{ID: id, Name: group.Name, NameUnknown: b.unnamed[id], Permissions: maps.Clone(current), Unknown: map[string]bool{}}
		if one.Permissions == nil {
			one.Permissions = map[string]zulip.GroupSettingValue{}
		}
		for name, planned := range b.groupRights[id] {
			if one.Permissions[name] = planned.Value; planned.Unknown {
				one.Unknown[name] = true
			}
		}
		after.Groups = append(after.Groups, one)
	}
	for _, current := range b.org.UserGroups().List() {
		isBack := b.org.groups[current.ID] != nil && current.Deactivated
		isGone := b.groups[current.ID] != nil && b.groups[current.ID].Action == report.Deactivate
		if !current.IsSystemGroup && !isGone && (!current.Deactivated || isBack) {
			add(current.ID, current.Permissions)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.org.groups)) {
		if id < 0 {
			add(id, nil)
		}
	}
}

// joiningAfter is how people come to join after the plan.
func (b *builder) joiningAfter(after *rules.Organization) {
	joining := &after.Joining
	for _, change := range b.of("zulip_organization") {
		if required, ok := change.After().Flag("invite_required"); ok && change.HasAfter() {
			joining.InviteRequired = &required
		} else if change.After().IsUnknown("invite_required") && change.IsSet("invite_required") {
			joining.InviteRequired = nil
		}
	}
	joining.Invitations, joining.Unknown = slices.Clone(joining.Invitations), slices.Clone(joining.Unknown)
	for _, change := range b.of("zulip_invite_link", "zulip_invitation") {
		if !change.HasAfter() {
			continue // what is revoked counts until it is
		}
		text, known := change.After().Text("invite_as")
		role, ok := zulip.ParseRole(text)
		switch {
		case known && ok && role < zulip.RoleMember:
			joining.Invitations = append(joining.Invitations, rules.Invitation{Text: change.Address, Role: role})
		case change.After().IsUnknown("invite_as") && change.IsSet("invite_as"):
			joining.Unknown = append(joining.Unknown, fmt.Sprintf("As what %s invites is not known yet.", change.Address))
		}
	}
}

// changesBehind returns a function that names the resources of the plan that a breach comes from, as far as that can be told: those
// of the channel or group, of the groups by which people come to it, of the people, and of the organization.
func (b *builder) changesBehind(after *rules.Organization) func(*rules.Breach) []string {
	return func(breach *rules.Breach) []string {
		var found []string
		add := func(addresses []string) { found = append(found, addresses...) }
		groupAddresses := func(name string) {
			for _, group := range b.groups {
				if group.Name == name {
					add(group.Addresses)
				}
			}
		}
		if breach.Channel != nil {
			if reviewed := b.channels[breach.Channel.ID]; reviewed != nil {
				add(reviewed.Addresses)
			}
			for _, reviewed := range b.created {
				if reviewed.ID == breach.Channel.ID {
					add(reviewed.Addresses)
				}
			}
		}
		if breach.Group != nil {
			groupAddresses(breach.Group.Name)
		}
		for _, user := range rules.Sorted(breach.People) {
			for _, person := range b.report.People {
				if person.AccountID == user.ID {
					add(person.Addresses)
				}
			}
			for _, through := range breach.Through(after, user) {
				for part := range strings.SplitSeq(through, " > ") {
					if at := strings.LastIndex(part, "group:"); at >= 0 {
						groupAddresses(part[at+len("group:"):])
					}
				}
			}
		}
		if breach.Channel == nil && breach.Group == nil || len(found) == 0 {
			for _, change := range b.of("zulip_organization") {
				found = append(found, change.Address)
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
}

// checkLimits says how many people the plan takes out of something, where a rule limits that.
func (b *builder) checkLimits(view *snapshot.Snapshot) {
	active := 0
	for _, user := range view.Users() {
		if user.IsActive && !user.IsBot {
			active++
		}
	}
	out := map[int64]bool{}
	note := func(people *report.People) {
		if people == nil {
			return
		}
		for account := range people.All() {
			if !account.IsBot {
				out[account.ID] = true
			}
		}
	}
	for _, channel := range b.report.Channels {
		note(channel.Leaves)
	}
	for _, group := range b.report.Groups {
		note(group.Leaves)
	}
	for _, person := range b.report.People {
		if person.Action == report.Deactivate && !person.Account.IsBot {
			out[person.AccountID] = true
		}
	}
	atMost := maps.Clone(out)
	unknown := slices.Clone(b.unproven)
	for _, reviewed := range b.channels {
		switch {
		case reviewed.unknownReason == "" || !reviewed.isExclusive:
		case !reviewed.before.SubscribersKnown:
			unknown = append(unknown, fmt.Sprintf("Who is taken out of #%s is not known.", reviewed.Name))
		default:
			b.notePeople(atMost, b.before.People(without64(reviewed.before.Subscribers, reviewed.after.Subscribers)))
		}
	}
	for _, current := range b.org.UserGroups().List() {
		if value := zulip.NamedGroup(current.ID); !current.Deactivated && !current.IsSystemGroup && b.after.IsUncertain(value) {
			b.notePeople(atMost, b.before.In(value).Minus(b.after.In(value)))
		}
	}
	b.report.Rules = append(b.report.Rules, b.options.Rules.CheckLimits(rules.Removals{
		People: len(out), AtMost: len(atMost), Active: active, Unknown: unknown,
	})...)
}

// notePeople adds people who are not bots to a set.
func (b *builder) notePeople(set map[int64]bool, people permission.People) {
	for user := range people.All() {
		if !user.IsBot {
			set[user.ID] = true
		}
	}
}

func without64(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}
