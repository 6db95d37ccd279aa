package rules_test

import (
	"os"
	"regexp"
	"testing"
)

// The rules of the guide are what a reader copies: they are read, and say something.
func TestDocsRulesOfTheGuide(t *testing.T) {
	file := parsed(t, rulesOfTheGuide(t))
	if len(file.Rules) < 12 || len(file.Limits) != 1 {
		t.Errorf("the guide has %d rules and %d limits", len(file.Rules), len(file.Limits))
	}
}

func rulesOfTheGuide(t *testing.T) string {
	t.Helper()
	guide, err := os.ReadFile("../../../templates/guides/rules.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindSubmatch(guide)
	if block == nil {
		t.Fatal("the guide has no rules")
	}
	return string(block[1])
}
