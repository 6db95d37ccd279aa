// Package linkifier is the resources zulip_linkifier, a pattern of which links are made, and zulip_linkifier_order.
package linkifier

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// list is the part of a snapshot that holds the linkifiers.
const list = zulip.FetchLinkifiers

// NewResource returns zulip_linkifier.
func NewResource() resource.Resource {
	return core.New(&core.Definition[model, zulip.Linkifier, model]{
		Name: "linkifier", Title: "linkifier", Plural: "linkifiers",
		ListText: core.ListText{Called: "regular expression", Description: "Lists the linkifiers of the organization."},
		Schema:   resourceSchema,
		Role:     zulip.RoleAdministrator,
		Source:   core.Source{Part: list, Lags: true},
		Index:    (*snapshot.Snapshot).Linkifiers,
		Key:      func(linkifier *zulip.Linkifier) int64 { return linkifier.ID },
		Unique: core.Unique[model, zulip.Linkifier]{
			Attribute: "pattern", Word: "pattern",
			Of:      func(m *model) string { return stored(m.Pattern) },
			Where:   "the data source zulip_linkifiers lists all",
			IsTaken: zulip.IsPatternTaken,
			Existing: func(e *core.Existing, linkifier *zulip.Linkifier, _ *core.Context) {
				e.Detail = fmt.Sprintf("Linkifier %d makes links to %s. The server takes a pattern only once.", linkifier.ID, linkifier.URLTemplate)
			},
		},
		ReadInto: func(m *model, linkifier *zulip.Linkifier, c *core.Context) {
			m.read(linkifier, c.FeatureLevel())
		},
		KeepPrior: keepPrior, Validate: validate,
		Create: create, Update: update, Delete: remove,
		Hint: hint,
	})
}

func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	return c.Meta.Client.CreateLinkifier(ctx, plan.wire(nil))
}

func update(ctx context.Context, c *core.Context, planned, current *model) error {
	return c.Meta.Client.UpdateLinkifier(ctx, current.ID.ValueInt64(), planned.wire(current))
}

func remove(ctx context.Context, c *core.Context, state *model) error {
	return c.Meta.Client.DeleteLinkifier(ctx, state.ID.ValueInt64())
}

func hint(err error) string {
	switch {
	case zulip.IsPatternTaken(err):
		return "Another linkifier has this pattern. If a resource of this configuration has just given it up, apply again; else import that linkifier, or change the pattern."
	case zulip.IsNoLinkifier(err):
		return "Somebody has deleted it since the plan was made. Plan again to have it added anew."
	}
	return ""
}

// validate refuses what is wrong in any organization, as far as it is known.
func validate(config *model, diags *diag.Diagnostics) {
	switch {
	case base.IsSet(config.Pattern) && base.IsSet(config.URLTemplate):
		_, err := zulip.ParseLinkifier(config.Pattern.ValueString(), config.URLTemplate.ValueString())
		addWrong(err, diags)
	case base.IsSet(config.Pattern):
		_, err := zulip.ParseLinkifierPattern(config.Pattern.ValueString())
		addWrong(err, diags)
	case base.IsSet(config.URLTemplate):
		_, err := zulip.ParseURLTemplate(config.URLTemplate.ValueString())
		addWrong(err, diags)
	}
	for i, text := range textsOf(config.AlternativeURLTemplates) {
		if _, err := zulip.ParseURLTemplate(text); err != nil {
			diags.AddAttributeError(path.Root("alternative_url_templates").AtListIndex(i), "Not a URL template", "The server would refuse it: it is empty, or not a URL template of RFC 6570.")
		}
	}
	if config.ReverseTemplate.ValueString() != "" && base.IsSet(config.ExampleInput) && config.ExampleInput.ValueString() == "" {
		diags.AddAttributeError(path.Root("example_input"), "An example is missing", "The server wants an example_input with every reverse_template.")
	}
}

// addWrong reports a mistake at the attribute it is in.
func addWrong(err error, diags *diag.Diagnostics) {
	var wrong *zulip.LinkifierError
	if errors.As(err, &wrong) {
		diags.AddAttributeError(path.Root(wrong.Field), "Not a linkifier", "The server would refuse this: "+wrong.Error()+".")
	}
}
