package draft

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// model is the resource.
type model struct {
	compose.Addressee
	ID      types.Int64  `tfsdk:"id"`
	Content types.String `tfsdk:"content"`
}

// read takes what the server holds, in the words there are if they mean it.
func (m *model) read(found *zulip.Draft, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(found.ID)
	if to := found.Addressee(); to != nil {
		m.Read(*to, view, self)
	} else {
		m.Addressee = compose.Addressee{Recipients: types.SetNull(types.StringType)}
	}
	if m.Content.IsNull() || !sameContent(m.Content.ValueString(), found.Content) {
		m.Content = types.StringValue(found.Content)
	}
}

// sameContent compares as the server does: white space at both ends is lost in a draft, at one end or the other
// depending on its version.
func sameContent(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func resourceSchema() schema.Schema {
	attributes := compose.AddresseeAttributes()
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the draft.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: compose.ContentDescription,
		Validators: []validator.String{compose.ContentValidator()},
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages a draft of the provider's account: a message for a person to finish and send. It is for a topic of a channel, for people, or, with neither, for nobody yet. The account must have the setting ` + "`enable_drafts_synchronization`" + ` on, as it is by default.

Drafts that are created at the same time are stored in one request. If a draft is sent or deleted outside Terraform, the next plan proposes to create it again.

The server stores a draft twice if it is asked twice. So the provider notes which drafts of the account have the same text and recipients; if the connection is lost before the server answers, a draft that is new since then is taken for the one it has stored. It cannot recognize a draft that somebody changed meanwhile, and one of an apply that was killed before it wrote its state: that one stays, and the next apply stores another.`,
		Attributes: attributes,
	}
}
