package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
)

// rulesFile is the file of rules where none is named.
const rulesFile = "rules.zulip.hcl"

// standardInput is how messages name it.
const standardInput = "<standard input>"

func newRules() *cobra.Command {
	command := &cobra.Command{
		Use:   "rules",
		Short: "Check and format files of rules",
		Long: `Check and format files of rules, which audit and review prove with --rules, and the provider keeps in an apply.

None of these commands needs an organization.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	command.AddCommand(newRulesCheck(), newRulesFmt(), newRulesSchema())
	return command
}

func newRulesCheck() *cobra.Command {
	command := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Name every mistake in files of rules",
		Long: `Name every mistake in files of rules, each with its file and line. Without a file it reads ` + rulesFile + `; - is standard
input. A file whose name ends in .json is in HCL's JSON syntax.

It reads no organization: whether the channels and groups are there, and whether the rules hold, is said by audit --rules.

The exit status is 0, and 1 if there is a mistake.`,
		Example: `  terraform-provider-zulip rules check
  terraform-provider-zulip rules check rules/*.hcl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkRules(filesOr(args), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	command.ValidArgsFunction = ruleFiles
	return command
}

func newRulesFmt() *cobra.Command {
	isCheck := false
	command := &cobra.Command{
		Use:   "fmt [FILE...]",
		Short: "Format files of rules",
		Long: `Format files of rules as terraform fmt formats configuration, and print the names of those that changed. Without a file it
formats ` + rulesFile + `; - formats standard input to standard output.

The exit status is 0, 1 after an error, and 3 with --check if a file is not formatted.`,
		Example: `  terraform-provider-zulip rules fmt
  terraform-provider-zulip rules fmt --check rules/*.hcl
  terraform-provider-zulip rules fmt - < rules.zulip.hcl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return formatRules(filesOr(args), isCheck, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&isCheck, "check", false, "change nothing: print the names of the files that are not formatted, and exit with status 3 if there is one")
	command.ValidArgsFunction = fileOf("hcl")
	return command
}

func newRulesSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of files of rules",
		Long: `Print the JSON Schema of files of rules in HCL's JSON syntax, such as rules.zulip.hcl.json. With it an editor completes
attributes, rights, roles and kinds of channels, explains them, and marks mistakes. The guide "Rules that are proven" says how to
set it up.`,
		Example: `  terraform-provider-zulip rules schema > rules.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(rules.Schema())
			return err
		},
	}
}

// ruleFiles completes to files of rules in both syntaxes.
var ruleFiles = cobra.FixedCompletions([]string{"hcl", "json"}, cobra.ShellCompDirectiveFilterFileExt)

func filesOr(args []string) []string {
	if len(args) == 0 {
		return []string{rulesFile}
	}
	return args
}

// readInput reads a file, or standard input, and how messages name it.
func readInput(path string, stdin io.Reader) (content []byte, name string, err error) {
	if path == "-" {
		content, err = io.ReadAll(stdin)
		return content, standardInput, err
	}
	content, err = os.ReadFile(path)
	return content, path, err
}

// checkRules prints the mistakes of files, each in a line of its own as editors read them, and else what the files have.
func checkRules(paths []string, stdin io.Reader, stdout io.Writer) error {
	mistakes, broken := 0, 0
	for _, path := range paths {
		content, name, err := readInput(path, stdin)
		if err != nil {
			return err
		}
		file, err := rules.Parse(name, content)
		if err != nil {
			text := err.Error()
			mistakes += strings.Count(text, "\n") + 1
			broken++
			_, _ = fmt.Fprintln(stdout, text)
			continue
		}
		_, _ = fmt.Fprintf(stdout, "%s: %s, %s.\n", name, plural(len(file.Rules), "rule"), plural(len(file.Limits), "limit"))
	}
	if mistakes > 0 {
		return fmt.Errorf("%s in %s", plural(mistakes, "mistake"), plural(broken, "file"))
	}
	return nil
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// unformattedError is what rules fmt --check ends in.
type unformattedError struct{ files int }

func (e *unformattedError) Error() string {
	if e.files == 1 {
		return "1 file is not formatted: terraform-provider-zulip rules fmt formats it"
	}
	return fmt.Sprintf("%d files are not formatted: terraform-provider-zulip rules fmt formats them", e.files)
}

// formatRules formats files, or says which are not formatted. Nothing is written where a file of them has a mistake of syntax.
func formatRules(paths []string, isCheck bool, stdin io.Reader, stdout io.Writer) error {
	type change struct {
		path, name string
		formatted  []byte
	}
	var changes []change
	var problems []error
	for _, path := range paths {
		content, name, err := readInput(path, stdin)
		if err == nil {
			err = checkSyntax(name, content)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if formatted := hclwrite.Format(content); !bytes.Equal(formatted, content) || path == "-" && !isCheck {
			changes = append(changes, change{path, name, formatted})
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	for _, one := range changes {
		switch {
		case one.path == "-" && !isCheck:
			if _, err := stdout.Write(one.formatted); err != nil {
				return err
			}
			continue
		case !isCheck:
			if err := rewrite(one.path, one.formatted); err != nil {
				return err
			}
		}
		_, _ = fmt.Fprintln(stdout, one.name)
	}
	if isCheck && len(changes) > 0 {
		return &unformattedError{len(changes)}
	}
	return nil
}

// checkSyntax makes sure that there is something to format. What the rules say is for check.
func checkSyntax(name string, content []byte) error {
	if hclfile.IsJSON(name) {
		return fmt.Errorf("%s: fmt formats HCL's own syntax; format JSON with your editor", name)
	}
	_, problems := hclparse.NewParser().ParseHCL(content, name)
	var all []error
	for _, problem := range problems {
		if problem.Severity != hcl.DiagError {
			continue
		}
		line := 1
		if problem.Subject != nil {
			line = problem.Subject.Start.Line
		}
		all = append(all, fmt.Errorf("%s:%d: %s: %s", name, line, problem.Summary, problem.Detail))
	}
	return errors.Join(all...)
}

// rewrite writes a file that is the user's own, with the permissions that it has; a symbolic link stays one.
func rewrite(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
