package channels_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

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

// block writes a zulip_channel; lines are its attributes beside the name.
func block(label, name string, lines ...string) string {
	return fmt.Sprintf("resource \"zulip_channel\" %q {\n  name = %q\n  %s\n}\n", label, name, strings.Join(lines, "\n  "))
}

func address(label string) string { return "zulip_channel." + label }

// setting is one attribute with two values of it, in the words of configurations and in those of the wire.
type setting struct {
	name  string
	wire  string // the parameter of an update
	words [2]string
	known [2]knownvalue.Check
	// hand changes the channel by hand to one of the values.
	hand [2]zulip.ChannelUpdate
	// holds reads the attribute of a channel, in a form that %v writes alike for alike values.
	holds func(*zulip.Channel) any
	want  [2]any
}

// settings are all attributes that can be changed at any time, each independent of the others.
func settings(t *testing.T, org *acctest.Organization) []setting {
	t.Helper()
	folders := [2]int64{org.Folder(t, "one"), org.Folder(t, "two")}
	inFolder := func(i int) **int64 { id := &folders[i]; return &id }
	yes, no := true, false
	texts := [2]string{"What it is for", "Another *purpose*"}
	policies := [2]string{"allow_empty_topic", "disable_empty_topic"}
	days := [2]zulip.Retention{{Days: 30}, {Word: "unlimited"}}
	all := []setting{
		{
			name: "description", wire: "description",
			words: [2]string{strconv.Quote(texts[0]), strconv.Quote(texts[1])},
			known: [2]knownvalue.Check{knownvalue.StringExact(texts[0]), knownvalue.StringExact(texts[1])},
			hand:  [2]zulip.ChannelUpdate{{Description: &texts[0]}, {Description: &texts[1]}},
			holds: func(c *zulip.Channel) any { return c.Description }, want: [2]any{texts[0], texts[1]},
		}, {
			// From private, where the account is subscribed by default: a public channel that nobody is in, made private,
			// would shut it out.
			name: "privacy", wire: "is_private",
			words: [2]string{`"private_shared_history"`, `"public"`},
			known: [2]knownvalue.Check{knownvalue.StringExact("private_shared_history"), knownvalue.StringExact("public")},
			hand:  [2]zulip.ChannelUpdate{{IsPrivate: &yes, HistoryPublicToSubscribers: &yes}, {IsPrivate: &no}},
			holds: func(c *zulip.Channel) any { return c.Privacy() }, want: [2]any{zulip.PrivacyPrivateSharedHistory, zulip.PrivacyPublic},
		}, {
			name: "folder_id", wire: "folder_id",
			words: [2]string{fmt.Sprint(folders[0]), fmt.Sprint(folders[1])},
			known: [2]knownvalue.Check{knownvalue.Int64Exact(folders[0]), knownvalue.Int64Exact(folders[1])},
			hand:  [2]zulip.ChannelUpdate{{FolderID: inFolder(0)}, {FolderID: inFolder(1)}},
			holds: func(c *zulip.Channel) any { return *c.FolderID }, want: [2]any{folders[0], folders[1]},
		}, {
			name: "topics_policy", wire: "topics_policy",
			words: [2]string{strconv.Quote(policies[0]), strconv.Quote(policies[1])},
			known: [2]knownvalue.Check{knownvalue.StringExact(policies[0]), knownvalue.StringExact(policies[1])},
			hand:  [2]zulip.ChannelUpdate{{TopicsPolicy: &policies[0]}, {TopicsPolicy: &policies[1]}},
			holds: func(c *zulip.Channel) any { return c.TopicsPolicy }, want: [2]any{policies[0], policies[1]},
		}, {
			name: "message_retention_days", wire: "message_retention_days",
			words: [2]string{`"30"`, `"unlimited"`},
			known: [2]knownvalue.Check{knownvalue.StringExact("30"), knownvalue.StringExact("unlimited")},
			hand:  [2]zulip.ChannelUpdate{{MessageRetentionDays: &days[0]}, {MessageRetentionDays: &days[1]}},
			holds: func(c *zulip.Channel) any { return *c.MessageRetentionDays }, want: [2]any{30, -1},
		}, {
			name: "is_default", wire: "is_default_stream",
			words: [2]string{"true", "false"},
			known: [2]knownvalue.Check{knownvalue.Bool(true), knownvalue.Bool(false)},
			hand:  [2]zulip.ChannelUpdate{{IsDefaultStream: &yes}, {IsDefaultStream: &no}},
			holds: func(c *zulip.Channel) any { return c.IsDefault }, want: [2]any{true, false},
		},
	}
	moderators := zulip.NamedGroup(org.SystemGroup(t, "role:moderators"))
	mixed := zulip.GroupSettingValue{DirectMembers: []int64{org.Self.ID}, DirectSubgroups: []int64{org.SystemGroup(t, "role:administrators")}}
	self := "user:" + org.Self.Address()
	for _, right := range permission.ChannelSettings {
		all = append(all, setting{
			name: right.Name, wire: right.Name,
			words: [2]string{`["role:moderators"]`, fmt.Sprintf(`["role:administrators", %q]`, self)},
			known: [2]knownvalue.Check{principals("role:moderators"), principals("role:administrators", self)},
			hand: [2]zulip.ChannelUpdate{
				{Permissions: map[string]zulip.GroupSettingChange{right.Name: {New: moderators}}},
				{Permissions: map[string]zulip.GroupSettingChange{right.Name: {New: mixed}}},
			},
			holds: func(c *zulip.Channel) any { return c.Permissions[right.Name] },
			want:  [2]any{moderators, mixed},
		})
	}
	return all
}

// principals is a set of exactly these.
func principals(texts ...string) knownvalue.Check {
	var checks []knownvalue.Check
	for _, text := range texts {
		checks = append(checks, knownvalue.StringExact(text))
	}
	return knownvalue.SetExact(checks)
}

// TestAccChannelSettings has one channel for each attribute, so that each is seen alone: nothing else may be sent with
// it, and nothing else may change.
func TestAccChannelSettings(t *testing.T) {
	org := acctest.Start(t)
	all := settings(t, org)
	name := func(s setting) string { return org.Prefix + s.name }
	config := func(value int) string {
		var text strings.Builder
		for _, s := range all {
			text.WriteString(block(s.name, name(s), s.name+" = "+s.words[value]))
		}
		return text.String()
	}
	bare := ""
	var updates []plancheck.PlanCheck
	patches := []string{}
	for _, s := range all {
		bare += block(s.name, name(s))
		updates = append(updates, plancheck.ExpectResourceAction(address(s.name), plancheck.ResourceActionUpdate))
		patches = append(patches, "PATCH "+s.wire)
	}
	shows := func(value int) (checks []statecheck.StateCheck) {
		for _, s := range all {
			checks = append(checks, statecheck.ExpectKnownValue(address(s.name), tfjsonpath.New(s.name), s.known[value]))
		}
		return checks
	}
	holds := func(value int) statecheck.StateCheck {
		return acctest.After(func() {
			for _, s := range all {
				if got := s.holds(org.MustChannel(t, name(s))); fmt.Sprint(got) != fmt.Sprint(s.want[value]) {
					t.Errorf("%s: the server holds %v, want %v", s.name, got, s.want[value])
				}
			}
		})
	}
	byHand := func(value int) {
		for _, s := range all {
			org.Change(t, name(s), s.hand[value])
		}
	}
	var sent *acctest.Sent
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories,
		CheckDestroy:             archived(t, org),
		Steps: []resource.TestStep{
			{
				Config:            config(0),
				ConfigStateChecks: append(shows(0), holds(0)),
			}, { // updated, each with one parameter in one request
				PreConfig:         func() { sent = org.Sent() },
				Config:            config(1),
				ConfigPlanChecks:  plans(updates...),
				ConfigStateChecks: append(shows(1), holds(1), acctest.After(func() { sent.Expect(t, patches...) })),
			}, { // drift made by hand is repaired, and nothing else is sent with it
				PreConfig:         func() { byHand(0); sent = org.Sent() },
				Config:            config(1),
				ConfigPlanChecks:  plans(updates...),
				ConfigStateChecks: append(shows(1), holds(1), acctest.After(func() { sent.Expect(t, patches...) })),
			}, { // what is not configured any more is not managed: it may drift
				PreConfig:         func() { byHand(0); sent = org.Sent() },
				Config:            bare,
				ConfigPlanChecks:  unchanged(),
				ConfigStateChecks: append(shows(0), holds(0), acctest.After(func() { sent.Expect(t) })),
			},
		},
	})
}

// archived checks that a test left no channel active.
func archived(t *testing.T, org *acctest.Organization) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if left := org.Active(t); len(left) > 0 {
			return fmt.Errorf("still active: %s", strings.Join(left, ", "))
		}
		return nil
	}
}
