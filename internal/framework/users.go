package framework

import (
	"fmt"
	"strconv"

	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// FindUser finds the person or bot that a `user` attribute means: an address, or an ID in digits. The error is for
// people and suggests the nearest address.
func FindUser(view *snapshot.Snapshot, text string) (*zulip.User, error) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		if user, ok := view.User(id); ok {
			return user, nil
		}
		return nil, fmt.Errorf("no person or bot of the organization has the ID %d; the data source zulip_users lists all", id)
	}
	if user, ok := view.UserByAddress(text); ok {
		return user, nil
	}
	if view.IsPlanned(permission.Principal{Kind: permission.KindUser, Name: text}) {
		return nil, notYet("account", "zulip_user", text)
	}
	names := Names{Things: "addresses it sees", All: view.Addresses(), Where: "the data source zulip_users lists those it sees", Unquoted: true}
	return nil, fmt.Errorf("no person or bot with the address %q is visible to the account the provider uses%s", text, names.Suggest(text))
}

// FindUserInPlan is FindUser for a plan. later says that this run has yet to create the account, and then user is nil, or
// to reactivate it.
func FindUserInPlan(view *snapshot.Snapshot, text string) (user *zulip.User, later bool, err error) {
	user, err = FindUser(view, text)
	switch {
	case err == nil:
		return user, !user.IsActive && view.IsPlanned(permission.Principal{Kind: permission.KindUserID, ID: user.ID}), nil
	case view.IsPlanned(permission.Principal{Kind: permission.KindUser, Name: text}):
		return nil, true, nil
	}
	return nil, false, err
}
