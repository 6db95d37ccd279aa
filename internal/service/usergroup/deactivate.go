package usergroup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// deactivate takes a group out of use; one that is gone already is fine.
func (r *Resource) deactivate(ctx context.Context, id int64, name string, diags *diag.Diagnostics) {
	pause := framework.FirstPause
	released := false
	for attempt := 0; ; attempt++ {
		err := r.sendDeactivate(ctx, id)
		if err == nil || zulip.IsMessage(err, "User group is deactivated.", "Invalid user group") {
			// Its name is taken, but not for the group that replaces it: that one is planned again while it is applied.
			r.Meta.Run.Manage(kind, id)
			r.Meta.Run.Release(kind, name, id)
			r.Meta.Store.Invalidate(store.UserGroups)
			return
		}
		objections := zulip.Objections(err)
		own := slices.IndexFunc(objections, func(o zulip.Objection) bool { return o.Type == "user_group" && o.GroupID == id })
		if len(objections) == 1 && own == 0 && !released {
			// Nothing else uses it: what its own permissions say of it ends with it.
			released = true
			if r.release(ctx, id, objections[own].Settings, diags) {
				continue
			}
			return
		}
		// A second request finds out whether the first was carried out.
		if !zulip.MayHaveHappened(err) || attempt == r.Meta.Client.MaxRetries() || !framework.Wait(ctx, pause) {
			diags.AddError(fmt.Sprintf("Cannot deactivate user group %q", name), r.explainDeactivate(ctx, err, objections))
			return
		}
		pause *= 2
	}
}

func (r *Resource) sendDeactivate(ctx context.Context, id int64) error {
	return r.Meta.Store.Write(ctx, func(ctx context.Context) error { return r.Meta.Client.DeactivateUserGroup(ctx, id) })
}

// release takes a group out of its own permissions, so that it can be deactivated (server-behavior §G9). Where the
// account manages it only as one of the group, it names itself instead.
func (r *Resource) release(ctx context.Context, id int64, settings []string, diags *diag.Diagnostics) bool {
	now, err := fresh(ctx, &r.Base, id, false)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read user group %d", id), framework.Explain(err))
		return false
	}
	nobody := permission.NobodyID(now.View)
	var all []step
	for _, setting := range settings {
		value := now.Thing.Permissions[setting].Clone()
		if value.IsNamed() {
			value = zulip.GroupSettingValue{}
		}
		value.DirectSubgroups = without(value.DirectSubgroups, []int64{id})
		if self := r.Meta.Store.Self().ID; setting == "can_manage_group" && !slices.Contains(value.DirectMembers, self) {
			value.DirectMembers = append(value.DirectMembers, self)
		}
		all = append(all, attributes.Wire.Step(setting, now.Thing.Permissions[setting], permission.Canonical(value, nobody), now.View))
	}
	target{Base: &r.Base, id: id}.subject().Change(ctx, &r.Base, all, now, diags)
	return !diags.HasError()
}

// explainDeactivate says what still uses the group: which channel, which right.
func (r *Resource) explainDeactivate(ctx context.Context, cause error, objections []zulip.Objection) string {
	text := framework.Explain(cause)
	if len(objections) == 0 {
		return text
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		return text
	}
	text += "\n\nIt is still used by:"
	for _, objection := range objections {
		text += "\n  " + describe(objection, view)
	}
	return text + "\n\nTake it out there first. To do both in one apply, let what names the group refer to its resource (\"group:${zulip_user_group.NAME.name}\"), and apply that resource once with lifecycle { create_before_destroy = true } before it is removed: without, Terraform deactivates the group before it changes the rest."
}

// describe writes one use of a group.
func describe(objection zulip.Objection, view *snapshot.Snapshot) string {
	settings := strings.Join(objection.Settings, ", ")
	group := func(id int64) string { return fmt.Sprintf("user group %q", framework.GroupWords(view, id)) }
	switch objection.Type {
	case "subgroup":
		var holders []string
		for _, id := range objection.SupergroupIDs {
			holders = append(holders, group(id))
		}
		return strings.Join(holders, ", ") + ", which it is a subgroup of"
	case "channel":
		if channel, ok := view.Channels().ByID(objection.ChannelID); ok {
			return fmt.Sprintf("channel %q: %s", channel.Name, settings)
		}
		return fmt.Sprintf("a channel that the account the provider uses does not see (ID %d): %s", objection.ChannelID, settings)
	case "user_group":
		return group(objection.GroupID) + ": " + settings
	case "realm":
		return "the organization: " + settings
	}
	return objection.Type + ": " + settings
}
