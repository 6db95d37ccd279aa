package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
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
	anonymise                      bool
}

func newExport(version string) *cobra.Command {
	flags := exportFlags{version: version}
	command := &cobra.Command{
		Use:   "export DIR | --snapshot FILE",
		Short: "Write an organization as Terraform configuration",
		Long: `Write an organization as Terraform configuration: settings, permissions, groups, channels and what else a resource can
manage, with names, references and import blocks. A plan of what it writes imports everything and changes nothing.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing there, and writes no state.

DIR is created if it does not exist. A later export into the same folder keeps the names that it gave before. It never
overwrites a file that it did not write, or that was changed since, and writes nothing outside the folder: a symbolic link
that leads out of it is an error. Only you can read the files: they name people.

With --snapshot it writes no configuration, but one file with the whole organization under its own IDs, for a sandbox to begin
with. No messages, keys and passwords are in it. A file that exists is never overwritten.

The exit status is 0, 1 after an error, and 2 if --fail-on-new applies.`,
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
				return fmt.Errorf("export --snapshot %s writes that file alone, and no folder: leave %q out", flags.snapshot, args[0])
			case len(args) == 1 || flags.snapshot != "":
				return nil
			}
			return fmt.Errorf("export takes the folder to write into, as in: terraform-provider-zulip export organization. There are %d arguments", len(args))
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
			return runExport(ctx, flags, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.BoolVar(&flags.all, "all", false, "write every attribute, also those with the value that anything new has")
	f.BoolVar(&flags.subscribers, "subscribers", false, "write who is in each private channel. Those of public channels come and go by themselves")
	f.BoolVar(&flags.rules, "rules", false, "propose rules that hold today, in rules.zulip.hcl: a file of that name that is there already stays as it is. Reads who is in each channel")
	f.StringVar(&flags.people, "people", "special", "whose roles to write: `special` for all but members, all, or none")
	f.StringVar(&flags.peopleAs, "people-as", "address", "`how` to write people: address has each address once, variable also lets a variable give other addresses or leave people out, zulip_user writes their accounts")
	f.StringArrayVar(&flags.only, "only", nil, "export only this `resource`, as in channel, or channel:eng-* for those with such names; channels bring their folders along. May be repeated")
	f.StringArrayVar(&flags.exclude, "exclude", nil, "leave this `resource` out, written like those of --only; may be repeated")
	f.StringSliceVar(&flags.states, "new", nil, "export only what these `states` do not have, each the output of terraform show -json; may be repeated")
	f.BoolVar(&flags.failOnNew, "fail-on-new", false, "exit with status 2 if --new finds anything")
	f.StringVar(&flags.plan, "for", "", "write instead import blocks into DIR, a configuration that is there already, for what this `plan` creates and the organization has: the output of terraform show -json PLAN")
	f.BoolVar(&flags.check, "check", false, "plan the result with a CLI, and fail unless it imports everything and changes nothing")
	f.StringVar(&flags.cli, "cli", "", "the `program` for --check: terraform or tofu, by default the one on the PATH")
	f.StringVar(&flags.snapshot, "snapshot", "", "write instead the whole organization to this `file`, for a sandbox to begin with; - is standard output")
	f.BoolVar(&flags.anonymise, "anonymise", false, "with --snapshot: people and bots get invented names and addresses, by their IDs. Names and descriptions of channels and groups stay")
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
	if flags.failOnNew && len(flags.states) == 0 {
		return errors.New("--fail-on-new needs --new")
	}
	for _, name := range flags.states {
		content, err := os.ReadFile(name)
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
		if plan, err = os.ReadFile(flags.plan); err != nil {
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
	if flags.failOnNew && len(result.New) > 0 {
		return &gateError{command: "export", found: []string{fmt.Sprintf("%d that no state has", len(result.New))}}
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
