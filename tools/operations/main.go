// Operations checks that the provider supports every promised API operation. It reads the table in operations.md and the
// pages of the resources, data sources and actions in it. It also reads the provider's calls in the tests, from the file
// named as argument. It fails if an operation is missing from any of them.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// page is the path of the table, relative to the project's folder.
const page = "tools/operations/operations.md"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: operations PROJECT CALLS")
		os.Exit(2)
	}
	missing, err := check(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "operations:", err)
		os.Exit(2)
	}
	for _, text := range missing.sorted() {
		fmt.Println("missing:", text)
	}
	fmt.Printf("operations in the table and called by the tests: %d of %d\n", len(operations)-missing.operations(), len(operations))
	if len(missing) > 0 {
		os.Exit(1)
	}
}

// missing lists the missing parts, by the name of the operation.
type missing map[string][]string

func (m missing) add(o operation, format string, args ...any) {
	m[o.name] = append(m[o.name], fmt.Sprintf(format, args...))
}

// operations returns how many operations lack something; the token request does not count as an operation.
func (m missing) operations() int {
	count := len(m)
	if _, ok := m[tokenFlow.name]; ok {
		count--
	}
	return count
}

func (m missing) sorted() []string {
	var all []string
	for name, texts := range m {
		for _, text := range texts {
			all = append(all, name+": "+text)
		}
	}
	slices.Sort(all)
	return all
}

// check compares the operations with the table and with the calls.
func check(project, calls string) (missing, error) {
	called, err := os.ReadFile(calls)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(called), "\n")
	all := append(slices.Clone(operations), tokenFlow)
	m := missing{}
	for _, o := range all {
		if !slices.ContainsFunc(lines, o.isCall) {
			m.add(o, "no test made the provider call it")
		}
	}
	text, err := os.ReadFile(filepath.Join(project, page))
	if err != nil {
		return nil, err
	}
	rows := readTable(string(text))
	for _, o := range all {
		reachedBy, ok := rows[o.name+" | "+o.wire()]
		if !ok {
			m.add(o, "%s has no row for it (%s)", page, o.wire())
			continue
		}
		for _, problem := range checkConstructs(project, reachedBy) {
			m.add(o, "%s: %s", page, problem)
		}
	}
	return m, nil
}

// row is a line of the table: the operation, its call, and the constructs for it.
var row = regexp.MustCompile(`(?m)^\| ([^|]+ \| [^|]+) \| ([^|]+) \|$`)

// readTable returns the last cell of each row by the first two.
func readTable(text string) map[string]string {
	rows := map[string]string{}
	for _, match := range row.FindAllStringSubmatch(text, -1) {
		rows[match[1]] = match[2]
	}
	return rows
}

// construct matches the kind and name of a resource, data source, action or ephemeral resource: "resource `zulip_channel`".
var construct = regexp.MustCompile("(resource|data source|action|ephemeral) `zulip_([a-z_]+)`")

// folders are the folders of the pages of each kind.
var folders = map[string]string{
	"resource": "resources", "data source": "data-sources", "action": "actions", "ephemeral": "ephemeral-resources",
}

// checkConstructs returns the names in a cell that have no page or no example.
func checkConstructs(project, cell string) []string {
	named := construct.FindAllStringSubmatch(cell, -1)
	if len(named) == 0 {
		return []string{"names no construct"}
	}
	var problems []string
	for _, match := range named {
		kind, name := match[1], match[2]
		for _, path := range []string{
			filepath.Join("docs", folders[kind], name+".md"), filepath.Join("examples", folders[kind], "zulip_"+name),
		} {
			if _, err := os.Stat(filepath.Join(project, path)); err != nil {
				problems = append(problems, fmt.Sprintf("%s zulip_%s has no %s", kind, name, path))
			}
		}
	}
	return problems
}
