// Package channel is the resource zulip_channel, with the permissions of a channel, and the data sources zulip_channel and
// zulip_channels.
package channel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is the type of the resource.
const kind = lookup.ChannelKind

type (
	definition = core.Definition[model, zulip.Channel, zulip.ChannelUpdate]
	tablePlan  = core.TablePlan[model, zulip.Channel, zulip.ChannelUpdate]
)

// NewResource returns zulip_channel.
func NewResource() resource.Resource { return core.New(channels) }

var channels = &definition{
	Name: "channel", Title: "channel", Plural: "channels",
	Schema: resourceSchema,
	// What channels name is not read again with them.
	Source:     core.Source{Part: store.Channels, Needs: []store.Part{store.Organization, store.Folders}},
	Index:      (*snapshot.Snapshot).Channels,
	Key:        func(channel *zulip.Channel) int64 { return channel.ID },
	Find:       lookup.Channel,
	IsGone:     func(channel *zulip.Channel) bool { return channel.IsArchived },
	IsShown:    func(m *base.Meta, _ *model) bool { return m.SeesAll() }, // a public one may be private by now
	HowToAdopt: howToAdopt,
	Table:      core.Rows(&attributes, func(m *model) *facts { return &m.facts }),
	Unsent:     []string{"announce", "initial_subscribers", "adopt_archived", "on_destroy"},
	Unique: core.Unique[model, zulip.Channel]{
		Of:          func(m *model) string { return m.Name.ValueString() },
		IgnoresCase: true,
		IsFreed: func(s *snapshot.Snapshot, _ *zulip.Channel, name string) bool {
			_, isTaken := s.ChannelTaking(name, 0)
			return !isTaken
		},
		IsReferable: true,
		IsTaken:     func(err error) bool { return zulip.IsCode(err, "CHANNEL_ALREADY_EXISTS") || errors.Is(err, errTaken) },
		CreatedBy: func(channel *zulip.Channel) (creator *int64, at time.Time) {
			return channel.CreatorID, time.Unix(channel.DateCreated, 0)
		},
		Existing: func(e *core.Existing, _ *zulip.Channel, _ *core.Context) {
			e.Detail = "Names are compared without regard to case."
		},
		Adoption: &core.Adoption[model, zulip.Channel]{
			Attribute: "adopt_archived",
			IsAsked:   func(m *model) bool { return m.AdoptArchived.ValueBool() },
			Warning:   warnOfAdoption, Refusal: refuseArchived,
		},
	},
	Fixed:    fixedFolder,
	Validate: validate, CheckPlan: checkDestroyed, CheckTable: check,
	New: newChannel, Create: create, SentLater: permission.DroppedAtCreation, RightsDiffer: true, MayBeCreated: isOwn,
	Adopt: adopt, Reactivate: unarchive,
	Names:      names,
	SendUpdate: sendUpdate, Protect: protect, AdjustPrior: leaveArchivedFolder,
	Delete: archive, Archives: true, DeleteVerb: "archive",
	IsKept: func(state *model) bool { return state.OnDestroy.ValueString() == onDestroyKeep },
	Hint:   hint,
}

// validate refuses what is wrong in any organization.
func validate(config *model, diags *diag.Diagnostics) {
	if zulip.Privacy(config.Privacy.ValueString()).IsPrivate() && config.IsDefault.ValueBool() {
		diags.AddAttributeError(path.Root("is_default"), "A private channel cannot be a default channel",
			"Everybody who joins the organization is subscribed to its default channels. Remove is_default, or set privacy = \"public\".")
	}
}

func howToAdopt(channel *zulip.Channel) string {
	return fmt.Sprintf("Channel %q is archived. Add a zulip_channel with its name and adopt_archived = true to unarchive it.", channel.Name)
}

func warnOfAdoption(channel *zulip.Channel) (summary, detail string) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	return "An archived channel will be unarchived",
		fmt.Sprintf("Channel %q has the ID %d, keeps its messages, and has subscribers: %d. What this configuration does not set stays as it was.", channel.Name, channel.ID, channel.SubscriberCount)
}

func refuseArchived(channel *zulip.Channel) (summary, detail string) {
	return fmt.Sprintf("An archived channel has the name %q", channel.Name),
		fmt.Sprintf("Archived channels keep their names, so the name of this one (ID %d) is not free. "+
			"Set adopt_archived = true to unarchive it with its messages and subscribers, choose another name, or rename the archived channel.", channel.ID)
}

// hint says what a refusal of the server means.
func hint(err error) string {
	switch {
	case zulip.IsCode(err, "CHANNEL_ALREADY_EXISTS"):
		return "The provider's account does not see the channel that has the name: it is probably private."
	case zulip.IsMessage(err, "Channel is private and have no subscribers"):
		return "A private channel needs a subscriber before it can be unarchived. Make it public in the web app, or give the new channel another name."
	}
	return ""
}

// sendUpdate sends each part of an update in a request of its own.
func sendUpdate(ctx context.Context, b *base.Base, id int64, p pending) (ignored []string, err error) {
	for _, update := range requests(p) {
		answer, err := b.Meta.Client.UpdateChannel(ctx, id, update)
		if err != nil {
			return nil, err
		}
		ignored = append(ignored, answer.IgnoredParameters...)
	}
	return ignored, nil
}

// requests divides what is pending into what one request may carry. Permissions go first, so that nothing else has
// changed when one of them is refused (server-behavior §C10). The exception: while history is protected, the right to
// create topics is fixed, so the change that shares history has to come before.
func requests(pending pending) []zulip.ChannelUpdate {
	permissions, others := pending.Permissions(), pending.Others()
	ordered := []zulip.ChannelUpdate{permissions, others}
	_, topics := permissions.Permissions["can_create_topic_group"]
	if topics && pending.Now.Privacy() == zulip.PrivacyPrivateProtectedHistory {
		slices.Reverse(ordered)
	}
	return slices.DeleteFunc(ordered, func(u zulip.ChannelUpdate) bool { return u.Empty() })
}

// leaveArchivedFolder takes a channel out of a folder that this run has archived: Terraform destroys what is not used any
// more before it changes what has used it.
func leaveArchivedFolder(c *core.Context, prior *model) {
	if folder, ok := c.Meta.Run.TakenFromFolder(prior.ID.ValueInt64()); ok && prior.FolderID.ValueInt64() == folder {
		prior.FolderID = types.Int64Value(0)
	}
}

// archive archives a channel. Nothing is deleted for good (server-behavior §C14).
func archive(ctx context.Context, c *core.Context, state *model) error {
	err := c.Meta.Client.ArchiveChannel(ctx, state.ID.ValueInt64())
	if zulip.IsMessage(err, "Channel is already deactivated", "Invalid channel ID") {
		return nil
	}
	return err
}

// names are the people and bots that a channel names.
func names(m *model) []string {
	return append(attributes.Sets(&m.facts).NamedUsers(permission.Channels), lookup.Names(m.InitialSubscribers.Elements())...)
}
