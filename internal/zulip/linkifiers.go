package zulip

import (
	"context"
	"net/http"
)

// Linkifier makes links of what its pattern matches (https://zulip.com/api/get-linkifiers).
type Linkifier struct {
	ID          int64  `json:"id"`
	Pattern     string `json:"pattern"`
	URLTemplate string `json:"url_template"`
	// ExampleInput and ReverseTemplate are nil where there is none, and on servers below feature level 471.
	ExampleInput    *string `json:"example_input"`
	ReverseTemplate *string `json:"reverse_template"`
	// AlternativeURLTemplates is nil on servers below feature level 478.
	AlternativeURLTemplates []string `json:"alternative_url_templates"`
}

// LinkifierChange is what is asked of a linkifier. The server wants the first two
// every time; of the others nil leaves things unchanged, and empty is none.
type LinkifierChange struct {
	Pattern, URLTemplate          string
	ExampleInput, ReverseTemplate *string
	AlternativeURLTemplates       *[]string
}

func (l LinkifierChange) form() *Form {
	return params{
		"pattern":                   text(l.Pattern),
		"url_template":              text(l.URLTemplate),
		"example_input":             (*text)(l.ExampleInput),
		"reverse_template":          (*text)(l.ReverseTemplate),
		"alternative_url_templates": l.AlternativeURLTemplates,
	}.form()
}

// Linkifiers reads the linkifiers in the order in which they are tried.
func (c *Client) Linkifiers(ctx context.Context) ([]*Linkifier, error) {
	return list[Linkifier](ctx, c, "/realm/linkifiers", nil, "linkifiers")
}

// CreateLinkifier adds a linkifier behind all others and returns its ID. A second
// one with the same pattern is refused: [IsPatternTaken]. The client does not
// repeat the call.
func (c *Client) CreateLinkifier(ctx context.Context, linkifier LinkifierChange) (int64, error) {
	return c.create(ctx, "/realm/filters", linkifier.form(), neverRetry, "id")
}

// UpdateLinkifier changes a linkifier in its place. A missing one is
// [IsNoLinkifier].
func (c *Client) UpdateLinkifier(ctx context.Context, id int64, linkifier LinkifierChange) error {
	return c.do(ctx, http.MethodPatch, linkifierPath(id), linkifier.form(), safeToRetry)
}

// DeleteLinkifier deletes a linkifier. It is not an error if it no longer exists.
func (c *Client) DeleteLinkifier(ctx context.Context, id int64) error {
	return c.remove(ctx, linkifierPath(id), IsNoLinkifier)
}

// OrderLinkifiers sets the order in which the linkifiers are tried: ids are all of
// them, once each. Any other list is refused, as after somebody has added one:
// [IsIncompleteOrder].
func (c *Client) OrderLinkifiers(ctx context.Context, ids []int64) error {
	return c.do(ctx, http.MethodPatch, "/realm/linkifiers", params{"ordered_linkifier_ids": ids}.form(), safeToRetry)
}

// IsNoLinkifier reports whether there is no such linkifier.
func IsNoLinkifier(err error) bool { return IsMessage(err, "Linkifier not found.") }

// IsPatternTaken reports whether another linkifier has the pattern.
func IsPatternTaken(err error) bool {
	return IsMessage(err, "Realm filter with this Realm and Pattern already exists.")
}

func linkifierPath(id int64) string { return itemPath("/realm/filters", id) }
