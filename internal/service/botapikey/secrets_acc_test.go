package botapikey_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// TestAccSecretsStaySecret uses a bot's key and makes a link that anybody can join with, with everything logged. The link
// belongs to the state, and the key to nothing that is kept.
func TestAccSecretsStaySecret(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	block := o.Block(nil)
	w := acctest.NewWorkspace(t)
	w.Setenv("ZULIP_SITE", fmt.Sprint(block["site"]))
	w.Setenv("ZULIP_EMAIL", fmt.Sprint(block["email"]))
	w.Setenv("ZULIP_API_KEY", fmt.Sprint(block["api_key"]))
	w.Setenv("TF_LOG", "TRACE")
	w.Setenv("TF_LOG_PATH", "trace.log")
	w.Configure(t, fmt.Sprintf(`
ephemeral "zulip_bot_api_key" "bot" {
  bot = %q
}

provider "zulip" {
  alias   = "bot"
  email   = ephemeral.zulip_bot_api_key.bot.email
  api_key = ephemeral.zulip_bot_api_key.bot.api_key
}

resource "zulip_message" "by_the_bot" {
  provider = zulip.bot
  channel  = "general"
  topic    = "keys"
  content  = "Sent with the key."
}

resource "zulip_invite_link" "all" {}
`, bot.Email))
	printed := w.Must(t, "plan", "-out=plan") + w.Must(t, "show", "plan") + w.Show(t, "plan") + w.Must(t, "apply", "plan")
	state, log := w.Read(t, "terraform.tfstate"), w.Read(t, "trace.log")
	printed += w.Must(t, "plan") + w.Must(t, "show")

	links := o.Sandbox.AllInviteKeys()
	if len(links) != 1 || !strings.Contains(state, links[0]) {
		t.Fatalf("%d links were made, and the state is\n%s", len(links), state)
	}
	if !strings.Contains(log, "/users/me") || !strings.Contains(log, "/messages") {
		t.Error("the log holds no calls, so that nothing could be found in it")
	}
	key := []string{bot.APIKey, base64.StdEncoding.EncodeToString([]byte(bot.Email + ":" + bot.APIKey))}
	for place, text := range map[string]string{"the state": state, "the log": log + w.Read(t, "trace.log"), "what is printed": printed} {
		secrets := key
		if place != "the state" {
			secrets = append(secrets, links[0])
		}
		for i, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds secret %d", place, i)
			}
		}
	}
}
