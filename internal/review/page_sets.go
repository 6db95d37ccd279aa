package review

import (
	"encoding/json"
	"html/template"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// set is people, written once in the page.
type set struct {
	*People
	Index int
	// base is a set that most of this one are in too, nil if this one is written in full. A thousand channels in each of
	// which nearly everybody loses something are then a thousand times a few names, and not five million.
	base *set
	// without are those of the base who are not in this set, with those who are in this one alone.
	without, with []*Account

	places bitmap // of the accounts
}

// When a set is told by what it differs in from another: it is of so many at least, and differs in one of so many at most.
// So many of the sets that were written in full last are looked at.
const (
	tellingSize  = 16
	tellingShare = 4
	tellingBases = 32
)

// named is how many of a set are named in place; the rest is counted, and all are at the set.
const named = 3

// First are those whom there is place to name, Rest how many more there are.
func (s *set) First() []*Account { return s.Accounts[:min(named, s.Len())] }

// Rest is how many [set.First] leaves out.
func (s *set) Rest() int { return max(0, s.Len()-named) }

// crew numbers the accounts of a page and gathers their sets.
type crew struct {
	accounts []*Account
	places   map[*Account]int
	names    map[string]int // how many accounts have a name
	sets     []*set
	known    map[*People]*set
	full     []*set // those written in full last
}

func newCrew(accounts []*Account) *crew {
	c := &crew{places: map[*Account]int{}, names: map[string]int{}, known: map[*People]*set{}}
	for _, account := range accounts {
		c.place(account)
	}
	return c
}

// place returns the number of an account.
func (c *crew) place(account *Account) int {
	at, known := c.places[account]
	if !known {
		at = len(c.accounts)
		c.places[account] = at
		c.accounts = append(c.accounts, account)
		c.names[account.Name]++
	}
	return at
}

// set returns the set of some people, nil for nobody.
func (c *crew) set(people *People) *set {
	if people.Len() == 0 {
		return nil
	}
	if known, ok := c.known[people]; ok {
		return known
	}
	fresh := &set{People: people, Index: len(c.sets)}
	for _, account := range people.Accounts {
		fresh.places.add(c.place(account))
	}
	c.known[people] = fresh
	c.sets = append(c.sets, fresh)
	c.tell(fresh)
	return fresh
}

// tell decides how a set is told.
func (c *crew) tell(fresh *set) {
	least := fresh.Len() / tellingShare
	if fresh.Len() >= tellingSize {
		for _, base := range c.full {
			if differs := fresh.places.differences(base.places); differs <= least {
				fresh.base, least = base, differs-1
			}
		}
	}
	if fresh.base == nil {
		if c.full = append(c.full, fresh); len(c.full) > tellingBases {
			c.full = c.full[1:]
		}
		return
	}
	for at := range fresh.places.differing(fresh.base.places) {
		if account := c.accounts[at]; fresh.places.has(at) {
			fresh.with = append(fresh.with, account)
		} else {
			fresh.without = append(fresh.without, account)
		}
	}
}

// list names accounts in one text, so that thousands weigh little. Who has the name of somebody else is told apart by the
// address.
func (c *crew) list(accounts []*Account) string {
	var text strings.Builder
	for i, account := range accounts {
		if i > 0 {
			text.WriteString(", ")
		}
		isolate(&text, account.Name)
		about := about(account)
		if c.names[account.Name] > 1 {
			var address strings.Builder
			isolate(&address, account.Address)
			about = append([]string{address.String()}, about...)
		}
		if len(about) > 0 {
			text.WriteString(" (" + strings.Join(about, ", ") + ")")
		}
	}
	return text.String()
}

// isolate keeps the direction of a name's script from turning around what is beside it, where no element can.
func isolate(text *strings.Builder, name string) {
	if strings.ContainsAny(name, "\n\u2069") {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "\n", " "), "\u2069", "")
	}
	text.WriteString("\u2068")
	text.WriteString(name)
	text.WriteString("\u2069")
}

// about is what makes an account another than a reader expects.
func about(account *Account) []string {
	var words []string
	if account.IsSelf {
		words = append(words, "the account the provider uses")
	}
	if account.Role == "guest" {
		words = append(words, "guest")
	}
	if account.IsBot {
		words = append(words, "bot")
	}
	return words
}

// About is what is said beside an account's name where it is one of a few.
func (p *page) About(account *Account) string { return strings.Join(about(account), ", ") }

// Place is the number by which the script knows an account.
func (p *page) Place(account *Account) int { return p.crew.place(account) }

// Sets says of every set who is in it.
func (p *page) Sets() template.HTML {
	return snippet(func(s *sheet) {
		for _, set := range p.crew.sets {
			s.markup("\n", `<article id="who-`)
			s.number(set.Index)
			s.markup(`" tabindex="-1"><h3>`)
			s.text(counted(set.Len(), "account"))
			if set.Guests > 0 {
				s.markup(", ")
				s.text(counted(set.Guests, "guest"))
			}
			if set.Bots > 0 {
				s.markup(", ")
				s.text(counted(set.Bots, "bot"))
			}
			s.markup("</h3><p>")
			s.everybody(p.crew, set)
			s.markup("</p></article>")
		}
	})
}

func (s *sheet) everybody(c *crew, set *set) {
	if set.base == nil {
		s.text(c.list(set.Accounts))
		return
	}
	s.markup(`<a href="#who-`)
	s.number(set.base.Index)
	s.markup(`">Those `)
	s.text(counted(set.base.Len(), "account"))
	s.markup("</a>")
	if len(set.without) > 0 {
		s.markup(" <strong>without</strong> ")
		s.text(c.list(set.without))
	}
	if len(set.with) > 0 {
		s.markup(" <strong>and</strong> ")
		s.text(c.list(set.with))
	}
}

// data is what the script knows beside what the page shows.
type data struct {
	Accounts []personData `json:"accounts"`
	// Sets are, by the set's number: the number of its base or -1, then those who are in one of the two and not in the
	// other, by their place among the accounts.
	Sets [][]int `json:"sets"`
}

type personData struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// Data returns it as JSON in which nothing ends the element that holds it.
func (p *page) Data() (template.JS, error) {
	d := data{Accounts: make([]personData, len(p.crew.accounts)), Sets: make([][]int, len(p.crew.sets))}
	for i, account := range p.crew.accounts {
		d.Accounts[i] = personData{account.Name, account.Address}
	}
	for i, set := range p.crew.sets {
		base, accounts := -1, set.Accounts
		if set.base != nil {
			base, accounts = set.base.Index, slices.Concat(set.without, set.with)
		}
		d.Sets[i] = append(make([]int, 0, len(accounts)+1), base)
		for _, account := range accounts {
			d.Sets[i] = append(d.Sets[i], p.crew.places[account])
		}
	}
	text, err := json.Marshal(d)
	return template.JS(text), err //nolint:gosec // encoding/json writes <, > and & as escapes
}

// bitmap is a set of small numbers.
type bitmap []uint64

func (b *bitmap) add(n int) {
	for len(*b) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bitmap) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// differences counts the numbers that are in one of two sets only.
func (b bitmap) differences(other bitmap) int {
	n := 0
	for i := range max(len(b), len(other)) {
		n += bits.OnesCount64(b.word(i) ^ other.word(i))
	}
	return n
}

// differing are those numbers, ascending.
func (b bitmap) differing(other bitmap) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range max(len(b), len(other)) {
			for word := b.word(i) ^ other.word(i); word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

func (b bitmap) word(i int) uint64 {
	if i < len(b) {
		return b[i]
	}
	return 0
}
