package sandbox

import (
	"slices"
	"testing"
)

func TestSnapshotOfSubscriptions(t *testing.T) {
	s := start(t, Config{})
	must(t, s, "member", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []string{"announcements"}})
	lists := func(as string, params map[string]any) map[string][]string {
		names := map[string][]string{}
		params["fetch_event_types"] = []string{"subscription"}
		body := must(t, s, as, "POST", "/register", params).body
		for _, list := range []string{"subscriptions", "unsubscribed", "never_subscribed"} {
			for _, row := range body[list].([]any) {
				channel := row.(map[string]any)
				if _, ok := channel["subscribers"]; ok != (params["include_subscribers"] == "true") {
					t.Errorf("%s: %v has subscribers: %t", list, channel["name"], ok)
				}
				names[list] = append(names[list], channel["name"].(string))
			}
		}
		return names
	}
	for as, want := range map[string]map[string][]string{
		"admin":  {"subscriptions": {"announcements", "general", "incidents", "leads"}},
		"member": {"subscriptions": {"general", "incidents"}, "unsubscribed": {"announcements"}},
		"owner":  {"subscriptions": {"announcements", "general", "leads"}, "never_subscribed": {"incidents"}},
		"guest":  {"subscriptions": {"general"}},
		"bot":    {"subscriptions": {"incidents"}, "never_subscribed": {"announcements", "general", "leads"}},
	} {
		for _, params := range []map[string]any{{}, {"include_subscribers": "true"}} {
			got := lists(as, params)
			for _, list := range []string{"subscriptions", "unsubscribed", "never_subscribed"} {
				if !slices.Equal(got[list], want[list]) {
					t.Errorf("%s: %s are %v, not %v", as, list, got[list], want[list])
				}
			}
		}
	}
}
