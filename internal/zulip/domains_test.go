package zulip

import (
	"strings"
	"testing"
)

func TestCheckDomain(t *testing.T) {
	for domain, good := range map[string]bool{
		"example.com": true, " Example.COM ": true, "a.b-c.example.com": true, "1.example": true, "x--y.example.com": true,
		strings.Repeat("a", 76) + ".com": true,
		"":                               false, "nodot": false, ".example.com": false, "example.com.": false, "a..b": false, "-a.com": false, "a-.com": false,
		"ä.com": false, "a b.com": false, "a@b.com": false, strings.Repeat("a", 77) + ".com": false,
	} {
		if err := CheckDomain(domain); (err == nil) != good {
			t.Errorf("%q: %v", domain, err)
		}
	}
}

func TestCheckPlayground(t *testing.T) {
	for language, good := range map[string]bool{
		"Python": true, "C++": true, "objective-c / 2.0_#": true, "": true, strings.Repeat("x", 40): true,
		"a;b": false, "ä": false, strings.Repeat("x", 41): false,
	} {
		if err := CheckPlaygroundLanguage(language); (err == nil) != good {
			t.Errorf("%q: %v", language, err)
		}
	}
	for template, good := range map[string]bool{
		"https://py.example.com/{code}": true, "https://py.example.com/{?code}": true, "{code}{code}": true,
		"https://py.example.com/": false, "https://py.example.com/{code}{x}": false, "{": false, "{x}": false,
	} {
		if err := CheckPlaygroundTemplate(template); (err == nil) != good {
			t.Errorf("%q: %v", template, err)
		}
	}
}
