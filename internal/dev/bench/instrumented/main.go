//go:build unix

// Instrumented is the plugin with instruments around it, for the benchmark: it serves the provider as users get it, and
// tells what its process cost. With ZULIP_BENCH_READ_EACH it asks for every channel by itself too.
package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/configuration"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/plugin"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func main() {
	client, err := newClient()
	if err != nil {
		fail(err)
	}
	finish := instrument(client)
	server := provider.NewServer("bench")
	if os.Getenv("ZULIP_BENCH_READ_EACH") != "" {
		if server, err = newReadEach(server, client); err != nil {
			fail(err)
		}
	}
	if err := plugin.Serve(func() tfprotov6.ProviderServer { return server }, false); err != nil {
		fail(err)
	}
	finish()
}

// newClient returns a client of the account that the provider uses. All clients of one account in a process wait together,
// so that this one knows how long those of the provider have waited.
func newClient() (*zulip.Client, error) {
	values, problems := configuration.Resolve(configuration.Input{Getenv: os.Getenv})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	if err := values.Missing(); err != nil {
		return nil, err
	}
	return zulip.New(values.Client())
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "The instrumented plugin:", err)
	os.Exit(1)
}
