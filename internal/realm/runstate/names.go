package runstate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// names are the names that a run gives to the objects of a kind.
type names struct {
	of map[int64]string // by the object's ID
	by map[string]int64 // the IDs by name; 0 is an object that the run creates
}

// plan registers the name that the run leaves an object with: it is found by that one alone.
func (n *names) plan(id int64, name string) {
	if id != 0 {
		if before, ok := n.of[id]; ok && n.by[before] == id {
			delete(n.by, before)
		}
		n.of[id] = name
	}
	n.by[name] = id
}

// The kinds of objects that other resources of a run refer to by name: for accounts that is the address.
const (
	Channel = "zulip_channel"
	Group   = "zulip_user_group"
	Account = "zulip_user"
	Folder  = "zulip_channel_folder"
)

// fold returns a name as the server compares it: the cases of user groups' names differ (server-behavior §G5).
func fold(kind, name string) string {
	if kind == Group {
		return name
	}
	return strings.ToLower(name)
}

// PlanName registers the name that this run leaves an object with, so that whoever refers to it may already name it: its old
// name counts as free, and it is found by the new one. An archived or deactivated object counts as active. ID 0 is an object
// that the run creates.
func (s *State) PlanName(kind string, id int64, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planned == nil {
		s.planned = map[string]*names{}
	}
	if s.planned[kind] == nil {
		s.planned[kind] = &names{of: map[int64]string{}, by: map[string]int64{}}
	}
	s.planned[kind].plan(id, fold(kind, name))
}

// PlannedID returns the ID of the object to which this run gives a name; 0 for one that it creates.
func (s *State) PlannedID(kind, name string) (id int64, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.planned[kind]; of != nil {
		id, planned = of.by[fold(kind, name)]
	}
	return id, planned
}

// PlannedName returns the name that this run leaves an object with, in lower case but for user groups.
func (s *State) PlannedName(kind string, id int64) (name string, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.planned[kind]; of != nil {
		name, planned = of.of[id]
	}
	return name, planned
}

// TakeFromFolder registers that this run has taken a channel out of a folder, to archive the folder.
func (s *State) TakeFromFolder(channel, folder int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.takenFromFolder == nil {
		s.takenFromFolder = map[int64]int64{}
	}
	s.takenFromFolder[channel] = folder
}

// TakenFromFolder returns the folder that this run has taken a channel out of.
func (s *State) TakenFromFolder(channel int64) (folder int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, ok = s.takenFromFolder[channel]
	return folder, ok
}

// GroupKey tells a user group from others in a plan: by its ID, or for one that is yet to be created by its name.
type GroupKey struct {
	ID   int64
	Name string
}

// ManageMembership registers that a resource manages a list of a user group, `members` or `subgroups`: exclusively, or
// beside others. It reports false if another resource of the run manages it otherwise.
func (s *State) ManageMembership(group GroupKey, list string, exclusive bool) bool {
	return s.Declare("membership "+list+" "+group.Name, group.ID, strconv.FormatBool(exclusive))
}

// quiet is how long nothing may be under way until the CLI is taken to have nothing more that it could begin: between the plan
// and the change of one resource, and before the next one, it takes some milliseconds.
const quiet = 500 * time.Millisecond

// operations are the requests of the CLI that are under way.
type operations struct {
	mu                sync.Mutex
	underWay, waiting int // those that wait for others among them
	ended             int
	last              time.Time   // when one last began, ended or went on
	waiters           map[int]int // how many wait since so many had ended
}

func (o *operations) add(underWay, waiting, ended int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.underWay, o.waiting, o.ended, o.last = o.underWay+underWay, o.waiting+waiting, o.ended+ended, time.Now()
}

// Begin registers that the CLI asks for something, until end is called.
func (o *operations) Begin() (end func()) {
	o.add(1, 0, 0)
	return func() { o.add(-1, 0, 1) }
}

// wait registers that one under way waits for others, until done is called.
func (o *operations) wait() (done func()) {
	o.add(0, 1, 0)
	return func() { o.add(0, -1, 0) }
}

// Ended returns how many have ended.
func (o *operations) Ended() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended
}

// AwaitOthers waits until all others that are under way have ended, or wait themselves, and the CLI begins nothing more. It
// reports whether any has ended since so many had: then what stood in the way may be gone. Those of several for whom that is so go
// on first. It reports false when the context ends.
func (o *operations) AwaitOthers(ctx context.Context, ended int) bool {
	defer o.wait()()
	defer o.since(ended)()
	ticks := time.NewTicker(quiet / 10)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ticks.C:
		}
		if isQuiet, mayGoOn, mayOther := o.look(ended); isQuiet && (mayGoOn || !mayOther) {
			return mayGoOn
		}
	}
}

// since registers since when one waits for others to end, until done is called.
func (o *operations) since(ended int) (done func()) {
	add := func(n int) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.waiters == nil {
			o.waiters = map[int]int{}
		}
		o.waiters[ended] += n
	}
	add(1)
	return func() { add(-1) }
}

// look reports whether nothing is under way but those that wait, and whether one that waits since so many have ended may go on, or
// any other one.
func (o *operations) look(ended int) (isQuiet, mayGoOn, mayOther bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for since, n := range o.waiters {
		mayOther = mayOther || n > 0 && o.ended > since
	}
	return o.underWay <= o.waiting && time.Since(o.last) >= quiet, o.ended > ended, mayOther
}

// Locks let one at a time work on one thing. The zero value has none taken.
type Locks struct {
	mu    sync.Mutex
	taken map[string]chan struct{} // of capacity one: full while somebody holds the lock
}

// Lock waits until nobody else holds the lock of a key, and returns what gives it back. It is an error if the context ends
// first.
func (l *Locks) Lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	if l.taken == nil {
		l.taken = map[string]chan struct{}{}
	}
	one := l.taken[key]
	if one == nil {
		one = make(chan struct{}, 1)
		l.taken[key] = one
	}
	l.mu.Unlock()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("nothing was sent: %w", context.Cause(ctx))
	}
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("nothing was sent, for another resource was still at work on the same: %w", context.Cause(ctx))
	}
}
