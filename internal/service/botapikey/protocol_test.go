package botapikey_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These are attributes, as tests write them.
type values = acctest.Values

const apiKey = "zulip_bot_api_key"

func TestProtocolBotAPIKey(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	sent := o.Sent()
	p := o.NewRun(t, "zulip_message").Process()
	for _, name := range []string{bot.Email, strings.ToUpper(bot.Email), fmt.Sprint(bot.ID)} {
		read, diags := p.OpenEphemeral(apiKey, values{"bot": name})
		diags.ExpectNoError(t)
		if read["api_key"] != bot.APIKey || read["email"] != bot.Email || read["user_id"] != int64(bot.ID) {
			t.Errorf("by %q: the wrong bot, or the wrong key", name)
		}
	}
	closed := 0
	for _, request := range sent.Requests() {
		if request.Method == http.MethodDelete && request.Path == "/events" {
			closed++
		}
	}
	if closed != 3 {
		t.Errorf("%d of 3 event queues were closed", closed)
	}
	// The key opens the bot's account.
	if _, err := zulip.New(zulip.Config{Site: o.Sandbox.URL(), Email: bot.Email, APIKey: bot.APIKey}); err != nil {
		t.Error(err)
	}
}

func TestProtocolBotAPIKeyErrors(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	p := o.NewRun(t, "zulip_message").Process()
	_, diags := p.OpenEphemeral(apiKey, values{"bot": "no-bot@example.com"})
	diags.ExpectError(t, "bot", "no-bot@example.com", "its own bots")
	_, diags = p.OpenEphemeral(apiKey, values{"bot": o.Self.Email})
	diags.ExpectError(t, "bot", "its own bots")

	_, diags = o.As(t, "member").NewRun(t, "zulip_message").Process().OpenEphemeral(apiKey, values{"bot": bot.Email})
	diags.ExpectError(t, "bot", "as an administrator of all")

	o = o.As(t, "owner")
	o.Call(t, http.MethodDelete, fmt.Sprintf("/bots/%d", bot.ID), nil)
	_, diags = p.OpenEphemeral(apiKey, values{"bot": bot.Email})
	diags.ExpectError(t, "bot", "deactivated")
	if strings.Contains(diags.String(), bot.APIKey) {
		t.Error("the error shows the key")
	}
}
