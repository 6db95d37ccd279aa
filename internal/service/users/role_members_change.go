package users

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// holders reads who has the role of a list, ascending. The server's list of people can be behind (server-behavior §U18), and the
// groups of the roles are not: whoever is in one of the two only, is asked for by itself. names are read too.
func (r *roleMembersResource) holders(ctx context.Context, m *roleMembersModel, diags *diag.Diagnostics) (view *snapshot.Snapshot, held []int64, ok bool) {
	role := m.role()
	if !r.Meta.SeesEverybody() {
		r.Meta.ReportUnseen(fmt.Sprintf("It is not shown everybody, and so not who has the role %s.", role), diags)
		return nil, nil, false
	}
	view, err := r.Meta.Store.ReadNaming(ctx, lookup.Names(m.Users.Elements()), store.UserGroups)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return nil, nil, false
	}
	group, isThere := view.UserGroups().ByName(permission.RoleGroup(role))
	for _, user := range slices.Clone(view.Users()) {
		hasRole := user.IsActive && user.Role == role
		if !isThere || hasRole == slices.Contains(group.Members, user.ID) {
			continue
		}
		if view, err = r.Meta.Store.ReadUser(ctx, user.ID); err != nil {
			diags.AddError("Cannot read "+user.Address(), base.Explain(err))
			return nil, nil, false
		}
	}
	for _, user := range view.Users() {
		if user.IsActive && user.Role == role {
			held = append(held, user.ID)
		}
	}
	slices.Sort(held)
	return view, held, true
}

// wanted finds in an apply whom the list names.
func (r *roleMembersResource) wanted(ctx context.Context, plan *roleMembersModel, diags *diag.Diagnostics) (view *snapshot.Snapshot, wanted lookup.ResolvedList, ok bool) {
	view, err := r.Meta.Store.ReadNaming(ctx, lookup.Names(plan.Users.Elements()), store.Users)
	if err != nil {
		diags.AddError("Cannot read the people", base.Explain(err))
		return nil, wanted, false
	}
	wanted, known := lookup.UserList.Resolve(plan.Users, view)
	for _, err := range wanted.Problems {
		lookup.AddError(diags, path.Root("users"), err, "")
	}
	if !known || len(wanted.Planned) > 0 {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			fmt.Sprintf("The plan was to create or to reactivate %s before. Refer to the resource that does, so that Terraform knows the order.", cmp.Or(strings.Join(wanted.Planned, ", "), "an account")))
	}
	return view, wanted, !diags.HasError()
}

// move is that an account gets another role.
type move struct {
	id      int64
	address string
	// prior returns the role that the plan was computed from, of an account as it is now.
	prior func(now *zulip.User) zulip.Role
	to    zulip.Role
	// leaves is the role that is taken away; zero for one that is given.
	leaves zulip.Role
}

// arrivals are the moves of those who come into a list. known are the roles at the last refresh; nil if there was none, and then those
// of the snapshot are compared with.
func arrivals(ids []int64, role zulip.Role, view *snapshot.Snapshot, known knownRoles) (moves []move) {
	for _, id := range ids {
		user, ok := view.User(id)
		if !ok || known == nil && user.Role == role {
			continue
		}
		m := move{id: id, address: user.Address(), to: role, prior: func(*zulip.User) zulip.Role { return user.Role }}
		if known != nil {
			m.prior = known.of
		}
		moves = append(moves, m)
	}
	return moves
}

// departures are the moves of those who are taken out of a list: the provider's account last, while it still may.
func departures(ids []int64, m *roleMembersModel, view *snapshot.Snapshot, self int64) (moves []move) {
	role := m.role()
	for _, id := range ids {
		if user, ok := view.User(id); ok {
			moves = append(moves, move{id: id, address: user.Address(), to: m.demotion(), leaves: role, prior: func(*zulip.User) zulip.Role { return role }})
		}
	}
	slices.SortStableFunc(moves, func(a, b move) int {
		switch self {
		case a.id:
			return 1
		case b.id:
			return -1
		}
		return 0
	})
	return moves
}

// carryOut gives the role to those who come, and takes it from those who leave: from nobody, if one who was to come could not be given
// it. It returns whether anybody's role was written.
func (r *roleMembersResource) carryOut(ctx context.Context, come, leave []move, diags *diag.Diagnostics) (wrote bool) {
	for _, moves := range [][]move{come, leave} {
		if diags.HasError() {
			break
		}
		for _, m := range moves {
			written, err := r.give(ctx, m, diags)
			wrote = wrote || written
			if err != nil { // the next would fail as well
				diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Cannot make %s %s", m.address, m.to), base.Explain(err))
				break
			}
		}
	}
	return wrote
}

// give reads an account again, and gives it the role if it still has the one that the plan was computed from. It reports what stands
// against it, and returns the error of a request.
func (r *roleMembersResource) give(ctx context.Context, m move, diags *diag.Diagnostics) (wrote bool, err error) {
	unlock, err := r.Meta.Run.Lock(ctx, accounts.RoleLock(m.id))
	if err != nil {
		return false, err
	}
	defer unlock()
	err = r.Meta.Client.Retry(ctx, func(ctx context.Context) error {
		now, err := r.Meta.Store.FreshUser(ctx, m.id)
		if err != nil {
			return err
		}
		if now == nil || !now.IsActive {
			tflog.Info(ctx, "The account was deactivated since the plan: its role stays as it is", map[string]any{"user": m.address})
			return nil
		}
		if m.leaves != 0 && now.Role != m.leaves && r.Meta.Run.HasGivenRole(now.ID, int(now.Role)) {
			tflog.Info(ctx, "Another resource has given the account its role", map[string]any{"user": m.address, "role": now.Role.String()})
			return nil
		}
		change := accounts.Change{User: now, Prior: m.prior(now), Planned: m.to, At: path.Root("users")}
		if !change.Protect(ctx, r.Meta, diags) || now.Role == m.to {
			return nil
		}
		wrote = true
		if err := r.Meta.Client.UpdateUser(ctx, now.ID, zulip.UserUpdate{Role: &m.to}); err != nil {
			r.Meta.Store.Invalidate(store.Users, store.UserGroups) // it may have been carried out
			return err
		}
		accounts.GaveRole(r.Meta, now.ID, m.to)
		return nil
	})
	return wrote, err
}

// knownRoles are the roles of accounts, as the last refresh read them: who is about to come into a list is not in the state, and the
// prior role has to be known all the same. Whoever is not among them was a member.
type knownRoles map[int64]zulip.Role

// privateRoles is where they stand in the private state: the IDs by role.
const privateRoles = "roles"

// of returns the role that an account had.
func (k knownRoles) of(now *zulip.User) zulip.Role {
	if role, ok := k[now.ID]; ok {
		return role
	}
	return zulip.RoleMember
}

func readRoles(ctx context.Context, private attribute.PrivateGetter, diags *diag.Diagnostics) knownRoles {
	data, problems := private.GetKey(ctx, privateRoles)
	diags.Append(problems...)
	if data == nil {
		return nil
	}
	stored := map[zulip.Role][]int64{}
	if err := json.Unmarshal(data, &stored); err != nil {
		diags.AddError("The state's private data cannot be read", err.Error())
	}
	known := knownRoles{}
	for role, ids := range stored {
		for _, id := range ids {
			known[id] = role
		}
	}
	return known
}

// writeRoles writes the roles of a snapshot into the private state.
func writeRoles(ctx context.Context, view *snapshot.Snapshot, private attribute.PrivateSetter, diags *diag.Diagnostics) {
	stored := map[zulip.Role][]int64{}
	for _, user := range view.Users() {
		if user.IsActive && user.Role != zulip.RoleMember {
			stored[user.Role] = append(stored[user.Role], user.ID)
		}
	}
	data, err := json.Marshal(stored)
	if err != nil {
		diags.AddError("The roles of now cannot be kept", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, privateRoles, data)...)
}

// keepRoles writes the roles after an apply.
func (r *roleMembersResource) keepRoles(ctx context.Context, private attribute.PrivateSetter, diags *diag.Diagnostics) {
	if view, err := r.Meta.Store.Read(ctx, store.Users); err == nil { // else the next refresh does
		writeRoles(ctx, view, private, diags)
	}
}
