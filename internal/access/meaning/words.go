package meaning

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// maxListed is the maximum number of elements of a list that are written; the others are counted.
const maxListed = 5

// inWords writes a value for people: with names instead of IDs, and durations in units.
func (c *Change) inWords(name string, v Value, r *Result) string {
	switch v.Data.(type) {
	case nil:
		return nothing(name, v)
	case []any:
		texts := c.elements(name, v, r)
		text := strings.Join(texts[:min(len(texts), maxListed)], ", ")
		if rest := len(texts) - maxListed; rest > 0 {
			text += fmt.Sprintf(" and %d more", rest)
		}
		switch {
		case v.IsUnknown && text == "":
			return "values not known yet"
		case v.IsUnknown:
			return text + " and values not known yet"
		case text == "":
			return "nothing"
		}
		return text
	}
	if v.IsSecret {
		return "a secret"
	}
	switch held := v.Data.(type) {
	case float64:
		return c.numberInWords(name, held, r)
	case map[string]any:
		if option, isText := held["text"].(string); isText && held["key"] != nil {
			return strconv.Quote(shortened(option))
		}
		text, _ := json.Marshal(held) // it was JSON
		return shortened(string(text))
	}
	return textInWords(name, fmt.Sprint(v.Data))
}

// elements writes the known elements of a list, of which unknown ones are null.
func (c *Change) elements(name string, v Value, r *Result) (texts []string) {
	list, _ := v.Data.([]any)
	if row, known := c.Of.Attribute(name); known && !slices.Contains([]Class{None, Identity, DataLoss}, row.Class) { // these have an order
		list, _ = sorted(list).([]any)
	}
	for _, element := range list {
		if element != nil {
			texts = append(texts, c.inWords(name, Value{Data: element, IsSecret: v.IsSecret}, r))
		}
	}
	return texts
}

// nothing is the word for no value.
func nothing(name string, v Value) string {
	switch {
	case v.IsUnknown:
		return "a value not known yet"
	case strings.HasPrefix(name, "expires_in"):
		return "ever"
	case name == "invite_as":
		return "member"
	case name == "export_type":
		return "public"
	}
	return "nothing"
}

func textInWords(name, text string) string {
	number, err := strconv.Atoi(text)
	switch {
	case text == "unlimited" && strings.Contains(name, "retention"):
		return "never"
	case text == "unlimited":
		return "any time"
	case text == "realm_default":
		return "the organization's retention time"
	case err == nil && strings.HasSuffix(name, "_seconds"):
		return duration(time.Duration(number) * time.Second)
	case err == nil && strings.HasSuffix(name, "_days"):
		return counted(number, "day")
	}
	return shortened(text)
}

// maxText is the maximum number of characters of a text that are written.
const maxText = 200

func shortened(text string) string { return Cut(text, maxText) }

// numberInWords writes the object of an ID, or the duration of a limit.
func (c *Change) numberInWords(name string, number float64, r *Result) string {
	id := int64(number)
	switch {
	case NamesChannels(name):
		if id <= 0 {
			return "no channel"
		}
		return c.nameOf(ChannelKind, id, r)
	case strings.HasSuffix(name, "group_ids"):
		return c.nameOf(GroupKind, id, r)
	case c.Names != nil && (strings.HasSuffix(name, "user_ids") || strings.HasSuffix(name, "member_ids")):
		if email, ok := c.Names(UserKind, id); ok {
			return email
		}
	case strings.HasSuffix(name, "_minutes"):
		return duration(time.Duration(id) * time.Minute)
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// NamesChannels reports whether the numbers of an attribute are the IDs of channels.
func NamesChannels(attribute string) bool {
	return strings.HasSuffix(attribute, "stream_id") || strings.HasSuffix(attribute, "channel_id") || strings.HasSuffix(attribute, "channel_ids")
}

// nameOf returns the name of the object with an ID. A missing object is reported as unknown.
func (c *Change) nameOf(thing string, id int64, r *Result) string {
	if c.Names == nil {
		return fmt.Sprintf("%s %d", thing, id)
	}
	name, ok := c.Names(thing, id)
	if !ok {
		r.Unknown = append(r.Unknown, fmt.Sprintf("%s names %s %d, which doesn't exist or isn't visible to the account.", c.Address, thing, id))
		return fmt.Sprintf("%s %d", thing, id)
	}
	return fmt.Sprintf("%s %q", thing, name)
}

// duration writes a duration in the largest unit that fits.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.length && d%unit.length == 0 {
			return counted(int(d/unit.length), unit.name)
		}
	}
	return counted(int(d/time.Second), "second")
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Organization returns an organization as attributes of zulip_organization. settings are the settings as the server sends
// them, methods the enabled ways to sign in. A value that has no word is unknown.
func Organization(settings map[string]json.RawMessage, methods []string) Attributes {
	return organization{settings, methods}
}

type organization struct {
	settings map[string]json.RawMessage
	methods  []string
}

// Names lists the settings that have a meaning and are not computed.
func (o organization) Names() (names []string) {
	of, _ := Of("zulip_organization")
	for _, name := range of.Attributes() {
		row, _ := of.Attribute(name)
		if _, has := o.settings[name]; (has || name == "authentication_methods") && !row.Class.IsComputed() {
			names = append(names, name)
		}
	}
	return names
}

// Value returns a setting in the form of the attribute.
func (o organization) Value(name string) Value {
	if name == "authentication_methods" {
		return Value{Data: lists.Map(o.methods, func(method string) any { return method })}
	}
	of, _ := Of("zulip_organization")
	row, known := of.Attribute(name)
	var held any
	if raw, has := o.settings[name]; !known || !has || json.Unmarshal(raw, &held) != nil {
		return Value{IsUnknown: true}
	}
	number, isNumber := held.(float64)
	switch {
	case row.Kind != "string":
	case name == "jitsi_server_url" && held == nil:
		held = "default"
	case held == nil, isNumber && number < 0:
		held = "unlimited"
	case isNumber && (strings.HasSuffix(name, "_seconds") || strings.HasSuffix(name, "_days")):
		held = strconv.FormatFloat(number, 'f', -1, 64)
	case isNumber: // it stands for a word
		word, known := Word(name, number)
		if !known {
			return Value{IsUnknown: true}
		}
		held = word
	}
	return Value{Data: held}
}
