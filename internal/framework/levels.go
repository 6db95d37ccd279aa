package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// RequireLevel refuses an attribute that the server is too old for. A level that is not known refuses nothing.
func (b *Base) RequireLevel(attribute string, needed int, diags *diag.Diagnostics) bool {
	return b.requireLevel(path.Root(attribute), attribute, "attribute", needed, diags)
}

// RequireResourceLevel refuses a resource that the server is too old for. A level that is not known refuses nothing.
func (b *Base) RequireResourceLevel(needed int, diags *diag.Diagnostics) bool {
	return b.requireLevel(path.Empty(), "this resource", "resource", needed, diags)
}

func (b *Base) requireLevel(at path.Path, what, kind string, needed int, diags *diag.Diagnostics) bool {
	level := b.FeatureLevel()
	if level == 0 || level >= needed {
		return true
	}
	addError(diags, at, "The server is too old for "+what,
		fmt.Sprintf("It needs feature level %d; the server has %d (Zulip %s). Take the %s out of the configuration, or upgrade the server.",
			needed, level, b.Meta.Server.ZulipVersion, kind))
	return false
}
