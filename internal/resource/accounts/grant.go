package accounts

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// RoleLock returns the lock for changes of the role of an account.
func RoleLock(id int64) string { return fmt.Sprint("role of ", id) }

// GaveRole registers a role that this run has given.
func GaveRole(meta *base.Meta, id int64, role zulip.Role) {
	meta.Run.Effects.Add(effects.Write{Kind: effects.GaveRole, ID: id, Value: int64(role)})
	meta.Store.GaveRole(id, role)
}

// HasGivenRole reports whether the role of a user is the last that this run has given. If so, no one has changed it since.
func HasGivenRole(meta *base.Meta, user *zulip.User) bool {
	given, ok := meta.Run.Effects.Last(effects.GaveRole, user.ID)
	return ok && given.Value == int64(user.Role)
}

// AfterRun sets the prior role of an account to the last that this run has given.
func AfterRun(known *effects.Log, id types.Int64, role *types.String) {
	if given, ok := known.Last(effects.GaveRole, id.ValueInt64()); ok {
		*role = types.StringValue(zulip.Role(given.Value).String())
	}
}

// Grant is a role that an apply gives to an account.
type Grant struct {
	ID int64
	// Email is the email by which the configuration names the account; "" if it names the ID.
	Email string
	// ByEmail is true if the request also identifies the account by its email. A resource sets it if it knows only
	// the email so far.
	ByEmail bool
	// Prior is the role that the plan was computed from.
	Prior, Planned zulip.Role
	// At is the attribute with the role, and Names the attribute that names the account.
	At, Names path.Path
	// Skips reports whether the current account keeps its role without an error. Optional.
	Skips func(now *zulip.User) bool
	// Then is called when the account has the role, before another resource of this run can change it. Optional.
	Then func()
}

// Give gives the role if the account still has the role and the email that the plan was computed from. It locks the
// role against other resources of this run. wrote is true if the role was sent. It adds conflicts to diags, and
// returns the error of a request.
//
// Before a request is repeated after a wait, the account is read again.
func (g Grant) Give(ctx context.Context, meta *base.Meta, diags *diag.Diagnostics) (wrote bool, err error) {
	unlock, err := meta.Run.Lock(ctx, RoleLock(g.ID))
	if err != nil {
		return false, err
	}
	defer unlock()
	err = meta.Client.Retry(ctx, func(ctx context.Context) error {
		now, byEmail, err := g.read(ctx, meta)
		switch {
		case err != nil:
			return err
		case now == nil:
			return fmt.Errorf("the server does not show the account %d to the provider's account", g.ID)
		case now.ID != g.ID:
			RefuseMovedEmail(g.Email, g.ID, now, g.Names, diags)
			return nil
		case g.Skips != nil && g.Skips(now):
			return nil
		}
		change := Change{User: now, Prior: g.Prior, Planned: g.Planned, At: g.At}
		if !change.Protect(ctx, meta, diags) {
			return nil
		}
		if now.Role != g.Planned {
			wrote = true
			if err := g.send(zulip.SendOnce(ctx), meta, byEmail); err != nil {
				meta.Store.Invalidate(store.Users, store.UserGroups) // it may have been executed
				return err
			}
		}
		if wrote { // also by a request whose answer was lost
			GaveRole(meta, now.ID, g.Planned)
		}
		if g.Then != nil {
			g.Then()
		}
		return nil
	})
	return wrote, err
}

// GiveBeforeReactivation gives a deactivated account the planned role, so that it is never active with another one. The
// server changes deactivated accounts too (server-behavior §U6). names is the attribute that names the account.
func GiveBeforeReactivation(ctx context.Context, meta *base.Meta, user *zulip.User, prior zulip.Role, planned types.String, names path.Path, diags *diag.Diagnostics) (ok bool) {
	role, isPlanned := zulip.ParseRole(planned.ValueString())
	if !isPlanned || role == prior {
		return true
	}
	grant := Grant{ID: user.ID, Prior: prior, Planned: role, At: path.Root("role"), Names: names}
	if _, err := grant.Give(ctx, meta, diags); err != nil {
		diags.AddAttributeError(grant.At, fmt.Sprintf("Cannot make %s %s", user.Address(), role), "The account stays deactivated. "+base.Explain(err))
	}
	return !diags.HasError()
}

// Returns returns the role of a reactivated account, and a text about it.
func Returns(user *zulip.User, planned types.String) (role zulip.Role, detail string) {
	role, isPlanned := zulip.ParseRole(planned.ValueString())
	if !isPlanned {
		role = user.Role
	}
	as := "as " + role.String()
	if planned.IsUnknown() {
		as = "with a role known after apply"
	}
	return role, fmt.Sprintf("It comes back %s, with its earlier channels, private ones too, and with its user groups and permissions. The server does not list the channels and groups of a deactivated account. "+
		"The next plan removes it from the lists and permissions that this configuration manages and that don't name it. Unset attributes are left unchanged.", as)
}

// read returns the account that has the email now, or the ID if no account has the email; nil if the provider's account
// sees neither.
func (g Grant) read(ctx context.Context, meta *base.Meta) (now *zulip.User, byEmail bool, err error) {
	if g.Email != "" {
		now, err = meta.Store.FreshUserNamed(ctx, g.Email)
	}
	if now == nil && err == nil {
		now, err = meta.Store.FreshUser(ctx, g.ID)
		return now, false, err
	}
	return now, true, err
}

// send sends the role.
func (g Grant) send(ctx context.Context, meta *base.Meta, byEmail bool) error {
	update := zulip.UserUpdate{Role: &g.Planned}
	if g.ByEmail && byEmail {
		return meta.Client.UpdateUserByEmail(ctx, g.Email, update)
	}
	return meta.Client.UpdateUser(ctx, g.ID, update)
}

// RefuseMovedEmail reports the error [lookup.MovedEmail] at an attribute.
func RefuseMovedEmail(email string, id int64, now *zulip.User, at path.Path, diags *diag.Diagnostics) {
	lookup.AddError(diags, at, lookup.MovedEmail(email, id, now), "")
}
