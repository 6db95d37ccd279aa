package runstate

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// names are the names that a run gives to the objects of a kind.
type names struct {
	of map[int64]string // by the object's ID
	by map[string]int64 // the IDs by name; 0 is an object that the run creates
}

// plan registers the final name of an object in this run. The object is found only by this name.
func (n *names) plan(id int64, name string) {
	if id != 0 {
		if before, ok := n.of[id]; ok && n.by[before] == id {
			delete(n.by, before)
		}
		n.of[id] = name
	}
	n.by[name] = id
}

// The kinds of objects that other resources of a run reference by name, or by email for accounts. Bots are accounts too.
const (
	Channel = "zulip_channel"
	Group   = "zulip_user_group"
	Account = "zulip_user"
	Folder  = "zulip_channel_folder"
	Field   = "zulip_custom_profile_field"

	bot        = "zulip_bot"
	invitation = "zulip_invitation"
)

// Fold returns a name in the form that the server compares. It ignores case only in the names of some kinds (server-behavior
// §C23). Terraform passes every text in the Unicode normal form NFC.
func Fold(kind, name string) string {
	name = norm.NFC.String(name)
	switch kind {
	case Channel, Account, Folder, bot, invitation:
		return zulip.FoldName(name)
	}
	return name
}

// PlanName registers the name that an object has after this run, so that the configuration can already use it. The
// object is found by the new name, and its old name counts as free. An archived or deactivated object counts as
// active. ID 0 is an object that the run creates, instead of those that it replaces, which keep their names.
func (s *State) PlanName(kind string, id int64, name string, replaced ...int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.planned == nil {
		s.planned = map[string]*names{}
	}
	if s.planned[kind] == nil {
		s.planned[kind] = &names{of: map[int64]string{}, by: map[string]int64{}}
	}
	for _, old := range replaced {
		delete(s.planned[kind].of, old)
	}
	s.planned[kind].plan(id, Fold(kind, name))
}

// PlannedID returns the ID of the object to which this run gives a name; 0 for one that it creates.
func (s *State) PlannedID(kind, name string) (id int64, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.planned[kind]; of != nil {
		id, planned = of.by[Fold(kind, name)]
	}
	return id, planned
}

// PlannedName returns the final name of an object in this run, in lowercase if the server ignores case.
func (s *State) PlannedName(kind string, id int64) (name string, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.planned[kind]; of != nil {
		name, planned = of.of[id]
	}
	return name, planned
}

// Locks let one caller at a time work on an object. In the zero value, all are free.
type Locks struct {
	mu    sync.Mutex
	taken map[string]chan struct{} // of capacity one: full while a caller holds the lock
}

// Lock waits until no other caller holds the lock of a key, and returns a function that releases it. It returns an
// error if the context ends first.
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
		return nil, fmt.Errorf("nothing was sent, because another resource was still changing the same object: %w", context.Cause(ctx))
	}
}
