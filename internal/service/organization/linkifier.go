package organization

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/order"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// linkifierList is the part of a snapshot that holds the linkifiers.
const linkifierList = zulip.FetchLinkifiers

// NewLinkifierResource returns zulip_linkifier.
func NewLinkifierResource() resource.Resource { return core.New(linkifierDefinition()) }

func linkifierDefinition() *core.Definition[linkifierModel, zulip.Linkifier] {
	return &core.Definition[linkifierModel, zulip.Linkifier]{
		Name: "linkifier", Title: "linkifier", Plural: "linkifiers",
		ListText: core.ListText{Called: "regular expression", Description: "Lists the linkifiers of the organization."},
		Schema:   linkifierSchema,
		Role:     zulip.RoleAdministrator,
		Source:   core.Source{Part: linkifierList, Lags: true},
		Index:    (*snapshot.Snapshot).Linkifiers,
		Key:      func(linkifier *zulip.Linkifier) int64 { return linkifier.ID },
		Unique: core.Unique[linkifierModel, zulip.Linkifier]{
			Attribute: "pattern", Word: "pattern",
			Of:      func(m *linkifierModel) string { return storedLinkifierText(m.Pattern) },
			Where:   "the data source zulip_linkifiers lists all",
			IsTaken: zulip.IsPatternTaken,
			Existing: func(e *existing.Object, linkifier *zulip.Linkifier, _ *core.Call) {
				e.Detail = fmt.Sprintf("Linkifier %d links to %q. The server accepts each pattern only once.", linkifier.ID, linkifier.URLTemplate)
			},
		},
		ReadInto: func(m *linkifierModel, linkifier *zulip.Linkifier, c *core.Call) {
			m.read(linkifier, c.FeatureLevel())
		},
		KeepPrior: linkifierKeepPrior, Validate: validateLinkifier,
		Create: createLinkifier, Update: updateLinkifier, Delete: deleteLinkifier,
		Hint: linkifierHint,
	}
}

func createLinkifier(ctx context.Context, c *core.Call, plan *linkifierModel) (int64, error) {
	return c.Meta.Client.CreateLinkifier(ctx, plan.wire(nil))
}

func updateLinkifier(ctx context.Context, c *core.Call, planned, current *linkifierModel) error {
	return c.Meta.Client.UpdateLinkifier(ctx, current.ID.ValueInt64(), planned.wire(current))
}

func deleteLinkifier(ctx context.Context, c *core.Call, state *linkifierModel) error {
	return c.Meta.Client.DeleteLinkifier(ctx, state.ID.ValueInt64())
}

func linkifierHint(err error) string {
	switch {
	case zulip.IsPatternTaken(err):
		return "Another linkifier has this pattern. If a resource of this configuration just gave it up, apply again. Otherwise import that linkifier, or change the pattern."
	case zulip.IsNoLinkifier(err):
		return "Someone deleted it after the plan was made. Plan again to create it again."
	}
	return ""
}

// validateLinkifier refuses known values that are wrong in every organization.
func validateLinkifier(config *linkifierModel, diags *diag.Diagnostics) {
	switch {
	case base.IsSet(config.Pattern) && base.IsSet(config.URLTemplate):
		_, err := zulip.ParseLinkifier(config.Pattern.ValueString(), config.URLTemplate.ValueString())
		addLinkifierError(err, diags)
	case base.IsSet(config.Pattern):
		_, err := zulip.ParseLinkifierPattern(config.Pattern.ValueString())
		addLinkifierError(err, diags)
	case base.IsSet(config.URLTemplate):
		_, err := zulip.ParseURLTemplate(config.URLTemplate.ValueString())
		addLinkifierError(err, diags)
	}
	for i, text := range linkifierTextsOf(config.AlternativeURLTemplates) {
		if _, err := zulip.ParseURLTemplate(text); err != nil {
			diags.AddAttributeError(path.Root("alternative_url_templates").AtListIndex(i), "Invalid URL template", "It is empty, or not a URL template of RFC 6570.")
		}
	}
	if config.ReverseTemplate.ValueString() != "" && base.IsSet(config.ExampleInput) && config.ExampleInput.ValueString() == "" {
		diags.AddAttributeError(path.Root("example_input"), "example_input is missing", "reverse_template requires example_input.")
	}
}

// addLinkifierError reports a mistake at its attribute.
func addLinkifierError(err error, diags *diag.Diagnostics) {
	var wrong *zulip.LinkifierError
	if errors.As(err, &wrong) {
		diags.AddAttributeError(path.Root(wrong.Field), "Invalid linkifier", "The server would refuse it: "+wrong.Error()+".")
	}
}

func linkifierSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: "Manages a [linkifier](https://zulip.com/help/add-a-custom-linkifier), which turns text that matches a pattern into a link.",
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "ID of the linkifier.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"pattern":          schema.StringAttribute{Required: true, MarkdownDescription: "Regular expression (RE2, without look-around and back references). Its named groups, `(?P<name>…)`, are the variables of `url_template`. White space at both ends is ignored."},
			"url_template":     schema.StringAttribute{Required: true, MarkdownDescription: "URL template (RFC 6570), such as `https://example.com/{name}`. Its variables are exactly the named groups of `pattern`. White space at both ends is ignored."},
			"example_input":    schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Text that `pattern` matches; `\"\"` for none. " + featurelevel.Needs("zulip_linkifier", "example_input")},
			"reverse_template": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Text that replaces a pasted URL that this linkifier could have produced, such as `#{name}`. `\"\"` leaves pasted URLs unchanged. Requires `example_input`. " + featurelevel.Needs("zulip_linkifier", "reverse_template")},
			"alternative_url_templates": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Computed: true, MarkdownDescription: "Further URL templates that pasted URLs are compared with. They produce no links. " + featurelevel.Needs("zulip_linkifier", "alternative_url_templates"),
			},
		},
	}
}

// These are the feature levels of attributes that not every server has.
var (
	linkifierReverseLevel      = featurelevel.Since("zulip_linkifier", "example_input")
	linkifierAlternativesLevel = featurelevel.Since("zulip_linkifier", "alternative_url_templates")
)

// linkifierModel is the resource.
type linkifierModel struct {
	ID                      types.Int64  `tfsdk:"id"`
	Pattern                 types.String `tfsdk:"pattern"`
	URLTemplate             types.String `tfsdk:"url_template"`
	ExampleInput            types.String `tfsdk:"example_input"`
	ReverseTemplate         types.String `tfsdk:"reverse_template"`
	AlternativeURLTemplates types.List   `tfsdk:"alternative_url_templates"`
}

// read sets the model to the server's values, and keeps values with the same meaning. Attributes that a server of
// that feature level does not have are null.
func (m *linkifierModel) read(held *zulip.Linkifier, level int) {
	m.ID = types.Int64Value(held.ID)
	m.Pattern = keepLinkifierText(m.Pattern, held.Pattern)
	m.URLTemplate = keepLinkifierText(m.URLTemplate, held.URLTemplate)
	m.ExampleInput, m.ReverseTemplate = types.StringNull(), types.StringNull()
	if level == 0 || level >= linkifierReverseLevel {
		m.ExampleInput = types.StringValue(linkifierTextOf(held.ExampleInput))
		m.ReverseTemplate = types.StringValue(linkifierTextOf(held.ReverseTemplate))
	}
	m.AlternativeURLTemplates = types.ListNull(types.StringType)
	if level == 0 || level >= linkifierAlternativesLevel {
		m.AlternativeURLTemplates = linkifierListOf(held.AlternativeURLTemplates)
	}
}

// wire returns the planned linkifier for a request. Optional attributes are included if they differ from the state,
// or if there is no state.
func (m *linkifierModel) wire(state *linkifierModel) zulip.LinkifierChange {
	change := zulip.LinkifierChange{Pattern: storedLinkifierText(m.Pattern), URLTemplate: storedLinkifierText(m.URLTemplate)}
	if base.IsSet(m.ExampleInput) && (state == nil || !m.ExampleInput.Equal(state.ExampleInput)) {
		change.ExampleInput = m.ExampleInput.ValueStringPointer()
	}
	if base.IsSet(m.ReverseTemplate) && (state == nil || !m.ReverseTemplate.Equal(state.ReverseTemplate)) {
		change.ReverseTemplate = m.ReverseTemplate.ValueStringPointer()
	}
	if base.IsSet(m.AlternativeURLTemplates) && (state == nil || !m.AlternativeURLTemplates.Equal(state.AlternativeURLTemplates)) {
		texts := linkifierTextsOf(m.AlternativeURLTemplates)
		change.AlternativeURLTemplates = &texts
	}
	return change
}

// linkifierKeepPrior plans no change if only white space at the ends differs.
func linkifierKeepPrior(plan, prior *linkifierModel) {
	for _, text := range []struct{ planned, prior *types.String }{{&plan.Pattern, &prior.Pattern}, {&plan.URLTemplate, &prior.URLTemplate}} {
		if base.IsSet(*text.planned) && storedLinkifierText(*text.planned) == storedLinkifierText(*text.prior) {
			*text.planned = *text.prior
		}
	}
}

// storedLinkifierText returns a pattern or template as the server stores it, without white space at both ends (server-behavior
// §L1).
func storedLinkifierText(text types.String) string { return zulip.Strip(text.ValueString()) }

func keepLinkifierText(kept types.String, held string) types.String {
	if base.IsSet(kept) && storedLinkifierText(kept) == held {
		return kept
	}
	return types.StringValue(held)
}

func linkifierTextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func linkifierListOf(texts []string) types.List {
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, elements)
}

// linkifierTextsOf returns the known elements of a list.
func linkifierTextsOf(list types.List) []string {
	texts := []string{}
	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && base.IsSet(text) {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

// NewLinkifierOrderResource returns zulip_linkifier_order.
func NewLinkifierOrderResource() resource.Resource {
	return &order.Resource{Order: order.Order{
		TypeName: "linkifier_order", ID: "linkifiers", Attribute: "linkifier_ids",
		Thing: "linkifier", Things: "linkifiers",
		Description: "Manages the order in which linkifiers apply.",
		Seen: func(ctx context.Context, d *store.Store) ([]order.Item, error) {
			return linkifierOrdered(d.Read(ctx, store.Linkifiers))
		},
		Fresh: func(ctx context.Context, d *store.Store, shows func([]order.Item) bool) ([]order.Item, error) {
			return linkifierOrdered(d.FreshUntil(ctx, linkifierList, func(view *snapshot.Snapshot) bool {
				all, _ := linkifierOrdered(view, nil)
				return shows(all)
			}))
		},
		Part: linkifierList,
		Write: func(ctx context.Context, client *zulip.Client, ids []int64) error {
			return client.OrderLinkifiers(ctx, ids)
		},
	}}
}

func linkifierOrdered(view *snapshot.Snapshot, err error) ([]order.Item, error) {
	if err != nil {
		return nil, err
	}
	var all []order.Item
	for _, linkifier := range view.Linkifiers().List() {
		all = append(all, order.Item{ID: linkifier.ID})
	}
	return all, nil
}

// NewLinkifiersDataSource returns the data source zulip_linkifiers.
func NewLinkifiersDataSource() datasource.DataSource {
	return adapter.NewListed(linkifierDefinition(), adapter.Listed{
		Name: "linkifiers", Description: "Lists the linkifiers of the organization.",
		Attribute: "linkifiers", Text: "Linkifiers in the order in which they apply.",
	})
}
