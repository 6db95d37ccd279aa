// Package sets compares slices whose order has no meaning, such as the IDs of people. Both functions take linear time,
// and keep the order of the first slice. The package knows no organization.
package sets

import "slices"

// Without returns the elements that are not in others.
func Without[T comparable](all, others []T) []T { return filter(all, others, false) }

// Common returns the elements that are also in others.
func Common[T comparable](all, others []T) []T { return filter(all, others, true) }

func filter[T comparable](all, others []T, isCommon bool) []T {
	among := make(map[T]bool, len(others))
	for _, one := range others {
		among[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return among[one] != isCommon })
}
