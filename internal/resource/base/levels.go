package base

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// HasLevel reports whether the server has a feature level, or may have it: one that is not known refuses nothing.
func (b *Base) HasLevel(needed int) bool {
	level := b.FeatureLevel()
	return level == 0 || level >= needed
}

// CheckLevels refuses what a configuration sets and the server is too old for, by the table of feature levels: all of a
// resource or action, attributes, and values of attributes. What is not known yet is not refused.
func (b *Base) CheckLevels(ctx context.Context, of string, config tfsdk.Config, diags *diag.Diagnostics) {
	for _, row := range featurelevel.Of(of) {
		if row.Below != featurelevel.Refused || b.HasLevel(row.Level) {
			continue
		}
		if row.Attribute == "" {
			b.tooOld(path.Empty(), "this resource", "resource", row.Level, diags)
			continue
		}
		var value attr.Value
		at := path.Root(row.Attribute)
		diags.Append(config.GetAttribute(ctx, at, &value)...)
		if value == nil || !IsSet(value) || row.Value != "" && row.Value != textOf(value) {
			continue
		}
		what := row.Attribute
		if row.Value != "" {
			what += " = " + row.Value
		}
		b.tooOld(at, what, "attribute", row.Level, diags)
	}
}

// tooOld reports that the server is too old for something.
func (b *Base) tooOld(at path.Path, what, kind string, needed int, diags *diag.Diagnostics) {
	AddErrorAt(diags, at, "The server is too old for "+what,
		fmt.Sprintf("It needs feature level %d; the server has %d (Zulip %s). Take the %s out of the configuration, or upgrade the server to Zulip %s or later.",
			needed, b.FeatureLevel(), b.Meta.Server.ZulipVersion, kind, featurelevel.FirstRelease(needed)))
}

// textOf writes a text or a switch as the table of feature levels does.
func textOf(value attr.Value) string {
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Bool:
		return strconv.FormatBool(value.ValueBool())
	}
	return ""
}

// RequireLevel refuses an attribute that the server is too old for, where that depends on more than the attribute.
func (b *Base) RequireLevel(attribute string, needed int, diags *diag.Diagnostics) {
	if !b.HasLevel(needed) {
		b.tooOld(path.Root(attribute), attribute, "attribute", needed, diags)
	}
}
