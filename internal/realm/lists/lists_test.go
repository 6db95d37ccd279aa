package lists_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/lists"
)

func TestLists_Functions_OrderKept(t *testing.T) {
	words := []string{"b1", "a1", "b2", "a1", "c1"}
	letter := func(word string) string { return word[:1] }
	isOfB := func(word string) bool { return strings.HasPrefix(word, "b") }
	number := func(word string) (string, bool) { return word[1:], isOfB(word) }
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(x, y string) int { return lists.TrueFirst(!isOfB(x), !isOfB(y)) })
	for name, test := range map[string]struct{ got, want any }{
		"Map":       {lists.Map(words, letter), "[b a b a c]"},
		"Where":     {lists.Where(words, isOfB), "[b1 b2]"},
		"Found":     {lists.Found(words, number), "[1 2]"},
		"Grouped":   {lists.Grouped(words, letter), "[[b1 b2] [a1 a1] [c1]]"},
		"By":        {lists.By(words, letter), "map[a:a1 b:b2 c:c1]"},
		"Unique":    {lists.Unique(words), "[b1 a1 b2 c1]"},
		"Add":       {lists.Add([]string{"a1"}, words...), "[a1 b1 b2 c1]"},
		"TrueFirst": {sorted, "[a1 a1 c1 b1 b2]"},
	} {
		if got := fmt.Sprint(test.got); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	if words[0] != "b1" || lists.Map([]string(nil), letter) == nil {
		t.Error("a function changed its input, or Map returned nil")
	}
}
