package userrole

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user_role: the people who have a role, and not bots.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.User]{
		Name: "user_role", Plural: "people", Identity: "user_id",
		ListText: core.ListText{Called: "email address", Description: "Lists the active people of the organization, each as the `zulip_user_role` that has their role. Bots are not listed. For people whose account is managed as `zulip_user`, set `role` there instead."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive
		}, store.Users),
		Key:     func(user *zulip.User) any { return user.ID },
		Label:   func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		Filters: []core.ListFilter[zulip.User]{core.RoleFilter()},
	})
}
