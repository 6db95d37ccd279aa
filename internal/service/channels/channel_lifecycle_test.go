package channels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// own returns the names of the test's folders without the prefix, in the organization's order, with archived ones in
// brackets.
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

// One apply destroys a folder and moves its channels to another one.
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
	acctest.CLI(t)
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

// The server drops three permissions of a new channel (server-behavior §C8): only these are sent again.
func TestProtocolChannelCreated_EveryAttribute_Resent(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_channel")
	folder := o.Folder(t, "all")
	config := values{
		"name": "all", "description": "Every attribute", "privacy": "public", "folder_id": folder, "topics_policy": "disable_empty_topic",
		"message_retention_days": "90", "is_default": true, "announce": false, "initial_subscribers": []any{o.Self.Address()},
	}
	want := map[string]zulip.GroupSettingValue{}
	for _, setting := range permission.ChannelSettings {
		config[setting.Name], want[setting.Name] = who("role:moderators"), role(t, o, "moderators")
	}
	sent := o.Sent()
	run.MustApply(config)
	words := sent.Words()
	if len(words) != 2 || words[0] != "PATCH can_create_topic_group can_delete_any_message_group can_delete_own_message_group" || !strings.HasPrefix(words[1], "POST ") {
		t.Errorf("sent: %q", words)
	}
	held := o.MustChannel(t, "all")
	for name, value := range want {
		if fmt.Sprint(held.Permissions[name]) != fmt.Sprint(value) {
			t.Errorf("%s is %v, want %v", name, held.Permissions[name], value)
		}
	}
	if held.Description != "Every attribute" || held.FolderID == nil || *held.FolderID != folder || held.TopicsPolicy != "disable_empty_topic" ||
		*held.MessageRetentionDays != 90 || !held.IsDefault || held.Privacy() != zulip.PrivacyPublic {
		t.Errorf("the server holds %+v", held)
	}
	// Attributes that only affect the creation of the channel are changed without a request.
	sent = o.Sent()
	run.MustApply(but(config, values{"announce": nil, "initial_subscribers": nil}))
	sent.Expect(t)
}

// A private channel has the provider's account as a subscriber, because the provider could not manage it otherwise.
func TestProtocolChannelCreated_InitialSubscribers_Subscribed(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_channel")
	self := []int64{o.Self.ID}
	for name, test := range map[string]struct {
		config values
		want   []int64
	}{
		"public":  {values{}, nil},
		"named":   {values{"initial_subscribers": []any{fmt.Sprint(o.Self.ID)}}, self},
		"private": {values{"privacy": "private_protected_history"}, self},
		"closed":  {values{"privacy": "private_shared_history", "initial_subscribers": []any{}, "can_add_subscribers_group": who("role:owners")}, nil},
	} {
		run.Fork().MustApply(but(values{"name": name}, test.config))
		if got := o.Subscribers(t, name); !slices.Equal(got, test.want) {
			t.Errorf("%s: subscribed are %v, want %v", name, got, test.want)
		}
	}
}

// A channel that is replaced, or was archived outside Terraform, is unarchived. It is the same channel, and keeps its
// unmanaged values.
func TestProtocolChannelArchived_Adopted_SameChannel(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_channel")
	run.MustApply(values{"name": "old", "description": "First"})
	id := run.State.Values["id"]
	expect := func(description string) {
		t.Helper()
		if held := o.MustChannel(t, "old"); held.IsArchived || held.Description != description || run.State.Values["id"] != id || called(o, "old") != 1 {
			t.Errorf("the server holds %+v, and the state %v", held, run.State.Values)
		}
	}
	destroy, replaced := run.MustPlan(nil), values{"name": "old", "description": "Second"}
	sent, p := o.Sent(), run.Process()
	_, diags := p.Plan("zulip_channel", destroy.Prior, nil)
	diags.ExpectNoError(t)
	_, diags = p.Apply(destroy)
	diags.ExpectNoError(t)
	create, diags := p.Plan("zulip_channel", &acctest.Instance{}, replaced)
	diags.ExpectNoError(t)
	run.State, diags = p.Apply(create)
	diags.ExpectNoError(t)
	sent.Expect(t, "DELETE", "PATCH is_archived", "PATCH description")
	expect("Second")

	adopted := values{"name": "old", "description": "Third", "adopt_archived": true, "can_send_message_group": who("role:moderators")}
	for _, config := range []values{adopted, but(adopted, values{"can_send_message_group": nil})} {
		o.Archive(t, "old")
		run.MustApply(config)
		expect("Third")
		if got := o.MustChannel(t, "old").Permissions["can_send_message_group"]; got.Group != o.SystemGroup(t, "role:moderators") {
			t.Errorf("moderators could send messages, and now it is %v", got)
		}
	}
	run.MustApply(values{"name": "old", "on_destroy": "keep"})
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	if o.MustChannel(t, "old").IsArchived {
		t.Error(`on_destroy = "keep" did not keep the channel`)
	}
}
