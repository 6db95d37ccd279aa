package usergroup

import (
	"context"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// sendUpdate sends the group and its members in a request each. The group goes first, so that nothing else has changed when a
// permission is refused. The members go first where the right to change them may be given away, and where the group is
// reactivated: then nobody is a member for a moment who is not planned to be.
func sendUpdate(ctx context.Context, b *base.Base, id int64, p pending) (ignored []string, err error) {
	all := p.Update()
	group := func() error {
		if all.UserGroupUpdate.Empty() {
			return nil
		}
		answer, err := b.Meta.Client.UpdateUserGroup(ctx, id, all.UserGroupUpdate)
		if err == nil {
			ignored = answer.IgnoredParameters
		}
		return err
	}
	membership := func() error {
		if all.MembershipChange.Empty() {
			return nil
		}
		return b.Meta.Client.ChangeUserGroupMembership(ctx, id, all.MembershipChange)
	}
	ordered := []func() error{group, membership}
	_, givesAway := all.Permissions["can_manage_group"]
	if all.Deactivated == nil && givesAway || all.Deactivated != nil && b.HasLevel(featurelevel.DeactivatedGroupMembers) {
		slices.Reverse(ordered)
	}
	for _, request := range ordered {
		if err := request(); err != nil {
			return nil, err
		}
	}
	return ignored, nil
}
