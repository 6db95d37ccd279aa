package organization

import (
	"context"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/compareandset"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// subject is the organization as what is changed.
func (r *Resource) subject() compareandset.Subject[*zulip.Realm, zulip.RealmUpdate] {
	return compareandset.Subject[*zulip.Realm, zulip.RealmUpdate]{
		Unread: "the organization",
		Name:   func(*zulip.Realm) string { return "the organization" },
		Read:   func(ctx context.Context, _ func(*zulip.Realm) bool) (*reading, error) { return r.fresh(ctx) },
		Send:   r.send,
	}
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
