package zulip

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

// markLinks writes spans with brackets around links.
func markLinks(spans []Span) string {
	var text strings.Builder
	for _, span := range spans {
		if span.URL == "" {
			text.WriteString(span.Text)
		} else {
			text.WriteString("[" + span.Text + "→" + span.URL + "]")
		}
	}
	return text.String()
}

func mustParse(t *testing.T, pattern, template string) *LinkifierRule {
	t.Helper()
	rule, err := ParseLinkifier(pattern, template)
	requireNoError(t, err)
	return rule
}

func TestLinkify(t *testing.T) {
	number := mustParse(t, `#(?P<id>[0-9]+)`, "u/{id}")
	for text, want := range map[string]string{
		"":                          "",
		"#1":                        "[#1→u/1]",
		"see #12 and #3.":           "see [#12→u/12] and [#3→u/3].",
		"#1 #2":                     "[#1→u/1] [#2→u/2]",
		"#1,#2":                     "[#1→u/1],[#2→u/2]",
		"#1#2":                      "[#1→u/1]#2",
		"#1a":                       "#1a",
		"#1é":                       "#1é",
		"x#1":                       "x#1",
		"(#1) '#2' \"#3\" :#4 <#5>": "([#1→u/1]) '[#2→u/2]' \"[#3→u/3]\" :[#4→u/4] <[#5→u/5]>",
		"[#1] {#2}":                 "[#1] {#2}",
		"a\u00a0#1\u0085#2\n#3":     "a\u00a0[#1→u/1]\u0085[#2→u/2]\n[#3→u/3]",
		"nothing":                   "nothing",
	} {
		spans, err := Linkify(text, number)
		requireNoError(t, err)
		if got := markLinks(spans); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLinkifyInOrder(t *testing.T) {
	word := mustParse(t, `(?P<key>[A-Z]+-[0-9]+)`, "first/{key}")
	part := mustParse(t, `(?P<key>[A-Z]+-1)`, "second/{key}")
	other := mustParse(t, `(?P<key>[A-Z]+)`, "third/{key}")
	for _, test := range []struct {
		rules []*LinkifierRule
		want  string
	}{
		{nil, "AB-1 CD EF-2"},
		{[]*LinkifierRule{word, part, other}, "[AB-1→first/AB-1] [CD→third/CD] [EF-2→first/EF-2]"},
		{[]*LinkifierRule{part, word}, "[AB-1→second/AB-1] CD [EF-2→first/EF-2]"},
		{[]*LinkifierRule{other, word}, "[AB→third/AB]-1 [CD→third/CD] [EF→third/EF]-2"},
	} {
		spans, err := Linkify("AB-1 CD EF-2", test.rules...)
		if err != nil || markLinks(spans) != test.want {
			t.Errorf("got %q, %v; want %q", markLinks(spans), err, test.want)
		}
	}
}

func TestLinkifyTemplates(t *testing.T) {
	for _, test := range []struct{ pattern, template, text, want string }{
		{`(?P<q>\S+)`, "https://x/{?q}", "a&b", "[a&b→https://x/?q=a%26b]"},
		{`(?P<path>[a-z/]+)`, "https://x{+path}", "/a/b", "[/a/b→https://x/a/b]"},
		{`(?P<repo>[a-z]+)?#(?P<id>\d+)`, "https://x/{repo}/{id}", "#7 web#8", "[#7→https://x//7] [web#8→https://x/web/8]"},
		{`(?P<id>\d*)`, "x/{id}", "a, 5", "a, [5→x/5]"}, // an empty match is no link
		{` (?P<id>\d+) `, " x/{id} ", "5", "[5→x/5]"},
	} {
		spans, err := Linkify(test.text, mustParse(t, test.pattern, test.template))
		if err != nil || markLinks(spans) != test.want {
			t.Errorf("%s on %q: %q, %v; want %q", test.pattern, test.text, markLinks(spans), err, test.want)
		}
	}
}

func TestParseLinkifier_Invalid_Error(t *testing.T) {
	for _, test := range []struct{ pattern, template, field, words string }{
		{" ", "x", "pattern", "pattern is empty"},
		{"x", "", "url_template", "url_template is empty"},
		{"(x", "x", "pattern", "missing closing )"},
		{`(?<!a)x`, "x", "pattern", "RE2"},
		{`(?P<a>x)`, "x/{", "url_template", "RFC 6570"},
		{`(?P<a>x)(?P<b>y)`, "x/{a}", "url_template", `group "b"`},
		{`(?P<a>x)`, "x/{a}/{c}", "pattern", `variable "c"`},
	} {
		rule, err := ParseLinkifier(test.pattern, test.template)
		var wrong *LinkifierError
		if rule != nil || !errors.As(err, &wrong) || wrong.Field != test.field || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%q, %q: %v", test.pattern, test.template, err)
		}
	}
}

func FuzzLinkify(f *testing.F) {
	f.Add(`#(?P<id>[0-9]+)`, "u/{id}", "see #1, #2")
	f.Add(`(?P<a>.*)`, "{+a}", "\x00\xff é")
	f.Add(`$|^`, "x", "a b")
	f.Add(`(?P<a>\b)`, "{a}", "a\nb")
	f.Fuzz(func(t *testing.T, pattern, template, text string) {
		rule, err := ParseLinkifier(pattern, template)
		if err != nil {
			return
		}
		spans, err := Linkify(text, rule)
		if err != nil {
			return
		}
		var parts []string
		for _, span := range spans {
			parts = append(parts, span.Text)
		}
		if strings.Join(parts, "") != text {
			t.Errorf("%q became %q", text, parts)
		}
		if text != "" && slices.Contains(parts, "") {
			t.Errorf("%q has a part of nothing: %q", text, parts)
		}
	})
}

// Templates that a real server accepts, because it checks only the text in braces.
func TestURLTemplate_AcceptedByServer_Expanded(t *testing.T) {
	for template, link := range map[string]string{
		"https://x.example/{id}":          "https://x.example/7",
		"https://x.example/é/{id}":        "https://x.example/é/7",
		"https://x.example/{+id}{?id}":    "https://x.example/7?id=7",
		"not a url {id}":                  "not%20a%20url%207",
		"https://x.example/%zz/{id}":      "https://x.example/%25zz/7",
		"https://x.example/%41/{id}%":     "https://x.example/%41/7%25",
		"https://x.example/\"<>^`\\|{id}": "https://x.example/%22%3C%3E%5E%60%5C%7C7",
	} {
		parsed, err := ParseURLTemplate(template)
		if err != nil {
			t.Errorf("%q: %v", template, err)
			continue
		}
		if got, err := parsed.Expand(uritemplate.Values{"id": uritemplate.String("7")}); err != nil || got != link {
			t.Errorf("%q makes %q, %v; want %q", template, got, err, link)
		}
	}
	for _, template := range []string{"", " ", "https://x.example/{id", "{id}}", "}", "{}", "{a b}", "{a-b}", "{id:0}", "{=a}", "{|a}", "{é}"} {
		if _, err := ParseURLTemplate(template); err == nil {
			t.Errorf("%q is taken", template)
		}
	}
}
