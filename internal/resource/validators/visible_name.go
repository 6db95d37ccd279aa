package validators

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// VisibleName checks the characters of a name. It refuses a blank name. It warns about invisible characters, and about
// those that change the direction of the text: with them, two names can look the same or similar.
type VisibleName struct {
	// RefuseControls is true if the server refuses control characters and noncharacters (server-behavior §C24), so that they
	// are an error.
	RefuseControls bool
	// RefuseEnds is true if the server removes white space at both ends, so that it is an error.
	RefuseEnds bool
}

var _ validator.String = VisibleName{}

// Description returns the expected values.
func (VisibleName) Description(context.Context) string {
	return "a name in which every character is seen"
}

// MarkdownDescription returns the expected values.
func (v VisibleName) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString reports the characters with their code points and positions.
func (v VisibleName) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	text, name := req.ConfigValue.ValueString(), attributeName(req.Path)
	found := findInvisible(text)
	problem := ""
	switch stripped := zulip.Strip(text); {
	case text == "":
		return // the length is checked elsewhere
	case stripped == "":
		problem = fmt.Sprintf("must not be blank. It is %q", text)
	case v.RefuseEnds && stripped != text:
		problem = fmt.Sprintf("must not begin or end with white space, which the server would remove. It is %q", text)
	case v.RefuseControls && found.hasControl:
		problem = fmt.Sprintf("must not contain control characters. It is %s: %s", found.shown, strings.Join(found.places, ", "))
	case len(found.places) == 0:
		return
	}
	if problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid value for "+name, name+" "+problem+".")
		return
	}
	resp.Diagnostics.AddAttributeWarning(req.Path, "Invisible characters in "+name,
		fmt.Sprintf("%s is %s: %s. These characters are invisible, so the name can be mistaken for another. Remove them if they are not intentional.",
			name, found.shown, strings.Join(found.places, ", ")))
}

// invisible is a result of findInvisible.
type invisible struct {
	// shown is the whole name in quotes, with each such character as its code point.
	shown string
	// places has the code point and position of each.
	places     []string
	hasControl bool
}

func findInvisible(name string) invisible {
	var (
		found    invisible
		shown    strings.Builder
		previous rune
	)
	for i, r := range []rune(name) {
		if isInvisible(previous, r) {
			found.places = append(found.places, fmt.Sprintf("character %d is %U%s", i+1, r, describeRune(r)))
			found.hasControl = found.hasControl || unicode.IsControl(r) || unicode.Is(unicode.Noncharacter_Code_Point, r)
			fmt.Fprintf(&shown, "<%U>", r)
		} else {
			shown.WriteRune(r)
		}
		previous = r
	}
	found.shown = `"` + shown.String() + `"`
	return found
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	brailleBlank       = '\u2800'
)

// isInvisible reports whether a character is invisible. It exempts those that a script or an emoji needs: joiners
// between letters of Persian or Hindi and between the parts of an emoji, and the letters of a flag.
func isInvisible(previous, r rune) bool {
	isEmoji := unicode.In(previous, unicode.So, unicode.Sk, unicode.Variation_Selector)
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // signs before Arabic numbers, which are visible
		return false
	case r == zeroWidthJoiner && isEmoji, r >= 0xe0020 && r <= 0xe007f && (isEmoji || previous >= 0xe0020 && previous <= 0xe007f):
		return false
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		return !unicode.In(previous, unicode.L, unicode.M) || unicode.In(previous, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Inherited)
	case r == brailleBlank:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// runeNames are the names of common characters.
var runeNames = map[rune]string{
	'\t': "tab", '\n': "line break", '\r': "carriage return", '\u00ad': "soft hyphen",
	'\u200b': "zero width space", zeroWidthNonJoiner: "zero width non-joiner", zeroWidthJoiner: "zero width joiner",
	'\u200e': "left-to-right mark", '\u200f': "right-to-left mark", '\u061c': "Arabic letter mark",
	'\u202a': "left-to-right embedding", '\u202b': "right-to-left embedding", '\u202c': "pop directional formatting",
	'\u202d': "left-to-right override", '\u202e': "right-to-left override",
	'\u2066': "left-to-right isolate", '\u2067': "right-to-left isolate", '\u2068': "first strong isolate",
	'\u2069': "pop directional isolate", '\u2060': "word joiner", '\u2028': "line separator", '\u2029': "paragraph separator",
	'\ufeff': "zero width no-break space", brailleBlank: "braille pattern blank", '\u3164': "Hangul filler",
}

func describeRune(r rune) string {
	switch name, ok := runeNames[r]; {
	case ok:
		return " (" + name + ")"
	case unicode.IsControl(r):
		return " (control character)"
	case unicode.Is(unicode.Noncharacter_Code_Point, r):
		return " (noncharacter)"
	case unicode.Is(unicode.Cf, r):
		return " (format character)"
	}
	return ""
}
