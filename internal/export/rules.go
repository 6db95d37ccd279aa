package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
)

// rulesName is the file of rules. An export proposes it once: from then on it is written by people.
const rulesName = "rules.zulip.hcl"

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
	view, err := e.Store.Read(ctx, store.Channels, store.Subscribers, store.Organization, store.Users, store.Folders)
	if err != nil {
		return fmt.Errorf("cannot read the organization: %w", err)
	}
	read := rules.Read{View: view, Self: e.Store.Self(), Subscribers: view.Subscribers(), Now: time.Now()}
	if read.Self.IsBot {
		read.MissingInvitations = "A bot does not see the invitations."
	} else if read.Invitations, err = e.Store.Invitations(ctx); err != nil {
		read.MissingInvitations = fmt.Sprintf("The invitations could not be read: %s.", strings.TrimRight(err.Error(), "."))
	}
	proposal := rules.Propose(rules.Of(read))
	e.rules = &proposal
	return nil
}

// rulesCommands says what the proposed rules are for, or how to get some.
func (e *export) rulesCommands(b *strings.Builder) {
	if e.rules == nil {
		if !e.Rules && e.managed == nil {
			fmt.Fprintf(b, "`--rules` proposes rules that hold today in `%s`, for audits and reviews to prove.\n\n", rulesName)
		}
		return
	}
	fmt.Fprintf(b, "## Rules\n\n`%s` has %s and %s that hold today, each with what it protects: a proposal. Keep what is meant, and remove what is chance; "+
		"no later export changes the file. Prove them every night, and of every plan:\n\n```sh\nterraform-provider-zulip audit --rules %s --fail-on rules\nterraform-provider-zulip review plan.json --rules %s --fail-on rules\n```\n\n",
		rulesName, counted(e.rules.Rules, "rule"), counted(e.rules.Limits, "limit"), rulesName, rulesName)
}
