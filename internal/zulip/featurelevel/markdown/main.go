// Markdown fills in what the page "Supported servers" says of feature levels: it reads the template of the page from
// standard input.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// The marks in the template.
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

// fill writes the page: the template with the levels in the place of the marks.
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

// writeRanges says for each range of levels what was tried and what was read.
func writeRanges(w io.Writer) {
	_, _ = io.WriteString(w, "| Levels | Tried | Read |\n|---|---|---|\n")
	for _, one := range featurelevel.Ranges() {
		_, _ = fmt.Fprintf(w, "| %s | %s | %s |\n", one, one.Tried, one.Read)
	}
}

func write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "## What requires a newer server\n\nEverything that is not listed works from feature level %d (Zulip %s) on.\n\n",
		featurelevel.Oldest, featurelevel.FirstRelease(featurelevel.Oldest))
	writeRows(w, func(row featurelevel.Row) bool { return row.Level > featurelevel.Oldest })
	_, _ = io.WriteString(w, "\n## Differences that the provider hides\n\nThe server's API changed at these levels. The same configuration works below and above.\n\n"+
		"| Level | Zulip | Affects | On older servers | From the level on |\n|---|---|---|---|---|\n")
	for _, change := range featurelevel.Changes {
		if change.Level > featurelevel.Oldest {
			_, _ = fmt.Fprintf(w, "| %d | %s | `%s` | %s | %s |\n", change.Level, featurelevel.FirstRelease(change.Level), change.Of, change.Below, change.From)
		}
	}
	_, _ = fmt.Fprintf(w, "\n## Servers before Zulip %s\n\nThey are not tested. The plan checks what is known about them:\n\n", featurelevel.FirstRelease(featurelevel.Oldest))
	writeRows(w, func(row featurelevel.Row) bool { return row.Level <= featurelevel.Oldest })
}

// writeRows writes a table of the chosen rows: by resource, then by level.
func writeRows(w io.Writer, chosen func(featurelevel.Row) bool) {
	rows := slices.DeleteFunc(slices.Clone(featurelevel.Table), func(row featurelevel.Row) bool { return !chosen(row) })
	slices.SortStableFunc(rows, func(a, b featurelevel.Row) int {
		if a.Of != b.Of {
			return strings.Compare(a.Of, b.Of)
		}
		return a.Level - b.Level
	})
	_, _ = io.WriteString(w, "| Resource, data source or action | Attribute | Level | Zulip | On older servers |\n|---|---|---|---|---|\n")
	for _, row := range rows {
		attribute := "everything"
		if row.Attribute != "" {
			attribute = "`" + row.Attribute + "`"
		}
		if row.Value != "" {
			attribute = fmt.Sprintf("`%s = %s`", row.Attribute, row.Value)
		}
		below := string(row.Below)
		if row.Below == featurelevel.Refused && row.Attribute == "" {
			below = "Using it is an error at plan."
		}
		_, _ = fmt.Fprintf(w, "| `%s` | %s | %d | %s | %s |\n", row.Of, attribute, row.Level, featurelevel.FirstRelease(row.Level), below)
	}
}
