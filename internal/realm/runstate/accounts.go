package runstate

import (
	"slices"
	"strings"
)

// AccountKey identifies an account in a plan: by its ID, or by its email if it does not exist yet.
type AccountKey struct {
	ID    int64
	Email string
}

// keys returns the keys under which facts about the account are stored: the ID first, if it is known.
func (k AccountKey) keys() (keys []AccountKey) {
	if k.ID != 0 {
		keys = append(keys, AccountKey{ID: k.ID})
	}
	if k.Email != "" {
		keys = append(keys, AccountKey{Email: strings.ToLower(k.Email)})
	}
	return keys
}

// accountIndex are the accounts of a list, by each of their keys.
type accountIndex map[AccountKey]AccountKey

func indexOf(accounts []AccountKey) accountIndex {
	index := accountIndex{}
	for _, account := range accounts {
		for _, key := range account.keys() {
			index[key] = account
		}
	}
	return index
}

// has reports whether an account is in the list. Two accounts with IDs are the same if their IDs are.
func (x accountIndex) has(account AccountKey) bool {
	for _, key := range account.keys() {
		if listed, ok := x[key]; ok && (key.ID != 0 || listed.ID == 0 || account.ID == 0) {
			return true
		}
	}
	return false
}

// hasAll reports whether all accounts are in the list.
func (x accountIndex) hasAll(accounts []AccountKey) bool {
	return !slices.ContainsFunc(accounts, func(account AccountKey) bool { return !x.has(account) })
}

// Accounts are a value of [State.Declare].
type Accounts []AccountKey

// equals compares the accounts in any order. A plan without the state may know an account by its email only.
func (a Accounts) equals(other Value) bool {
	others, ok := other.(Accounts)
	return ok && indexOf(a).hasAll(others) && indexOf(others).hasAll(a)
}
