// Package draft is the resource zulip_draft: a message that the provider's account has begun.
package draft

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/compose"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewResource returns zulip_draft.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.Draft, model]{
		Name: "draft", Title: "draft", Plural: "drafts",
		ListText: core.ListText{Called: "display name, as in `draft 5001`,", Description: "Lists the drafts of the provider's account. Nobody else's drafts can be read."},
		Schema:   resourceSchema,
		Source:   core.Source{Part: store.Drafts, Needs: []store.Part{store.Channels}, StoresAsSent: true},
		List:     func(ctx context.Context, s *store.Store) ([]*zulip.Draft, error) { return s.Drafts(ctx) },
		WhereIDs: "GET /drafts lists the account's own. It may have been sent or deleted; only the account that began a draft sees it.",
		Key:      func(draft *zulip.Draft) int64 { return draft.ID },
		ReadInto: func(m *model, draft *zulip.Draft, c *core.Context) {
			m.read(draft, c.Snapshot, c.Meta.Store.Self().ID)
		},
		Validate: validate, CheckPlan: checkPlan,
		Create: create, Update: update, Delete: remove,
		Hint: hint,
	})
}

// validate refuses what is wrong in any organization. A draft may be for nobody yet.
func validate(config *model, diags *diag.Diagnostics) {
	if !config.IsEmpty() {
		config.Validate(diags)
	}
}

// checkPlan refuses what the server would cut or refuse, and plans no change where the draft means the same.
func checkPlan(ctx context.Context, p *core.Plan[model]) {
	if p.IsDestroy() {
		return
	}
	view, err := p.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		p.Diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	compose.CheckContent(p.Plan.Content, view, p.Diags)
	p.Plan.CheckPlan(view, p.Diags)
	if p.Diags.HasError() || p.IsCreate() {
		return
	}
	p.Plan.KeepWords(p.Prior.Addressee, view, p.Meta.Store.Self().ID)
	if !p.Plan.Content.IsUnknown() && sameContent(p.Plan.Content.ValueString(), p.Prior.Content.ValueString()) {
		p.Plan.Content = p.Prior.Content
	}
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	draft, err := plan.wire(ctx, c)
	if err != nil {
		return 0, err
	}
	return c.Meta.Store.CreateDraft(ctx, draft)
}

// update replaces the draft: the server knows no smaller change.
func update(ctx context.Context, c *core.Context, planned, current *model) error {
	draft, err := planned.wire(ctx, c)
	if err != nil {
		return err
	}
	return c.Meta.Client.ReplaceDraft(ctx, current.ID.ValueInt64(), draft)
}

func remove(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeleteDraft(ctx, state.ID.ValueInt64())
}

// wire is the draft as it is sent.
func (m *model) wire(ctx context.Context, c *core.Context) (zulip.Draft, error) {
	content := m.Content.ValueString()
	if m.IsEmpty() {
		return zulip.NewDraft(nil, content), nil
	}
	to, err := m.ResolveToSend(ctx, c.Meta.Store)
	if err != nil {
		return zulip.Draft{}, err
	}
	to.Topic = zulip.StoredTopic(to.Topic) // in a draft, the server counts white space before it takes it away
	return zulip.NewDraft(&to, content), nil
}

func hint(err error) string {
	switch {
	case zulip.IsMessage(err, "User has disabled synchronizing drafts."):
		return "The account the provider uses keeps its drafts on its own devices. Enable \"Sync drafts\" (enable_drafts_synchronization) in its settings."
	case zulip.IsNoDraft(err):
		return "It was sent or deleted since the plan was made. Plan again to have it stored anew."
	}
	return ""
}
