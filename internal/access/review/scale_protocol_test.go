package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// many is an organization of so many people, and a plan that changes so many channels of it.
func many(t testing.TB, people, channels int) (server *sandbox.Server, dir *store.Store, plan string) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range people {
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: fmt.Sprintf("m%d@example.com", i), FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
	}
	server, err := sandbox.New(sandbox.Config{Accounts: accounts})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	changes := []object{}
	for i := range channels {
		name := fmt.Sprint("room ", i)
		id, _, err := client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		before, after := object{"id": id, "name": name}, object{"id": id, "name": name}
		before["can_send_message_group"] = []string{"role:everyone"}
		// Each channel loses its own people, so that no two are alike.
		after["can_send_message_group"] = []string{"role:administrators", fmt.Sprintf("user:m%d@example.com", i)}
		changes = append(changes, object{
			"address": fmt.Sprintf("zulip_channel.x[%d]", i), "mode": "managed", "type": "zulip_channel",
			"provider_name": "registry.example.com/zulip-iac/zulip",
			"change":        object{"actions": []string{"update"}, "before": before, "after": after, "after_unknown": object{}},
		})
	}
	data, err := json.Marshal(object{"format_version": "1.2", "planned_values": object{}, "resource_changes": changes})
	if err != nil {
		t.Fatal(err)
	}
	return server, store.New(client, self, 0, new(runstate.State)), string(data)
}

// A thousand channels in an organization of five thousand cost one snapshot, and a comment that is short enough says what
// it leaves out.
func TestProtocolReviewOfALargePlan(t *testing.T) {
	const channels = 1000
	server, dir, plan := many(t, 5000, channels)
	before := len(server.Journal().Requests(sandbox.Filter{}))
	found := reviewWith(t, dir, plan)
	requests := server.Journal().Requests(sandbox.Filter{})[before:]
	if len(requests) != 2 || requests[0].Path != "/register" {
		t.Errorf("the review sent %d requests, the first to %s", len(requests), requests[0].Path)
	}
	if len(found.Channels) != channels {
		t.Fatalf("the review has %d channels", len(found.Channels))
	}
	for _, channel := range found.Channels {
		if right := channel.Rights[0]; right.Name != "can_send_message_group" || right.Lose.Len() != 4999 {
			t.Fatalf("in %s %d lose %s", channel.Name, right.Lose.Len(), right.Name)
		}
	}
	text := markdownOf(t, found)
	if len(text) >= markdown.MaxLength || len(text) < markdown.MaxLength/2 {
		t.Errorf("the Markdown has %d bytes", len(text))
	}
	expectText(t, text, "lines are left out here", "5,000 accounts lose a right", "`room 0`")
}

func BenchmarkReviewOfALargePlan(b *testing.B) {
	_, dir, plan := many(b, 5000, 1000)
	for b.Loop() {
		dir.Invalidate(store.Channels, store.Users, store.UserGroups, store.Organization, store.Subscribers)
		markdownOf(b, reviewWith(b, dir, plan))
	}
}
