package export_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// What random organizations seldom have.
func TestProtocolExportPlansNothingOf(t *testing.T) {
	for what, make := range map[string]func(*testing.T, *acctest.Organization){
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
			make(t, o)
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
