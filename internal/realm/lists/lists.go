// Package lists has what the package slices lacks: slices and maps of the elements of a slice.
package lists

import "slices"

// Map returns what a function returns for each element. It is empty, not nil, without elements.
func Map[From, To any](all []From, to func(From) To) []To {
	mapped := make([]To, len(all))
	for i, one := range all {
		mapped[i] = to(one)
	}
	return mapped
}

// Strings returns words as strings.
func Strings[Word ~string](all []Word) []string {
	return Map(all, func(word Word) string { return string(word) })
}

// Found returns what a function finds for each element, without the elements for which it finds nothing.
func Found[From, To any](all []From, find func(From) (To, bool)) (found []To) {
	for _, one := range all {
		if to, ok := find(one); ok {
			found = append(found, to)
		}
	}
	return found
}

// Where returns the elements that satisfy a condition.
func Where[T any](all []T, is func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !is(one) })
}

// By returns the elements by their keys. If several have the same key, it has the last.
func By[T any, Key comparable](all []T, key func(T) Key) map[Key]T {
	elements := make(map[Key]T, len(all))
	for _, one := range all {
		elements[key(one)] = one
	}
	return elements
}

// Grouped returns the elements in groups with the same key, in the order of the first element of each.
func Grouped[T any, Key comparable](all []T, key func(T) Key) (groups [][]T) {
	places := map[Key]int{}
	for _, one := range all {
		k := key(one)
		place, known := places[k]
		if !known {
			place = len(groups)
			places[k], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], one)
	}
	return groups
}

// Add appends the elements that a list doesn't have yet, each once.
func Add[T comparable](all []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// Unique returns the elements, each once.
func Unique[T comparable](all []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool {
		wasSeen := seen[one]
		seen[one] = true
		return wasSeen
	})
}

// TrueFirst compares for sorting: what is true comes first.
func TrueFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}
