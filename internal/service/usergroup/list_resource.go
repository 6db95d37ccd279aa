package usergroup

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user_group. Roles, which are groups on the server, are not listed.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.UserGroup]{
		Name: "user_group", Plural: "user groups",
		ListText: core.ListText{Description: "Lists the user groups of the organization, without roles such as `role:members`, which cannot be managed."},
		Objects: core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.UserGroup { return s.UserGroups().List() }, func(_ *snapshot.Snapshot, group *zulip.UserGroup) bool {
			return !group.IsSystemGroup
		}, store.Organization),
		Key:    func(group *zulip.UserGroup) any { return group.ID },
		Label:  func(group *zulip.UserGroup, _ *snapshot.Snapshot) string { return group.Name },
		IsGone: func(group *zulip.UserGroup) bool { return group.Deactivated }, GoneWord: "deactivated",
	})
}
