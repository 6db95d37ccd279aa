package rules

import (
	"strconv"
)

// Reaction types: where an emoji comes from (server-behavior §U12).
const (
	StandardEmoji = "unicode_emoji"
	CustomEmoji   = "realm_emoji"
	ExtraEmoji    = "zulip_extra_emoji"
)

// extraEmoji is the only emoji that is neither standard nor custom; its code
// is its name.
const extraEmoji = "zulip"

// Emoji names an emoji as statuses and reactions hold it: by name, by code, and
// by where it comes from. The code of a custom emoji is its id.
type Emoji struct {
	Name string `json:"emoji_name"`
	Code string `json:"emoji_code"`
	Type string `json:"reaction_type"`
}

// EmojiByName finds the emoji a name means: a custom one before the others,
// so that overriding a standard emoji works.
func (o *Organization) EmojiByName(name string) (Emoji, error) {
	if e, ok := o.activeCustomEmoji(name); ok {
		return Emoji{name, strconv.Itoa(e.ID), CustomEmoji}, nil
	}
	if name == extraEmoji {
		return Emoji{name, extraEmoji, ExtraEmoji}, nil
	}
	if code, ok := standardEmoji(name); ok {
		return Emoji{name, code, StandardEmoji}, nil
	}
	return Emoji{}, Refuse("Emoji '%s' does not exist", name)
}

// ResolveEmoji completes what a caller gave of an emoji with what its name
// means, and checks the whole (server-behavior §U12). code and kind may be nil.
func (o *Organization) ResolveEmoji(name string, code, kind *string) (Emoji, error) {
	e, err := o.completeEmoji(name, code, kind)
	if err != nil {
		return Emoji{}, err
	}
	return e, o.checkEmoji(e)
}

func (o *Organization) completeEmoji(name string, code, kind *string) (Emoji, error) {
	e := Emoji{Name: name}
	if code == nil || kind == nil {
		byName, err := o.EmojiByName(name)
		if err != nil {
			return Emoji{}, err
		}
		e = byName
	}
	if code != nil {
		e.Code = *code
	}
	if kind != nil {
		e.Type = *kind
	}
	return e, nil
}

// checkEmoji refuses an emoji whose three parts do not belong together.
func (o *Organization) checkEmoji(e Emoji) error {
	switch e.Type {
	case CustomEmoji:
		return o.checkCustomEmoji(e)
	case ExtraEmoji:
		if e.Code != extraEmoji {
			return Refuse("Invalid emoji code.")
		}
		if e.Name != e.Code {
			return Refuse("Invalid emoji name.")
		}
	case StandardEmoji:
		if !isStandardEmojiCode(e.Code) {
			return Refuse("Invalid emoji code.")
		}
		if code, ok := standardEmoji(e.Name); !ok || code != e.Code {
			return Refuse("Invalid emoji name.")
		}
	default:
		return Refuse("Invalid emoji type.")
	}
	return nil
}

func (o *Organization) checkCustomEmoji(e Emoji) error {
	id, err := strconv.Atoi(e.Code)
	if err != nil {
		return Refuse("Invalid custom emoji.")
	}
	custom, ok := o.RealmEmoji.Get(id)
	switch {
	case !ok:
		return Refuse("Invalid custom emoji.")
	case custom.Name != e.Name:
		return Refuse("Invalid custom emoji name.")
	case custom.Deactivated:
		return Refuse("This custom emoji has been deactivated.")
	}
	return nil
}
