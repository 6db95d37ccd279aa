package bots_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The old and the new owner of bots.
const (
	ada  = "ada@example.com"
	bo   = "bo@example.com"
	cleo = "cleo@example.com"

	alertsBot = "alerts-bot@zulip.example.com"
)

// ownedBy is a configuration of people and of one bot.
func ownedBy(owner string, people ...string) string {
	var config strings.Builder
	for _, person := range people {
		name, _, _ := strings.Cut(person, "@")
		fmt.Fprintf(&config, "resource \"zulip_user\" %q {\n  email = %q\n  full_name = %q\n}\n", name, person, name)
	}
	fmt.Fprintf(&config, "resource \"zulip_bot\" \"x\" {\n  short_name = \"alerts\"\n  full_name = \"Alerts\"\n%s\n}\n", owner)
	return config.String()
}

// A bot gets another owner in the apply that deactivates the old one, with whom the server deactivates it: it is reactivated, and
// is the same bot with the new owner. Names as text leave the order open.
func TestAccSandboxBotWhoseOwnerLeaves(t *testing.T) {
	for name, test := range map[string]struct{ old, new, more string }{
		"by reference":              {"zulip_user.ada.email", "zulip_user.bo.email", ""},
		"named as text":             {`"ada@example.com"`, `"bo@example.com"`, ""},
		"to a new person":           {"zulip_user.ada.email", "zulip_user.cleo.email", ""},
		"with other changes":        {"zulip_user.ada.id", "zulip_user.bo.id", "role = \"moderator\"\n  default_sending_stream = \"general\""},
		"to the provider's account": {"zulip_user.ada.email", `"SELF"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			w := acctest.NewWorkspace(t)
			w.Configure(t, ownedBy("", ada, bo))
			w.Must(t, "apply", "-auto-approve")
			w.Configure(t, ownedBy("owner = "+test.old, ada, bo))
			w.Must(t, "apply", "-auto-approve")
			before := accountOf(t, o, alertsBot)
			w.Configure(t, ownedBy("owner = "+strings.ReplaceAll(test.new, "SELF", o.Self.Address())+"\n"+test.more, bo, cleo))
			w.Must(t, "apply", "-auto-approve")
			w.Must(t, "plan", "-detailed-exitcode")
			owner := o.Self
			if !strings.Contains(test.new, "SELF") {
				owner = accountOf(t, o, map[bool]string{true: cleo, false: bo}[strings.Contains(test.new, "cleo")])
			}
			if bot := accountOf(t, o, alertsBot); bot.ID != before.ID || !bot.IsActive || *bot.BotOwnerID != owner.ID || (test.more != "") != (bot.Role == zulip.RoleModerator) {
				t.Errorf("the server holds %+v", bot)
			}
			if accountOf(t, o, ada).IsActive {
				t.Error("the old owner is active")
			}
		})
	}
}

// A bot that stays with an owner who is deactivated is in the plan's warnings, with what to do. Nobody is warned where the bot goes
// too.
func TestAccSandboxBotLeftWithWhoLeaves(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Setenv("TF_LOG", "") // what is printed counts here, and not what is logged
	w.Configure(t, ownedBy("", ada))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, ownedBy("owner = \"ada@example.com\"", ada))
	w.Must(t, "apply", "-auto-approve")
	const warning = "Bots will be deactivated with their owner ada@example.com"
	for _, owner := range []string{"owner = \"ada@example.com\"", ""} {
		w.Configure(t, ownedBy(owner))
		printed := w.Must(t, "plan")
		for _, words := range []string{warning, alertsBot, "Set owner of each zulip_bot to somebody else, or remove it"} {
			if !strings.Contains(printed, words) {
				t.Errorf("not printed: %s\n%s", words, printed)
			}
		}
	}
	if printed := w.Must(t, "destroy", "-auto-approve"); strings.Contains(printed, warning) {
		t.Errorf("printed:\n%s", printed)
	}
	if accountOf(t, o, alertsBot).IsActive || accountOf(t, o, ada).IsActive {
		t.Error("somebody is active")
	}
}

// accountOf reads the account of an address.
func accountOf(t *testing.T, o *acctest.Organization, address string) *zulip.User {
	t.Helper()
	user, err := o.Client.UserByEmail(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	return user
}
