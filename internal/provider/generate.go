package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// generator writes the configuration of an object that is imported. The framework's way, which is Terraform's own, takes ""
// for unset, which here is a value.
type generator struct {
	once    sync.Once
	schemas map[string]*tfprotov6.Schema
}

// GenerateResourceConfig returns the configuration that plans no change of a state: what the state has, without what cannot
// be configured.
func (s *protocolServer) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	s.generator.once.Do(func() {
		if all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err == nil {
			s.generator.schemas = all.ResourceSchemas
		}
	})
	schema, ok := s.generator.schemas[req.TypeName]
	if !ok || req.State == nil {
		return s.protocol.GenerateResourceConfig(ctx, req)
	}
	config, err := Configuration(schema, req.State)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.GenerateResourceConfigResponse{Config: config}, nil
}

// Configuration returns a state as it can be configured: attributes that are only computed, deprecated or write-only are
// null.
func Configuration(schema *tfprotov6.Schema, encoded *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	kind := schema.ValueType()
	state, err := encoded.Unmarshal(kind)
	if err != nil {
		return nil, err
	}
	config, err := tftypes.Transform(state, func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if attribute := attributeAt(schema.Block.Attributes, at.Steps()); attribute != nil && !isConfigurable(attribute) {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	value, err := tfprotov6.NewDynamicValue(kind, config)
	return &value, err
}

func isConfigurable(attribute *tfprotov6.SchemaAttribute) bool {
	return (attribute.Required || attribute.Optional) && !attribute.Deprecated && !attribute.WriteOnly
}

// attributeAt returns the attribute that a path ends at; nil where it ends within the value of one.
func attributeAt(attributes []*tfprotov6.SchemaAttribute, steps []tftypes.AttributePathStep) *tfprotov6.SchemaAttribute {
	if len(steps) == 0 {
		return nil
	}
	name, ok := steps[0].(tftypes.AttributeName)
	if !ok {
		return attributeAt(attributes, steps[1:]) // an element of a list, set or map of objects
	}
	for _, attribute := range attributes {
		if attribute.Name != string(name) {
			continue
		}
		if len(steps) == 1 {
			return attribute
		}
		if attribute.NestedType == nil {
			return nil
		}
		return attributeAt(attribute.NestedType.Attributes, steps[1:])
	}
	return nil
}
