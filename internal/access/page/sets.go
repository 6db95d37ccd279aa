package page

import (
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
)

// set is a set of people, written once in the page.
type set struct {
	*report.People
	Index int
	Size  string // the number of people
	// Brief is shown next to a permission: a few of the people, and a link to all of them.
	Brief template.HTML
	// Base is a set with nearly the same people; nil if the set is written in full.
	//
	// If nearly everyone loses something in a thousand channels, a page has a thousand times a few names instead of five
	// million.
	Base *set

	places sets.Bits // of the accounts
	index  *peopleIndex
}

// A set is written as its difference from another if it has at least so many people, and differs in at most so many. It is
// compared with so many of the sets that were last written in full.
const (
	minSize  = 16
	maxShare = 4
	lookedAt = 32
)

// maxNamed is the number of people that a page names in place; the others are counted, and the set has all of them.
const maxNamed = 3

// First are the people who are named in place.
func (s *set) First() []*report.Account { return s.People.First(maxNamed) }

// Names are all people in the set.
func (s *set) Names() string { return s.index.names(s.People.First(s.Len())) }

// WithoutNames are the people who are only in the base.
func (s *set) WithoutNames() string { return s.index.namesAt(s.without()) }

// WithNames are the people who are only in the set.
func (s *set) WithNames() string { return s.index.namesAt(s.with()) }

func (s *set) without() sets.Bits { return s.Base.places.Minus(s.places) }

func (s *set) with() sets.Bits { return s.places.Minus(s.Base.places) }

// Rest is the number of people that [set.First] leaves out.
func (s *set) Rest() int { return max(0, s.Len()-maxNamed) }

// peopleIndex numbers the accounts of a page, and collects their sets.
type peopleIndex struct {
	accounts []*report.Account
	places   map[*report.Account]int
	named    map[string]int // the number of accounts with a name
	sets     []*set
	known    map[*report.People]*set
	full     []*set // those last written in full
	// brief writes [set.Brief]; nil if nothing shows it.
	brief func(*set) template.HTML
}

func newPeopleIndex(accounts []*report.Account) *peopleIndex {
	x := &peopleIndex{places: map[*report.Account]int{}, named: map[string]int{}, known: map[*report.People]*set{}}
	for _, account := range accounts {
		x.place(account)
	}
	return x
}

// place returns the number of an account.
func (x *peopleIndex) place(account *report.Account) int {
	at, known := x.places[account]
	if !known {
		at = len(x.accounts)
		x.places[account] = at
		x.accounts = append(x.accounts, account)
		x.named[account.Name]++
	}
	return at
}

// set returns the set of some people; nil for an empty set.
func (x *peopleIndex) set(people *report.People) *set {
	if people.Len() == 0 {
		return nil
	}
	if known, ok := x.known[people]; ok {
		return known
	}
	fresh := &set{People: people, Index: len(x.sets), Size: report.Count(people.Len()), index: x}
	if x.brief != nil {
		fresh.Brief = x.brief(fresh)
	}
	for account := range people.All() {
		fresh.places.Add(x.place(account))
	}
	x.known[people] = fresh
	x.sets = append(x.sets, fresh)
	x.chooseBase(fresh)
	return fresh
}

// chooseBase chooses the set from which a set is written as a difference, if any.
func (x *peopleIndex) chooseBase(fresh *set) {
	least := fresh.Len() / maxShare
	if fresh.Len() >= minSize {
		for _, base := range x.full {
			if differs := fresh.places.Differing(base.places).Len(); differs <= least {
				fresh.Base, least = base, differs-1
			}
		}
	}
	if fresh.Base == nil {
		if x.full = append(x.full, fresh); len(x.full) > lookedAt {
			x.full = x.full[1:]
		}
	}
}

func (x *peopleIndex) namesAt(places sets.Bits) string {
	var accounts []*report.Account
	for place := range places.All() {
		accounts = append(accounts, x.accounts[place])
	}
	return x.names(accounts)
}

// names lists accounts in one text, so that thousands of them stay small. People with the same name have their address.
func (x *peopleIndex) names(accounts []*report.Account) string {
	var text strings.Builder
	for i, account := range accounts {
		if i > 0 {
			text.WriteString(", ")
		}
		isolate(&text, account.Name)
		about := account.About()
		if x.named[account.Name] > 1 {
			var address strings.Builder
			isolate(&address, account.Email)
			about = strings.TrimSuffix(address.String()+", "+about, ", ")
		}
		if about != "" {
			text.WriteString(" (" + about + ")")
		}
	}
	return text.String()
}

// isolate keeps a right-to-left name from reordering the text next to it, where no element can.
func isolate(text *strings.Builder, name string) {
	if strings.ContainsAny(name, "\n\u2069") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "\n", " "), "\u2069", "")
	}
	text.WriteString("\u2068")
	text.WriteString(name)
	text.WriteString("\u2069")
}

// Sets are all sets of people, in the order of their numbers.
func (v *view) Sets() []*set { return v.people.sets }

// data is the script's data in addition to the page.
type data struct {
	Accounts []personData `json:"accounts"`
	Sets     [][]int      `json:"sets"` // as [peopleIndex.encoded] has them
}

type personData struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// Data returns the data as JSON that can't end its script element.
func (v *view) Data() (template.JS, error) {
	accounts := lists.Map(v.people.accounts, func(account *report.Account) personData { return personData{account.Name, account.Email} })
	return encodedJSON(data{Accounts: accounts, Sets: v.people.encoded()})
}

// encodedJSON writes data of a page as JSON.
func encodedJSON(d any) (template.JS, error) {
	text, err := json.Marshal(d)
	return template.JS(text), err //nolint:gosec // encoding/json writes <, > and & as escapes
}

// encoded writes the sets as numbers. A set is the number of its base or -1, and then the places of the accounts that are in
// only one of the two. After a place, -3 stands for the three places that follow it.
func (x *peopleIndex) encoded() [][]int {
	all := make([][]int, len(x.sets))
	for i, set := range x.sets {
		if set.Base == nil {
			all[i] = encodedPlaces([]int{-1}, slices.Collect(set.places.All()))
			continue
		}
		all[i] = encodedPlaces([]int{set.Base.Index}, slices.AppendSeq(slices.Collect(set.without().All()), set.with().All()))
	}
	return all
}

// encodedPlaces appends places to numbers. It writes two or more consecutive places as their number.
func encodedPlaces(numbers, places []int) []int {
	for i := 0; i < len(places); {
		next := i + 1
		for next < len(places) && places[next] == places[next-1]+1 {
			next++
		}
		numbers = append(numbers, places[i])
		switch run := next - i - 1; {
		case run == 1:
			numbers = append(numbers, places[next-1])
		case run > 1:
			numbers = append(numbers, -run)
		}
		i = next
	}
	return numbers
}
