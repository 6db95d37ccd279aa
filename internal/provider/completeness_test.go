package provider_test

import (
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// partsOfOthers are the resources that manage a part of another object, a setting or an order. They have no name, and a
// second resource with the same configuration manages the same part.
var partsOfOthers = []string{
	"zulip_channel_folder_order", "zulip_channel_subscribers", "zulip_channel_subscription", "zulip_channel_subscription_settings",
	"zulip_custom_profile_field_order", "zulip_default_user_settings", "zulip_linkifier_order", "zulip_organization", "zulip_organization_image",
	"zulip_role_members", "zulip_user_group_membership", "zulip_user_role", "zulip_user_status",
}

// TestResources_All_InEveryList names each list of the tests and pages that lacks a resource. A resource that does not
// belong in a list is one of its exceptions.
func TestResources_All_InEveryList(t *testing.T) {
	var lived, faulted []string
	for _, l := range lives(t, acctest.StartSandbox(t, sandbox.Config{})) {
		lived = append(lived, l.of)
	}
	for _, n := range faultedResources("") {
		faulted = append(faulted, n.resource)
	}
	lists := []struct {
		name, file string
		has        []string
		exceptions []string
	}{
		{"lives", "lives_test.go", lived, nil},
		{"named, unnamed or partsOfOthers", "existing_protocol_test.go or completeness_test.go", slices.Concat(named, unnamed, partsOfOthers), nil},
		{"faultedResources", "fault_resources_acc_test.go", faulted, []string{
			"zulip_channel",                                                             // TestFaultChannel_AnswerLost_AppliedOnce and the tests next to it
			"zulip_draft", "zulip_message", "zulip_reaction", "zulip_scheduled_message", // tested through the protocol, next to each
			"zulip_channel_folder_order", "zulip_channel_subscription", "zulip_channel_subscription_settings", "zulip_custom_profile_field_order",
			"zulip_default_user_settings", "zulip_linkifier_order", "zulip_user_role", "zulip_user_status", // they create no object
		}},
		{"cachedLists or uncachedLists", "fault_resources_acc_test.go", slices.Concat(cachedLists, uncachedLists), partsOfOthers},
		{"the list resources", "resources.go", slices.Collect(maps.Keys(acctest.Schemas(t).ListResourceSchemas)), []string{
			"zulip_channel_folder_order", "zulip_channel_subscription", "zulip_channel_subscription_settings", "zulip_custom_profile_field_order",
			"zulip_default_user_settings", "zulip_linkifier_order", "zulip_message", "zulip_organization", "zulip_organization_image",
			"zulip_reaction", "zulip_user_group_membership",
		}},
		{"the web app settings reference", "templates/guides/from-clicks-to-code.md.tmpl", linkedIn(t, "from-clicks-to-code"), nil},
	}
	resources := acctest.StartProcess(t.Context(), t).Resources()
	for _, list := range lists {
		for _, resource := range resources {
			switch has, isException := slices.Contains(list.has, resource), slices.Contains(list.exceptions, resource); {
			case !has && !isException:
				t.Errorf("%s lacks %s: add it in %s, or to the exceptions in completeness_test.go", list.name, resource, list.file)
			case has && isException:
				t.Errorf("%s has %s: remove it from the exceptions in completeness_test.go", list.name, resource)
			}
		}
		for _, resource := range slices.Concat(list.has, list.exceptions) {
			if !slices.Contains(resources, resource) {
				t.Errorf("%s has %s, which is no resource: remove it in %s", list.name, resource, list.file)
			}
		}
	}
}

// linkedIn returns the resources to whose pages a guide links.
func linkedIn(t *testing.T, guide string) (resources []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", guide+".md.tmpl"))
	requireNoError(t, err)
	for _, link := range strings.Split(string(text), "(../resources/")[1:] {
		name, _, _ := strings.Cut(link, ".md")
		resources = append(resources, "zulip_"+name)
	}
	return resources
}

// Everything that the provider offers has an example, a page, and its name in the changelog.
func TestDocsFiles_All_Exist(t *testing.T) {
	schemas := acctest.Schemas(t)
	root := filepath.Join("..", "..")
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	requireNoError(t, err)
	check := func(folder, file string, names iter.Seq[string]) {
		all := slices.Sorted(names)
		for _, name := range all {
			example, page := filepath.Join("examples", folder, name, file), filepath.Join("docs", folder, strings.TrimPrefix(name, "zulip_")+".md")
			if _, err := os.Stat(filepath.Join(root, example)); err != nil {
				t.Errorf("%s of %s lacks its example: write %s", name, folder, example)
			}
			if _, err := os.Stat(filepath.Join(root, page)); err != nil {
				t.Errorf("%s of %s lacks its page: run \"make docs\", which writes %s", name, folder, page)
			}
			if !strings.Contains(string(changelog), "`"+name+"`") {
				t.Errorf("%s of %s isn't in CHANGELOG.md", name, folder)
			}
		}
		examples, err := os.ReadDir(filepath.Join(root, "examples", folder))
		requireNoError(t, err)
		for _, example := range examples {
			if !slices.Contains(all, example.Name()) {
				t.Errorf("the provider has no %s: remove examples/%s/%[1]s", example.Name(), folder)
			}
		}
	}
	check("resources", "resource.tf", maps.Keys(schemas.ResourceSchemas))
	check("data-sources", "data-source.tf", maps.Keys(schemas.DataSourceSchemas))
	check("list-resources", "list-resource.tfquery.hcl", maps.Keys(schemas.ListResourceSchemas))
	check("actions", "action.tf", maps.Keys(schemas.ActionSchemas))
	check("ephemeral-resources", "ephemeral-resource.tf", maps.Keys(schemas.EphemeralResourceSchemas))
	check("functions", "function.tf", maps.Keys(schemas.Functions))
}

// The reference of the web app's settings names every configurable attribute of the resources for settings pages, and
// only existing attributes and values. In a table, an attribute without a link belongs to the resource that was last
// linked above the table.
func TestDocsClicksGuide_Attributes_AllNamed(t *testing.T) {
	guide, err := os.ReadFile("../../templates/guides/from-clicks-to-code.md.tmpl")
	requireNoError(t, err)
	schemas, err := provider.NewServer("docs").GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	requireNoError(t, err)
	words, named := wordsOf(schemas), map[string]bool{}
	name := func(resource, attribute string) {
		schema, ok := schemas.ResourceSchemas[resource]
		if !ok {
			t.Errorf("there is no resource %s", resource)
		} else if attribute != resource && !configurable(schema)[attribute] {
			t.Errorf("%s has no attribute %s to configure", resource, attribute)
		}
		named[path.Join(resource, attribute)] = true
	}
	link := regexp.MustCompile("\\[`([^`]*)`\\]\\(\\.\\./resources/([a-z_]+)\\.md\\)")
	attribute := regexp.MustCompile("^`([a-z0-9_]+)`$")
	above, columns := "", []string(nil)
	for line := range strings.Lines(string(guide)) {
		for _, found := range link.FindAllStringSubmatch(line, -1) {
			name("zulip_"+found[2], found[1])
			if !strings.HasPrefix(line, "|") {
				above = "zulip_" + found[2]
			}
		}
		cells := strings.Split(line, "|")
		if strings.HasPrefix(line, "| In the web app |") {
			columns = cells
		}
		for i := 2; len(cells) == len(columns) && i < len(cells); i++ {
			if columns[i] == " Remark " {
				continue
			}
			for word := range strings.SplitSeq(cells[i], ",") {
				if found := attribute.FindStringSubmatch(strings.TrimSpace(word)); found != nil {
					name(above, found[1])
				}
			}
		}
	}
	for _, word := range regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)+)`").FindAllStringSubmatch(string(guide), -1) {
		if !words[word[1]] {
			t.Errorf("no resource, attribute or value is called %s", word[1])
		}
	}
	for _, resource := range []string{"zulip_organization", "zulip_channel", "zulip_user_group", "zulip_default_user_settings"} {
		for attribute := range configurable(schemas.ResourceSchemas[resource]) {
			if !named[path.Join(resource, attribute)] {
				t.Errorf("the guide does not name %s of %s", attribute, resource)
			}
		}
	}
}

// configurable returns the attributes of a resource that a configuration can set.
func configurable(schema *tfprotov6.Schema) map[string]bool {
	attributes := map[string]bool{}
	for _, attribute := range schema.Block.Attributes {
		if attribute.Required || attribute.Optional {
			attributes[attribute.Name] = true
		}
	}
	return attributes
}

// wordsOf returns all names in the schema, and the words of its descriptions, which include all values.
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

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.Report(acctest.PrintFaults)
	acctest.Report(printScale)
	acctest.Report(printLives)
	acctest.Report(printQuery)
	acctest.RemovePlugin()
	os.Exit(status)
}
