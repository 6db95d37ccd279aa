package provider_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
)

// unsetWith are other attributes that change if an attribute is unset, because they need it.
var unsetWith = map[string]values{
	"zulip_bot.payload_url":                  {"bot_type": "generic", "interface": nil, "short_name": "other"},
	"zulip_custom_profile_field.name":        {"field_type": "external_account", "subtype": "github", "hint": nil, "required": nil},
	"zulip_custom_profile_field.options":     {"field_type": "short_text"},
	"zulip_custom_profile_field.subtype":     {"field_type": "short_text", "url_pattern": nil},
	"zulip_custom_profile_field.url_pattern": {"subtype": "github", "name": nil, "hint": nil},
	"zulip_draft.channel":                    {"topic": nil, "recipients": []any{someone}},
	"zulip_draft.topic":                      {"channel": nil, "recipients": []any{someone}},
	"zulip_message.channel":                  {"topic": nil, "recipients": []any{someone}},
	"zulip_message.topic":                    {"channel": nil, "recipients": []any{someone}},
	"zulip_message.recipients":               {"channel": "general", "topic": "votes"},
	"zulip_scheduled_message.channel":        {"topic": nil, "recipients": []any{someone}},
	"zulip_scheduled_message.topic":          {"channel": nil, "recipients": []any{someone}},
	"zulip_scheduled_message.recipients":     {"channel": "general", "topic": "votes"},
	"zulip_user_group_membership.members":    {"subgroups": []any{"sre"}},
	"zulip_user_group_membership.subgroups":  {"members": []any{someone}},
}

func TestLawUnset(t *testing.T) {
	l := laws.Law{Name: "unset", Sentence: "an optional attribute can be unset: the next plan is empty, and what is only initially something keeps its value", Every: 3}
	about := func(s laws.Subject) bool {
		return laws.Resources(s) && s.Optional && !strings.HasPrefix(s.Description, "Required. ") // in each element
	}
	laws.Hold(t, l, laws.Subjects(t, about), func(c *laws.Case, s laws.Subject) {
		c.Try("unset", func() {
			stage := stageOf(c, s)
			run := stage.Trial(c)
			if !run.Try(stage.Config).Start(c) {
				return
			}
			before := run.State.Values[s.Path[0]]
			config := stage.With(nil)
			maps.Copy(config, unsetWith[s.String()])
			out := run.Try(config)
			after := run.State.Values[s.Path[0]]
			switch isInitial := strings.Contains(s.Description, "Initially"); {
			case len(out.Refusal) > 0:
				c.Broken("it can't be unset", out)
			case !out.Report(c) || !isInitial:
			case after == nil: // the state leaves it out
				sent := stage.Sent()
				if run.Try(stage.Config); len(sent.Writes()) > 0 {
					c.Broken("the value is not kept", sent.Words())
				}
			case !reflect.DeepEqual(before, after):
				c.Broken("the value is not kept", before, " becomes ", after)
			}
		})
	})
}
