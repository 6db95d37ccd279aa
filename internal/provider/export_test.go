package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Passing is passing, for tests.
func Passing(ctx context.Context, req string, answer func(context.Context, string) (any, error)) (any, error) {
	return passing(ctx, req, answer)
}

// FrameworkServer is the provider as the framework serves it, without anything of [NewServer].
func FrameworkServer() tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(newProvider("test"))()
}

// UnchangedTypes are the resources that [NewServer] plans by itself while they stay as they are.
var UnchangedTypes = unchangedTypes
