// Package plugin serves a provider as the plugin process that Terraform and OpenTofu start: [Serve] sets the process up,
// and answers the CLI until it hangs up.
package plugin

import (
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// address is that of the provider as configurations write it, without a host: whoever attaches to a plugin started with
// --debug gets the default host of their own CLI.
const address = "zulip-iac/zulip"

// Serve answers Terraform until it hangs up; with debug, until it is interrupted.
func Serve(server func() tfprotov6.ProviderServer, debug bool) error {
	silenceLibraries(os.Environ(), os.Setenv)
	tradeMemoryForTime(os.LookupEnv)
	options := []tf6server.ServeOpt{
		// Makes TF_LOG_PROVIDER_ZULIP work: the library finds the name only in an address with a host.
		tf6server.WithLogEnvVarName("zulip"),
	}
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else {
		leaveTerminationToCLI()
	}
	return tf6server.Serve(address, server, options...)
}
