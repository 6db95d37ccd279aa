package organization

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// subject is the organization as what is changed.
func (r *Resource) subject(ctx context.Context) attribute.Subject[*zulip.Realm, zulip.RealmUpdate] {
	return attribute.Subject[*zulip.Realm, zulip.RealmUpdate]{
		Of:     "zulip_organization",
		Unread: "the organization",
		Name:   func(*zulip.Realm) string { return "the organization" },
		Read:   func(ctx context.Context, _ func(*zulip.Realm) bool) (*reading, error) { return r.fresh(ctx) },
		Send:   r.send,
		Renew:  r.renew,
	}
}

// renew sends what the organization has already, so that the server brings the copy up to date that it compares with
// (server-behavior §O10).
func (r *Resource) renew(ctx context.Context, pending pending) error {
	var unreadable diag.Diagnostics // reported when the state was read
	current := attributes.PriorObject(pending.Now, attribute.On(&r.Base, nil), &unreadable).Values
	update := zulip.RealmUpdate{Permissions: map[string]zulip.GroupSettingChange{}}
	names := pending.Attributes()
	for name, held := range pending.Now.Permissions {
		if slices.Contains(names, name) {
			update.Permissions[name] = zulip.GroupSettingChange{New: held}
		}
	}
	for _, setting := range allSettings {
		if slices.Contains(names, setting.Name) {
			row{setting}.put(&update, current, pending.Now, r.FeatureLevel())
		}
	}
	_, err := r.Meta.Client.UpdateRealm(ctx, update)
	return err
}

// send makes one request of everything. The server carries it out piece by piece (server-behavior §O2): what an error
// leaves behind is read then.
func (r *Resource) send(ctx context.Context, pending pending) (ignored []string, err error) {
	update := pending.Update()
	if slices.Contains(update.Settings.Names(), waitingAttribute) {
		// Who is a full member changes with it.
		defer r.Meta.Store.Invalidate(store.UserGroups)
	}
	answer, err := r.Meta.Client.UpdateRealm(ctx, update)
	if err != nil {
		return nil, err
	}
	return answer.IgnoredParameters, nil
}

// fresh reads the organization as it is now.
func (r *Resource) fresh(ctx context.Context) (*reading, error) {
	view, err := r.Meta.Store.Fresh(ctx, store.Organization)
	if err != nil {
		return nil, err
	}
	return &reading{Thing: view.Realm(), View: view}, nil
}
