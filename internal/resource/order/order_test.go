package order

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestInOrder(t *testing.T) {
	for _, test := range []struct{ there, named, want, shown []int64 }{
		{[]int64{1, 2, 3}, []int64{3, 1}, []int64{3, 1, 2}, []int64{1, 2, 3}},
		{[]int64{1, 2, 3}, []int64{1, 2}, []int64{1, 2, 3}, []int64{1, 2}},
		{[]int64{3, 1, 2}, []int64{1}, []int64{1, 3, 2}, []int64{3, 1}},
		{[]int64{1, 2}, nil, []int64{1, 2}, nil},
		{nil, nil, nil, nil},
	} {
		if got := inOrder(test.there, test.named); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v with %v first: %v, want %v", test.there, test.named, got, test.want)
		}
		if got := upToLast(test.there, test.named); fmt.Sprint(got) != fmt.Sprint(test.shown) {
			t.Errorf("%v up to the last of %v: %v, want %v", test.there, test.named, got, test.shown)
		}
	}
}

// The resulting order shows the named objects, and is in the planned order.
func TestInOrder_Named_Kept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		there := rapid.SliceOfDistinct(rapid.Int64Range(1, 50), rapid.ID[int64]).Draw(t, "there")
		named := rapid.Permutation(there).Draw(t, "named")
		named = named[:rapid.IntRange(0, len(named)).Draw(t, "many")]
		whole := inOrder(there, named)
		if !slices.Equal(upToLast(whole, named), named) || !slices.Equal(inOrder(whole, named), whole) {
			t.Fatalf("%v with %v first: %v", there, named, whole)
		}
	})
}
