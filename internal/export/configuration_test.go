package export_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// configuration is a folder of Terraform files in the form that Terraform reads.
type configuration struct {
	resources map[string]*resource // by address
	// order has the addresses so that each comes after those that it references.
	order []string
	// locals are the local values by name, variables the defaults of variables.
	locals    hclsyntax.Attributes
	variables map[string]cty.Value
}

// resource is one block, with its import.
type resource struct {
	kind, name, importID string
	attributes           hclsyntax.Attributes
	refersTo             []string
}

// tester is the part of a test that the checks need.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// resourceName matches the names that an export gives to resources: lowercase letters, and letters of scripts that
// have no case.
var resourceName = regexp.MustCompile(`^[a-z\p{Ll}\p{Lo}\p{Lm}][a-z0-9_\p{Ll}\p{Lo}\p{Lm}\p{M}]*$`)

// readConfiguration reads a folder. It fails the test if a file is not formatted like `terraform fmt`, or a name is not
// plain or not unique. It also fails for a resource without an import, an import without a resource, and a dangling or
// circular reference.
func readConfiguration(t tester, folder string) *configuration {
	t.Helper()
	c := &configuration{resources: map[string]*resource{}, locals: hclsyntax.Attributes{}, variables: map[string]cty.Value{}}
	names, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	acctest.NoError(t, err)
	imports := map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		acctest.NoError(t, err)
		if formatted := hclwrite.Format(content); !bytes.Equal(formatted, content) {
			t.Fatalf("%s is not formatted:\n%s", filepath.Base(name), content)
		}
		file, diags := hclparse.NewParser().ParseHCL(content, name)
		if diags.HasErrors() {
			t.Fatalf("%v in:\n%s", diags, content)
		}
		body, _ := file.Body.(*hclsyntax.Body)
		for _, block := range body.Blocks {
			c.add(t, block, imports)
		}
	}
	for address, id := range imports {
		if c.resources[address] == nil {
			t.Fatalf("%s is imported and not configured", address)
		}
		c.resources[address].importID = id
	}
	done := map[string]bool{}
	for _, address := range slices.Sorted(maps.Keys(c.resources)) {
		if c.resources[address].importID == "" {
			t.Fatalf("%s has no import", address)
		}
		c.follow(t, address, nil, done)
	}
	return c
}

// add adds a block.
func (c *configuration) add(t tester, block *hclsyntax.Block, imports map[string]string) {
	t.Helper()
	switch block.Type {
	case "resource":
		one := &resource{kind: block.Labels[0], name: block.Labels[1], attributes: block.Body.Attributes}
		address := one.kind + "." + one.name
		if !resourceName.MatchString(one.name) {
			t.Fatalf("%s is no good name", address)
		}
		if c.resources[address] != nil {
			t.Fatalf("%s is there twice", address)
		}
		c.resources[address] = one
		for _, attribute := range one.attributes {
			for _, variable := range attribute.Expr.Variables() {
				if !slices.Contains([]string{"path", "local", "var"}, variable.RootName()) {
					one.refersTo = append(one.refersTo, addressOf(t, variable))
				}
			}
		}
	case "import":
		to, diags := hcl.AbsTraversalForExpr(block.Body.Attributes["to"].Expr)
		id, more := block.Body.Attributes["id"].Expr.Value(nil)
		if diags.HasErrors() || more.HasErrors() {
			t.Fatal(diags, more)
		}
		address := addressOf(t, to)
		if imports[address] != "" {
			t.Fatalf("%s is imported twice", address)
		}
		imports[address] = id.AsString()
	case "locals":
		maps.Copy(c.locals, block.Body.Attributes)
	case "variable":
		value, diags := block.Body.Attributes["default"].Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		c.variables[block.Labels[0]] = value
	case "terraform":
	default:
		t.Fatalf("there is a block %s", block.Type)
	}
}

func addressOf(t tester, to hcl.Traversal) string {
	t.Helper()
	name, ok := to[1].(hcl.TraverseAttr)
	if !ok {
		t.Fatalf("%v is no reference", to)
	}
	return to.RootName() + "." + name.Name
}

// follow puts a resource after those that it references.
func (c *configuration) follow(t tester, address string, way []string, done map[string]bool) {
	t.Helper()
	if slices.Contains(way, address) {
		t.Fatalf("a circle: %s", strings.Join(append(way, address), " -> "))
	}
	if c.resources[address] == nil {
		t.Fatalf("%s refers to %s, which is not there", way[len(way)-1], address)
	}
	if done[address] {
		return
	}
	for _, next := range c.resources[address].refersTo {
		c.follow(t, next, append(slices.Clone(way), address), done)
	}
	done[address] = true
	c.order = append(c.order, address)
}

// functions are Terraform's functions that an export calls.
var functions = map[string]function.Function{"compact": compact, "concat": stdlib.ConcatFunc, "coalescelist": stdlib.CoalesceListFunc, "try": tryfunc.TryFunc}

// compact removes null and "" from a list, like Terraform.
var compact = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.List(cty.String)}},
	Type:   function.StaticReturnType(cty.List(cty.String)),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		var kept []cty.Value
		for _, element := range args[0].AsValueSlice() {
			if !element.IsNull() && element.AsString() != "" {
				kept = append(kept, element)
			}
		}
		if len(kept) == 0 {
			return cty.ListValEmpty(cty.String), nil
		}
		return cty.ListVal(kept), nil
	},
})

// evaluateLocals returns the local values. Each may name others.
func (c *configuration) evaluateLocals(t tester) cty.Value {
	t.Helper()
	values := map[string]cty.Value{}
	for range c.locals {
		for name, attribute := range c.locals {
			value, diags := attribute.Expr.Value(&hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{"var": cty.ObjectVal(c.variables), "local": cty.ObjectVal(values)}})
			if !diags.HasErrors() {
				values[name] = value
			}
		}
	}
	if len(values) != len(c.locals) {
		t.Fatalf("of the local values only %v can be evaluated", slices.Sorted(maps.Keys(values)))
	}
	return cty.ObjectVal(values)
}

// evaluate returns the values of a resource's attributes, with those of others in the place of references.
func (r *resource) evaluate(locals cty.Value, states map[string]cty.Value) (map[string]cty.Value, error) {
	byKind := map[string]map[string]cty.Value{}
	for _, address := range r.refersTo {
		kind, name, _ := strings.Cut(address, ".")
		if byKind[kind] == nil {
			byKind[kind] = map[string]cty.Value{}
		}
		byKind[kind][name] = states[address]
	}
	scope := &hcl.EvalContext{Variables: map[string]cty.Value{"path": cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(".")}), "local": locals}, Functions: functions}
	for kind, all := range byKind {
		scope.Variables[kind] = cty.ObjectVal(all)
	}
	values := map[string]cty.Value{}
	for name, attribute := range r.attributes {
		if name == "count" || name == "depends_on" {
			continue
		}
		value, diags := attribute.Expr.Value(scope)
		if diags.HasErrors() {
			return nil, fmt.Errorf("%s cannot be evaluated: %w", name, diags)
		}
		values[name] = value
	}
	return values, nil
}

// filesOf returns the content of a folder by name, and the target of a symbolic link.
func filesOf(t tester, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if entry.Type()&os.ModeSymlink != 0 {
			files[filepath.ToSlash(name)], err = os.Readlink(path)
			return err
		}
		content, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	acctest.NoError(t, err)
	return files
}

// sameFiles fails the test unless two folders have the same files.
func sameFiles(t tester, what string, before, after map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			t.Fatalf("%s: %s is gone", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] != after[name] {
			t.Fatalf("%s: %s differs:\n%s", what, name, lineDiff(before[name], after[name]))
		}
	}
}

// lineDiff returns the lines that only one of two texts has, in the order of each.
func lineDiff(before, after string) string {
	count := map[string]int{}
	for line := range strings.Lines(after) {
		count[line]++
	}
	var b strings.Builder
	for line := range strings.Lines(before) {
		if count[line]--; count[line] < 0 {
			fmt.Fprintf(&b, "-%s", line)
		}
	}
	clear(count)
	for line := range strings.Lines(before) {
		count[line]++
	}
	for line := range strings.Lines(after) {
		if count[line]--; count[line] < 0 {
			fmt.Fprintf(&b, "+%s", line)
		}
	}
	return b.String()
}
