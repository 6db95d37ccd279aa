package channels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// own lists the test's folders by their names without the prefix, in the organization's order; archived ones in brackets.
func own(t *testing.T, org *acctest.Organization) string {
	t.Helper()
	names := []string{}
	for _, folder := range folders(t, org) {
		name, mine := strings.CutPrefix(folder.Name, org.Prefix)
		switch {
		case !mine:
		case folder.IsArchived:
			names = append(names, "("+name+")")
		default:
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// TestAccChannelFolder is the life of folders through a real CLI: made with the channels in them and their order, planned
// empty, changed, put right, imported, ended.
func TestAccChannelFolder(t *testing.T) {
	org := acctest.Start(t)
	const a, b, order, channel = "zulip_channel_folder.a", "zulip_channel_folder.b", "zulip_channel_folder_order.x", "zulip_channel.c"
	config := func(name, in string) string {
		return fmt.Sprintf(`
resource "zulip_channel_folder" "a" {
  name        = "%[1]s%[2]s"
  description = "First"
}
resource "zulip_channel_folder" "b" {
  name = "%[1]sb"
}
resource "zulip_channel_folder_order" "x" {
  folder_ids = [zulip_channel_folder.b.id, zulip_channel_folder.a.id]
}
resource "zulip_channel" "c" {
  name      = "%[1]sfolder"
  folder_id = zulip_channel_folder.%[3]s.id
}
data "zulip_channel_folders" "all" {
  depends_on = [zulip_channel_folder_order.x]
}
`, org.Prefix, name, in)
	}
	expect := func(want string) statecheck.StateCheck {
		return acctest.After(func() {
			if got := own(t, org); got != want {
				t.Errorf("the folders are %q, want %q", got, want)
			}
		})
	}
	inFolder := statecheck.CompareValuePairs(a, tfjsonpath.New("id"), channel, tfjsonpath.New("folder_id"), compare.ValuesSame())
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: config("a", "a"), ConfigStateChecks: []statecheck.StateCheck{expect("b a"), inFolder}},
			{Config: config("a", "a"), ConfigPlanChecks: empty},
			{
				Config: config("A", "a"), // another case of its own name
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(a, plancheck.ResourceActionUpdate), plancheck.ExpectResourceAction(order, plancheck.ResourceActionNoop),
				}},
				ConfigStateChecks: []statecheck.StateCheck{expect("b A"), statecheck.ExpectKnownValue(a, tfjsonpath.New("description"), knownvalue.StringExact("First"))},
			}, {
				PreConfig: func() {
					list := folders(t, org)
					var ids []int64
					for i := len(list) - 1; i >= 0; i-- {
						ids = append(ids, list[i].ID)
					}
					if err := org.Client.OrderChannelFolders(t.Context(), ids); err != nil {
						t.Fatal(err)
					}
				},
				Config:            config("A", "a"),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(order, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{expect("b A")},
			},
			{ResourceName: a, ImportState: true, ImportStateVerify: true},
			{ResourceName: a, ImportState: true, ImportStateVerify: true, ImportStateId: org.Prefix + "A"},
			{Config: config("A", "b"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(channel, plancheck.ResourceActionUpdate),
			}}},
		},
	})
	if got := own(t, org); got != "(b) (A)" {
		t.Errorf("in the end the folders are %q", got)
	}
	if left := org.MustChannel(t, org.Prefix+"folder"); left.FolderID != nil || !left.IsArchived {
		t.Errorf("in the end the channel is %+v", left)
	}
}

// TestAccChannelFolderMoved: a folder goes, and its channels with it into another one, in one apply.
func TestAccChannelFolderMoved(t *testing.T) {
	org := acctest.Start(t)
	config := func(folder, more string) string {
		return fmt.Sprintf(`
resource "zulip_channel_folder" %[2]q {
  name = "%[1]s%[2]s"
}
resource "zulip_channel" "c" {
  name      = "%[1]smoved"
  folder_id = zulip_channel_folder.%[2]s.id
}
%[3]s`, org.Prefix, folder, more)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		Steps: []resource.TestStep{
			{Config: config("old", "")},
			{Config: config("new", ""), ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
				if got := own(t, org); got != "(old) new" {
					t.Errorf("the folders are %q", got)
				}
				if channel := org.MustChannel(t, org.Prefix+"moved"); channel.FolderID == nil {
					t.Error("the channel is in no folder")
				}
			})}},
			{
				PreConfig: func() {
					archived := true
					for _, folder := range folders(t, org) {
						if folder.Name == org.Prefix+"new" {
							var none *int64
							org.Change(t, org.Prefix+"moved", zulip.ChannelUpdate{FolderID: &none})
							channelFolderChange(t, org, folder.ID, zulip.ChannelFolderUpdate{IsArchived: &archived})
						}
					}
				},
				Config: strings.Replace(config("new", ""), "name = \""+org.Prefix+"new\"", "name = \""+org.Prefix+"new\"\n  adopt_archived = true", 1),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					if got := own(t, org); got != "(old) new" {
						t.Errorf("the folders are %q", got)
					}
				})},
			},
		},
	})
}
