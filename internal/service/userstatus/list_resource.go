package userstatus

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user_status: the people who have a status.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.User]{
		Name: "user_status", Plural: "people", Identity: "user_id",
		ListText: core.ListText{Called: "email address", Description: "Lists the people who have a status at present, each as the `zulip_user_status` that has it."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(s *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive && s.Status(user.ID) != zulip.Status{}
		}, store.Users, store.Statuses),
		Key:   func(user *zulip.User) any { return user.ID },
		Label: func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
	})
}
