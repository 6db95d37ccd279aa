package lookup_test

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"

	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
)

// readOrganization reads the example organization as its owner.
func readOrganization(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view, err := store.New(client, self, sandbox.DefaultFeatureLevel, new(runstate.State)).Read(t.Context(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func wordSet(words ...string) types.Set {
	elements := make([]attr.Value, len(words))
	for i, word := range words {
		elements[i] = types.StringValue(word)
	}
	return types.SetValueMust(types.StringType, elements)
}

// What is written for IDs means the IDs, whatever words are kept for some of them.
func TestLawWordsMeanWhatTheyWereWrittenFor(t *testing.T) {
	view := readOrganization(t)
	var people, groups []int64
	for _, user := range view.Users() {
		people = append(people, user.ID)
	}
	for _, group := range view.UserGroups().List() {
		groups = append(groups, group.ID)
	}
	for name, test := range map[string]struct {
		words lookup.PrincipalSet
		all   []int64
	}{"people": {lookup.Users, people}, "groups": {lookup.Groups, groups}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				some := func(label string) []int64 {
					drawn := rapid.SliceOfDistinct(rapid.SampledFrom(test.all), rapid.ID[int64]).Draw(t, label)
					slices.Sort(drawn)
					return drawn
				}
				held, before := some("held"), some("before")
				kept := test.words.Of(before, view)
				set := test.words.Keep(kept, held, view)
				meant, known := test.words.Resolve(set, view)
				if !known || len(meant.Problems)+len(meant.Planned)+len(meant.Deactivated) > 0 || !slices.Equal(meant.IDs, held) {
					t.Fatalf("%v is written %v, which means %+v", held, set, meant)
				}
				if again := test.words.Keep(set, held, view); !again.Equal(set) {
					t.Fatalf("%v is then written %v", set, again)
				}
			})
		})
	}
}

func TestWordsAreKept(t *testing.T) {
	view := readOrganization(t)
	lena, _ := view.UserByAddress("lena.fischer@example.com")
	kept := wordSet("LENA.fischer@example.com", "gone@example.com")
	if got := lookup.Users.Keep(kept, []int64{lena.ID}, view); !got.Equal(wordSet("LENA.fischer@example.com")) {
		t.Errorf("kept %v", got)
	}
	for text, want := range map[string]string{
		"lena.fisher@example.com": "did you mean lena.fischer@example.com?", "999999": "no person or bot with the ID 999999 is visible to the account the provider uses",
	} {
		if meant, _ := lookup.Users.Resolve(wordSet(text), view); len(meant.Problems) != 1 || !strings.Contains(meant.Problems[0].Error(), want) {
			t.Errorf("%s: %v", text, meant.Problems)
		}
	}
	if _, known := lookup.Users.Resolve(types.SetUnknown(types.StringType), view); known {
		t.Error("what is not known is known")
	}
}
