package export_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// What random organizations seldom have.
func TestProtocolExportPlansNothingOf(t *testing.T) {
	for what, fill := range map[string]func(*testing.T, *acctest.Organization){
		"profile fields that the server names": func(t *testing.T, o *acctest.Organization) {
			for _, service := range []string{"github", "twitter"} {
				o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "x", "field_type": "7", "field_data": `{"subtype":"` + service + `"}`})
			}
		},
		"names that the CLI hands over in another Unicode normal form": func(t *testing.T, o *acctest.Organization) {
			const name = "e\u0301"
			group, _ := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": name, "description": name, "members": "[]"})["group_id"].(float64)
			o.Call(t, "POST", "/channel_folders/create", map[string]string{"name": name, "description": name})
			o.Call(t, "POST", "/channels/create", map[string]string{"name": name, "subscribers": "[]", "can_send_message_group": fmt.Sprint(group)})
			o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "outer", "description": "", "members": "[]", "subgroups": fmt.Sprintf("[%v]", group)})
			o.Call(t, "POST", "/bots", map[string]string{"full_name": "Bot", "short_name": "bot", "default_sending_stream": name})
		},
	} {
		t.Run(what, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			fill(t, o)
			for _, all := range []bool{false, true} {
				folder := t.TempDir()
				if _, err := exportInto(folder, export.Options{All: all, Subscribers: true}); err != nil {
					t.Fatal(err)
				}
				for _, problem := range planFolder(t, folder) {
					t.Error(problem)
				}
			}
		})
	}
}

// Older servers lack attributes, which are not written then.
func TestProtocolExportOfOtherServers(t *testing.T) {
	for _, level := range []int{featurelevel.Oldest, 442, featurelevel.Newest} {
		t.Run(fmt.Sprint("feature level ", level), func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
			o.Emoji(t, "kudos")
			o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}"})
			o.Call(t, "POST", "/realm/profile_fields", map[string]string{"name": "Team", "field_type": "1"})
			folder := t.TempDir()
			if _, err := exportInto(folder, export.Options{All: true, Subscribers: true, AllPeople: true}); err != nil {
				t.Fatal(err)
			}
			for _, problem := range planFolder(t, folder) {
				t.Error(problem)
			}
		})
	}
}

// Time passes between an export and the plan of it: invitation links expire sooner then.
func TestProtocolExportIsPlannedLater(t *testing.T) {
	var later atomic.Int64
	o := acctest.StartSandbox(t, sandbox.Config{Clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	for _, minutes := range []string{"1440", "null", "3"} {
		o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": minutes})
	}
	folder, options := t.TempDir(), export.Options{Only: export.Selection{"invite_link"}}
	if _, err := exportInto(folder, options); err != nil {
		t.Fatal(err)
	}
	written := filesOf(t, folder)
	if links := written["invitations.tf"]; strings.Count(links, "# The server does not show the channels of a link") != 3 {
		t.Errorf("the links are:\n%s", links)
	}
	later.Store(int64(2 * time.Minute))
	for _, problem := range planFolder(t, folder) {
		t.Error(problem)
	}
	if _, err := exportInto(folder, options); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "two minutes later", written, filesOf(t, folder))
}
