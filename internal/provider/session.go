package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// Session is the provider configured from the environment, for a command that uses it as a CLI would.
type Session struct {
	*protocolServer
	// Warnings are what the provider says when it is configured.
	Warnings []string
}

// Open configures the provider as an empty provider block does. Its errors are those of the provider.
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

// Meta is what the configured provider gives to every construct.
func (s *Session) Meta() *base.Meta { return s.provider.meta.Load() }
