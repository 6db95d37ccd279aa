// Package lookup finds in a snapshot what a configuration names: a person or bot by address or ID, a user group or channel by
// name or ID. Errors are for people and suggest the nearest names. Functions whose names end in InPlan also tell what this
// run has yet to create. The way back are functions that keep a configured text while it names the same object, and write a
// name otherwise, as [KeepChannel].
//
// A [PrincipalList] does this for an attribute that is a list of people or of groups in any order.
package lookup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// User finds the person or bot that a `user` attribute means: an address, or an ID in digits. The error is for
// people and suggests the nearest address.
func User(view *snapshot.Snapshot, text string) (*zulip.User, error) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		if user, ok := view.User(id); ok {
			return user, nil
		}
		return nil, missingUser(text, "no person or bot with the ID %d is visible to the account the provider uses; the data source zulip_users lists those it sees", id)
	}
	if user, ok := view.UserByAddress(text); ok {
		return user, nil
	}
	if view.IsPlanned(permission.Principal{Kind: permission.KindUser, Name: text}) {
		return nil, notYet("account", "zulip_user", text)
	}
	names, absent := suggest.Names{Things: "addresses it sees", All: view.Addresses(), Where: "the data source zulip_users lists those it sees", Unquoted: true}, ""
	if strings.Contains(text, "@") && len(suggest.Nearest(text, names.All)) == 0 {
		absent = text
	}
	return nil, &missing{
		summary: suggest.MissingUser(text), absent: absent,
		err: fmt.Errorf("no person or bot with the address %q is visible to the account the provider uses%s", text, names.Suggest(text)),
	}
}

// Names returns the texts that are known of a list or set, for [store.Store.ReadNaming].
func Names(elements []attr.Value) (names []string) {
	for _, element := range elements {
		if text, ok := element.(types.String); ok && text.ValueString() != "" {
			if plain, err := permission.PlainUser(text.ValueString()); err == nil {
				names = append(names, plain)
			}
		}
	}
	return names
}

// UserInPlan is User for a plan. later says that this run has yet to create the account, and then user is nil, or
// to reactivate it.
func UserInPlan(view *snapshot.Snapshot, text string) (user *zulip.User, later bool, err error) {
	user, err = User(view, text)
	switch {
	case err == nil:
		return user, !user.IsActive && view.IsPlanned(permission.Principal{Kind: permission.KindUserID, ID: user.ID}), nil
	case view.IsPlanned(permission.Principal{Kind: permission.KindUser, Name: text}):
		return nil, true, nil
	}
	return nil, false, err
}

// KeepUser returns the words for a person or bot: those there are if they mean it, else its address. An address stays where the
// account is not shown the real one, and nobody else has it.
func KeepUser(kept string, user *zulip.User, view *snapshot.Snapshot) string {
	if kept == "" {
		return user.Address() // without a search for what may have been meant
	}
	found, err := User(view, kept)
	if err == nil && found.ID == user.ID || err != nil && !user.IsBot && user.DeliveryEmail == nil && strings.Contains(kept, "@") {
		return kept
	}
	return user.Address()
}
