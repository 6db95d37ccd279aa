package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// schemas returns the schemas of everything that the provider offers. They are the same for every server of this process, and
// computing them takes longer than a small plan, so it is done once: the CLI asks for them, and so do the masking of secrets
// and the generation of configuration. Nobody may change them.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return newServer("").protocol.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// GetProviderSchema returns the schemas of everything that the provider offers.
func (s *protocolServer) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return schemas()
}
