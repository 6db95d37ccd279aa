package provider_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// withoutQuery is the CLI that was asked for `query` and does not have it; "" if it has, or was not asked.
var withoutQuery string

// hasQuery reports whether the CLI of the tests has `terraform query`: from Terraform 1.14 on. OpenTofu has not.
func hasQuery(t *testing.T) bool {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(said), "\n")
	var major, minor int
	if _, err := fmt.Sscanf(line, "Terraform v%d.%d", &major, &minor); err == nil && (major > 1 || minor >= 14) {
		return true
	}
	withoutQuery = line
	return false
}

// printQuery says that lists were not tried with a CLI.
func printQuery(w io.Writer) {
	if withoutQuery != "" {
		_, _ = fmt.Fprintf(w, "List resources were tried through the plugin protocol only: %s has no query.\n", withoutQuery)
	}
}

// What a configuration has made is found by a query, where the CLI has queries.
func TestAccListResource(t *testing.T) {
	org := acctest.Start(t)
	steps := []resource.TestStep{{Config: fmt.Sprintf("resource \"zulip_channel\" \"x\" {\n  name = %q\n}\n", org.Prefix+"listed")}}
	if hasQuery(t) {
		steps = append(steps, resource.TestStep{
			Query: true,
			Config: fmt.Sprintf("provider \"zulip\" {}\n\nlist \"zulip_channel\" \"found\" {\n  provider         = zulip\n  include_resource = true\n\n  config {\n    name = \"%s*\"\n  }\n}\n",
				org.Prefix),
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("zulip_channel.found", 1),
				querycheck.ExpectIdentity("zulip_channel.found", map[string]knownvalue.Check{"id": knownvalue.NotNull()}),
			},
		})
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories, Steps: steps})
}
