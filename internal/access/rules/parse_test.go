package rules_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
)

func parsed(t *testing.T, text string) *rules.File {
	t.Helper()
	file, err := rules.Parse("rules.zulip.hcl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// mistakes are files of rules with a mistake, and its message.
var mistakes = map[string]string{
	`rule "a" {`:          "rules.zulip.hcl:1: ",
	`permission = "read"`: "rules.zulip.hcl:1: \"permission\" is outside of a block",
	"\n\nrules \"a\" {}":  `rules.zulip.hcl:3: there is no block "rules"; did you mean "rule"?`,
	`rule {}`:             `rule takes one name`,
	`rule "a" "b" {}`:     `rule takes one name`,
	`rule "" {}`:          `rule takes one name`,
	"rule \"a\" {\n  role = \"owner\"\n  never = [\"role:guest\"]\n}":                                                                `rules.zulip.hcl:3: there is no role "role:guest"; did you mean "role:guests"?`,
	"rule \"a\" {\n  permission = \"create_groups\"\n  only = [\"role:owner\"]\n}":                                                   `rules.zulip.hcl:3: there is no role "role:owner"; did you mean "role:owners"?`,
	"rule \"a\" {\n  permission = \"create_groups\"\n  never = \"role:internet\"\n}":                                                 `rules.zulip.hcl:3: there is no role "role:internet"; did you mean "internet"?`,
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except = 1\n}":                                                              "rules.zulip.hcl:4: except is a block: write except { … }",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except \"x\" {\n    people = [\"role:owners\"]\n    reason = \"b\"\n  }\n}": "rules.zulip.hcl:4: except takes no name",
	`rule "a" {}`: "the rule selects nothing",
	"rule \"a\" {\n  permision = \"read\"\n}":                                                                  `rules.zulip.hcl:2: rule has no attribute "permision"; did you mean "permission"?`,
	"rule \"a\" {\n  role = \"owners\"\n}":                                                                     `there is no role "owners"; did you mean "owner"?`,
	"rule \"a\" {\n  role = \"owner\"\n}":                                                                      "the rule requires nothing",
	"rule \"a\" {\n  joining = \"open\"\n}":                                                                    `joining is "open"; it must be "invited"`,
	"rule \"a\" {\n  joining = \"invited\"\n  at_least = 2\n}":                                                 "a rule with joining can't have other attributes",
	"rule \"a\" {\n  channels = [\"a\"]\n  groups = [\"b\"]\n  permission = \"read\"\n  at_least = 1\n}":       "channels and groups are both set",
	"rule \"a\" {\n  channels = [\"a\"]\n  role = \"owner\"\n  at_least = 1\n}":                                "a rule with role is about the people with that role",
	"rule \"a\" {\n  channels = [\"a\"]\n  permission = \"raed\"\n  at_least = 1\n}":                           `there is no permission "raed"; did you mean "read"`,
	"rule \"a\" {\n  channels = [\"privacy:secret\"]\n  permission = \"read\"\n  at_least = 1\n}":              `there is no privacy "secret"`,
	"rule \"a\" {\n  groups = [\"a\"]\n  permission = \"read\"\n  at_least = 1\n}":                             `there is no permission "read"`,
	"rule \"a\" {\n  permission = \"create_groups\"\n  only = []\n}":                                           "only must be a text in quotes or a list of texts, and not empty",
	"rule \"a\" {\n  permission = \"create_groups\"\n  only = [\"ada\"]\n}":                                    "rules.zulip.hcl:3: ",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 0\n}":                                                      "at_least must be a whole number of at least 1",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = \"2\"\n}":                                                  "at_least must be a whole number of at least 1, without quotes",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 1.5\n}":                                                    "at_least must be a whole number",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 3\n  at_most = 2\n}":                                       "at_most is below at_least",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except {\n    people = [\"role:guests\"]\n  }\n}":     "reason is missing",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except {\n    reason = \"b\"\n  }\n}":                 "people is missing",
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except {\n    unitl = \"b\"\n  }\n}":                  `except has no attribute "unitl"; did you mean "until"?`,
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n  except {\n    until = \"soon\"\n  }\n}":               `until is "soon", which isn't a date`,
	"rule \"a\" {\n  role = \"owner\"\n  at_least = 2\n}\nrule \"a\" {\n  role = \"owner\"\n  at_least = 2\n}": `rules.zulip.hcl:5: line 1 already has the name "a"`,
	`limit "a" {}`:                                "the limit is empty",
	"limit \"a\" {\n  person = 3\n}":              `limit has no attribute "person"; the attributes are: "people", "percent"`,
	"limit \"a\" {\n  percent = 101\n}":           "percent must be at most 100",
	"limit \"a\" {\n  people = -1\n}":             "people must be a whole number of at least 0",
	"limit \"a\" {\n  people = 1\n  block {}\n}":  `limit has no block "block"`,
	"rule \"a\" {\n  role = var.role\n}":          "rules.zulip.hcl:2: ",
	"rule \"a\" {\n  role = [\"owner\", 1]\n}":    "role must be a text in quotes or a list of texts",
	"rule \"a\" {\n  role = \"owner\"\n  x {}\n}": `rule has no block "x"`,
}

// A mistake in a file of rules is an error with its line, and the nearest name.
func TestRulesFile_Mistake_LineReported(t *testing.T) {
	for text, says := range mistakes {
		file, err := rules.Parse("rules.zulip.hcl", []byte(text))
		if err == nil || !strings.Contains(err.Error(), says) || file != nil {
			t.Errorf("%s\n%v, want an error that says %s", text, err, says)
		}
	}
}

// One run reports every mistake of a file: of syntax, names and values, and rules without meaning. It does not report the
// consequences of a reported mistake.
func TestRulesFile_SeveralMistakes_AllReported(t *testing.T) {
	for name, one := range map[string]struct{ text, want string }{
		"shapes and attributes": {`rule "a" {
  permision = "read"
  only  = []
}

rules "b" {
  channels   = "privacy:secret"
  permission = "raed"
}

rule {
  role = "boss"
}

rule "c" {
  channels   = "x"
  groups     = "y"
  permission = ["read", "manage", "mange"]
  at_least   = 3
  at_most    = 2

  except {
    people = "gruop:z"
  }
}

limti "d" {
  percent = 200
}

rule "c" {
  joining = "open"
  only    = ["role:guest"]
}
`, `2: rule has no attribute "permision"; did you mean "permission"?
3: only must be a text in quotes or a list of texts, and not empty
6: there is no block "rules"; did you mean "rule"?
6: the rule requires nothing: write only, never, at_least or at_most
7: there is no privacy "secret"; the privacies are: "public", "web_public", "private", "private_shared_history", "private_protected_history"
8: there is no permission "raed"; did you mean "read"?
11: rule takes one name, as in rule "two owners" { … }
11: the rule requires nothing: write only, never, at_least or at_most
12: there is no role "boss"; the roles are: "owner", "administrator", "moderator", "member", "guest"
15: channels and groups are both set: write a rule for each
15: at_most is below at_least
18: there is no permission "mange"; did you mean "manage"?
22: reason is missing: say in a few words why
23: "gruop:z" has the unknown prefix "gruop:": a principal is role:, group:, user:, group_id: or user_id: and a name or number
27: there is no block "limti"; did you mean "limit"?
28: percent must be at most 100
31: line 15 already has the name "c"
31: a rule with joining can't have other attributes: write another rule for the rest
32: joining is "open"; it must be "invited"
33: there is no role "role:guest"; did you mean "role:guests"?`},
		"syntax": {`rule "a" {
  permision = "read"
}

rule "b" {
  role = "owner"
  role = "owners"
  at_least = 0
}

rule "c" {
  role =
}

rule "d" {
  role = "ower"
  at_least = 2
}
`, `1: the rule requires nothing: write only, never, at_least or at_most
2: rule has no attribute "permision"; did you mean "permission"?
7: Attribute redefined: The argument "role" was already set at rules.zulip.hcl:6,3-7. Each argument may be set only once.
8: at_least must be a whole number of at least 1, without quotes
12: Invalid expression: Expected the start of an expression, but found an invalid expression token.
16: there is no role "ower"; did you mean "owner"?`},
	} {
		file, err := rules.Parse("rules.zulip.hcl", []byte(one.text))
		if err == nil || file != nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if got := strings.ReplaceAll(err.Error(), "rules.zulip.hcl:", ""); got != strings.ReplaceAll(one.want, "rules.zulip.hcl:", "") {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, one.want)
		}
	}
}

// A file of rules may be empty. A rule can write a permission like the attribute.
func TestPermissionsOfRules(t *testing.T) {
	if file := parsed(t, ""); len(file.Rules)+len(file.Limits) > 0 {
		t.Errorf("an empty file has %v", file)
	}
	file := parsed(t, `
rule "a" {
  channels   = "board"
  permission = ["read", "can_read_history", "join", "send_message", "can_administer_channel_group", "subscribed"]
  at_most    = 0
}
rule "b" {
  groups     = ["*"]
  permission = ["manage", "member", "can_mention_group"]
  at_least   = 1
}
rule "c" {
  permission = ["create_groups", "can_invite_users_group"]
  never      = ["role:everyone", "internet"]
}
`)
	for i, want := range []string{
		"can_read can_read_history can_subscribe_group can_send_message_group can_administer_channel_group subscribed",
		"can_manage_group member can_mention_group", "can_create_groups can_invite_users_group",
	} {
		if got := strings.Join(file.Rules[i].Permissions, " "); got != want {
			t.Errorf("rule %d is about %s, want %s", i, got, want)
		}
	}
	if rule := file.Rules[2]; len(rule.Never) != 1 || !rule.NeverInternet {
		t.Errorf("never is %v, of those without an account: %v", rule.Never, rule.NeverInternet)
	}
}

// Readers copy the rules of the guide, so they must be valid.
func TestDocsGuideRules_Parsed_Valid(t *testing.T) {
	file := parsed(t, rulesOfTheGuide(t))
	if len(file.Rules) < 7 || len(file.Limits) != 1 {
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
