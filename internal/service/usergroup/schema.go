package usergroup

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// toldText is what every page that puts people into groups has to say.
const toldText = "The server tells people by direct message when somebody else puts them into a group or takes them out; there is no switch for that."

func resourceSchema() schema.Schema {
	all := attributes.ResourceAttributes()
	maps.Copy(all, creationAttributes())
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
		Attributes: all,
	}
}

// creationAttributes say how the group is created. The server does not keep them, so that they are in no row of the table.
func creationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"adopt_deactivated": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If a deactivated group has the name, reactivate it instead of failing. What the configuration does not set stays as it was, members included. It counts on creation only. " + featurelevel.Sentence(featurelevel.SinceValue("zulip_user_group", "adopt_deactivated", "true")),
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
			resp.Diagnostics.AddAttributeError(req.Path, "Not a name for a group", fmt.Sprintf("%q %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
		}
	}
}
