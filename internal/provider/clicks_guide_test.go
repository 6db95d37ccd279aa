package provider_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// The guide from clicks to code names every attribute that can be configured of the resources that are settings pages, and
// no attribute and no value that there is not.
func TestDocsClicksGuideIsComplete(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/from-clicks-to-code.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := provider.NewServer("docs").GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	words, linked := wordsOf(schemas), map[string]bool{}
	for _, link := range regexp.MustCompile("\\[`([^`]*)`\\]\\(\\.\\./resources/([a-z_]+)\\.md\\)").FindAllStringSubmatch(string(guide), -1) {
		attribute, resource := link[1], "zulip_"+link[2]
		schema, ok := schemas.ResourceSchemas[resource]
		if !ok {
			t.Errorf("there is no resource %s", resource)
		} else if attribute != resource && !configurable(schema)[attribute] {
			t.Errorf("%s has no attribute %s to configure", resource, attribute)
		}
		linked[path.Join(resource, attribute)] = true
	}
	for _, word := range regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)+)`").FindAllStringSubmatch(string(guide), -1) {
		if !words[word[1]] {
			t.Errorf("no resource, attribute or value is called %s", word[1])
		}
	}
	for _, resource := range []string{"zulip_organization", "zulip_channel", "zulip_user_group", "zulip_default_user_settings"} {
		for attribute := range configurable(schemas.ResourceSchemas[resource]) {
			if !linked[path.Join(resource, attribute)] {
				t.Errorf("the guide has no link to %s of %s", attribute, resource)
			}
		}
	}
}

// configurable returns the attributes of a resource that a configuration may set.
func configurable(schema *tfprotov6.Schema) map[string]bool {
	attributes := map[string]bool{}
	for _, attribute := range schema.Block.Attributes {
		if attribute.Required || attribute.Optional {
			attributes[attribute.Name] = true
		}
	}
	return attributes
}

// wordsOf returns the names of everything in the schema, and the words of its descriptions, among which are all values.
func wordsOf(schemas *tfprotov6.GetProviderSchemaResponse) map[string]bool {
	words := map[string]bool{}
	add := func(name string, block *tfprotov6.SchemaBlock) {
		words[name] = true
		for _, attribute := range block.Attributes {
			words[attribute.Name] = true
			for _, word := range strings.FieldsFunc(attribute.Description, func(r rune) bool { return r == '`' || r == ' ' }) {
				words[word] = true
			}
		}
	}
	for name, schema := range schemas.ResourceSchemas {
		add(name, schema.Block)
	}
	for name, schema := range schemas.DataSourceSchemas {
		add(name, schema.Block)
	}
	for name, schema := range schemas.EphemeralResourceSchemas {
		add(name, schema.Block)
	}
	for name, schema := range schemas.ActionSchemas {
		add(name, schema.Schema.Block)
	}
	return words
}
