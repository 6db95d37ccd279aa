package usergroup

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// toldText says on the pages of resources that change the members of groups that the server notifies people.
const toldText = "The server notifies users by direct message when they are added to a group or removed from one; that cannot be turned off."

func resourceSchema() schema.Schema {
	all := attributes.ResourceAttributes()
	maps.Copy(all, creationAttributes())
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A user group, its members and its permissions. Permissions of channels, of other groups and of the organization refer to it as ` + "`group:NAME`" + `.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `, as in ` + "`zulip_channel`" + `.

An attribute that is not set is not managed: it is never written, and, except for ` + "`members` and `subgroups`" + `, it is null in the plan of a new group and in its state, so a reference to it is null too. The data source ` + "`zulip_user_group`" + ` has the current value. If the attribute is set later, the plan warns of the value that it changes. An import has the values of all attributes. Removing an attribute from the configuration leaves its value as it is, on the server and in the state.

A change is applied only to the values that the plan was computed from: if somebody else has changed the same attribute since, the apply stops and shows the value when the plan was made, the value now, and what the configuration asks for.

` + botsText + `

Destroying deactivates the group, which keeps its name, its members and its permissions; the server refuses while anything still names it, and the error says what. What names it as text (` + "`group:NAME`" + `) may stop doing so in the same apply: the deactivation waits until the run has nothing else under way. What refers to its resource Terraform changes after it, and the plan warns that the apply may stop there, unless the group has ` + "`lifecycle { create_before_destroy = true }`" + `: give it to every group that others refer to. It has to be applied before the group is removed; without it, change first what names the group, with ` + "`terraform apply -target=ADDRESS`" + `. Its own permissions may name the group, a new one too: they are sent once it exists, and end with it.

Members are added and removed before the channels change that refer to the group. To add somebody only after channels have stopped naming the group, so that nobody has a right in between that they have neither before nor after, use a ` + "`zulip_user_group_membership`" + ` whose ` + "`depends_on`" + ` names those channels.

` + core.NeverAdopted + attribute.DeactivatedPrincipals,
		Attributes: all,
	}
}

// creationAttributes describe how the group is created. The server does not store them, so they have no row in the table.
func creationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"adopt_deactivated": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Reactivate a deactivated group with the same name instead of failing. What the configuration does not set stays as it was, members included. Only used on create. Defaults to `false`. " + featurelevel.Sentence(featurelevel.SinceValue("zulip_user_group", "adopt_deactivated", "true")),
		},
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
			resp.Diagnostics.AddAttributeError(req.Path, "Invalid group name", fmt.Sprintf("%q %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
		}
	}
}
