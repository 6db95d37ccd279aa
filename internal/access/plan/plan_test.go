package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

func TestOnlyPlansAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"": "not a plan in JSON", "[]": "not a plan in JSON", "{}": "it has no format_version",
		`{"format_version":"2.0","resource_changes":[]}`:                "this review reads 1.x",
		`{"format_version":"1.0","values":{}}`:                          "a state or something else",
		`{"format_version":"1.2","errored":true,"resource_changes":[]}`: "ended in an error",
	} {
		if _, err := plan.Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What a server takes is read as it is; what is longer than any takes is cut, and ends in an ellipsis.
func TestLongNamesAreCut(t *testing.T) {
	n := func(length int) string { return strings.Repeat("é", length) }
	for _, trial := range []struct{ kind, attribute, text, want string }{
		{"zulip_channel", "name", n(60), n(60)},
		{"zulip_channel", "name", n(61), n(60) + "…"},
		{"zulip_channel_subscribers", "channel", "name:" + n(60), "name:" + n(60)},
		{"zulip_channel_subscribers", "channel", "name:" + n(61), "name:" + n(60) + "…"},
		{"zulip_user_group", "name", n(100), n(100)},
		{"zulip_user_group", "name", n(101), n(100) + "…"},
		{"zulip_user", "full_name", n(101), n(100) + "…"},
		{"zulip_user", "email", n(300), n(300)},
		{"zulip_user", "email", n(301), n(300) + "…"},
		{"zulip_channel", "can_send_message_group", "group:" + n(100), "group:" + n(100)},
		{"zulip_channel", "can_send_message_group", "group:" + n(101), "group:" + n(100) + "…"},
		{"zulip_channel", "can_send_message_group", "user:" + n(301), "user:" + n(300) + "…"},
	} {
		for _, isList := range []bool{false, true} {
			var value any = trial.text
			if isList {
				value = []string{trial.text}
			}
			change := parseChange(t, map[string]any{"address": trial.kind + ".x", "type": trial.kind, "change": map[string]any{
				"actions": []string{"update"}, "before": map[string]any{trial.attribute: value}, "after": map[string]any{trial.attribute: value},
			}})
			for _, attributes := range []plan.Attributes{change.Before(), change.After()} {
				got, ok := attributes.Text(trial.attribute)
				if isList {
					var elements []string
					if elements, _, ok = attributes.List(trial.attribute); ok {
						got = elements[0]
					}
				}
				if !ok || got != trial.want {
					t.Errorf("%s of %d bytes is read with %d: %.400s", trial.attribute, len(trial.text), len(got), got)
				}
			}
		}
	}
}

// Addresses that are cut stay different, since a change is found by what refers to it.
func TestLongAddressesAreCutAndStayDifferent(t *testing.T) {
	long := strings.Repeat("é", 500)
	seen := map[string]bool{}
	for _, name := range []string{"short", long, long + "a", long + "b"} {
		address := "zulip_channel." + name
		change := parseChange(t, map[string]any{"address": address, "type": "zulip_channel", "change": map[string]any{"actions": []string{"update"}}})
		if seen[change.Address] || len(change.Address) > 350 || (len(address) <= 300) != (change.Address == address) {
			t.Errorf("%.50s… is called %s", address, change.Address)
		}
		seen[change.Address] = true
	}
}

// What must not be shown is read once, however many attributes are asked for.
func TestSecretsAreReadOnce(t *testing.T) {
	secret := map[string]any{"password": true}
	for i := range 1000 {
		secret[fmt.Sprint("other", i)] = false
	}
	change := parseChange(t, map[string]any{"address": "zulip_user.x", "type": "zulip_user", "change": map[string]any{
		"actions": []string{"update"}, "before": map[string]any{"password": "a", "other1": "a"}, "after": map[string]any{"password": "b", "other1": "b"},
		"before_sensitive": secret, "after_sensitive": secret,
	}})
	for _, attributes := range []plan.Attributes{change.Before(), change.After()} {
		if !attributes.Value("password").IsSecret || attributes.Value("other1").IsSecret {
			t.Errorf("%+v, %+v", attributes.Value("password"), attributes.Value("other1"))
		}
		if count := testing.AllocsPerRun(10, func() { attributes.Value("password") }); count > 50 {
			t.Errorf("one attribute takes %.0f allocations", count)
		}
	}
}

func parseChange(t *testing.T, change map[string]any) *plan.Change {
	t.Helper()
	change["mode"], change["provider_name"] = "managed", "registry.example.com/zulip-iac/zulip"
	text, err := json.Marshal(map[string]any{"format_version": "1.2", "resource_changes": []any{change}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := plan.Parse(strings.NewReader(string(text)))
	if err != nil || len(read.Changes) != 1 {
		t.Fatal(read, err)
	}
	return read.Changes[0]
}

// What a configuration leaves null is not managed, also where an expression is written; what is not known yet is another thing.
func TestNullIsNotUnknown(t *testing.T) {
	for name, test := range map[string]struct {
		references, forEach, call string
		isSet                     bool
	}{
		"of a variable":                     {`["var.senders"]`, ``, ``, false},
		"of each value of a variable":       {`["each.value.senders", "each.value"]`, `{"references":["var.channels"]}`, ``, false},
		"of what is written":                {`[]`, ``, ``, false},
		"of each value of a resource":       {`["each.value.senders", "each.value"]`, `{"references":["zulip_user_group.x"]}`, ``, true},
		"of a local value":                  {`["local.senders"]`, ``, ``, true},
		"of a resource":                     {`["zulip_user_group.x.members", "zulip_user_group.x"]`, ``, ``, true},
		"of a module's variable, given one": {`["var.senders"]`, ``, `{"senders":{"references":["var.senders"]}}`, false},
		"of a module's variable, not given": {`["var.senders"]`, ``, `{}`, false},
		"of a module's variable, a group":   {`["var.senders"]`, ``, `{"senders":{"references":["zulip_user_group.x.members"]}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			resource := `{"address":"zulip_channel.a","provider_config_key":"zulip","expressions":{"can_send_message_group":{"references":` + test.references + `}}`
			if test.forEach != "" {
				resource += `,"for_each_expression":` + test.forEach
			}
			module, address := `{"resources":[`+resource+`}]}`, "zulip_channel.a"
			if test.call != "" {
				module, address = `{"module_calls":{"m":{"module":`+module+`,"expressions":`+test.call+`}}}`, "module.m.zulip_channel.a"
			}
			text := fmt.Sprintf(`{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[{"address":%q,"mode":"managed","type":"zulip_channel","provider_name":"example.com/zulip-iac/zulip",
				"change":{"actions":["create"],"before":null,"after":{"name":"a"},"after_unknown":{"can_send_message_group":true}}}],"configuration":{"root_module":%s}}`, address, module)
			read, err := plan.Parse(strings.NewReader(text))
			if err != nil || len(read.Changes) != 1 {
				t.Fatal(err, read)
			}
			if got := read.Changes[0].IsSet("can_send_message_group"); got != test.isSet {
				t.Errorf("it counts as set: %t", got)
			}
		})
	}
}

// A plan of a part is told from one of everything, also where the tool does not say it.
func TestPlansOfAPart(t *testing.T) {
	const listed = `{"address":"zulip_channel.a","mode":"managed","type":"zulip_channel","provider_name":"example.com/zulip-iac/zulip","change":{"actions":["no-op"]}}`
	state := func(addresses ...string) string {
		var all []string
		for _, address := range addresses {
			all = append(all, fmt.Sprintf(`{"address":%q,"mode":"managed"}`, address))
		}
		return `"prior_state":{"values":{"root_module":{"resources":[{"address":"data.zulip_users.all","mode":"data"}],"child_modules":[{"resources":[` + strings.Join(all, ",") + `]}]}}}`
	}
	for name, test := range map[string]struct {
		more         string
		isIncomplete bool
	}{
		"it says it is not":                 {`"complete":false`, true},
		"it says it is":                     {`"complete":true,` + state("zulip_channel.a", "zulip_channel.b"), false},
		"it does not say, and is":           {state("zulip_channel.a"), false},
		"it does not say, and is not":       {state("zulip_channel.a", "zulip_channel.b"), true},
		"something is deferred":             {`"complete":true,"deferred_changes":[{"reason":"unknown"}]`, true},
		"it does not say, and has no state": {`"variables":{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			read, err := plan.Parse(strings.NewReader(`{"format_version":"1.1","planned_values":{},"resource_changes":[` + listed + `],` + test.more + `}`))
			if err != nil || read.IsIncomplete != test.isIncomplete {
				t.Errorf("%v, incomplete: %t", err, read.IsIncomplete)
			}
		})
	}
}
