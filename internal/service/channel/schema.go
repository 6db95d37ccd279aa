package channel

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
)

func resourceSchema() schema.Schema {
	all := attributes.ResourceAttributes()
	maps.Copy(all, creationAttributes())
	return schema.Schema{
		Version: framework.SchemaVersion,
		MarkdownDescription: `A channel, and who may do what in it.

Each permission is a set of principals: ` + "`role:members`, `group:NAME`, `user:EMAIL`, `group_id:N`, `user_id:N`" + `. ` +
			`The roles are ` + "`role:owners`, `role:administrators`, `role:moderators`, `role:fullmembers`, `role:members` and `role:everyone`" + `, each with all before it, and ` + "`role:nobody`" + `.

An attribute that is not set is not managed: it is read and shown, and never written. Taking an attribute out of the configuration leaves what it set.

A change is applied only to what the plan saw: if somebody else has changed the same attribute since, the apply stops and says what it is now, what the plan saw and what was asked.

` + framework.NeverAdopted + framework.DeactivatedPrincipals,
		Attributes: all,
	}
}

// creationAttributes say how the channel is created and destroyed. The server does not keep them, so that they are in no row
// of the table.
func creationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"announce": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the new channel is announced in the organization's channel for that. It counts on creation only, and only if somebody is subscribed from the start.",
		},
		"initial_subscribers": schema.SetAttribute{
			ElementType: types.StringType, Optional: true,
			MarkdownDescription: "Who is in the new channel, by e-mail address or ID. It counts on creation only. By default nobody is in a public channel, and the account the provider uses is in a private one: it could not add anybody to it otherwise, not even as an administrator.",
		},
		"adopt_archived": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "If an archived channel has the name, unarchive it with its messages and subscribers instead of failing. What the configuration does not set stays as it was. It counts on creation only. " + featurelevel.Sentence(featurelevel.ReactivateChannel),
		},
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "What happens to the channel when it is destroyed: `archive` (the default) archives it, `keep` leaves it as it is. Zulip deletes no channel for good.",
			Validators:          []validator.String{validators.OneOf(onDestroyArchive, onDestroyKeep)},
		},
	}
}
