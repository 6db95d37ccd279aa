package usergroup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// deactivate deactivates a group. Nothing is deleted for good (server-behavior §G9).
func deactivate(ctx context.Context, r *tableResource, state *model) error {
	id := state.ID.ValueInt64()
	err := sendDeactivate(ctx, r, id)
	objections := zulip.Objections(err)
	if len(objections) == 1 && objections[0].Type == "user_group" && objections[0].GroupID == id {
		// Nothing else names it: what its own permissions say of it ends with it.
		if err := leaveOwnPermissions(ctx, r, id, objections[0].Settings); err != nil {
			return err
		}
		err = sendDeactivate(ctx, r, id)
		objections = zulip.Objections(err)
	}
	if len(objections) == 0 {
		return err
	}
	var diags diag.Diagnostics
	diags.AddError(fmt.Sprintf("Cannot deactivate user group %q", state.Name.ValueString()), explainDeactivate(ctx, r, err, objections))
	return &base.Error{Diagnostics: diags}
}

// sendDeactivate sends the request that deactivates a group; one that is deactivated or gone already is fine.
func sendDeactivate(ctx context.Context, r *tableResource, id int64) error {
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.DeactivateUserGroup(ctx, id) })
	if err != nil && !zulip.IsMessage(err, "User group is deactivated.", "Invalid user group") {
		return err
	}
	r.Meta.Store.Invalidate(store.UserGroups)
	return nil
}

// leaveOwnPermissions removes a group from its own permissions, so that it can be deactivated (server-behavior §G9). Where
// the account manages it only as one of the group, it names itself instead.
func leaveOwnPermissions(ctx context.Context, r *tableResource, id int64, settings []string) error {
	now, err := r.Fresh(ctx, id)
	if err != nil {
		return err
	}
	nobody := permission.NobodyID(now.View)
	var steps []step
	for _, setting := range settings {
		value := now.Thing.Permissions[setting].Clone()
		if value.IsNamed() {
			value = zulip.GroupSettingValue{}
		}
		value.DirectSubgroups = without(value.DirectSubgroups, []int64{id})
		if self := r.Meta.Store.Self().ID; setting == "can_manage_group" && !slices.Contains(value.DirectMembers, self) {
			value.DirectMembers = append(value.DirectMembers, self)
		}
		steps = append(steps, attributes.Wire.Step(setting, now.Thing.Permissions[setting], permission.Canonical(value, nobody), now.View))
	}
	var diags diag.Diagnostics
	if r.Change(ctx, id, steps, now, &diags); diags.HasError() {
		return &base.Error{Diagnostics: diags}
	}
	return nil
}

// explainDeactivate says what still names the group: which channel, which right.
func explainDeactivate(ctx context.Context, r *tableResource, cause error, objections []zulip.Objection) string {
	text := base.Explain(cause)
	if len(objections) == 0 {
		return text
	}
	s, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return text
	}
	text += "\n\nIt is still named by:"
	for _, objection := range objections {
		text += "\n  " + describe(objection, s)
	}
	return text + "\n\nRemove it there first. To do both in one apply, let what names the group refer to its resource (\"group:${zulip_user_group.NAME.name}\"), and apply that resource once with lifecycle { create_before_destroy = true } before it is removed: otherwise Terraform deactivates the group before it changes the rest."
}

// describe describes one use of a group.
func describe(objection zulip.Objection, s *snapshot.Snapshot) string {
	settings := strings.Join(objection.Settings, ", ")
	group := func(id int64) string { return fmt.Sprintf("user group %q", lookup.GroupText(s, id)) }
	switch objection.Type {
	case "subgroup":
		var holders []string
		for _, id := range objection.SupergroupIDs {
			holders = append(holders, group(id))
		}
		return strings.Join(holders, ", ") + ", of which it is a subgroup"
	case "channel":
		if channel, ok := s.Channels().ByID(objection.ChannelID); ok {
			return fmt.Sprintf("channel %q: %s", channel.Name, settings)
		}
		return fmt.Sprintf("a channel that the provider's account does not see (ID %d): %s", objection.ChannelID, settings)
	case "user_group":
		return group(objection.GroupID) + ": " + settings
	case "realm":
		return "the organization: " + settings
	}
	return objection.Type + ": " + settings
}
