package adapter

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
)

// A data source shows the collections of a resource, of every kind.
func TestListed_Collections_Computed(t *testing.T) {
	definition := &core.Definition[struct{}, struct{}]{Schema: func() resourceschema.Schema {
		return resourceschema.Schema{Attributes: map[string]resourceschema.Attribute{
			"list": resourceschema.ListAttribute{ElementType: types.StringType, Required: true},
			"map":  resourceschema.MapAttribute{ElementType: types.StringType, Required: true},
			"set":  resourceschema.SetAttribute{ElementType: types.StringType, Required: true},
		}}
	}}
	var answer datasource.SchemaResponse
	NewListed(definition, Listed{Name: "things", Attribute: "things"}).Schema(t.Context(), datasource.SchemaRequest{}, &answer)
	shown, _ := answer.Schema.Attributes["things"].GetType().(types.ListType).ElemType.(types.ObjectType)
	if names := slices.Sorted(maps.Keys(shown.AttrTypes)); !slices.Equal(names, []string{"list", "map", "set"}) {
		t.Errorf("shown: %v", names)
	}
	if diags := answer.Schema.ValidateImplementation(t.Context()); diags.HasError() {
		t.Error(diags)
	}
}
