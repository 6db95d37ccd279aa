package channels

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

type (
	channelStep    = change.Step[*zulip.Channel, zulip.ChannelUpdate]
	channelPending = change.Pending[*zulip.Channel, zulip.ChannelUpdate]

	rows              = []attribute.Row[channelFields, *zulip.Channel, zulip.ChannelUpdate]
	row[V attr.Value] = attribute.Field[channelFields, *zulip.Channel, zulip.ChannelUpdate, V]
)

// The server's limits, counted in characters (server-behavior §C5).
const (
	channelMaxName        = 60
	channelMaxDescription = 1024
)

// channelTable are the attributes that the server has of a channel, one row each. The attributes about creation and
// destroy are in channelCreationAttributes.
var channelTable = attribute.Table[channelFields, *zulip.Channel, zulip.ChannelUpdate]{
	Resource: channelKind, OmitUnmanaged: true, New: newChannel,
	Rows: rows{
		row[types.Int64]{
			Name: "id", ReadOnly: true, Description: "ID of the channel.",
			At:   func(f *channelFields) *types.Int64 { return &f.ID },
			Read: func(c *zulip.Channel) types.Int64 { return types.Int64Value(c.ID) },
		},
		row[types.String]{
			Name: "privacy", Description: "Access to the channel: `public` (everyone but guests), `web_public` (also anyone on the internet, to read), `private_shared_history` or `private_protected_history` (only subscribers). With `private_protected_history`, subscribers can't read messages sent before they joined.",
			Setting:    "Can be changed in place. Initially `public`.",
			Validators: []validator.Describer{validators.OneOf(texts(zulip.Privacies)...)},
			At:         func(f *channelFields) *types.String { return &f.Privacy },
			Read:       func(c *zulip.Channel) types.String { return types.StringValue(string(c.Privacy())) },
			Send: func(u *zulip.ChannelUpdate, current *zulip.Channel, v types.String) {
				changePrivacy(u, current.Privacy(), zulip.Privacy(v.ValueString()))
			},
		},
		row[types.Bool]{
			Name: "is_default", Description: "If true, new users are subscribed to the channel.",
			Setting:  "Not allowed for private channels.",
			Requires: attribute.Requirement{Role: zulip.RoleAdministrator},
			At:       func(f *channelFields) *types.Bool { return &f.IsDefault },
			Read:     func(c *zulip.Channel) types.Bool { return types.BoolValue(c.IsDefault) },
			Send:     func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.Bool) { u.IsDefaultStream = v.ValueBoolPointer() },
		},
		row[types.String]{
			Name: "message_retention_days", Description: "Time to keep messages: a number of days, `unlimited`, or `realm_default` (the organization's setting).",
			Requires:   attribute.Requirement{Role: zulip.RoleOwner},
			Validators: []validator.Describer{validators.Count("days", zulip.RetentionUnlimited, zulip.RetentionDefault)},
			At:         func(f *channelFields) *types.String { return &f.MessageRetentionDays },
			Read:       func(c *zulip.Channel) types.String { return types.StringValue(c.Retention().String()) },
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.String) {
				u.MessageRetentionDays = parseRetention(v.ValueString())
			},
		},
		row[types.String]{
			Name: "topics_policy", Description: "Policy for messages without a topic: `inherit` (the organization's setting), `allow_empty_topic`, `disable_empty_topic`, or `empty_topic_only`. `empty_topic_only` can be set while no message has a topic, and requires " + featurelevel.Describe(featurelevel.SinceValue(channelKind, "topics_policy", "empty_topic_only")) + ".",
			Requires:   attribute.Requirement{Permission: "can_set_topics_policy_group", Except: inheritTopicsPolicy},
			Validators: []validator.Describer{validators.OneOf(inheritTopicsPolicy, "allow_empty_topic", "disable_empty_topic", "empty_topic_only")},
			At:         func(f *channelFields) *types.String { return &f.TopicsPolicy },
			Read: func(c *zulip.Channel) types.String {
				if c.TopicsPolicy == "" { // servers below level 392 don't send it
					return types.StringNull()
				}
				return types.StringValue(c.TopicsPolicy)
			},
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.String) {
				u.TopicsPolicy = v.ValueStringPointer()
			},
		},
		row[types.Bool]{
			Name: "default_push_notifications", Description: "If true, mobile push notifications are on for new subscribers.",
			Setting:  "Applies when someone subscribes for the first time; existing subscriptions don't change. Initially `false`.",
			Requires: attribute.Requirement{Role: zulip.RoleAdministrator},
			At:       func(f *channelFields) *types.Bool { return &f.DefaultPush },
			Read:     func(c *zulip.Channel) types.Bool { return types.BoolPointerValue(c.DefaultPushNotifications) },
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.Bool) {
				u.DefaultPushNotifications = v.ValueBoolPointer()
			},
		},
		row[types.String]{
			Name: "description", Description: "Description of the channel, in Markdown.",
			Setting:    "At most 1024 characters. The server replaces line breaks with spaces, and posts a notice in the channel about each change.",
			Validators: []validator.Describer{validators.Length(0, channelMaxDescription)},
			At:         func(f *channelFields) *types.String { return &f.Description },
			Read:       func(c *zulip.Channel) types.String { return types.StringValue(c.Description) },
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.String) {
				stored := storedChannelDescription(v)
				u.Description = &stored
			},
			Text: storedChannelDescription,
		},
		row[types.String]{
			Name: "name", Description: "Name of the channel.",
			Setting:  "At most 60 characters. Must be unique in the organization, ignoring case; archived channels keep their names.",
			Required: true,
			Validators: []validator.Describer{
				validators.Length(1, channelMaxName),
				validators.VisibleName{RefuseControls: true, RefuseEnds: true},
			},
			At:   func(f *channelFields) *types.String { return &f.Name },
			Read: func(c *zulip.Channel) types.String { return types.StringValue(c.Name) },
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.String) { u.Name = v.ValueStringPointer() },
		},
		folderIDRow{row[types.Int64]{
			Name: "folder_id", Description: "ID of the channel's folder; `0` for none.", Setting: "Conflicts with `folder`.",
			Validators: []validator.Describer{validators.AtLeast(0)},
			At:         func(f *channelFields) *types.Int64 { return &f.FolderID },
			Read:       func(c *zulip.Channel) types.Int64 { return types.Int64Value(folderOf(c)) },
			Send: func(u *zulip.ChannelUpdate, _ *zulip.Channel, v types.Int64) {
				folder := folderID(v.ValueInt64())
				u.FolderID = &folder
			},
		}},
		folderRow{row[types.String]{
			Name: "folder", Description: "Name of the channel's folder, ignoring case; `\"\"` for none.",
			Setting: "The same apply can create the folder, if the channel references or depends on its resource. To follow a renamed folder, use `folder_id = zulip_channel_folder.NAME.id` instead. Conflicts with `folder_id`.",
			At:      func(f *channelFields) *types.String { return &f.Folder },
			Text:    func(v types.String) string { return zulip.FoldName(v.ValueString()) },
		}},
		urlRow{row[types.String]{
			Name: "url", ReadOnly: true, Description: "URL of the channel in the web app. Contains `name`.", Follows: true,
			At: func(f *channelFields) *types.String { return &f.URL },
		}},
	},
	Permissions: map[string]attribute.Permission[channelFields]{
		"can_add_subscribers_group":              {At: func(f *channelFields) *types.Set { return &f.CanAddSubscribersGroup }},
		"can_administer_channel_group":           {At: func(f *channelFields) *types.Set { return &f.CanAdministerChannelGroup }},
		"can_create_topic_group":                 {At: func(f *channelFields) *types.Set { return &f.CanCreateTopicGroup }},
		"can_delete_any_message_group":           {At: func(f *channelFields) *types.Set { return &f.CanDeleteAnyMessageGroup }, Requires: mayLetDelete},
		"can_delete_own_message_group":           {At: func(f *channelFields) *types.Set { return &f.CanDeleteOwnMessageGroup }, Requires: mayLetDelete},
		"can_move_messages_out_of_channel_group": {At: func(f *channelFields) *types.Set { return &f.CanMoveMessagesOutOfChannelGroup }},
		"can_move_messages_within_channel_group": {At: func(f *channelFields) *types.Set { return &f.CanMoveMessagesWithinChannelGroup }},
		"can_remove_subscribers_group":           {At: func(f *channelFields) *types.Set { return &f.CanRemoveSubscribersGroup }},
		"can_send_message_group":                 {At: func(f *channelFields) *types.Set { return &f.CanSendMessageGroup }},
		"can_subscribe_group":                    {At: func(f *channelFields) *types.Set { return &f.CanSubscribeGroup }},
		"can_resolve_topics_group":               {At: func(f *channelFields) *types.Set { return &f.CanResolveTopicsGroup }},
	},
	Wire: attribute.Permissions[*zulip.Channel, zulip.ChannelUpdate]{
		Table:   permission.Channels,
		Values:  func(c *zulip.Channel) map[string]zulip.GroupSettingValue { return c.Permissions },
		Changes: func(u *zulip.ChannelUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
	},
}

// mayLetDelete is the permission to set who may delete messages (server-behavior §C18).
var mayLetDelete = attribute.Requirement{Permission: "can_set_delete_message_policy_group"}

// inheritTopicsPolicy is the policy of a new channel, which everyone who may change the channel may set.
const inheritTopicsPolicy = "inherit"

// newChannel is a channel as it is created when no attribute is set.
var newChannel = &zulip.Channel{TopicsPolicy: inheritTopicsPolicy, DefaultPushNotifications: new(bool)}

// urlRow is the row of the URL, which is computed and not part of the object.
type urlRow struct{ row[types.String] }

// ReadInto sets the URL.
func (urlRow) ReadInto(f *channelFields, channel *zulip.Channel, env attribute.Env, _ *diag.Diagnostics) {
	f.URL = types.StringValue(zulip.ChannelURL(env.Site, channel.ID, channel.Name))
}

// changePrivacy writes a change of privacy with only the flags that it requires. A flag that is sent again resets
// settings that depend on it (server-behavior §C12).
func changePrivacy(update *zulip.ChannelUpdate, from, to zulip.Privacy) {
	flag := func(value bool) *bool { return &value }
	if from.IsPrivate() != to.IsPrivate() {
		update.IsPrivate = flag(to.IsPrivate())
	}
	if (from == zulip.PrivacyWebPublic) != (to == zulip.PrivacyWebPublic) {
		update.IsWebPublic = flag(to == zulip.PrivacyWebPublic)
	}
	// A channel that becomes private gets protected history unless the request says otherwise. Between the two private
	// kinds, history is the only flag.
	if to == zulip.PrivacyPrivateSharedHistory {
		update.HistoryPublicToSubscribers = flag(true)
	}
	if from == zulip.PrivacyPrivateSharedHistory && to == zulip.PrivacyPrivateProtectedHistory {
		update.HistoryPublicToSubscribers = flag(false)
	}
}

// storedChannelDescription returns a description as the server stores it: each line break becomes a space (server-behavior §C5).
func storedChannelDescription(text types.String) string {
	return strings.ReplaceAll(text.ValueString(), "\n", " ")
}

// folderOf returns the folder's ID, or 0 for none: null in a configuration means "not managed".
func folderOf(channel *zulip.Channel) int64 {
	if channel.FolderID == nil {
		return 0
	}
	return *channel.FolderID
}

func folderID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// parseRetention parses a value that was validated.
func parseRetention(text string) *zulip.Retention {
	if days, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &zulip.Retention{Days: days}
	}
	return &zulip.Retention{Word: text}
}

func texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

func channelSchema() schema.Schema {
	all := channelTable.ResourceAttributes()
	maps.Copy(all, channelCreationAttributes())
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [Zulip channel](https://zulip.com/help/introduction-to-channels): its name, description, privacy, folder, and permissions.",
		Attributes:          all,
	}
}

// channelCreationAttributes describe how the channel is created and destroyed. The server does not store them, so they have no row
// in the table.
func channelCreationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"announce": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If true, the new channel is announced in the organization's channel for new channels. Only used on create, and only with initial subscribers.",
		},
		"initial_subscribers": schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Emails or user IDs to subscribe to the new channel. Only used on create. Defaults to no one for a public channel. A private channel gets the provider's account, because otherwise not even an administrator could add anyone.",
		},
		"adopt_archived": schema.BoolAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "If true, an archived channel with the same name is unarchived, with its messages and subscribers. Attributes you leave out keep their values. Only used on create. Defaults to `adopt_archived` of the provider. " + featurelevel.Sentence(featurelevel.ReactivateChannel),
		},
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Action on destroy: `archive`, or `keep` to leave the channel unchanged. Defaults to `archive`.",
			Validators:          []validator.String{validators.OneOf(channelOnDestroyArchive, channelOnDestroyKeep)},
		},
	}
}

// folderRow is the row of the folder by its name. The ID is compared and sent, as in the row folder_id.
type folderRow struct{ row[types.String] }

// ReadInto keeps the current name if it names the folder of the channel.
func (folderRow) ReadInto(f *channelFields, channel *zulip.Channel, env attribute.Env, _ *diag.Diagnostics) {
	text, ok := lookup.KeepFolder(f.Folder.ValueString(), base.IsSet(f.Folder), folderOf(channel), env.View)
	f.Folder = types.StringNull()
	if ok {
		f.Folder = types.StringValue(text)
	}
}

// Step is the change to the folder of the planned name. If the planned name equals the state's, as for an unconfigured
// name, it is not resolved.
func (r folderRow) Step(prior *attribute.Prior[channelFields, *zulip.Channel], planned *channelFields, env attribute.Env) (found channelStep, problems []permission.Problem, isFound bool) {
	name := planned.Folder
	if !base.IsSet(name) || prior.IsState && name.Equal(prior.State.Folder) {
		return found, nil, false
	}
	id, err := lookup.Folder(env.View, name.ValueString())
	if err != nil {
		return found, []permission.Problem{{Summary: lookup.Summary(err), Detail: base.Sentence(err)}}, false
	}
	before := priorFolder(prior, env.View)
	if before == id {
		return found, nil, false
	}
	found = channelStep{
		Attribute: r.Name, Prior: describeFolder(before, env.View), Planned: describeFolder(id, env.View),
		Current: func(channel *zulip.Channel) string { return describeFolder(folderOf(channel), env.View) },
		Put: func(update *zulip.ChannelUpdate, _ *zulip.Channel, _ bool) {
			folder := folderID(id)
			update.FolderID = &folder
		},
	}
	found.After = takenFromFolder(found, before)
	return found, nil, true
}

// takenFromFolder returns the After of a step that changes the folder of a channel. To archive a folder, this run takes
// all channels from it. Terraform destroys a folder before it changes the channels that were in it.
func takenFromFolder(change channelStep, before int64) func(*effects.Log, *zulip.Channel) channelStep {
	return func(known *effects.Log, channel *zulip.Channel) channelStep {
		if taken, ok := known.Last(effects.TakenFromFolder, channel.ID); ok && taken.Value == before {
			change.Prior = describeFolder(0, nil)
		}
		return change
	}
}

// folderIDRow is the row of the folder by its ID, which messages call "folder".
type folderIDRow struct{ row[types.Int64] }

// Step is the step of the ID, with folders described by [describeFolder].
func (r folderIDRow) Step(prior *attribute.Prior[channelFields, *zulip.Channel], planned *channelFields, env attribute.Env) (found channelStep, problems []permission.Problem, isFound bool) {
	found, problems, isFound = r.row.Step(prior, planned, env)
	if isFound {
		found.Prior = describeFolder(prior.Values.FolderID.ValueInt64(), env.View)
		found.Planned = describeFolder(planned.FolderID.ValueInt64(), env.View)
		found.Current = func(channel *zulip.Channel) string { return describeFolder(folderOf(channel), env.View) }
		found.After = takenFromFolder(found, prior.Values.FolderID.ValueInt64())
	}
	return found, problems, isFound
}

// priorFolder returns the ID of the folder that a plan was computed from. The name may belong to another folder by now.
func priorFolder(prior *attribute.Prior[channelFields, *zulip.Channel], view *snapshot.Snapshot) int64 {
	switch {
	case !prior.IsState:
		return folderOf(prior.Object)
	case !prior.Values.FolderID.IsNull():
		return prior.Values.FolderID.ValueInt64()
	}
	id, err := lookup.Folder(view, prior.Values.Folder.ValueString())
	if err != nil {
		return -1 // it matches no folder
	}
	return id
}

// describeFolder describes a folder in messages, each folder differently.
func describeFolder(id int64, view *snapshot.Snapshot) string {
	if id == 0 {
		return "no folder"
	}
	folder, ok := view.Folders().ByID(id)
	switch {
	case !ok:
		return fmt.Sprintf("folder %d", id)
	case folder.IsArchived:
		return fmt.Sprintf("%q (archived, ID %d)", folder.Name, id)
	}
	return fmt.Sprintf("%q", folder.Name)
}

// deriveFolder plans folder from folder_id or folder_id from folder, whichever is not configured and in the state.
func deriveFolder(p *channelPlan) {
	switch {
	case !p.Config.Folder.IsNull() && p.Config.FolderID.IsNull() && !p.State.FolderID.IsNull():
		p.Plan.FolderID = types.Int64Unknown()
		if id, err := lookup.Folder(p.Env.View, p.Plan.Folder.ValueString()); err == nil && !p.Plan.Folder.IsUnknown() {
			p.Plan.FolderID = types.Int64Value(id)
		}
	case !p.Config.FolderID.IsNull() && p.Config.Folder.IsNull() && !p.State.Folder.IsNull():
		p.Plan.Folder = types.StringUnknown()
		text, ok := lookup.KeepFolder(p.State.Folder.ValueString(), true, p.Plan.FolderID.ValueInt64(), p.Env.View)
		if ok && !p.Plan.FolderID.IsUnknown() {
			p.Plan.Folder = types.StringValue(text)
		}
	}
}

// checkFolder refuses a folder that does not exist, and a folder that differs from folder_id.
func (p channelPlanning) checkFolder() {
	if !p.HasLevel(featurelevel.Since(channelKind, "folder_id")) {
		return
	}
	id := p.Plan.FolderID.ValueInt64()
	if _, ok := p.Env.View.Folders().ByID(id); !ok && id != 0 {
		p.Diags.AddAttributeError(path.Root("folder_id"), "No such channel folder", fmt.Sprintf("The organization has no channel folder with the ID %d. The data source zulip_channel_folders lists all.", id))
		return
	}
	if !base.IsSet(p.Config.Folder) {
		return
	}
	lookup.NameObjectInPlan(p.Env.View, runstate.Folder, p.Config.Folder.ValueString(), path.Root("folder"), p.Diags)
	named, later, err := lookup.FolderInPlan(p.Env.View, p.Config.Folder.ValueString())
	switch {
	case err != nil:
		lookup.AddError(p.Diags, path.Root("folder"), err, "")
	case base.IsSet(p.Config.FolderID) && (later || named != p.Config.FolderID.ValueInt64()):
		p.Diags.AddAttributeError(path.Root("folder"), "folder and folder_id contradict each other",
			fmt.Sprintf("folder is %q, but folder_id = %d is another folder. Set only one of the two attributes.", p.Config.Folder.ValueString(), p.Config.FolderID.ValueInt64()))
	}
}

// fixedFolder returns folder or folder_id, whichever a generated configuration omits. The configuration keeps the name,
// which people can read.
func fixedFolder(state *channelModel) []string {
	if strings.TrimSpace(state.Folder.ValueString()) != "" {
		return []string{"folder_id"}
	}
	return []string{"folder"}
}
