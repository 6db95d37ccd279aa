package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// exportFlags are the command line of "export".
type exportFlags struct {
	all, subscribers, check bool
	people, state, cli      string
	peopleAs                string
	only, exclude           []string
	version                 string
}

func newExport(version string) *cobra.Command {
	flags := exportFlags{version: version}
	command := &cobra.Command{
		Use:   "export DIR",
		Short: "Write an organization as Terraform configuration",
		Long: `Write an organization as Terraform configuration: settings, permissions, groups, channels and what else a resource can
manage, with names, references and import blocks. A plan of what it writes imports everything and changes nothing.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing there, and writes no state.

DIR is created if it does not exist. A later export into the same folder keeps the names that it gave before. It never
overwrites a file that it did not write, or that was changed since, and writes nothing outside the folder: a symbolic link
that leads out of it is an error. Only you can read the files: they name people.`,
		Example: `  terraform-provider-zulip export organization
  terraform-provider-zulip export organization --subscribers --check
  terraform-provider-zulip export staging --people-as variable
  terraform-provider-zulip export engineering --only channel:eng-* --only channel_folder
  terraform show -json > state.json && terraform-provider-zulip export unmanaged --new state.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			return runExport(ctx, flags, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.BoolVar(&flags.all, "all", false, "write every attribute, also those with the value that anything new has")
	f.BoolVar(&flags.subscribers, "subscribers", false, "write who is in each private channel. Those of public channels come and go by themselves")
	f.StringVar(&flags.people, "people", "special", "whose roles to write: `special` for all but members, all, or none")
	f.StringVar(&flags.peopleAs, "people-as", "address", "`how` to write people: address has each address once, variable also lets a variable give other addresses or leave people out, zulip_user writes their accounts")
	f.StringArrayVar(&flags.only, "only", nil, "export only this `resource`, as in channel, or channel:eng-* for those with such names; may be repeated")
	f.StringArrayVar(&flags.exclude, "exclude", nil, "leave this `resource` out, written like those of --only; may be repeated")
	f.StringVar(&flags.state, "new", "", "export only what this `state` does not have: the output of terraform show -json")
	f.BoolVar(&flags.check, "check", false, "plan the result with a CLI, and fail unless it imports everything and changes nothing")
	f.StringVar(&flags.cli, "cli", "", "the `program` for --check: terraform or tofu, by default the one on the PATH")
	command.ValidArgsFunction = firstArgument(cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	complete(command, map[string]cobra.CompletionFunc{
		"people": oneOf("special", "all", "none"), "people-as": oneOf(export.AllPeopleAs...), "new": fileOf("json"), "cli": oneOf("terraform", "tofu"),
		"only": oneOf(export.ResourceNames()...), "exclude": oneOf(export.ResourceNames()...),
	})
	return command
}

func runExport(ctx context.Context, flags exportFlags, folder string, stdout, stderr io.Writer) error {
	options := export.Options{
		Folder: folder, All: flags.all, Subscribers: flags.subscribers, AllPeople: flags.people == "all",
		PeopleAs: export.PeopleAs(flags.peopleAs), Only: flags.only, Exclude: flags.exclude,
	}
	if !slices.Contains(export.AllPeopleAs, flags.peopleAs) {
		return fmt.Errorf("--people-as %q: it is %s", flags.peopleAs, strings.Join(export.AllPeopleAs, ", "))
	}
	switch flags.people {
	case "special", "all":
	case "none":
		options.Exclude = append(options.Exclude, "user_role")
	default:
		return fmt.Errorf("--people %q: it is special, all or none", flags.people)
	}
	if err := export.Selection(append(flags.only, flags.exclude...)).Check(); err != nil {
		return err
	}
	if flags.state != "" {
		var err error
		if options.State, err = os.ReadFile(flags.state); err != nil {
			return fmt.Errorf("--new: %w", err)
		}
	}
	if flags.check {
		if _, err := export.FindCLI(flags.cli); err != nil {
			return err
		}
	}
	session, err := provider.Open(ctx, flags.version)
	if err != nil {
		return err
	}
	for _, warning := range session.Warnings {
		_, _ = fmt.Fprintln(stderr, "Warning:", warning)
	}
	meta := session.Meta()
	show := newProgress(stderr, meta.Client.Waited)
	options.Progress = show.say
	options.Warn = func(text string) { show.print("Warning: " + text) }
	result, err := export.Run(ctx, export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, options)
	show.end()
	if err != nil {
		return err
	}
	result.Print(stdout, folder)
	if !flags.check {
		return nil
	}
	return export.Check(ctx, folder, flags.cli, stdout)
}
