// Schemajson prints the provider's schema as "terraform providers schema -json" does, for the generator of docs/. A CLI
// omits the kinds that it does not know, for example actions or list resources. The pages must not depend on the installed
// CLI.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

func main() {
	if err := write(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "schemajson:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, w io.Writer) error {
	server := provider.NewServer("docs")
	schema, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	identity, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return err
	}
	for _, diagnostic := range append(schema.Diagnostics, identity.Diagnostics...) {
		err = errors.Join(err, fmt.Errorf("%s: %s", diagnostic.Summary, diagnostic.Detail))
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(tfjson.ProviderSchemas{
		FormatVersion: "1.0",
		Schemas: map[string]*tfjson.ProviderSchema{"zulip": {
			ConfigSchema:             schemaOf(schema.Provider),
			ResourceSchemas:          each(schema.ResourceSchemas, schemaOf),
			DataSourceSchemas:        each(schema.DataSourceSchemas, schemaOf),
			EphemeralResourceSchemas: each(schema.EphemeralResourceSchemas, schemaOf),
			ListResourceSchemas:      each(schema.ListResourceSchemas, schemaOf),
			ActionSchemas: each(schema.ActionSchemas, func(s *tfprotov6.ActionSchema) *tfjson.ActionSchema {
				return &tfjson.ActionSchema{Block: blockOf(s.Schema.Block)}
			}),
			Functions:               each(schema.Functions, functionOf),
			ResourceIdentitySchemas: each(identity.IdentitySchemas, identityOf),
		}},
	})
}

func schemaOf(s *tfprotov6.Schema) *tfjson.Schema {
	return &tfjson.Schema{Version: uint64(s.Version), Block: blockOf(s.Block)}
}

func blockOf(b *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	nested := map[string]*tfjson.SchemaBlockType{}
	for _, n := range b.BlockTypes {
		nested[n.TypeName] = &tfjson.SchemaBlockType{
			NestingMode: blockNesting[n.Nesting],
			Block:       blockOf(n.Block),
			MinItems:    uint64(n.MinItems),
			MaxItems:    uint64(n.MaxItems),
		}
	}
	return &tfjson.SchemaBlock{
		Attributes:      attributesOf(b.Attributes),
		NestedBlocks:    nested,
		Description:     b.Description,
		DescriptionKind: kindOf(b.DescriptionKind),
		Deprecated:      b.Deprecated,
	}
}

func attributesOf(list []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	attributes := make(map[string]*tfjson.SchemaAttribute, len(list))
	for _, a := range list {
		attribute := &tfjson.SchemaAttribute{
			Description:     a.Description,
			DescriptionKind: kindOf(a.DescriptionKind),
			Deprecated:      a.Deprecated,
			Required:        a.Required,
			Optional:        a.Optional,
			Computed:        a.Computed,
			Sensitive:       a.Sensitive,
			WriteOnly:       a.WriteOnly,
		}
		if a.NestedType != nil {
			attribute.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
				Attributes:  attributesOf(a.NestedType.Attributes),
				NestingMode: objectNesting[a.NestedType.Nesting],
			}
		} else {
			attribute.AttributeType = typeOf(a.Type)
		}
		attributes[a.Name] = attribute
	}
	return attributes
}

func identityOf(s *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	attributes := make(map[string]*tfjson.IdentityAttribute, len(s.IdentityAttributes))
	for _, a := range s.IdentityAttributes {
		attributes[a.Name] = &tfjson.IdentityAttribute{
			IdentityType:      typeOf(a.Type),
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return &tfjson.IdentitySchema{Version: uint64(s.Version), Attributes: attributes}
}

func functionOf(f *tfprotov6.Function) *tfjson.FunctionSignature {
	signature := &tfjson.FunctionSignature{
		Description:        f.Description,
		Summary:            f.Summary,
		DeprecationMessage: f.DeprecationMessage,
		ReturnType:         typeOf(f.Return.Type),
	}
	for _, p := range f.Parameters {
		signature.Parameters = append(signature.Parameters, parameterOf(p))
	}
	if f.VariadicParameter != nil {
		signature.VariadicParameter = parameterOf(f.VariadicParameter)
	}
	return signature
}

func parameterOf(p *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	return &tfjson.FunctionParameter{
		Name:        p.Name,
		Description: p.Description,
		IsNullable:  p.AllowNullValue,
		Type:        typeOf(p.Type),
	}
}

var blockNesting = map[tfprotov6.SchemaNestedBlockNestingMode]tfjson.SchemaNestingMode{
	tfprotov6.SchemaNestedBlockNestingModeSingle: tfjson.SchemaNestingModeSingle,
	tfprotov6.SchemaNestedBlockNestingModeList:   tfjson.SchemaNestingModeList,
	tfprotov6.SchemaNestedBlockNestingModeSet:    tfjson.SchemaNestingModeSet,
}

var objectNesting = map[tfprotov6.SchemaObjectNestingMode]tfjson.SchemaNestingMode{
	tfprotov6.SchemaObjectNestingModeSingle: tfjson.SchemaNestingModeSingle,
	tfprotov6.SchemaObjectNestingModeList:   tfjson.SchemaNestingModeList,
	tfprotov6.SchemaObjectNestingModeSet:    tfjson.SchemaNestingModeSet,
	tfprotov6.SchemaObjectNestingModeMap:    tfjson.SchemaNestingModeMap,
}

func kindOf(kind tfprotov6.StringKind) tfjson.SchemaDescriptionKind {
	if kind == tfprotov6.StringKindMarkdown {
		return tfjson.SchemaDescriptionKindMarkdown
	}
	return tfjson.SchemaDescriptionKindPlain
}

// typeOf converts through JSON, the only form that both libraries share. A type of a served schema has it.
func typeOf(t tftypes.Type) cty.Type {
	var converted cty.Type
	encoded, err := json.Marshal(t)
	if err == nil {
		err = converted.UnmarshalJSON(encoded)
	}
	if err != nil {
		panic(fmt.Sprintf("type %s has no JSON form: %v", t, err))
	}
	return converted
}

func each[From, To any](from map[string]From, convert func(From) To) map[string]To {
	to := make(map[string]To, len(from))
	for name, value := range from {
		to[name] = convert(value)
	}
	return to
}
