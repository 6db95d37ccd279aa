package bots_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}

const apiKey = "zulip_bot_api_key"

func TestProtocolBotAPIKey(t *testing.T) {
	for _, level := range []int{442, featurelevel.BotAPIKey - 1, featurelevel.BotAPIKey, featurelevel.SlimBots, featurelevel.Newest} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		bot, _ := o.Sandbox.Credentials("bot")
		sent := o.Sent()
		p := o.NewRun(t, "zulip_message").Process()
		for _, name := range []string{bot.Email, strings.ToUpper(bot.Email), fmt.Sprint(bot.ID)} {
			read, diags := p.OpenEphemeral(apiKey, values{"bot": name})
			diags.ExpectNoError(t)
			if read["api_key"] != bot.APIKey || read["email"] != bot.Email || read["user_id"] != int64(bot.ID) {
				t.Errorf("level %d, by %q: the wrong bot, or the wrong key", level, name)
			}
		}
		asked := map[string]int{}
		for _, request := range sent.Requests() {
			asked[request.Method+" "+request.Path]++
		}
		key := fmt.Sprintf("GET /bots/%d/api_key", bot.ID)
		if byItself := level >= featurelevel.BotAPIKey; byItself != (asked[key] == 3) || !byItself && asked["POST /register"] != 3 {
			t.Errorf("level %d: asked %v", level, asked)
		}
		if asked["POST /register"] != asked["DELETE /events"] {
			t.Errorf("level %d: %d of %d event queues were closed", level, asked["DELETE /events"], asked["POST /register"])
		}
		if len(sent.Writes()) > 0 {
			t.Errorf("level %d: sent %v", level, sent.Words())
		}
		// The key opens the bot's account.
		if _, err := zulip.New(zulip.Config{Site: o.Sandbox.URL(), Email: bot.Email, APIKey: bot.APIKey}); err != nil {
			t.Error(err)
		}
	}
}

// A bot created after the snapshot is found, and the key is read again each time.
func TestProtocolBotAPIKey_Read_Current(t *testing.T) {
	for _, level := range []int{442, 500} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		bot, _ := o.Sandbox.Credentials("bot")
		p := o.NewRun(t, "zulip_message").Process()
		_, diags := p.OpenEphemeral(apiKey, values{"bot": bot.Email})
		diags.ExpectNoError(t)
		made := o.Call(t, http.MethodPost, "/bots", map[string]string{"full_name": "New", "short_name": "new"})
		read, diags := p.OpenEphemeral(apiKey, values{"bot": "new-bot@zulip.example.com"})
		diags.ExpectNoError(t)
		if read["api_key"] != made["api_key"] {
			t.Errorf("level %d: the wrong key of the new bot", level)
		}
		again := o.Call(t, http.MethodPost, fmt.Sprintf("/bots/%d/api_key/regenerate", bot.ID), nil)
		read, diags = p.OpenEphemeral(apiKey, values{"bot": bot.Email})
		diags.ExpectNoError(t)
		if read["api_key"] != again["api_key"] || read["api_key"] == bot.APIKey {
			t.Errorf("level %d: not the key that the bot has now", level)
		}
	}
}

func TestProtocolBotAPIKeyErrors(t *testing.T) {
	for level, says := range map[int]struct{ unknown, person, stranger []string }{
		442: {
			[]string{"no-bot@example.com", "own bots", "the bots that it lists are: "}, []string{"own bots"}, []string{"to administrators those of all bots"},
		},
		500: {
			[]string{`sees no user or bot with the email "no-bot@example.com"`, "active bot"}, []string{"is a person"},
			[]string{"Insufficient permission", "owner and administrators of the organization can read its key"},
		},
	} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		bot, _ := o.Sandbox.Credentials("bot")
		p := o.NewRun(t, "zulip_message").Process()
		_, diags := p.OpenEphemeral(apiKey, values{"bot": "no-bot@example.com"})
		diags.ExpectError(t, "bot", says.unknown...)
		_, diags = p.OpenEphemeral(apiKey, values{"bot": o.Self.Email})
		diags.ExpectError(t, "bot", says.person...)

		_, diags = o.As(t, "member").NewRun(t, "zulip_message").Process().OpenEphemeral(apiKey, values{"bot": bot.Email})
		diags.ExpectError(t, "bot", says.stranger...)

		o = o.As(t, "owner")
		o.Call(t, http.MethodDelete, fmt.Sprintf("/bots/%d", bot.ID), nil)
		_, diags = p.OpenEphemeral(apiKey, values{"bot": bot.Email})
		diags.ExpectError(t, "bot", bot.Email, "deactivated")
		if strings.Contains(diags.String(), bot.APIKey) {
			t.Error("the error shows the key")
		}
	}
}

// A server of unknown feature level is asked both ways.
func TestProtocolBotAPIKeyWithoutLevel(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442})
	bot, _ := o.Sandbox.Credentials("bot")
	heal := o.Sandbox.Fail(sandbox.Fault{
		Method: http.MethodGet, Path: "/server_settings", Action: sandbox.FaultStatus, Status: http.StatusOK,
		Body: fmt.Sprintf(`{"result":"success","msg":"","zulip_version":"11.0","realm_url":%q,"realm_uri":%[1]q}`, o.Sandbox.URL()),
	})
	p := o.NewRun(t, "zulip_message").Process()
	heal()
	sent := o.Sent()
	read, diags := p.OpenEphemeral(apiKey, values{"bot": bot.Email})
	diags.ExpectNoError(t)
	if read["api_key"] != bot.APIKey || read["email"] != bot.Email {
		t.Error("the wrong bot, or the wrong key")
	}
	tried := false
	for _, request := range sent.Requests() {
		tried = tried || request.Path == fmt.Sprintf("/bots/%d/api_key", bot.ID)
	}
	if !tried {
		t.Errorf("sent %v", sent.Requests())
	}
}

// An undocumented answer is an error that names the bot, the cause and the next step.
func TestProtocolBotAPIKeyUndocumented(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	bot, _ := o.Sandbox.Credentials("bot")
	path := fmt.Sprintf("/bots/%d/api_key", bot.ID)
	for name, c := range map[string]struct {
		fault sandbox.Fault
		says  []string
	}{
		"the path is not there": {
			sandbox.Fault{Action: sandbox.FaultHTML, Status: http.StatusNotFound},
			[]string{"404", "feature level 500", "feature level 463"},
		},
		"the verb is not there": {
			sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusMethodNotAllowed, Body: `{"result":"error","msg":"Method Not Allowed","allowed_methods":["POST"]}`},
			[]string{"405", "feature level 500", "feature level 463"},
		},
		"no key": {
			sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusOK, Body: `{"result":"success","msg":""}`},
			[]string{"answered without a key"},
		},
		"may have been deactivated": {
			sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Body: `{"result":"error","msg":"No such bot","code":"BAD_REQUEST"}`},
			[]string{"No such bot", "may have been deactivated"},
		},
		"only for owners": {
			sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Body: `{"result":"error","msg":"Must be an organization owner","code":"UNAUTHORIZED_PRINCIPAL"}`},
			[]string{"Must be an organization owner", "must be an owner of the organization"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.fault.Method, c.fault.Path = http.MethodGet, path
			heal := o.Sandbox.Fail(c.fault)
			defer heal()
			_, diags := o.NewRun(t, "zulip_message").Process().OpenEphemeral(apiKey, values{"bot": bot.Email})
			diags.ExpectError(t, "bot", append(c.says, "Cannot read the API key of "+bot.Email)...)
		})
	}
	_, diags := o.As(t, "bot").NewRun(t, "zulip_message").Process().OpenEphemeral(apiKey, values{"bot": bot.Email})
	diags.ExpectError(t, "bot", "Cannot read the API key of "+bot.Email, "This endpoint does not accept bot requests.", "Use a person's API key.")
}

// TestAccBotAPIKey_Secrets_NotStored uses a bot's key and creates an invitation link that anyone can use, with the
// finest log level. The state has the link. No file has the key.
func TestAccBotAPIKey_Secrets_NotStored(t *testing.T) {
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
