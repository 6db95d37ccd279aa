package permission_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// situation is one account that tried one right in one channel of a real server, at feature level 442, where effective
// access once said something else.
type situation struct {
	Miss       string                 `json:"miss"` // "access"; the others are in package review
	Right      permission.Right       `json:"right"`
	Who        string                 `json:"who"`
	Kind       []any                  `json:"kind"`  // of the account: role at first, bot type, owner, days since joining
	Roles      map[string][]any       `json:"roles"` // role, whether active
	Said       any                    `json:"said"`
	Real       any                    `json:"real"` // booleans
	Words      any                    `json:"words"`
	Subscribed bool                   `json:"subscribed"`
	Waiting    int                    `json:"waiting"`
	Groups     map[string][2][]string `json:"groups"` // members and subgroups
	// Organization are the organization's rights.
	Organization map[string][]string `json:"organization"`
	Channel      struct {
		Privacy     zulip.Privacy       `json:"privacy"`
		IsArchived  bool                `json:"archived"`
		Permissions map[string][]string `json:"permissions"`
		Subscribers []string            `json:"subscribers"`
	} `json:"all"`
}

// isAlreadyIn reports whether the account was in the channel when it tried to come into it. The server's answer to who is
// in a channel already is success, whether the account could come in or not.
func (s *situation) isAlreadyIn() bool {
	return s.Right == permission.CanSubscribe && s.Subscribed && s.Words == float64(200)
}

// deactivated is the account that was deactivated before all rows.
const deactivated = "orc-gone"

// organization makes the facts of a situation: of the others in it no more is known than that they are members.
func (s *situation) organization(t *testing.T) *recordedOrganization {
	t.Helper()
	o := &recordedOrganization{accounts: map[string]int64{}, groups: map[string]int64{}}
	add := func(name string) {
		if _, known := o.accounts[name]; known {
			return
		}
		user := &zulip.User{ID: int64(1000 + len(o.accounts)), Email: name, Role: zulip.RoleMember, IsActive: name != deactivated}
		o.accounts[name] = user.ID
		o.facts.Users = append(o.facts.Users, user)
	}
	add(s.Who)
	lists := slices.Concat(slices.Collect(maps.Values(s.Organization)), slices.Collect(maps.Values(s.Channel.Permissions)))
	for _, group := range s.Groups {
		lists = append(lists, group[0])
	}
	for _, list := range append(lists, s.Channel.Subscribers) {
		for _, principal := range list {
			if kind, name, _ := strings.Cut(principal, ":"); kind == "user" {
				add(name)
			} else if name == "" {
				add(principal)
			}
		}
	}
	who := o.facts.Users[0]
	role, ok := zulip.ParseRole(fmt.Sprint(s.Roles[s.Who][0]))
	if !ok {
		t.Fatalf("%v is no role", s.Roles[s.Who])
	}
	who.Role, who.IsActive = role, s.Roles[s.Who][1] == true
	if kind, isBot := s.Kind[1].(float64); isBot {
		kind := int64(kind)
		who.IsBot, who.BotType = true, &kind
		add(fmt.Sprint(s.Kind[2]))
		owner := o.accounts[fmt.Sprint(s.Kind[2])]
		who.BotOwnerID = &owner
	}
	if s.Waiting != 0 {
		t.Fatal("with a waiting period it is not known who is a full member")
	}
	o.facts.Groups = systemGroups(o.facts.Users, func(*zulip.User) bool { return true })
	for _, group := range o.facts.Groups {
		o.groups[group.Name] = group.ID
	}
	for i, name := range slices.Sorted(maps.Keys(s.Groups)) {
		o.groups[name] = int64(100 + i)
	}
	for name, group := range s.Groups {
		made := &zulip.UserGroup{ID: o.groups[name], Name: name}
		for _, member := range group[0] {
			made.Members = append(made.Members, o.accounts[member])
		}
		for _, subgroup := range group[1] {
			made.DirectSubgroupIDs = append(made.DirectSubgroupIDs, o.groups[subgroup])
		}
		o.facts.Groups = append(o.facts.Groups, made)
	}
	o.facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principals := range s.Organization {
		o.facts.Realm.Permissions[setting] = o.value(principals)
	}
	return o
}

func TestConformanceWhereEffectiveAccessWasWrong(t *testing.T) {
	data, err := os.ReadFile("testdata/access/misses.json")
	if err != nil {
		t.Fatal(err)
	}
	var situations []situation
	if err := json.Unmarshal(data, &situations); err != nil {
		t.Fatal(err)
	}
	tried, alike := 0, 0
	for i, s := range situations {
		if s.Miss != "access" {
			continue
		}
		tried++
		o := s.organization(t)
		channel := permission.Channel{
			Privacy: s.Channel.Privacy, IsArchived: s.Channel.IsArchived, SubscribersKnown: true, Permissions: map[string]zulip.GroupSettingValue{},
		}
		for setting, principals := range s.Channel.Permissions {
			channel.Permissions[setting] = o.value(principals)
		}
		for _, name := range s.Channel.Subscribers {
			channel.Subscribers = append(channel.Subscribers, o.accounts[name])
		}
		want := s.Real == true
		if s.isAlreadyIn() {
			want = s.Said == true
		}
		who, certain := permission.NewAccess(o.facts).Can(s.Right, channel)
		if can := who.Has(o.accounts[s.Who]); can != want || !certain {
			t.Errorf("[%d] %s by %s %v in a %s channel: %t (certain: %t), the server: %v", i, s.Right, s.Who, s.Kind, s.Channel.Privacy, can, certain, s.Words)
			continue
		}
		alike++
	}
	fmt.Printf("effective access where it was wrong: alike %d/%d\n", alike, tried)
}
