package lookup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Emoji has the attributes emoji_name, emoji_code and reaction_type of a configuration.
type Emoji struct{ Name, Code, Kind types.String }

// customEmojiKind is the kind of custom emoji in the run state.
const customEmojiKind = "zulip_custom_emoji"

// extraEmoji is the only emoji that is neither standard nor custom (server-behavior §U12).
const extraEmoji = "zulip"

// Check refuses, during plan, an emoji that the server does not have, if the server lists its emoji, and a code or kind
// of another emoji. It accepts an emoji that this run creates. view has the organization's custom emoji.
func (e Emoji) Check(ctx context.Context, meta *base.Meta, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	if e.Name.IsNull() || e.Name.IsUnknown() || e.Code.IsUnknown() || e.Kind.IsUnknown() {
		return
	}
	if _, isPlanned := meta.Run.PlannedID(customEmojiKind, e.Name.ValueString()); isPlanned {
		return
	}
	standard, err := meta.Store.EmojiNames(ctx)
	if err != nil {
		diags.AddError("Cannot read the organization", base.Explain(err))
		return
	}
	name := e.Name.ValueString()
	kinds := map[string]string{} // code by kind
	if emoji, ok := view.CustomEmoji().ByName(name); ok {
		kinds["realm_emoji"] = strconv.FormatInt(emoji.ID, 10)
	}
	if code, ok := standard[name]; ok {
		kinds["unicode_emoji"] = code
	}
	if name == extraEmoji {
		kinds["zulip_extra_emoji"] = extraEmoji
	}
	switch {
	case len(kinds) == 0 && len(standard) == 0: // the server does not list its emoji
	case len(kinds) == 0:
		diags.AddAttributeError(path.Root("emoji_name"), fmt.Sprintf("No such emoji: %q", name), "Neither a custom emoji of the organization nor a standard emoji has this name."+suggest.DidYouMean(suggest.Nearest(name, append(slices.Collect(maps.Keys(standard)), view.CustomEmoji().Names()...))))
	default:
		e.checkKind(kinds, diags)
	}
}

// checkKind refuses a kind or a code that the emoji does not have.
func (e Emoji) checkKind(kinds map[string]string, diags *diag.Diagnostics) {
	if !e.Kind.IsNull() {
		only, ok := kinds[e.Kind.ValueString()]
		if !ok {
			diags.AddAttributeError(path.Root("reaction_type"), "reaction_type does not match the emoji",
				fmt.Sprintf("%q is %s. Remove reaction_type to let the server choose it.", e.Name.ValueString(), strings.Join(slices.Sorted(maps.Keys(kinds)), " or ")))
			return
		}
		kinds = map[string]string{e.Kind.ValueString(): only}
	}
	if codes := slices.Sorted(maps.Values(kinds)); !e.Code.IsNull() && !slices.Contains(codes, e.Code.ValueString()) {
		diags.AddAttributeError(path.Root("emoji_code"), "emoji_code does not match the emoji",
			fmt.Sprintf("The code of %q is %s. Remove emoji_code to let the server choose it.", e.Name.ValueString(), strings.Join(codes, " or ")))
	}
}
