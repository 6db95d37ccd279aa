package rules

import "regexp"

// hexColor is what a subscription's color may look like.
var hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3,6})$`)

// IsColor reports whether a text is a color as subscriptions have it.
func IsColor(s string) bool { return hexColor.MatchString(s) }

// SetSubscriptionProperty changes one of the caller's own settings of a channel
// (server-behavior §S7). The value is a bool or, for color, a string.
func (o *Organization) SetSubscriptionProperty(actor User, channel int, property string, value any) error {
	if err := CheckSubscriptionProperty(property, value); err != nil {
		return err
	}
	ch, ok := o.Channels.Get(channel)
	if !ok || ch.Archived || !o.HasContentAccess(actor, ch) {
		return errInvalidChannelID
	}
	sub, ok := o.SubscriptionOf(actor.ID, channel)
	if !ok {
		return Refuse("Not subscribed to channel ID %d", channel)
	}
	if property == "color" {
		color, ok := value.(string)
		if !ok {
			return Refuse("color is not a string")
		}
		sub.Color = color
	} else {
		on, _ := value.(bool)
		boolProperty(&sub, property)(on)
	}
	o.Subscriptions.Put(sub.ID, sub)
	return nil
}

// CheckSubscriptionProperty refuses a property that does not exist, and a value that is no boolean for one that is.
func CheckSubscriptionProperty(property string, value any) error {
	if property == "color" {
		return nil
	}
	if boolProperty(&Subscription{}, property) == nil {
		return Refuse("Unknown subscription property: %s", property)
	}
	if _, ok := value.(bool); !ok {
		return Refuse("%s is not a boolean", property)
	}
	return nil
}

// boolProperty returns what sets a property of sub, nil if there is none of
// that name. in_home_view is the old name for not being muted.
func boolProperty(sub *Subscription, property string) func(bool) {
	into := func(field **bool) func(bool) { return func(on bool) { *field = &on } }
	switch property {
	case "is_muted":
		return func(on bool) { sub.Muted = on }
	case "in_home_view":
		return func(on bool) { sub.Muted = !on }
	case "pin_to_top":
		return func(on bool) { sub.Pinned = on }
	case "desktop_notifications":
		return into(&sub.Desktop)
	case "audible_notifications":
		return into(&sub.Audible)
	case "push_notifications":
		return into(&sub.Push)
	case "email_notifications":
		return into(&sub.Email)
	case "wildcard_mentions_notify":
		return into(&sub.Wildcards)
	default:
		return nil
	}
}
