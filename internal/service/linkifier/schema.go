package linkifier

import (
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What the attributes are, for the resource and the data source.
var (
	describePattern      = "A regular expression of RE2, without look-around and back references. Its named groups, `(?P<name>…)`, are the variables of `url_template`. No two linkifiers have the same. The server removes white space at both ends, which is no difference."
	describeTemplate     = "A URL template of RFC 6570, as `https://example.com/{name}`. Its variables are the named groups of `pattern`, no more and no fewer. The server removes white space at both ends, which is no difference."
	describeExample      = "A text that `pattern` matches; `\"\"` is none. " + featurelevel.Needs("zulip_linkifier", "example_input")
	describeReverse      = "What a pasted URL becomes that the linkifier could have made, as `#{name}`; `\"\"`: it stays a URL. It wants an `example_input`. " + featurelevel.Needs("zulip_linkifier", "reverse_template")
	describeAlternatives = "More URL templates that a pasted URL is compared with. They make no links. " + featurelevel.Needs("zulip_linkifier", "alternative_url_templates")
	unmanaged            = " Not managed if it is not set."
)

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A linkifier: a pattern that becomes a link wherever somebody writes it. Only administrators may manage them.

A new linkifier is tried after all others; ` + "`zulip_linkifier_order`" + ` puts them in order. Try a linkifier without a server with the function ` + "`linkify`" + `.

A pattern is unique in an organization. ` + core.NeverAdopted,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The linkifier's ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"pattern":          schema.StringAttribute{Required: true, MarkdownDescription: describePattern},
			"url_template":     schema.StringAttribute{Required: true, MarkdownDescription: describeTemplate},
			"example_input":    schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: describeExample + unmanaged},
			"reverse_template": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: describeReverse + unmanaged},
			"alternative_url_templates": schema.ListAttribute{
				ElementType: types.StringType, Optional: true, Computed: true, MarkdownDescription: describeAlternatives + unmanaged,
				Validators: []validator.List{validators.NoNulls()},
			},
		},
	}
}

func dataSourceAttributes() map[string]datasourceschema.Attribute {
	return map[string]datasourceschema.Attribute{
		"id":               datasourceschema.Int64Attribute{Computed: true, MarkdownDescription: "The linkifier's ID."},
		"pattern":          datasourceschema.StringAttribute{Computed: true, MarkdownDescription: describePattern},
		"url_template":     datasourceschema.StringAttribute{Computed: true, MarkdownDescription: describeTemplate},
		"example_input":    datasourceschema.StringAttribute{Computed: true, MarkdownDescription: describeExample},
		"reverse_template": datasourceschema.StringAttribute{Computed: true, MarkdownDescription: describeReverse},
		"alternative_url_templates": datasourceschema.ListAttribute{
			ElementType: types.StringType, Computed: true, MarkdownDescription: describeAlternatives,
		},
	}
}
