package zulip

import (
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

// What a real server takes, which checks only what stands in braces.
func TestURLTemplatesThatTheServerTakes(t *testing.T) {
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
