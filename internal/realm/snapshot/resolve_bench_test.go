package snapshot

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// BenchmarkResolvePrincipals converts a permission of three principals to its value and back, in a small and in a large
// organization. The time must not grow with the organization.
func BenchmarkResolvePrincipals(b *testing.B) {
	for _, size := range []struct{ people, groups int }{{50, 10}, {5_000, 200}, {50_000, 2_000}} {
		var facts Facts
		for _, part := range []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers} {
			facts.Take(organizationOf(size.people, size.groups), part)
		}
		view := New(facts, new(runstate.State))
		principals := []permission.Principal{
			mustParse(b, "role:moderators"), mustParse(b, fmt.Sprintf("group:team-%d", size.groups/2)),
			mustParse(b, fmt.Sprintf("user:person%d@example.com", size.people/2)),
		}
		b.Run(fmt.Sprintf("%d people, %d groups", size.people, size.groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resolution, problems := permission.Resolve(principals, view)
				if len(problems) > 0 {
					b.Fatal(problems)
				}
				if back := permission.Format(resolution.Value, view, principals); len(back) != len(principals) {
					b.Fatalf("came back as %v", back)
				}
			}
		})
	}
}

func mustParse(b *testing.B, text string) permission.Principal {
	b.Helper()
	principal, err := permission.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	return principal
}

// organizationOf returns an organization with a system group, and n people and groups.
func organizationOf(people, groups int) *zulip.RegisterAnswer {
	snapshot := &zulip.RegisterAnswer{
		Realm:      &zulip.Realm{},
		UserGroups: []*zulip.UserGroup{{ID: 1, Name: "role:moderators", IsSystemGroup: true}},
	}
	for i := range people {
		email := fmt.Sprintf("person%d@example.com", i)
		snapshot.Users = append(snapshot.Users, &zulip.User{ID: int64(i + 1), FullName: fmt.Sprintf("Person %d", i), Email: email, DeliveryEmail: &email, Role: zulip.RoleMember, IsActive: true})
	}
	for i := range groups {
		snapshot.UserGroups = append(snapshot.UserGroups, &zulip.UserGroup{ID: int64(i + 100), Name: fmt.Sprintf("team-%d", i)})
	}
	return snapshot
}
