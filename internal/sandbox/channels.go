package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// channelObject is a channel as the API shows it (https://zulip.com/api/get-streams).
func (r *request) channelObject(ch rules.Channel) fields {
	policy, first := r.org.PostPolicy(ch), r.org.FirstMessageID(ch.ID)
	object := fields{
		"stream_id": ch.ID, "name": ch.Name,
		"description": ch.Description, "rendered_description": r.org.Render(ch.Description),
		"invite_only": ch.Private, "is_web_public": ch.WebPublic,
		"history_public_to_subscribers": ch.SharedHistory,
		"message_retention_days":        ch.RetentionDays,
		"date_created":                  ch.DateCreated,
		"first_message_id":              first,
		"stream_post_policy":            policy,
		"is_announcement_only":          policy == 2,
	}
	for _, p := range rules.ChannelPermissions {
		r.add(object, p.Since, p.Name, r.org.Shown(ch.Permissions[p.Name]))
	}
	object["stream_weekly_traffic"] = nil
	object["creator_id"] = ch.CreatorID
	object["is_archived"] = ch.Archived
	object["is_recently_active"] = true // until nothing was posted for 180 days
	r.add(object, featurelevel.Since("zulip_channel", "folder_id"), "folder_id", ch.FolderID)
	r.add(object, featurelevel.Since("zulip_channel", "topics_policy"), "topics_policy", ch.TopicsPolicy)
	r.add(object, featurelevel.ChannelPushNotifications, "default_push_notifications", ch.DefaultPush)
	r.add(object, 394, "subscriber_count", r.org.SubscriberCount(ch.ID))
	return object
}

func (r *request) channelObjects(channels []rules.Channel) []fields {
	objects := make([]fields, 0, len(channels))
	for _, ch := range channels {
		objects = append(objects, r.channelObject(ch))
	}
	return objects
}

func listChannels(r *request) (fields, error) {
	filter := rules.ChannelFilter{
		Public:          withDefault(r, "include_public", boolean, true),
		WebPublic:       withDefault(r, "include_web_public", boolean, false),
		Subscribed:      withDefault(r, "include_subscribed", boolean, true),
		All:             withDefault(r, "include_all", boolean, false),
		ContentAccess:   withDefault(r, "include_can_access_content", boolean, false),
		Archived:        !withDefault(r, "exclude_archived", boolean, true),
		OwnerSubscribed: withDefault(r, "include_owner_subscribed", boolean, false),
	}
	includeDefault := withDefault(r, "include_default", boolean, false)
	allActive := withDefault(r, "include_all_active", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	if allActive {
		filter.All = true
	}
	channels := r.org.ListChannels(r.me, filter)
	objects := r.channelObjects(channels)
	if includeDefault {
		for i, ch := range channels {
			objects[i]["is_default"] = r.org.IsDefault(ch.ID)
		}
	}
	return fields{"streams": objects}, nil
}

func getChannel(r *request) (fields, error) {
	ch, err := r.org.ShownChannel(r.me, r.id("stream_id"))
	if err != nil {
		return nil, err
	}
	return fields{"stream": r.channelObject(ch)}, nil
}

func getChannelID(r *request) (fields, error) {
	name := required(r, "stream", text())
	if err := r.checked(); err != nil {
		return nil, err
	}
	ch, err := r.org.ChannelContentByName(r.me, name)
	if err != nil {
		return nil, err
	}
	return fields{"stream_id": ch.ID}, nil
}

// readNewChannel declares the parameters of POST /channels/create. If named is false, they are the ones that POST
// /users/me/subscriptions has too.
func readNewChannel(r *request, named bool) (spec rules.NewChannel, subscribers []int) {
	spec.Announce = withDefault(r, "announce", boolean, false)
	spec.Permissions = permissionValues(r.params, rules.ChannelPermissions)
	spec.DefaultPush = withDefault(r.since(featurelevel.ChannelPushNotifications), "default_push_notifications", boolean, false)
	if named {
		spec.Description = withDefault(r, "description", text(atMost(1024)), "")
	}
	spec.FolderID = optional(r.since(featurelevel.Since("zulip_channel", "folder_id")), "folder_id", integer)
	spec.SharedHistory = optional(r, "history_public_to_subscribers", boolean)
	spec.Private = withDefault(r, "invite_only", boolean, false)
	spec.Default = withDefault(r, "is_default_stream", boolean, false)
	spec.WebPublic = withDefault(r, "is_web_public", boolean, false)
	if retention := optional(r, "message_retention_days", retentionDays); retention != nil {
		spec.Retention = *retention
	}
	if named {
		spec.Name = required(r, "name", text(stripped, notBlank))
		subscribers = required(r, "subscribers", integers)
	}
	spec.TopicsPolicy = withDefault(r.since(featurelevel.Since("zulip_channel", "topics_policy")), "topics_policy", jsonOf(parseTopicsPolicy), "")
	return spec, subscribers
}

// folderOrNone is a folder, or null. The server reports other values under the name of its inner type.
func folderOrNone(raw, name string) (*int, error) {
	return jsonOf(orNull(parseInteger))(raw, name+`["json[nullable[int]]"]`)
}

// parseTopicsPolicy reads the policy, which is quoted in a new channel, and plain in a PATCH.
func parseTopicsPolicy(value any, path string) (string, error) {
	policy, ok := value.(string)
	if !ok && value != nil {
		return parseString(value, path)
	}
	return oneOf(rules.TopicsPolicies...)(policy, path)
}

func createChannel(r *request) (fields, error) {
	r.inOrder("can_delete_own_message_group", "can_administer_channel_group")
	r.inOrder("is_web_public", "is_default_stream")
	spec, subscribers := readNewChannel(r, true)
	if err := r.checked(); err != nil {
		return nil, err
	}
	ch, isNew, err := r.org.CreateChannel(r.me, spec, subscribers, func(id int) bool { return r.arrival <= r.server.created[id] })
	if err != nil {
		return nil, err
	}
	if isNew {
		r.server.created[ch.ID] = r.server.arrivals.Load()
	}
	return fields{"id": ch.ID}, nil
}

func updateChannel(r *request) (fields, error) {
	r.inOrder("can_create_topic_group", "can_administer_channel_group")
	change := rules.ChannelChange{
		Permissions: permissionChanges(r.params, rules.ChannelPermissions),
		DefaultPush: optional(r.since(featurelevel.ChannelPushNotifications), "default_push_notifications", boolean),
		Description: optional(r, "description", text(atMost(1024))),
	}
	if folder := optional(r.since(featurelevel.Since("zulip_channel", "folder_id")), "folder_id", folderOrNone); folder != nil {
		change.Folder = &rules.FolderChange{ID: *folder}
	}
	change.SharedHistory = optional(r, "history_public_to_subscribers", boolean)
	change.Archived = optional(r.since(featurelevel.ReactivateChannel), "is_archived", boolean)
	change.Default = optional(r, "is_default_stream", boolean)
	change.Private = optional(r, "is_private", boolean)
	change.WebPublic = optional(r, "is_web_public", boolean)
	if retention := optional(r, "message_retention_days", retentionDays); retention != nil {
		change.Retention = *retention
	}
	change.Name = optional(r, "new_name", text())
	change.TopicsPolicy = optional(r.since(featurelevel.Since("zulip_channel", "topics_policy")), "topics_policy", oneOf(rules.TopicsPolicies...))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateChannel(r.me, r.id("stream_id"), change)
}

func archiveChannel(r *request) (fields, error) {
	return nil, r.org.ArchiveChannel(r.me, r.id("stream_id"))
}

func getSubscribers(r *request) (fields, error) {
	ch, err := r.org.ShownChannel(r.me, r.id("stream_id"))
	if err != nil {
		return nil, err
	}
	return fields{"subscribers": r.org.Subscribers(ch.ID)}, nil
}

// registerChannels is the stream part of a snapshot: all channels that the caller can see. Archived channels require a
// capability of the client (server-behavior §R22).
func registerChannels(r *request, options registerOptions) fields {
	filter := rules.ChannelFilter{
		All:      true,
		Archived: options.capabilities["archived_channels"] && r.level >= levelArchivedChannels,
	}
	return fields{"streams": r.channelObjects(r.org.ListChannels(r.me, filter))}
}

// Limits of a folder's texts, in characters (server-behavior §F1).
const (
	maxFolderName        = 60
	maxFolderDescription = 1024
)

func (r *request) folderObjects(folders []rules.Folder) []fields {
	objects := []fields{}
	for _, f := range folders {
		object := fields{
			"id": f.ID, "name": f.Name,
			"description": f.Description, "rendered_description": r.org.Render(f.Description),
			"creator_id": f.CreatorID, "date_created": f.DateCreated, "is_archived": f.Archived,
		}
		r.add(object, featurelevel.Since("zulip_channel_folder_order", "folder_ids"), "order", f.Order)
		objects = append(objects, object)
	}
	return objects
}

func listFolders(r *request) (fields, error) {
	archivedToo := withDefault(r, "include_archived", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return fields{"channel_folders": r.folderObjects(r.org.ListFolders(archivedToo))}, nil
}

func createFolder(r *request) (fields, error) {
	name := required(r, "name", text(atMost(maxFolderName)))
	description := required(r, "description", text(atMost(maxFolderDescription)))
	if err := r.checked(); err != nil {
		return nil, err
	}
	f, err := r.org.CreateFolder(r.me, name, description)
	if err != nil {
		return nil, err
	}
	return fields{"channel_folder_id": f.ID}, nil
}

func updateFolder(r *request) (fields, error) {
	change := rules.FolderUpdate{
		Name:        optional(r, "name", text(atMost(maxFolderName))),
		Description: optional(r, "description", text(atMost(maxFolderDescription))),
		Archived:    optional(r, "is_archived", boolean),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateFolder(r.id("folder_id"), change)
}

func orderFolders(r *request) (fields, error) {
	order := required(r, "order", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.OrderFolders(order)
}

// registerFolders is the channel_folders part of a snapshot, archived ones included.
func registerFolders(r *request, _ registerOptions) fields {
	return fields{"channel_folders": r.folderObjects(r.org.ListFolders(true))}
}

func addDefaultChannel(r *request) (fields, error) {
	id := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.AddDefaultChannel(r.me, id)
}

func removeDefaultChannel(r *request) (fields, error) {
	id := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.RemoveDefaultChannel(r.me, id)
}

func createDefaultChannelGroup(r *request) (fields, error) {
	name := required(r, "group_name", text())
	description := required(r, "description", text())
	channels := required(r, "stream_names", texts)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.CreateDefaultChannelGroup(r.me, name, description, channels)
}

func updateDefaultChannelGroup(r *request) (fields, error) {
	name := withDefault(r, "new_group_name", text(), "")
	description := withDefault(r, "new_description", text(), "")
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateDefaultChannelGroup(r.id("group_id"), name, description)
}

func changeDefaultChannelGroup(r *request) (fields, error) {
	op := required(r, "op", text())
	channels := required(r, "stream_names", texts)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.ChangeDefaultChannelGroup(r.me, r.id("group_id"), op, channels)
}

func deleteDefaultChannelGroup(r *request) (fields, error) {
	return nil, r.org.DeleteDefaultChannelGroup(r.id("group_id"))
}

// registerDefaultChannels is the default_streams part of a snapshot; guests get an empty list.
func registerDefaultChannels(r *request, _ registerOptions) fields {
	ids := []int{}
	if !r.me.IsGuest() {
		for id := range r.org.DefaultChannels.All() {
			ids = append(ids, id)
		}
	}
	return fields{"realm_default_streams": ids}
}

// registerDefaultChannelGroups is the default_stream_groups part of a snapshot.
func registerDefaultChannelGroups(r *request, _ registerOptions) fields {
	groups := []fields{}
	if !r.me.IsGuest() {
		for _, g := range r.org.ListDefaultChannelGroups() {
			groups = append(groups, fields{
				"id": g.ID, "name": g.Name, "description": g.Description, "streams": g.Channels,
			})
		}
	}
	return fields{"realm_default_stream_groups": groups}
}

// topicParam declares a topic, under its name or the older one, without blanks
// around it.
func topicParam(r *request) *string {
	topic, subject := optional(r, "topic", text(stripped)), optional(r, "subject", text(stripped))
	if topic != nil && subject != nil {
		r.fail("topic", &rules.Error{
			Code:  "REQUEST_CONFUSING_VAR",
			Msg:   "Can't decide between 'topic' and 'subject' arguments",
			Extra: fields{"var_name1": "topic", "var_name2": "subject"},
		})
	}
	if topic == nil {
		return subject
	}
	return topic
}

// emptyTopics declares whether the client supports topics without a name. Other clients get a name instead (FL334).
func emptyTopics(r *request) bool {
	return withDefault(r, "allow_empty_topic_name", boolean, false)
}

// shownTopic is the name under which a topic is shown.
func shownTopic(name string, emptyAllowed bool) string {
	if name == "" && !emptyAllowed {
		return rules.EmptyTopicShownName
	}
	return name
}

func getTopics(r *request) (fields, error) {
	emptyAllowed := emptyTopics(r)
	if err := r.checked(); err != nil {
		return nil, err
	}
	topics, err := r.org.Topics(r.me, r.id("stream_id"))
	if err != nil {
		return nil, err
	}
	list := make([]fields, 0, len(topics))
	for _, topic := range topics {
		list = append(list, fields{"name": shownTopic(topic.Name, emptyAllowed), "max_id": topic.MaxID})
	}
	return fields{"topics": list}, nil
}

// registerUserTopics is the part of a snapshot with the topics that have another visibility for the caller than their
// channels.
func registerUserTopics(r *request, _ registerOptions) fields {
	list := []fields{}
	for _, v := range r.org.TopicVisibilities.AsWritten() {
		if v.UserID == r.me.ID {
			list = append(list, fields{"stream_id": v.ChannelID, "topic_name": v.Topic, "visibility_policy": v.Policy, "last_updated": v.Updated})
		}
	}
	return fields{"user_topics": list}
}
