package defaultusersettings_test

import (
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const view = "web_home_view"

// Both words for the list of recent conversations are taken on every server, and sent as the server takes them. The state
// keeps the word of the configuration.
func TestProtocolDefaultUserSettingsHomeView(t *testing.T) {
	for level, taken := range map[int]string{featurelevel.HomeViewRecent - 1: "recent_topics", featurelevel.HomeViewRecent: "recent"} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		for _, word := range []string{"recent", "recent_topics"} {
			run := o.NewRun(t, typeName)
			run.MustApply(values{view: "inbox"})
			sent := o.Sent()
			run.MustApply(values{view: word})
			if writes := sent.Writes(); len(writes) != 1 || writes[0].Params[view] != taken {
				t.Errorf("level %d: for %s, sent were %v", level, word, writes)
			}
			if got := held(t, o)[view]; got != taken || run.State.Values[view] != word {
				t.Errorf("level %d: for %s the server holds %v, and the state %v", level, word, got, run.State.Values[view])
			}

			// The other word changes nothing, in the same resource or in another.
			other := map[string]string{"recent": "recent_topics", "recent_topics": "recent"}[word]
			if plan := run.MustPlan(values{view: other}); !plan.Empty() {
				t.Errorf("level %d: %s instead of %s changes %v", level, other, word, plan.Changes())
			}
			sent = o.Sent()
			o.NewRun(t, typeName).MustApply(values{view: other})
			imported := o.NewRun(t, typeName)
			imported.Import("organization", nil).ExpectNoError(t)
			if plan := imported.MustPlan(values{view: other}); !plan.Empty() {
				t.Errorf("level %d: after an import %s changes %v", level, other, plan.Changes())
			}
			sent.Expect(t)

			// What somebody else sets is found out, and repaired.
			o.Call(t, http.MethodPatch, "/realm/user_settings_defaults", map[string]string{view: "all_messages"})
			run.MustApply(values{view: word})
			if got := held(t, o)[view]; got != taken {
				t.Errorf("level %d: the server holds %v", level, got)
			}
		}
	}
}

// A server that is upgraded calls the view otherwise: that is no difference.
func TestProtocolDefaultUserSettingsHomeViewUpgrade(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442})
	run := o.NewRun(t, typeName)
	config := values{view: "recent_topics", "enter_sends": true}
	run.MustApply(config)
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d changes %v", level, plan.Changes())
		}
		sent.Expect(t)
		if got := held(t, o)[view]; got != "recent" || run.State.Values[view] != "recent_topics" {
			t.Errorf("level %d: the server holds %v, and the state %v", level, got, run.State.Values[view])
		}
	}
	// Another change leaves it alone, and keeps the word.
	config["enter_sends"] = false
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH enter_sends")
}

// A server takes the one word alone.
func TestServersTakeOneWordForTheHomeView(t *testing.T) {
	for level, refused := range map[int]string{featurelevel.HomeViewRecent - 1: "recent", featurelevel.HomeViewRecent: "recent_topics"} {
		o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
		form := &zulip.Form{}
		form.Text(view, refused)
		if _, err := o.Client.UpdateUserDefaults(t.Context(), form); !zulip.IsMessage(err, "Invalid web_home_view") {
			t.Errorf("level %d, %s: %v", level, refused, err)
		}
	}
}
