package organization_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// at gives a test the organization on a server of a feature level.
func at(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, typeName)
	return o, run
}

// The setting has one name below a level and another from there on: it is read, changed and repaired on both sides. The
// other name is ignored by the server without an error.
func TestProtocolOrganizationGIFRating(t *testing.T) {
	for _, test := range []struct {
		level       int
		name, other string
	}{
		{featurelevel.GIFRatingPolicy - 1, "giphy_rating", "gif_rating_policy"},
		{featurelevel.GIFRatingPolicy, "gif_rating_policy", "giphy_rating"},
	} {
		o, run := at(t, test.level)
		answer := o.Call(t, http.MethodPatch, "/realm", map[string]string{test.other: "4"})
		if ignored, _ := answer["ignored_parameters_unsupported"].([]any); !slices.Equal(ignored, []any{test.other}) {
			t.Errorf("level %d ignores %v", test.level, ignored)
		}
		settings := held(t, o).Settings
		if _, there := settings[test.other]; there || string(settings[test.name]) != "1" {
			t.Errorf("level %d shows %s and %s", test.level, settings[test.name], settings[test.other])
		}
		sent := o.Sent()
		run.MustApply(values{"giphy_rating": "pg"})
		expectParams(t, sent, map[string]string{test.name: "2"})
		byHand(t, o, map[string]string{test.name: "4"})
		sent = o.Sent()
		run.MustApply(values{"giphy_rating": "pg"})
		expectParams(t, sent, map[string]string{test.name: "2"})
		shown, diags := run.Process().ReadData(typeName, values{})
		diags.ExpectNoError(t)
		if shown["giphy_rating"] != "pg" {
			t.Errorf("level %d: the data source shows %v", test.level, shown["giphy_rating"])
		}
	}
}

// Where the server's level is not known, the setting is sent under the name that the server shows.
func TestProtocolOrganizationGIFRatingLevelUnknown(t *testing.T) {
	for level, name := range map[int]string{442: "giphy_rating", 500: "gif_rating_policy"} {
		o, run := at(t, level)
		settings := o.Call(t, http.MethodGet, "/server_settings", nil)
		delete(settings, "zulip_feature_level")
		body, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: "/server_settings", Action: sandbox.FaultStatus, Status: http.StatusOK, Body: string(body)})
		sent := o.Sent()
		run.MustApply(values{"giphy_rating": "r"})
		expectParams(t, sent, map[string]string{name: "4"})
	}
}

// A server that is upgraded changes nothing about what the state says: nothing is planned, and nothing is sent.
func TestProtocolOrganizationUpgrade(t *testing.T) {
	o, run := at(t, 442)
	config := values{"giphy_rating": "pg-13", "name": "Example", "can_create_groups": []any{"role:moderators"}}
	run.MustApply(config)
	for _, name := range []string{"default_avatar_source", "media_preview_size", "workplace_users_group"} {
		if held, ok := run.State.Values[name]; !ok || held != nil {
			t.Errorf("%s is %v on a server that does not have it", name, held)
		}
	}
	for _, level := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
		o.Sandbox.SetFeatureLevel(level)
		sent := o.Sent()
		if plan := run.MustPlan(config); !plan.Empty() {
			t.Errorf("level %d changes %v", level, plan.Changes())
		}
		sent.Expect(t)
		if got := run.State.Values; got["giphy_rating"] != "pg-13" || got["default_avatar_source"] != "jdenticon" || got["media_preview_size"] != int64(100) ||
			!reflect.DeepEqual(got["workplace_users_group"], []any{"role:everyone"}) {
			t.Errorf("level %d: the state holds %v", level, got)
		}
	}
	config["media_preview_size"], config["default_avatar_source"] = 150, "gravatar"
	sent := o.Sent()
	run.MustApply(config)
	expectParams(t, sent, map[string]string{"media_preview_size": "150", "default_avatar_source": "G"})
	if settings := held(t, o).Settings; string(settings["media_preview_size"]) != "150" || string(settings["default_avatar_source"]) != `"G"` {
		t.Errorf("the server holds %v", settings)
	}
}

// The server refuses what it does not know of the newer settings.
func TestNewerSettingsAreChecked(t *testing.T) {
	o, _ := at(t, 500)
	for name, value := range map[string]string{"default_avatar_source": "U", "media_preview_size": "120"} {
		_, err := o.Client.UpdateRealm(context.Background(), realmUpdate(name, value))
		if !zulip.IsMessage(err, "Invalid "+name) {
			t.Errorf("%s = %s: %v", name, value, err)
		}
	}
	o, _ = at(t, 442)
	answer := o.Call(t, http.MethodPatch, "/realm", map[string]string{"default_avatar_source": "G", "media_preview_size": "150", "workplace_users_group": "1"})
	if ignored, _ := answer["ignored_parameters_unsupported"].([]any); len(ignored) != 3 {
		t.Errorf("level 442 ignores %v", ignored)
	}
}

func realmUpdate(name, value string) (update zulip.RealmUpdate) {
	update.Settings.Text(name, value)
	return update
}

// Each provider of calls has a word, which is sent where the server is set up for it.
func TestProtocolOrganizationVideoChatProviders(t *testing.T) {
	words := map[string]string{
		"disabled": "0", "jitsi_meet": "1", "zoom": "3", "big_blue_button": "4", "zoom_server_to_server": "5",
		"constructor_groups": "6", "nextcloud_talk": "7", "webex": "8",
	}
	var all []string
	for word := range words {
		all = append(all, word)
	}
	o := acctest.StartSandbox(t, sandbox.Config{VideoChatProviders: all})
	run := o.NewRun(t, typeName)
	for word, number := range words {
		run.MustApply(values{"video_chat_provider": word})
		if got := string(held(t, o).Settings["video_chat_provider"]); got != number {
			t.Errorf("%s: the server holds %s, not %s", word, got, number)
		}
	}
	run.MustApply(values{"video_chat_provider": "zoom"})
	o.Sandbox.SetFeatureLevel(459)
	_, diags := run.Plan(values{"video_chat_provider": "constructor_groups"})
	diags.ExpectError(t, "video_chat_provider", "constructor_groups", "feature level 460")
}

// The permission that no server takes is shown and cannot be set, and nothing of it is sent with other permissions.
func TestProtocolOrganizationWorkplaceUsers(t *testing.T) {
	o, run := at(t, featurelevel.WorkplaceUsers)
	if slices.Contains(run.Process().Configurable(typeName), "workplace_users_group") {
		t.Error("workplace_users_group can be set")
	}
	_, err := o.Client.UpdateRealm(context.Background(), zulip.RealmUpdate{Permissions: map[string]zulip.GroupSettingChange{
		"workplace_users_group": {New: role(t, o, "role:members")},
	}})
	var refusal *zulip.Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusInternalServerError {
		t.Errorf("the server takes workplace_users_group: %v", err)
	}
	sent := o.Sent()
	run.MustApply(values{"can_create_groups": []any{"role:moderators"}})
	sent.Expect(t, "PATCH can_create_groups")
	shown, diags := run.Process().ReadData(typeName, values{})
	diags.ExpectNoError(t)
	if want := []any{"role:everyone"}; !reflect.DeepEqual(shown["workplace_users_group"], want) || !reflect.DeepEqual(run.State.Values["workplace_users_group"], want) {
		t.Errorf("shown: %v, in the state: %v", shown["workplace_users_group"], run.State.Values["workplace_users_group"])
	}
	o.Sandbox.SetFeatureLevel(featurelevel.WorkplaceUsers - 1)
	shown, diags = run.Process().ReadData(typeName, values{})
	diags.ExpectNoError(t)
	if shown["workplace_users_group"] != nil {
		t.Errorf("a server without it shows %v", shown["workplace_users_group"])
	}
}
