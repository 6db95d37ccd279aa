package framework_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
)

func wordSet(words ...string) types.Set {
	elements := make([]attr.Value, len(words))
	for i, word := range words {
		elements[i] = types.StringValue(word)
	}
	return types.SetValueMust(types.StringType, elements)
}

// What is written for IDs means the IDs, whatever words are kept for some of them.
func TestLawWordsMeanWhatTheyWereWrittenFor(t *testing.T) {
	s := newServer(t, permission.UserGroups)
	var people, groups []int64
	for _, user := range s.view.Users() {
		people = append(people, user.ID)
	}
	for _, group := range s.view.UserGroups().List() {
		groups = append(groups, group.ID)
	}
	for name, test := range map[string]struct {
		words framework.PrincipalSet
		all   []int64
	}{"people": {framework.Users, people}, "groups": {framework.Groups, groups}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				some := func(label string) []int64 {
					drawn := rapid.SliceOfDistinct(rapid.SampledFrom(test.all), rapid.ID[int64]).Draw(t, label)
					slices.Sort(drawn)
					return drawn
				}
				held, before := some("held"), some("before")
				kept := test.words.Of(before, s.view)
				set := test.words.Keep(kept, held, s.view)
				meant, known := test.words.Resolve(set, s.view)
				if !known || len(meant.Problems)+len(meant.Planned)+len(meant.Deactivated) > 0 || !slices.Equal(meant.IDs, held) {
					t.Fatalf("%v is written %v, which means %+v", held, set, meant)
				}
				if again := test.words.Keep(set, held, s.view); !again.Equal(set) {
					t.Fatalf("%v is then written %v", set, again)
				}
			})
		})
	}
}

func TestWordsAreKept(t *testing.T) {
	s := newServer(t, permission.UserGroups)
	lena, _ := s.view.UserByAddress("lena.fischer@example.com")
	kept := wordSet("LENA.fischer@example.com", "gone@example.com")
	if got := framework.Users.Keep(kept, []int64{lena.ID}, s.view); !got.Equal(wordSet("LENA.fischer@example.com")) {
		t.Errorf("kept %v", got)
	}
	for text, want := range map[string]string{
		"lena.fisher@example.com": "did you mean lena.fischer@example.com?", "999999": "has the ID 999999; the data source zulip_users lists all",
	} {
		if meant, _ := framework.Users.Resolve(wordSet(text), s.view); len(meant.Problems) != 1 || !strings.Contains(meant.Problems[0].Error(), want) {
			t.Errorf("%s: %v", text, meant.Problems)
		}
	}
	if _, known := framework.Users.Resolve(types.SetUnknown(types.StringType), s.view); known {
		t.Error("what is not known is known")
	}
}
