package audit

import (
	"encoding/json"
	"maps"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// withinLimits returns an organization whose names are cut to the length that servers accept, like the names of a plan.
func withinLimits(f access.Read) access.Read {
	self := *f.Self
	cutUser(&self)
	f.Self = &self
	f.Invitations = cutAll(f.Invitations, func(invitation *zulip.Invitation) { cut(&invitation.Email, meaning.MaxText) })
	read := &zulip.RegisterAnswer{
		Channels:      cutAll(f.View.Channels().List(), func(channel *zulip.Channel) { cut(&channel.Name, meaning.MaxChannelName) }),
		Users:         cutAll(f.View.Users(), cutUser),
		UserGroups:    cutAll(f.View.UserGroups().List(), func(group *zulip.UserGroup) { cut(&group.Name, meaning.MaxName) }),
		Folders:       cutAll(f.View.Folders().List(), func(folder *zulip.ChannelFolder) { cut(&folder.Name, meaning.MaxName) }),
		DefaultGroups: cutAll(f.View.DefaultChannelGroups().List(), func(group *zulip.DefaultChannelGroup) { cut(&group.Name, meaning.MaxName) }),
		Playgrounds:   cutAll(f.View.Playgrounds().List(), func(playground *zulip.Playground) { cut(&playground.Name, meaning.MaxName) }),
		Domains:       cutAll(f.View.Domains().List(), func(domain *zulip.Domain) { cut(&domain.Domain, meaning.MaxText) }),
		Bots: cutAll(f.View.Bots().List(), func(bot *zulip.Bot) {
			cutAt(&bot.DefaultSendingStream, meaning.MaxChannelName)
			cutAt(&bot.DefaultEventsRegisterStream, meaning.MaxChannelName)
		}),
	}
	if realm := f.View.Realm(); realm != nil {
		shorter := *realm
		cutOrganizationName(&shorter)
		cut(&shorter.BotDomain, meaning.MaxText)
		read.Realm = &shorter
	}
	f.View = f.View.With(func(facts *snapshot.Facts) {
		for _, part := range []string{
			zulip.FetchChannels, zulip.FetchUsers, zulip.FetchUserGroups, zulip.FetchFolders, zulip.FetchDefaultGroups, zulip.FetchPlaygrounds,
			zulip.FetchDomains, zulip.FetchBots, zulip.FetchRealm,
		} {
			facts.Take(read, part)
		}
	})
	return f
}

// cutAll returns copies of objects with cut names.
func cutAll[Thing any](all []*Thing, cut func(*Thing)) []*Thing {
	copies := make([]*Thing, len(all))
	for i, thing := range all {
		one := *thing
		cut(&one)
		copies[i] = &one
	}
	return copies
}

func cut(name *string, limit int) { *name = meaning.Cut(*name, limit) }

func cutAt(name **string, limit int) {
	if *name != nil {
		shorter := meaning.Cut(**name, limit)
		*name = &shorter
	}
}

func cutUser(user *zulip.User) {
	cut(&user.FullName, meaning.MaxName)
	cut(&user.Email, meaning.MaxText)
	cutAt(&user.DeliveryEmail, meaning.MaxText)
}

func cutOrganizationName(realm *zulip.Realm) {
	var name string
	if json.Unmarshal(realm.Settings["name"], &name) != nil {
		return
	}
	realm.Settings = maps.Clone(realm.Settings)
	realm.Settings["name"], _ = json.Marshal(meaning.Cut(name, meaning.MaxName)) // a string
}
