package provider_test

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Whatever a schema calls sensitive or write-only, and a configuration can set, stands in no log at the finest level.
func TestProtocolSecretsOfTheSchemaAreNotLogged(t *testing.T) {
	const secret = "s3cret & \"quoted\" %v"
	configs := map[string]values{
		"zulip_bot":  {"short_name": "x", "full_name": "X", "config_data": values{"key": secret}},
		"zulip_user": {"email": "nadia.haddad@example.com", "full_name": "Nadia", "password": secret},
	}
	o := acctest.StartSandbox(t, sandbox.Config{})
	schemas, err := provider.NewServer("test").GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range schemas.ResourceSchemas {
		for _, attribute := range schema.Block.Attributes {
			if (attribute.Sensitive || attribute.WriteOnly) && (attribute.Optional || attribute.Required) && configs[name][attribute.Name] == nil {
				t.Errorf("%s.%s is secret and not tried", name, attribute.Name)
			}
		}
	}
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			ctx := tfsdklogtest.RootLogger(tflogtest.RootLogger(context.Background(), &log), &log)
			run := acctest.NewRun(ctx, t, name, o.Block(nil))
			sent := o.Sent()
			run.Apply(run.MustPlan(config)).ExpectNoError(t)
			if !slices.ContainsFunc(sent.Writes(), func(r sandbox.Request) bool {
				return r.Params["config_data"]+r.Params["password"] != ""
			}) {
				t.Error("the secret was not sent")
			}
			run.MustPlan(config)
			if log.Len() == 0 {
				t.Error("nothing was logged")
			}
			for _, form := range []string{secret, url.QueryEscape(secret), "s3cret"} {
				if at := strings.Index(log.String(), form); at >= 0 {
					t.Errorf("the log holds %q: %s", form, log.String()[max(0, at-200):at+40])
				}
			}
		})
	}
}

// Secrets are found in any depth, in lists and maps, and under write-only attributes.
func TestSecretsAreFoundInAnyDepth(t *testing.T) {
	text := tftypes.String
	inner := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"plain": text, "hidden": tftypes.Map{ElementType: text}}}
	schema := &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "name", Type: text, Required: true},
		{Name: "password", Type: text, Optional: true, WriteOnly: true},
		{Name: "later", Type: text, Optional: true, Sensitive: true},
		{Name: "parts", Optional: true, NestedType: &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeList, Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "plain", Type: text, Optional: true},
			{Name: "hidden", Type: tftypes.Map{ElementType: text}, Optional: true, Sensitive: true},
		}}},
	}}}
	of := func(value string) tftypes.Value { return tftypes.NewValue(text, value) }
	value, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), map[string]tftypes.Value{
		"name": of("shown"), "password": of("one"), "later": tftypes.NewValue(text, tftypes.UnknownValue),
		"parts": tftypes.NewValue(tftypes.List{ElementType: inner}, []tftypes.Value{tftypes.NewValue(inner, map[string]tftypes.Value{
			"plain":  of("shown too"),
			"hidden": tftypes.NewValue(tftypes.Map{ElementType: text}, map[string]tftypes.Value{"key": of("two")}),
		})}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	found := provider.Secrets(schema, &value)
	slices.Sort(found)
	if !slices.Equal(found, []string{"one", "two"}) {
		t.Errorf("found %q", found)
	}
}
