package permission_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// largeFacts is an organization with nested groups, ten deep, of 100 direct members each; one person in 50 is a guest,
// one in 20 a bot.
func largeFacts(people, groups int) permission.AccessInput {
	facts := permission.AccessInput{Realm: &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}}
	for i := range people {
		user := &zulip.User{
			ID: int64(i + 1), Role: zulip.RoleMember, IsActive: true,
			FullName: fmt.Sprintf("Person %d", i), Email: fmt.Sprintf("person%d@example.com", i),
		}
		switch {
		case i < 10:
			user.Role = zulip.RoleOwner
		case i%50 == 0:
			user.Role = zulip.RoleGuest
		case i%20 == 0:
			owner := int64(i - 1)
			user.IsBot, user.BotOwnerID = true, &owner
		}
		facts.Users = append(facts.Users, user)
	}
	facts.Groups = systemGroups(facts.Users, func(*zulip.User) bool { return true })
	for i := range groups {
		group := &zulip.UserGroup{ID: int64(100 + i), Name: fmt.Sprintf("group %d", i)}
		for member := range 100 {
			group.Members = append(group.Members, int64((i*37+member*11)%people+1))
		}
		if i%10 > 0 {
			group.DirectSubgroupIDs = []int64{group.ID - 1}
		}
		facts.Groups = append(facts.Groups, group)
	}
	return facts
}

func BenchmarkNewAccess(b *testing.B) {
	for _, size := range []struct{ people, groups int }{{5_000, 200}, {50_000, 2_000}} {
		facts := largeFacts(size.people, size.groups)
		b.Run(fmt.Sprintf("%d people, %d groups", size.people, size.groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				permission.NewAccess(facts)
			}
		})
	}
}

func BenchmarkAllRightsOfAChannel(b *testing.B) {
	access := permission.NewAccess(largeFacts(50_000, 2_000))
	channel := but(open(zulip.PrivacyPrivateSharedHistory, 1, 2, 3), permission.CanSendMessage, zulip.NamedGroup(2_000))
	b.ReportAllocs()
	for b.Loop() {
		for _, right := range permission.Rights {
			access.Can(right, channel)
		}
	}
}

// BenchmarkReview is the review of a plan of 1,000 changed channels in an organization of 5,000 people.
func BenchmarkReview(b *testing.B) {
	facts := largeFacts(5_000, 200)
	for b.Loop() {
		review(permission.NewAccess(facts), 1_000)
	}
}

func review(access *permission.Access, channels int) (effects int) {
	for i := range channels {
		privacy := zulip.Privacies[i%len(zulip.Privacies)]
		before := open(privacy, int64(i+1), int64(i+2))
		after := but(before, permission.CanSendMessage, zulip.NamedGroup(int64(100+i%200)))
		after = but(after, permission.CanAdministerChannel, zulip.GroupSettingValue{DirectMembers: []int64{int64(i + 7)}})
		effects += len(permission.Compare(permission.ChannelRights{Access: access, Channel: before}, permission.ChannelRights{Access: access, Channel: after}))
	}
	return effects
}

func TestAReviewOfAThousandChannelsTakesNoTime(t *testing.T) {
	facts := largeFacts(5_000, 200)
	began := time.Now()
	if effects := review(permission.NewAccess(facts), 1_000); effects < 1_000 {
		t.Errorf("%d effects", effects)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s, and may take 3 s", took)
	}
}
