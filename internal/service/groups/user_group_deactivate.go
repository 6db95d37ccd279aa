package groups

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Remove removes a group from permissions of one object, which have these values in the plan.
type Remove func(ctx context.Context, b *base.Base, id int64, from map[string]zulip.GroupSettingValue, group int64, diags *diag.Diagnostics)

// Elsewhere removes a group from permissions of channels and of the organization, which other packages manage.
type Elsewhere struct{ Channel, Organization Remove }

// groupUse is one place that names a group: a permission, or a group of which it is a subgroup. The plan of a destroy
// lists them, and the apply removes the group from exactly these.
type groupUse struct {
	// Type is that of a [zulip.Objection], and ID the object; zero for the organization.
	Type string `json:"type"`
	ID   int64  `json:"id,omitempty"`
	// Setting is the permission, with its value in the plan. Both are empty for a subgroup.
	Setting string                  `json:"setting,omitempty"`
	Value   zulip.GroupSettingValue `json:"value,omitzero"`
}

func (u groupUse) isSame(other groupUse) bool {
	return u.Type == other.Type && u.ID == other.ID && u.Setting == other.Setting
}

// table lists the permissions of such objects.
func (u groupUse) table() permission.Table {
	switch u.Type {
	case ofChannel:
		return permission.Channels
	case ofOrganization:
		return permission.Organizations
	}
	return permission.UserGroups
}

// The types of objections.
const (
	ofSubgroup     = "subgroup"
	ofChannel      = "channel"
	ofGroup        = "user_group"
	ofOrganization = "realm"
)

// usesIn returns the places of the server's objections.
func usesIn(objections []zulip.Objection) (uses []groupUse) {
	for _, one := range objections {
		for _, id := range one.SupergroupIDs {
			uses = append(uses, groupUse{Type: one.Type, ID: id})
		}
		for _, setting := range one.Settings {
			uses = append(uses, groupUse{Type: one.Type, ID: one.ChannelID + one.GroupID, Setting: setting})
		}
	}
	return uses
}

// groupUsesOf returns the places because of which the server would refuse the deactivation of a group (server-behavior
// §G9). The group's own permissions don't count.
func groupUsesOf(group int64, s *snapshot.Snapshot) (uses []groupUse) {
	add := func(kind string, id int64, permissions map[string]zulip.GroupSettingValue) {
		for _, name := range slices.Sorted(maps.Keys(permissions)) {
			if permission.Names(permissions[name], group) {
				uses = append(uses, groupUse{kind, id, name, permissions[name]})
			}
		}
	}
	for _, other := range s.UserGroups().List() {
		if other.Deactivated || other.ID == group {
			continue
		}
		if slices.Contains(other.DirectSubgroupIDs, group) {
			uses = append(uses, groupUse{Type: ofSubgroup, ID: other.ID})
		}
		add(ofGroup, other.ID, other.Permissions)
	}
	for _, channel := range s.Channels().List() {
		if !channel.IsArchived {
			add(ofChannel, channel.ID, channel.Permissions)
		}
	}
	add(ofOrganization, 0, s.Realm().Permissions)
	return uses
}

// usesKey is the key of the places in the private state.
const usesKey = "uses"

// deactivateGroup removes a group from the places that the plan listed, and deactivates it. Nothing is deleted for good
// (server-behavior §G9).
func deactivateGroup(ctx context.Context, c *core.Call, elsewhere Elsewhere, state *userGroupModel) error {
	id := state.ID.ValueInt64()
	err := sendGroupDeactivate(ctx, c, id)
	uses := usesIn(zulip.Objections(err))
	if len(uses) == 0 {
		return err
	}
	var diags diag.Diagnostics
	var listed, all, unlisted []groupUse
	base.ReadPrivate(ctx, c.Private, usesKey, &listed, &diags)
	var own []string
	for _, use := range uses {
		i := slices.IndexFunc(listed, use.isSame)
		switch {
		case use.Type == ofGroup && use.ID == id:
			own = append(own, use.Setting)
		case i < 0:
			unlisted = append(unlisted, use)
		default:
			all = append(all, listed[i])
		}
	}
	summary := fmt.Sprintf("Cannot deactivate user group %q", state.Name.ValueString())
	if len(unlisted) > 0 {
		diags.AddError(summary, explainUnlisted(ctx, c, err, unlisted))
		return &core.InUseError{Err: &base.Error{Diagnostics: diags}}
	}
	removeGroup(ctx, c.Base, elsewhere, id, all, &diags)
	if !diags.HasError() && len(own) > 0 {
		leaveOwnPermissions(ctx, groupOn(*c.Base), id, own, &diags)
	}
	if !diags.HasError() {
		err = sendGroupDeactivate(ctx, c, id)
	}
	switch {
	case diags.HasError():
		var reported diag.Diagnostics
		for _, one := range diags.Errors() { // their attributes are those of other objects
			reported.AddError(summary, "The group must first be removed from what names it, and that failed. "+one.Summary()+": "+one.Detail())
		}
		return &core.InUseError{Err: &base.Error{Diagnostics: reported}}
	case len(zulip.Objections(err)) > 0:
		return &core.InUseError{Err: err}
	}
	return err
}

// sendGroupDeactivate sends the request that deactivates a group. It is no error if the group is already deactivated or
// deleted.
func sendGroupDeactivate(ctx context.Context, c *core.Call, id int64) error {
	err := c.Meta.Store.Write(ctx, func(ctx context.Context) error { return c.Meta.Client.DeactivateUserGroup(ctx, id) })
	if err != nil && !zulip.IsMessage(err, "User group is deactivated.", "Invalid user group") {
		return err
	}
	c.Meta.Store.Invalidate(store.UserGroups)
	return nil
}

// removeGroup removes a group from places. Each removal that the server accepts is an effect, also if a later one fails.
func removeGroup(ctx context.Context, b *base.Base, elsewhere Elsewhere, group int64, uses []groupUse, diags *diag.Diagnostics) {
	for len(uses) > 0 && !diags.HasError() {
		one, from := uses[0], map[string]zulip.GroupSettingValue{}
		uses = slices.DeleteFunc(uses, func(use groupUse) bool {
			isOf := use.Type == one.Type && use.ID == one.ID
			if isOf && use.Setting != "" {
				from[use.Setting] = use.Value
			}
			return isOf
		})
		remove := elsewhere.Channel
		switch one.Type {
		case ofOrganization:
			remove = elsewhere.Organization
		case ofGroup, ofSubgroup:
			remove = removeFromGroup(one.Type)
		}
		_ = b.Meta.Run.Effects.Send(func() error { // the error is in diags
			remove(ctx, b, one.ID, from, group, diags)
			return core.AsError(*diags)
		}, effects.Write{Kind: effects.RemovedGroup, ID: group})
	}
}

// removeFromGroup removes a group from permissions of another group, or from its subgroups. It does nothing in a
// deactivated group.
func removeFromGroup(kind string) Remove {
	return func(ctx context.Context, b *base.Base, id int64, from map[string]zulip.GroupSettingValue, group int64, diags *diag.Diagnostics) {
		view, err := b.Meta.Store.Fresh(ctx, store.UserGroups, store.Organization)
		if err != nil {
			diags.AddError("Cannot read the user groups", base.Explain(err))
			return
		}
		now, ok := view.UserGroups().ByID(id)
		if !ok || now.Deactivated {
			return
		}
		steps := userGroupTable.Wire.Removals(from, group, view)
		if kind == ofSubgroup {
			steps = []step{subgroupsList.step(group, false, view)}
		}
		groupOn(*b).Change(ctx, id, steps, &reading{Thing: now, View: view}, nil, diags)
	}
}

// leaveOwnPermissions removes a group from its own permissions, so that it can be deactivated (server-behavior §G9). If
// the account manages the group only as a member, it names itself instead.
func leaveOwnPermissions(ctx context.Context, r *userGroupResource, id int64, settings []string, diags *diag.Diagnostics) {
	now, err := r.RereadObject(ctx, id)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read user group %d", id), base.Explain(err))
		return
	}
	nobody := permission.NobodyID(now.View)
	var steps []step
	for _, setting := range settings {
		value := permission.UserGroups.Without(setting, now.Thing.Permissions[setting], id, now.View)
		if self := r.Meta.Store.Self().ID; setting == "can_manage_group" && !slices.Contains(value.DirectMembers, self) {
			value.DirectMembers = append(slices.Clone(value.DirectMembers), self)
		}
		one := userGroupTable.Wire.Step(setting, now.Thing.Permissions[setting], permission.Canonical(value, nobody), now.View)
		one.After = nil // that the group leaves every place is an effect only for others
		steps = append(steps, one)
	}
	r.Change(ctx, id, steps, now, nil, diags)
}

// explainUnlisted explains why the server does not deactivate a group.
func explainUnlisted(ctx context.Context, c *core.Call, cause error, unlisted []groupUse) string {
	text := base.Explain(cause)
	s, err := c.Meta.Store.Read(ctx, store.Channels, store.Organization)
	if err != nil {
		return text
	}
	return text + " The group stays active. Nothing was changed.\n\nIt is still named by:" + describeGroupUses(unlisted, s) + "\n\n" + unlistedAdvice
}

// unlistedAdvice is the fix if a place that the plan does not list names a group.
const unlistedAdvice = "The apply removes the group only from places that the plan has listed. Plan again, and review the list. A group that is replaced stays in these places, so no plan lists them: first remove the group from them. " +
	"If the provider's account does not see a channel, ask someone who sees it to remove the group there."

// checkGroupDestroy refuses a deactivation for which the account lacks the permission, and lists the places that name the
// group.
func checkGroupDestroy(ctx context.Context, p *core.Plan[userGroupModel]) {
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
	base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) { newCaller(p.Meta, s).checkDeactivation(group, found) })
	uses := groupUsesOf(group.ID, s)
	base.WritePrivate(ctx, p.Private, usesKey, uses, p.Diags) // Terraform passes it to the apply of a destroy
	uses = lastingUses(&p.Meta.Run, uses)
	checkReadable(ctx, p, group, uses, s)
	if len(uses) > 0 {
		// Only the detail has the name, so that the CLI can make one warning of many.
		p.Diags.AddWarning("A user group that this plan deactivates is in use",
			fmt.Sprintf("The apply first removes user group %q from the places that name it:%s\n\nOther changes of this plan may change these values too.", group.Name, describeRemovals(uses, group.ID, s)))
	}
}

// checkReadable warns about private channels from which the account cannot remove the group, because it has no access to them.
func checkReadable(ctx context.Context, p *core.Plan[userGroupModel], group *zulip.UserGroup, uses []groupUse, s *snapshot.Snapshot) {
	checked := map[int64]bool{}
	for _, use := range uses {
		channel, ok := s.Channels().ByID(use.ID)
		needsAccess := slices.ContainsFunc(use.table().Settings, func(one permission.Spec) bool { return one.Name == use.Setting && one.NeedsContentAccess })
		if use.Type != ofChannel || !ok || !needsAccess || checked[use.ID] {
			continue
		}
		checked[use.ID] = true
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) {
			p.Meta.RequireUse(ctx, s, channel, path.Empty(), fmt.Sprintf("remove user group %q from channel %q", group.Name, channel.Name), found)
		})
	}
}

// lastingUses leaves out the objects that the same plan destroys.
func lastingUses(run *runstate.State, uses []groupUse) []groupUse {
	return slices.DeleteFunc(uses, func(use groupUse) bool {
		return use.Type == ofChannel && run.Knows(runstate.Destroyed, runstate.ID(runstate.Channel, use.ID)) ||
			use.Type != ofChannel && run.Knows(runstate.Destroyed, runstate.ID(userGroupKind, use.ID))
	})
}

// checkReplaced refuses to replace a group that is in use or cannot be deactivated by the account. No plan lists the
// places, because Terraform makes no plan of the destroy.
func checkReplaced(ctx context.Context, p *userGroupPlan) {
	if len(p.Own) == 0 {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels, store.Organization)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	for _, id := range p.Own {
		group, ok := view.UserGroups().ByID(id)
		if !ok || group.Deactivated {
			continue
		}
		existing.RefuseReplacement(p.Diags, func(found *diag.Diagnostics) {
			base.CheckInPlan(found, func(found *diag.Diagnostics) { newCaller(p.Meta, view).checkDeactivation(group, found) })
			if uses := lastingUses(&p.Meta.Run, groupUsesOf(id, view)); len(uses) > 0 {
				found.AddWarning(fmt.Sprintf("Cannot replace user group %q", group.Name),
					"The server does not deactivate a group that is in use:"+describeGroupUses(uses, view)+"\n\nFirst remove the group from these places.")
			}
		})
	}
}

// describeRemovals lists what remains in each place.
func describeRemovals(uses []groupUse, group int64, s *snapshot.Snapshot) (text string) {
	for _, use := range uses {
		text += "\n  " + describeGroupUse(use, s)
		if use.Setting == "" {
			continue
		}
		rest, verb := use.table().Without(use.Setting, use.Value, group, s), "keeps"
		if rest.IsNamed() || permission.Equal(rest, zulip.GroupSettingValue{}, permission.NobodyID(s)) {
			verb = "becomes"
		}
		text += " " + verb + " " + permission.Describe(rest, s)
	}
	return text
}

func describeGroupUses(uses []groupUse, s *snapshot.Snapshot) (text string) {
	for _, use := range uses {
		text += "\n  " + describeGroupUse(use, s)
	}
	return text
}

// describeGroupUse describes one place that names a group.
func describeGroupUse(use groupUse, s *snapshot.Snapshot) string {
	switch use.Type {
	case ofSubgroup:
		return fmt.Sprintf("user group %q, of which it is a subgroup", lookup.GroupText(s, use.ID))
	case ofGroup:
		return fmt.Sprintf("user group %q: %s", lookup.GroupText(s, use.ID), use.Setting)
	case ofChannel:
		if channel, ok := s.Channels().ByID(use.ID); ok {
			return fmt.Sprintf("channel %q: %s", channel.Name, use.Setting)
		}
		return fmt.Sprintf("a channel that the provider's account does not see (ID %d): %s", use.ID, use.Setting)
	case ofOrganization:
		return "the organization: " + use.Setting
	}
	return use.Type + ": " + use.Setting
}
