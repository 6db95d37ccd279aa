package userstatus

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resourcekit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_user_status: the people who have a status.
func NewListResource() list.ListResource {
	return resourcekit.NewList(resourcekit.List[zulip.User]{
		Name: "user_status", Plural: "people", Identity: "user_id",
		ListText: resourcekit.ListText{Called: "email address", Description: "Lists the people who have a status at present, each as the `zulip_user_status` that has it."},
		Objects: resourcekit.FromSnapshot((*snapshot.Snapshot).Users, func(s *snapshot.Snapshot, user *zulip.User) bool {
			return !user.IsBot && user.IsActive && s.Status(user.ID) != zulip.Status{}
		}, store.Users, store.Statuses),
		Key:   func(user *zulip.User) any { return user.ID },
		Label: func(user *zulip.User, _ *snapshot.Snapshot) string { return user.Address() },
	})
}
