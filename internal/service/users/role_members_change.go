package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// holders returns the users with the role of a list, ascending, and reads the listed users too. The server's list of
// people can be behind (server-behavior §U18), but the groups of the roles are not. A user in only one of the two is
// therefore read separately. view is nil if the account does not see everyone, which is reported.
func (m *roleMembersModel) holders(ctx context.Context, c *roleMembersCall) (view *snapshot.Snapshot, held []int64, err error) {
	role := m.role()
	if !c.Meta.SeesEverybody() {
		found := fmt.Sprintf("The server shows guests only some people, so the account cannot see who has the role %s. ", role) + base.SeenByMembers
		if c.State == nil {
			return nil, nil, base.Refused(path.Root("users"), base.UnseenSummary, found)
		}
		c.Meta.ReportUnseen(found, c.Diags)
		return nil, nil, nil
	}
	view, err = c.ReadNaming("the people", lookup.Names(m.Users.Elements()), store.UserGroups)
	if err != nil {
		return nil, nil, err
	}
	group, isThere := view.UserGroups().ByName(permission.RoleGroup(role))
	for _, user := range slices.Clone(view.Users()) {
		hasRole := user.IsActive && user.Role == role
		if !isThere || hasRole == slices.Contains(group.Members, user.ID) {
			continue
		}
		if view, err = c.Meta.Store.ReadUser(ctx, user.ID); err != nil {
			return nil, nil, base.Failed("Cannot read "+user.Address(), err)
		}
	}
	for _, user := range view.Users() {
		if user.IsActive && user.Role == role {
			held = append(held, user.ID)
		}
	}
	slices.Sort(held)
	return view, held, nil
}

// having returns the IDs of the active users with a role, out of some IDs.
func having(ids []int64, role zulip.Role, view *snapshot.Snapshot) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		user, ok := view.User(id)
		return !ok || !user.IsActive || user.Role != role
	})
}

// grant returns the role that an account gets by the list.
func (roleMembers) grant(ctx context.Context, user *zulip.User, email string, prior, planned zulip.Role, skips func(now *zulip.User) bool) grant {
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

// arrivals returns the grants for users who are added to a list. known are the roles at the last refresh. If it is nil,
// the prior roles are those of the snapshot.
func (r roleMembers) arrivals(ctx context.Context, c *roleMembersCall, ids []int64, emails map[int64]string, view *snapshot.Snapshot, known knownRoles) (grants []grant) {
	role := c.Plan.role()
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

// departures returns the grants for users who are removed from a list. The provider's account is last, while it still
// may change roles.
func (r roleMembers) departures(ctx context.Context, c *roleMembersCall, ids []int64, emails map[int64]string, view *snapshot.Snapshot) (grants []grant) {
	role, self := c.Plan.role(), c.Meta.Store.Self().ID
	isGiven := func(now *zulip.User) bool { // another resource of this run has changed it
		return now.Role != role && accounts.HasGivenRole(c.Meta, now)
	}
	for _, id := range ids {
		if user, ok := view.User(id); ok {
			grants = append(grants, r.grant(ctx, user, emails[id], role, c.Plan.demotion(), isGiven))
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

// carryOut gives the role to new users, and takes it from leaving ones. If a new user could not get the role, no one
// loses it. The result is true if any role was written.
func (roleMembers) carryOut(ctx context.Context, c *roleMembersCall, come, leave []grant) (wrote bool) {
	for _, grants := range [][]grant{come, leave} {
		if c.Diags.HasError() {
			break
		}
		for _, one := range grants {
			written, err := one.Give(ctx, c.Meta, c.Diags)
			wrote = wrote || written
			if err != nil { // the next request would fail too
				c.Diags.AddAttributeError(path.Root("users"), fmt.Sprintf("Cannot make %s %s", one.email, one.Planned), base.Explain(err))
				break
			}
		}
	}
	return wrote
}

// knownRoles are the roles of accounts at the last refresh. They are the prior roles of users who are added to a
// list, which the state does not have. Deactivated accounts have a prior role too, for when they are reactivated. An
// account that is not included was a member.
type knownRoles map[zulip.Role][]int64

// privateRoles is their key in the private state.
const privateRoles = "roles"

// of returns the prior role of an account.
func (k knownRoles) of(id int64) zulip.Role {
	for role, ids := range k {
		if slices.Contains(ids, id) {
			return role
		}
	}
	return zulip.RoleMember
}

// writeRoles writes the roles of a snapshot into the private state.
func writeRoles(ctx context.Context, view *snapshot.Snapshot, private base.PrivateSetter, diags *diag.Diagnostics) {
	known := knownRoles{}
	for _, user := range view.Users() {
		if user.Role != zulip.RoleMember {
			known[user.Role] = append(known[user.Role], user.ID)
		}
	}
	base.WritePrivate(ctx, private, privateRoles, known, diags)
}
