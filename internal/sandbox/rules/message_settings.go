package rules

import "time"

// editLimitBuffer is how long after the limit an edit is still taken, so that a
// client's countdown need not be exact (server-behavior §M5).
const editLimitBuffer = 20 * time.Second

// topicsPolicy is what counts in a channel: its own policy, or the
// organization's.
func (o *Organization) topicsPolicy(ch Channel) string {
	if ch.TopicsPolicy == TopicsInherit {
		return o.Settings().TopicsPolicy
	}
	return ch.TopicsPolicy
}

// past reports whether a message is older than limit seconds plus the buffer; nil is
// no limit.
func (o *Organization) past(m Message, limit *int, buffer time.Duration) bool {
	return limit != nil && o.now().Sub(m.Sent) > time.Duration(*limit)*time.Second+buffer
}
