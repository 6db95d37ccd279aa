package channel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// TestAccChannelDataSource: found by name in any case and by ID, active or archived, a channel shows what the resource
// shows.
func TestAccChannelDataSource(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "all"
	lines, _ := everything(org, t)
	config := block("c", name, lines...) + block("old", org.Prefix+"old") + fmt.Sprintf(`
data "zulip_channel" "by_name" {
  name       = %q
  depends_on = [zulip_channel.c]
}
data "zulip_channel" "by_id" {
  id = zulip_channel.c.id
}
`, strings.ToUpper(name))
	const byName, byID = "data.zulip_channel.by_name", "data.zulip_channel.by_id"
	var same []statecheck.StateCheck
	alike := []string{"id", "name", "description", "privacy", "folder_id", "topics_policy", "message_retention_days", "is_default", "url"}
	for _, setting := range permission.ChannelSettings {
		alike = append(alike, setting.Name)
	}
	for _, attribute := range alike {
		for _, source := range []string{byName, byID} {
			same = append(same, statecheck.CompareValuePairs(c, tfjsonpath.New(attribute), source, tfjsonpath.New(attribute), compare.ValuesSame()))
		}
	}
	for _, attribute := range []string{"creator_id", "date_created", "is_archived"} { // which the state leaves out
		same = append(same, statecheck.ExpectKnownValue(byName, tfjsonpath.New(attribute), knownvalue.NotNull()),
			statecheck.CompareValuePairs(byName, tfjsonpath.New(attribute), byID, tfjsonpath.New(attribute), compare.ValuesSame()))
	}
	archivedToo := config + fmt.Sprintf("data \"zulip_channel\" \"gone\" {\n  name = %q\n}\n", org.Prefix+"gone")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: "data \"zulip_channel\" \"no\" {\n  id = 1\n  name = \"x\"\n}\n", ExpectError: acctest.Message("id and name are set. Remove all but one.")},
			{Config: config + block("gone", org.Prefix+"gone"), ConfigStateChecks: same},
			{Config: config}, // archives "gone"
			{
				Config:            archivedToo,
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("data.zulip_channel.gone", tfjsonpath.New("is_archived"), knownvalue.Bool(true))},
			},
			{
				Config:      config + fmt.Sprintf("data \"zulip_channel\" \"no\" {\n  name = %q\n}\n", name+"l"),
				ExpectError: acctest.Message(fmt.Sprintf("did you mean %q", name)),
			},
			{Config: config + "data \"zulip_channel\" \"no\" {\n  id = 999999999\n}\n", ExpectError: acctest.Message("no channel with the ID 999999999")},
		},
	})
}

// TestAccChannelsDataSource lists what the filters let through. Nothing is assumed of the rest of the organization: the
// folder is the test's own.
func TestAccChannelsDataSource(t *testing.T) {
	org := acctest.Start(t)
	folder := fmt.Sprint("folder_id = ", org.Folder(t, "list"))
	channels := block("a", org.Prefix+"a", folder, `privacy = "private_shared_history"`) + block("b", org.Prefix+"b", folder, "is_default = true")
	gone := block("gone", org.Prefix+"gone", folder)
	list := func(label string, filters ...string) string {
		return fmt.Sprintf("data \"zulip_channels\" %q {\n  %s\n  %s\n  depends_on = [zulip_channel.a, zulip_channel.b]\n}\n", label, folder, strings.Join(filters, "\n  "))
	}
	lists := list("active") + list("all", "include_archived = true") + list("private", `privacy = "private_shared_history"`) +
		list("default", "is_default = true") + list("none", `privacy = "web_public"`)
	shows := func(label string, names ...string) statecheck.StateCheck {
		found := []knownvalue.Check{}
		for _, name := range names {
			found = append(found, knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"name": knownvalue.StringExact(org.Prefix + name), "can_send_message_group": principals("role:everyone"),
			}))
		}
		return statecheck.ExpectKnownValue("data.zulip_channels."+label, tfjsonpath.New("channels"), knownvalue.ListExact(found))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{Config: channels + gone},
			{Config: channels},
			{
				Config: channels + lists,
				ConfigStateChecks: []statecheck.StateCheck{
					shows("active", "a", "b"), shows("all", "a", "b", "gone"), shows("private", "a"), shows("default", "b"), shows("none"),
				},
			},
		},
	})
}
