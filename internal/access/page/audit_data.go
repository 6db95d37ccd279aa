package page

import (
	"fmt"
	"html/template"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

// auditData is the data for the script of an audit's page. It is written for size: a repeated value is in a table, and named
// by its number there; -1 is none.
type auditData struct {
	// Accounts are ID, name, address, role, flags (the sum of isBot and so on), and the place of a bot's owner.
	Accounts [][]any `json:"accounts"`
	// Sets are as [peopleIndex.encoded] has them, Counts how many accounts, guests and bots are in each.
	Sets   [][]int  `json:"sets"`
	Counts [][3]int `json:"counts"`
	// Permissions are the name and the text of each permission, Values the principals of each value.
	Permissions [][2]string `json:"permissions"`
	Values      [][]string  `json:"values"`
	// Grants are lists of permissions, which several channels, groups or scopes may share. Each permission has its number,
	// that of its value or sources, that of the set of people, and 1 if others may have access too.
	Grants [][][]int `json:"grants"`
	Kinds  []string  `json:"kinds"`
	// Channels are name, folder, kind, 1 if anyone on the internet can read it, the set of subscribers (-2: not known),
	// grants.
	Channels [][]any `json:"channels"`
	// Groups are name, the set of people, the number of direct members, names of subgroups, grants.
	Groups [][]any `json:"groups"`
	// Organization are the grants in the organization.
	Organization int `json:"organization"`
	// Findings are, for each group of findings, places, addresses of resources, set of people, and places of deactivated
	// accounts.
	Findings [][][]any   `json:"findings"`
	Person   *personView `json:"person,omitempty"`
}

// personView is the access of an audit of one person.
type personView struct {
	Place  int         `json:"place"`
	Groups [][2]string `json:"groups"` // name and path
	Scopes [][]any     `json:"scopes"` // kind, name, grants
}

// The flags of an account.
const (
	isBot = 1 << iota
	isSelf
	isInactive
	isListed // in the audit's list of people
)

// nobody and notKnown stand for sets.
const (
	nobody   = -1
	notKnown = -2
)

// tables number repeated values.
type tables struct {
	permissions, values, kinds, grants map[string]int
	data                               auditData
}

func newTables() *tables {
	return &tables{permissions: map[string]int{}, values: map[string]int{}, kinds: map[string]int{}, grants: map[string]int{}, data: auditData{
		Permissions: [][2]string{}, Values: [][]string{}, Kinds: []string{}, Grants: [][][]int{}, Channels: [][]any{}, Groups: [][]any{}, Findings: [][][]any{},
	}}
}

// numbered returns the number of a key. It gives a new key the next number, and calls add to put its value into the table.
func numbered(known map[string]int, key string, add func()) int {
	number, ok := known[key]
	if !ok {
		number = len(known)
		known[key] = number
		add()
	}
	return number
}

func (t *tables) permission(name, text string) int {
	return numbered(t.permissions, name+"\n"+text, func() { t.data.Permissions = append(t.data.Permissions, [2]string{name, text}) })
}

func (t *tables) value(texts []string) int {
	if len(texts) == 0 {
		return -1
	}
	return numbered(t.values, fmt.Sprintf("%q", texts), func() { t.data.Values = append(t.data.Values, texts) })
}

func (t *tables) grant(list [][]int) int {
	return numbered(t.grants, fmt.Sprint(list), func() { t.data.Grants = append(t.data.Grants, list) })
}

// setOf returns the number of a set of the audit.
func (v *auditView) setOf(index int) int {
	if set := v.people.set(v.Sets[index]); set != nil {
		return set.Index
	}
	return nobody
}

// grants returns the number of a list of permissions.
func (v *auditView) grants(permissions []*audit.EffectivePermission) int {
	list := [][]int{}
	for _, permission := range permissions {
		one := []int{v.tables.permission(permission.Name, permission.Text), v.tables.value(permission.Value), v.setOf(permission.People)}
		if permission.Unknown {
			one = append(one, 1)
		}
		list = append(list, one)
	}
	return v.tables.grant(list)
}

// Data returns the script's data as JSON that can't end its script element.
func (v *auditView) Data() (template.JS, error) {
	d := &v.tables.data
	for _, channel := range v.Channels {
		subscribers, internet := notKnown, 0
		if channel.Subscribers != nil {
			subscribers = v.setOf(*channel.Subscribers)
		}
		if channel.Internet {
			internet = 1
		}
		text := report.PrivacyText(channel.Privacy)
		kind := numbered(v.tables.kinds, text, func() { d.Kinds = append(d.Kinds, text) })
		d.Channels = append(d.Channels, []any{channel.Name, channel.Folder, kind, internet, subscribers, v.grants(channel.Permissions)})
	}
	for _, group := range v.Audit.Groups {
		d.Groups = append(d.Groups, []any{group.Name, v.setOf(group.People), v.active(group.Members), append([]string{}, group.Subgroups...), v.grants(group.Permissions)})
	}
	d.Organization = v.grants(v.Permissions)
	v.addFindings()
	v.addPerson()
	d.Sets, d.Counts = v.people.encoded(), [][3]int{}
	for _, set := range v.people.sets {
		d.Counts = append(d.Counts, [3]int{set.Len(), set.Guests, set.Bots})
	}
	v.addAccounts()
	return encodedJSON(d)
}

// active counts the active accounts among some.
func (v *auditView) active(ids []int64) int {
	return len(lists.Where(ids, func(id int64) bool { return v.named[id] != nil && v.named[id].IsActive }))
}

func (v *auditView) addFindings() {
	for _, group := range v.Groups {
		list := [][]any{}
		for _, finding := range group.Findings {
			deactivated := []int{}
			for _, id := range finding.Deactivated {
				if account := v.named[id]; account != nil {
					deactivated = append(deactivated, v.people.place(account.Account))
				}
			}
			list = append(list, []any{finding.Where, append([]string{}, finding.Resources...), v.setOf(finding.People), deactivated})
		}
		v.tables.data.Findings = append(v.tables.data.Findings, list)
	}
}

func (v *auditView) addPerson() {
	account := v.PersonAccount()
	if account == nil {
		return
	}
	person := &personView{Place: v.people.place(account.Account), Groups: [][2]string{}, Scopes: [][]any{}}
	for _, membership := range v.Person.Groups {
		person.Groups = append(person.Groups, [2]string{membership.Name, membership.Path})
	}
	for _, scope := range v.Person.Scopes {
		list := [][]int{}
		for _, permission := range scope.Permissions {
			list = append(list, []int{v.tables.permission(permission.Name, permission.Text), v.tables.value(permission.Through), nobody})
		}
		person.Scopes = append(person.Scopes, []any{scope.Kind, scope.Name, v.tables.grant(list)})
	}
	v.tables.data.Person = person
}

// addAccounts lists the accounts by their places. It adds the owners of bots, which may get a place by that.
func (v *auditView) addAccounts() {
	rows := [][]any{}
	for at := 0; at < len(v.people.accounts); at++ {
		account, flags, owner := v.named[v.people.accounts[at].ID], 0, nobody
		for flag, is := range map[int]bool{isBot: account.IsBot, isSelf: account.IsSelf, isInactive: !account.IsActive, isListed: v.isListed(account)} {
			if is {
				flags |= flag
			}
		}
		if of := v.named[account.OwnerID]; of != nil {
			owner = v.people.place(of.Account)
		}
		rows = append(rows, []any{account.ID, account.Name, account.Email, account.Role, flags, owner})
	}
	v.tables.data.Accounts = rows
}
