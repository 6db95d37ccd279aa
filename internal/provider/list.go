package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
)

// listOf returns the list resource of a resource that is on the core.
func listOf(create func() resource.Resource) func() list.ListResource {
	return func() list.ListResource {
		lister, ok := create().(core.Lister)
		if !ok {
			panic("the resource is not on the core, and has no list")
		}
		return lister.AsList()
	}
}

// ListResource lists objects. If the CLI asks for the resources too, each is what an import of the object makes.
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

// addResource imports a listed object. What cannot be imported stays an identity, with a warning that says why.
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
		diagnostic.Attribute = nil // which is none of the list block
	}
	return diags
}
