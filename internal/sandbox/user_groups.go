package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// groupObjects are groups as the API shows them, by id (server-behavior §G2).
func (r *request) groupObjects(deactivatedToo bool) []fields {
	objects := []fields{}
	for _, g := range r.org.Groups.All() {
		if g.Deactivated && !deactivatedToo {
			continue
		}
		object := fields{
			"id": g.ID, "name": g.Name, "description": g.Description,
			"members":             r.org.DirectMembers(g),
			"direct_subgroup_ids": append([]int{}, g.Subgroups...),
			"is_system_group":     g.System,
		}
		object["deactivated"] = g.Deactivated
		object["creator_id"] = g.CreatorID
		object["date_created"] = g.DateCreated
		for _, p := range rules.GroupPermissions {
			r.add(object, p.Since, p.Name, r.org.Shown(g.Permissions[p.Name]))
		}
		objects = append(objects, object)
	}
	return objects
}

func listUserGroups(r *request) (fields, error) {
	deactivatedToo := withDefault(r, "include_deactivated_groups", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return fields{"user_groups": r.groupObjects(deactivatedToo)}, nil
}

// registerUserGroups is the realm_user_groups part of a snapshot. Deactivated groups are for clients that support them.
func registerUserGroups(r *request, options registerOptions) fields {
	return fields{"realm_user_groups": r.groupObjects(options.capabilities["include_deactivated_groups"])}
}

func createUserGroup(r *request) (fields, error) {
	if err := r.org.CheckMayCreateGroups(r.me); err != nil {
		return nil, err
	}
	in := rules.NewGroup{
		Name:        required(r, "name", text()),
		Description: required(r, "description", text()),
		Members:     required(r, "members", integers),
		Subgroups:   withDefault(r, "subgroups", integers, nil),
		Permissions: permissionValues(r.params, rules.GroupPermissions),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	g, err := r.org.CreateGroup(r.me, in)
	if err != nil {
		return nil, err
	}
	answer := fields{}
	answer["group_id"] = g.ID
	return answer, nil
}

func updateUserGroup(r *request) (fields, error) {
	change := rules.GroupChange{
		Name:        optional(r, "name", text()),
		Description: optional(r, "description", text()),
		Deactivated: optional(r.since(featurelevel.SinceValue("zulip_user_group", "adopt_deactivated", "true")), "deactivated", boolean),
		Permissions: permissionChanges(r.params, rules.GroupPermissions),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateGroup(r.me, r.id("group_id"), change)
}

func deactivateUserGroup(r *request) (fields, error) {
	return nil, r.org.DeactivateGroup(r.me, r.id("group_id"))
}

func changeGroupMembers(r *request) (fields, error) {
	change := rules.MembershipChange{
		Add:             withDefault(r, "add", integers, nil),
		Delete:          withDefault(r, "delete", integers, nil),
		AddSubgroups:    withDefault(r, "add_subgroups", integers, nil),
		DeleteSubgroups: withDefault(r, "delete_subgroups", integers, nil),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	if len(change.Add)+len(change.Delete)+len(change.AddSubgroups)+len(change.DeleteSubgroups) == 0 {
		return nil, rules.Refuse("Nothing to do. Specify at least one of \"add\", \"delete\", \"add_subgroups\" or \"delete_subgroups\".")
	}
	return nil, r.org.ChangeMembership(r.me, r.id("group_id"), change)
}

func changeSubgroups(r *request) (fields, error) {
	change := rules.MembershipChange{
		DeleteSubgroups: withDefault(r, "delete", integers, nil),
		AddSubgroups:    withDefault(r, "add", integers, nil),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	if len(change.AddSubgroups)+len(change.DeleteSubgroups) == 0 {
		return nil, rules.Refuse("Nothing to do. Specify at least one of \"add\" or \"delete\".")
	}
	return nil, r.org.ChangeMembership(r.me, r.id("group_id"), change)
}

func getGroupMembers(r *request) (fields, error) {
	directOnly := withDefault(r, "direct_member_only", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	g, err := r.org.ReadableGroup(r.id("group_id"))
	if err != nil {
		return nil, err
	}
	if directOnly {
		return fields{"members": r.org.DirectMembers(g)}, nil
	}
	return fields{"members": r.org.AllMembers(g)}, nil
}

func getSubgroups(r *request) (fields, error) {
	directOnly := withDefault(r, "direct_subgroup_only", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	g, err := r.org.ReadableGroup(r.id("group_id"))
	if err != nil {
		return nil, err
	}
	if directOnly {
		return fields{"subgroups": append([]int{}, g.Subgroups...)}, nil
	}
	return fields{"subgroups": r.org.AllSubgroups(g)}, nil
}

func isGroupMember(r *request) (fields, error) {
	directOnly := withDefault(r, "direct_member_only", boolean, false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	g, err := r.org.ReadableGroup(r.id("group_id"))
	if err != nil {
		return nil, err
	}
	u, err := r.org.ActiveHuman(r.id("user_id"))
	if err != nil {
		return nil, err
	}
	in := r.org.GroupsOf(u)[g.ID]
	if directOnly {
		in = false
		for _, id := range r.org.DirectMembers(g) {
			in = in || id == u.ID
		}
	}
	return fields{"is_user_group_member": in}, nil
}
