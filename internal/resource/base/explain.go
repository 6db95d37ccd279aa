package base

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Explain turns an error of the wire into the detail of a message: the server's words, what they mean for who runs
// this, and the next step.
func Explain(err error) string {
	var explained interface{ Explanation() string }
	if errors.As(err, &explained) {
		return explained.Explanation()
	}
	var told *store.ToldError
	if errors.As(err, &told) {
		return Sentence(told)
	}
	var refusal *zulip.Error
	if !errors.As(err, &refusal) {
		return Sentence(err)
	}
	text := fmt.Sprintf("The server answered %s %s with %d: %s.", refusal.Method, refusal.Path, refusal.Status, quoteWords(refusal))
	if hint := hint(refusal); hint != "" {
		text += "\n\n" + hint
	}
	return text
}

// ExplainWith is [Explain] with what a refusal means for one resource, where hint returns more than "".
func ExplainWith(err error, hint func(error) string) string {
	text := Explain(err)
	if more := hint(err); more != "" {
		text += "\n\n" + more
	}
	return text
}

func quoteWords(refusal *zulip.Error) string {
	words := fmt.Sprintf("%q", refusal.Msg)
	if refusal.Code != "" && refusal.Code != "BAD_REQUEST" {
		words += " (" + refusal.Code + ")"
	}
	return words
}

// hint says what a refusal means where the server's own words do not.
func hint(refusal *zulip.Error) string {
	switch {
	case zulip.IsUnauthorized(refusal):
		return "The account's key was refused. Was the account deactivated, or its key made anew? Check email and api_key, ZULIP_EMAIL and ZULIP_API_KEY, or the zuliprc file."
	case zulip.IsMessage(refusal, "Must be an organization owner"):
		return "The account the provider uses has to be an owner of the organization for this."
	case zulip.IsMessage(refusal, "Must be an organization administrator"):
		return "The account the provider uses has to be an administrator or owner of the organization for this."
	case zulip.IsMessage(refusal, "Channel content access is required."):
		return "This channel is private, and administrators do not read private channels by their role. Somebody in the channel has to add the account the provider uses to its subscribers, or to can_add_subscribers_group or can_subscribe_group."
	case zulip.IsMessage(refusal, "You do not have permission to administer this channel."):
		return "The account the provider uses has to be an administrator of the organization, or in the channel's can_administer_channel_group."
	case zulip.IsMessage(refusal, "This endpoint does not accept bot requests."):
		return "The server lets only people do this. Use the key of a person's account."
	case zulip.IsMessage(refusal, "Not allowed for guest users"):
		return "The account the provider uses is a guest. Use one with a higher role."
	case zulip.IsMessage(refusal, "Web-public channels are not enabled."):
		return "The server's administrator has to enable web-public channels, and an owner has to allow public access in the organization's settings."
	case refusal.Status >= 500:
		return "The server failed. What was asked may have been done in part; the next plan shows what is left."
	}
	return ""
}

// Capitalize makes the first letter a capital, unless the first word is an address, a path or the name of a setting.
func Capitalize(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || text[0] < 'a' || text[0] > 'z' || strings.ContainsAny(first, "/@_.") {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// Sentence writes an error as a sentence.
func Sentence(err error) string {
	text := Capitalize(err.Error())
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// WithArticle writes a role as "an owner" or "a member".
func WithArticle(role zulip.Role) string {
	word := role.String()
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

// AddErrorAt adds an error at an attribute, or to the resource as a whole where the path is empty.
func AddErrorAt(diags *diag.Diagnostics, at path.Path, summary, detail string) {
	if at.Equal(path.Empty()) {
		diags.AddError(summary, detail)
		return
	}
	diags.AddAttributeError(at, summary, detail)
}
