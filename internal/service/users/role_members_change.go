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
	wanted, known := lookup.UserList.ResolveAs(plan.Users, plan.UserIDs, view)
	reportMoved(wanted, diags)
	for _, err := range wanted.Problems {
		lookup.AddError(diags, path.Root("users"), err, "")
	}
	if !known || len(wanted.Planned) > 0 {
		diags.AddAttributeError(path.Root("users"), "Somebody is still not in the organization",
			fmt.Sprintf("The plan was to create or to reactivate %s before. Refer to the resource that does, so that Terraform knows the order.", cmp.Or(strings.Join(wanted.Planned, ", "), "an account")))
	}
	return view, wanted, !diags.HasError()
}

// reportMoved reports the emails of a list that belong to other users than in the state or the plan.
func reportMoved(resolved lookup.ResolvedList, diags *diag.Diagnostics) {
	for _, err := range resolved.Moved {
		lookup.AddError(diags, path.Root("users"), err, "")
	}
}

// grant is the role that an account gets by the list.
func (r *roleMembersResource) grant(ctx context.Context, user *zulip.User, email string, prior, planned zulip.Role, skips func(now *zulip.User) bool) grant {
	return grant{user.Address(), accounts.Grant{
		ID: user.ID, Email: email, Prior: prior, Planned: planned, At: path.Root("users"), Names: path.Root("users"),
		Skips: func(now *zulip.User) bool {
			if !now.IsActive {
				tflog.Info(ctx, "The account was deactivated since the plan: its role stays as it is", map[string]any{"user": user.Address()})
			}
			return !now.IsActive || skips != nil && skips(now)
		},
	}}
}

// grant is a role that an account gets, with its email for messages.
type grant struct {
	email string
	accounts.Grant
}

// arrivals are the grants of those who come into a list. known are the roles at the last refresh; nil if there was none, and then those
// of the snapshot are compared with.
func (r *roleMembersResource) arrivals(ctx context.Context, ids []int64, emails map[int64]string, role zulip.Role, view *snapshot.Snapshot, known knownRoles) (grants []grant) {
	for _, id := range ids {
		user, ok := view.User(id)
		if !ok || known == nil && user.Role == role {
			continue
		}
		prior := user.Role
		if known != nil {
			prior = known.of(id)
		}
		grants = append(grants, r.grant(ctx, user, emails[id], prior, role, nil))
	}
	return grants
}

// departures are the grants of those who are taken out of a list: the provider's account last, while it still may.
func (r *roleMembersResource) departures(ctx context.Context, ids []int64, emails map[int64]string, m *roleMembersModel, view *snapshot.Snapshot) (grants []grant) {
	role, self := m.role(), r.Meta.Store.Self().ID
	isGiven := func(now *zulip.User) bool { // by another resource of this run
		return now.Role != role && r.Meta.Run.HasGivenRole(now.ID, int(now.Role))
	}
	for _, id := range ids {
		if user, ok := view.User(id); ok {
			grants = append(grants, r.grant(ctx, user, emails[id], role, m.demotion(), isGiven))
		}
	}
	slices.SortStableFunc(grants, func(a, b grant) int {
		switch self {
		case a.ID:
			return 1
		case b.ID:
			return -1
		}
		return 0
	})
	return grants
}

// carryOut gives the role to those who come, and takes it from those who leave: from nobody, if one who was to come could not be given
// it. It returns whether anybody's role was written.
func (r *roleMembersResource) carryOut(ctx context.Context, come, leave []grant, diags *diag.Diagnostics) (wrote bool) {
	for _, grants := range [][]grant{come, leave} {
		if diags.HasError() {
			break
		}
		for _, one := range grants {
			written, err := one.Give(ctx, r.Meta, diags)
			wrote = wrote || written
			if err != nil { // the next would fail as well
				diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Cannot make %s %s", one.email, one.Planned), base.Explain(err))
				break
			}
		}
	}
	return wrote
}

// knownRoles are the roles of accounts, as the last refresh read them: who is about to come into a list is not in the state, and the
// prior role has to be known all the same. Deactivated accounts have a role too: it is their prior role when they are reactivated.
// Whoever is not among them was a member.
type knownRoles map[int64]zulip.Role

// privateRoles is where they stand in the private state: the IDs by role.
const privateRoles = "roles"

// of returns the role that an account had.
func (k knownRoles) of(id int64) zulip.Role {
	if role, ok := k[id]; ok {
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
		if user.Role != zulip.RoleMember {
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
