package rules

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Read is what was read of an organization.
type Read struct {
	View *snapshot.Snapshot
	Self *zulip.User
	// Subscribers are the people in each channel, by ID; a channel that is absent is not known.
	Subscribers map[int64][]int64
	// Invitations are those that can be used, as far as Self sees them; MissingInvitations says as a sentence why there are none.
	Invitations        []*zulip.Invitation
	MissingInvitations string
	Now                time.Time
}

// Of returns the organization as it is.
func Of(read Read) *Organization {
	org := &Organization{People: read.View.Access(), Names: read.View, Permissions: map[string]zulip.GroupSettingValue{}, Now: read.Now}
	if realm := read.View.Realm(); realm != nil {
		org.Permissions = realm.Permissions
		required := false
		if json.Unmarshal(realm.Settings["invite_required"], &required) == nil {
			org.Joining.InviteRequired = &required
		}
	}
	if read.Self.Role > zulip.RoleAdministrator {
		org.HidesChannels = fmt.Sprintf("%s is not an administrator and does not see private channels that it is not in.", read.Self.Address())
		org.Joining.Unknown = append(org.Joining.Unknown, fmt.Sprintf("%s is not an administrator and does not see the invitations of others.", read.Self.Address()))
	}
	if read.Self.Role == zulip.RoleGuest {
		org.Unknown = append(org.Unknown, fmt.Sprintf("%s is a guest and may not see everybody in the organization.", read.Self.Address()))
	}
	if read.MissingInvitations != "" {
		org.Joining.Unknown = append(org.Joining.Unknown, read.MissingInvitations)
	}
	for _, one := range read.Invitations {
		org.Joining.Invitations = append(org.Joining.Invitations, InvitationOf(one))
	}
	for _, channel := range read.View.Channels().List() {
		if channel.IsArchived {
			continue
		}
		facts := permission.ChannelOf(channel)
		facts.Subscribers, facts.SubscribersKnown = read.Subscribers[channel.ID]
		org.Channels = append(org.Channels, &Channel{ID: channel.ID, Name: channel.Name, Folder: folderName(read.View, channel.FolderID), Facts: facts})
	}
	for _, folder := range read.View.Folders().List() {
		org.Folders = append(org.Folders, folder.Name)
	}
	for _, group := range read.View.UserGroups().List() {
		if !group.Deactivated && !group.IsSystemGroup {
			org.Groups = append(org.Groups, GroupOf(group))
		}
	}
	return org
}

// GroupOf is a user group that the server has.
func GroupOf(group *zulip.UserGroup) *Group {
	return &Group{ID: group.ID, Name: group.Name, Members: group.Members, Subgroups: group.DirectSubgroupIDs, Permissions: group.Permissions}
}

func folderName(view *snapshot.Snapshot, id *int64) string {
	if id == nil {
		return ""
	}
	folder, ok := view.Folders().ByID(*id)
	if !ok {
		return ""
	}
	return folder.Name
}

// InvitationOf is an invitation that the server has.
func InvitationOf(one *zulip.Invitation) Invitation {
	text := "the invitation of " + one.Email
	if one.IsMultiuse {
		text = fmt.Sprintf("invitation link %d", one.ID)
	}
	return Invitation{Text: text, Role: one.InvitedAs}
}
