package rules

// CheckTypingDirect is POST /typing for direct messages: nothing is kept
// (server-behavior §M8).
func (o *Organization) CheckTypingDirect(people []int) error {
	if len(people) == 0 {
		return Refuse("Empty 'to' list")
	}
	for _, id := range people {
		if !o.Users.Has(id) {
			return Refuse("Invalid user ID %d", id)
		}
	}
	return nil
}

// CheckTypingInChannel is POST /typing for a topic: who may write there may be
// seen writing.
func (o *Organization) CheckTypingInChannel(u User, channel int) error {
	ch, err := o.ChannelContent(u, channel)
	if err != nil {
		return err
	}
	return o.checkMaySend(u, ch)
}

// CheckTypingEdit is POST /messages/{id}/typing: who may edit a message may be
// seen editing it.
func (o *Organization) CheckTypingEdit(u User, message int) error {
	m, err := o.messageToChange(u, message)
	if err != nil {
		return err
	}
	return o.checkMayEdit(u, m)
}
