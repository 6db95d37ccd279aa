package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// generator writes the configuration of an imported object. The framework's generator treats "" as unset, which is a
// value here, and ignores the server's level.
type generator struct {
	once    sync.Once
	schemas map[string]*tfprotov6.Schema
	create  map[string]func() resource.Resource
}

// load reads the schemas and the constructors of the resources. A provider whose schemas cannot be read fails in
// every call.
func (g *generator) load(ctx context.Context, s *protocolServer) {
	if all, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err == nil {
		g.schemas = all.ResourceSchemas
	}
	g.create = map[string]func() resource.Resource{}
	for _, create := range s.provider.Resources(ctx) {
		var name resource.MetadataResponse
		create().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "zulip"}, &name)
		g.create[name.TypeName] = create
	}
}

// GenerateResourceConfig returns the configuration that plans no change of a state: the state without the attributes
// that cannot be configured, on this server, by this version or at all.
func (s *protocolServer) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	s.generator.once.Do(func() { s.generator.load(ctx, s) })
	schema, ok := s.generator.schemas[req.TypeName]
	if !ok || req.State == nil {
		return s.protocol.GenerateResourceConfig(ctx, req)
	}
	state, err := req.State.Unmarshal(schema.ValueType())
	if err != nil {
		return nil, err
	}
	config, err := configurable(schema, state)
	if err != nil {
		return nil, err
	}
	if config, err = without(config, append(s.generator.fixed(ctx, req.TypeName, state), s.tooNew(req.TypeName, config)...)); err != nil {
		return nil, err
	}
	return s.withoutRefused(ctx, req.TypeName, schema, config)
}

// withoutRefused returns a configuration without the attributes whose values the schema refuses, such as a value that
// only a newer server has. It warns of each. A required one is an error.
func (s *protocolServer) withoutRefused(ctx context.Context, of string, schema *tfprotov6.Schema, config tftypes.Value) (*tfprotov6.GenerateResourceConfigResponse, error) {
	encoded, err := tfprotov6.NewDynamicValue(schema.ValueType(), config)
	if err != nil {
		return nil, err
	}
	checked, err := s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: of, Config: &encoded})
	if err != nil {
		return nil, err
	}
	var attributes map[string]tftypes.Value
	if err := config.As(&attributes); err != nil {
		return nil, err
	}
	answer := &tfprotov6.GenerateResourceConfigResponse{Config: &encoded}
	var refused []string
	for _, problem := range checked.Diagnostics {
		if problem.Severity != tfprotov6.DiagnosticSeverityError || len(problem.Attribute.Steps()) == 0 {
			continue
		}
		root := problem.Attribute.Steps()[:1]
		attribute := attributeAt(schema.Block.Attributes, root)
		if attribute == nil || attributes[attribute.Name].IsNull() {
			continue // a missing value, which users add
		}
		answer.Diagnostics = append(answer.Diagnostics, problem)
		if attribute.Optional {
			problem.Severity = tfprotov6.DiagnosticSeverityWarning
			refused = append(refused, attribute.Name)
		}
	}
	if config, err = without(config, refused); err == nil {
		encoded, err = tfprotov6.NewDynamicValue(schema.ValueType(), config)
	}
	return answer, err
}

// configurable returns a state without the attributes that are only computed, deprecated or write-only.
func configurable(schema *tfprotov6.Schema, state tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(state, func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if attribute := attributeAt(schema.Block.Attributes, at.Steps()); attribute != nil && !isConfigurable(attribute) {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
}

// fixed returns the attributes that the server determines for an object: see [core.WithFixedAttributes].
func (g *generator) fixed(ctx context.Context, of string, state tftypes.Value) []string {
	if decided, ok := g.create[of]().(core.WithFixedAttributes); ok {
		return decided.FixedAttributes(ctx, state)
	}
	return nil
}

// tooNew returns the attributes that the server does not have yet, or not with these values. An unknown level has all.
func (s *protocolServer) tooNew(of string, config tftypes.Value) (names []string) {
	meta := s.provider.meta.Load()
	if meta == nil || meta.Server == nil || meta.Server.ZulipFeatureLevel == 0 {
		return nil
	}
	var attributes map[string]tftypes.Value
	if config.As(&attributes) != nil {
		return nil
	}
	for name, value := range attributes {
		var text string
		if value.Type().Is(tftypes.String) && value.IsKnown() && !value.IsNull() {
			_ = value.As(&text) // it is one
		}
		if level := meta.Server.ZulipFeatureLevel; featurelevel.Lookup(of, name) > level || featurelevel.LookupValue(of, name, text) > level {
			names = append(names, name)
		}
	}
	return names
}

// without returns an object in which some attributes are null.
func without(config tftypes.Value, names []string) (tftypes.Value, error) {
	var attributes map[string]tftypes.Value
	if err := config.As(&attributes); err != nil {
		return config, err
	}
	for _, name := range names {
		attributes[name] = tftypes.NewValue(attributes[name].Type(), nil)
	}
	return tftypes.NewValue(config.Type(), attributes), nil
}

func isConfigurable(attribute *tfprotov6.SchemaAttribute) bool {
	return (attribute.Required || attribute.Optional) && !attribute.Deprecated && !attribute.WriteOnly
}

// attributeAt returns the attribute at the end of a path; nil if the path ends within its value.
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

// listOf returns the list resource of a resource of package core.
func listOf(create func() resource.Resource) func() list.ListResource {
	return func() list.ListResource {
		lister, ok := create().(core.Lister)
		if !ok {
			panic("the resource is not on the core, and has no list")
		}
		return lister.AsList()
	}
}

// ListResource lists objects. If Terraform asks for the resources too, each is the result of an import of the object.
func (s *protocolServer) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	identities := *req
	identities.IncludeResource = false
	stream, err := s.protocol.ListResource(ctx, &identities)
	if err != nil || !req.IncludeResource {
		return stream, err
	}
	results := stream.Results
	stream.Results = func(push func(tfprotov6.ListResourceResult) bool) {
		for result := range results {
			if result.Identity != nil {
				if err := s.addResource(ctx, req.TypeName, &result); err != nil {
					result = tfprotov6.ListResourceResult{Diagnostics: []*tfprotov6.Diagnostic{{
						Severity: tfprotov6.DiagnosticSeverityError, Summary: "Cannot read " + result.DisplayName, Detail: err.Error(),
					}}}
				}
			}
			if !push(result) {
				return
			}
		}
	}
	return stream, nil
}

// addResource imports a listed object. One that cannot be imported remains an identity, with a warning about the
// reason.
func (s *protocolServer) addResource(ctx context.Context, kind string, result *tfprotov6.ListResourceResult) error {
	imported, err := s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: kind, Identity: result.Identity})
	if err != nil {
		return err
	}
	result.Diagnostics = append(result.Diagnostics, asWarnings(imported.Diagnostics)...)
	if len(imported.ImportedResources) != 1 {
		return nil
	}
	one := imported.ImportedResources[0]
	read, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: kind, CurrentState: one.State, Private: one.Private, CurrentIdentity: one.Identity,
	})
	if err != nil {
		return err
	}
	result.Resource = read.NewState
	result.Diagnostics = append(result.Diagnostics, asWarnings(read.Diagnostics)...)
	return nil
}

func asWarnings(diags []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	for _, diagnostic := range diags {
		diagnostic.Severity = tfprotov6.DiagnosticSeverityWarning
		diagnostic.Attribute = nil // which is not from the list block
	}
	return diags
}
