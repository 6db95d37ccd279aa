package channel_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// BenchmarkPlanOneChannel refreshes and plans one of many channels, in a process that has read the organization. It costs
// the same however large the organization is.
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
