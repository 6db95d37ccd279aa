package audit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// matrix tells whom a real server let do a thing; the package permission has the same data.
type matrix struct {
	Accounts map[string]struct {
		Role  zulip.Role `json:"role"`
		IsBot bool       `json:"is_bot"`
	} `json:"accounts"`
	Groups               map[string][]string `json:"groups"`
	OrganizationSettings map[string]string   `json:"organization_settings"`
	Rows                 []matrixRow         `json:"rows"`
}

type matrixRow struct {
	Setting    string            `json:"setting"`
	Privacy    zulip.Privacy     `json:"privacy"`
	Subscribed bool              `json:"subscribed"`
	Value      []string          `json:"value"`
	Allowed    []string          `json:"allowed"`
	Refusals   map[string]string `json:"refusals"`
}

// recorded is the organization of the matrix, with a channel for each row.
type recorded struct {
	facts    zulip.RegisterAnswer
	accounts map[string]int64
	groups   map[string]int64
}

func newRecorded(m *matrix) *recorded {
	r := &recorded{accounts: map[string]int64{}, groups: map[string]int64{}}
	for i, account := range slices.Sorted(maps.Keys(m.Accounts)) {
		r.accounts[account] = int64(i + 1)
	}
	admin := r.accounts["admin"]
	byRole := map[zulip.Role][]int64{}
	for account, id := range r.accounts {
		user := &zulip.User{ID: id, Email: account, Role: m.Accounts[account].Role, IsActive: true, IsBot: m.Accounts[account].IsBot}
		if user.IsBot {
			user.BotOwnerID = &admin
		}
		r.facts.Users, byRole[user.Role] = append(r.facts.Users, user), append(byRole[user.Role], id)
	}
	below := []int64(nil)
	for i, role := range []struct {
		name    string
		members []int64
	}{
		{"role:nobody", nil}, {"role:owners", byRole[zulip.RoleOwner]}, {"role:administrators", byRole[zulip.RoleAdministrator]},
		{"role:moderators", byRole[zulip.RoleModerator]}, {"role:fullmembers", byRole[zulip.RoleMember]}, {"role:members", byRole[zulip.RoleMember]},
		{"role:everyone", byRole[zulip.RoleGuest]},
	} {
		id := int64(50 + i)
		r.groups[role.name] = id
		r.facts.UserGroups = append(r.facts.UserGroups, &zulip.UserGroup{ID: id, Name: role.name, IsSystemGroup: true, Members: role.members, DirectSubgroupIDs: below})
		if below = []int64{id}; role.name == "role:nobody" {
			below = nil
		}
	}
	for i, name := range slices.Sorted(maps.Keys(m.Groups)) {
		r.groups[name] = int64(100 + i)
	}
	for name, principals := range m.Groups {
		members, subgroups := r.ids(principals)
		r.facts.UserGroups = append(r.facts.UserGroups, &zulip.UserGroup{ID: r.groups[name], Name: name, Members: members, DirectSubgroupIDs: subgroups})
	}
	r.facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principal := range m.OrganizationSettings {
		r.facts.Realm.Permissions[setting] = r.value([]string{principal})
	}
	for i := range m.Rows {
		r.facts.Channels = append(r.facts.Channels, r.channel(int64(i+1), &m.Rows[i]))
	}
	return r
}

func (r *recorded) ids(principals []string) (members, subgroups []int64) {
	for _, principal := range principals {
		switch kind, name, _ := strings.Cut(principal, ":"); kind {
		case "user":
			members = append(members, r.accounts[name])
		case "group":
			subgroups = append(subgroups, r.groups[name])
		default:
			subgroups = append(subgroups, r.groups[principal])
		}
	}
	return members, subgroups
}

func (r *recorded) value(principals []string) zulip.GroupSettingValue {
	members, subgroups := r.ids(principals)
	return permission.Canonical(zulip.GroupSettingValue{DirectMembers: members, DirectSubgroups: subgroups}, r.groups["role:nobody"])
}

// channel is the channel of a row, as it was when the accounts tried.
func (r *recorded) channel(id int64, row *matrixRow) *zulip.Channel {
	channel := &zulip.Channel{
		ID: id, Name: fmt.Sprintf("row %d", id-1), IsWebPublic: row.Privacy == zulip.PrivacyWebPublic, InviteOnly: row.Privacy.IsPrivate(),
		HistoryPublicToSubscribers: row.Privacy != zulip.PrivacyPrivateProtectedHistory, Permissions: map[string]zulip.GroupSettingValue{},
	}
	for _, setting := range permission.ChannelSettings {
		channel.Permissions[setting.Name] = zulip.NamedGroup(r.groups["role:nobody"])
	}
	everyone := zulip.NamedGroup(r.groups["role:everyone"])
	channel.Permissions["can_send_message_group"], channel.Permissions["can_create_topic_group"] = everyone, everyone
	if !strings.Contains(row.Setting, "subscribe") { // nobody administered the channel when these rights were tried
		channel.Permissions["can_administer_channel_group"] = zulip.GroupSettingValue{DirectMembers: []int64{r.accounts["owner"]}}
	}
	channel.Permissions[row.Setting] = r.value(row.Value)
	subscribers := []int64{r.accounts["owner"]}
	if row.Subscribed {
		subscribers = slices.Sorted(maps.Values(r.accounts))
	}
	if row.Setting == "can_remove_subscribers_group" { // whom the others were to take out was put in before
		subscribers = append(subscribers, r.accounts["member"])
	}
	if r.facts.Subscribers == nil {
		r.facts.Subscribers = map[int64][]int64{}
	}
	r.facts.Subscribers[id] = subscribers
	return channel
}

// An audit says of every row of the matrix what the server did, and of everybody who can through what.
func TestConformanceAuditOfTheAccessMatrix(t *testing.T) {
	data, err := os.ReadFile("../../realm/permission/testdata/access/matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	var m matrix
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	r := newRecorded(&m)
	var facts snapshot.Facts
	for _, part := range []string{zulip.FetchRealm, zulip.FetchUserGroups, zulip.FetchUsers, zulip.FetchChannels, zulip.FetchSubscribers} {
		facts.Take(&r.facts, part)
	}
	view := snapshot.New(facts, new(runstate.State))
	owner, _ := view.UserByAddress("owner")
	from := audit.Input{View: view, Self: owner, Subscribers: r.facts.Subscribers}
	a, err := audit.Of(from, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	through := map[string]map[string][]string{} // by account, by channel and right
	for account := range m.Accounts {
		one, err := audit.Of(from, audit.Options{Selection: audit.Selection{Person: account}})
		if err != nil {
			t.Fatal(err)
		}
		through[account] = map[string][]string{}
		for _, scope := range one.Person.Scopes {
			for _, right := range scope.Rights {
				through[account][scope.Name+right.Name] = right.Through
			}
		}
	}
	channels := map[string]*audit.Channel{}
	for _, channel := range a.Channels {
		channels[channel.Name] = channel
	}
	alike := 0
	for i, row := range m.Rows {
		name := fmt.Sprintf("row %d", i)
		at := slices.IndexFunc(channels[name].Rights, func(right *audit.Right) bool { return right.Name == row.Setting })
		right := channels[name].Rights[at]
		var can []string
		for account, id := range r.accounts {
			_, refused := row.Refusals[account]
			has := slices.Contains(a.Sets[right.People].IDs(), id)
			if has && (refused || slices.Contains(row.Allowed, account)) {
				can = append(can, account)
			}
			if sources := through[account][name+row.Setting]; has != (len(sources) > 0) {
				t.Errorf("%s: %s can %s: %t, through %q", name, account, row.Setting, has, sources)
			}
		}
		slices.Sort(can)
		if want := slices.Sorted(slices.Values(row.Allowed)); !slices.Equal(can, want) || right.Unknown {
			t.Errorf("%s, %s, %s: %v, the server let %v", name, row.Setting, row.Privacy, can, want)
			continue
		}
		alike++
	}
	fmt.Printf("audit: alike %d/%d\n", alike, len(m.Rows))
}
