package defaultchannelgroup

import (
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	ID          types.Int64  `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
	ChannelIDs  types.Set    `tfsdk:"channel_ids"`
}

// read takes what the server holds.
func (m *model) read(group *zulip.DefaultChannelGroup) {
	m.ID, m.Name, m.Description = types.Int64Value(group.ID), types.StringValue(group.Name), types.StringValue(group.Description)
	elements := make([]attr.Value, len(group.ChannelIDs))
	for i, id := range group.ChannelIDs {
		elements[i] = types.Int64Value(id)
	}
	m.ChannelIDs = types.SetValueMust(types.Int64Type, elements)
}

// channels are the IDs of a set, as far as they are known.
func channels(set types.Set) []int64 {
	var ids []int64
	for _, element := range set.Elements() {
		if id, ok := element.(types.Int64); ok && !id.IsUnknown() {
			ids = append(ids, id.ValueInt64())
		}
	}
	slices.Sort(ids)
	return ids
}

// without returns what is in one list and not in another.
func without(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}

// The server's limits, counted in characters (server-behavior §S9).
const (
	maxName        = 60
	maxDescription = 1024
)

var notBlank = regexp.MustCompile(`[^\s\pZ]`)

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A named group of channels that new people may choose when they join the organization. Who is in the organization already is put into none of them.

An attribute that is not set is not managed: it is read and shown, and never written. Destroying the group leaves its channels as they are. Only administrators and owners manage these groups.

No two groups have one name. ` + core.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The group's ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name, at most 60 characters. No other group has it; case matters.",
				Validators: []validator.String{
					validators.Length(0, maxName),
					validators.Matches(notBlank, "must not be blank"),
					validators.VisibleName{},
				},
			},
			"description": schema.StringAttribute{
				Optional: true, Computed: true, MarkdownDescription: "What the group is for, at most 1024 characters. The server cannot take a description away once there is one. A new group has none by default.",
				Validators: []validator.String{validators.Length(1, maxDescription)},
			},
			"channel_ids": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.Int64Type,
				MarkdownDescription: "The IDs of the channels, as in `[zulip_channel.x.id]`. A default channel cannot be among them: everybody is in it anyway. A channel that is archived leaves its groups. A new group is empty by default.",
			},
		},
	}
}
