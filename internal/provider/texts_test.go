package provider_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// No resource accepts a null byte in any text, because no server stores one.
func TestResources_NullByte_Refused(t *testing.T) {
	server := provider.NewServer("test")
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range all.ResourceSchemas {
		object, _ := schema.ValueType().(tftypes.Object)
		for _, attribute := range schema.Block.Attributes {
			if attribute.Type == nil || !attribute.Type.Is(tftypes.String) || !attribute.Required && !attribute.Optional {
				continue
			}
			values := map[string]tftypes.Value{}
			for other, kind := range object.AttributeTypes {
				values[other] = tftypes.NewValue(kind, nil)
			}
			values[attribute.Name] = tftypes.NewValue(tftypes.String, "a\x00b")
			config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
				TypeName: name, Config: &config, ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(answer.Diagnostics, func(d *tfprotov6.Diagnostic) bool { return d.Summary == "Null byte in "+attribute.Name }) {
				t.Errorf("%s accepts a null byte in %s", name, attribute.Name)
			}
		}
	}
}
