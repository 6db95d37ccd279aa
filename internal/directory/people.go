package directory

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// people is what a run does to accounts.
type people struct {
	roles     map[int64]zulip.Role // that the run gives
	addresses map[string]int64     // that the run gives, by whom it gives them to; 0 is an account that it creates
	emoji     kept[map[string]string]
}

// FreshPeople returns a snapshot whose people were read after the call began. It is one request for all who ask at the
// same time, and for everything that is planned afterwards.
func (d *Directory) FreshPeople(ctx context.Context) (*View, error) {
	if _, err := d.People(ctx); err != nil { // the names of the profile fields
		return nil, err
	}
	return d.fresh(ctx, zulip.FetchUsers, func(ctx context.Context) (put, error) {
		users, err := d.client.Users(ctx, true)
		if err != nil {
			return nil, whileReading("people", err)
		}
		return func(facts *facts) { facts.users = facts.users.renewed(users) }, nil
	})
}

// Statuses returns the snapshot with everybody's status in it, the people, the organization's own emoji, and where the
// standard ones are.
func (d *Directory) Statuses(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchUsers, zulip.FetchStatuses, zulip.FetchCustomEmoji, zulip.FetchRealm})
}

// GaveRole puts a role that this run has given into the snapshot. The groups of the roles are read again.
func (d *Directory) GaveRole(id int64, role zulip.Role) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(zulip.FetchUserGroups)
	d.putWritten(zulip.FetchUsers, func(facts *facts) {
		if user, ok := facts.users.withID(id); ok {
			changed := *user
			changed.Role = role
			facts.users = facts.users.replacing(&changed)
		}
	})
}

// BecameActive registers that this run has created or reactivated an account. It is in the groups of its role from then
// on, and may be in channels: those are read again.
func (d *Directory) BecameActive() {
	d.Forget(zulip.FetchUserGroups)
	d.ForgetSubscribers()
}

// Bots returns the snapshot with the bots in it, and the channels and people that they name.
func (d *Directory) Bots(ctx context.Context) (*View, error) {
	return d.need(ctx, append([]string{zulip.FetchBots}, channelParts...))
}

// FreshBots returns a snapshot whose bots were read after the call began. It is one read for all who ask at the same
// time.
func (d *Directory) FreshBots(ctx context.Context) (*View, error) {
	if _, err := d.Bots(ctx); err != nil { // the channels
		return nil, err
	}
	return d.fresh(ctx, zulip.FetchBots, func(ctx context.Context) (put, error) {
		d.mu.Lock()
		since := d.mark(zulip.FetchUsers)
		d.mu.Unlock()
		snapshot, err := d.register(ctx, []string{zulip.FetchBots, zulip.FetchUsers})
		if err != nil {
			return nil, whileReading("bots", err)
		}
		return func(facts *facts) {
			d.settle(facts, zulip.FetchUsers, since, takePart(snapshot, zulip.FetchUsers))
			takePart(snapshot, zulip.FetchBots)(facts)
		}, nil
	})
}

// EmojiNames returns the codes of the standard emoji by name, which are read once; nil where the server does not say
// where they are, or they are not there.
func (d *Directory) EmojiNames(ctx context.Context) (map[string]string, error) {
	return d.people.emoji.get(ctx)
}

func (d *Directory) readEmojiNames(ctx context.Context) (map[string]string, error) {
	view, err := d.need(ctx, []string{zulip.FetchRealm})
	if err != nil || view.Realm().EmojiDataURL == "" {
		return nil, err
	}
	names, err := d.client.EmojiNames(ctx, view.Realm().EmojiDataURL)
	if err != nil {
		tflog.Info(ctx, "Could not read the names of the emoji: the server checks them when they are used", map[string]any{"error": err.Error()})
	}
	return names, nil
}

// PlanRole registers that this run gives a role to somebody.
func (d *Directory) PlanRole(id int64, role zulip.Role) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.people.roles == nil {
		d.people.roles = map[int64]zulip.Role{}
	}
	d.people.roles[id] = role
}

// PlanAddress registers the address that this run leaves an account with, so that whoever is planned later may already
// name it. ID 0 is an account that this run creates.
func (d *Directory) PlanAddress(id int64, address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.people.addresses == nil {
		d.people.addresses = map[string]int64{}
	}
	d.people.addresses[fold(address)] = id
}

// plannedAddress returns the ID of the account to which this run gives an address; 0 for one that it creates.
func (d *Directory) plannedAddress(address string) (id int64, planned bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, planned = d.people.addresses[fold(address)]
	return id, planned
}

// PlanReactivation registers an account that this run reactivates.
func (d *Directory) PlanReactivation(id int64) {
	d.Plan(permission.Principal{Kind: permission.KindUserID, ID: id})
}

// plannedRoles are the roles that this run gives.
func (d *Directory) plannedRoles() map[int64]zulip.Role {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.people.roles)
}

// HasOtherOwner reports whether somebody beside one person is an active owner, when the roles that this run gives as far
// as it is planned are given. The server counts no bots (server-behavior §U7).
func (v *View) HasOtherOwner(except int64) bool {
	planned := v.directory.plannedRoles()
	return slices.ContainsFunc(v.Users(), func(user *zulip.User) bool {
		role, changes := planned[user.ID]
		if !changes {
			role = user.Role
		}
		return user.ID != except && !user.IsBot && user.IsActive && role == zulip.RoleOwner
	})
}

// Bot returns what a bot has beside its account, if the account the provider uses may see it.
func (v *View) Bot(id int64) (*zulip.Bot, bool) {
	return v.facts.bots.withID(id)
}

// Status returns the status of a person; that of somebody who says nothing is empty.
func (v *View) Status(id int64) zulip.Status { return v.facts.statuses[id] }

// NearestEmoji returns the names of emoji, of the organization's own and the given standard ones, that may have been
// meant by one that does not exist.
func (v *View) NearestEmoji(name string, standard map[string]string) []string {
	return Nearest(name, append(slices.Collect(maps.Keys(standard)), v.CustomEmojiNames()...))
}

// CustomEmojiList returns every custom emoji, deactivated ones included.
func (v *View) CustomEmojiList() []*zulip.CustomEmoji { return v.facts.customEmoji.all }

// CustomEmojiNames returns the names of the custom emoji that are not deactivated.
func (v *View) CustomEmojiNames() []string {
	return namesOf(v.facts.customEmoji.all, func(emoji *zulip.CustomEmoji) string {
		if emoji.Deactivated {
			return ""
		}
		return emoji.Name
	})
}

// ProfileFieldNames returns the names of the custom profile fields.
func (v *View) ProfileFieldNames() []string {
	return namesOf(v.facts.profileFields.all, func(field *zulip.ProfileField) string { return field.Name })
}

// BotAddresses returns the addresses of the active bots that the account the provider uses may manage.
func (v *View) BotAddresses() []string {
	return namesOf(v.facts.users.all, func(user *zulip.User) string {
		if _, managed := v.Bot(user.ID); !managed || !user.IsActive {
			return ""
		}
		return user.Address()
	})
}

// DefaultChannelGroupNames returns the names of the default channel groups.
func (v *View) DefaultChannelGroupNames() []string {
	return namesOf(v.facts.defaultGroups, func(group *zulip.DefaultChannelGroup) string { return group.Name })
}
