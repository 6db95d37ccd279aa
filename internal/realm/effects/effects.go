// Package effects knows the writes of this run, and what the server does by itself after each of them.
//
// It has one use: a value that differs from the value of the plan only because of these writes is no conflict. A review
// uses the same [Table] for the writes that a plan will cause.
package effects

import (
	"maps"
	"slices"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Kind is a kind of write to one object.
type Kind string

// The kinds of writes. The object is an account, a channel or a user group.
const (
	Created         Kind = "create an account"
	Deactivated     Kind = "deactivate an account"
	Reactivated     Kind = "reactivate an account"
	GaveRole        Kind = "give a role"
	Archived        Kind = "archive a channel"
	Unarchived      Kind = "unarchive a channel"
	TakenFromFolder Kind = "take a channel from its folder"
	RemovedGroup    Kind = "remove a user group from what names it"
	Subscribed      Kind = "create a channel with subscribers"
)

// subject returns the part of an object that a kind of write changes. The last of two writes to the same part counts.
func (k Kind) subject() subject {
	switch k {
	case Archived, Unarchived:
		return channel
	case GaveRole:
		return role
	case TakenFromFolder:
		return folder
	case RemovedGroup:
		return group
	case Subscribed:
		return subscribers
	}
	return account
}

type subject int

const (
	account subject = iota
	group
	channel
	role
	folder
	subscribers
)

// Write is a write to the object with an ID.
type Write struct {
	Kind Kind
	ID   int64
	// Value is the role that is given, or the folder that the channel was in.
	Value int64
	// People are the first subscribers of a channel that is created.
	People []int64
}

// Each returns one write of a kind to each object.
func Each(kind Kind, ids ...int64) []Write {
	writes := make([]Write, len(ids))
	for i, id := range ids {
		writes[i] = Write{Kind: kind, ID: id}
	}
	return writes
}

func (w Write) of() about { return about{w.Kind.subject(), w.ID} }

// about is the part of one object that a write changes.
type about struct {
	subject subject
	id      int64
}

// Log has the writes of a run. It is safe for concurrent use. The zero value is empty, and nil has no writes.
type Log struct {
	mu   sync.Mutex
	last map[about]Write
	rest *Log // for everything that is not in last
	// names are the names that this run has given to objects, by the kind of the resource and the name before.
	names map[name]string

	creating sync.RWMutex // read-locked by each creation under way
}

// Send registers writes and sends them. If the server refuses them, it withdraws them. So a write already counts while
// it is under way, because another resource may read its result before the answer arrives.
func (l *Log) Send(send func() error, writes ...Write) error {
	before := l.put(writes)
	err := send()
	if err != nil && !zulip.MayHaveHappened(err) {
		l.withdraw(writes, before)
	}
	return err
}

// Create creates an object, and registers the write with the ID of the object.
func (l *Log) Create(create func() (int64, error), write Write) (int64, error) {
	l.creating.RLock()
	defer l.creating.RUnlock()
	id, err := create()
	if write.ID = id; err == nil {
		l.Add(write)
	}
	return id, err
}

// Settle waits for the creations under way. Another resource may read a new object before its ID arrives.
func (l *Log) Settle() {
	l.creating.Lock()
	l.creating.Unlock() //nolint:staticcheck,gocritic // the wait is all
}

// Add registers writes that the server has accepted.
func (l *Log) Add(writes ...Write) { l.put(writes) }

func (l *Log) put(writes []Write) (before map[about]Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[about]Write{}
	}
	before = map[about]Write{}
	for _, write := range writes {
		if was, ok := l.last[write.of()]; ok {
			before[write.of()] = was
		}
		l.last[write.of()] = write
	}
	return before
}

func (l *Log) withdraw(writes []Write, before map[about]Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, write := range writes {
		delete(l.last, write.of())
	}
	maps.Copy(l.last, before)
}

// name is a name of an object of a kind of resource, as the server compares names.
type name struct{ kind, text string }

// Rename registers that this run has given another name to an object of a kind of resource.
func (l *Log) Rename(kind, from, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		l.names = map[name]string{}
	}
	l.names[name{kind, zulip.FoldName(from)}] = to
}

// NameAfter returns the name that this run has given to the object that had a name; the same name if it has given none.
func (l *Log) NameAfter(kind, text string) string {
	if l == nil {
		return text
	}
	l.mu.Lock()
	to, ok := l.names[name{kind, zulip.FoldName(text)}]
	l.mu.Unlock()
	if !ok {
		return l.rest.NameAfter(kind, text)
	}
	return to
}

// With returns a log with further writes. The people who were deactivated outside Terraform count like those whom this
// run has deactivated.
func (l *Log) With(writes ...Write) *Log {
	more := &Log{rest: l}
	more.put(writes)
	return more
}

// Last returns the write of a kind if it is the last one to its object.
func (l *Log) Last(kind Kind, id int64) (write Write, ok bool) {
	last, ok := l.lastTo(Write{Kind: kind, ID: id}.of())
	if !ok || last.Kind != kind {
		return Write{}, false
	}
	return last, true
}

func (l *Log) lastTo(object about) (write Write, ok bool) {
	if l == nil {
		return write, false
	}
	l.mu.Lock()
	write, ok = l.last[object]
	l.mu.Unlock()
	if !ok {
		return l.rest.lastTo(object)
	}
	return write, ok
}

// After returns the value of a place after the writes: without the objects that left it, and with those that came back.
// Values are IDs, ascending. current is the value that the server shows now, or nil. Only objects in it come back: the
// others were not there while they were not shown, whatever the value says.
func (l *Log) After(place Place, value, current []int64) []int64 {
	var after []int64
	for _, id := range value {
		switch l.outcome(place, id) {
		case Leaves:
		case Resets:
			after = append(after, None)
		case Returns:
			if current == nil || slices.Contains(current, id) {
				after = append(after, id)
			}
		default:
			after = append(after, id)
		}
	}
	for _, id := range current {
		if l.outcome(place, id) == Returns && !slices.Contains(after, id) {
			after = append(after, id)
		}
	}
	slices.Sort(after)
	return after
}

// Ends reports whether what a person owns has ended: bots and invitations.
func (l *Log) Ends(owner int64) bool { return len(l.After(Owners, []int64{owner}, nil)) == 0 }

// outcome returns what the last write to an object of a place did to the place.
func (l *Log) outcome(place Place, id int64) Outcome {
	last, ok := l.lastTo(about{place.names(), id})
	if !ok {
		return Stays
	}
	for _, row := range Table {
		if row.After == last.Kind && slices.Contains(row.In, place) {
			return row.Then
		}
	}
	return Stays
}
