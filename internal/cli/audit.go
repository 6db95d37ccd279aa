package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
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
		Short: "Report who can do what today, with findings and fixes",
		Long: `Report who can do what in an organization today: in each channel, on each user group and in the organization. Findings
show risky access, each with a fix.

It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY or from the
zuliprc file. It changes nothing. Use an administrator's account: other accounts don't see everything.

Only you can read the files it writes, also if it replaces a file. A symbolic link is an error.

The exit status is 1 after an error, 2 if a condition of --fail-on applies, 3 with --require-complete if the account
doesn't see everything, and otherwise 0. The conditions are severities (high, medium, low; each includes the higher ones)
and kinds of findings:

` + kindMeanings() + `

With --rules, the condition rules applies if a rule fails or is unknown. With --against, these conditions of review apply to
the changes since the earlier audit: ` + strings.Join(conditionNames(), ", ") + `.`,
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
	f.StringVar(&flags.selection.Person, "person", "", "report only what the person or bot with this `email` can do, and why")
	f.StringArrayVar(&flags.selection.Channels, "channel", nil, "report only the channel with this `name`; can be repeated")
	f.BoolVar(&flags.selection.Guests, "guests", false, "report only what guests can do")
	f.BoolVar(&flags.selection.Bots, "bots", false, "report only what bots can do")
	f.StringVar(&flags.markdown, "markdown", "", "write the audit as Markdown to this `file`; - is standard output (default)")
	f.StringVar(&flags.json, "json", "", "write the audit as JSON to this `file`; - is standard output")
	f.StringVar(&flags.html, "html", "", "write the audit as an HTML page to this `file`; - is standard output")
	f.StringVar(&flags.against, "against", "", "compare with the audit in this JSON `file`: --markdown and --html then show who has gained and lost access since")
	f.StringVar(&flags.state, "state", "", "show the resources that manage the object of each finding, from this JSON `file` of a state or plan written by terraform show -json; - is standard input")
	f.StringVar(&flags.accepted, "accepted", "", "list the findings that this HCL `file` accepts separately, and don't fail on them")
	f.StringVar(&flags.rules, "rules", "", rulesUsage)
	f.StringSliceVar(&flags.failOn, "fail-on", nil, "exit with status 2 if one of these `conditions` applies: severities, kinds of findings, or with --against changes")
	f.BoolVar(&flags.requireComplete, "require-complete", false, "exit with status 3 if the account doesn't see everything")
	complete(command, map[string]cobra.CompletionFunc{
		"markdown": fileOf("md"), "json": fileOf("json"), "html": fileOf("html"), "against": fileOf("json"), "state": fileOf("json"), "accepted": fileOf("hcl"), "rules": ruleFiles, "fail-on": listOf(audit.ConditionNames()),
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

// incompleteError is the error of --require-complete.
type incompleteError struct{ missing []string }

func (e *incompleteError) Error() string {
	return "the audit is incomplete: " + strings.Join(e.missing, " ")
}

func runAudit(ctx context.Context, flags auditFlags, stdin io.Reader, stdout, stderr io.Writer) error {
	conditions, err := audit.ParseConditions(flags.failOn, flags.against != "")
	if err != nil {
		return err
	}
	switch selection := flags.selection; {
	case flags.rules != "" && (selection.Person != "" || len(selection.Channels) > 0 || selection.Guests || selection.Bots):
		return errors.New("--rules needs the whole organization: leave out --person, --channel, --guests and --bots")
	case conditions.Rules && flags.rules == "":
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
		content, err := textfile.Read(flags.accepted)
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
	fails := found.Fails(conditions)
	if changes != nil {
		for _, condition := range changes.Fails(conditions.Changes) {
			fails = append(fails, string(condition))
		}
	}
	if len(fails) > 0 {
		return &foundError{"audit", fails}
	}
	if flags.requireComplete && !found.Complete {
		return &incompleteError{found.Missing}
	}
	return nil
}

// readManaged reads a state or a plan.
func readManaged(path string, stdin io.Reader) (*audit.Managed, error) {
	text, _, err := readInput(path, stdin)
	if err != nil {
		return nil, err
	}
	managed, err := audit.ReadManaged(text)
	if err != nil {
		return nil, fmt.Errorf("cannot use --state %s: %w", path, err)
	}
	return managed, nil
}

// readAudit reads an earlier audit.
func readAudit(path string) (*audit.Audit, error) {
	text, err := textfile.Read(path)
	if err != nil {
		return nil, err
	}
	earlier, err := audit.Read(text)
	if err != nil {
		return nil, fmt.Errorf("cannot compare with %s: %w", path, err)
	}
	return earlier, nil
}

// write writes the audit in every requested form. After a comparison, Markdown and page have the changes since the
// earlier audit.
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
