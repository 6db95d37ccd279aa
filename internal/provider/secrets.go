package provider

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// hide returns a context in which no sensitive or write-only value of the schema is logged, neither with the
// provider's requests nor in an error.
func (s *protocolServer) hide(ctx context.Context, of string, values ...*tfprotov6.DynamicValue) context.Context {
	schema, ok := s.readSchemas(ctx).secret[of]
	if !ok {
		return ctx
	}
	var secrets []string
	for _, value := range values {
		secrets = append(secrets, Secrets(schema, value)...)
	}
	return zulip.WithSecrets(ctx, secrets...)
}

// Secrets returns every text in a sensitive or write-only attribute of a value. Values that are null, unknown, or not
// in the schema have none.
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

// names returns the attributes on a path, without the steps into lists, sets and maps.
func names(at *tftypes.AttributePath) (names []string) {
	for _, step := range at.Steps() {
		if name, ok := step.(tftypes.AttributeName); ok {
			names = append(names, string(name))
		}
	}
	return names
}

// isBelow reports whether one of the paths leads to a place or to a parent of it.
func isBelow(place []string, paths [][]string) bool {
	for _, path := range paths {
		if len(path) <= len(place) && slices.Equal(path, place[:len(path)]) {
			return true
		}
	}
	return false
}

// Session is the provider configured from the environment, for a command that uses it like Terraform.
type Session struct {
	*protocolServer
	// Warnings are the warnings of the configuration of the provider.
	Warnings []string
}

// Open configures the provider like an empty provider block. Its errors are the provider's.
func Open(ctx context.Context, version string) (*Session, error) {
	session := &Session{protocolServer: newServer(version)}
	schemas, err := session.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	block, _ := schemas.Provider.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range block.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
	}
	config, err := tfprotov6.NewDynamicValue(block, tftypes.NewValue(block, values))
	if err != nil {
		return nil, err
	}
	configured, err := session.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: &config})
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, diagnostic := range configured.Diagnostics {
		text := strings.TrimSpace(diagnostic.Summary + ". " + diagnostic.Detail)
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			problems = append(problems, errors.New(text))
		} else {
			session.Warnings = append(session.Warnings, text)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	meta := session.Meta()
	if meta == nil {
		return nil, errors.New("the provider's settings are not known")
	}
	return session, meta.NoAccount
}

// Meta returns the result of configuring the provider.
func (s *Session) Meta() *base.Meta { return s.provider.meta.Load() }
