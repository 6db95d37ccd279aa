package rules

import "slices"

// Reaction is one person's emoji on a message.
type Reaction struct {
	UserID int `json:"user_id"`
	Emoji
}

// sameAs reports whether a reaction is the same emoji, by whatever name.
func (e Emoji) sameAs(r Reaction) bool { return r.Code == e.Code && r.Type == e.Type }

// AddReaction is POST /messages/{id}/reactions. code and kind may be nil: they
// follow from the name (server-behavior §U12).
func (o *Organization) AddReaction(u User, message int, name string, code, kind *string) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	e, err := o.completeEmoji(name, code, kind)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(m.Reactions, func(r Reaction) bool { return r.UserID == u.ID && e.sameAs(r) }) {
		return &Error{Code: "REACTION_ALREADY_EXISTS", Msg: "Reaction already exists."}
	}
	if i := slices.IndexFunc(m.Reactions, e.sameAs); i >= 0 {
		e.Name = m.Reactions[i].Name // whoever reacted first named it
	} else if err := o.checkEmoji(e); err != nil {
		return err
	}
	m.Reactions = append(slices.Clone(m.Reactions), Reaction{u.ID, e})
	o.setFlags(m, u.ID, m.FlagsFor(u.ID)) // reacting takes it into the own history
	return nil
}

// RemoveReaction is DELETE /messages/{id}/reactions. The code follows from the
// name if it is nil, but the kind never does; one of the two must be given.
func (o *Organization) RemoveReaction(u User, message int, name, code *string, kind string) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	gone := Emoji{Type: kind}
	switch {
	case code != nil:
		gone.Code = *code
	case name != nil:
		named, err := o.EmojiByName(*name)
		if err != nil {
			return err
		}
		gone.Code = named.Code
	default:
		return Refuse("At least one of the following arguments must be present: emoji_name, emoji_code")
	}
	i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.UserID == u.ID && gone.sameAs(r) })
	if i < 0 {
		return &Error{Code: "REACTION_DOES_NOT_EXIST", Msg: "Reaction doesn't exist."}
	}
	m.Reactions = slices.Delete(slices.Clone(m.Reactions), i, i+1)
	o.Messages.Put(m.ID, m)
	return nil
}
