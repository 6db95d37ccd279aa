package rules

// DeleteMessage is DELETE /messages/{id} (https://zulip.com/api/delete-message).
func (o *Organization) DeleteMessage(actor User, id int) error {
	m, err := o.messageToChange(actor, id)
	if err != nil {
		return err
	}
	if err := o.checkMayDelete(actor, m); err != nil {
		return err
	}
	o.Messages.Delete(id)
	return nil
}

// checkMayDelete checks the permissions over any message, then those over the own
// messages, which those of the own bots are too, and their time limit.
func (o *Organization) checkMayDelete(actor User, m Message) error {
	ch, inChannel := o.Channels.Get(m.ChannelID)
	if o.MayRealm(actor, "can_delete_any_message_group") || inChannel && o.mayChannel(actor, ch, "can_delete_any_message_group") {
		return nil
	}
	sender := o.Sender(m.SenderID)
	own := sender.ID == actor.ID || sender.IsBot && sender.BotOwnerID == actor.ID
	mayOwn := o.MayRealm(actor, "can_delete_own_message_group") || inChannel && o.mayChannel(actor, ch, "can_delete_own_message_group")
	if !own || !mayOwn {
		return Refuse("You don't have permission to delete this message")
	}
	if o.past(m, o.Settings().MessageContentDeleteLimit, 0) {
		return Refuse("The time limit for deleting this message has passed")
	}
	return nil
}
