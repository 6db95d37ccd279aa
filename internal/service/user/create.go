package user

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// make makes the account, or takes a deactivated one back, and returns its ID; 0 after an error.
func (r *Resource) make(ctx context.Context, plan *account, password string, diags *diag.Diagnostics) int64 {
	email := plan.Email.ValueString()
	summary := fmt.Sprintf("Cannot make an account for %s", email)
	if err := framework.EarlierRefusal(r.Meta, kind); err != nil {
		diags.AddError(summary, framework.Sentence(err))
		return 0
	}
	adopted, adopts := r.Meta.Run.Take(kind, strings.ToLower(email))
	namesake, err := r.Meta.Client.UserByEmail(ctx, email)
	switch {
	case err == nil && !namesake.IsActive && !namesake.IsDeleted && !namesake.IsBot && (plan.AdoptDeactivated.ValueBool() || r.Meta.Run.IsDestroyed(kind, namesake.ID)):
		return r.reactivate(ctx, namesake, diags)
	case err == nil && adopts && namesake.ID == adopted:
		return namesake.ID
	case err == nil && namesake.IsActive && !namesake.IsBot:
		r.existing(plan, namesake).Refuse(r.Meta, diags)
		return 0
	case err == nil:
		reason, detail := taken(namesake)
		diags.AddAttributeError(path.Root("email"), reason, detail)
		return 0
	case !zulip.IsNoUser(err):
		diags.AddError(summary, "Nothing was sent, for it could not be looked whether the address has an account. "+framework.Explain(err))
		return 0
	}
	if password == "" {
		password = rand.Text() + rand.Text()
	}
	id, err := r.create(ctx, zulip.NewUser{Email: email, FullName: strings.TrimSpace(plan.FullName.ValueString()), Password: password})
	if err != nil {
		diags.AddError(summary, explain(err))
	}
	r.Meta.Store.BecameActive()
	return id
}

// create makes the account. After a lost answer it is looked for.
func (r *Resource) create(ctx context.Context, user zulip.NewUser) (int64, error) {
	read := func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Read(ctx, store.Users) } // what is there before is in the snapshot
	return framework.Creation{
		Kind: kind, Thing: strings.ToLower(user.Email),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			view, err := read(ctx)
			read = func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Fresh(ctx, store.Users) }
			if err != nil {
				return 0, err
			}
			return made(view, user, free), nil
		},
		Make: func(ctx context.Context) (int64, error) {
			var id int64
			err := r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
				id, err = r.Meta.Client.CreateUser(ctx, user)
				return err
			})
			return id, err
		},
	}.Run(ctx, r.Meta)
}

// made returns the account with the address, or, since the person may hide it, one of the name with a hidden address,
// for which free reports true. Every one that may be it is asked about.
func made(view *snapshot.Snapshot, wanted zulip.NewUser, free func(int64) bool) (id int64) {
	for _, user := range view.Users() {
		mayBe := sameEmail(user.Address(), wanted.Email) || hidesEmail(user) && user.FullName == wanted.FullName
		if mayBe && !user.IsBot && free(user.ID) && id == 0 {
			id = user.ID
		}
	}
	return id
}

// reactivate takes a deactivated account back and returns its ID; 0 after an error.
func (r *Resource) reactivate(ctx context.Context, user *zulip.User, diags *diag.Diagnostics) int64 {
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.ReactivateUser(ctx, user.ID) })
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot reactivate %s", user.Address()), explain(err))
		return 0
	}
	r.Meta.Run.Manage(kind, user.ID)
	r.Meta.Store.BecameActive()
	return user.ID
}

// explain adds what a refusal means for an account, where that is special.
func explain(err error) string {
	text := framework.Explain(err)
	switch {
	case zulip.IsMessage(err, "User not authorized to create users"):
		text += "\n\n" + shellRight("can_create_users") + " Without it, invite people instead."
	case zulip.IsMessage(err, "User not authorized to change user emails"):
		text += "\n\n" + shellRight("can_change_user_emails") + " Without it, only the person changes the address."
	case zulip.IsMessage(err, "Email is already in use."):
		text += "\n\nThe address has an account that the account the provider uses does not find by it, because the person hides the address. Import the account by its ID, which the organization's settings show in the list of users; one that is deactivated has to be reactivated there first."
	case zulip.IsMessage(err, "The password is too weak."):
		text += "\n\nWrite a longer password, or leave it out: one is made up then that nobody knows."
	}
	return text
}

// shellRight explains a right that no role has.
func shellRight(right string) string {
	return fmt.Sprintf("Being an administrator or owner is not enough: the account needs the right %s, which no part of the API grants or shows. Whoever runs the server grants it there: manage.py change_user_role -r ORGANIZATION ADDRESS %s.", right, right)
}
