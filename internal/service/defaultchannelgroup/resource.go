// Package defaultchannelgroup is the resource zulip_default_channel_group: channels that new people may choose together.
package defaultchannelgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// list is the part of a snapshot that holds the groups.
const list = zulip.FetchDefaultGroups

// NewResource returns zulip_default_channel_group.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.DefaultChannelGroup, model]{
		Name: "default_channel_group", Title: "default channel group", Plural: "default channel groups",
		ListText: core.ListText{Description: "Lists the default channel groups, which new people may choose when they join."},
		Schema:   resourceSchema,
		Role:     zulip.RoleAdministrator,
		Source:   core.Source{Part: list, Lags: true, Needs: []store.Part{store.Channels}, SendsNames: true},
		Index:    (*snapshot.Snapshot).DefaultChannelGroups,
		Key:      func(group *zulip.DefaultChannelGroup) int64 { return group.ID },
		Unique: core.Unique[model, zulip.DefaultChannelGroup]{
			Of:      func(m *model) string { return m.Name.ValueString() },
			IsTaken: isNameTaken,
			Existing: func(e *core.Existing, group *zulip.DefaultChannelGroup, _ *core.Context) {
				e.Detail = fmt.Sprintf("It has the ID %d.", group.ID)
			},
		},
		ReadInto:  func(m *model, group *zulip.DefaultChannelGroup, _ *core.Context) { m.read(group) },
		ByElement: []string{"channel_ids"},
		CheckPlan: checkPlan,
		IsCreated: func(m *model, group *zulip.DefaultChannelGroup, _ *core.Context) bool {
			return group.Name == m.Name.ValueString()
		},
		Create: create, Update: update, Delete: remove,
		Hint: hint,
	})
}

// checkPlan refuses channels that cannot be put into the group.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() {
		return
	}
	added := channels(p.Plan.ChannelIDs)
	if !p.IsCreate() {
		added = without(added, channels(p.Prior.ChannelIDs))
	}
	if len(added) == 0 {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.DefaultChannelGroups)
	if err != nil {
		p.Diags.AddError("Cannot read the default channel groups", base.Explain(err))
		return
	}
	for _, id := range added {
		checkChannel(p, id, view)
	}
}

// checkChannel refuses a channel that cannot be put into a group. What this run manages may be otherwise by then.
func checkChannel(p *core.Plan[model], id int64, view *snapshot.Snapshot) {
	at := path.Root("channel_ids").AtSetValue(types.Int64Value(id))
	refuse := p.Diags.AddAttributeError
	if p.Meta.Run.IsManaged(lookup.ChannelKind, id) {
		refuse = p.Diags.AddAttributeWarning
	}
	switch channel, ok := view.Channels().ByID(id); {
	case !ok:
		p.Diags.AddAttributeError(at, "No such channel", fmt.Sprintf("The account the provider uses sees no channel with the ID %d. The data source zulip_channels lists those it sees.", id))
	case channel.IsArchived:
		refuse(at, "The channel is archived", fmt.Sprintf("%q is archived, and archived channels are in no group.", channel.Name))
	case channel.IsDefault:
		refuse(at, "A default channel cannot be in a group",
			fmt.Sprintf("Everybody who joins is put into %q anyway. Take it out of channel_ids, or let the channel have is_default = false before.", channel.Name))
	case channel.InviteOnly:
		p.Diags.AddAttributeWarning(at, fmt.Sprintf("New people get into the private channel %q", channel.Name),
			"The server puts whoever chooses the group into all of its channels.")
	}
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	names, err := namesOf(channels(plan.ChannelIDs), c.Snapshot)
	if err != nil {
		return 0, err
	}
	return 0, c.Meta.Client.CreateDefaultChannelGroup(ctx, plan.Name.ValueString(), plan.Description.ValueString(), names)
}

// update sends what differs: the texts, what leaves, what joins. The server refuses what is so already (server-behavior §S10).
func update(ctx context.Context, c *core.Context, planned, current *model) error {
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
	now, wanted := channels(current.ChannelIDs), channels(planned.ChannelIDs)
	for _, step := range []struct {
		channels []int64
		send     func(context.Context, int64, []string) error
	}{
		{without(now, wanted), c.Meta.Client.RemoveFromDefaultChannelGroup},
		{without(wanted, now), c.Meta.Client.AddToDefaultChannelGroup},
	} {
		if len(step.channels) == 0 {
			continue
		}
		names, err := namesOf(step.channels, c.Snapshot)
		if !isFirst {
			names, err = currentNames(ctx, c, step.channels)
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

func remove(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeleteDefaultChannelGroup(ctx, state.ID.ValueInt64())
}

func isNameTaken(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && strings.HasSuffix(refusal.Msg, "already exists")
}

func hint(err error) string {
	var refusal *zulip.Error
	if errors.As(err, &refusal) && strings.HasPrefix(refusal.Msg, "Invalid channel name") {
		return "The channel is archived, has another name by now, or is private, and the account the provider uses does not read it."
	}
	return ""
}

// namesOf are the names of channels, which is what the server wants here.
func namesOf(ids []int64, view *snapshot.Snapshot) ([]string, error) {
	names := []string{}
	for _, id := range ids {
		channel, ok := view.Channels().ByID(id)
		if !ok {
			return nil, fmt.Errorf("the account the provider uses sees no channel with the ID %d", id)
		}
		names = append(names, channel.Name)
	}
	slices.Sort(names)
	return names, nil
}

// currentNames are the names of channels as the server has them now: a request before this one may have waited.
func currentNames(ctx context.Context, c *core.Context, ids []int64) ([]string, error) {
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
