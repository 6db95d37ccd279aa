package rolemembers

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
)

// NewListResource returns the list resource zulip_role_members: the roles that have a list.
func NewListResource() list.ListResource {
	return core.NewList(core.List[string]{
		Name: "role_members", Plural: "roles", Identity: "role",
		ListText: core.ListText{Called: "role", Description: "Lists the roles owner, administrator and moderator, each as the `zulip_role_members` that says who has it."},
		Objects: func(ctx context.Context, b *base.Base) ([]*string, *snapshot.Snapshot, error) {
			view, err := b.Meta.Store.Read(ctx, store.Users)
			roles := make([]*string, len(listed))
			for i := range listed {
				roles[i] = &listed[i]
			}
			return roles, view, err
		},
		Key:   func(role *string) any { return *role },
		Label: func(role *string, _ *snapshot.Snapshot) string { return *role },
	})
}
