package subscription

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// memory is what a resource remembers beside its attributes: how the people that it is about were when the state was
// written.
type memory struct {
	// Unsubscribed were members of the groups, and not subscribed through them: `group_user_ids` is without them.
	Unsubscribed []int64 `json:"unsubscribed,omitempty"`
	// Gone were in `group_user_ids`, and no members any more.
	Gone []int64 `json:"gone,omitempty"`
	// Deactivated were deactivated: that they are not subscribed when they are reactivated does not mean that they left.
	Deactivated []int64 `json:"deactivated,omitempty"`
}

// privateMemory is where it stands in the private state.
const privateMemory = "memory"

// readMemory returns what is remembered; nil for nothing, as in states of earlier versions.
func readMemory(ctx context.Context, private permissionattribute.PrivateGetter, diags *diag.Diagnostics) *memory {
	data, problems := private.GetKey(ctx, privateMemory)
	diags.Append(problems...)
	if data == nil {
		return nil
	}
	m := &memory{}
	if err := json.Unmarshal(data, m); err != nil {
		diags.AddError("Cannot read the private data of the state", "It is not what the provider writes: "+err.Error()+
			"\n\nRemove the resource from the state (terraform state rm ADDRESS) and import it again.")
		return nil
	}
	return m
}

func (m *memory) write(ctx context.Context, private permissionattribute.PrivateSetter, diags *diag.Diagnostics) {
	data, err := json.Marshal(m)
	if err != nil {
		diags.AddError("Cannot write the private data of the state", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, privateMemory, data)...)
}

// remember returns what to remember of a state that lists these people, and whose groups have these members.
func (s *shared) remember(listed people, members ids, view *snapshot.Snapshot) *memory {
	through := numbersIn(s.GroupUsers)
	deactivated := through.filter(func(id int64) bool { return isDeactivated(id, view) })
	maps.Copy(deactivated, listed.deactivated)
	return &memory{
		Unsubscribed: members.minus(through), Gone: through.minus(members), Deactivated: slices.Sorted(maps.Keys(deactivated)),
	}
}

// members returns who was in the groups when the state was written.
func (m *memory) members(state *shared) ids {
	was := numbersIn(state.GroupUsers)
	maps.Copy(was, setOf(m.Unsubscribed))
	for _, id := range m.Gone {
		delete(was, id)
	}
	return was
}

// subscribed returns who was subscribed when a state was written that lists these people.
func (s *shared) subscribed(listed people) ids {
	was := maps.Clone(listed.active)
	maps.Copy(was, numbersIn(s.GroupUsers))
	for id := range numbersIn(s.Left) {
		delete(was, id)
	}
	return was
}

// resubscribes reports whether those who have left are subscribed again.
func (s *shared) resubscribes() bool { return s.Resubscribe.IsNull() || s.Resubscribe.ValueBool() }

// skipped returns those of some who have left that are not subscribed again.
func (s *shared) skipped(left ids) ids {
	if s.resubscribes() {
		return ids{}
	}
	return left
}

// refresh brings the attributes that say who is subscribed through groups, and who has left, up to date with who is in the
// channel and who is in the groups. It comes before whatever drops from `users` who is not in the channel.
func (s *shared) refresh(in ids, listed people, members ids, was *memory, view *snapshot.Snapshot) {
	left := numbersIn(s.Left)
	subscribed := s.subscribed(listed).filter(func(id int64) bool { user, ok := view.User(id); return ok && user.IsActive })
	if was != nil {
		for _, id := range was.Deactivated {
			delete(subscribed, id)
		}
	}
	maps.Copy(left, subscribed)
	s.setLeft(left.filter(func(id int64) bool { return !in[id] }))
	if s.Groups.IsNull() {
		s.GroupUsers = types.ListNull(types.Int64Type)
		return
	}
	through := numbersIn(s.GroupUsers)
	maps.Copy(through, members)
	s.GroupUsers = numbersOf(through.and(in))
}

// setLeft writes who has left; nobody is null, as in states of earlier versions.
func (s *shared) setLeft(left ids) {
	s.Left = types.ListNull(types.Int64Type)
	if len(left) > 0 {
		s.Left = numbersOf(slices.Sorted(maps.Keys(left)))
	}
}

// takeGroups leaves those who are in the channel among those who are subscribed through groups, and among those who have
// left those who are not.
func (s *shared) takeGroups(in ids) {
	if !s.GroupUsers.IsNull() {
		s.GroupUsers = numbersOf(numbersIn(s.GroupUsers).and(in))
	}
	s.setLeft(numbersIn(s.Left).filter(func(id int64) bool { return !in[id] }))
}

// isSame reports whether a plan leaves everybody as the state has them.
func (s *shared) isSame(prior *shared) bool {
	return s.Users.Equal(prior.Users) && s.Groups.Equal(prior.Groups) && s.GroupUsers.Equal(prior.GroupUsers) && s.Left.Equal(prior.Left) &&
		s.resubscribes() == prior.resubscribes()
}
