// Package channels has channels, their folders and topics, default channel groups, and the subscribers of channels.
package channels

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// channelKind is the type of the resource.
const channelKind = runstate.Channel

type channelPlan = core.TablePlan[channelModel, zulip.Channel, zulip.ChannelUpdate]

// NewChannelResource returns zulip_channel.
func NewChannelResource() resource.Resource { return core.NewTable(channelDefinition) }

var channelDefinition = &core.TableDefinition[channelModel, zulip.Channel, zulip.ChannelUpdate]{
	Definition: core.Definition[channelModel, zulip.Channel]{
		Name: "channel", Title: "channel", Plural: "channels",
		Schema: channelSchema,
		// A read of the channels does not repeat the parts that they name.
		Source:       core.Source{Part: store.Channels, Needs: []store.Part{store.Organization, store.Folders}, PartsSent: sendsOwnName},
		Index:        (*snapshot.Snapshot).Channels,
		Key:          func(channel *zulip.Channel) int64 { return channel.ID },
		FindImported: lookup.Channel,
		Unsent:       []string{"announce", "initial_subscribers", "adopt_archived", "on_destroy"},
		Unique: core.Unique[channelModel, zulip.Channel]{
			Of: func(m *channelModel) string { return m.Name.ValueString() },
			IsTaken: func(err error) bool {
				return zulip.IsCode(err, "CHANNEL_ALREADY_EXISTS") || errors.Is(err, errChannelNameTaken)
			},
			Existing: func(e *existing.Object, _ *zulip.Channel, _ *core.Call) {
				e.Detail = "Names are compared ignoring case."
			},
		},
		Fixed:    fixedFolder,
		Validate: validateChannel, CheckPlan: checkChannelDestroyed,
		Create: createChannel, Delete: archiveChannel, DeleteVerb: "archive",
		IsKept: func(state *channelModel) bool { return state.OnDestroy.ValueString() == channelOnDestroyKeep },
		Hint:   channelHint,
		Archive: core.Archive[channelModel, zulip.Channel]{
			IsGone:     func(channel *zulip.Channel) bool { return channel.IsArchived },
			HowToAdopt: howToAdoptChannel, Adopt: adoptChannel,
		},
		Account: core.Account[channelModel, zulip.Channel]{NamedPeople: namedByChannel},
		Creating: core.Creating[channelModel, zulip.Channel]{SentLater: permission.DroppedAtCreation, MayBeCreated: isOwnChannel, Effect: subscribedByCreation,
			Lacks: func(ctx context.Context, c *core.Call, plan *channelModel, diags *diag.Diagnostics) {
				channelCreateRequest(ctx, c, plan, diags)
			},
			Shared: "The server has subscribed the initial_subscribers of this resource to it.", // (server-behavior §C25)
		},
		Unlisted: core.Unlisted[channelModel, zulip.Channel]{
			SeenBy:  base.SeenByAdministrators,
			IsShown: func(m *base.Meta, _ *channelModel) bool { return m.SeesAll() }, // the channel may be private by now
		},
	},
	Table:      core.Rows(&channelTable, func(m *channelModel) *channelFields { return &m.channelFields }),
	CheckTable: checkChannelPlan, SendUpdate: sendChannelUpdate, Protect: protectChannel,
	Archives: true, Reactivate: unarchiveChannel,
	IsFreed: func(s *snapshot.Snapshot, _ *zulip.Channel, name string) bool {
		_, isTaken := s.ChannelTaking(name, 0)
		return !isTaken
	},
	CreatedBy: func(channel *zulip.Channel) (creator *int64, at time.Time) {
		return channel.CreatorID, time.Unix(channel.DateCreated, 0)
	},
	Adoption: &core.Adoption[zulip.Channel]{
		Attribute: "adopt_archived",
		Warning:   warnOfChannelAdoption, Refusal: refuseArchivedChannel,
	},
}

// validateChannel refuses what is wrong in any organization.
func validateChannel(config *channelModel, diags *diag.Diagnostics) {
	if zulip.Privacy(config.Privacy.ValueString()).IsPrivate() && config.IsDefault.ValueBool() {
		refusePrivateDefault(diags)
	}
}

const privateDefault = "A private channel cannot be a default channel"

func refusePrivateDefault(diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("is_default"), privateDefault,
		"New users are subscribed to the default channels. Remove is_default, or set privacy = \"public\".")
}

func howToAdoptChannel(channel *zulip.Channel) string {
	return fmt.Sprintf("Channel %q is archived. Add a zulip_channel with its name and adopt_archived = true to unarchive it.", channel.Name)
}

func warnOfChannelAdoption(channel *zulip.Channel) (summary, detail string) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	return "An archived channel will be unarchived",
		fmt.Sprintf("Channel %q has the ID %d, keeps its messages, and has subscribers: %d. Unset attributes are left unchanged.", channel.Name, channel.ID, channel.SubscriberCount)
}

func refuseArchivedChannel(channel *zulip.Channel) (summary, detail string) {
	return fmt.Sprintf("An archived channel has the name %q", channel.Name),
		fmt.Sprintf("Archived channels keep their names, and channel %d has this name. "+
			"Set adopt_archived = true to unarchive it with its messages and subscribers, choose another name, or rename the archived channel.", channel.ID)
}

// channelHint explains a refusal of the server.
func channelHint(err error) string {
	switch {
	case zulip.IsCode(err, "CHANNEL_ALREADY_EXISTS"):
		return "The provider's account does not see the channel that has this name. It is probably private."
	case zulip.IsMessage(err, "Channel is private and have no subscribers"):
		return "A private channel without subscribers cannot be unarchived. Make it public in the web app, or give the new channel another name."
	}
	return ""
}

// sendChannelUpdate sends each part of an update in a request of its own.
func sendChannelUpdate(ctx context.Context, b *base.Base, id int64, p channelPending) (ignored []string, err error) {
	for _, update := range channelRequests(p) {
		answer, err := b.Meta.Client.UpdateChannel(ctx, id, update)
		if err != nil {
			return nil, err
		}
		ignored = append(ignored, answer.IgnoredParameters...)
	}
	return ignored, nil
}

// channelRequests divides the pending changes into requests. Permissions go first, so that nothing has changed when one of
// them is refused (server-behavior §C10). The exception: while history is protected, the permission to create topics is
// fixed, so the change that shares history must come before.
func channelRequests(pending channelPending) []zulip.ChannelUpdate {
	permissions, others := pending.Permissions(), pending.Others()
	ordered := []zulip.ChannelUpdate{permissions, others}
	_, topics := permissions.Permissions["can_create_topic_group"]
	if topics && pending.Now.Privacy() == zulip.PrivacyPrivateProtectedHistory {
		slices.Reverse(ordered)
	}
	return slices.DeleteFunc(ordered, func(u zulip.ChannelUpdate) bool { return u.Empty() })
}

// archiveChannel archives a channel. Nothing is deleted for good (server-behavior §C14).
func archiveChannel(ctx context.Context, c *core.Call, state *channelModel) error {
	id := state.ID.ValueInt64()
	err := c.Meta.Run.Effects.Send(func() error { return c.Meta.Client.ArchiveChannel(ctx, id) }, effects.Write{Kind: effects.Archived, ID: id})
	if zulip.IsMessage(err, "Channel is already deactivated", "Invalid channel ID") {
		return nil
	}
	return whyRefused(ctx, c.Base, err, "archive", id)
}

// whyRefused explains the refusal to archive or unarchive a channel.
func whyRefused(ctx context.Context, b *base.Base, err error, verb string, id int64) error {
	return b.Meta.WhyRefused(ctx, err, func(view *snapshot.Snapshot, found *diag.Diagnostics) { requireAdministrator(b, view, verb, id, found) })
}

// RemoveGroup removes a group from permissions of a channel, which have these values in the plan. It does nothing in an
// archived channel.
func RemoveGroup(ctx context.Context, b *base.Base, channel int64, from map[string]zulip.GroupSettingValue, group int64, diags *diag.Diagnostics) {
	r := core.NewTable(channelDefinition)
	r.Base = *b
	view, err := b.Meta.Store.Fresh(ctx, store.Channels, store.Organization)
	if err != nil {
		diags.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	if now, ok := view.Channels().ByID(channel); ok && !now.IsArchived {
		r.Change(ctx, channel, channelTable.Wire.Removals(from, group, view), nil, protectRemoval, diags)
	}
}

// namedByChannel are the people and bots that a channel names.
func namedByChannel(m *channelModel) []string {
	return append(channelTable.Sets(&m.channelFields).NamedUsers(permission.Channels), lookup.Names(m.InitialSubscribers.Elements())...)
}

// errChannelNameTaken is the error about an existing channel with the name of a new one.
var errChannelNameTaken = errors.New("a channel with the name exists")

// isOwnChannel reports whether the provider's account created a channel.
func isOwnChannel(_ *channelModel, channel *zulip.Channel, c *core.Call) bool {
	return channel.CreatorID == nil || *channel.CreatorID == c.Meta.Store.Self().ID
}

// adoptChannel returns the archived channel of the name, if the plan asks for it.
func adoptChannel(ctx context.Context, c *core.Call, plan *channelModel) (id int64, ok bool, err error) {
	if !plan.AdoptArchived.ValueBool() {
		return 0, false, nil
	}
	s, err := c.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return 0, false, err
	}
	channel, ok := s.Channels().ByName(plan.Name.ValueString())
	if !ok || !channel.IsArchived {
		return 0, false, nil
	}
	return channel.ID, true, nil
}

// createChannel creates a channel and returns its ID.
func createChannel(ctx context.Context, c *core.Call, plan *channelModel) (int64, error) {
	var diags diag.Diagnostics
	var request zulip.ChannelCreate
	// The server decides about permissions, because c may know them from before this apply.
	if !base.CheckInPlan(&diags, func(found *diag.Diagnostics) { request = channelCreateRequest(ctx, c, plan, found) }) {
		return 0, core.AsError(diags)
	}
	if !c.HasLevel(featurelevel.CreateChannel) {
		return createChannelBySubscribing(ctx, c, plan, request)
	}
	id, answer, err := c.Meta.Client.CreateChannel(ctx, request)
	if err == nil {
		c.WarnIgnored(fmt.Sprintf("channel %q", request.Name), answer, channelTable.Wire.Table)
	}
	return id, err
}

// channelCreateRequest returns the differences from a channel with defaults. It refuses what [channelChange.check] refuses.
func channelCreateRequest(ctx context.Context, c *core.Call, plan *channelModel, diags *diag.Diagnostics) zulip.ChannelCreate {
	request := zulip.ChannelCreate{
		Name:        plan.Name.ValueString(),
		Subscribers: initialSubscribers(c, plan, diags),
		Announce:    plan.Announce.ValueBoolPointer(),
		Permissions: map[string]zulip.GroupSettingValue{},
	}
	env := attribute.NewEnv(c.Base, c.Snapshot)
	steps, problems := channelTable.Steps(channelTable.PriorObject(newChannel, env, diags), &plan.channelFields, env)
	attribute.ReportProblems(diags, problems)
	var update, all zulip.ChannelUpdate
	for _, step := range steps {
		step.Put(&all, newChannel, false)
		if step.Attribute != "name" && step.Attribute != "privacy" { // a creation has its own parameters for these
			step.Put(&update, newChannel, false)
		}
	}
	for setting, change := range update.Permissions {
		request.Permissions[setting] = change.New
	}
	update.Permissions = nil
	if update.Description != nil {
		update.Description = plan.Description.ValueStringPointer() // the server stores new and changed channels alike
	}
	request.Settings = update
	if privacy := zulip.Privacy(plan.Privacy.ValueString()); base.IsSet(plan.Privacy) {
		private, web, history := privacy.IsPrivate(), privacy == zulip.PrivacyWebPublic, privacy != zulip.PrivacyPrivateProtectedHistory
		request.InviteOnly, request.IsWebPublic, request.HistoryPublicToSubscribers = &private, &web, &history
	}
	empty := *newChannel
	empty.Name, empty.Permissions = request.Name, ownPermissions(c.Meta.Store.Self().ID)
	change := channelChangeOf(c.Base, c.Snapshot, &empty, all, steps)
	change.After.Channel.Subscribers, change.After.Channel.SubscribersKnown = request.Subscribers, true
	change.check(ctx, diags)
	return request
}

// initialSubscribers returns the first subscribers of the channel. A private channel without any would permanently
// lock out the account that manages it (server-behavior §C17), so by default the account is subscribed.
func initialSubscribers(c *core.Call, plan *channelModel, diags *diag.Diagnostics) []int64 {
	if !base.IsSet(plan.InitialSubscribers) {
		if zulip.Privacy(plan.Privacy.ValueString()).IsPrivate() {
			return []int64{c.Meta.Store.Self().ID}
		}
		return nil
	}
	var ids []int64
	for _, element := range plan.InitialSubscribers.Elements() {
		text, _ := element.(types.String)
		user, err := lookup.User(c.Snapshot, text.ValueString())
		if err != nil {
			lookup.AddError(diags, path.Root("initial_subscribers"), err, "")
			continue
		}
		ids = append(ids, user.ID)
	}
	slices.Sort(ids)
	return ids
}

// subscribedByCreation is the effect that the first subscribers are in a new channel. An exclusive list of its subscribers
// may remove them, because the plan shows both.
func subscribedByCreation(c *core.Call, planned *channelModel) *effects.Write {
	var ignored diag.Diagnostics // the creation reports them
	return &effects.Write{Kind: effects.Subscribed, People: initialSubscribers(c, planned, &ignored)}
}

// sendsOwnName makes the core check for an existing channel with the name if createChannelBySubscribing needs it.
func sendsOwnName(b *base.Base) []store.Part {
	if b.HasLevel(featurelevel.CreateChannel) {
		return nil
	}
	return []store.Part{store.Channels}
}

// createChannelBySubscribing creates a channel on a server below feature level 417, which creates a channel when someone is
// subscribed to it. If a channel has the name, the server would silently subscribe them to that one.
func createChannelBySubscribing(ctx context.Context, c *core.Call, plan *channelModel, request zulip.ChannelCreate) (int64, error) {
	if _, isTaken := c.Snapshot.Channels().ByName(request.Name); isTaken {
		return 0, errChannelNameTaken
	}
	answer, err := c.Meta.Client.CreateChannelBySubscribing(ctx, request)
	if err != nil && !zulip.MayHaveHappened(err) {
		return 0, err
	}
	created, lookErr := findCreatedChannel(ctx, c, plan, err != nil)
	if created == nil {
		cause := "The server accepted the request."
		if err != nil {
			cause = base.Explain(err)
		}
		var diags diag.Diagnostics
		diags.AddError(fmt.Sprintf("Cannot create channel %q", request.Name), cause+"\n\n"+outcomeOf(lookErr))
		return 0, core.AsError(diags)
	}
	if answer != nil {
		c.WarnIgnored(fmt.Sprintf("channel %q", request.Name), answer, channelTable.Wire.Table)
	}
	if len(request.Subscribers) == 0 { // an empty list means the caller
		err := unsubscribeSelf(ctx, c, created)
		if err != nil {
			c.Diags.AddWarning(fmt.Sprintf("The provider's account is still subscribed to channel %q", request.Name), base.Explain(err))
		}
	}
	return created.ID, nil
}

// unsubscribeSelf unsubscribes the provider's account from a channel that was just created. The request goes by the name, which
// is read again before it is repeated.
func unsubscribeSelf(ctx context.Context, c *core.Call, created *zulip.Channel) error {
	isFirst := true
	return c.Meta.Client.Retry(ctx, func(ctx context.Context) error {
		now := created
		if !isFirst {
			var err error
			if now, err = c.Meta.Client.Channel(ctx, created.ID); err != nil {
				return err
			}
		}
		isFirst = false
		_, err := c.Meta.Client.Unsubscribe(ctx, now.Name, []int64{c.Meta.Store.Self().ID})
		return err
	})
}

// findCreatedChannel returns the channel that was just created and did not exist before; nil if it is not found. After a lost
// answer the server may still be creating it, so the provider looks for it as often as it repeats other requests.
func findCreatedChannel(ctx context.Context, c *core.Call, plan *channelModel, isAnswerLost bool) (*zulip.Channel, error) {
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		s, err := c.Meta.Store.Fresh(ctx, store.Channels)
		if err != nil {
			return nil, err
		}
		created, ok := s.Channels().ByName(plan.Name.ValueString())
		if ok && !created.IsArchived && isOwnChannel(plan, created, c) {
			return created, nil
		}
		if !isAnswerLost || attempt >= c.Meta.Client.MaxRetries() {
			return nil, nil
		}
		if err := zulip.Sleep(ctx, pause); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// outcomeOf describes the result of the search for a channel whose creation failed.
func outcomeOf(lookErr error) string {
	if lookErr == nil {
		return "The provider looked for the channel afterwards and did not find it, so you can apply again. If the server creates it later, the next plan reports it, with the block that imports it."
	}
	return "The provider could not check whether the channel exists: " + base.Explain(lookErr) +
		" If it exists, the next plan reports it, with the block that imports it."
}

// unarchiveChannel reactivates an archived channel.
func unarchiveChannel(ctx context.Context, c *core.Call, id int64) error {
	active := false
	err := c.Meta.Run.Effects.Send(func() error {
		return c.Meta.Store.Write(ctx, func(ctx context.Context) error {
			_, err := c.Meta.Client.UpdateChannel(ctx, id, zulip.ChannelUpdate{IsArchived: &active})
			return err
		})
	}, effects.Write{Kind: effects.Unarchived, ID: id})
	if zulip.IsMessage(err, "Channel is not currently deactivated") { // another request was faster, or an answer was lost
		return nil
	}
	return whyRefused(ctx, c.Base, err, "change", id)
}

// channelFields are the attributes that the server has of a channel, for the resource and the data sources. The table [channelTable]
// describes them.
type channelFields struct {
	ID                   types.Int64  `tfsdk:"id"`
	Name                 types.String `tfsdk:"name"`
	Description          types.String `tfsdk:"description"`
	Privacy              types.String `tfsdk:"privacy"`
	FolderID             types.Int64  `tfsdk:"folder_id"`
	Folder               types.String `tfsdk:"folder"`
	TopicsPolicy         types.String `tfsdk:"topics_policy"`
	MessageRetentionDays types.String `tfsdk:"message_retention_days"`
	IsDefault            types.Bool   `tfsdk:"is_default"`
	DefaultPush          types.Bool   `tfsdk:"default_push_notifications"`

	CanAddSubscribersGroup            types.Set `tfsdk:"can_add_subscribers_group"`
	CanAdministerChannelGroup         types.Set `tfsdk:"can_administer_channel_group"`
	CanCreateTopicGroup               types.Set `tfsdk:"can_create_topic_group"`
	CanDeleteAnyMessageGroup          types.Set `tfsdk:"can_delete_any_message_group"`
	CanDeleteOwnMessageGroup          types.Set `tfsdk:"can_delete_own_message_group"`
	CanMoveMessagesOutOfChannelGroup  types.Set `tfsdk:"can_move_messages_out_of_channel_group"`
	CanMoveMessagesWithinChannelGroup types.Set `tfsdk:"can_move_messages_within_channel_group"`
	CanRemoveSubscribersGroup         types.Set `tfsdk:"can_remove_subscribers_group"`
	CanSendMessageGroup               types.Set `tfsdk:"can_send_message_group"`
	CanSubscribeGroup                 types.Set `tfsdk:"can_subscribe_group"`
	CanResolveTopicsGroup             types.Set `tfsdk:"can_resolve_topics_group"`

	URL types.String `tfsdk:"url"`
}

// channelModel is the resource: the fields, and how the channel is created and destroyed.
type channelModel struct {
	channelFields
	Announce           types.Bool   `tfsdk:"announce"`
	InitialSubscribers types.Set    `tfsdk:"initial_subscribers"`
	AdoptArchived      types.Bool   `tfsdk:"adopt_archived"`
	OnDestroy          types.String `tfsdk:"on_destroy"`
}

const (
	channelOnDestroyArchive = "archive"
	channelOnDestroyKeep    = "keep"
)
