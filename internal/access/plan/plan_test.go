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
