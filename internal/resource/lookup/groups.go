package lookup

import (
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// GroupReference is the user group that a configuration means.
type GroupReference struct {
	Key runstate.GroupKey
	// Group is nil while this run has yet to create it.
	Group *zulip.UserGroup
}

// Group finds the user group that a `group` attribute means: an ID in digits, or a name, `role:members` among them;
// "name:2024" is the group called 2024. Deactivated groups and such that this run creates are found too. The error is for
// people and suggests the nearest names.
func Group(view *snapshot.Snapshot, text string) (GroupReference, error) {
	name, byName := strings.CutPrefix(text, "name:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && !byName {
		if group, ok := view.UserGroup(id); ok {
			return GroupReference{runstate.GroupKey{ID: id}, group}, nil
		}
		return GroupReference{}, missingGroup(text, "the organization has no user group with the ID %d (a group whose name is a number is found as name:%d)", id, id)
	}
	if group, ok := view.UserGroupByName(name); ok {
		return GroupReference{runstate.GroupKey{ID: group.ID}, group}, nil
	}
	principal := permission.Principal{Kind: permission.KindGroup, Name: name}
	if view.IsPlanned(principal) {
		return GroupReference{Key: runstate.GroupKey{Name: name}}, nil
	}
	names := suggest.Names{Things: "user groups", All: view.GroupNames(), Where: "the data source zulip_user_groups lists all"}
	if strings.HasPrefix(name, "role:") {
		names = suggest.Names{Things: "roles", All: view.RoleNames()}
	}
	return GroupReference{}, missingGroup(name, "the organization has no user group called %q%s", name, names.Suggest(name))
}

// GroupText writes a group as Group reads it: by its name, where there is one.
func GroupText(view *snapshot.Snapshot, id int64) string {
	group, ok := view.UserGroup(id)
	if !ok {
		return strconv.FormatInt(id, 10)
	}
	if _, err := strconv.ParseInt(group.Name, 10, 64); err == nil || strings.HasPrefix(group.Name, "name:") || permission.IsPrincipal(group.Name) && !group.IsSystemGroup {
		return "name:" + group.Name
	}
	return group.Name
}
