package doctor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// FormatVersion is that of the report as JSON.
const FormatVersion = "1"

// Kind is the kind of a difference.
type Kind string

// The kinds of differences.
const (
	Missing    Kind = "missing field"
	Type       Kind = "other type"
	Unknown    Kind = "unknown field"
	Permission Kind = "permission"
	Rule       Kind = "permission rule"
	Role       Kind = "role"
	Refused    Kind = "refused request"
	Answered   Kind = "answered request"
)

// kinds is the order of a report: first what can make the provider wrong.
var kinds = []Kind{Refused, Missing, Type, Permission, Rule, Role, Answered, Unknown}

// Difference is something of the server that is not as expected.
type Difference struct {
	Kind Kind `json:"kind"`
	// Where is the request, and the field in its answer.
	Where string `json:"where"`
	// What differs.
	What string `json:"what"`
	// Concerns is the attribute that the field is the value of, if there is one.
	Concerns string `json:"concerns,omitempty"`
	// IsRead says whether the provider uses the field.
	IsRead bool `json:"used_by_provider"`
}

// Compared is an answer that was compared.
type Compared struct {
	Path   string `json:"path"`
	Fields int    `json:"fields"`
}

// Report is what [Examine] found. It has no values of the organization.
type Report struct {
	FormatVersion string `json:"format_version"`
	Provider      string `json:"provider_version"`
	ServerVersion string `json:"server_version"`
	FeatureLevel  int    `json:"feature_level"`
	// ComparedLevel is the level of what was compared with: the newest known one for newer servers.
	ComparedLevel int `json:"compared_with_level"`
	// Tried and Read are where the provider's knowledge of the level comes from.
	Tried string `json:"tried"`
	Read  string `json:"read"`
	// Role and IsBot describe the account: the server shows some fields to some roles only.
	Role        string       `json:"account_role"`
	IsBot       bool         `json:"account_is_bot"`
	Compared    []Compared   `json:"compared"`
	NotCompared []string     `json:"not_compared,omitempty"`
	Differences []Difference `json:"differences"`
}

// describeLevel says where the provider's knowledge of the level comes from.
func (r *Report) describeLevel() {
	known, ok := featurelevel.RangeOf(r.FeatureLevel)
	if !ok {
		r.Tried = "Nothing."
		r.Read = fmt.Sprintf("What older servers lack. The provider supports servers from feature level %d (Zulip %s) on.", featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest))
		return
	}
	r.Tried, r.Read = known.Tried, known.Read
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(compareBool(b.IsRead, a.IsRead), cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), strings.Compare(a.Where, b.Where))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var text strings.Builder
	kind := "person"
	if r.IsBot {
		kind = "bot"
	}
	fmt.Fprintf(&text, "terraform-provider-zulip %s, server version %s, feature level %d, account: %s (%s)\n\n", r.Provider, r.ServerVersion, r.FeatureLevel, r.Role, kind)
	fmt.Fprintf(&text, "What the provider knows of feature level %d:\n  Tried: %s\n  Read:  %s\n", r.FeatureLevel, r.Tried, r.Read)
	if r.ComparedLevel != r.FeatureLevel {
		fmt.Fprintf(&text, "  The server is compared with what is expected at feature level %d.\n", r.ComparedLevel)
	}
	text.WriteString("\nCompared:\n")
	for _, one := range r.Compared {
		fmt.Fprintf(&text, "  %s (%s)\n", one.Path, count(one.Fields, "field"))
	}
	for _, one := range r.NotCompared {
		fmt.Fprintf(&text, "  Not compared: %s.\n", one)
	}
	if len(r.Differences) == 0 {
		text.WriteString("\nNothing differs from what the provider expects.\n")
		_, err := io.WriteString(w, text.String())
		return err
	}
	for _, part := range []struct {
		title  string
		isRead bool
	}{{"Differences in what the provider uses", true}, {"Differences in what the provider does not use", false}} {
		var lines strings.Builder
		number := 0
		for _, difference := range r.Differences {
			if difference.IsRead != part.isRead {
				continue
			}
			number++
			fmt.Fprintf(&lines, "  %s: %s\n    %s\n", difference.Kind, difference.Where, difference.What)
			if difference.Concerns != "" {
				fmt.Fprintf(&lines, "    Concerns %s.\n", difference.Concerns)
			}
		}
		if number > 0 {
			fmt.Fprintf(&text, "\n%s (%d):\n%s", part.title, number, lines.String())
		}
	}
	text.WriteString("\nThe report names fields, types, levels and numbers, and nothing of the organization: you can add it to a bug report.\n")
	_, err := io.WriteString(w, text.String())
	return err
}
