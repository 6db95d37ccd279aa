package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// auditFlags are the command line of "audit".
type auditFlags struct {
	selection                     audit.Selection
	markdown, json, html, against string
	state, accepted, rules        string
	failOn                        []string
	requireComplete               bool
	version                       string
}

func newAudit(version string) *cobra.Command {
	flags := auditFlags{version: version}
	command := &cobra.Command{
		Use:   "audit",
		Short: "Report who can do what today, and what to look at",
		Long: `Report who can do what in an organization today: in each channel, over each user group and in the organization, with
what a person should look at first, and what would fix it.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing. Use an administrator's account: others do not see everything.

Only you can read the files that it writes, also where a file was there before. A symbolic link is an error.

The exit status is 0, 1 after an error, 2 if --fail-on applies, and 3 with --require-complete if the account does not see
everything. --fail-on takes severities (high, medium, low; each includes the graver ones) and kinds of findings:

` + kindMeanings() + `

With --rules it also takes rules, for rules that fail or are unknown. With --against it also takes what the review's --fail-on takes, of what has changed since: ` + strings.Join(categoryWords(), ", ") + `.`,
		Example: `  terraform-provider-zulip audit
  terraform-provider-zulip audit --html audit.html
  terraform-provider-zulip audit --person ada@example.com
  terraform-provider-zulip audit --guests --channel payroll --channel board
  terraform-provider-zulip audit --json today.json --against yesterday.json --fail-on high,widening`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			return runAudit(ctx, flags, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.StringVar(&flags.selection.Person, "person", "", "report only what the person or bot with this `address` can do, and through what")
	f.StringArrayVar(&flags.selection.Channels, "channel", nil, "report only the channel with this `name`; may be repeated")
	f.BoolVar(&flags.selection.Guests, "guests", false, "report only what guests can do")
	f.BoolVar(&flags.selection.Bots, "bots", false, "report only what bots can do")
	f.StringVar(&flags.markdown, "markdown", "", "write the audit as Markdown to this `file`; - is standard output (default)")
	f.StringVar(&flags.json, "json", "", "write the audit as JSON to this `file`; - is standard output")
	f.StringVar(&flags.html, "html", "", "write the audit as an HTML page to this `file`; - is standard output")
	f.StringVar(&flags.against, "against", "", "write as Markdown and as the page who has gained and lost what since the audit in this JSON `file`, instead of the audit")
	f.StringVar(&flags.state, "state", "", "name the resources that manage what a finding is about, by this JSON `file` of a state or a plan from terraform show -json; - is standard input")
	f.StringVar(&flags.accepted, "accepted", "", "list the findings that this HCL `file` accepts apart, and do not fail on them")
	f.StringVar(&flags.rules, "rules", "", rulesUsage)
	f.StringSliceVar(&flags.failOn, "fail-on", nil, "exit with status 2 if there is a finding of one of these `severities` or kinds, or with --against a change of one of these categories")
	f.BoolVar(&flags.requireComplete, "require-complete", false, "exit with status 3 if the account does not see everything")
	complete(command, map[string]cobra.CompletionFunc{
		"markdown": fileOf("md"), "json": fileOf("json"), "html": fileOf("html"), "against": fileOf("json"), "state": fileOf("json"), "accepted": fileOf("hcl"), "rules": ruleFiles, "fail-on": listOf(audit.GateWords()),
	})
	return command
}

// kindMeanings explains the kinds of findings.
func kindMeanings() string {
	var text strings.Builder
	for _, known := range audit.Kinds {
		fmt.Fprintf(&text, "  %-19s %s\n", known.Kind, known.Meaning)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// incompleteError is what --require-complete ends in.
type incompleteError struct{ missing []string }

func (e *incompleteError) Error() string {
	return "the audit is not complete: " + strings.Join(e.missing, " ")
}

func runAudit(ctx context.Context, flags auditFlags, stdin io.Reader, stdout, stderr io.Writer) error {
	gate, err := audit.ParseGate(flags.failOn, flags.against != "")
	if err != nil {
		return err
	}
	switch selection := flags.selection; {
	case flags.rules != "" && (selection.Person != "" || len(selection.Channels) > 0 || selection.Guests || selection.Bots):
		return errors.New("--rules are about the whole organization: leave out --person, --channel, --guests and --bots")
	case gate.Rules && flags.rules == "":
		return errNoRules
	}
	var earlier *audit.Audit
	if flags.against != "" {
		if earlier, err = readAudit(flags.against); err != nil {
			return err
		}
	}
	options := audit.Options{Now: time.Now(), Selection: flags.selection}
	if flags.state != "" {
		if options.Managed, err = readManaged(flags.state, stdin); err != nil {
			return err
		}
	}
	if options.Rules, err = readRules(flags.rules); err != nil {
		return err
	}
	if flags.accepted != "" {
		content, err := os.ReadFile(flags.accepted)
		if err != nil {
			return err
		}
		if options.Accepted, err = audit.ParseAccepted(flags.accepted, content); err != nil {
			return err
		}
	}
	from, site, err := connect(ctx, flags.version, "audit", "", stderr)
	if err != nil {
		return err
	}
	options.Site = site
	found, err := audit.Make(ctx, from, options)
	if err != nil {
		return err
	}
	for _, warning := range found.Warnings {
		_, _ = fmt.Fprintln(stderr, "Warning:", warning)
	}
	var changes *report.Report
	if earlier != nil {
		if changes, err = audit.Compare(earlier, found); err != nil {
			return fmt.Errorf("cannot compare with %s: %w", flags.against, err)
		}
	}
	if err := flags.write(found, changes, stdout); err != nil {
		return err
	}
	fails := found.Fails(gate)
	if changes != nil {
		for _, category := range changes.Fails(gate.Changes) {
			fails = append(fails, string(category))
		}
	}
	if len(fails) > 0 {
		return &gateError{"audit", fails}
	}
	if flags.requireComplete && !found.Complete {
		return &incompleteError{found.Missing}
	}
	return nil
}

// readManaged reads a state or a plan.
func readManaged(path string, stdin io.Reader) (*audit.Managed, error) {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // it is only read
		stdin = file
	}
	managed, err := audit.ReadManaged(stdin)
	if err != nil {
		return nil, fmt.Errorf("cannot use --state %s: %w", path, err)
	}
	return managed, nil
}

// readAudit reads an earlier audit.
func readAudit(path string) (*audit.Audit, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	earlier, err := audit.Read(file)
	if err != nil {
		return nil, fmt.Errorf("cannot compare with %s: %w", path, err)
	}
	return earlier, nil
}

// write writes the audit in every form that was asked for; as Markdown and as a page, what has changed since an earlier one
// if it was compared with one.
func (f auditFlags) write(found *audit.Audit, changes *report.Report, stdout io.Writer) error {
	if f.markdown == "" && f.html != "-" && f.json != "-" {
		f.markdown = "-"
	}
	if err := writeForms(stdout, found, []form[*audit.Audit]{{f.json, func(w io.Writer, a *audit.Audit) error { return a.Write(w) }}}); err != nil {
		return err
	}
	if changes == nil {
		return writeForms(stdout, found, []form[*audit.Audit]{{f.markdown, markdown.WriteAudit}, {f.html, page.WriteAudit}})
	}
	return writeForms(stdout, changes, []form[*report.Report]{{f.markdown, markdown.Write}, {f.html, page.Write}})
}
