package review_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Another key of for_each archives a channel with its messages and makes another: the review says so, and how to rename it.
func TestReviewOfAChangedKey(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	at := func(address string, change attributes) attributes {
		change["address"] = address
		return change
	}
	old := attributes{"id": o.Channel(t, "general").ID, "name": "general"}
	const moved = "moved { from = zulip_channel.team[\"a\"], to = zulip_channel.team[\"b\"] }"
	for name, test := range map[string]struct {
		ended, made attributes
		says        string
	}{
		"another key":       {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", old, nil)), at(`zulip_channel.team["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), moved},
		"another resource":  {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", old, nil)), at(`zulip_channel.other["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), ""},
		"a channel to keep": {at(`zulip_channel.team["a"]`, resourceChange("zulip_channel", attributes{"id": old["id"], "name": "general", "on_destroy": "keep"}, nil)), at(`zulip_channel.team["b"]`, resourceChange("zulip_channel", nil, attributes{"name": "team b"})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := reviewOf(t, o, planOf(t, test.ended, test.made))
			said := ""
			for _, risk := range found.Risks {
				if strings.HasPrefix(risk.Text, "Keys change:") {
					said = string(risk.Category) + " " + risk.Where + " " + risk.Text
				}
			}
			if test.says == "" != (said == "") || !strings.Contains(said, test.says) || said != "" && !strings.HasPrefix(said, "data-loss zulip_channel.team Keys change: ") {
				t.Errorf("said %q", said)
			}
		})
	}
}
