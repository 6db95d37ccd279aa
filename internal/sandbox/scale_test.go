package sandbox

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// BenchmarkSnapshot reads an organization of 5,000 people and 5,000 channels,
// which must take a time proportional to both.
func BenchmarkSnapshot(b *testing.B) {
	accounts := map[string]Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: rules.RoleOwner}}
	for i := range 5000 {
		accounts[fmt.Sprint("member", i)] = Account{Email: fmt.Sprintf("m%d@example.com", i), FullName: fmt.Sprint("Member ", i), Role: rules.RoleMember}
	}
	s, err := New(Config{Accounts: accounts})
	requireNoError(b, err)
	requireNoError(b, s.Start("127.0.0.1:0"))
	defer s.Close()
	p := &replay{server: s, bound: map[string]int{}}
	owner, _ := s.Credentials("owner")
	var creators []any
	for id := range 20 {
		creators = append(creators, owner.ID+id)
	}
	for i := range 5000 {
		got, err := p.askAs(owner, exchange{
			Method: "POST", Path: apiPrefix + "/channels/create",
			Form: map[string]string{"name": fmt.Sprint("channel ", i)}, JSON: map[string]any{"subscribers": creators},
		})
		if err != nil || got.status != 200 {
			b.Fatal(got.text, err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		got, err := p.askAs(owner, exchange{
			Method: "POST", Path: apiPrefix + "/register",
			JSON: map[string]any{"fetch_event_types": []any{"stream", "realm_user", "realm_user_groups"}},
		})
		if err != nil || len(got.body["streams"].([]any)) != 5000 {
			b.Fatal(got.status, err)
		}
	}
}
