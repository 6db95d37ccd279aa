// Package runstate records the facts of one run of the provider: the objects that its resources manage, release and
// adopt, the names that they plan and reserve, and the locks that they hold. A run is one process, either of a plan or
// of an apply. The package does not read the organization.
//
// It makes no predictions. The effect of another resource of the run on memberships, roles or accounts depends on the
// order in which Terraform visits resources, which is not guaranteed. Facts are valid in any order, or are only read
// by resources that reference the one that registers them: Terraform plans that one first.
//
// An object is identified by its kind, which is the type of the resource, and its ID.
package runstate

import (
	"fmt"
	"maps"
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

	mu       sync.Mutex
	objects  map[about]bool
	declared map[about]string
	names    map[name]reserved
	released map[name]int64

	planned     map[string]*names // by kind
	botsOf      map[int64]map[string]bool
	roles       roles
	permissions map[int64]permission.Channel // by channel
}

// about is a fact about an object.
type about struct {
	fact fact
	kind string
	id   int64
}

// name is unique among the objects of a kind.
type name struct{ kind, name string }

// reserved is a name as it was written, with what identifies the resource.
type reserved struct {
	text string
	ids  []int64
}

// fact is a kind of fact about an object.
type fact int

const (
	managed fact = iota
	kept
	willBeDestroyed
	willBeDeactivated
	gone
	ended
	adopted
	declared
	willBeCreated
	said
	invited
	named
)

// note registers a fact about an object, and reports whether it is new.
func (s *State) note(fact fact, kind string, id int64) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		s.objects = map[about]bool{}
	}
	first = !s.objects[about{fact, kind, id}]
	s.objects[about{fact, kind, id}] = true
	return first
}

func (s *State) knows(fact fact, kind string, id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[about{fact, kind, id}]
}

// Manage registers that an object belongs to a resource of this run, which has it in its state or has just created it.
func (s *State) Manage(kind string, id int64) { s.note(managed, kind, id) }

// IsManaged reports whether an object belongs to a resource of this run, as far as it has been read.
func (s *State) IsManaged(kind string, id int64) bool { return s.knows(managed, kind, id) }

// WillKeep registers that a resource of this run is planned to keep its object, and reports whether it is the first to
// register this. A run plans each resource once, so a second resource has the same object.
func (s *State) WillKeep(kind string, id int64) (first bool) { return s.note(kept, kind, id) }

// WillBeKept reports whether a resource of this run is planned to keep an object.
func (s *State) WillBeKept(kind string, id int64) bool { return s.knows(kept, kind, id) }

// WillDestroy registers that a resource of this run is planned to be destroyed with its object.
func (s *State) WillDestroy(kind string, id int64) { s.note(willBeDestroyed, kind, id) }

// WillBeDestroyed reports whether a resource of this run is planned to be destroyed with an object.
func (s *State) WillBeDestroyed(kind string, id int64) bool {
	return s.knows(willBeDestroyed, kind, id)
}

// PlanDeactivation registers that a resource of this run is planned to deactivate its object and keep it in the state.
func (s *State) PlanDeactivation(kind string, id int64) { s.note(willBeDeactivated, kind, id) }

// WillBeDeactivated reports whether a resource of this run is planned to deactivate an object, also by its destroy.
func (s *State) WillBeDeactivated(kind string, id int64) bool {
	return s.knows(willBeDeactivated, kind, id) || s.knows(willBeDestroyed, kind, id)
}

// AnyWillBeDestroyed reports whether a resource of this run is planned to be destroyed with an object of a kind.
func (s *State) AnyWillBeDestroyed(kind string) bool { return s.any(willBeDestroyed, kind) }

// AnyWillBeCreated reports whether a resource of this run is planned to create an object of a kind.
func (s *State) AnyWillBeCreated(kind string) bool { return s.any(willBeCreated, kind+" ") }

// any reports whether a fact is known about an object whose kind has a prefix.
func (s *State) any(fact fact, kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for object, known := range s.objects {
		if known && object.fact == fact && strings.HasPrefix(object.kind, kind) {
			return true
		}
	}
	return false
}

// NoteGone registers that this run has archived or deactivated an object, which keeps its name, or deleted a domain.
func (s *State) NoteGone(kind string, id int64) { s.note(gone, kind, id) }

// IsGoneByRun reports whether NoteGone was called for an object.
func (s *State) IsGoneByRun(kind string, id int64) bool { return s.knows(gone, kind, id) }

// Unmanage registers that an object no longer belongs to a resource of this run: it was archived or deactivated outside Terraform.
func (s *State) Unmanage(kind string, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, about{managed, kind, id})
}

// NoteEnded registers that a refresh found an object of a resource archived or deactivated outside Terraform.
func (s *State) NoteEnded(kind string, id int64) { s.note(ended, kind, id) }

// HasEnded reports whether NoteEnded was called for an object.
func (s *State) HasEnded(kind string, id int64) bool { return s.knows(ended, kind, id) }

// Adopt registers that a resource of this run has started to manage an existing object. A resource that managed it
// before and is destroyed in this run leaves it unchanged.
func (s *State) Adopt(kind string, id int64) { s.note(adopted, kind, id) }

// IsAdopted reports whether a resource of this run has adopted an existing object.
func (s *State) IsAdopted(kind string, id int64) bool { return s.knows(adopted, kind, id) }

// Declare registers a value that a resource of this run sets for an object, and reports whether no other resource sets
// another. A resource has the same value each time it is planned.
func (s *State) Declare(kind string, id int64, words string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.declared == nil {
		s.declared = map[about]string{}
	}
	object := about{declared, kind, id}
	said, ok := s.declared[object]
	if !ok {
		s.declared[object] = words
	}
	return !ok || said == words
}

// Reserve registers that a resource of this run gives a name to its object. It reports false if another resource of the
// run gives an equal name, and returns that name. ids identify the resource: the ID of its object, and of the object
// that it replaces; none for a new object.
func (s *State) Reserve(kind, text string, ids ...int64) (other string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[name]reserved{}
	}
	key := name{kind, Fold(kind, text)}
	holder, held := s.names[key]
	if held && !slices.ContainsFunc(holder.ids, func(id int64) bool { return slices.Contains(ids, id) }) {
		return holder.text, false
	}
	s.names[key] = reserved{text, ids}
	return text, true
}

// IsReserved reports whether a resource of this run gives a name to its object.
func (s *State) IsReserved(kind, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, reserved := s.names[name{kind, Fold(kind, text)}]
	return reserved
}

// WillCreate registers that a resource of this run is planned to create an object with a name.
func (s *State) WillCreate(kind, text string) { s.note(willBeCreated, kind+" "+Fold(kind, text), 0) }

// WillBeCreated reports whether a resource of this run is planned to create an object with a name.
func (s *State) WillBeCreated(kind, text string) bool {
	return s.knows(willBeCreated, kind+" "+Fold(kind, text), 0)
}

// Release registers a name that an object still has but that a new object in this run can get. This run has archived or
// deactivated the object, or an interrupted apply has left it.
func (s *State) Release(kind, text string, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released == nil {
		s.released = map[name]int64{}
	}
	s.released[name{kind, Fold(kind, text)}] = id
}

// TakeReleased is called before an object with a name is created. It returns, once, the released object with this name,
// and registers that a resource has adopted it.
func (s *State) TakeReleased(kind, text string) (id int64, ok bool) {
	text = Fold(kind, text)
	s.mu.Lock()
	delete(s.objects, about{willBeCreated, kind + " " + text, 0})
	id, ok = s.released[name{kind, text}]
	delete(s.released, name{kind, text})
	s.mu.Unlock()
	if ok {
		s.Manage(kind, id)
		s.Adopt(kind, id)
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

// PlanOwner registers the final owner of a bot, by its email, who is not deactivated yet.
func (s *State) PlanOwner(bot string, owner int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.botsOf == nil {
		s.botsOf = map[int64]map[string]bool{}
	}
	if s.botsOf[owner] == nil {
		s.botsOf[owner] = map[string]bool{}
	}
	s.botsOf[owner][bot] = true
}

// PlannedBotsOf returns the bots with a person as their final owner, sorted.
func (s *State) PlannedBotsOf(owner int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.botsOf[owner]))
}

// GetsOwner reports whether a bot, by its email, has another final owner than owner.
func (s *State) GetsOwner(bot string, owner int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, bots := range s.botsOf {
		if other != owner && bots[bot] {
			return true
		}
	}
	return false
}

// NoteInvited registers an email that no account has as invited.
func (s *State) NoteInvited(address string) { s.note(invited, strings.ToLower(address), 0) }

// IsInvited reports whether an email is known to be invited.
func (s *State) IsInvited(address string) bool {
	return s.knows(invited, strings.ToLower(address), 0)
}

// IsFirst returns true for the first call with a key in a run.
func (s *State) IsFirst(words string) bool { return s.note(said, words, 0) }
