package channel

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func resourceSchema() schema.Schema {
	all := attributes.ResourceAttributes()
	maps.Copy(all, creationAttributes())
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A channel and its permissions.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `. ` +
			`The roles are ` + "`role:owners`, `role:administrators`, `role:moderators`, `role:fullmembers`, `role:members` and `role:everyone`" + `, each including those before it, and ` + "`role:nobody`" + `.

An attribute that is not set is not managed: it is never written, and it is null in the plan of a new channel and in its state, so a reference to it is null too. The data source ` + "`zulip_channel`" + ` has the current value. If the attribute is set later, the plan warns of the value that it changes. An import has the values of all attributes. Removing an attribute from the configuration leaves its value as it is, on the server and in the state.

A change is applied only to the values that the plan was computed from: if somebody else has changed the same attribute since, the apply stops and shows the value when the plan was made, the value now, and what the configuration asks for.

` + core.NeverAdopted + attribute.DeactivatedPrincipals,
		Attributes: all,
	}
}

// creationAttributes describe how the channel is created and destroyed. The server does not store them, so they have no row
// in the table.
func creationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"announce": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether to announce the new channel in the organization's channel for such notices. Only used on create, and only if there are initial subscribers.",
		},
		"initial_subscribers": schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Email addresses or IDs of the users to subscribe to the new channel. Only used on create. By default a public channel has no subscribers, and a private one has the provider's account: not even an administrator could add anybody to it otherwise.",
		},
		"adopt_archived": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Unarchive an archived channel with the same name, with its messages and subscribers, instead of failing. What the configuration does not set stays as it was. Only used on create. Defaults to `false`. " + featurelevel.Sentence(featurelevel.ReactivateChannel),
		},
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "What to do with the channel when the resource is destroyed: `archive` or `keep`. Zulip never deletes a channel. Defaults to `archive`.",
			Validators:          []validator.String{validators.OneOf(onDestroyArchive, onDestroyKeep)},
		},
	}
}
