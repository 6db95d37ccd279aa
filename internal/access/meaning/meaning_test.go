package meaning_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// kindOf returns the kind of a JSON type.
func kindOf(t *testing.T, attribute *tfprotov6.SchemaAttribute) string {
	t.Helper()
	if nested := attribute.NestedType; nested != nil {
		return map[tfprotov6.SchemaObjectNestingMode]string{
			tfprotov6.SchemaObjectNestingModeList: "list", tfprotov6.SchemaObjectNestingModeSet: "list",
			tfprotov6.SchemaObjectNestingModeMap: "map", tfprotov6.SchemaObjectNestingModeSingle: "map",
		}[nested.Nesting]
	}
	switch {
	case attribute.Type.Is(tftypes.String):
		return "string"
	case attribute.Type.Is(tftypes.Number):
		return "number"
	case attribute.Type.Is(tftypes.Bool):
		return "bool"
	case attribute.Type.Is(tftypes.List{}), attribute.Type.Is(tftypes.Set{}):
		return "list"
	case attribute.Type.Is(tftypes.Map{}), attribute.Type.Is(tftypes.Object{}):
		return "map"
	}
	t.Fatalf("%s is of a type that the table has no word for", attribute.Name)
	return ""
}

// classes are the classes that attributes have.
var classes = []meaning.Class{
	meaning.None, meaning.Identity, meaning.Permission, meaning.Membership, meaning.Role, meaning.Joining, meaning.SignIn, meaning.History, meaning.Credential,
	meaning.Outgoing, meaning.DataLoss,
}

// The table has one row for every attribute of every resource and action, of the correct kind, and no others.
func TestMeanings_EveryAttribute_Present(t *testing.T) {
	all := acctest.Schemas(t)
	schemas := maps.Clone(all.ResourceSchemas)
	for name, action := range all.ActionSchemas {
		schemas[name] = action.Schema
	}
	for name, schema := range schemas {
		of, known := meaning.Of(name)
		if !known {
			t.Errorf("%s has no meaning", name)
			continue
		}
		var attributes []string
		for _, attribute := range schema.Block.Attributes {
			attributes = append(attributes, attribute.Name)
			row, known := of.Attribute(attribute.Name)
			if !known {
				t.Errorf("%s of %s has no meaning", attribute.Name, name)
				continue
			}
			if kind := kindOf(t, attribute); row.Kind != kind {
				t.Errorf("%s of %s is a %s, not a %s", attribute.Name, name, kind, row.Kind)
			}
			if !slices.Contains(classes, row.Class) {
				t.Errorf("%s of %s: there is no class %q", attribute.Name, name, row.Class)
			}
			// The descriptions of attributes that only owners can set say so.
			for _, role := range []string{"owner", "administrator"} {
				if says := strings.Contains(attribute.Description, "Only "+role+"s can set it."); says != (row.Needs == role) {
					t.Errorf("%s of %s: %q, and the table says %q", attribute.Name, name, attribute.Description, row.Needs)
				}
			}
			if silent := row.Class == meaning.None || row.Class == meaning.Identity || row.Class.IsComputed(); silent == (row.Sentence != "") && row.Class != meaning.Credential {
				t.Errorf("%s of %s is of class %s, with the sentence %q", attribute.Name, name, row.Class, row.Sentence)
			}
		}
		if len(schema.Block.BlockTypes) > 0 {
			t.Errorf("%s has blocks, which the table does not know", name)
		}
		for _, attribute := range of.Attributes() {
			if !slices.Contains(attributes, attribute) {
				t.Errorf("%s has no attribute %s", name, attribute)
			}
		}
		if of.NamedBy != "" && !slices.Contains(attributes, of.NamedBy) {
			t.Errorf("%s is named by %s, which it has not", name, of.NamedBy)
		}
	}
	for _, name := range meaning.Types() {
		if _, known := schemas[name]; !known {
			t.Errorf("there is no %s", name)
		}
	}
}

// If a server has numbers for the words of an attribute, each word has one.
func TestMeanings_CodedWords_WithNumbers(t *testing.T) {
	all := acctest.Schemas(t)
	for attribute, kind := range map[string]string{
		"digest_weekday": "zulip_organization", "email_address_visibility": "zulip_default_user_settings", "giphy_rating": "zulip_organization",
		"org_type": "zulip_organization", "video_chat_provider": "zulip_organization",
	} {
		known := map[string]bool{}
		for number := range 1001 {
			if word, ok := meaning.Word(attribute, float64(number)); ok {
				known[word] = true
			}
		}
		for _, one := range all.ResourceSchemas[kind].Block.Attributes {
			if one.Name != attribute {
				continue
			}
			_, list, _ := strings.Cut(one.Description, "One of ")
			list, _, _ = strings.Cut(list, ".")
			words := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1)
			for _, word := range words {
				if !known[word[1]] {
					t.Errorf("%s has the word %s, which has no number", attribute, word[1])
				}
			}
			if len(words) != len(known) || len(words) == 0 {
				t.Errorf("%s has %d words, and numbers for %d", attribute, len(words), len(known))
			}
		}
	}
}
