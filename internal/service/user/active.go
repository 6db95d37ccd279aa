package user

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accesswarning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// isInactive reports whether the model says that the account is deactivated.
func (a *account) isInactive() bool { return base.IsSet(a.Active) && !a.Active.ValueBool() }

// keepsDeactivated reports whether a state keeps a deactivated account: one that says whether it is active. One that was deleted on
// the server is no account any more.
func keepsDeactivated(a *account, user *zulip.User) bool {
	return !a.Active.IsNull() && !user.IsDeleted
}

// Update refuses to let go of active while the account is deactivated: the state would hold an account that counts as gone.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var prior, planned types.Bool
	var id types.Int64
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("active"), &prior)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("active"), &planned)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if base.IsSet(prior) && !prior.ValueBool() && planned.IsNull() {
		user, err := r.Meta.Store.FreshUser(ctx, id.ValueInt64())
		switch {
		case err != nil:
			resp.Diagnostics.AddError(fmt.Sprintf("Cannot read user %d", id.ValueInt64()), base.Explain(err))
			return
		case user != nil && !user.IsActive:
			summary, detail := unsetWhileDeactivated(user)
			resp.Diagnostics.AddAttributeError(path.Root("active"), summary, detail)
			return
		}
	}
	r.Resource.Update(ctx, req, resp)
}

func unsetWhileDeactivated(user *zulip.User) (summary, detail string) {
	return fmt.Sprintf("%s is deactivated, and active is not set", user.Address()),
		"Without active, the configuration asks for an active account, and reactivates none. Set active = false to keep the account as it is, or active = true to reactivate it, or remove the resource."
}

// setActive deactivates or reactivates the account, where that is planned.
func setActive(ctx context.Context, c *core.Context, planned, current *account) error {
	if !base.IsSet(planned.Active) || planned.Active.Equal(current.Active) {
		return nil
	}
	if planned.Active.ValueBool() {
		defer c.Meta.Store.Invalidate(store.Users, store.UserGroups)
		err := c.Meta.Client.ReactivateUser(ctx, current.ID.ValueInt64())
		if err == nil {
			c.Meta.Store.BecameActive()
		}
		return err
	}
	unlock, err := c.Meta.Run.Lock(ctx, kind+" "+strings.ToLower(planned.Email.ValueString())) // as if the resource were destroyed
	if err != nil {
		return err
	}
	defer unlock()
	err = deactivate(ctx, c, planned)
	if warned := (*base.Error)(nil); errors.As(err, &warned) && !warned.Diagnostics.HasError() {
		c.Diags.Append(warned.Diagnostics...)
		return nil
	}
	return err
}

// destroy deactivates the account, unless the resource has kept it deactivated.
func destroy(ctx context.Context, c *core.Context, state *account) error {
	if state.isInactive() {
		id := state.ID.ValueInt64()
		user, err := c.Meta.Store.FreshUser(ctx, id)
		if err == nil && (user == nil || !user.IsActive) {
			c.Meta.Run.Destroy(kind, id)
			return nil
		}
	}
	return deactivate(ctx, c, state)
}

// checkActive checks a deactivation as if the resource were destroyed, and says whom an update reactivates.
func checkActive(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User) {
	at := path.Root("active")
	if p.Prior.isInactive() && p.Meta.Run.WillBeCreated(kind, strings.ToLower(user.Address())) {
		refuseDuplicate(user, p.Diags)
	}
	switch {
	case p.Plan.Active.IsUnknown() || p.Plan.Active.Equal(p.Prior.Active):
	case p.Plan.isInactive() && user.IsActive:
		p.Meta.Run.PlanDeactivation(kind, user.ID)
		change := accounts.Deactivation(user)
		change.At = at
		change.Check(p.Meta, s, p.Diags)
		checkActions(p.Base, p.Plan, p.Diags)
		warnOfDeactivation(ctx, p, s, user, p.Plan)
	case user.IsActive:
	case p.Plan.Active.IsNull():
		summary, detail := unsetWhileDeactivated(user)
		p.Diags.AddAttributeWarning(at, summary, detail+" Otherwise the apply stops here.")
	case p.Plan.Active.ValueBool() && user.IsDeleted:
		summary, detail := accounts.Deleted(user, "email")
		p.Diags.AddAttributeError(at, summary, detail)
	case p.Plan.Active.ValueBool() && p.Meta.RequireRole(zulip.RoleAdministrator, at, "reactivate anybody", p.Diags):
		p.Meta.Run.PlanName(snapshot.AccountKind, user.ID, user.Address())
		warnOfReactivation(p, at, user)
	}
}

// warnOfReactivation says which account will be reactivated.
func warnOfReactivation(p *core.Plan[account], at path.Path, user *zulip.User) {
	p.Diags.AddAttributeWarning(at, fmt.Sprintf("The account of %s will be reactivated", user.Address()),
		fmt.Sprintf("It has the ID %d and the name %q, and keeps its messages and subscriptions. What this configuration does not set stays as it was.", user.ID, user.FullName))
}

// warnOfDeactivation warns what is lost when the account is deactivated. The actions are those of m.
func warnOfDeactivation(ctx context.Context, p *core.Plan[account], s *snapshot.Snapshot, user *zulip.User, m *account) {
	if p.Diags.HasError() {
		return
	}
	warnOfActions(p, s, user, m)
	accounts.WarnOfBots(p.Meta, user, p.Diags)
	accesswarning.OfDeactivation(ctx, p.Meta, p.Diags, user, s.Users())
}

// checkAdoptedInactive says that a new resource takes over a deactivated account and leaves it so, and refuses it where another
// resource of the configuration has the account.
func checkAdoptedInactive(p *core.Plan[account], holder *zulip.User) {
	run := &p.Meta.Run
	switch {
	case run.IsKept(kind, holder.ID):
		refuseDuplicate(holder, p.Diags)
	case !run.IsManaged(kind, holder.ID) && !run.IsDestroyed(kind, holder.ID):
		p.Diags.AddAttributeWarning(path.Root("active"), fmt.Sprintf("The deactivated account of %s will be adopted", holder.Address()),
			fmt.Sprintf("It has the ID %d and the name %q, and stays deactivated.", holder.ID, holder.FullName))
	}
}

// refuseDuplicate says that two resources of the configuration have the same account.
func refuseDuplicate(user *zulip.User, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("email"), fmt.Sprintf("Duplicate user address %q", user.Address()),
		"Another zulip_user in this configuration has the same account. Remove one of them.")
}

// refuseInactive says that there is no account which could be kept deactivated.
func refuseInactive(address string, diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("active"), fmt.Sprintf("%s has no account", address),
		"active = false keeps a deactivated account in the configuration, and creates none. If somebody with this address is to have an account, remove active = false. "+
			"If nobody is, remove the resource. An account that hides its address from the provider's account is not found by it: that one has to be managed before it is deactivated.")
}
