package framework_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// distinct draws IDs that are all different.
func distinct(t *rapid.T) []int64 {
	return rapid.SliceOfDistinct(rapid.Int64Range(1, 50), rapid.ID[int64]).Draw(t, "ids")
}

// The named come first, the others keep their relative order, and nothing is lost or doubled.
func TestFullOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := distinct(t)
		named := rapid.Permutation(now).Draw(t, "shuffled")[:rapid.IntRange(0, len(now)).Draw(t, "named")]
		order := framework.FullOrder(named, now)
		if !slices.Equal(order[:len(named)], named) {
			t.Fatalf("%v does not begin with %v", order, named)
		}
		rest := slices.DeleteFunc(slices.Clone(now), func(id int64) bool { return slices.Contains(named, id) })
		if !slices.Equal(order[len(named):], rest) {
			t.Fatalf("%v does not end with %v", order, rest)
		}
		if again := framework.FullOrder(named, order); !slices.Equal(again, order) {
			t.Fatalf("done again it is %v, not %v", again, order)
		}
		if leading := framework.LeadingOrder(framework.OrderList(named), order); !leading.Equal(framework.OrderList(named)) {
			t.Fatalf("%v is read as %v", named, leading)
		}
	})
}

func TestLeadingOrderShowsWhatCameBefore(t *testing.T) {
	if got := framework.LeadingOrder(framework.OrderList([]int64{3, 1}), []int64{2, 3, 1}); !got.Equal(framework.OrderList([]int64{2, 3})) {
		t.Errorf("read as %v", got)
	}
	if got := framework.LeadingOrder(types.ListNull(types.Int64Type), []int64{2, 3}); !got.Equal(framework.OrderList([]int64{2, 3})) {
		t.Errorf("imported as %v", got)
	}
}

func TestOrderIDsWaitForWhatIsNotKnown(t *testing.T) {
	list := types.ListValueMust(types.Int64Type, append(framework.OrderList([]int64{1}).Elements(), types.Int64Unknown()))
	if ids, known := framework.OrderIDs(list); known || !slices.Equal(ids, []int64{1}) {
		t.Errorf("%v, known: %v", ids, known)
	}
}
