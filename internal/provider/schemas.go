package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// secretSchemas are the schemas that have anything sensitive or write-only, by the name of the resource, data source,
// ephemeral resource or action. They are the same for every server of this process.
var secretSchemas struct {
	once    sync.Once
	schemas map[string]*tfprotov6.Schema
}

// GetProviderSchema returns the schemas of everything that the provider offers, and remembers those with secrets: computing
// all of them takes longer than a small plan, and keeping all of them is memory that the collector multiplies.
func (s *protocolServer) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	all, err := s.protocol.GetProviderSchema(ctx, req)
	if err == nil {
		secretSchemas.once.Do(func() { secretSchemas.schemas = withSecrets(all) })
	}
	return all, err
}

// schemaWithSecrets returns the schema of a name if it has secrets. A provider whose schemas cannot be had answers nothing
// else either.
func (s *protocolServer) schemaWithSecrets(ctx context.Context, of string) (*tfprotov6.Schema, bool) {
	secretSchemas.once.Do(func() {
		if all, err := s.protocol.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{}); err == nil {
			secretSchemas.schemas = withSecrets(all)
		}
	})
	schema, ok := secretSchemas.schemas[of]
	return schema, ok
}

// withSecrets returns the schemas that have secrets.
func withSecrets(all *tfprotov6.GetProviderSchemaResponse) map[string]*tfprotov6.Schema {
	found := map[string]*tfprotov6.Schema{}
	add := func(name string, schema *tfprotov6.Schema) {
		if len(secretPaths(schema.Block, nil)) > 0 {
			found[name] = schema
		}
	}
	for _, schemas := range []map[string]*tfprotov6.Schema{all.ResourceSchemas, all.DataSourceSchemas, all.EphemeralResourceSchemas} {
		for name, schema := range schemas {
			add(name, schema)
		}
	}
	for name, action := range all.ActionSchemas {
		add(name, action.Schema)
	}
	return found
}
