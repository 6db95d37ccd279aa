// Levelspage writes the page "Supported servers". It reads the template from standard input and adds the feature levels.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The placeholders in the template.
const (
	testedMark = "<!-- tested levels -->"
	rangesMark = "<!-- evidence -->"
	tablesMark = "<!-- feature levels -->"
)

func main() {
	template, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = fill(os.Stdout, string(template))
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fill writes the template with the levels in place of the placeholders.
func fill(w io.Writer, template string) error {
	for _, mark := range []string{testedMark, rangesMark, tablesMark} {
		if strings.Count(template, mark) != 1 {
			return fmt.Errorf("the template has the mark %s %d times, not once", mark, strings.Count(template, mark))
		}
	}
	var tables, ranges strings.Builder
	write(&tables)
	writeRanges(&ranges)
	page := strings.Replace(template, testedMark, testedLevels(), 1)
	page = strings.Replace(page, rangesMark+"\n", ranges.String(), 1)
	_, err := io.WriteString(w, strings.Replace(page, tablesMark+"\n", tables.String(), 1))
	return err
}

// testedLevels lists the levels above the oldest at which every resource is tested: "442, 500 and 512".
func testedLevels() string {
	texts := make([]string, len(featurelevel.Tested)-1)
	for i := range texts {
		texts[i] = fmt.Sprint(featurelevel.Tested[i+1])
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// writeRanges writes the tried and the read behavior of each range of levels.
func writeRanges(w io.Writer) {
	_, _ = io.WriteString(w, "| Levels | Tested on | Known from |\n|---|---|---|\n")
	for _, one := range featurelevel.Ranges() {
		_, _ = fmt.Fprintf(w, "| %s | %s | %s |\n", one, one.Tried, one.Read)
	}
}

func write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "## What requires a newer server\n\nEverything else works from Zulip %s (feature level %d) on. "+
		"The number is the feature level. On an older server, setting an attribute of these tables is an error during plan, unless the parentheses say otherwise.\n",
		featurelevel.FirstRelease(featurelevel.Oldest), featurelevel.Oldest)
	writeRows(w)
	_, _ = io.WriteString(w, "\n## Differences without configuration changes\n\nThe API changed at these levels. The same configuration works below and above.\n\n"+
		"| Zulip (level) | Affects | Below the level | From the level on |\n|---|---|---|---|\n")
	for _, change := range featurelevel.Changes {
		if change.Level > featurelevel.Oldest {
			_, _ = fmt.Fprintf(w, "| %s (%d) | `%s` | %s | %s |\n", featurelevel.FirstRelease(change.Level), change.Level, change.Of, change.Below, change.From)
		}
	}
}

func writeRows(w io.Writer) {
	rows := slices.DeleteFunc(slices.Clone(featurelevel.Table), func(row featurelevel.Row) bool { return row.Level <= featurelevel.Oldest })
	slices.SortStableFunc(rows, func(a, b featurelevel.Row) int {
		return cmp.Or(strings.Compare(featurelevel.FirstRelease(a.Level), featurelevel.FirstRelease(b.Level)), strings.Compare(a.Of, b.Of), a.Level-b.Level)
	})
	release, of := "", ""
	for _, row := range rows {
		if now := featurelevel.FirstRelease(row.Level); now != release {
			if release != "" {
				_, _ = io.WriteString(w, " |\n")
			}
			release, of = now, ""
			_, _ = fmt.Fprintf(w, "\n### Zulip %s\n\n| Resource, data source or action | Requires Zulip %s |\n|---|---|\n", now, now)
		}
		switch {
		case row.Of == of:
			_, _ = io.WriteString(w, ", ")
		case of != "":
			_, _ = io.WriteString(w, " |\n")
			fallthrough
		default:
			_, _ = fmt.Fprintf(w, "| `%s` | ", row.Of)
		}
		of = row.Of
		_, _ = io.WriteString(w, describe(row))
	}
	_, _ = io.WriteString(w, " |\n")
}

// describe returns the attribute or value of a row with its level, and how older servers differ if it isn't an error to set it.
func describe(row featurelevel.Row) string {
	text := "everything"
	switch {
	case row.Value != "":
		text = fmt.Sprintf("`%s = %s`", row.Attribute, row.Value)
	case row.Attribute != "":
		text = "`" + row.Attribute + "`"
	}
	if row.Below == featurelevel.Refused {
		return fmt.Sprintf("%s (%d)", text, row.Level)
	}
	below := strings.TrimSuffix(string(row.Below), ".")
	return fmt.Sprintf("%s (%d; before: %s)", text, row.Level, strings.ToLower(below[:1])+below[1:])
}
