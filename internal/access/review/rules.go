package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// proveRules proves the rules of the organization before and after the plan. It comes after everything is said that is not known:
// what the review cannot tell, no rule is proven of.
func (b *builder) proveRules(view *snapshot.Snapshot) {
	if b.options.Rules == nil {
		return
	}
	before := b.rulesBefore
	after := b.organizationAfter(before)
	found := b.options.Rules.Judge(after)
	b.report.Rules = b.options.Rules.Report(after, found, b.options.Rules.Judge(before), b.changesBehind(after))
	b.checkLimits(view)
}

// readForRules reads what rules need of the organization as it is.
func (b *builder) readForRules(view *snapshot.Snapshot) error {
	if b.options.Rules == nil {
		return nil
	}
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
			return err
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
	b.rulesBefore, b.read = rules.Of(read), read.Subscribers
	return nil
}

// organizationAfter is the organization as the plan leaves it.
func (b *builder) organizationAfter(before *rules.Organization) *rules.Organization {
	after := *before
	after.People, after.Names = b.peopleOfRules(), b.org
	after.Unknown = slices.Clone(before.Unknown)
	after.Unknown = append(after.Unknown, b.unproven...)
	for _, person := range b.report.People {
		if person.Action == report.Reactivate {
			after.Unknown = append(after.Unknown, fmt.Sprintf("%s is reactivated: in which channels the account is then is not known.", person.Account.Address))
		}
	}
	after.Channels, after.Groups, after.Folders = b.channelsAfter, b.groupsAfter, b.org.folderNames()
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

// mayBecomeDefault reports whether it is not known yet if new people are put into a channel.
func (r *reviewedChannel) mayBecomeDefault() bool {
	return r.made != nil && r.made.IsSet("is_default") && r.made.After().IsUnknown("is_default")
}

// joinDefault puts the people whose accounts the plan creates into a default channel: the server does, whatever their role.
func (b *builder) joinDefault(facts *permission.Channel, isDefault, mayBe bool) {
	if !isDefault && !mayBe {
		return
	}
	facts.Subscribers = slices.Clone(facts.Subscribers)
	for _, account := range b.joining() {
		if account.IsBot || slices.Contains(facts.Subscribers, account.ID) {
			continue
		}
		if isDefault {
			facts.Subscribers = append(facts.Subscribers, account.ID)
		} else {
			facts.SubscribersKnown = false
		}
	}
}

// folderAfter is the folder of a channel that the plan changes or creates.
func (b *builder) folderAfter(reviewed *reviewedChannel) {
	change := reviewed.made
	if change == nil || !change.IsSet("folder_id") && !change.IsSet("folder") {
		return
	}
	id, isKnown := change.After().Number("folder_id")
	name, isNamed := change.After().Text("folder")
	switch folder := b.org.folderOf(&id); {
	case isNamed:
		reviewed.Folder = strings.TrimPrefix(name, "folder:")
	case isKnown && folder != "":
		reviewed.Folder = folder
	case change.After().IsUnknown("folder_id") || change.After().IsUnknown("folder") || isKnown:
		reviewed.FolderUnknown = true
	case reviewed.current == nil:
		reviewed.Folder = ""
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

// changesBehind returns a function that names the resources of the plan that a violation comes from, as far as that can be told: those
// of the channel or group, of the groups by which people come to it, of the people, and of the organization.
func (b *builder) changesBehind(after *rules.Organization) func(*rules.Violation) []string {
	return func(violation *rules.Violation) []string {
		var found []string
		add := func(addresses []string) { found = append(found, addresses...) }
		groupAddresses := func(name string) {
			for _, group := range b.groups {
				if group.Name == name {
					add(group.Addresses)
				}
			}
		}
		if violation.Channel != nil {
			if reviewed := b.channels[violation.Channel.ID]; reviewed != nil {
				add(reviewed.Addresses)
			}
			for _, reviewed := range b.created {
				if reviewed.ID == violation.Channel.ID {
					add(reviewed.Addresses)
				}
			}
		}
		if violation.Group != nil {
			groupAddresses(violation.Group.Name)
		}
		for _, user := range rules.Sorted(violation.People) {
			for _, person := range b.report.People {
				if person.AccountID == user.ID {
					add(person.Addresses)
				}
			}
			for _, through := range violation.Through(after, user) {
				for part := range strings.SplitSeq(through, " > ") {
					if at := strings.LastIndex(part, "group:"); at >= 0 {
						groupAddresses(part[at+len("group:"):])
					}
				}
			}
		}
		if violation.Channel == nil && violation.Group == nil || len(found) == 0 {
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
			b.notePeople(atMost, b.before.People(without64(reviewed.before.Subscribers, reviewed.Facts.Subscribers)))
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
