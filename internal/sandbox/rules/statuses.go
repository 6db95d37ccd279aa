package rules

// Status is what a person tells the others about being there
// (https://zulip.com/api/get-user-status); its key is the person's id.
type Status struct {
	Text  string `json:"text,omitempty"`
	Emoji Emoji  `json:"emoji"` // without a name: none
	Away  bool   `json:"away,omitempty"`
}

// Empty reports whether there is nothing to show.
func (s Status) Empty() bool { return s == Status{} }

// StatusChange is what a change asks for; nil leaves things unchanged, and an
// empty text takes a part away.
type StatusChange struct {
	Text                           *string
	EmojiName, EmojiCode, Reaction *string
	Away                           *bool
}

// StatusOf returns the status of a person who is active and visible to viewer.
func (o *Organization) StatusOf(viewer User, id int) (Status, error) {
	if _, err := o.visibleHuman(viewer, id); err != nil {
		return Status{}, err
	}
	status, _ := o.Statuses.Get(id)
	return status, nil
}

// SetStatusOf changes another person's status, which takes an administrator.
func (o *Organization) SetStatusOf(actor User, id int, c StatusChange) error {
	if _, err := o.ActiveHuman(id); err != nil {
		return err
	}
	if !actor.IsAdmin() {
		return errInsufficientPermission
	}
	return o.SetStatus(id, c)
}

// SetStatus changes a status: text and emoji independently of each other.
func (o *Organization) SetStatus(id int, c StatusChange) error {
	if c.Text == nil && c.EmojiName == nil && c.Away == nil {
		return Refuse("Client did not pass any new values.")
	}
	status, _ := o.Statuses.Get(id)
	switch {
	case c.EmojiName == nil:
		if given(c.EmojiCode) || given(c.Reaction) {
			return Refuse("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
		}
	case *c.EmojiName == "":
		status.Emoji = Emoji{}
	default:
		emoji, err := o.ResolveEmoji(*c.EmojiName, c.EmojiCode, c.Reaction)
		if err != nil {
			return err
		}
		status.Emoji = emoji
	}
	if c.Text != nil {
		status.Text = *c.Text
	}
	if c.Away != nil {
		status.Away = *c.Away
	}
	o.Statuses.Put(id, status)
	return nil
}

// ListStatuses returns the statuses of active people that show anything.
func (o *Organization) ListStatuses(viewer User) map[int]Status {
	all := map[int]Status{}
	for id, status := range o.Statuses.All() {
		if u, ok := o.Users.Get(id); ok && u.Active && !status.Empty() && o.MaySee(viewer, u) {
			all[id] = status
		}
	}
	return all
}

// given reports whether a text was sent that is not empty.
func given(text *string) bool { return text != nil && *text != "" }
