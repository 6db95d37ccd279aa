package permission_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A guest cannot leave a group, whatever the value says: the server refuses the request. To mention one takes no such request.
func TestGuestsDoNotLeaveGroups(t *testing.T) {
	const member, guest = 1, 2
	access := permission.NewAccess(permission.AccessInput{Users: []*zulip.User{
		{ID: member, Role: zulip.RoleMember, IsActive: true}, {ID: guest, Role: zulip.RoleGuest, IsActive: true},
	}})
	for _, setting := range permission.UserGroupSettings {
		who := access.Admitted(permission.UserGroups, setting, zulip.GroupSettingValue{DirectMembers: []int64{member, guest}})
		if !who.Has(member) || who.Has(guest) != (setting.Name == "can_mention_group") {
			t.Errorf("%s: the guest has it: %t", setting.Name, who.Has(guest))
		}
	}
}
