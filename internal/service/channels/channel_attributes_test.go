package channels_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/attributetest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	resourceattribute "github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/channels"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// samples are channels as a server shows them, two for each row of the table of attributes.
func samples(folder int64) attributetest.Samples {
	return attributetest.Samples{
		"id":                         {`{"stream_id": 1}`, `{"stream_id": 2}`},
		"name":                       {`{"name": "sampled"}`, `{"name": "renamed"}`},
		"description":                {`{"description": "before"}`, `{"description": "after"}`},
		"privacy":                    {`{}`, `{"invite_only": true, "history_public_to_subscribers": true}`},
		"folder_id":                  {`{"folder_id": null}`, fmt.Sprintf(`{"folder_id": %d}`, folder)},
		"folder":                     {`{"folder_id": null}`, fmt.Sprintf(`{"folder_id": %d}`, folder)},
		"topics_policy":              {`{"topics_policy": "inherit"}`, `{"topics_policy": "disable_empty_topic"}`},
		"message_retention_days":     {`{"message_retention_days": null}`, `{"message_retention_days": 30}`},
		"is_default":                 {`{"is_default": false}`, `{"is_default": true}`},
		"default_push_notifications": {`{"default_push_notifications": false}`, `{"default_push_notifications": true}`},
		"url":                        {`{"stream_id": 1}`, `{"stream_id": 2}`},
	}
}

// withFolder returns the context of the rows in an organization with a folder.
func withFolder(id int64) resourceattribute.Env {
	var facts snapshot.Facts
	facts.Take(&zulip.RegisterAnswer{Folders: []*zulip.ChannelFolder{{ID: id, Name: "Operations"}}}, zulip.FetchFolders)
	facts.Take(&zulip.RegisterAnswer{UserGroups: []*zulip.UserGroup{
		{ID: 2, Name: "role:nobody", IsSystemGroup: true}, {ID: 3, Name: "role:everyone", IsSystemGroup: true},
		{ID: 4, Name: "role:administrators", IsSystemGroup: true}, {ID: 5, Name: "leads"},
	}}, zulip.FetchUserGroups)
	return resourceattribute.Env{View: snapshot.New(facts, new(runstate.State)), Account: 6, FeatureLevel: featurelevel.Newest}
}

// Defaults that are no longer those of the private state are not taken for what was read. Another account can read it,
// and so can the account after an upgrade of the server.
func TestChannelPrivateState_OtherDefaults_Unread(t *testing.T) {
	var diags diag.Diagnostics
	env, created := withFolder(1), new(zulip.Channel)
	if err := json.Unmarshal([]byte(`{"topics_policy": "inherit", "default_push_notifications": false,
		"can_administer_channel_group": {"direct_members": [6], "direct_subgroups": []}, "can_send_message_group": 3}`), created); err != nil {
		t.Fatal(err)
	}
	private := channels.Attributes.PrivateStateOf(new(channels.Fields), created, nil, env, &diags)
	for name, test := range map[string]struct {
		change   func(*resourceattribute.Env)
		isUnread bool
	}{
		"the same":              {func(*resourceattribute.Env) {}, false},
		"another account":       {func(env *resourceattribute.Env) { env.Account = 7 }, false},
		"another level":         {func(env *resourceattribute.Env) { env.FeatureLevel = featurelevel.Oldest }, false},
		"other groups as roles": {func(env *resourceattribute.Env) { env.View = snapshot.New(snapshot.Facts{}, new(runstate.State)) }, true},
	} {
		now := env
		test.change(&now)
		prior := channels.Attributes.PriorWithPrivate(new(channels.Fields), *private, nil, now, &diags)
		if isUnread := len(prior.NotStored) == len(channels.Attributes.Omittable()); isUnread != test.isUnread || !isUnread && len(prior.NotStored) > 0 {
			t.Errorf("%s: not read are %v", name, prior.NotStored)
		}
		if !test.isUnread && !reflect.DeepEqual(prior.Permissions, created.Permissions) {
			t.Errorf("%s: the permissions are %v, not %v", name, prior.Permissions, created.Permissions)
		}
	}
	if diags.HasError() {
		t.Error(diags)
	}
}

func TestChannelEveryAttribute(t *testing.T) {
	test := attributetest.Of(channels.Attributes, samples(1))
	test.Env = withFolder(1)
	test.Check(t)
	for name, one := range channels.CreationAttributes() {
		if one.IsComputed() && !one.IsOptional() {
			t.Errorf("%s: the server knows it, and it is in no row of the table", name)
		}
	}
}

func TestProtocolChannelEveryAttribute(t *testing.T) {
	start := func(t *testing.T) *acctest.Run {
		_, run := managedAt(t, featurelevel.Newest)
		return run
	}
	o, _ := managedAt(t, featurelevel.Newest) // all samples have the same folder
	folder := *o.MustChannel(t, "incidents").FolderID
	test := attributetest.Of(channels.Attributes, samples(folder))
	test.Env = withFolder(folder)
	test.Apply(t, start, values{"name": "sampled", "initial_subscribers": who(o.Self.Email)})
}

// BenchmarkPlanOneChannel refreshes and plans one of many channels, in a process that has read the organization. The
// time doesn't grow with the organization.
func BenchmarkPlanOneChannel(b *testing.B) {
	for _, size := range []int{20, 2000} {
		b.Run(fmt.Sprintf("%d channels, %d people", size, size), func(b *testing.B) {
			accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: rules.RoleOwner}}
			for i := range size {
				accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: fmt.Sprintf("m%d@example.com", i), FullName: fmt.Sprint("Member ", i), Role: rules.RoleMember}
			}
			server, err := sandbox.New(sandbox.Config{Accounts: accounts})
			if err != nil {
				b.Fatal(err)
			}
			if err := server.Start("127.0.0.1:0"); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = server.Close() })
			owner, _ := server.Credentials("owner")
			block := values{"site": server.URL(), "email": owner.Email, "api_key": owner.APIKey}
			client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey})
			if err != nil {
				b.Fatal(err)
			}
			for i := range size {
				if _, _, err := client.CreateChannel(b.Context(), zulip.ChannelCreate{Name: fmt.Sprint("room ", i)}); err != nil {
					b.Fatal(err)
				}
			}

			p := acctest.NewRun(context.Background(), b, "zulip_channel", block).Process()
			imported, diags := p.Import("zulip_channel", "room 7", nil)
			diags.ExpectNoError(b)
			config := values{
				"name": "room 7", "description": "Another", "can_send_message_group": who("role:members", "user:m3@example.com"),
				"can_add_subscribers_group": who("role:moderators", "user:m5@example.com"),
			}
			b.ReportAllocs()
			for b.Loop() {
				state, diags := p.Read("zulip_channel", imported)
				diags.ExpectNoError(b)
				_, diags = p.Plan("zulip_channel", state, config)
				diags.ExpectNoError(b)
			}
		})
	}
}
