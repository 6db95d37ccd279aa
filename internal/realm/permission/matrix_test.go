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

// matrix tells whom a real server let do a thing, for rights, kinds of channel and values.
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

// tried are the accounts that were asked to try.
func (r *matrixRow) tried(account string) bool {
	_, refused := r.Refusals[account]
	return refused || slices.Contains(r.Allowed, account)
}

// recordedOrganization is the organization in which the rows were tried.
type recordedOrganization struct {
	facts    permission.AccessInput
	accounts map[string]int64
	groups   map[string]int64
}

func newRecordedOrganization(m *matrix) *recordedOrganization {
	o := &recordedOrganization{accounts: map[string]int64{}, groups: map[string]int64{}}
	for i, account := range slices.Sorted(maps.Keys(m.Accounts)) {
		o.accounts[account] = int64(i + 1)
	}
	admin := o.accounts["admin"]
	for account, id := range o.accounts {
		user := &zulip.User{ID: id, Email: account, Role: m.Accounts[account].Role, IsActive: true, IsBot: m.Accounts[account].IsBot}
		if user.IsBot {
			user.BotOwnerID = &admin
		}
		o.facts.Users = append(o.facts.Users, user)
	}
	o.facts.Groups = systemGroups(o.facts.Users, func(*zulip.User) bool { return true })
	for _, group := range o.facts.Groups {
		o.groups[group.Name] = group.ID
	}
	for i, name := range slices.Sorted(maps.Keys(m.Groups)) {
		o.groups[name] = int64(100 + i)
	}
	for name, principals := range m.Groups {
		value := o.value(principals)
		if value.IsNamed() {
			value = zulip.GroupSettingValue{DirectSubgroups: []int64{value.Group}}
		}
		o.facts.Groups = append(o.facts.Groups, &zulip.UserGroup{
			ID: o.groups[name], Name: name, Members: value.DirectMembers, DirectSubgroupIDs: value.DirectSubgroups,
		})
	}
	o.facts.Realm = &zulip.Realm{Permissions: map[string]zulip.GroupSettingValue{}}
	for setting, principal := range m.OrganizationSettings {
		o.facts.Realm.Permissions[setting] = o.value([]string{principal})
	}
	return o
}

// value is the group-setting value of principals as the matrix writes them.
func (o *recordedOrganization) value(principals []string) zulip.GroupSettingValue {
	var value zulip.GroupSettingValue
	for _, principal := range principals {
		switch kind, name, _ := strings.Cut(principal, ":"); kind {
		case "user":
			value.DirectMembers = append(value.DirectMembers, o.accounts[name])
		case "group":
			value.DirectSubgroups = append(value.DirectSubgroups, o.groups[name])
		default:
			value.DirectSubgroups = append(value.DirectSubgroups, o.groups[principal])
		}
	}
	return permission.Canonical(value, o.groups["role:nobody"])
}

// channel is the channel of a row, as it was when the accounts tried.
func (o *recordedOrganization) channel(row *matrixRow) permission.Channel {
	channel := permission.Channel{Privacy: row.Privacy, SubscribersKnown: true, Permissions: map[string]zulip.GroupSettingValue{}}
	for _, setting := range permission.ChannelSettings {
		channel.Permissions[setting.Name] = zulip.NamedGroup(o.groups["role:nobody"])
	}
	everyone := zulip.NamedGroup(o.groups["role:everyone"])
	channel.Permissions["can_send_message_group"], channel.Permissions["can_create_topic_group"] = everyone, everyone
	// For the three rights over who is in the channel nobody administered it.
	if !strings.Contains(row.Setting, "subscribe") {
		channel.Permissions["can_administer_channel_group"] = zulip.GroupSettingValue{DirectMembers: []int64{o.accounts["owner"]}}
	}
	channel.Permissions[row.Setting] = o.value(row.Value)
	channel.Subscribers = []int64{o.accounts["owner"]}
	if row.Subscribed {
		channel.Subscribers = slices.Collect(maps.Values(o.accounts))
	}
	if row.Setting == "can_remove_subscribers_group" {
		// Whom the others were to take out was put in before each try, and was still in
		// when it was the own turn, for nobody before it could.
		channel.Subscribers = append(channel.Subscribers, o.accounts["member"])
	}
	return channel
}

func TestConformanceEffectiveAccess(t *testing.T) {
	data, err := os.ReadFile("testdata/access/matrix.json")
	if err != nil {
		t.Fatal(err)
	}
	var m matrix
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	o := newRecordedOrganization(&m)
	access := permission.NewAccess(o.facts)
	alike := 0
	for i, row := range m.Rows {
		who, certain := access.Can(permission.Right(row.Setting), o.channel(&row))
		var can []string
		for user := range who.All() {
			if row.tried(user.Email) {
				can = append(can, user.Email)
			}
		}
		want := slices.Sorted(slices.Values(row.Allowed))
		if slices.Sort(can); !slices.Equal(can, want) || !certain {
			t.Errorf("[%d] %s, %s, subscribed %t, %v: %v (certain: %t), the server let %v", i, row.Setting, row.Privacy, row.Subscribed, row.Value, can, certain, want)
			continue
		}
		alike++
	}
	fmt.Printf("effective access: alike %d/%d\n", alike, len(m.Rows))
}
