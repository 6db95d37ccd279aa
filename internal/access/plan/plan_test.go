package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

func TestParse_NotPlan_Error(t *testing.T) {
	for text, want := range map[string]string{
		"": "isn't a plan in JSON", "[]": "isn't a plan in JSON", "{}": "it has no format_version",
		`{"format_version":"2.0","resource_changes":[]}`:                "this review reads 1.x",
		`{"format_version":"1.0","values":{}}`:                          "perhaps a state",
		`{"format_version":"1.2","errored":true,"resource_changes":[]}`: "ended in an error",
	} {
		if _, err := plan.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Texts that a server accepts are read unchanged. Longer ones are cut and end in an ellipsis.
func TestNames_Long_Truncated(t *testing.T) {
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

// Addresses that are cut stay different, because references find a change by its address.
func TestAddresses_Long_TruncatedUnique(t *testing.T) {
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

// Sensitive values are read once, regardless of the number of attributes.
func TestSecrets_ManyAttributes_ReadOnce(t *testing.T) {
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
	read, err := plan.Parse(text)
	if err != nil || len(read.Changes) != 1 {
		t.Fatal(read, err)
	}
	return read.Changes[0]
}

// An unknown attribute can be anything, whatever its expression depends on: timestamp() depends on nothing. Only a written
// null leaves the attribute unset. The provider plans null for an expression that is null.
func TestChange_IsSet(t *testing.T) {
	for name, test := range map[string]struct {
		expression string
		isSet      bool
	}{
		"a variable":           {`{"references":["var.senders"]}`, true},
		"a function":           {`{}`, true},
		"a function of a list": {`{"references":[]}`, true},
		"a resource":           {`{"references":["zulip_user_group.x.members","zulip_user_group.x"]}`, true},
		"a list":               {`{"constant_value":["role:nobody"]}`, true},
		"null":                 {`{"constant_value":null}`, false},
		"nothing":              {``, false},
	} {
		t.Run(name, func(t *testing.T) {
			expressions := `{}`
			if test.expression != "" {
				expressions = `{"can_send_message_group":` + test.expression + `}`
			}
			read, err := plan.Parse([]byte(`{"format_version":"1.2","complete":true,"planned_values":{},"resource_changes":[{"address":"module.m[\"a.b\"].zulip_channel.a[0]",
				"mode":"managed","type":"zulip_channel","provider_name":"example.com/zulip-iac/zulip",
				"change":{"actions":["create"],"before":null,"after":{"name":"a"},"after_unknown":{"can_send_message_group":true}}}],
				"configuration":{"root_module":{"module_calls":{"m":{"module":{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip","expressions":` + expressions + `}]}}}}}}`))
			if err != nil || len(read.Changes) != 1 {
				t.Fatal(err, read)
			}
			if got := read.Changes[0].IsSet("can_send_message_group"); got != test.isSet {
				t.Errorf("it counts as set: %t", got)
			}
		})
	}
}

// A replaced resource is two changes: a destruction with the values before, and a creation with those after.
func TestParse_ReplacedResource_TwoChanges(t *testing.T) {
	for actions, isFirst := range map[string]bool{`["delete","create"]`: false, `["create","delete"]`: true, `["forget","create"]`: false, `["create","forget"]`: true} {
		read, err := plan.Parse([]byte(`{"format_version":"1.2","planned_values":{},"resource_changes":[{"address":"zulip_channel.a","mode":"managed","type":"zulip_channel",
			"provider_name":"example.com/zulip-iac/zulip","change":{"actions":` + actions + `,"before":{"id":7,"name":"a"},"after":{"name":"a"},"after_unknown":{"id":true}}}]}`))
		if err != nil || len(read.Changes) != 2 {
			t.Fatal(actions, err, read)
		}
		end, made := read.Changes[0], read.Changes[1]
		if end.HasAfter() || end.Does("create") || len(end.Values.Actions) != 1 || end.ReplacedBy != made || end.IsMadeFirst != isFirst || end.After().IsUnknown("id") {
			t.Errorf("%s: the end is %+v", actions, end)
		}
		if len(made.Before().Names()) > 0 || !made.Does("create") || len(made.Values.Actions) != 1 || made.Replaces != end || made.IsMadeFirst != isFirst || !made.After().IsUnknown("id") {
			t.Errorf("%s: the creation is %+v", actions, made)
		}
	}
}

// A partial plan is recognized, also if the tool does not say it.
func TestPartialPlan_AnyTool_Recognized(t *testing.T) {
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
			read, err := plan.Parse([]byte(`{"format_version":"1.1","planned_values":{},"resource_changes":[` + listed + `],` + test.more + `}`))
			if err != nil || read.IsIncomplete != test.isIncomplete {
				t.Errorf("%v, incomplete: %t", err, read.IsIncomplete)
			}
		})
	}
}
