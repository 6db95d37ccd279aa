package channels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// defaultChannelGroupPart is the part of a snapshot that holds the groups.
const defaultChannelGroupPart = zulip.FetchDefaultGroups

// NewDefaultChannelGroupResource returns zulip_default_channel_group.
func NewDefaultChannelGroupResource() resource.Resource {
	return core.New(&core.Definition[defaultChannelGroupModel, zulip.DefaultChannelGroup]{
		Name: "default_channel_group", Title: "default channel group", Plural: "default channel groups",
		ListText: core.ListText{Description: "Lists the default channel groups of the organization."},
		Schema:   defaultChannelGroupSchema,
		Role:     zulip.RoleAdministrator,
		Source:   core.Source{Part: defaultChannelGroupPart, Lags: true, Needs: []store.Part{store.Channels}, NeedsFresh: true, PartsSent: sendsChannelNames},
		Index:    (*snapshot.Snapshot).DefaultChannelGroups,
		Key:      func(group *zulip.DefaultChannelGroup) int64 { return group.ID },
		Unique: core.Unique[defaultChannelGroupModel, zulip.DefaultChannelGroup]{
			Of:      func(m *defaultChannelGroupModel) string { return m.Name.ValueString() },
			IsTaken: isGroupNameTaken,
			Existing: func(e *existing.Object, group *zulip.DefaultChannelGroup, _ *core.Call) {
				e.Detail = fmt.Sprintf("It has the ID %d.", group.ID)
			},
		},
		ReadInto:  func(m *defaultChannelGroupModel, group *zulip.DefaultChannelGroup, _ *core.Call) { m.read(group) },
		ByElement: []string{"channel_ids"},
		CheckPlan: checkDefaultChannelGroupPlan,
		Create:    createDefaultChannelGroup, Update: updateDefaultChannelGroup, Delete: deleteDefaultChannelGroup,
		Hint: defaultChannelGroupHint,
		Creating: core.Creating[defaultChannelGroupModel, zulip.DefaultChannelGroup]{
			IsCreated: func(m *defaultChannelGroupModel, group *zulip.DefaultChannelGroup, _ *core.Call) bool {
				return group.Name == m.Name.ValueString()
			},
		},
		Unlisted: core.Unlisted[defaultChannelGroupModel, zulip.DefaultChannelGroup]{
			SeenBy:  base.SeenByMembers,
			IsShown: func(m *base.Meta, _ *defaultChannelGroupModel) bool { return m.SeesEverybody() },
		},
	})
}

// checkDefaultChannelGroupPlan refuses channels that cannot be put into the group.
func checkDefaultChannelGroupPlan(ctx context.Context, p *core.Plan[defaultChannelGroupModel]) {
	if p.IsDestroy() {
		return
	}
	added, removed := defaultChannelGroupChannels(p.Plan.ChannelIDs), []int64{}
	if !p.IsCreate() {
		before := defaultChannelGroupChannels(p.State.ChannelIDs)
		if !p.Plan.ChannelIDs.IsUnknown() && len(p.Plan.ChannelIDs.Elements()) == len(added) {
			removed = sets.Without(before, added)
		}
		added = sets.Without(added, before)
	}
	if len(added)+len(removed) == 0 {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.DefaultChannelGroups)
	if err != nil {
		p.Diags.AddError("Cannot read the default channel groups", base.Explain(err))
		return
	}
	for _, id := range added {
		checkGroupChannel(p, id, view)
	}
	for _, id := range append(added, removed...) {
		if channel, ok := view.Channels().ByID(id); ok && !channel.IsArchived && !p.Diags.HasError() {
			base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) {
				p.Meta.RequireUse(ctx, view, channel, path.Root("channel_ids"), fmt.Sprintf("add channel %q to a default channel group or remove it", channel.Name), found)
			})
		}
	}
}

// checkGroupChannel refuses a channel that cannot be added to a group. A channel that this run manages may change before.
func checkGroupChannel(p *core.Plan[defaultChannelGroupModel], id int64, view *snapshot.Snapshot) {
	at := path.Root("channel_ids").AtSetValue(types.Int64Value(id))
	refuse := p.Diags.AddAttributeError
	if p.Meta.Run.Knows(runstate.Managed, runstate.ID(runstate.Channel, id)) {
		refuse = p.Diags.AddAttributeWarning
	}
	switch channel, ok := view.Channels().ByID(id); {
	case !ok:
		base.Report(p.Diags, "", lookup.NoSuchChannelID(at, id))
	case channel.IsArchived:
		refuse(at, "The channel is archived", fmt.Sprintf("%q is archived. A default channel group cannot have archived channels.", channel.Name))
	case channel.IsDefault:
		refuse(at, "A default channel cannot be in a default channel group",
			fmt.Sprintf("New users are subscribed to %q anyway. Remove it from channel_ids, or first set is_default = false on the channel.", channel.Name))
	case p.Meta.Run.PermissionsIn(channel).Privacy.IsPrivate():
		p.Diags.AddAttributeWarning(at, fmt.Sprintf("New users can join private channel %q", channel.Name),
			"The server subscribes users who choose the group to all of its channels.")
	}
}

func sendsChannelNames(*base.Base) []store.Part { return []store.Part{store.Channels} }

func createDefaultChannelGroup(ctx context.Context, c *core.Call, plan *defaultChannelGroupModel) (int64, error) {
	names, err := channelNamesOf(defaultChannelGroupChannels(plan.ChannelIDs), c.Snapshot)
	if err != nil {
		return 0, err
	}
	return 0, c.Meta.Client.CreateDefaultChannelGroup(ctx, plan.Name.ValueString(), plan.Description.ValueString(), names)
}

// updateDefaultChannelGroup sends the differences: the texts, removals, additions. The server refuses changes that
// are already made (server-behavior §S10).
func updateDefaultChannelGroup(ctx context.Context, c *core.Call, planned, current *defaultChannelGroupModel) error {
	id, name, description := current.ID.ValueInt64(), "", ""
	if !planned.Name.Equal(current.Name) {
		name = planned.Name.ValueString()
	}
	if !planned.Description.Equal(current.Description) {
		description = planned.Description.ValueString()
	}
	if name != "" || description != "" {
		if err := c.Meta.Client.UpdateDefaultChannelGroup(ctx, id, name, description); err != nil {
			return err
		}
	}
	isFirst := name == "" && description == ""
	now, wanted := defaultChannelGroupChannels(current.ChannelIDs), defaultChannelGroupChannels(planned.ChannelIDs)
	for _, step := range []struct {
		channels []int64
		send     func(context.Context, int64, []string) error
	}{
		{sets.Without(now, wanted), c.Meta.Client.RemoveFromDefaultChannelGroup},
		{sets.Without(wanted, now), c.Meta.Client.AddToDefaultChannelGroup},
	} {
		if len(step.channels) == 0 {
			continue
		}
		names, err := channelNamesOf(step.channels, c.Snapshot)
		if !isFirst {
			names, err = currentChannelNames(ctx, c, step.channels)
		}
		if err != nil {
			return err
		}
		if err := step.send(ctx, id, names); err != nil {
			return err
		}
		isFirst = false
	}
	return nil
}

func deleteDefaultChannelGroup(ctx context.Context, c *core.Call, state *defaultChannelGroupModel) error {
	return c.Meta.Client.DeleteDefaultChannelGroup(ctx, state.ID.ValueInt64())
}

func isGroupNameTaken(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && strings.HasSuffix(refusal.Msg, "already exists")
}

func defaultChannelGroupHint(err error) string {
	var refusal *zulip.Error
	if errors.As(err, &refusal) && strings.HasPrefix(refusal.Msg, "Invalid channel name") {
		return "The channel is archived, was renamed, or is private and the provider's account cannot read it."
	}
	return ""
}

// channelNamesOf returns the names of channels, which the server requires here.
func channelNamesOf(ids []int64, view *snapshot.Snapshot) ([]string, error) {
	names := []string{}
	for _, id := range ids {
		channel, ok := view.Channels().ByID(id)
		if !ok {
			return nil, fmt.Errorf("the provider's account sees no channel with the ID %d", id)
		}
		names = append(names, channel.Name)
	}
	slices.Sort(names)
	return names, nil
}

// currentChannelNames are the names of channels as the server has them now: an earlier request may have waited.
func currentChannelNames(ctx context.Context, c *core.Call, ids []int64) ([]string, error) {
	names := []string{}
	for _, id := range ids {
		channel, err := c.Meta.Client.Channel(ctx, id)
		if err != nil {
			return nil, err
		}
		names = append(names, channel.Name)
	}
	slices.Sort(names)
	return names, nil
}

// defaultChannelGroupModel is the resource.
type defaultChannelGroupModel struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	ChannelIDs  types.Set    `tfsdk:"channel_ids"`
}

// read sets the attributes to the server's values.
func (m *defaultChannelGroupModel) read(group *zulip.DefaultChannelGroup) {
	m.ID, m.Name, m.Description = types.Int64Value(group.ID), types.StringValue(group.Name), types.StringValue(group.Description)
	elements := make([]attr.Value, len(group.ChannelIDs))
	for i, id := range group.ChannelIDs {
		elements[i] = types.Int64Value(id)
	}
	m.ChannelIDs = types.SetValueMust(types.Int64Type, elements)
}

// defaultChannelGroupChannels are the IDs of a set, as far as they are known.
func defaultChannelGroupChannels(set types.Set) []int64 {
	var ids []int64
	for _, element := range set.Elements() {
		if id, ok := element.(types.Int64); ok && !id.IsUnknown() {
			ids = append(ids, id.ValueInt64())
		}
	}
	slices.Sort(ids)
	return ids
}

// The server's limits, counted in characters (server-behavior §S9).
const (
	defaultChannelGroupMaxName        = 60
	defaultChannelGroupMaxDescription = 1024
)

func defaultChannelGroupSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a default channel group: a named group of channels that new users can choose when they join the organization.",
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the group.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the group, at most 60 characters. Must be unique among default channel groups; case matters.",
				Validators: []validator.String{
					validators.Length(1, defaultChannelGroupMaxName),
					validators.VisibleName{},
				},
			},
			"description": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "Description of the group, at most 1024 characters. The server can change a description, but can't remove it. Initially empty.",
				Validators: []validator.String{validators.Length(1, defaultChannelGroupMaxDescription)},
			},
			"channel_ids": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.Int64Type,
				MarkdownDescription: "IDs of the channels, such as `[zulip_channel.x.id]`. Default channels aren't allowed, because every new user is subscribed to them. Archiving a channel removes it from its groups. Initially empty.",
			},
		},
	}
}
