package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// rulesName is the file of rules. An export proposes it once: from then on it is written by people.
const rulesName = "rules.zulip.hcl"

// Rules are a file of rules.
type Rules struct {
	Text []byte
	// Rules and Limits count what it has.
	Rules, Limits int
}

// proposeRules proposes rules that hold, if the folder has none.
func (e *export) proposeRules(ctx context.Context, into *folder) error {
	if into.root != nil {
		_, err := into.root.Lstat(rulesName)
		if err == nil {
			e.note("Rules: `%s` is there already and stays as it is. Without it `--rules` proposes another one.", rulesName)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot use %s in %s: %w", rulesName, into.path, err)
		}
	}
	e.progress("who is in which channel")
	var err error
	e.rules, err = e.Rules(ctx, e.Store)
	return err
}

// rulesCommands says what the proposed rules are for, or how to get some.
func (e *export) rulesCommands(b *strings.Builder) {
	if e.rules == nil {
		if e.Rules == nil && e.managed == nil {
			fmt.Fprintf(b, "`--rules` proposes rules that hold today in `%s`, for audits and reviews to prove.\n\n", rulesName)
		}
		return
	}
	fmt.Fprintf(b, "## Rules\n\n`%s` has %s and %s that hold today, each with what it protects: a proposal. Keep what is meant, and remove what is chance; "+
		"no later export changes the file. Prove them every night, and of every plan:\n\n```sh\nterraform-provider-zulip audit --rules %s --fail-on rules\nterraform-provider-zulip review plan.json --rules %s --fail-on rules\n```\n\n",
		rulesName, counted(e.rules.Rules, "rule"), counted(e.rules.Limits, "limit"), rulesName, rulesName)
}
