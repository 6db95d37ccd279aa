package provider_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// harmless are the plan modifiers that leave a value alone which is known, and the same as in the state.
var harmless = []string{"useStateForUnknownModifier", "requiresReplaceIfModifier"}

// A resource that is planned without the framework while it stays as it is has nothing in its schema that could change it
// then: no defaults, and only plan modifiers that leave it alone.
func TestUnchangedTypesNeedNoPlanModifiers(t *testing.T) {
	for _, name := range provider.UnchangedTypes {
		for _, problem := range planProblems("", attributesOf(t, name)) {
			t.Errorf("%s%s", name, problem)
		}
	}
	if problems := planProblems("", attributesOf(t, "zulip_bot")); !slices.Equal(problems, []string{".bot_type has a default"}) {
		t.Errorf("zulip_bot has one default, and no plan modifier that matters: %q", problems)
	}
}

// attributesOf returns the attributes of a resource.
func attributesOf(t *testing.T, name string) map[string]schema.Attribute {
	t.Helper()
	for _, create := range provider.New("test")().Resources(t.Context()) {
		one := create()
		var found resource.MetadataResponse
		one.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "zulip"}, &found)
		if found.TypeName != name {
			continue
		}
		var all resource.SchemaResponse
		one.Schema(t.Context(), resource.SchemaRequest{}, &all)
		if len(all.Schema.Blocks) > 0 {
			t.Errorf("%s has blocks, which this test does not look into", name)
		}
		return all.Schema.Attributes
	}
	t.Fatalf("there is no resource %s", name)
	return nil
}

// planProblems says what in some attributes can change a value which is known and the same as in the state.
func planProblems(below string, attributes map[string]schema.Attribute) (problems []string) {
	for name, attribute := range attributes {
		at, fields := below+"."+name, reflect.ValueOf(attribute)
		if value := fields.FieldByName("Default"); value.IsValid() && !value.IsNil() {
			problems = append(problems, at+" has a default")
		}
		modifiers := fields.FieldByName("PlanModifiers")
		for i := range modifiers.Len() {
			kind := fmt.Sprintf("%T", modifiers.Index(i).Interface())
			if !slices.Contains(harmless, kind[strings.LastIndex(kind, ".")+1:]) {
				problems = append(problems, at+" has the plan modifier "+kind)
			}
		}
		switch attribute := attribute.(type) {
		case schema.SingleNestedAttribute:
			problems = append(problems, planProblems(at, attribute.Attributes)...)
		case schema.NestedAttribute:
			problems = append(problems, fmt.Sprintf("%s is a %T, which this test does not look into", at, attribute))
		}
	}
	return problems
}
