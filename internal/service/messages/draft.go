package messages

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewDraftResource returns zulip_draft.
func NewDraftResource() resource.Resource {
	return core.New(&core.Definition[draftModel, zulip.Draft]{
		Name: "draft", Title: "draft", Plural: "drafts",
		ListText: core.ListText{Called: "display name (`draft 5001`)", Description: "Lists the drafts of the provider's account."},
		Schema:   draftSchema,
		Source:   core.Source{Part: store.Drafts, Needs: []store.Part{store.Channels}, StoresAsSent: true},
		Key:      func(draft *zulip.Draft) int64 { return draft.ID },
		ReadInto: func(m *draftModel, draft *zulip.Draft, c *core.Call) {
			m.read(draft, c.Snapshot, c.Meta.Store.Self().ID)
		},
		Names:    addresseeNames,
		Validate: validateDraft, CheckPlan: checkDraftPlan,
		Create: createDraft, Update: updateDraft, Delete: deleteDraft,
		Hint: draftHint,
		Unlisted: core.Unlisted[draftModel, zulip.Draft]{
			ReadAll:  func(ctx context.Context, s *store.Store) ([]*zulip.Draft, error) { return s.Drafts(ctx) },
			WhereIDs: "GET /drafts lists the account's own. It may have been sent or deleted. Only the author of a draft sees it.",
		},
	})
}

// validateDraft refuses mistakes that are independent of the organization. A draft may have no recipients yet.
func validateDraft(config *draftModel, diags *diag.Diagnostics) {
	if !config.IsEmpty() {
		config.Validate(diags)
	}
}

// checkDraftPlan refuses a draft that the server would cut or refuse, and plans no change if the draft means the same.
func checkDraftPlan(ctx context.Context, p *core.Plan[draftModel]) {
	if p.IsDestroy() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	checkContent(p.Plan.Content, view, p.Diags)
	to, isKnown := p.Plan.CheckPlan(view, p.Diags)
	if p.Diags.HasError() {
		return
	}
	if !p.IsCreate() {
		p.Plan.KeepPrior(p.State.addressee, view, p.Meta.Store.Self().ID)
		if !p.Plan.Content.IsUnknown() && sameDraftContent(p.Plan.Content.ValueString(), p.State.Content.ValueString()) {
			p.Plan.Content = p.State.Content
		}
		if p.Plan.Content.Equal(p.State.Content) && p.Plan.Equal(p.State.addressee) {
			return
		}
	}
	if isKnown {
		needRecipients(p.Meta, view, to, p.Diags)
	}
	if channel, ok := view.Channels().ByID(to.ChannelID); ok && isKnown && !to.IsDirect() {
		base.CheckInPlan(p.Diags, func(found *diag.Diagnostics) {
			p.Meta.RequireUse(ctx, view, channel, path.Root("channel"), fmt.Sprintf("draft a message for channel %q", channel.Name), found)
		})
	}
}

func createDraft(ctx context.Context, c *core.Call, plan *draftModel) (int64, error) {
	draft, err := plan.wire(ctx, c)
	if err != nil {
		return 0, err
	}
	return c.Meta.Store.CreateDraft(ctx, draft)
}

// updateDraft replaces the draft, because the server has no smaller change.
func updateDraft(ctx context.Context, c *core.Call, planned, current *draftModel) error {
	draft, err := planned.wire(ctx, c)
	if err != nil {
		return err
	}
	return c.Meta.Client.ReplaceDraft(ctx, current.ID.ValueInt64(), draft)
}

func deleteDraft(ctx context.Context, c *core.Call, state *draftModel) error {
	return c.Meta.Client.DeleteDraft(ctx, state.ID.ValueInt64())
}

// wire returns the draft for a request.
func (m *draftModel) wire(ctx context.Context, c *core.Call) (zulip.Draft, error) {
	content := m.Content.ValueString()
	if m.IsEmpty() {
		return zulip.NewDraft(nil, content), nil
	}
	to, err := m.ResolveToSend(ctx, c.Meta.Store)
	if err != nil {
		return zulip.Draft{}, err
	}
	to.Topic = zulip.StoredTopic(to.Topic) // in a draft, the server counts white space before removing it
	return zulip.NewDraft(&to, content), nil
}

func draftHint(err error) string {
	switch {
	case zulip.IsMessage(err, "User has disabled synchronizing drafts."):
		return "The provider's account does not store drafts on the server. Enable \"Sync drafts\" (enable_drafts_synchronization) in its settings."
	case zulip.IsNoDraft(err):
		return "It was sent or deleted after the plan was made. Plan again to create it again."
	}
	return ""
}

// draftModel is the resource.
type draftModel struct {
	addressee
	ID      types.Int64  `tfsdk:"id"`
	Content types.String `tfsdk:"content"`
}

// read sets the model to the server's values, and keeps values with the same meaning.
func (m *draftModel) read(found *zulip.Draft, view *snapshot.Snapshot, self int64) {
	m.ID = types.Int64Value(found.ID)
	if to := found.Addressee(); to != nil {
		m.Read(*to, view, self)
	} else {
		m.addressee = addressee{Recipients: types.SetNull(types.StringType)}
	}
	if m.Content.IsNull() || !sameDraftContent(m.Content.ValueString(), found.Content) {
		m.Content = types.StringValue(found.Content)
	}
}

// sameDraftContent compares contents like the server. It ignores white space at both ends, because the server removes it at
// one end or at both, depending on its version.
func sameDraftContent(a, b string) bool { return zulip.Strip(a) == zulip.Strip(b) }

func draftSchema() schema.Schema {
	attributes := addresseeAttributes()
	attributes["id"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "ID of the draft.",
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
	attributes["content"] = schema.StringAttribute{
		Required: true, MarkdownDescription: contentDescription,
		Validators: []validator.String{contentValidator()},
	}
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [draft](https://zulip.com/help/view-and-edit-your-message-drafts) of the provider's account, for a person to finish and send.",
		Attributes:          attributes,
	}
}
