package user

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user. Bots have one of their own.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.User]{
		Name: "user", Plural: "users",
		ListText: core.ListText{Called: "email address", Description: "Lists the people of the organization. Bots are listed by `zulip_bot`."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(_ *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && !user.IsDeleted
		}, store.Users),
		Key:    func(user *zulip.User) any { return user.ID },
		Label:  func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
		IsGone: func(user *zulip.User) bool { return !user.IsActive }, GoneWord: "deactivated",
		Filters: []core.ListFilter[zulip.User]{core.RoleFilter()},
	})
}
