package user

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resourcekit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user. Bots have one of their own.
func NewListResource() list.ListResource {
	return resourcekit.NewList(resourcekit.List[zulip.User]{
		Name: "user", Plural: "users",
		ListText: resourcekit.ListText{Called: "email address", Description: "Lists the people of the organization. Bots are listed by `zulip_bot`."},
		Objects: resourcekit.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && !user.IsDeleted
		}, store.Users),
		Key:    func(user *zulip.User) any { return user.ID },
		Label:  func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		IsGone: func(user *zulip.User) bool { return !user.IsActive }, GoneWord: "deactivated",
		Filters: []resourcekit.ListFilter[zulip.User]{resourcekit.RoleFilter()},
	})
}
