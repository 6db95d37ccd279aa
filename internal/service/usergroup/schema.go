package usergroup

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

// maxName is the server's limit, counted in characters (server-behavior §G5).
const maxName = 100

// visibleName is compiled once: the schema is made anew for every process and every test.
var visibleName = regexp.MustCompile(`[^\s\pZ]`)

// toldText is what every page that puts people into groups has to say.
const toldText = "The server tells people by direct message when somebody else puts them into a group or takes them out; there is no switch for that."

func resourceSchema() schema.Schema {
	keepString := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	keepNumber := []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}
	keepSet := []planmodifier.Set{setplanmodifier.UseStateForUnknown()}
	attributes := map[string]schema.Attribute{
		"id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The group's ID.", PlanModifiers: keepNumber},
		"name": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "The name, at most 100 characters. No other group of the organization has it, deactivated ones included; case matters. Permissions that name the group keep to it when it is renamed.",
			Validators: []validator.String{
				framework.Length(1, maxName),
				framework.Matches(visibleName, "must not be white space alone"),
				bannedPrefixes{},
				framework.VisibleName{},
			},
		},
		"description": schema.StringAttribute{
			Optional: true, Computed: true, PlanModifiers: keepString,
			MarkdownDescription: "What the group is for. Empty for a new group by default.",
		},
		"members": schema.SetAttribute{
			ElementType: types.StringType, Optional: true, Computed: true, PlanModifiers: keepSet,
			MarkdownDescription: "Who is in the group directly, by e-mail address or ID, and nobody else: whoever is added by hand is taken out by the next apply. Deactivated people do not count, whether they are listed or not. Unset: not managed, as beside `zulip_user_group_membership`. " + toldText,
			Validators:          []validator.Set{setvalidator.ValueStringsAre(framework.Length(1, 0))},
		},
		"subgroups": schema.SetAttribute{
			ElementType: types.StringType, Optional: true, Computed: true, PlanModifiers: keepSet,
			MarkdownDescription: "The groups that are in the group directly, by name (`role:members` and its like are groups too) or ID, and no other. `name:2024` is the group called 2024. Unset: not managed. " + featurelevel.Needs("zulip_user_group", "subgroups"),
			Validators:          []validator.Set{setvalidator.ValueStringsAre(framework.Length(1, 0))},
		},
		"adopt_deactivated": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If a deactivated group has the name, take it back instead of failing. What the configuration does not set stays as it was, members included. It counts on creation only. " + featurelevel.Sentence(featurelevel.SinceValue("zulip_user_group", "adopt_deactivated", "true")),
		},
		"creator_id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The ID of the user who created it; null for very old groups.", PlanModifiers: keepNumber,
		},
		"date_created": schema.StringAttribute{
			Computed: true, MarkdownDescription: "When it was created (RFC 3339); null for very old groups.", PlanModifiers: keepString,
		},
	}
	framework.PermissionAttributes(attributes, permission.UserGroups)
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A user group, who is in it, and who may do what with it. Permissions of channels, of other groups and of the organization name it as ` + "`group:NAME`" + `.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `, as in ` + "`zulip_channel`" + `.

An attribute that is not set is not managed: it is read and shown, and never written. Taking an attribute out of the configuration leaves what it set.

A change is applied only to what the plan saw: if somebody else has changed the same attribute since, the apply stops and says what it is now, what the plan saw and what was asked.

` + botsText + `

Destroying deactivates the group, which keeps its name, its members and its permissions; the server refuses while anything still names it, and the error says what. Give a group that others name ` + "`lifecycle { create_before_destroy = true }`" + `: then one apply can change what names it and deactivate it, in this order; otherwise Terraform does it the other way round. Its own permissions may name the group: that ends with it.

Who comes into a group and who leaves it does so before the channels change that refer to it. Where somebody is to come in only after channels have stopped naming the group, so that nobody has a right in between that is meant neither before nor after, add them with a ` + "`zulip_user_group_membership`" + ` whose ` + "`depends_on`" + ` names those channels.

` + framework.NeverAdopted + framework.DeactivatedPrincipals,
		Attributes: attributes,
	}
}

// bannedPrefixes refuses the names that the server keeps for mentions and roles
// (server-behavior §G5).
type bannedPrefixes struct{}

// Description says what is accepted.
func (bannedPrefixes) Description(context.Context) string {
	return "must not begin with @, role:, user:, stream: or channel:"
}

// MarkdownDescription says what is accepted.
func (v bannedPrefixes) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (v bannedPrefixes) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	for _, prefix := range []string{"@", "role:", "user:", "stream:", "channel:"} {
		if strings.HasPrefix(req.ConfigValue.ValueString(), prefix) {
			resp.Diagnostics.AddAttributeError(req.Path, "Not a name for a group", fmt.Sprintf("%q %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
		}
	}
}
