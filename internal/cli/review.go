package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
)

// reviewFlags are the command line of "review".
type reviewFlags struct {
	as, markdown, json, html, rules string
	offline                         bool
	failOn                          []string
	version                         string
}

func newReview(version string) *cobra.Command {
	flags := reviewFlags{version: version}
	command := &cobra.Command{
		Use:   "review [PLAN.json]",
		Short: "Report how a plan changes who can do what",
		Long: `Report how a plan changes who can do what: who gains and who loses access in channels, on user groups and in the
organization, with the risks first.

PLAN.json is the output of "terraform show -json PLAN" or "tofu show -json PLAN". Without it, or if it is -, the command
reads standard input. It reads the organization like the provider, with the account from ZULIP_SITE, ZULIP_EMAIL and
ZULIP_API_KEY or from the zuliprc file. It changes nothing.

Only you can read the files it writes, also if it replaces a file. A symbolic link is an error.

The exit status is 1 after an error, 2 if a condition of --fail-on applies, and otherwise 0. The conditions are:

` + meanings(),
		Example: `  terraform show -json change.tfplan | terraform-provider-zulip review
  terraform-provider-zulip review plan.json --markdown review.md --html review.html
  terraform-provider-zulip review plan.json --fail-on lockout,external`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := withInterrupt(cmd.Context())
			defer stop()
			return runReview(ctx, flags, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := command.Flags()
	f.StringVar(&flags.markdown, "markdown", "", "write the report as Markdown to this `file`; - is standard output (default)")
	f.StringVar(&flags.html, "html", "", "write the report as an HTML page to this `file`; - is standard output")
	f.StringVar(&flags.json, "json", "", "write the report as JSON to this `file`; - is standard output")
	f.StringVar(&flags.rules, "rules", "", rulesUsage)
	f.StringSliceVar(&flags.failOn, "fail-on", nil, "exit with status 2 if one of these `conditions` applies")
	f.BoolVar(&flags.offline, "offline", false, "don't read the organization; the report then shows values, but not who gains or loses access")
	f.StringVar(&flags.as, "as", "", "the `provider` configuration to review, such as zulip.staging, if the plan has several")
	command.ValidArgsFunction = firstArgument(fileOf("json"))
	complete(command, map[string]cobra.CompletionFunc{
		"markdown": fileOf("md"), "html": fileOf("html"), "json": fileOf("json"), "rules": ruleFiles, "fail-on": listOf(conditionNames()),
	})
	return command
}

// meanings explains the conditions of --fail-on.
func meanings() string {
	var text strings.Builder
	for _, meaning := range report.Conditions {
		fmt.Fprintf(&text, "  %-12s %s\n", meaning.Condition, meaning.Meaning)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func runReview(ctx context.Context, flags reviewFlags, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	conditions, err := flags.conditions()
	if err != nil {
		return err
	}
	if slices.Contains(conditions, report.Rules) && flags.rules == "" {
		return errNoRules
	}
	accessRules, err := readRules(flags.rules)
	if err != nil {
		return err
	}
	if accessRules != nil && flags.offline {
		return errors.New("--rules needs the organization: leave out --offline")
	}
	planned, err := readPlan(args, stdin)
	if err != nil {
		return err
	}
	if planned.IsEmpty() {
		_, _ = fmt.Fprintln(stderr, "The plan changes nothing that this provider manages.")
	}
	options := review.Options{Provider: flags.as, Now: time.Now(), Rules: accessRules}
	if !flags.offline && (accessRules != nil || !planned.IsEmpty()) {
		if options.Store, options.Site, err = connect(ctx, flags.version, "review", " Or use --offline to show only the planned values", stderr); err != nil {
			return err
		}
	}
	found, err := review.New(ctx, planned, options)
	if err != nil {
		return err
	}
	if err := flags.write(found, stdout); err != nil {
		return err
	}
	if fails := found.Fails(conditions); len(fails) > 0 {
		texts := make([]string, len(fails))
		for i, condition := range fails {
			texts[i] = string(condition)
		}
		return &foundError{"review", texts}
	}
	return nil
}

// conditions reads the conditions of --fail-on.
func (f reviewFlags) conditions() ([]report.Condition, error) {
	var conditions []report.Condition
	for _, text := range f.failOn {
		condition := report.Condition(strings.TrimSpace(text))
		if !slices.ContainsFunc(report.Conditions, func(known report.ConditionMeaning) bool { return known.Condition == condition }) {
			return nil, fmt.Errorf("--fail-on %q: unknown condition; the conditions are %s", text, strings.Join(conditionNames(), ", "))
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

// conditionNames are the conditions of --fail-on.
func conditionNames() []string {
	var words []string
	for _, known := range report.Conditions {
		words = append(words, string(known.Condition))
	}
	return words
}

// readPlan reads the plan from a file, or from standard input.
func readPlan(args []string, stdin io.Reader) (*plan.Plan, error) {
	path := "-"
	if len(args) > 0 {
		path = args[0]
	}
	text, name, err := readInput(path, stdin)
	if err != nil {
		return nil, err
	}
	planned, err := plan.Parse(text)
	if err != nil && path != "-" {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return planned, err
}

// write writes the review in every requested form.
func (f reviewFlags) write(found *report.Report, stdout io.Writer) error {
	if f.markdown == "" && f.html != "-" && f.json != "-" {
		f.markdown = "-"
	}
	return writeForms(stdout, found, []form[*report.Report]{{f.markdown, markdown.Write}, {f.html, page.Write}, {f.json, writeJSON}})
}

// rulesUsage is the description of --rules.
const rulesUsage = "check the access rules in this HCL `file`"

// errNoRules is the error of --fail-on rules without --rules.
var errNoRules = errors.New("--fail-on rules: name the file of rules with --rules")

// readRules reads a file of rules; nil if none is named.
func readRules(path string) (*rules.File, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // there are no rules
	}
	content, err := textfile.Read(path)
	if err != nil {
		return nil, err
	}
	return rules.Parse(path, content)
}

func writeJSON(w io.Writer, found *report.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(found)
}
