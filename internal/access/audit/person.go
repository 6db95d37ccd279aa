package audit

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The kinds of [Scope].
const (
	inChannel      = "channel"
	overGroup      = "user group"
	inOrganization = "organization"
)

// person limits an audit to one person's access.
func (m *maker) person() error {
	address := m.options.Selection.Person
	if address == "" {
		return nil
	}
	user, err := m.findPerson(address)
	if err != nil {
		return err
	}
	of := m.access.Person(user)
	scopes := m.channelScopes(of)
	if len(m.options.Selection.Channels) == 0 {
		scopes = append(scopes, append(m.groupScopes(of), m.organizationScope(user, of))...)
	}
	can := func(scope *Scope) bool { return len(scope.Permissions) > 0 }
	person := &Person{AccountID: user.ID, Groups: m.memberships(user, of), Scopes: append([]*Scope{}, lists.Where(scopes, can)...)}
	m.keepFindingsOf(user.ID)
	m.audit.Person, m.audit.Channels, m.audit.Groups, m.audit.Permissions = person, []*Channel{}, []*Group{}, []*EffectivePermission{}
	m.named[user.ID] = true
	return nil
}

// findPerson finds a person or bot by address.
func (m *maker) findPerson(address string) (*zulip.User, error) {
	if user, ok := m.view.UserByAddress(address); ok && !user.IsSystemBot {
		return user, nil
	}
	names := suggest.Names{Things: "accounts", All: lists.Map(m.view.Users(), (*zulip.User).Address), Where: "the JSON form of an audit lists all accounts", Unquoted: true}
	return nil, fmt.Errorf("the account sees no one with the email %s%s", address, names.Suggest(address))
}

// memberships are the user groups that a person is in.
func (m *maker) memberships(user *zulip.User, of *permission.Person) []Membership {
	all := []Membership{}
	if !user.IsActive {
		return all
	}
	paths := of.Groups()
	for _, group := range m.activeGroups() {
		if path, in := paths[group.ID]; in {
			all = append(all, Membership{Name: group.Name, Path: path})
		}
	}
	return all
}

// channelScopes are the channels, with what a person can do in each.
func (m *maker) channelScopes(of *permission.Person) []*Scope {
	return lists.Map(m.chosen, func(channel *zulip.Channel) *Scope {
		granted := of.In(m.channelByID[channel.ID].Facts).Permissions
		return &Scope{Kind: inChannel, ID: channel.ID, Name: channel.Name, Permissions: lists.Map(granted, func(one permission.GrantedPermission) PersonPermission {
			return PersonPermission{Name: string(one.Permission), Text: one.Permission.InWords(), Through: append([]string{}, one.Through...)}
		})}
	})
}

// groupScopes are the user groups, with what a person can do with each.
func (m *maker) groupScopes(of *permission.Person) []*Scope {
	return lists.Map(m.activeGroups(), func(group *access.Group) *Scope {
		scope := &Scope{Kind: overGroup, ID: group.ID, Name: group.Name}
		for _, setting := range permission.UserGroupSettings {
			if through := of.InGroup(setting.Name, group.Permissions); len(through) > 0 {
				scope.Permissions = append(scope.Permissions, PersonPermission{Name: setting.Name, Text: setting.Action, Through: through})
			}
		}
		return scope
	})
}

// organizationScope is what a person can do in the organization.
func (m *maker) organizationScope(user *zulip.User, of *permission.Person) *Scope {
	scope := &Scope{Kind: inOrganization}
	for _, setting := range permission.RealmSettings {
		value, has := m.org.Permissions[setting.Name]
		if has && m.access.Admitted(permission.Organizations, setting, value).Has(user.ID) {
			scope.Permissions = append(scope.Permissions, PersonPermission{Name: setting.Name, Text: setting.Action, Through: of.Through(value)})
		}
	}
	return scope
}
