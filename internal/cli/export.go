package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// exportFlags are the command line of "export".
type exportFlags struct {
	all, subscribers, rules, check bool
	people, cli                    string
	plan                           string
	states                         []string
	failOnNew                      bool
	peopleAs                       string
	only, exclude                  []string
	version                        string
	snapshot                       string
	peopleOnly                     bool
	anonymise                      bool
}

func newExport(version string) *cobra.Command {
	flags := exportFlags{version: version}
	command := &cobra.Command{
		Use:   "export DIR | --snapshot FILE",
		Short: "Write an organization as Terraform configuration",
		Long: `Write an organization as Terraform configuration: settings, permissions, groups, channels and everything else a resource
can manage, with names, references and import blocks. A plan of the files imports everything and changes nothing.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing there, and writes no state.

DIR is created if it doesn't exist. A later export into the same folder uses the same resource names. It never overwrites
a file that it didn't write or that you changed, and writes nothing outside the folder: a symbolic link out of the folder
is an error. Only you can read the files, because they name people.

With --snapshot, it instead writes one file with the whole organization and its IDs, from which a sandbox can start. The
file contains no messages, keys or passwords. An existing file is never overwritten.

The exit status is 1 after an error, 2 if --fail-on-new applies, and otherwise 0.`,
		Example: `  terraform-provider-zulip export organization
  terraform-provider-zulip export organization --subscribers --check
  terraform-provider-zulip export organization --rules
  terraform-provider-zulip export staging --people-as variable
  terraform-provider-zulip export engineering --only channel:eng-*
  terraform-provider-zulip export . --for plan.json
  terraform show -json > state.json && terraform-provider-zulip export unmanaged --new state.json
  terraform-provider-zulip export --snapshot organization.json
  terraform-provider-zulip export --snapshot organization.json --anonymise`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case flags.snapshot != "" && len(args) > 0:
				return fmt.Errorf("export --snapshot %s writes one file and no folder: leave out %q", flags.snapshot, args[0])
			case len(args) == 1 || flags.snapshot != "":
				return nil
			}
			return fmt.Errorf("export needs one folder to write into, as in: terraform-provider-zulip export organization. There are %d arguments", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			if flags.snapshot != "" {
				return runSnapshot(ctx, flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if flags.anonymise {
				return errors.New("--anonymise needs --snapshot")
			}
			if flags.peopleOnly {
				return errors.New("--people-only needs --snapshot")
			}
			return runExport(ctx, flags, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.BoolVar(&flags.all, "all", false, "write every attribute, including those with default values")
	f.BoolVar(&flags.subscribers, "subscribers", false, "write the subscribers of each private channel. People subscribe to public channels themselves")
	f.BoolVar(&flags.rules, "rules", false, "propose access rules that pass today, in rules.zulip.hcl. An existing file of that name is left unchanged. Reads the subscribers of each channel")
	f.StringVar(&flags.people, "people", "special", "`roles` to write: special (all except members), all or none")
	f.StringVar(&flags.peopleAs, "people-as", "address", "`form` of people: address has each email once, variable also lets a variable replace emails or leave people out, zulip_user writes resources")
	f.StringArrayVar(&flags.only, "only", nil, "export only this `resource`, such as channel, or channel:eng-* by name; channels include their folders. Can be repeated")
	f.StringArrayVar(&flags.exclude, "exclude", nil, "leave out this `resource`, written as for --only; can be repeated")
	f.StringSliceVar(&flags.states, "new", nil, "export only objects that are in none of these `states`, each the output of terraform show -json, and print what changed outside Terraform in the others; can be repeated")
	f.BoolVar(&flags.failOnNew, "fail-on-new", false, "exit with status 2 if --new finds anything")
	f.StringVar(&flags.plan, "for", "", "write only import blocks into DIR, an existing configuration, for existing objects that this `plan` would create: the output of terraform show -json PLAN")
	f.BoolVar(&flags.check, "check", false, "plan the result, and fail unless the plan imports everything and changes nothing")
	f.StringVar(&flags.cli, "cli", "", "the `program` for --check: terraform or tofu (default: the one on the PATH)")
	f.StringVar(&flags.snapshot, "snapshot", "", "write only this `file`, with the whole organization, from which a sandbox can start; - is standard output")
	f.BoolVar(&flags.peopleOnly, "people-only", false, "with --snapshot, write only people, active or not, for a sandbox with an otherwise new organization")
	f.BoolVar(&flags.anonymise, "anonymise", false, "with --snapshot, replace the names and emails of people and bots by invented ones. Names and descriptions of channels and groups are kept")
	for _, other := range []string{"all", "subscribers", "people", "people-as", "only", "exclude", "new", "fail-on-new", "for", "check", "cli", "rules"} {
		command.MarkFlagsMutuallyExclusive("snapshot", other)
	}
	for _, other := range []string{"all", "subscribers", "people", "people-as", "only", "exclude", "new", "check", "rules"} {
		command.MarkFlagsMutuallyExclusive("for", other)
	}
	command.MarkFlagsMutuallyExclusive("new", "rules")
	command.ValidArgsFunction = firstArgument(cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	complete(command, map[string]cobra.CompletionFunc{
		"people": oneOf("special", "all", "none"), "people-as": oneOf(export.AllPeopleAs...), "new": fileOf("json"), "for": fileOf("json"), "cli": oneOf("terraform", "tofu"), "snapshot": fileOf("json"),
		"only": oneOf(export.ResourceNames()...), "exclude": oneOf(export.ResourceNames()...),
	})
	return command
}

func runExport(ctx context.Context, flags exportFlags, folder string, stdout, stderr io.Writer) error {
	options := export.Options{
		Folder: folder, All: flags.all, Subscribers: flags.subscribers, AllPeople: flags.people == "all",
		PeopleAs: export.PeopleAs(flags.peopleAs), Only: flags.only, Exclude: flags.exclude,
	}
	if flags.rules {
		options.Rules = proposeRules
	}
	if !slices.Contains(export.AllPeopleAs, flags.peopleAs) {
		return fmt.Errorf("--people-as %q: unknown form; the forms are %s", flags.peopleAs, strings.Join(export.AllPeopleAs, ", "))
	}
	switch flags.people {
	case "special", "all":
	case "none":
		options.Exclude = append(options.Exclude, "user_role", "role_members")
	default:
		return fmt.Errorf("--people %q: it must be special, all or none", flags.people)
	}
	if err := export.Selection(append(flags.only, flags.exclude...)).Check(); err != nil {
		return err
	}
	if flags.failOnNew && len(flags.states) == 0 {
		return errors.New("--fail-on-new needs --new")
	}
	for _, name := range flags.states {
		content, err := textfile.Read(name)
		if err != nil {
			return fmt.Errorf("--new: %w", err)
		}
		if options.States == nil {
			options.States = map[string][]byte{}
		}
		options.States[name] = content
	}
	if flags.check {
		if _, err := export.FindCLI(flags.cli); err != nil {
			return err
		}
	}
	var plan []byte
	if flags.plan != "" {
		var err error
		if plan, err = textfile.Read(flags.plan); err != nil {
			return fmt.Errorf("--for: %w", err)
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
	if flags.plan != "" {
		matched, err := export.Match(ctx, export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, plan, folder)
		if err == nil {
			matched.Print(stdout, folder)
		}
		return err
	}
	show := newProgress(stderr, meta.Client.Waited)
	options.Progress = show.say
	options.Warn = func(text string) { show.print("Warning: " + text) }
	result, err := export.Run(ctx, export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, options)
	show.end()
	if err != nil {
		return err
	}
	result.Print(stdout, folder)
	if flags.check && len(result.Files) > 0 {
		if err := export.Check(ctx, folder, flags.cli, stdout); err != nil {
			return err
		}
	}
	if flags.failOnNew && len(result.New)+len(result.Changed) > 0 {
		return &foundError{command: "export", found: []string{report.Counted(len(result.New), "new object"), report.Counted(len(result.Changed), "changed value")}}
	}
	return nil
}

// proposeRules proposes rules for an export.
func proposeRules(ctx context.Context, from *store.Store) (*export.Rules, error) {
	proposal, err := rules.ProposeFor(ctx, from, time.Now())
	if err != nil {
		return nil, err
	}
	return &export.Rules{Text: proposal.Text, Rules: proposal.Rules, Limits: proposal.Limits}, nil
}
