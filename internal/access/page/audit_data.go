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

// numbered is a table of values, each once.
type numbered[T any] struct {
	known map[string]int
	all   []T
}

// number returns the number of a value. A new value gets the next number.
func (n *numbered[T]) number(value T) int {
	key := fmt.Sprintf("%#v", value)
	number, ok := n.known[key]
	if !ok {
		number = len(n.all)
		n.known[key], n.all = number, append(n.all, value)
	}
	return number
}

// tables number repeated values.
type tables struct {
	permissions *numbered[[2]string]
	texts       *numbered[[]string]
	kinds       *numbered[string]
	grants      *numbered[[][]int]
}

func newTables() *tables {
	return &tables{
		&numbered[[2]string]{map[string]int{}, [][2]string{}}, &numbered[[]string]{map[string]int{}, [][]string{}},
		&numbered[string]{map[string]int{}, []string{}}, &numbered[[][]int]{map[string]int{}, [][][]int{}},
	}
}

func (t *tables) permission(name, text string) int {
	return t.permissions.number([2]string{name, text})
}

// value returns the number of the texts of a value; -1 without texts.
func (t *tables) value(texts []string) int {
	if len(texts) == 0 {
		return -1
	}
	return t.texts.number(texts)
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
	return v.tables.grants.number(list)
}

// Data returns the script's data as JSON that can't end its script element.
func (v *auditView) Data() (template.JS, error) {
	d := &auditData{Channels: [][]any{}, Groups: [][]any{}}
	for _, channel := range v.Channels {
		subscribers, internet := notKnown, 0
		if channel.Subscribers != nil {
			subscribers = v.setOf(*channel.Subscribers)
		}
		if channel.Internet {
			internet = 1
		}
		kind := v.tables.kinds.number(report.PrivacyText(channel.Privacy))
		d.Channels = append(d.Channels, []any{channel.Name, channel.Folder, kind, internet, subscribers, v.grants(channel.Permissions)})
	}
	for _, group := range v.Audit.Groups {
		d.Groups = append(d.Groups, []any{group.Name, v.setOf(group.People), v.active(group.Members), append([]string{}, group.Subgroups...), v.grants(group.Permissions)})
	}
	d.Organization = v.grants(v.Permissions)
	d.Findings, d.Person = lists.Map(v.Groups, v.findingRows), v.personView()
	d.Sets, d.Counts = v.people.encoded(), lists.Map(v.people.sets, func(set *set) [3]int { return [3]int{set.Len(), set.Guests, set.Bots} })
	d.Accounts = v.accountRows()
	d.Permissions, d.Values, d.Kinds, d.Grants = v.tables.permissions.all, v.tables.texts.all, v.tables.kinds.all, v.tables.grants.all
	return encodedJSON(d)
}

// active counts the active accounts among some.
func (v *auditView) active(ids []int64) int {
	return len(lists.Where(ids, func(id int64) bool { return v.named[id] != nil && v.named[id].IsActive }))
}

func (v *auditView) findingRows(group *findingView) [][]any {
	return lists.Map(group.Findings, func(finding *audit.Finding) []any {
		deactivated := []int{}
		for _, id := range finding.Deactivated {
			if account := v.named[id]; account != nil {
				deactivated = append(deactivated, v.people.place(account.Account))
			}
		}
		return []any{finding.Where, append([]string{}, finding.Resources...), v.setOf(finding.People), deactivated}
	})
}

func (v *auditView) personView() *personView {
	account := v.PersonAccount()
	if account == nil {
		return nil
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
		person.Scopes = append(person.Scopes, []any{scope.Kind, scope.Name, v.tables.grants.number(list)})
	}
	return person
}

// accountRows lists the accounts by their places. It adds the owners of bots, which may get a place by that.
func (v *auditView) accountRows() [][]any {
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
	return rows
}
