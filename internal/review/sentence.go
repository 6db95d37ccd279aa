package review

import (
	"slices"
	"strings"
)

// sentence sums up.
func (j *judging) sentence() string {
	r := j.review
	changes := len(r.Channels) + len(r.Groups) + len(r.People) + len(r.Rights)
	if r.Offline && changes > 0 {
		return "The organization was not asked: who gains and who loses is not known."
	}
	var parts []string
	for _, part := range []string{
		r.affected("gains", "gain", func(right *Right) *People { return right.Gain }),
		r.affected("loses", "lose", func(right *Right) *People { return right.Lose }),
	} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	parts = append(parts, j.accounts()...)
	if j.hasInternet(InternetLoses) {
		parts = append([]string{"nobody reads any more without an account what was public on the web"}, parts...)
	}
	if j.hasInternet(InternetGains) {
		parts = append([]string{"anyone on the internet comes to read"}, parts...)
	}
	text := strings.Join(parts, ", ")
	switch {
	case text == "" && j.words[Unknown]:
		text = "nobody gains or loses a right for certain"
	case text == "":
		text = "nobody gains or loses a right"
	}
	if findings := len(r.Findings()); findings > 0 {
		text += "; " + number(findings, "risk", "risks")
	}
	if j.words[Unknown] {
		text += "; not everything is known yet"
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// accounts says what happens to accounts as such.
func (j *judging) accounts() (parts []string) {
	made, back, gone, roles := 0, 0, 0, 0
	for _, person := range j.review.People {
		switch {
		case person.Action == Create:
			made++
		case person.Action == Reactivate:
			back++
		case person.Action == Deactivate:
			gone++
		case person.Role.Differs():
			roles++
		}
	}
	for _, part := range []struct {
		count     int
		one, many string
	}{
		{made, "account is created", "accounts are created"}, {back, "account is reactivated", "accounts are reactivated"},
		{gone, "account is deactivated", "accounts are deactivated"}, {roles, "role changes", "roles change"},
	} {
		if part.count > 0 {
			parts = append(parts, number(part.count, part.one, part.many))
		}
	}
	return parts
}

func (j *judging) hasInternet(does string) bool {
	return slices.ContainsFunc(j.review.Channels, func(channel *Channel) bool {
		return slices.ContainsFunc(channel.Rights, func(right *Right) bool { return right.Internet == does })
	})
}

// affected says how many accounts gain or lose a right; empty if none does. Of a single account it says how many rights
// that are: each kind of right once, in however many channels or groups it is.
func (r *Review) affected(verb, verbs string, of func(*Right) *People) string {
	type kind struct{ scope, right string }
	sets, kinds, accounts := map[*People]bool{}, map[kind]bool{}, map[int64]bool{}
	r.eachRight(func(scope string, right *Right) {
		if people := of(right); people.Len() > 0 {
			sets[people], kinds[kind{scope, right.Name}] = true, true
		}
	})
	for set := range sets {
		for _, id := range set.IDs {
			accounts[id] = true
		}
	}
	switch {
	case len(accounts) == 0:
		return ""
	case len(accounts) == 1 && len(kinds) > 1:
		return "one account " + verb + " " + number(len(kinds), "right", "rights")
	}
	return number(len(accounts), "account "+verb+" a right", "accounts "+verbs+" a right")
}

// eachRight calls a function with every right, and with what it is a right over.
func (r *Review) eachRight(do func(scope string, right *Right)) {
	for _, channel := range r.Channels {
		for _, right := range channel.Rights {
			do("channel", right)
		}
	}
	for _, group := range r.Groups {
		for _, right := range group.Rights {
			do("user group", right)
		}
	}
	for _, right := range r.Rights {
		do("organization", right)
	}
}

// smallNumbers are written as words in a sentence.
var smallNumbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// number counts things in a sentence: one risk, two risks, 1,000 risks.
func number(n int, one, many string) string {
	word := count(n)
	if n < len(smallNumbers) {
		word = smallNumbers[n]
	}
	if n == 1 {
		return word + " " + one
	}
	return word + " " + many
}
