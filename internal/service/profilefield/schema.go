package profilefield

import (
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The server's limits, counted in characters (server-behavior §L5).
const (
	maxName = 40
	maxHint = 80
)

var (
	trimmed  = regexp.MustCompile(`(?s)^[^\s\pZ](.*[^\s\pZ])?$`)
	notBlank = regexp.MustCompile(`[^\s\pZ]`)
)

const unmanaged = " Not managed if it is not set."

func resourceSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"id": schema.Int64Attribute{
			Computed: true, MarkdownDescription: "The field's ID.",
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
		},
		"field_type": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "What people write in it: `" + strings.Join(zulip.ProfileFieldTypes(), "`, `") + "` (the last needs " + featurelevel.Describe(featurelevel.SinceValue("zulip_custom_profile_field", "field_type", "pronouns")) + "). Another type makes another field: what people wrote is lost.",
			Validators:          []validator.String{validators.OneOf(zulip.ProfileFieldTypes()...)},
		},
		"name": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "The label, at most 40 characters. No two fields have the same. A field for accounts of a service that the server knows (see `subtype`) has the server's name; every other needs one.",
			Validators: []validator.String{
				validators.Length(1, maxName),
				validators.Matches(trimmed, "must not be blank, or begin or end with white space, which the server would take away"),
				validators.VisibleName{},
			},
		},
		"hint": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "A line that helps to fill it in, at most 80 characters." + unmanaged,
			Validators:          []validator.String{validators.Length(0, maxHint)},
		},
		"options": optionsAttribute(),
		"subtype": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "For the type `external_account`, and needed there: `github`, `twitter`, or `custom` for any other service.",
			Validators:          []validator.String{validators.Matches(notBlank, "must not be blank")},
		},
		"url_pattern": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "For the subtype `custom`, and needed there: where an account is found, with `%(username)s` once in it.",
		},
	}
	for name, text := range map[string]string{
		"display_in_profile_summary": "Whether the small card of a person shows it; at most two fields. Not for the type `user`, and for `long_text` from " + featurelevel.Describe(levelLongSummary) + " on. " + featurelevel.Needs("zulip_custom_profile_field", "display_in_profile_summary"),
		"required":                   "Whether people are asked to fill it in. " + featurelevel.Needs("zulip_custom_profile_field", "required"),
		"editable_by_user":           "Whether people fill it in themselves; otherwise administrators do. By default they do. " + featurelevel.Needs("zulip_custom_profile_field", "editable_by_user"),
		"use_for_user_matching":      "Whether people are found by it when somebody types a name. " + featurelevel.Needs("zulip_custom_profile_field", "use_for_user_matching"),
	} {
		attributes[name] = schema.BoolAttribute{Optional: true, Computed: true, MarkdownDescription: text + unmanaged}
	}
	return schema.Schema{
		Version: base.SchemaVersion,
		MarkdownDescription: `A custom profile field: something that people say about themselves. Only administrators may manage them.

A new field comes after all others; ` + "`zulip_custom_profile_field_order`" + ` puts them in order. Deleting a field deletes what everybody has written in it: the plan says how many people that is.

Names are unique. ` + core.NeverAdopted,
		Attributes: attributes,
	}
}

func optionsAttribute() schema.ListNestedAttribute {
	filled := []validator.String{validators.Matches(notBlank, "must not be blank")}
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "For the type `select`, and needed there: what people choose from, in this order.",
		Validators:          []validator.List{validators.Size(1, 0), validators.RequireInElements("key", "text")},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key": schema.StringAttribute{
				Optional: true, Validators: filled, // required, by the list's validator
				MarkdownDescription: "Required. What people's answers hold. Give each option one and leave it: the text and the place of an option may change, and whoever chose it keeps it. Taking a key out takes those answers along.",
			},
			"text": schema.StringAttribute{Optional: true, Validators: filled, MarkdownDescription: "Required. What people read. No two options have the same."},
		}},
	}
}
