package sets

import (
	"iter"
	"math/bits"
	"slices"
)

// Bits is a set of small numbers, with a bit for each. Operations return new sets. nil is empty, and a set can be shorter
// than another.
type Bits []uint64

const wordSize = 64

// NewBits returns an empty set with room for the numbers below size.
func NewBits(size int) Bits { return make(Bits, (size+wordSize-1)/wordSize) }

// Add adds a number. It modifies b, so it may only be used while b is being built.
func (b *Bits) Add(n int) {
	for len(*b) <= n/wordSize {
		*b = append(*b, 0)
	}
	(*b)[n/wordSize] |= 1 << (n % wordSize)
}

// AddAll adds the numbers of a set that isn't longer. It modifies b, so it may only be used while b is being built.
func (b Bits) AddAll(other Bits) {
	for i, word := range other {
		b[i] |= word
	}
}

// Has reports whether a number is in the set.
func (b Bits) Has(n int) bool { return n/wordSize < len(b) && b[n/wordSize]&(1<<(n%wordSize)) != 0 }

// Or returns the numbers in any of the sets.
func (b Bits) Or(others ...Bits) Bits {
	size := len(b)
	for _, other := range others {
		size = max(size, len(other))
	}
	union := make(Bits, size)
	union.AddAll(b)
	for _, other := range others {
		union.AddAll(other)
	}
	return union
}

// And returns the numbers in both sets.
func (b Bits) And(other Bits) Bits {
	both := make(Bits, min(len(b), len(other)))
	for i := range both {
		both[i] = b[i] & other[i]
	}
	return both
}

// Minus returns the numbers that are not in the other set.
func (b Bits) Minus(other Bits) Bits {
	rest := slices.Clone(b)
	for i := range rest[:min(len(b), len(other))] {
		rest[i] &^= other[i]
	}
	return rest
}

// Differing returns the numbers that are in only one of the sets.
func (b Bits) Differing(other Bits) Bits { return b.Minus(other).Or(other.Minus(b)) }

// Equal reports whether both sets have the same numbers.
func (b Bits) Equal(other Bits) bool {
	short, long := b, other
	if len(short) > len(long) {
		short, long = long, short
	}
	return slices.Equal(short, long[:len(short)]) && long[len(short):].IsEmpty()
}

// Len returns how many numbers are in the set.
func (b Bits) Len() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// IsEmpty reports whether the set has no numbers.
func (b Bits) IsEmpty() bool {
	return !slices.ContainsFunc(b, func(word uint64) bool { return word != 0 })
}

// All iterates over the numbers, ascending.
func (b Bits) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(i*wordSize + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
