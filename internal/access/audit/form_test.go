package audit_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// reform writes an audit.
func reform(t *testing.T, a *audit.Audit) string {
	t.Helper()
	var text bytes.Buffer
	if err := a.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A set is written once, as places in the list of accounts: whoever follows one another there is a range.
func TestAuditWritesSetsAsRanges(t *testing.T) {
	a := &audit.Audit{FormatVersion: audit.FormatVersion}
	var all []*report.Account
	for i, role := range []string{"owner", "guest", "member", "member", "member", "member", "member"} {
		all = append(all, &report.Account{ID: int64(900 - 7*i), Role: role, IsBot: i == 6})
		a.Accounts = append(a.Accounts, &audit.Account{Account: all[i], IsActive: true})
	}
	a.Sets = []*report.People{
		report.PeopleOf(), report.PeopleOf(all...), report.PeopleOf(all[0], all[2], all[3], all[6]), report.PeopleOf(all[5], all[4], all[1]),
	}
	text := reform(t, a)
	const want = `"sets":[{"accounts":[],"guests":0,"bots":0},{"accounts":[[0,6]],"guests":1,"bots":1},` +
		`{"accounts":[0,[2,3],6],"guests":0,"bots":1},{"accounts":[1,[4,5]],"guests":1,"bots":0}]`
	if !strings.Contains(text, want) {
		t.Errorf("the sets are not %s in\n%s", want, text)
	}
	read, err := audit.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range read.Sets {
		if got, want := slices.Sorted(slices.Values(set.IDs())), slices.Sorted(slices.Values(a.Sets[i].IDs())); !slices.Equal(got, want) {
			t.Errorf("in set %d are %v, and were %v", i, got, want)
		}
	}
}

// An audit that an earlier build wrote, which lists the ID of everybody in a set, is read: last month's audit can be compared with.
func TestAuditOfFormatVersion1IsRead(t *testing.T) {
	recorded, err := os.ReadFile("testdata/format-1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed struct {
		Sets []struct {
			IDs          []int64
			Guests, Bots int
		}
	}
	if err := json.Unmarshal(recorded, &listed); err != nil {
		t.Fatal(err)
	}
	old, err := audit.Read(bytes.NewReader(recorded))
	if err != nil {
		t.Fatal(err)
	}
	if len(old.Sets) != len(listed.Sets) || len(old.Sets) < 10 {
		t.Fatalf("there are %d sets, and were %d", len(old.Sets), len(listed.Sets))
	}
	for i, set := range old.Sets {
		want := listed.Sets[i]
		slices.Sort(want.IDs)
		if got := slices.Sorted(slices.Values(set.IDs())); !slices.Equal(got, want.IDs) || set.Guests != want.Guests || set.Bots != want.Bots {
			t.Errorf("in set %d are %v (%d guests, %d bots), want %+v", i, got, set.Guests, set.Bots, want)
		}
	}
	changes, err := audit.Compare(old, reread(t, old))
	if err != nil {
		t.Fatal(err)
	}
	if len(changes.Channels)+len(changes.Groups)+len(changes.Rights)+len(changes.People)+len(changes.Also) > 0 {
		t.Errorf("it differs from itself in the later form: %q", effects(changes))
	}
}
