package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// RequireLevel refuses an attribute that the server is too old for. A level that is not known refuses nothing.
func (b *Base) RequireLevel(attribute string, needed int, diags *diag.Diagnostics) {
	if level := b.FeatureLevel(); level > 0 && level < needed {
		diags.AddAttributeError(path.Root(attribute), "The server is too old for "+attribute,
			fmt.Sprintf("It needs feature level %d; the server has %d (Zulip %s). Take the attribute out of the configuration, or upgrade the server.",
				needed, level, b.Meta.Server.ZulipVersion))
	}
}
