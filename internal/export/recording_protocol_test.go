package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export/recording"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// record returns the file of an organization as an account sees it.
func record(r *rapid.T, server *sandbox.Server, as sandbox.Credentials) []byte {
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: as.Email, APIKey: as.APIKey, MaxRetries: -1})
	acctest.NoError(r, err)
	organization, err := recording.Read(r.Context(), client)
	acctest.NoError(r, err)
	file, err := organization.Encode()
	acctest.NoError(r, err)
	return file
}

// load serves a recorded organization; level 0 is its own.
func load(t *testing.T, r *rapid.T, file []byte, level int, as string) (*sandbox.Server, sandbox.Credentials) {
	server, err := sandbox.New(sandbox.Config{Organization: file, FeatureLevel: level})
	acctest.NoError(r, err)
	acctest.NoError(r, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	account, ok := server.Credentials(as)
	if !ok {
		r.Fatalf("there is no account %s", as)
	}
	return server, account
}

// notRecorded are the fields of a snapshot that a recording does not have: keys, the account's own choices, the URLs
// of outgoing webhooks, and those of pictures and the server.
var notRecorded = strings.Fields("queue_id server_generation api_key token color pin_to_top desktop_notifications audible_notifications push_notifications " +
	"email_notifications wildcard_mentions_notify is_muted in_home_view first_message_id avatar_url avatar_version avatar_url_medium avatar_source " +
	"base_url realm_url realm_uri realm_icon_url realm_logo_url realm_night_logo_url")

// register returns the server's answer for the recorded parts.
func register(r *rapid.T, server *sandbox.Server, as sandbox.Credentials) map[string]any {
	parts, err := json.Marshal(slices.DeleteFunc(slices.Clone(zulip.FetchAll), func(part string) bool { return part == zulip.FetchStatuses }))
	acctest.NoError(r, err)
	form := url.Values{
		"event_types": {"[]"}, "fetch_event_types": {string(parts)}, "include_subscribers": {"true"},
		"client_capabilities": {`{"notification_settings_null": true, "include_deactivated_groups": true, "archived_channels": true}`},
	}
	request := httptest.NewRequest(http.MethodPost, "/api/v1/register", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(as.Email, as.APIKey)
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, request)
	var snapshot map[string]any
	if err := json.Unmarshal(answer.Body.Bytes(), &snapshot); err != nil || answer.Code != http.StatusOK {
		r.Fatal(answer.Code, answer.Body)
	}
	without(snapshot)
	for _, field := range snapshot["custom_profile_fields"].([]any) {
		delete(field.(map[string]any), "order") // which the list has
	}
	// In an order that does not depend on which channels the account left, and which bot or domain was written last. These
	// are not recorded.
	snapshot["channels not subscribed to"] = byKey("stream_id", slices.Concat(snapshot["unsubscribed"].([]any), snapshot["never_subscribed"].([]any)))
	snapshot["realm_bots"] = byKey("user_id", snapshot["realm_bots"].([]any))
	snapshot["realm_domains"] = byKey("domain", snapshot["realm_domains"].([]any))
	delete(snapshot, "unsubscribed")
	delete(snapshot, "never_subscribed")
	return snapshot
}

func byKey(key string, rows []any) map[string]any {
	all := map[string]any{}
	for _, row := range rows {
		object, _ := row.(map[string]any)
		all[fmt.Sprint(object[key])] = object
	}
	return all
}

// without removes all values that are not recorded.
func without(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range notRecorded {
			delete(value, name)
		}
		for _, inner := range value {
			without(inner)
		}
	case []any:
		for _, inner := range value {
			without(inner)
		}
	}
}

// A loaded recording is the same organization: a new recording has the same bytes, and its server returns the same
// values.
func TestProtocolRecording_Loaded_SameOrganization(t *testing.T) {
	levels := map[int]int{}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		w.fill()
		levels[w.server.FeatureLevel()]++
		file := record(r, w.server, w.owner)
		loaded, owner := load(t, r, file, 0, w.owner.Email)
		if again := record(r, loaded, owner); !bytes.Equal(again, file) {
			r.Fatal(firstDifference(string(file), string(again)))
		}
		before, after := register(r, w.server, w.owner), register(r, loaded, owner)
		for name := range before {
			if !reflect.DeepEqual(before[name], after[name]) {
				one, _ := json.Marshal(before[name])
				other, _ := json.Marshal(after[name])
				r.Fatalf("%s was\n%s\nand is\n%s", name, one, other)
			}
		}
		if len(before) != len(after) {
			r.Fatalf("%d fields were %d", len(after), len(before))
		}
		// A server of another level can load it too: it does not show the parts that it lacks, and uses defaults for
		// the parts that the file lacks.
		other := rapid.SampledFrom(featurelevel.Tested).Draw(r, "other level")
		elsewhere, owner := load(t, r, file, other, w.owner.Email)
		load(t, r, record(r, elsewhere, owner), 0, w.owner.Email)
	})
	for _, level := range []int{442, featurelevel.Newest} {
		if total := levels[0] + levels[level]; total == 0 && len(levels) > 3 {
			t.Errorf("no organization was of level %d", level)
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			from := max(i-12, 0)
			return "recorded:\n" + strings.Join(x[from:min(i+3, len(x))], "\n") + "\nloaded:\n" + strings.Join(y[from:min(i+3, len(y))], "\n")
		}
	}
	return "one is longer"
}
