package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// subscriptionObject is a channel with the caller's own settings of it
// (https://zulip.com/api/get-subscriptions).
func (r *request) subscriptionObject(sub rules.Subscription, ch rules.Channel) fields {
	object := r.channelObject(ch)
	object["color"] = sub.Color
	object["is_muted"], object["in_home_view"] = sub.Muted, !sub.Muted
	object["pin_to_top"] = sub.Pinned
	object["desktop_notifications"] = sub.Desktop
	object["audible_notifications"] = sub.Audible
	object["push_notifications"] = sub.Push
	object["email_notifications"] = sub.Email
	object["wildcard_mentions_notify"] = sub.Wildcards
	return object
}

// withoutNull replaces null by the caller's general setting, for clients that do not know null.
func (r *request) withoutNull(subscription fields) {
	for _, s := range rules.UserSettings {
		name, ok := strings.CutPrefix(s.Name, "enable_stream_")
		if !ok {
			continue
		}
		if value, ok := subscription[name].(*bool); ok && value == nil {
			subscription[name] = r.org.UserSetting(r.me.ID, s)
		}
	}
}

// ownSubscriptions lists the caller's subscriptions by name. Archived channels are optional.
func (r *request) ownSubscriptions(includeSubscribers string, archivedToo bool) []fields {
	list := []fields{}
	for _, ch := range r.org.ListChannels(r.me, rules.ChannelFilter{Subscribed: true, Archived: archivedToo}) {
		sub, ok := r.org.SubscriptionOf(r.me.ID, ch.ID)
		if !ok {
			continue
		}
		list = append(list, r.withSubscribers(r.subscriptionObject(sub, ch), ch, includeSubscribers))
	}
	return list
}

// withSubscribers adds the subscribers of a channel, if requested.
func (r *request) withSubscribers(object fields, ch rules.Channel, include string) fields {
	switch include {
	case "true":
		object["subscribers"] = r.org.Subscribers(ch.ID)
	case "partial":
		object["partial_subscribers"] = r.org.Subscribers(ch.ID)
	}
	return object
}

func listSubscriptions(r *request) (fields, error) {
	include := withDefault(r, "include_subscribers", oneOf("true", "false", "partial"), "false")
	if err := r.checked(); err != nil {
		return nil, err
	}
	return fields{"subscriptions": r.ownSubscriptions(include, false)}, nil
}

// registerSubscriptions is the subscription part of a snapshot: the caller's current, former and other visible channels.
// Guests see only web-public channels among the others. Archived channels are for clients that support them
// (https://zulip.com/api/register-queue).
func registerSubscriptions(r *request, options registerOptions) fields {
	unsubscribed, never := []fields{}, []fields{}
	takesArchived := options.capabilities["archived_channels"]
	for _, ch := range r.org.ListChannels(r.me, rules.ChannelFilter{All: true, Archived: takesArchived}) {
		sub, known := r.org.FormerSubscriptionOf(r.me.ID, ch.ID)
		switch {
		case known && !sub.Active:
			unsubscribed = append(unsubscribed, r.withSubscribers(r.subscriptionObject(sub, ch), ch, options.includeSubscriber))
		case !known && (!r.me.IsGuest() || ch.WebPublic):
			never = append(never, r.withSubscribers(r.channelObject(ch), ch, options.includeSubscriber))
		}
	}
	own := r.ownSubscriptions(options.includeSubscriber, takesArchived)
	if !options.capabilities["notification_settings_null"] {
		for _, subscription := range slices.Concat(own, unsubscribed) {
			r.withoutNull(subscription)
		}
	}
	return fields{"subscriptions": own, "unsubscribed": unsubscribed, "never_subscribed": never}
}

// parseChannelSpec is one entry of the channels to subscribe to.
func parseChannelSpec(value any, path string) (rules.ChannelSpec, error) {
	var spec rules.ChannelSpec
	object, ok := value.(map[string]any)
	if !ok {
		return spec, rules.Refuse("Invalid %s: Input should be a valid dictionary or instance of AddSubscriptionData", path)
	}
	var err error
	if spec.Name, err = member(object, path, "name", parseString); err != nil {
		return spec, err
	}
	color, err := optionalMember(object, path, "color", true, parseString)
	if err != nil {
		return spec, err
	}
	description, err := optionalMember(object, path, "description", true, parseDescription)
	if err != nil {
		return spec, err
	}
	if description != nil {
		spec.Description = *description
	}
	if color != nil {
		// The color is checked after the whole entry was read, under the name of the other endpoint's parameter.
		if !rules.IsColor(*color) {
			return spec, rules.Refuse("Invalid %s: Value error, add.color is not a valid hex color code", path)
		}
		spec.Color = *color
	}
	return spec, nil
}

// parseDescription is the description of a new channel.
func parseDescription(value any, path string) (string, error) {
	text, err := parseString(value, path)
	if err != nil {
		return "", err
	}
	return atMost(1024)(text, path)
}

// principals are people by id, or people by address, never mixed.
func principals(raw, name string) ([]rules.Principal, error) {
	if emails, err := texts(raw, name); err == nil {
		var people []rules.Principal
		for _, email := range emails {
			people = append(people, rules.Principal{Email: email})
		}
		return people, nil
	}
	value, err := decodeJSON(raw)
	if err != nil {
		return nil, rules.Refuse("%s is not valid JSON", name)
	}
	ids, err := listOf(parseInteger)(value, name)
	if err != nil {
		// For a mixed list the error names the first alternative.
		_, err = listOf(parseString)(value, name+`["list[str]"]`)
		return nil, err
	}
	var people []rules.Principal
	for _, id := range ids {
		people = append(people, rules.Principal{ID: id})
	}
	return people, nil
}

func subscribe(r *request) (fields, error) {
	r.inOrder("can_delete_own_message_group", "can_administer_channel_group", "can_create_topic_group")
	specs := required(r, "subscriptions", jsonOf(listOf(parseChannelSpec)))
	create, _ := readNewChannel(r, false)
	request := rules.SubscribeRequest{
		Channels:   specs,
		Create:     create,
		Principals: withDefault(r, "principals", principals, nil),
		Lenient:    !withDefault(r, "authorization_errors_fatal", boolean, true),
	}
	sendMessages := withDefault(r.since(featurelevel.QuietSubscribing), "send_new_subscription_messages", boolean, true)
	request.Quiet = !sendMessages
	if err := r.checked(); err != nil {
		return nil, err
	}
	result, err := r.org.Subscribe(r.me, request)
	if err != nil {
		return nil, err
	}
	return r.subscribed(result, request.Lenient, sendMessages), nil
}

func (r *request) subscribed(result rules.SubscribeResult, lenient, sendMessages bool) fields {
	answer := fields{
		"subscribed":         byPerson(result.Subscribed),
		"already_subscribed": byPerson(result.Already),
	}
	if lenient {
		answer["unauthorized"] = result.Unauthorized
	}
	if sendMessages {
		r.add(answer, featurelevel.QuietSubscribing, "new_subscription_messages_sent", result.Changed <= rules.MaxNewSubscriptionMessages)
	}
	return answer
}

// byPerson keys lists by people's ids.
func byPerson(lists map[int][]string) map[string][]string {
	keyed := map[string][]string{}
	for id, names := range lists {
		keyed[userKey(id)] = names
	}
	return keyed
}

func unsubscribe(r *request) (fields, error) {
	names := required(r, "subscriptions", texts)
	people := withDefault(r, "principals", principals, nil)
	if err := r.checked(); err != nil {
		return nil, err
	}
	result, err := r.org.Unsubscribe(r.me, names, people)
	if err != nil {
		return nil, err
	}
	return fields{"removed": result.Removed, "not_removed": result.NotRemoved}, nil
}

// updateSubscriptions subscribes and unsubscribes the caller in one transaction
// (server-behavior §S6).
func updateSubscriptions(r *request) (fields, error) {
	remove := withDefault(r, "delete", texts, nil)
	add := withDefault(r, "add", jsonOf(listOf(parseChannelSpec)), nil)
	if err := r.checked(); err != nil {
		return nil, err
	}
	if len(add) == 0 && len(remove) == 0 {
		return nil, rules.Refuse("Nothing to do. Specify at least one of \"add\" or \"delete\".")
	}
	if err := nonGuest.check(r.me); err != nil {
		return nil, err
	}
	added, err := r.org.Subscribe(r.me, rules.SubscribeRequest{Channels: add})
	if err != nil {
		return nil, err
	}
	removed, err := r.org.Unsubscribe(r.me, remove, nil)
	if err != nil {
		return nil, err
	}
	answer := r.subscribed(added, false, true)
	answer["removed"], answer["not_removed"] = removed.Removed, removed.NotRemoved
	return answer, nil
}

// propertyChange is one entry of subscription_data.
type propertyChange struct {
	channel  int
	property string
	value    any
}

// propertyChanges reads subscription_data. It reports a non-boolean value or an unknown property before all earlier errors
// in the list, except for an error of a color, which comes in its order.
func propertyChanges(value any, path string) ([]propertyChange, error) {
	items, ok := value.([]any)
	if !ok {
		return nil, rules.Refuse("%s is not a list", path)
	}
	var changes []propertyChange
	var first error
	for i, item := range items {
		place := fmt.Sprintf("%s[%d]", path, i)
		change, err := parsePropertyChange(item, place)
		if err == nil {
			if err := rules.CheckSubscriptionProperty(change.property, change.value); err != nil {
				return nil, err
			}
			if color, isText := change.value.(string); change.property == "color" && (!isText || !rules.IsColor(color)) {
				err = rules.Refuse("Invalid %s: Value error, color is not a valid hex color code", place)
			}
		}
		if first == nil {
			first = err
		}
		changes = append(changes, change)
	}
	return changes, first
}

func parsePropertyChange(value any, path string) (propertyChange, error) {
	var change propertyChange
	object, ok := value.(map[string]any)
	if !ok {
		return change, rules.Refuse("Invalid %s: Input should be a valid dictionary or instance of SubscriptionPropertyChangeRequest", path)
	}
	var err error
	if change.channel, err = member(object, path, "stream_id", parseInteger); err != nil {
		return change, err
	}
	if change.property, err = member(object, path, "property", parseString); err != nil {
		return change, err
	}
	change.value, err = member(object, path, "value", parseBooleanOrText)
	return change, err
}

func parseBooleanOrText(value any, path string) (any, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	return parseBoolean(value, path+`["bool"]`)
}

func setSubscriptionProperties(r *request) (fields, error) {
	changes := required(r, "subscription_data", jsonOf(propertyChanges))
	if err := r.checked(); err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := r.org.SetSubscriptionProperty(r.me, c.channel, c.property, c.value); err != nil {
			return nil, err
		}
		r.org.Commit() // entries are committed one by one (server-behavior §S7)
	}
	return nil, nil
}

// setSubscriptionProperty changes one property. The value is JSON, or plain text if it is not JSON.
func setSubscriptionProperty(r *request) (fields, error) {
	property := required(r, "property", text())
	value := required(r, "value", func(raw, name string) (any, error) {
		if on, err := boolean(raw, name); err == nil {
			return on, nil
		}
		return raw, nil
	})
	if err := r.checked(); err != nil {
		return nil, err
	}
	if color, ok := value.(string); ok && property == "color" && !rules.IsColor(color) {
		return nil, fmt.Errorf("%s is no color", color) // no server answers this
	}
	return nil, r.org.SetSubscriptionProperty(r.me, r.id("stream_id"), property, value)
}

func isSubscribed(r *request) (fields, error) {
	u, err := r.org.ActiveHuman(r.id("user_id"))
	if err != nil {
		return nil, err
	}
	ch, err := r.org.ReadableChannel(r.me, r.id("stream_id"))
	if err != nil {
		return nil, err
	}
	return fields{"is_subscribed": r.org.IsSubscribed(u.ID, ch.ID)}, nil
}
