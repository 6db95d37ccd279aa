// Package savedsnippet is the resource zulip_saved_snippet: a text that the provider's account keeps to write it again.
package savedsnippet

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// model is the resource.
type model struct {
	ID          types.Int64  `tfsdk:"id"`
	Title       types.String `tfsdk:"title"`
	Content     types.String `tfsdk:"content"`
	DateCreated types.String `tfsdk:"date_created"`
}

// NewResource returns zulip_saved_snippet.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.SavedSnippet, model]{
		Name: "saved_snippet", Title: "saved snippet", Plural: "saved snippets",
		ListText: core.ListText{Called: "title", Description: "Lists the saved snippets of the provider's account. Nobody else's can be read."},
		Schema:   resourceSchema,
		Source:   core.Source{Part: store.SavedSnippets},
		List:     func(ctx context.Context, s *store.Store) ([]*zulip.SavedSnippet, error) { return s.SavedSnippets(ctx) },
		Label:    func(snippet *zulip.SavedSnippet, _ *snapshot.Snapshot) string { return snippet.Title },
		WhereIDs: "GET /saved_snippets lists the account's own. Titles may repeat, so a snippet is not imported by its title.",
		Key:      func(snippet *zulip.SavedSnippet) int64 { return snippet.ID },
		ReadInto: readInto, KeepPrior: keepPrior,
		Create: func(ctx context.Context, c *core.Context, plan *model) (int64, error) {
			return c.Meta.Client.CreateSavedSnippet(ctx, plan.Title.ValueString(), plan.Content.ValueString())
		},
		Update: update,
		Delete: func(ctx context.Context, c *core.Context, state *model) error {
			return c.Meta.Client.DeleteSavedSnippet(ctx, state.ID.ValueInt64())
		},
	})
}

// readInto takes what the server holds, in the words there are if they mean it.
func readInto(m *model, snippet *zulip.SavedSnippet, _ *core.Context) {
	m.ID, m.DateCreated = types.Int64Value(snippet.ID), types.StringValue(time.Unix(snippet.DateCreated, 0).UTC().Format(time.RFC3339))
	if !isSame(m.Title, types.StringValue(snippet.Title)) {
		m.Title = types.StringValue(snippet.Title)
	}
	if !isSame(m.Content, types.StringValue(snippet.Content)) {
		m.Content = types.StringValue(snippet.Content)
	}
}

// keepPrior plans no change where a text means the same.
func keepPrior(plan, prior *model) {
	if isSame(plan.Title, prior.Title) {
		plan.Title = prior.Title
	}
	if isSame(plan.Content, prior.Content) {
		plan.Content = prior.Content
	}
}

// isSame compares as the server does, which removes white space at both ends (server-behavior §M13).
func isSame(a, b types.String) bool {
	return base.IsSet(a) && base.IsSet(b) && strings.TrimSpace(a.ValueString()) == strings.TrimSpace(b.ValueString())
}

// update sends what differs.
func update(ctx context.Context, c *core.Context, planned, current *model) error {
	var title, content *string
	if !isSame(planned.Title, current.Title) {
		title = planned.Title.ValueStringPointer()
	}
	if !isSame(planned.Content, current.Content) {
		content = planned.Content.ValueStringPointer()
	}
	return c.Meta.Client.UpdateSavedSnippet(ctx, current.ID.ValueInt64(), title, content)
}

// maxTitle is the longest title, in characters (server-behavior §M13).
const maxTitle = 60

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `Manages a saved snippet of the provider's account: a text that is kept to write it again. Every account sees and changes its own snippets alone: snippets of somebody else cannot be managed. ` + featurelevel.Needs("zulip_saved_snippet", "") + `

The server stores a snippet twice if it is asked twice. So if the connection is lost before the server answers, a snippet with the same title and content that is new since then is taken for the one it has stored. One of an apply that was killed before it wrote its state stays, and the next apply stores another.`,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the snippet.", PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"title": schema.StringAttribute{
				Required: true, Validators: []validator.String{validators.Length(1, maxTitle)},
				MarkdownDescription: "Title, at most 60 characters. Several snippets may have the same. The server removes white space at both ends.",
			},
			"content": schema.StringAttribute{
				Required: true, Validators: []validator.String{validators.Length(1, 0)},
				MarkdownDescription: "Text, in Markdown, as long as a message at most. The server removes white space at both ends.",
			},
			"date_created": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time at which the snippet was stored (RFC 3339).", PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}
