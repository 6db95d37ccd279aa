package review

import (
	"encoding/json"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// withUnmanaged returns the attributes of an updated object with their current values. The state of a channel or a user
// group has null for attributes that were not managed, although the organization has a value. If the organization does not
// show the value, it is unknown.
func (b *builder) withUnmanaged(c *plan.Change) meaning.Attributes {
	before := c.Before()
	if isBack(c) {
		before = c.Replaces.Before()
	}
	current := b.currentValues(c.Type, before)
	return valued{before, func(name string) meaning.Value {
		value := before.Value(name)
		if now, ok := current[name]; ok && value.IsNone() && !c.After().Value(name).IsNone() {
			return now // only the plan sets the attribute
		}
		return value
	}}
}

// currentValues are the values in the organization of attributes that can be unmanaged.
func (b *builder) currentValues(kind string, before plan.Attributes) map[string]meaning.Value {
	id, hasID := before.Number("id")
	current, isShown := map[string]meaning.Value{}, false
	switch kind {
	case "zulip_channel":
		channel := new(zulip.Channel)
		if hasID && b.org != nil {
			channel, isShown = orEmpty(b.org.Channels().ByID(id))
		}
		addFields(current, kind, channel)
		b.addChannel(current, channel)
		b.addPermissions(current, permission.ChannelSettings, channel.Permissions)
	case "zulip_user_group":
		group := new(zulip.UserGroup)
		if hasID && b.org != nil {
			group, isShown = orEmpty(b.org.UserGroups().ByID(id))
		}
		addFields(current, kind, group)
		b.addPermissions(current, permission.UserGroupSettings, group.Permissions)
	}
	if !isShown {
		for name := range current {
			current[name] = meaning.Value{IsUnknown: true}
		}
	}
	return current
}

// orEmpty returns the object that was found, or an empty one.
func orEmpty[T any](found *T, ok bool) (*T, bool) {
	if !ok {
		return new(T), false
	}
	return found, true
}

// addFields adds the attributes of a type that are called as in the API. Old servers do not have a null field, so its value is
// unknown.
func addFields(current map[string]meaning.Value, of string, object any) {
	attributes, _ := meaning.Of(of)
	var fields map[string]any
	if text, err := json.Marshal(object); err != nil || json.Unmarshal(text, &fields) != nil {
		return // never, because the client has read it as JSON
	}
	for name, value := range fields {
		if row, ok := attributes.Attribute(name); ok && row.Class != meaning.Membership {
			current[name] = meaning.Value{Data: value, IsUnknown: value == nil}
		}
	}
}

// addChannel adds the attributes of a channel that the API has in another form.
func (b *builder) addChannel(current map[string]meaning.Value, channel *zulip.Channel) {
	current["privacy"] = meaning.Value{Data: string(channel.Privacy())}
	current["message_retention_days"] = meaning.Value{Data: channel.Retention().String()}
	current["topics_policy"] = meaning.Value{Data: channel.TopicsPolicy, IsUnknown: channel.TopicsPolicy == ""} // old servers do not have it
	current["folder"], current["folder_id"] = meaning.Value{Data: ""}, meaning.Value{Data: float64(0)}
	if id := channel.FolderID; id != nil {
		folder, ok := b.org.Folders().ByID(*id)
		current["folder"], current["folder_id"] = meaning.Value{IsUnknown: !ok}, meaning.Value{Data: float64(*id)}
		if ok {
			current["folder"] = meaning.Value{Data: folder.Name}
		}
	}
}

// addPermissions adds the permissions of an object. One that the server does not have is unknown.
func (b *builder) addPermissions(current map[string]meaning.Value, settings []permission.Spec, values map[string]zulip.GroupSettingValue) {
	for _, setting := range settings {
		value, ok := values[setting.Name]
		if !ok {
			current[setting.Name] = meaning.Value{IsUnknown: true}
			continue
		}
		current[setting.Name] = meaning.Value{Data: lists.Map(permission.Texts(value, b.org), func(text string) any { return text })}
	}
}
