package channels_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// c is the address of the channel of tests that have one.
const c = "zulip_channel.c"

func attribute(name string, want knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(c, tfjsonpath.New(name), want)
}

func plans(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

func updated() resource.ConfigPlanChecks {
	return plans(plancheck.ExpectResourceAction(c, plancheck.ResourceActionUpdate))
}

func unchanged() resource.ConfigPlanChecks { return plans(plancheck.ExpectEmptyPlan()) }

// sameID returns what makes a check for each step: that the channel is still the one it was in the first.
func sameID() func() statecheck.StateCheck {
	same := statecheck.CompareValue(compare.ValuesSame())
	return func() statecheck.StateCheck { return same.AddStateValue(c, tfjsonpath.New("id")) }
}

// allBut are the attributes that the state of a channel leaves out which was created, but some that are managed: an import has
// the values of all.
func allBut(managed ...string) []string {
	all := []string{"creator_id", "date_created", "default_push_notifications", "description", "folder", "folder_id", "is_archived", "is_default", "message_retention_days", "privacy", "topics_policy"}
	for _, setting := range permission.ChannelSettings {
		all = append(all, setting.Name)
	}
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(managed, name) })
}

// omits checks that the state has no value of some attributes.
func omits(names ...string) statecheck.StateCheck {
	none := map[string]knownvalue.Check{}
	for _, name := range names {
		none[name] = knownvalue.Null()
	}
	return statecheck.ExpectKnownValue(c, tfjsonpath.Path{}, knownvalue.ObjectPartial(none))
}

// TestAccChannelBare is a channel of which only the name is managed: named, renamed, described, imported, archived.
func TestAccChannelBare(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "bare"
	loud := strings.ToUpper(name)
	sameID := sameID()
	folded := "description = <<-EOT\n    Two lines,\n    one text.\n  EOT"
	sent := org.Sent()
	sends := func(want ...string) statecheck.StateCheck {
		return acctest.After(func() { sent.Expect(t, want...); sent = org.Sent() })
	}
	imports := func(id string) resource.TestStep {
		return resource.TestStep{ResourceName: c, ImportState: true, ImportStateVerify: true, ImportStateId: id, ImportStateVerifyIgnore: allBut("description")}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{
				Config:           block("c", name),
				ConfigPlanChecks: plans(plancheck.ExpectResourceAction(c, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{
					sameID(), sends("POST name subscribers"),
					attribute("name", knownvalue.StringExact(name)),
					omits(allBut()...),
					acctest.After(func() {
						channel := org.MustChannel(t, name)
						if channel.Description != "" || channel.Privacy() != zulip.PrivacyPublic || channel.FolderID != nil || channel.TopicsPolicy != "inherit" ||
							channel.Retention().String() != "realm_default" || channel.IsDefault {
							t.Errorf("the server holds %+v", channel)
						}
						if everyone, self := channel.Permissions["can_send_message_group"], channel.Permissions["can_administer_channel_group"]; everyone.Group != org.SystemGroup(t, "role:everyone") || !slices.Equal(self.DirectMembers, []int64{org.Self.ID}) {
							t.Errorf("the server holds %v and %v", everyone, self)
						}
					}),
					acctest.After(func() {
						if ids := org.Subscribers(t, name); len(ids) != 0 {
							t.Errorf("subscribed: %v, want nobody", ids)
						}
					}),
				},
			}, {
				Config:            block("c", loud), // the server compares names without regard to case
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{sameID(), sends("PATCH new_name"), acctest.After(func() { org.MustChannel(t, loud) })},
			}, {
				Config:           block("c", name+"-renamed", folded),
				ConfigPlanChecks: updated(),
				ConfigStateChecks: []statecheck.StateCheck{sameID(), sends("PATCH description new_name"), acctest.After(func() {
					if got, want := org.MustChannel(t, name+"-renamed").Description, "Two lines, one text. "; got != want {
						t.Errorf("the server holds %q, want %q", got, want)
					}
				})},
			}, { // the same text without the line breaks, which the server makes spaces
				Config:           block("c", name+"-renamed", `description = "Two lines, one text. "`),
				ConfigPlanChecks: unchanged(),
			}, {
				PreConfig: func() {
					old := name
					org.Change(t, name+"-renamed", zulip.ChannelUpdate{Name: &old})
					sent = org.Sent()
				},
				Config:            block("c", name+"-renamed", folded),
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{sameID(), sends("PATCH new_name")},
			},
			{ // an import has the server's words, as has a channel whose description is not managed
				ResourceName: c, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: allBut(),
			},
			{Config: block("c", name+"-renamed", `description = "One line."`)},
			imports(name + "-renamed"),
			imports("name:" + loud + "-RENAMED"),
			{ResourceName: c, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: name + "-renamed"},
			{ResourceName: c, ImportState: true, ImportStateId: name + "-rename", ExpectError: acctest.Message(`did you mean "` + name + `-renamed"?`)},
		},
	})
}

// channelEverything is a channel with every attribute set, and what of it the server holds.
func channelEverything(org *acctest.Organization, t *testing.T) (lines []string, holds func() error) {
	t.Helper()
	folder := org.Folder(t, "all")
	group := org.Group(t, "all")
	self := "user:" + org.Self.Address()
	lines = []string{
		`description = "Every attribute"`, `privacy = "public"`, fmt.Sprint("folder_id = ", folder), `topics_policy = "disable_empty_topic"`,
		`message_retention_days = "90"`, `is_default = true`, `announce = false`, fmt.Sprintf("initial_subscribers = [%q]", org.Self.Address()),
		fmt.Sprintf("can_add_subscribers_group = [%q, %q]", "group:"+org.Prefix+"all", self),
		`can_administer_channel_group = ["role:moderators"]`,
		`can_create_topic_group = ["role:fullmembers"]`,
		`can_delete_any_message_group = ["role:owners"]`,
		`can_delete_own_message_group = ["role:everyone"]`,
		`can_move_messages_out_of_channel_group = ["role:administrators"]`,
		`can_move_messages_within_channel_group = ["role:moderators"]`,
		fmt.Sprintf("can_remove_subscribers_group = [%q]", "group:"+org.Prefix+"all"),
		`can_send_message_group = ["role:members"]`,
		`can_subscribe_group = ["role:nobody"]`,
		fmt.Sprintf("can_resolve_topics_group = [%q]", self),
	}
	role := func(name string) zulip.GroupSettingValue { return zulip.NamedGroup(org.SystemGroup(t, "role:"+name)) }
	want := map[string]zulip.GroupSettingValue{
		"can_add_subscribers_group":              {DirectMembers: []int64{org.Self.ID}, DirectSubgroups: []int64{group}},
		"can_administer_channel_group":           role("moderators"),
		"can_create_topic_group":                 role("fullmembers"),
		"can_delete_any_message_group":           role("owners"),
		"can_delete_own_message_group":           role("everyone"),
		"can_move_messages_out_of_channel_group": role("administrators"),
		"can_move_messages_within_channel_group": role("moderators"),
		"can_remove_subscribers_group":           zulip.NamedGroup(group),
		"can_send_message_group":                 role("members"),
		"can_subscribe_group":                    role("nobody"),
		"can_resolve_topics_group":               {DirectMembers: []int64{org.Self.ID}, DirectSubgroups: []int64{}},
	}
	return lines, func() error {
		channel := org.MustChannel(t, org.Prefix+"all")
		for setting, value := range want {
			if fmt.Sprint(channel.Permissions[setting]) != fmt.Sprint(value) {
				return fmt.Errorf("%s is %v, want %v", setting, channel.Permissions[setting], value)
			}
		}
		if channel.Description != "Every attribute" || *channel.FolderID != folder || channel.TopicsPolicy != "disable_empty_topic" ||
			*channel.MessageRetentionDays != 90 || !channel.IsDefault || channel.Privacy() != zulip.PrivacyPublic {
			return fmt.Errorf("the server holds %+v", channel)
		}
		if ids := org.Subscribers(t, channel.Name); len(ids) != 1 || ids[0] != org.Self.ID {
			return fmt.Errorf("subscribed: %v", ids)
		}
		return nil
	}
}

// TestAccChannelEverything sets every attribute on creation. The server forgets three of the permissions then
// (server-behavior §C8); they are sent again, and no other.
func TestAccChannelEverything(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "all"
	lines, holds := channelEverything(org, t)
	check := func() {
		if err := holds(); err != nil {
			t.Error(err)
		}
	}
	sent := org.Sent()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{
				Config: block("c", name, lines...),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(check), acctest.After(func() {
					words := sent.Words()
					if len(words) != 2 || words[0] != "PATCH can_create_topic_group can_delete_any_message_group can_delete_own_message_group" || !strings.HasPrefix(words[1], "POST ") {
						t.Errorf("sent: %q", words)
					}
				})},
			},
			{
				ResourceName: c, ImportState: true, ImportStateVerify: true, ImportStateId: name,
				// The first two count on creation only, and are not kept by the server. The others the state leaves out.
				ImportStateVerifyIgnore: []string{"announce", "initial_subscribers", "creator_id", "date_created", "folder", "default_push_notifications", "is_archived"},
			}, { // what counts on creation only is changed without a request
				PreConfig:         func() { sent = org.Sent() },
				Config:            block("c", name, append(lines[:6:6], lines[8:]...)...),
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(check), acctest.After(func() { sent.Expect(t) })},
			},
		},
	})
}

// TestAccChannelSubscribers: who is in a new channel. A private one holds the account that manages it, unless told
// otherwise: it could not manage it otherwise.
func TestAccChannelChannelSubscribers(t *testing.T) {
	org := acctest.Start(t)
	who := map[string][]int64{"public": nil, "named": {org.Self.ID}, "private": {org.Self.ID}, "closed": nil}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{
				Config:      block("closed", org.Prefix+"closed", `privacy = "private_shared_history"`, `initial_subscribers = []`),
				ExpectError: acctest.Message("This would lock the provider out"),
			}, {
				Config: block("public", org.Prefix+"public") +
					block("named", org.Prefix+"named", fmt.Sprintf("initial_subscribers = [%q]", fmt.Sprint(org.Self.ID))) +
					block("private", org.Prefix+"private", `privacy = "private_protected_history"`) +
					block("closed", org.Prefix+"closed", `privacy = "private_shared_history"`, `initial_subscribers = []`, `can_add_subscribers_group = ["role:owners"]`),
				ConfigStateChecks: []statecheck.StateCheck{acctest.After(func() {
					for name, want := range who {
						if got := org.Subscribers(t, org.Prefix+name); fmt.Sprint(got) != fmt.Sprint(want) {
							t.Errorf("%s: subscribed are %v, want %v", name, got, want)
						}
					}
				})},
			}, {
				Config:      block("public", org.Prefix+"public", `initial_subscribers = ["nobody.such@example.com"]`) + block("new", org.Prefix+"new", `initial_subscribers = ["nobody.such@example.com"]`),
				ExpectError: acctest.Message(`person or bot with the address "nobody.such@example.com"`),
			},
		},
	})
}

// TestAccChannelLives: replaced, archived by hand, taken back, let go. It is the same channel all along.
func TestAccChannelLives(t *testing.T) {
	org := acctest.Start(t)
	name := org.Prefix + "lives"
	sameID := sameID()
	taken := acctest.Message("Set adopt_archived = true to unarchive it")
	created := plans(plancheck.ExpectResourceAction(c, plancheck.ResourceActionCreate))
	active := acctest.After(func() {
		if org.MustChannel(t, name).IsArchived {
			t.Error("the channel is archived")
		}
	})
	t.Cleanup(func() { org.Archive(t, name) })
	var sent *acctest.Sent
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy: func(*terraform.State) error {
			if len(org.Active(t)) != 1 {
				return fmt.Errorf("on_destroy = \"keep\" did not keep the channel")
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:            block("c", name, `description = "First"`),
				ConfigStateChecks: []statecheck.StateCheck{sameID()},
			}, { // replaced: archived and taken back, for a name is never free again
				PreConfig:        func() { sent = org.Sent() },
				Taint:            []string{c},
				Config:           block("c", name, `description = "Second"`),
				ConfigPlanChecks: plans(plancheck.ExpectResourceAction(c, plancheck.ResourceActionDestroyBeforeCreate)),
				ConfigStateChecks: []statecheck.StateCheck{sameID(), active, acctest.After(func() {
					sent.Expect(t, "DELETE", "PATCH is_archived", "PATCH description")
				})},
			}, {
				PreConfig:   func() { org.Archive(t, name) },
				Config:      block("c", name),
				ExpectError: taken,
			}, {
				Config:            block("c", name, `description = "Third"`, "adopt_archived = true", `can_send_message_group = ["role:moderators"]`),
				ConfigPlanChecks:  created,
				ConfigStateChecks: []statecheck.StateCheck{sameID(), active, attribute("description", knownvalue.StringExact("Third")), attribute("can_send_message_group", principals("role:moderators"))},
			}, { // archived by hand: planned to be there again
				PreConfig:        func() { org.Archive(t, name) },
				Config:           block("c", name, `description = "Third"`, "adopt_archived = true"),
				ConfigPlanChecks: created,
				ConfigStateChecks: []statecheck.StateCheck{sameID(), active, omits("can_send_message_group"), acctest.After(func() {
					if got := org.MustChannel(t, name).Permissions["can_send_message_group"]; got.Group != org.SystemGroup(t, "role:moderators") {
						t.Errorf("what is not managed did not stay: %v", got)
					}
				})},
			}, { // the name of an active channel is refused at plan, whichever of the two is planned first
				Config:      block("c", name, "adopt_archived = true") + block("again", strings.ToUpper(name)),
				ExpectError: regexp.MustCompile(`already exists|Duplicate channel name`),
			}, {
				Config: block("c", name, `on_destroy = "keep"`),
			},
		},
	})
}
