package provider_test

import (
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestProtocolConfiguration_WrongValue_Refused validates every block of every kind with null in each collection, and with
// wrong numbers and texts in each attribute, also within nested attributes. A plan, a read and an invocation refuse them too.
func TestProtocolConfiguration_WrongValue_Refused(t *testing.T) {
	all, server, ctx := acctest.Schemas(t), provider.NewServer("test").(everyBlock), t.Context()
	type diagnostics = []*tfprotov6.Diagnostic
	said := func(answer any, err error) diagnostics {
		requireNoError(t, err)
		found, _ := reflect.ValueOf(answer).Elem().FieldByName("Diagnostics").Interface().(diagnostics)
		return found
	}
	invoked := func(answer *tfprotov6.InvokeActionServerStream, err error) (found diagnostics) {
		requireNoError(t, err)
		for event := range answer.Events {
			end, _ := event.Type.(tfprotov6.CompletedInvokeActionEventType)
			found = append(found, end.Diagnostics...)
		}
		return found
	}
	actions := map[string]*tfprotov6.Schema{}
	for name, action := range all.ActionSchemas {
		actions[name] = action.Schema
	}
	for _, kind := range []struct {
		name    string
		schemas map[string]*tfprotov6.Schema
		answers func(name string, config *tfprotov6.DynamicValue) []diagnostics
	}{
		{"resource", all.ResourceSchemas, func(name string, config *tfprotov6.DynamicValue) []diagnostics {
			plan := &tfprotov6.PlanResourceChangeRequest{TypeName: name, Config: config}
			return []diagnostics{said(server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})), said(server.PlanResourceChange(ctx, plan))}
		}},
		{"data", all.DataSourceSchemas, func(name string, config *tfprotov6.DynamicValue) []diagnostics {
			read := &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config}
			return []diagnostics{said(server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})), said(server.ReadDataSource(ctx, read))}
		}},
		{"ephemeral", all.EphemeralResourceSchemas, func(name string, config *tfprotov6.DynamicValue) []diagnostics {
			return []diagnostics{said(server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config}))}
		}},
		{"list", all.ListResourceSchemas, func(name string, config *tfprotov6.DynamicValue) []diagnostics {
			return []diagnostics{said(server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: name, Config: config}))}
		}},
		{"action", actions, func(name string, config *tfprotov6.DynamicValue) []diagnostics {
			invoke := &tfprotov6.InvokeActionRequest{ActionType: name, Config: config}
			return []diagnostics{said(server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config})), invoked(server.InvokeAction(ctx, invoke))}
		}},
		{"provider", map[string]*tfprotov6.Schema{"zulip": all.Provider}, func(_ string, config *tfprotov6.DynamicValue) []diagnostics {
			return []diagnostics{said(server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config}))}
		}},
	} {
		for name, schema := range kind.schemas {
			t.Run(kind.name+" "+name, func(t *testing.T) {
				for _, value := range wrongValues(schema.ValueType()) {
					config, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
					requireNoError(t, err)
					for _, diags := range kind.answers(name, &config) {
						if len(diags) != 1 || !strings.Contains(diags[0].Detail, " null") && !strings.Contains(diags[0].Detail, "must be a whole number between -2147483648 and 2147483647. It is ") || len(diags[0].Attribute.Steps()) == 0 {
							t.Errorf("%s: %v", value, diags)
						}
					}
				}
			})
		}
	}
}

// everyBlock validates the blocks of every kind.
type everyBlock interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
	tfprotov6.ListResourceServer
}

// wrongValues returns values of a type with one mistake each, and null otherwise.
func wrongValues(kind tftypes.Type) (wrong []tftypes.Value) {
	elements := func(of tftypes.Type) []tftypes.Value { return append(wrongValues(of), tftypes.NewValue(of, nil)) }
	switch kind := kind.(type) {
	case tftypes.Object:
		for name, inner := range kind.AttributeTypes {
			for _, one := range wrongValues(inner) {
				attributes := map[string]tftypes.Value{}
				for other, inner := range kind.AttributeTypes {
					attributes[other] = tftypes.NewValue(inner, nil)
				}
				attributes[name] = one
				wrong = append(wrong, tftypes.NewValue(kind, attributes))
			}
		}
	case tftypes.Map:
		for _, one := range elements(kind.ElementType) {
			wrong = append(wrong, tftypes.NewValue(kind, map[string]tftypes.Value{"a": one}))
		}
	case tftypes.List:
		for _, one := range elements(kind.ElementType) {
			wrong = append(wrong, tftypes.NewValue(kind, []tftypes.Value{one}))
		}
	case tftypes.Set:
		for _, one := range elements(kind.ElementType) {
			wrong = append(wrong, tftypes.NewValue(kind, []tftypes.Value{one}))
		}
	}
	if kind.Is(tftypes.String) {
		wrong = append(wrong, tftypes.NewValue(kind, "a\x00b"))
	}
	if kind.Is(tftypes.Number) {
		tooLarge := new(big.Float).SetInt(new(big.Int).Lsh(big.NewInt(1), 63))
		for _, number := range []*big.Float{big.NewFloat(1.5), big.NewFloat(1 << 31), big.NewFloat(-1 << 32), tooLarge, big.NewFloat(1e30)} {
			wrong = append(wrong, tftypes.NewValue(kind, number))
		}
	}
	return wrong
}

// TestProtocolConfiguration_WrongValue_Words shows the messages.
func TestProtocolConfiguration_WrongValue_Words(t *testing.T) {
	p := acctest.StartSandbox(t, sandbox.Config{}).NewRun(t, "zulip_channel").Process()
	for _, test := range []struct {
		resource, attribute string
		value               any
		words               string
	}{
		{"zulip_channel", "can_send_message_group", []any{nil, "role:owners"}, "Invalid value for can_send_message_group\n" +
			"can_send_message_group must not contain null. Remove the element, for example with [for x in LIST : x if x != null]."},
		{"zulip_user_group", "members", []any{"kenji.sato@example.com", nil}, "Invalid value for members[1]\n" +
			"members must not contain null. Remove the element, for example with [for x in LIST : x if x != null]."},
		{"zulip_bot", "config_data", values{"token": nil}, "Invalid value for config_data[\"token\"]\n" +
			"config_data must not contain null. Remove the element, for example with {for k, v in MAP : k => v if v != null}."},
		{"zulip_reaction", "message_id", 1.5, "Invalid value for message_id\n" +
			"message_id must be a whole number between -2147483648 and 2147483647. It is 1.5."},
		{"zulip_reaction", "message_id", new(big.Float).SetInt64(1 << 62), "It is 4611686018427387904."},
		{"zulip_reaction", "message_id", -1, "Invalid value for message_id\nmessage_id must be at least 1. It is -1. The nearest allowed value is 1."},
		{"zulip_channel", "description", "a\x00b", "Invalid value for description\ndescription has a null byte (\\u0000) at position 2."},
		{"zulip_linkifier_order", "linkifier_ids", []any{2.5}, "Invalid value for linkifier_ids[0]\n"},
	} {
		diags := p.Validate(test.resource, values{test.attribute: test.value})
		if text := diags.String(); !strings.Contains(text, "error ("+test.attribute+"): ") || !strings.Contains(text, test.words) {
			t.Errorf("%s = %v: %v", test.attribute, test.value, diags)
		}
	}
}

// TestProtocolConfiguration_WhiteSpaceInText_Refused validates texts that the server refuses or changes. The email of an
// invitation that ended in a no-break space was invited with every apply.
func TestProtocolConfiguration_WhiteSpaceInText_Refused(t *testing.T) {
	p := acctest.StartProcess(t.Context(), t)
	for _, test := range []struct{ resource, attribute, text string }{
		{"zulip_invitation", "email", "ada@example.com\u00a0"},
		{"zulip_user", "email", "ada@example.com\u00a0"},
		{"zulip_user", "full_name", "Ada\tLovelace"},
		{"zulip_bot", "full_name", "Deploy\x01"},
		{"zulip_bot", "short_name", "deploy\u00a0"},
		{"zulip_bot", "payload_url", "https://example.com/ho\tok"},
		{"zulip_custom_profile_field", "url_pattern", "https://example.com/%(username)s "},
		{"zulip_organization", "jitsi_server_url", "https://meet.example.com/\x01"},
	} {
		diags := p.Validate(test.resource, values{test.attribute: test.text})
		if !strings.Contains(diags.String(), "error ("+test.attribute+"): Invalid ") {
			t.Errorf("%s.%s = %q: %v", test.resource, test.attribute, test.text, diags)
		}
	}
}
