package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What a real server answered has no field that is not expected, and its objects have every field that is. The recordings have
// placeholders instead of IDs, so that types are not compared.
func TestRecordedAnswersAreAsExpected(t *testing.T) {
	files, err := filepath.Glob("../sandbox/testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	want, err := expected(t.Context(), featurelevel.Recorded, zulip.RoleOwner, false)
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var recording struct {
			Exchanges []struct {
				As, Method, Path string
				Status           int
				Body             map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &recording); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, exchange := range recording.Exchanges {
			path := strings.TrimPrefix(exchange.Path, "/api/v1")
			known := want.answers.byPath[path]
			if known == nil || exchange.Status != 200 || exchange.Method != "GET" && path != registerPath || exchange.As != "owner" && exchange.As != "admin" {
				continue
			}
			// Asked for by requests for other parts of the organization.
			for _, name := range append([]string{"user_settings", "saved_snippets"}, envelope...) {
				delete(exchange.Body, name)
			}
			got := newShape(nil)
			got.types[typeObject]++
			for name, value := range exchange.Body {
				got.fields[name] = newShape(nil)
				if err := got.fields[name].add(value); err != nil {
					t.Fatal(err)
				}
			}
			c := &comparison{report: &Report{}}
			c.compare(place{path: path}, known.shape, got)
			for _, difference := range c.report.Differences {
				// Whole answers are recorded in part.
				if isPart := !strings.Contains(difference.Where, "[]"); difference.Kind == Unknown || difference.Kind == Missing && !isPart {
					t.Errorf("%s: %s: %s: %s", filepath.Base(file), difference.Kind, difference.Where, difference.What)
				}
			}
			compared[path]++
		}
	}
	for _, path := range []string{registerPath, "/streams", "/user_groups", "/users", "/invites", "/channel_folders", "/realm/linkifiers", "/realm/profile_fields"} {
		if compared[path] == 0 {
			t.Errorf("no recorded answer to %s was compared", path)
		}
	}
}

// Every attribute of the table of feature levels that an object's field has the name of is expected from its level on, and not
// below: what is compared with does not lack what the table says.
func TestExpectedFollowsTheTableOfLevels(t *testing.T) {
	lists := map[string]string{"zulip_channel": "streams", "zulip_user_group": "realm_user_groups", "zulip_linkifier": "realm_linkifiers", "zulip_custom_profile_field": "custom_profile_fields"}
	checked := 0
	for _, level := range featurelevel.Tested {
		register, err := expected(t.Context(), level, zulip.RoleAdministrator, false)
		if err != nil {
			t.Fatal(err)
		}
		fields := register.answers.byPath[registerPath].shape.fields
		for _, row := range featurelevel.Table {
			var has bool
			switch list, name := lists[row.Of], row.Attribute; {
			case row.Value != "" || row.Attribute == "":
				continue
			case row.Of == "zulip_organization":
				has = fields["realm_"+name] != nil
				if name == "giphy_rating" || name == "disallow_disposable_email_addresses" {
					continue // other names on the wire
				}
			case row.Of == "zulip_default_user_settings":
				has = fields["realm_user_settings_defaults"].fields[name] != nil
			case list == "" || map[string]bool{"is_default": true, "folder": true, "subgroups": true}[name]:
				continue // in other lists, or under another name
			default:
				if fields[list] == nil || fields[list].elements == nil {
					t.Fatalf("%s is empty at %d", list, level)
				}
				has = fields[list].elements.fields[name] != nil
			}
			checked++
			if has != (level >= row.Level) {
				t.Errorf("%s.%s at %d: %t, and it needs %d", row.Of, row.Attribute, level, has, row.Level)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d attributes were checked", checked)
	}
}
