package runstate

import (
	"strconv"
	"strings"
)

// names are the names that a run gives to the objects of a kind.
type names struct {
	of map[int64]string // by the object's ID
	by map[string]int64 // the IDs by name; 0 is an object that the run creates
}

// plan registers the name that the run leaves an object with: it is found by that one alone.
func (n *names) plan(id int64, name string) {
	if n.by == nil {
		n.of, n.by = map[int64]string{}, map[string]int64{}
	}
	if id != 0 {
		if before, ok := n.of[id]; ok && n.by[before] == id {
			delete(n.by, before)
		}
		n.of[id] = name
	}
	n.by[name] = id
}

// folded is how the server compares the names of channels, and addresses: without regard to case.
func folded(text string) string { return strings.ToLower(text) }

// PlanChannelName registers the name that this run leaves a channel with: its old name counts as free, and it is found by
// the new one. An archived channel counts as unarchived. ID 0 is a channel that the run creates.
func (s *State) PlanChannelName(id int64, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.channels.plan(id, folded(name))
}

// PlannedChannel returns the ID of the channel to which this run gives a name; 0 for one that it creates.
func (s *State) PlannedChannel(name string) (id int64, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, planned = s.channels.by[folded(name)]
	return id, planned
}

// PlannedChannelName returns the name that this run leaves a channel with, in lower case.
func (s *State) PlannedChannelName(id int64) (name string, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, planned = s.channels.of[id]
	return name, planned
}

// PlanGroupName registers the name that this run leaves a user group with. A deactivated group counts as reactivated. ID 0
// is a group that the run creates. The server tells cases apart (server-behavior §G5).
func (s *State) PlanGroupName(id int64, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups.plan(id, name)
}

// PlannedGroup returns the ID of the user group to which this run gives a name; 0 for one that it creates.
func (s *State) PlannedGroup(name string) (id int64, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, planned = s.groups.by[name]
	return id, planned
}

// PlannedGroupName returns the name that this run leaves a user group with.
func (s *State) PlannedGroupName(id int64) (name string, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, planned = s.groups.of[id]
	return name, planned
}

// PlanAddress registers the address that this run leaves an account with, so that whoever refers to it may already
// name it. A deactivated account counts as reactivated. ID 0 is an account that the run creates.
func (s *State) PlanAddress(id int64, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addresses.plan(id, folded(address))
}

// PlannedUser returns the ID of the account to which this run gives an address; 0 for one that it creates.
func (s *State) PlannedUser(address string) (id int64, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, planned = s.addresses.by[folded(address)]
	return id, planned
}

// PlannedAddress returns the address, in lower case, that this run leaves an account with.
func (s *State) PlannedAddress(id int64) (address string, planned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	address, planned = s.addresses.of[id]
	return address, planned
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
