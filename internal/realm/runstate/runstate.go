// Package runstate records the facts of one run of the provider: the objects that its resources manage, release and
// adopt, the names that they plan and reserve, and the locks that they hold. A run is one process, either of a plan or
// of an apply. The package does not read the organization.
//
// It makes no predictions. The effect of another resource of the run on memberships, roles or accounts depends on the
// order in which Terraform visits resources, which is not guaranteed. Facts are valid in any order, or are only read
// by resources that reference the one that registers them: Terraform plans that one first.
package runstate

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// State has the facts of the run. It is safe for concurrent use, and the zero value is empty.
type State struct {
	Locks

	// Effects are the writes of this run. They decide only that a difference is no conflict.
	Effects effects.Log

	Roles Roles

	mu       sync.Mutex
	facts    map[Fact]map[Object]bool
	declared map[Object]Value
	names    map[Object]reserved
	released map[Object]int64

	planned     map[string]*names            // by kind
	permissions map[int64]permission.Channel // by channel
}

// Object is what a fact is about. Its kind is the type of the resource. It is identified by an ID, or by a name.
type Object struct {
	Kind string
	ID   int64
	Name string
}

// ID returns the object of a kind with an ID.
func ID(kind string, id int64) Object { return Object{Kind: kind, ID: id} }

// Name returns the object of a kind with a name, as the server compares names.
func Name(kind, name string) Object { return Object{Kind: kind, Name: Fold(kind, name)} }

// Fact is what a run knows about an object.
type Fact int

// The facts. CONTRIBUTING says which process has them, and what they are used for.
const (
	// Managed objects belong to a resource of the run, which has them in its state or has just created them.
	Managed Fact = iota
	// Kept objects belong to a resource that is planned to keep them. A run plans each resource once, so a second
	// resource has the same object if the fact is not new.
	Kept
	// Destroyed objects belong to a resource that is planned to be destroyed with them.
	Destroyed
	// Ending objects are destroyed ones that the server archives, deactivates or deletes then.
	Ending
	// Deactivated objects are planned to be deactivated by a resource that keeps them in its state.
	Deactivated
	// Created objects, by their names, are planned to be created.
	Created
	// Gone objects were archived or deactivated by this run, and keep their names. Deleted domains are gone too.
	Gone
	// Ended objects, by ID and by their names, were archived or deactivated outside Terraform, which a refresh has found.
	Ended
	// Adopted objects existed before a resource of this run started to manage them. A resource that managed them before
	// and is destroyed leaves them unchanged.
	Adopted
	// Named objects are written in a configuration by the name that they had before this run.
	Named
	// Owned objects are pairs of a person, by ID, and the email of a bot with that person as its final owner.
	Owned
	// Closed channels have an exclusive list of subscribers.
	Closed
	// Default channels are default channels now or after this run.
	Default
	// Sealed channels, by their names, are new private ones that the provider's account may be able to use only while it is
	// subscribed.
	Sealed
	// Silent channels, by their names, are new ones in which the provider's account may not be able to post.
	Silent
	// Needed objects are pairs of an account, by ID, and what this run makes for it while it is active.
	Needed
	// Inactive accounts are deactivated at the end of this run.
	Inactive
	// Invited emails belong to no account.
	Invited
	// Said are messages.
	Said
)

// Note registers a fact about an object, and reports whether it is new.
func (s *State) Note(fact Fact, object Object) (isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.facts == nil {
		s.facts = map[Fact]map[Object]bool{}
	}
	if s.facts[fact] == nil {
		s.facts[fact] = map[Object]bool{}
	}
	isNew = !s.facts[fact][object]
	s.facts[fact][object] = true
	return isNew
}

// Knows reports whether a fact was registered about an object.
func (s *State) Knows(fact Fact, object Object) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.facts[fact][object]
}

// Forget removes a fact about an object.
func (s *State) Forget(fact Fact, object Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.facts[fact], object)
}

// All returns the objects of a kind about which a fact is known, by their names.
func (s *State) All(fact Fact, kind string) (all []Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for object := range s.facts[fact] {
		if object.Kind == kind {
			all = append(all, object)
		}
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Value is what a resource sets an object to: [Words] or [Accounts].
type Value interface{ equals(other Value) bool }

// Words are a value of [State.Declare].
type Words string

func (w Words) equals(other Value) bool { return w == other }

// Declare registers a value that a resource of this run sets for an object, and reports whether no other resource sets
// another. A resource has the same value each time it is planned.
func (s *State) Declare(object Object, value Value) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.declared == nil {
		s.declared = map[Object]Value{}
	}
	said, ok := s.declared[object]
	if !ok {
		s.declared[object] = value
	}
	return !ok || said.equals(value)
}

// reserved is a name as it was written, with what identifies the resource.
type reserved struct {
	text string
	ids  []int64
}

// Reserve registers that a resource of this run gives a name to its object. It reports false if another resource of the
// run gives an equal name, and returns that name. ids identify the resource: the ID of its object, and of the object
// that it replaces; none for a new object.
func (s *State) Reserve(kind, text string, ids ...int64) (other string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[Object]reserved{}
	}
	object := Name(kind, text)
	holder, held := s.names[object]
	if held && !slices.ContainsFunc(holder.ids, func(id int64) bool { return slices.Contains(ids, id) }) {
		return holder.text, false
	}
	s.names[object] = reserved{text, ids}
	return text, true
}

// Release registers a name that an object still has but that a new object in this run can get. This run has archived or
// deactivated the object, or an interrupted apply has left it.
func (s *State) Release(kind, text string, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released == nil {
		s.released = map[Object]int64{}
	}
	s.released[Name(kind, text)] = id
}

// TakeReleased is called before an object with a name is created. It returns, once, the released object with this name,
// and registers that a resource has adopted it.
func (s *State) TakeReleased(kind, text string) (id int64, ok bool) {
	object := Name(kind, text)
	s.Forget(Created, object)
	s.mu.Lock()
	id, ok = s.released[object]
	delete(s.released, object)
	s.mu.Unlock()
	if ok {
		s.Note(Managed, ID(kind, id))
		s.Note(Adopted, ID(kind, id))
	}
	return id, ok
}

// SubscribersOf returns the kind of the listed subscribers of a channel, by their IDs.
func SubscribersOf(channel int64) string { return fmt.Sprint("subscriber of channel ", channel) }

// PlanPermissions registers the planned channel, as far as it decides who can do what, for resources that reference the
// channel.
func (s *State) PlanPermissions(channel int64, planned permission.Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.permissions == nil {
		s.permissions = map[int64]permission.Channel{}
	}
	s.permissions[channel] = planned
}

// PermissionsIn returns the channel that decides the permissions: the planned one, or the current one without a plan.
func (s *State) PermissionsIn(channel *zulip.Channel) permission.Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if planned, ok := s.permissions[channel.ID]; ok {
		return planned
	}
	return permission.ChannelOf(channel)
}
