package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider/textfile"
)

// rulesFile is the default file of rules.
const rulesFile = "rules.zulip.hcl"

// standardInput is its name in messages.
const standardInput = "<standard input>"

func newRules() *cobra.Command {
	command := &cobra.Command{
		Use:   "rules",
		Short: "Check files of rules",
		Long:  `Check the syntax of files of access rules. audit and review check the rules themselves with --rules.`,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	command.AddCommand(newRulesCheck())
	return command
}

func newRulesCheck() *cobra.Command {
	command := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Name every mistake in files of rules",
		Long: `Name every mistake in files of rules, each with its file and line. Without a file it reads ` + rulesFile + `; - is standard
input.

It doesn't read the organization. audit --rules shows whether the channels and groups exist and whether the rules pass.

The exit status is 1 if there is a mistake, and otherwise 0.`,
		Example: `  terraform-provider-zulip rules check
  terraform-provider-zulip rules check rules/*.hcl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return checkRules(filesOr(args), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	command.ValidArgsFunction = ruleFiles
	return command
}

// ruleFiles completes to files of rules.
var ruleFiles = fileOf("hcl")

func filesOr(args []string) []string {
	if len(args) == 0 {
		return []string{rulesFile}
	}
	return args
}

// readInput returns a file or standard input, and its name in messages.
func readInput(path string, stdin io.Reader) (content []byte, name string, err error) {
	if path == "-" {
		content, err = textfile.ReadAll(stdin)
		return content, standardInput, err
	}
	content, err = textfile.Read(path)
	return content, path, err
}

// checkRules prints the mistakes in files, each in its own line in a form for editors, or the numbers of rules and
// limits.
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
