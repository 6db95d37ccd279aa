package groups

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// deactivateGroup deactivates a group. Nothing is deleted for good (server-behavior §G9).
func deactivateGroup(ctx context.Context, r *userGroupResource, state *userGroupModel) error {
	id := state.ID.ValueInt64()
	err := sendGroupDeactivate(ctx, r, state)
	objections := zulip.Objections(err)
	if len(objections) == 1 && objections[0].Type == "user_group" && objections[0].GroupID == id {
		// No other object names it: its own permissions end with it.
		if err := leaveOwnPermissions(ctx, r, id, objections[0].Settings); err != nil {
			return err
		}
		err = sendGroupDeactivate(ctx, r, state)
		objections = zulip.Objections(err)
	}
	if len(objections) == 0 {
		return err
	}
	var diags diag.Diagnostics
	diags.AddError(fmt.Sprintf("Cannot deactivate user group %q", state.Name.ValueString()), explainDeactivate(ctx, r, err, objections))
	return &core.InUseError{Err: &base.Error{Diagnostics: diags}}
}

// sendGroupDeactivate sends the request that deactivates a group. It is no error if the group is already deactivated or
// deleted.
func sendGroupDeactivate(ctx context.Context, r *userGroupResource, state *userGroupModel) error {
	id := state.ID.ValueInt64()
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.DeactivateUserGroup(ctx, id) })
	if err != nil && !zulip.IsMessage(err, "User group is deactivated.", "Invalid user group") {
		return err
	}
	r.Meta.Store.Invalidate(store.UserGroups)
	return nil
}

// leaveOwnPermissions removes a group from its own permissions, so that it can be deactivated (server-behavior §G9). If
// the account manages the group only as a member, it names itself instead.
func leaveOwnPermissions(ctx context.Context, r *userGroupResource, id int64, settings []string) error {
	now, err := r.RereadObject(ctx, id)
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
		value.DirectSubgroups = sets.Without(value.DirectSubgroups, []int64{id})
		if self := r.Meta.Store.Self().ID; setting == "can_manage_group" && !slices.Contains(value.DirectMembers, self) {
			value.DirectMembers = append(value.DirectMembers, self)
		}
		steps = append(steps, userGroupTable.Wire.Step(setting, now.Thing.Permissions[setting], permission.Canonical(value, nobody), now.View))
	}
	var diags diag.Diagnostics
	if r.Change(ctx, id, steps, now, &diags); diags.HasError() {
		return &base.Error{Diagnostics: diags}
	}
	return nil
}

// deactivateAdvice is the fix if the server does not deactivate a group because something names it.
const deactivateAdvice = "First remove the group from these places: with terraform apply -target=ADDRESS for each resource of this configuration, and in the web app for the rest. Then apply again. " +
	"An attribute that you removed from the configuration keeps its value and still names the group. Set it to another value, such as [\"role:nobody\"].\n\n" +
	"To do both in one apply, first apply the zulip_user_group with lifecycle { create_before_destroy = true }, and then remove it."

// explainDeactivate names the objects and permissions that still name the group.
func explainDeactivate(ctx context.Context, r *userGroupResource, cause error, objections []zulip.Objection) string {
	text := base.Explain(cause)
	s, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return text
	}
	return text + " The group stays active. Nothing was changed.\n\nIt is still named by:" + describeGroupUses(objections, s) +
		"\n\nTerraform updates resources that reference the group only after it is deactivated, unless the group has create_before_destroy. " + deactivateAdvice
}

// warnOfGroupUse warns, in the plan of its deactivation, about uses of a group. Terraform decides which of them the run
// changes first, so only the apply finds out.
func warnOfGroupUse(ctx context.Context, p *core.Plan[userGroupModel]) {
	if !p.IsDestroy() {
		return
	}
	s, err := p.Meta.Store.Read(ctx, store.Channels, store.Organization)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	group, ok := s.UserGroups().ByID(p.State.ID.ValueInt64())
	if !ok || group.Deactivated {
		return
	}
	uses := slices.DeleteFunc(groupUsesOf(group, s), func(use zulip.Objection) bool {
		return use.Type == "channel" && p.Meta.Run.WillBeDestroyed(runstate.Channel, use.ChannelID) ||
			use.Type == "user_group" && p.Meta.Run.WillBeDestroyed(userGroupKind, use.GroupID) ||
			use.Type == "subgroup" && !slices.ContainsFunc(use.SupergroupIDs, func(id int64) bool { return !p.Meta.Run.WillBeDestroyed(userGroupKind, id) })
	})
	markRemoved(uses, group, p.Meta, s)
	if len(uses) > 0 {
		// Only the detail has the name, so that the CLI can make one warning of many.
		p.Diags.AddWarning("A user group that this plan deactivates is in use",
			fmt.Sprintf("The server refuses to deactivate user group %q while it is named by:%s\n\n"+
				"The apply changes resources that reference the group first only if the group already has lifecycle { create_before_destroy = true }. "+
				"Otherwise it stops at the group and says what to do.", group.Name, describeFirstGroupUses(uses, s)))
	}
}

// markRemoved marks the permissions of channels from which the run is known to remove the group. It may also remove the
// group from channels that are planned later.
func markRemoved(uses []zulip.Objection, group *zulip.UserGroup, meta *base.Meta, s *snapshot.Snapshot) {
	for _, use := range uses {
		channel, ok := s.Channels().ByID(use.ChannelID)
		if use.Type != "channel" || !ok {
			continue
		}
		planned := meta.Run.PermissionsIn(channel)
		for i, setting := range use.Settings {
			if !planned.Unknown[setting] && !includes(planned.Permissions[setting], group.ID) {
				use.Settings[i] += " (this plan removes it)"
			}
		}
	}
}

// includes reports whether a value names a group.
func includes(value zulip.GroupSettingValue, group int64) bool {
	return value.Group == group || slices.Contains(value.DirectSubgroups, group)
}

// groupUsesOf returns the uses of a group because of which the server would refuse its deactivation (server-behavior §G9).
// The group's own permissions don't count.
func groupUsesOf(group *zulip.UserGroup, s *snapshot.Snapshot) (uses []zulip.Objection) {
	settings := func(permissions map[string]zulip.GroupSettingValue) (found []string) {
		for name, value := range permissions {
			if includes(value, group.ID) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	var above []int64
	for _, other := range s.UserGroups().List() {
		if other.Deactivated || other.ID == group.ID {
			continue
		}
		if slices.Contains(other.DirectSubgroupIDs, group.ID) {
			above = append(above, other.ID)
		}
		if names := settings(other.Permissions); len(names) > 0 {
			uses = append(uses, zulip.Objection{Type: "user_group", GroupID: other.ID, Settings: names})
		}
	}
	if len(above) > 0 {
		uses = append(uses, zulip.Objection{Type: "subgroup", SupergroupIDs: above})
	}
	for _, channel := range s.Channels().List() {
		if names := settings(channel.Permissions); len(names) > 0 && !channel.IsArchived {
			uses = append(uses, zulip.Objection{Type: "channel", ChannelID: channel.ID, Settings: names})
		}
	}
	if names := settings(s.Realm().Permissions); len(names) > 0 {
		uses = append(uses, zulip.Objection{Type: "realm", Settings: names})
	}
	return uses
}

// mostGroupUses is the maximum number of uses that a warning lists.
const mostGroupUses = 10

// describeFirstGroupUses describes the first uses of a group, and counts the others.
func describeFirstGroupUses(uses []zulip.Objection, s *snapshot.Snapshot) string {
	text := describeGroupUses(uses[:min(len(uses), mostGroupUses)], s)
	if more := len(uses) - mostGroupUses; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return text
}

func describeGroupUses(uses []zulip.Objection, s *snapshot.Snapshot) (text string) {
	for _, use := range uses {
		text += "\n  " + describeGroupUse(use, s)
	}
	return text
}

// describeGroupUse describes one use of a group.
func describeGroupUse(objection zulip.Objection, s *snapshot.Snapshot) string {
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
