package access

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Read is an organization as it was read.
type Read struct {
	View *snapshot.Snapshot
	Self *zulip.User
	// Subscribers are the subscribers of each channel, by ID. A missing channel has unknown subscribers.
	Subscribers map[int64][]int64
	// Invitations are the usable ones that Self can see. MissingInvitations is the reason why there are none, as a sentence.
	Invitations        []*zulip.Invitation
	MissingInvitations string
	Now                time.Time
}

// Invitations returns the pending invitations that the account sees. missing is the reason why there are none, as a sentence.
func Invitations(ctx context.Context, from *store.Store) (all []*zulip.Invitation, missing string) {
	if self := from.Self(); self.IsBot {
		return nil, fmt.Sprintf("%s is a bot, and the server shows the invitations only to people: use a person's API key.", self.Address())
	}
	all, err := from.Invitations(ctx)
	if err != nil {
		missing = fmt.Sprintf("The invitations could not be read: %s.", strings.TrimRight(err.Error(), "."))
	}
	return all, missing
}

// Of returns the organization that was read.
func Of(read Read) *Organization {
	org := &Organization{People: read.View.Access(), Names: read.View, Folders: map[int64]string{}, Now: read.Now}
	unknown := func(scope Scope, text string) { org.Unknown = append(org.Unknown, Unknown{scope, text}) }
	if realm := read.View.Realm(); realm != nil {
		org.Permissions = realm.Permissions
		required := false
		if json.Unmarshal(realm.Settings["invite_required"], &required) == nil {
			org.Joining.InviteRequired = &required
		}
	}
	if read.Self.Role > zulip.RoleAdministrator {
		unknown(OfChannels, fmt.Sprintf("%s is not an administrator and doesn't see private channels that it isn't subscribed to.", read.Self.Address()))
		unknown(OfJoining, fmt.Sprintf("%s is not an administrator and doesn't see the invitations of others.", read.Self.Address()))
	}
	if read.Self.Role == zulip.RoleGuest {
		unknown(Told, fmt.Sprintf("%s is a guest and might not see everyone in the organization.", read.Self.Address()))
	}
	if read.MissingInvitations != "" {
		unknown(OfJoining, read.MissingInvitations)
	}
	for _, one := range read.Invitations {
		text := "the invitation of " + one.Email
		if one.IsMultiuse {
			text = fmt.Sprintf("invitation link %d", one.ID)
		}
		org.Joining.Invitations = append(org.Joining.Invitations, Invitation{Text: text, IsForOne: !one.IsMultiuse, Role: one.InvitedAs, From: one.InvitedByUserID})
	}
	for _, folder := range read.View.Folders().List() {
		org.Folders[folder.ID] = folder.Name
	}
	for _, channel := range read.View.Channels().List() {
		facts := permission.ChannelOf(channel)
		facts.Subscribers, facts.SubscribersKnown = read.Subscribers[channel.ID]
		org.Channels = append(org.Channels, &Channel{ID: channel.ID, Name: channel.Name, FolderID: channel.FolderID, IsDefault: channel.IsDefault, Facts: facts})
	}
	org.NameFolders()
	org.Groups = lists.Map(read.View.UserGroups().List(), func(group *zulip.UserGroup) *Group { return &Group{UserGroup: *group} })
	return org
}

// NameFolders gives each channel the name of the folder that it is in.
func (o *Organization) NameFolders() {
	for _, channel := range o.Channels {
		if channel.FolderID != nil {
			channel.Folder = o.Folders[*channel.FolderID]
		}
	}
}
