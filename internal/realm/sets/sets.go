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

// Differing returns the elements that are in some of the lists, but not in all.
func Differing[T comparable](lists ...[]T) (some []T) {
	for i, list := range lists {
		for _, other := range lists[i+1:] {
			some = append(append(some, Without(list, other)...), Without(other, list)...)
		}
	}
	return some
}
