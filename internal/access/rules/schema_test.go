package rules_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/santhosh-tekuri/jsonschema/v6"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
)

// asJSON writes a file of rules in the JSON syntax.
func asJSON(t *testing.T, text string) string {
	t.Helper()
	parsed, problems := hclparse.NewParser().ParseHCL([]byte(text), "rules.zulip.hcl")
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	written, err := json.MarshalIndent(bodyAsJSON(t, parsed.Body.(*hclsyntax.Body)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

func bodyAsJSON(t *testing.T, body *hclsyntax.Body) map[string]any {
	t.Helper()
	made := map[string]any{}
	for _, one := range body.Attributes {
		value, _ := one.Expr.Value(nil)
		text, err := ctyjson.Marshal(value, value.Type())
		if err != nil {
			t.Fatal(err)
		}
		made[one.Name] = json.RawMessage(text)
	}
	for _, block := range body.Blocks {
		inner := bodyAsJSON(t, block.Body)
		if len(block.Labels) == 0 {
			list, _ := made[block.Type].([]any)
			made[block.Type] = append(list, inner)
			continue
		}
		named, _ := made[block.Type].(map[string]any)
		if named == nil {
			named = map[string]any{}
		}
		named[block.Labels[0]] = inner
		made[block.Type] = named
	}
	return made
}

// accepts compiles the schema, and returns what it says of a file.
func accepts(t *testing.T) func(text string) error {
	t.Helper()
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(rules.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("rules.schema.json", content); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("rules.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return compiled.Validate(value)
	}
}

// Each rule of the guide says the same in the JSON syntax, and the schema takes it.
func TestDocsRulesInJSON(t *testing.T) {
	text := rulesOfTheGuide(t)
	valid := accepts(t)
	written := asJSON(t, text)
	if err := valid(written); err != nil {
		t.Error(err)
	}
	want := parsed(t, text)
	got, err := rules.Parse("rules.zulip.hcl.json", []byte(strings.Replace(written, "{", `{"$schema": "./rules.schema.json", "//": "of the guide",`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*rules.Rule{}
	for _, rule := range got.Rules {
		byName[rule.Name] = rule
	}
	for _, rule := range want.Rules {
		other := byName[rule.Name]
		if other == nil {
			t.Errorf("%s is not there", rule.Name)
			continue
		}
		a, b := *rule, *other
		if a.Line, b.Line = 0, 0; said(a) != said(b) {
			t.Errorf("%s is\n%s, want\n%s", rule.Name, said(b), said(a))
		}
	}
	if len(got.Rules) != len(want.Rules) || len(got.Limits) != 1 || got.Limits[0].People != 10 || got.Limits[0].Percent != 25 {
		t.Errorf("there are %d rules and the limits %v", len(got.Rules), got.Limits)
	}
}

// The file in the JSON syntax that the guide shows is one, and fits the schema.
func TestDocsJSONOfTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../templates/guides/rules.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(guide)
	if block == nil {
		t.Fatal("the guide has no JSON")
	}
	if err := accepts(t)(string(block[1])); err != nil {
		t.Error(err)
	}
	file, err := rules.Parse("rules.zulip.hcl.json", block[1])
	if err != nil || len(file.Rules) != 2 || len(file.Limits) != 1 {
		t.Errorf("%v, %+v", err, file)
	}
}

func said(rule rules.Rule) string {
	text := ""
	for _, one := range rule.Exceptions {
		text += fmt.Sprint(one.People, one.Reason, one.Until)
	}
	rule.Exceptions = nil
	return fmt.Sprintf("%+v %s", rule, text)
}

// What the parser refuses in a file of rules, the schema refuses too, but for what no schema can say.
func TestSchemaRefusesMistakes(t *testing.T) {
	valid := accepts(t)
	tried := 0
	for text := range mistakes {
		body, problems := hclparse.NewParser().ParseHCL([]byte(text), "x")
		if problems.HasErrors() || strings.Contains(text, "var.") {
			continue // it is no value in JSON
		}
		labels := true
		for _, block := range body.Body.(*hclsyntax.Body).Blocks {
			labels = labels && len(block.Labels) == 1
		}
		if !labels || strings.Count(text, `rule "a" {`) > 1 || strings.Contains(text, "at_most = 2") || strings.HasPrefix(text, "right =") {
			continue // JSON has it another way; names that are there twice and numbers that depend on each other
		}
		tried++
		if err := valid(asJSON(t, text)); err == nil {
			t.Errorf("the schema takes\n%s", text)
		}
	}
	if tried < 25 {
		t.Errorf("only %d were tried", tried)
	}
}

// A mistake in the JSON syntax is an error with its line too.
func TestMistakesInJSON(t *testing.T) {
	for text, says := range map[string]string{
		"{":                       "rules.zulip.hcl.json:1: ",
		"{\n\"rules\": {}}":       `rules.zulip.hcl.json:2: there is no block "rules"; did you mean "rule"?`,
		"{\n\"right\": \"read\"}": `rules.zulip.hcl.json:2: "right" stands outside of a block`,
		"{\"rule\": {\n\"a\": {\n\"rigth\": 1, \"at_least\": 1}}}":                                                `rules.zulip.hcl.json:3: rule has no attribute "rigth"; did you mean "right"?`,
		"{\"rule\": {\n\"a\": {\"role\": \"owner\"}}}":                                                            "rules.zulip.hcl.json:2: the rule says nothing",
		"{\"rule\": {\"a\": {\"role\": \"owner\", \"at_least\": 1,\n\"except\": {\"people\": \"role:guests\"}}}}": "rules.zulip.hcl.json:2: reason is missing",
		"{\"rule\": {\"a\": [{\"role\": \"owner\", \"at_least\": 1}, {\"role\": \"owner\", \"at_least\": 1}]}}":   `the name "a" is that of line 1 already`,
		"{\"rule\": {\"a\": {\"right\": \"${x}\", \"at_least\": 1}}}":                                             `there is no right "${x}"`,
		"{\"rule\": {\"a\": 1}}": "rules.zulip.hcl.json:1: ",
		"{\"rule\": 1}":          "rules.zulip.hcl.json:1: ",
		"{\"rule\": {\" \": {\"role\": \"owner\", \"at_least\": 1}}}": "rule takes one name",
		"[]x": "rules.zulip.hcl.json:1: ",
		"1":   "rules.zulip.hcl.json:1: ",
	} {
		file, err := rules.Parse("rules.zulip.hcl.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || file != nil {
			t.Errorf("%s\n%v, want an error that says %s", text, err, says)
		}
	}
}
