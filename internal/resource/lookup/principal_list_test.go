package lookup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func textList(texts ...string) types.List {
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, elements)
}

// shuffled returns a list in another order, with some of its texts twice.
func shuffled(t *rapid.T, list types.List) types.List {
	var elements []attr.Value
	for _, element := range list.Elements() {
		for range rapid.IntRange(1, 2).Draw(t, "times") {
			elements = append(elements, element)
		}
	}
	return types.ListValueMust(types.StringType, rapid.Permutation(elements).Draw(t, "order"))
}

// The list for IDs resolves to the same IDs, whatever texts are kept for some of them, and neither order nor
// repetitions are a change.
func TestLawLists_WrittenIDs_Named(t *testing.T) {
	view := readOrganization(t)
	var people, groups []int64
	for _, user := range view.Users() {
		people = append(people, user.ID)
	}
	for _, group := range view.UserGroups().List() {
		groups = append(groups, group.ID)
	}
	for name, test := range map[string]struct {
		list lookup.PrincipalList
		all  []int64
	}{"people": {lookup.UserList, people}, "groups": {lookup.GroupList, groups}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				some := func(label string) []int64 {
					drawn := rapid.SliceOfDistinct(rapid.SampledFrom(test.all), rapid.ID[int64]).Draw(t, label)
					slices.Sort(drawn)
					return drawn
				}
				held, before := some("held"), some("before")
				list := test.list.Keep(test.list.Of(before, view), held, view)
				resolved := test.list.Resolve(list, nil, view)
				if !resolved.IsKnown || len(resolved.Problems)+len(resolved.Planned)+len(resolved.Deactivated) > 0 || !slices.Equal(resolved.IDs, held) {
					t.Fatalf("%v is written %v, which names %+v", held, list, resolved)
				}
				other := shuffled(t, list)
				if got := test.list.KeepPrior(other, list, nil, view); !got.Equal(list) {
					t.Fatalf("%v is planned for %v, not %v", got, other, list)
				}
				if got := test.list.Keep(other, held, view); !got.Equal(other) {
					t.Fatalf("%v is written %v", other, got)
				}
				if slices.Equal(held, before) {
					return
				}
				if got := test.list.KeepPrior(list, test.list.Of(before, view), nil, view); !got.Equal(list) {
					t.Fatalf("%v is planned for %v", got, list)
				}
			})
		})
	}
}

func TestLists_ConfiguredTexts_Kept(t *testing.T) {
	view := readOrganization(t)
	lena, _ := view.UserByAddress("lena.fischer@example.com")
	kept := textList("LENA.fischer@example.com", "not.yet@example.com", fmt.Sprint(lena.ID), "999999")
	if got := lookup.UserList.Keep(kept, []int64{lena.ID}, view); !got.Equal(textList("LENA.fischer@example.com", "not.yet@example.com", fmt.Sprint(lena.ID))) {
		t.Errorf("kept %v", got)
	}
	for text, want := range map[string]string{
		"lena.fisher@example.com": "did you mean lena.fischer@example.com?", "999999": "the provider's account sees no user or bot with the ID 999999",
	} {
		if resolved := lookup.UserList.Resolve(textList(text), nil, view); len(resolved.Problems) != 1 || !strings.Contains(resolved.Problems[0].Error(), want) {
			t.Errorf("%s: %v", text, resolved.Problems)
		}
	}
	if lookup.UserList.Resolve(types.ListUnknown(types.StringType), nil, view).IsKnown {
		t.Error("what is not known is known")
	}
	if got := lookup.UserList.Describe([]int64{lena.ID}, view); got != "lena.fischer@example.com" {
		t.Errorf("described as %s", got)
	}
}

// New users in a list are sorted by text, as in an export, whatever the IDs.
func TestLists_NewEntries_SortedByText(t *testing.T) {
	view := readOrganization(t)
	var people, groups []int64
	for _, user := range view.Users() {
		people = append(people, user.ID)
	}
	for _, group := range view.UserGroups().List() {
		groups = append(groups, group.ID)
	}
	for name, list := range map[string]types.List{"people": lookup.UserList.Of(people, view), "groups": lookup.GroupList.Of(groups, view)} {
		var texts []string
		for _, element := range list.Elements() {
			texts = append(texts, element.(types.String).ValueString()) //nolint:forcetypeassert // it is one
		}
		if len(texts) < 4 || !slices.IsSorted(texts) {
			t.Errorf("%s are not sorted: %q", name, texts)
		}
	}
	lena, _ := view.UserByAddress("lena.fischer@example.com")
	tomas, _ := view.UserByAddress("tomas.berg@example.com")
	amara, _ := view.UserByAddress("amara.okafor@example.com")
	got := lookup.UserList.Keep(textList("tomas.berg@example.com"), []int64{tomas.ID, lena.ID, amara.ID}, view)
	if want := textList("tomas.berg@example.com", "amara.okafor@example.com", "lena.fischer@example.com"); !got.Equal(want) {
		t.Errorf("kept %v", got)
	}
}

// A text that names no user represents itself, ignoring case, and an unknown element is no repetition.
func TestLists_UnknownUsers_TextsKept(t *testing.T) {
	view := readOrganization(t)
	prior := textList("new@example.com", "lena.fischer@example.com")
	if got := lookup.UserList.KeepPrior(textList("lena.fischer@example.com", "NEW@example.com"), prior, nil, view); !got.Equal(prior) {
		t.Errorf("planned %v", got)
	}
	unknown := types.ListValueMust(types.StringType, []attr.Value{types.StringUnknown(), types.StringValue("lena.fischer@example.com")})
	if got := lookup.UserList.KeepPrior(unknown, prior, nil, view); !got.Equal(unknown) {
		t.Errorf("planned %v", got)
	}
	if resolved := lookup.UserList.Resolve(unknown, nil, view); resolved.IsKnown || len(resolved.IDs) != 1 {
		t.Errorf("resolved %+v", resolved)
	}
}

// BenchmarkPrincipalList compares and keeps two lists of 5,000 people in opposite orders.
func BenchmarkPrincipalList(b *testing.B) {
	const count = 5000
	read := &zulip.RegisterAnswer{}
	var ids []int64
	var forth, back []string
	for id := range int64(count) {
		address := fmt.Sprintf("m%d@example.com", id)
		read.Users = append(read.Users, &zulip.User{ID: id + 1, Email: address, IsActive: true})
		ids = append(ids, id+1)
		forth = append(forth, address)
	}
	for _, address := range slices.Backward(forth) {
		back = append(back, address)
	}
	facts := snapshot.Facts{}
	facts.Take(read, zulip.FetchUsers)
	view := snapshot.New(facts, new(runstate.State))
	configured, prior := textList(forth...), textList(back...)
	for b.Loop() {
		if !lookup.UserList.KeepPrior(configured, prior, nil, view).Equal(prior) {
			b.Fatal("another order is planned")
		}
		if !lookup.UserList.Keep(prior, ids, view).Equal(prior) {
			b.Fatal("another order is kept")
		}
	}
}

// readOrganization reads the example organization as its owner.
func readOrganization(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	o := acctest.NewSandbox(t, sandbox.Config{})
	view, err := store.New(o.Client, o.Self, sandbox.DefaultFeatureLevel, new(runstate.State)).Read(t.Context(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	return view
}
