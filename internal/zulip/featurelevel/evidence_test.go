package featurelevel

import (
	"slices"
	"strings"
	"testing"
)

// The page lists the levels above the tried one from all tables, with their evidence.
func TestLevels_All_WithEvidence(t *testing.T) {
	named := map[int]bool{}
	for _, row := range Table {
		named[row.Level] = true
	}
	for _, change := range Changes {
		named[change.Level] = true
	}
	for _, level := range readInSource {
		if !named[level] || level <= Recorded || level > Newest {
			t.Errorf("%d was read in the source, and nothing depends on it", level)
		}
	}
	read, inferred := evidenceAbove(Recorded, Newest)
	for level := range named {
		if level <= Recorded {
			continue
		}
		if slices.Contains(read, level) == slices.Contains(inferred, level) {
			t.Errorf("%d is neither read nor inferred, or both", level)
		}
	}
	if len(read) != len(readInSource) {
		t.Errorf("%v were read, of %v", read, readInSource)
	}
}

// Ranges leave no supported level out and have none twice.
func TestRanges_SupportedLevels_CoveredExactly(t *testing.T) {
	next := Oldest
	ranges := Ranges()
	for i, one := range ranges {
		if one.From != next || (one.To == 0) != (i == len(ranges)-1) {
			t.Errorf("after level %d comes %s", next-1, one)
		}
		next = one.To + 1
	}
	for level, want := range map[int]string{Oldest: "371 to 441", Recorded: "442", 443: "443 to 512", Newest: "443 to 512", Newest + 1: "above 512"} {
		if got, ok := RangeOf(level); !ok || got.String() != want {
			t.Errorf("%d is in %q, want %q", level, got, want)
		}
	}
	if _, ok := RangeOf(Oldest - 1); ok {
		t.Error("there is a range of what is not supported")
	}
}

func TestUntried(t *testing.T) {
	texts := func(of string, level int) string {
		var all []string
		for _, one := range UntriedOf(of, level) {
			all = append(all, one.String())
		}
		return strings.Join(all, "; ")
	}
	for _, test := range []struct {
		of    string
		level int
		want  string
	}{
		{"zulip_channel", Recorded, ""},
		{"zulip_channel", NewestRelease, ""},
		{"zulip_channel", Newest, "`default_push_notifications` (507, read)"},
		{"zulip_user", NewestRelease, "`deactivation_actions` (459, read); `is_deleted` (490, inferred); A deleted user is never reactivated or adopted (490, inferred)"},
		{"zulip_set_user_settings", 444, "all of it (444, inferred)"},
	} {
		if got := texts(test.of, test.level); got != test.want {
			t.Errorf("%s at %d: %s, want %s", test.of, test.level, got, test.want)
		}
	}
}
