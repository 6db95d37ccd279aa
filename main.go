// Terraform-provider-zulip keeps a Zulip organization as reviewed code.
//
// Started without arguments, as Terraform and OpenTofu start it, it is the plugin. Its subcommands are for people:
// "terraform-provider-zulip help" lists them.
package main

import (
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/zulip-iac/terraform-provider-zulip/internal/cli"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// The version of the release, set by the linker.
var version = "dev"

// The address as configurations write it, without a host: whoever attaches to a plugin started with --debug gets the
// default host of their own CLI.
const address = "zulip-iac/zulip"

func main() {
	os.Exit(cli.Run(version, servePlugin, os.Args[1:]))
}

// servePlugin answers Terraform until it hangs up; with debug, until it is interrupted.
func servePlugin(debug bool) error {
	silenceLibraries(os.Environ(), os.Setenv)
	tradeMemoryForTime(os.LookupEnv)
	defer instrument()()

	options := []tf6server.ServeOpt{
		// Makes TF_LOG_PROVIDER_ZULIP work: the library finds the name only in an address with a host.
		tf6server.WithLogEnvVarName("zulip"),
	}
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return provider.NewServer(version) }, options...)
}
