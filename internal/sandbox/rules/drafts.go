package rules

import (
	"math"
	"net/http"
	"slices"
	"strings"
)

// Kinds of drafts; scheduled messages and messages share the last two.
const (
	DraftUnaddressed = ""
	ToChannel        = "stream"
	ToPeople         = "private"
)

// Draft is a message somebody has begun (server-behavior §M9).
type Draft struct {
	ID        int     `json:"id"`
	UserID    int     `json:"user_id"`
	ChannelID int     `json:"channel_id,omitempty"`
	People    []int   `json:"people,omitempty"` // of a direct draft: the author too, ascending
	Topic     string  `json:"topic"`
	Content   string  `json:"content"`
	EditedAt  float64 `json:"edited_at"` // Unix seconds
}

// DraftInput is a draft as a client sends it.
type DraftInput struct {
	Type, Topic, Content string
	To                   []int
	Timestamp            *float64 // nil: now
}

var errNoDraft = &Error{Status: http.StatusNotFound, Msg: "Draft does not exist"}

// DraftsOf returns a person's drafts, the one edited longest ago first.
func (o *Organization) DraftsOf(u User) []Draft {
	own := []Draft{}
	for _, d := range o.Drafts.All() {
		if d.UserID == u.ID {
			own = append(own, d)
		}
	}
	slices.SortStableFunc(own, func(a, b Draft) int {
		switch {
		case a.EditedAt < b.EditedAt:
			return -1
		case a.EditedAt > b.EditedAt:
			return 1
		}
		return 0
	})
	return own
}

// CreateDrafts stores drafts and returns their ids, in order; one that is
// refused refuses all.
func (o *Organization) CreateDrafts(u User, inputs []DraftInput) ([]int, error) {
	ids := []int{}
	for _, in := range inputs {
		d, err := o.normalizedDraft(u, in)
		if err != nil {
			return nil, err
		}
		d.ID = o.Drafts.NextID()
		o.Drafts.Put(d.ID, d)
		ids = append(ids, d.ID)
	}
	return ids, nil
}

// EditDraft replaces a person's own draft.
func (o *Organization) EditDraft(u User, id int, in DraftInput) error {
	if d, ok := o.Drafts.Get(id); !ok || d.UserID != u.ID {
		return errNoDraft
	}
	d, err := o.normalizedDraft(u, in)
	if err != nil {
		return err
	}
	d.ID = id
	o.Drafts.Put(id, d)
	return nil
}

// DeleteDraft removes a person's own draft.
func (o *Organization) DeleteDraft(u User, id int) error {
	if d, ok := o.Drafts.Get(id); !ok || d.UserID != u.ID {
		return errNoDraft
	}
	o.Drafts.Delete(id)
	return nil
}

// normalizedDraft makes a row of what was sent: a topic only for channels, and
// no recipients where none are given.
func (o *Organization) normalizedDraft(u User, in DraftInput) (Draft, error) {
	d := Draft{UserID: u.ID, EditedAt: float64(o.now().UnixMicro()) / 1e6}
	var err error
	if d.Content, err = normalizedContent(in.Content); err != nil {
		return d, err
	}
	if in.Timestamp != nil {
		d.EditedAt = math.Round(*in.Timestamp*1e6) / 1e6
	}
	if d.EditedAt < 0 {
		return d, Refuse("Timestamp must not be negative.")
	}
	switch {
	case in.Type == ToChannel:
		d.Topic = truncatedTopic(in.Topic)
		if strings.ContainsRune(d.Topic, 0) {
			return d, Refuse("Topic must not contain null bytes")
		}
		if len(in.To) != 1 {
			return d, Refuse("Must specify exactly 1 channel ID for channel messages")
		}
		ch, err := o.ChannelContent(u, in.To[0])
		d.ChannelID = ch.ID
		return d, err
	case in.Type == ToPeople && len(in.To) > 0:
		people, err := o.addressedPeople(principalsOf(in.To))
		d.People = sortedSet(append(people, u.ID))
		return d, err
	}
	return d, nil
}

// Address is the kind of a draft and whom it is for, as clients read it: the
// author is left out unless alone.
func (d Draft) Address() (kind string, to []int) {
	switch {
	case d.ChannelID != 0:
		return ToChannel, []int{d.ChannelID}
	case len(d.People) > 0:
		return ToPeople, withoutUser(d.UserID, d.People)
	}
	return DraftUnaddressed, []int{}
}

// withoutUser leaves a person out of a conversation, unless it is a monologue.
func withoutUser(user int, people []int) []int {
	if len(people) == 1 {
		return people
	}
	return without(people, []int{user})
}

func principalsOf(ids []int) []Principal {
	people := make([]Principal, 0, len(ids))
	for _, id := range ids {
		people = append(people, Principal{ID: id})
	}
	return people
}
