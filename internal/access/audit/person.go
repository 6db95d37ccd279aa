package audit

import (
	"fmt"

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
	p := &personMaker{maker: m, user: user, access: m.access.Person(user), person: &Person{AccountID: user.ID, Groups: []Membership{}, Scopes: []*Scope{}}}
	p.groups()
	p.channels()
	p.overGroups()
	p.organization()
	m.keepFindingsOf(user.ID)
	m.audit.Person, m.audit.Channels, m.audit.Groups, m.audit.Permissions = p.person, []*Channel{}, []*Group{}, []*EffectivePermission{}
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

// personMaker describes one person.
type personMaker struct {
	*maker

	user   *zulip.User
	access *permission.Person
	person *Person
}

func (p *personMaker) groups() {
	if !p.user.IsActive {
		return
	}
	paths := p.access.Groups()
	for _, group := range p.activeGroups() {
		if path, in := paths[group.ID]; in {
			p.person.Groups = append(p.person.Groups, Membership{Name: group.Name, Path: path})
		}
	}
}

func (p *personMaker) add(scope *Scope) {
	if len(scope.Permissions) > 0 {
		p.person.Scopes = append(p.person.Scopes, scope)
	}
}

func (p *personMaker) channels() {
	for _, channel := range p.chosen {
		scope := &Scope{Kind: inChannel, ID: channel.ID, Name: channel.Name}
		for _, granted := range p.access.In(p.channelByID[channel.ID].Facts).Permissions {
			scope.Permissions = append(scope.Permissions, PersonPermission{
				Name: string(granted.Permission), Text: granted.Permission.InWords(), Through: append([]string{}, granted.Through...),
			})
		}
		p.add(scope)
	}
}

func (p *personMaker) overGroups() {
	if len(p.options.Selection.Channels) > 0 {
		return
	}
	for _, group := range p.activeGroups() {
		scope := &Scope{Kind: overGroup, ID: group.ID, Name: group.Name}
		for _, setting := range permission.UserGroupSettings {
			if through := p.access.InGroup(setting.Name, group.Permissions); len(through) > 0 {
				scope.Permissions = append(scope.Permissions, PersonPermission{Name: setting.Name, Text: setting.Action, Through: through})
			}
		}
		p.add(scope)
	}
}

func (p *personMaker) organization() {
	if len(p.options.Selection.Channels) > 0 {
		return
	}
	scope := &Scope{Kind: inOrganization}
	for _, setting := range permission.RealmSettings {
		value, has := p.org.Permissions[setting.Name]
		if has && p.maker.access.Admitted(permission.Organizations, setting, value).Has(p.user.ID) {
			scope.Permissions = append(scope.Permissions, PersonPermission{Name: setting.Name, Text: setting.Action, Through: p.access.Through(value)})
		}
	}
	p.add(scope)
}
