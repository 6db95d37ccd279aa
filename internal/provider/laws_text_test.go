package provider_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// hostile are texts that are easy to get into a configuration and hard to see there, from a valid text.
var hostile = map[string]func(text string) string{
	"a control character":     middle("\x01"),
	"DEL":                     middle("\x7f"),
	"a C1 control":            middle("\u0085"),
	"NUL":                     middle("\x00"),
	"a tab":                   middle("\t"),
	"a line break":            middle("\n"),
	"CR LF":                   middle("\r\n"),
	"NFD":                     middle("e\u0301"),
	"a mark for RTL":          middle("\u200f"),
	"an emoji of several":     middle("👩‍💻"),
	"a line break at the end": func(text string) string { return text + "\n" },
	"a space at the start":    func(text string) string { return " " + text },
	"a space at the end":      func(text string) string { return text + " " },
	"a no-break space at end": func(text string) string { return text + "\u00a0" },
	"10,000 characters":       func(text string) string { return text + strings.Repeat("x", 10000) },
	"only spaces":             func(string) string { return "   " },
	"nothing":                 func(string) string { return "" },
	"another case":            strings.ToUpper,
}

// middle puts a text into the middle of another.
func middle(inner string) func(string) string {
	return func(text string) string {
		characters := []rune(text)
		return string(characters[:len(characters)/2]) + inner + string(characters[len(characters)/2:])
	}
}

func TestLawText(t *testing.T) {
	l := laws.Law{Name: "text", Sentence: "any text is either refused in the plan, or the plan says why the apply will fail, or the apply succeeds and the next plan is empty", Every: 16}
	t.Chdir(t.TempDir()) // a path that begins with a space is relative, and the provider writes its file
	about := func(s laws.Subject) bool { return s.IsText() || s.Element() != nil && s.Element().Is(tftypes.String) }
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		for name, change := range hostile {
			c.Try(name, func() {
				stage := stageOf(c, s)
				stage.Try(c, stage.With(inFirst(stage.Value(), change))).Report(c)
			})
		}
	})
}

// inFirst changes a text, or the first text in a list, a set or a map.
func inFirst(value any, change func(string) string) any {
	switch value := value.(type) {
	case []any:
		return append([]any{inFirst(value[0], change)}, value[1:]...)
	case values:
		for key, inner := range value {
			return and(value, key, inFirst(inner, change))
		}
	}
	text := fmt.Sprint(value)
	if folder, name := filepath.Split(text); filepath.IsAbs(text) && strings.HasPrefix(change(text), " ") {
		return folder + change(name) // a file of the test, not of the repository
	}
	return change(text)
}
