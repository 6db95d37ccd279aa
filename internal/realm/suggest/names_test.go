package suggest_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// A message about an unknown name always says what to do next.
func TestSuggest(t *testing.T) {
	var many []string
	for i := range 9 {
		many = append(many, fmt.Sprintf("number %d", i))
	}
	linkifiers := func(names ...string) suggest.Names {
		return suggest.Names{Things: "linkifiers", All: names, Where: "the data source zulip_linkifiers lists all"}
	}
	for _, c := range []struct {
		names      suggest.Names
		text, want string
	}{
		{linkifiers(`#(?P<id>\d+)`, "x"), `#(?P<id>\w+)`, `; did you mean "#(?P<id>\d+)"?`},
		{linkifiers("tool", "took", "toot"), "tooo", `; did you mean "took" or "tool"?`},
		{linkifiers("a\u200bb"), "ab", `; did you mean "a\u200bb"?`},
		{linkifiers("one", "two"), "nothing", `; the linkifiers are: "one", "two"`},
		{linkifiers("47", "hr", "its"), "it", `; did you mean "its"?`},
		{linkifiers(), "nothing", "; there are no linkifiers"},
		{linkifiers(many...), "something else", "; the data source zulip_linkifiers lists all"},
		{suggest.Names{All: []string{"ada@example.com"}, Unquoted: true}, "adda@example.com", "; did you mean ada@example.com?"},
	} {
		if got := c.names.Suggest(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
