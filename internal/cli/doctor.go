package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/doctor"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// differentError is the end of "doctor" where something differs.
type differentError struct{ differences int }

func (e *differentError) Error() string {
	if e.differences == 1 {
		return "the server differs from what the provider expects in 1 place"
	}
	return fmt.Sprintf("the server differs from what the provider expects in %d places", e.differences)
}

func newDoctor(version string) *cobra.Command {
	var path string
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Compare what the server answers with what the provider expects",
		Long: `Compare what the server answers with what the provider expects of a server of its feature level: the fields of answers and
their types, the permissions of channels, user groups and the organization with what they allow, the roles and their groups.
Run it where a server is newer than those that the provider was tried with, or where the provider seems to be wrong about one.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing. Use an owner's or administrator's account: the server does not show everything to others.

The report names fields, types, feature levels and numbers. It names no people, channels, user groups, addresses, URLs or IDs,
so that you can add it to a bug report.

The exit status is 0 if nothing differs, 2 if something does, and 1 after an error.`,
		Example: `  terraform-provider-zulip doctor
  terraform-provider-zulip doctor --json doctor.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			return runDoctor(ctx, version, path, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringVar(&path, "json", "", "also write the report as JSON to this `file`; - is standard output, instead of the text")
	complete(command, map[string]cobra.CompletionFunc{"json": fileOf("json")})
	return command
}

func runDoctor(ctx context.Context, version, path string, stdout, stderr io.Writer) error {
	values, config, err := settle(version, "doctor", "", stderr)
	if err != nil {
		return err
	}
	attributes, err := attributesOfResources(ctx, version)
	if err != nil {
		return err
	}
	found, err := doctor.Examine(ctx, config, doctor.Options{Version: version, Attributes: attributes})
	if zulip.IsUnauthorized(err) {
		return provider.ExplainAccount(values, err)
	}
	if err != nil {
		return err
	}
	forms := []form[*doctor.Report]{{path, func(w io.Writer, r *doctor.Report) error { return r.WriteJSON(w) }}}
	if path != "-" {
		forms = append(forms, form[*doctor.Report]{"-", func(w io.Writer, r *doctor.Report) error { return r.WriteText(w) }})
	}
	if err := writeForms(stdout, found, forms); err != nil {
		return err
	}
	if len(found.Differences) > 0 {
		return &differentError{len(found.Differences)}
	}
	return nil
}

// attributesOfResources lists the attributes of each resource.
func attributesOfResources(ctx context.Context, version string) (map[string][]string, error) {
	schemas, err := provider.NewServer(version).GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	attributes := map[string][]string{}
	for name, schema := range schemas.ResourceSchemas {
		names := map[string]bool{}
		for _, attribute := range schema.Block.Attributes {
			names[attribute.Name] = true
		}
		attributes[name] = slices.Sorted(maps.Keys(names))
	}
	return attributes, nil
}
