package review

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// withUnmanaged returns the attributes of an updated object with their current values. The state of a channel or a user
// group has null for attributes that were not managed, although the organization has a value. If the organization does not
// show the value, it is unknown.
func (b *builder) withUnmanaged(c *plan.Change) meaning.Attributes {
	before, current := c.Before(), map[string]meaning.Value{}
	if isBack(c) {
		before = c.Replaces.Before()
	}
	id, hasID := before.Number("id")
	hasID = hasID && b.org != nil
	switch c.Type {
	case "zulip_channel":
		unknown(current, permission.ChannelSettings, "default_push_notifications", "description", "folder", "folder_id", "is_default", "message_retention_days", "privacy", "topics_policy")
		if !hasID {
			break
		}
		if channel, ok := b.org.Channels().ByID(id); ok {
			addChannel(current, channel)
			b.addFolder(current, channel)
			b.addPermissions(current, channel.Permissions)
		}
	case "zulip_user_group":
		unknown(current, permission.UserGroupSettings, "description")
		if !hasID {
			break
		}
		if group, ok := b.org.UserGroups().ByID(id); ok {
			current["description"] = meaning.Value{Data: group.Description}
			b.addPermissions(current, group.Permissions)
		}
	}
	return currentAttributes{before, c.After(), current}
}

func unknown(current map[string]meaning.Value, settings []permission.Spec, names ...string) {
	for _, name := range names {
		current[name] = meaning.Value{IsUnknown: true}
	}
	for _, setting := range settings {
		current[setting.Name] = meaning.Value{IsUnknown: true}
	}
}

// addChannel adds a channel's values except its permissions, in the form of a state.
func addChannel(current map[string]meaning.Value, channel *zulip.Channel) {
	values := map[string]any{
		"privacy": string(channel.Privacy()), "description": channel.Description, "is_default": channel.IsDefault,
		"message_retention_days": channel.Retention().String(), "folder_id": float64(0),
	}
	if channel.FolderID != nil {
		values["folder_id"] = float64(*channel.FolderID)
	}
	if channel.TopicsPolicy != "" { // old servers do not have it
		values["topics_policy"] = channel.TopicsPolicy
	}
	if pushes := channel.DefaultPushNotifications; pushes != nil {
		values["default_push_notifications"] = *pushes
	}
	for name, value := range values {
		current[name] = meaning.Value{Data: value}
	}
}

// addFolder adds the name of the channel's folder; an unknown folder stays unknown.
func (b *builder) addFolder(current map[string]meaning.Value, channel *zulip.Channel) {
	if channel.FolderID == nil {
		current["folder"] = meaning.Value{Data: ""}
	} else if folder, ok := b.org.Folders().ByID(*channel.FolderID); ok {
		current["folder"] = meaning.Value{Data: folder.Name}
	}
}

func (b *builder) addPermissions(current map[string]meaning.Value, held map[string]zulip.GroupSettingValue) {
	for name, value := range held {
		texts := []any{}
		for _, text := range permission.Texts(value, b.org) {
			texts = append(texts, text)
		}
		current[name] = meaning.Value{Data: texts}
	}
}

// currentAttributes are the attributes of a state. Attributes that only the plan sets have their current values.
type currentAttributes struct {
	plan.Attributes
	after   plan.Attributes
	current map[string]meaning.Value
}

// Value returns the value of the state, or the current one if the state has none.
func (a currentAttributes) Value(name string) meaning.Value {
	value := a.Attributes.Value(name)
	if current, ok := a.current[name]; ok && value.IsNone() && !a.after.Value(name).IsNone() {
		return current
	}
	return value
}
