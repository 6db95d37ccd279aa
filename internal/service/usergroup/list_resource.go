package usergroup

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resourcekit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user_group. Roles, which are groups on the server, are not listed.
func NewListResource() list.ListResource {
	return resourcekit.NewList(resourcekit.List[zulip.UserGroup]{
		Name: "user_group", Plural: "user groups",
		ListText: resourcekit.ListText{Description: "Lists the user groups of the organization, without roles such as `role:members`, which cannot be managed."},
		Objects: func(ctx context.Context, c *base.Base) ([]*zulip.UserGroup, *snapshot.Snapshot, error) {
			s, err := c.Meta.Store.Read(ctx, store.Organization)
			if err != nil {
				return nil, nil, err
			}
			groups := slices.Clone(s.UserGroups().List())
			return slices.DeleteFunc(groups, func(group *zulip.UserGroup) bool { return group.IsSystemGroup }), s, nil
		},
		Key:    func(group *zulip.UserGroup) any { return group.ID },
		Label:  func(group *zulip.UserGroup, _ *snapshot.Snapshot) string { return group.Name },
		IsGone: func(group *zulip.UserGroup) bool { return group.Deactivated }, GoneWord: "deactivated",
	})
}
