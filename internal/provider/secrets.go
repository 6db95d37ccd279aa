package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// hide returns a context under which nothing that the schema calls sensitive or write-only is logged: neither by what the
// provider logs of its requests nor by an error.
func (s *protocolServer) hide(ctx context.Context, of string, values ...*tfprotov6.DynamicValue) context.Context {
	schema, ok := s.schemaWithSecrets(ctx, of)
	if !ok {
		return ctx
	}
	var secrets []string
	for _, value := range values {
		secrets = append(secrets, Secrets(schema, value)...)
	}
	return zulip.WithSecrets(ctx, secrets...)
}

// Secrets returns every text in a value that stands in an attribute which its schema calls sensitive or write-only. What
// is null, unknown, or not of the schema, has none.
func Secrets(schema *tfprotov6.Schema, encoded *tfprotov6.DynamicValue) (secrets []string) {
	if encoded == nil {
		return nil
	}
	value, err := encoded.Unmarshal(schema.ValueType())
	if err != nil {
		return nil
	}
	paths := secretPaths(schema.Block, nil)
	_ = tftypes.Walk(value, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var text string
		if value.IsKnown() && !value.IsNull() && value.Type().Is(tftypes.String) && isBelow(names(at), paths) && value.As(&text) == nil {
			secrets = append(secrets, text)
		}
		return true, nil
	})
	return secrets
}

// secretPaths lists the attributes that are sensitive or write-only, by the names that lead to them.
func secretPaths(block *tfprotov6.SchemaBlock, above []string) (paths [][]string) {
	for _, attribute := range block.Attributes {
		paths = append(paths, secretAttributes(attribute, above)...)
	}
	for _, nested := range block.BlockTypes {
		paths = append(paths, secretPaths(nested.Block, below(above, nested.TypeName))...)
	}
	return paths
}

func secretAttributes(attribute *tfprotov6.SchemaAttribute, above []string) (paths [][]string) {
	at := below(above, attribute.Name)
	if attribute.Sensitive || attribute.WriteOnly {
		return [][]string{at}
	}
	if attribute.NestedType != nil {
		for _, inner := range attribute.NestedType.Attributes {
			paths = append(paths, secretAttributes(inner, at)...)
		}
	}
	return paths
}

func below(above []string, name string) []string { return append(append([]string{}, above...), name) }

// names are the attributes on a path; what leads into lists, sets and maps is left out.
func names(at *tftypes.AttributePath) (names []string) {
	for _, step := range at.Steps() {
		if name, ok := step.(tftypes.AttributeName); ok {
			names = append(names, string(name))
		}
	}
	return names
}

// isBelow reports whether one of the paths leads to a place or to what it stands in.
func isBelow(place []string, paths [][]string) bool {
	for _, path := range paths {
		if len(path) <= len(place) && slices.Equal(path, place[:len(path)]) {
			return true
		}
	}
	return false
}
