package compose

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// ContentDescription says what the content of a message may be.
const ContentDescription = "Text of the message, in Markdown, at most 10000 characters unless the server is set up otherwise. The server removes white space at the end, so the last line break of a heredoc makes no difference."

// ContentValidator refuses a content that no server takes.
func ContentValidator() validator.String { return contentValidator{} }

type contentValidator struct{}

// Description says what is accepted.
func (contentValidator) Description(context.Context) string { return "text that is not blank" }

// MarkdownDescription says what is accepted.
func (v contentValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (contentValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	switch content := req.ConfigValue.ValueString(); {
	case zulip.StoredContent(content) == "":
		resp.Diagnostics.AddAttributeError(req.Path, "Nothing to say", "A message is not blank.")
	case strings.ContainsRune(content, 0):
		resp.Diagnostics.AddAttributeError(req.Path, "Not text", "A message holds no null bytes.")
	}
}

// CheckContent refuses a content that the server would cut.
func CheckContent(content types.String, view *snapshot.Snapshot, diags *diag.Diagnostics) {
	limit := zulip.MaxMessageLength
	if realm := view.Realm(); realm != nil && realm.MaxMessageLength > 0 {
		limit = realm.MaxMessageLength
	}
	checkLength(path.Root("content"), "content", zulip.StoredContent(content.ValueString()), limit, diags)
}

// KeepContent returns the content as it is written, if the server makes of it what it holds; else what it holds.
func KeepContent(kept types.String, held string) types.String {
	if !kept.IsNull() && !kept.IsUnknown() && zulip.StoredContent(kept.ValueString()) == zulip.StoredContent(held) {
		return kept
	}
	return types.StringValue(held)
}

func checkLength(at path.Path, what, text string, limit int, diags *diag.Diagnostics) {
	if length := utf8.RuneCountInString(text); length > limit {
		diags.AddAttributeError(at, "The "+what+" is too long",
			fmt.Sprintf("It has %d characters. The server takes %d and would cut the rest off without a word.", length, limit))
	}
}

var controlCharacter = regexp.MustCompile(`\p{Cc}`)

// checkCharacters refuses a topic with characters that the server refuses.
func checkCharacters(topic types.String, diags *diag.Diagnostics) {
	if controlCharacter.MatchString(zulip.StoredTopic(topic.ValueString())) {
		diags.AddAttributeError(path.Root("topic"), "Not a topic", "A topic is one line and holds no control characters.")
	}
}
