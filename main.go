// Terraform-provider-zulip manages a Zulip organization as reviewed code.
//
// Without arguments it is the plugin that Terraform and OpenTofu start. Its subcommands are for people:
// "terraform-provider-zulip help" lists them.
package main

import (
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/cli"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/plugin"
)

// The version of the release, set by the linker; "" in other builds.
var version string

func main() {
	os.Exit(cli.Run(cli.Version(version), servePlugin, os.Args[1:]))
}

func servePlugin(debug bool) error {
	return plugin.Serve(func() tfprotov6.ProviderServer { return provider.NewServer(cli.Version(version)) }, debug)
}
