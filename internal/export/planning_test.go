package export_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
)

// planner plans a configuration like Terraform, one call of the plugin protocol after the other.
type planner struct {
	*provider.Session
	schemas map[string]*tfprotov6.Schema
	types   map[string]cty.Type
}

// newPlanner starts the provider with the account that the environment names.
func newPlanner(ctx context.Context) (*planner, error) {
	session, err := provider.Open(ctx, "test")
	if err != nil {
		return nil, err
	}
	all, err := session.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	p := &planner{Session: session, schemas: all.ResourceSchemas, types: map[string]cty.Type{}}
	for name, schema := range p.schemas {
		text, err := json.Marshal(schema.ValueType())
		if err != nil {
			return nil, err
		}
		var kind cty.Type
		if err := json.Unmarshal(text, &kind); err != nil {
			return nil, err
		}
		p.types[name] = kind
	}
	return p, nil
}

// expectPlanEmpty fails the test for each problem of the plan of a folder.
func expectPlanEmpty(t *testing.T, folder string) {
	t.Helper()
	for _, problem := range planFolder(t, folder) {
		t.Error(problem)
	}
}

// planFolder imports and plans the configuration of a folder. It returns the problems of the plan, which are none if
// the plan imports everything and changes nothing.
func planFolder(t tester, folder string) (problems []string) {
	t.Helper()
	ctx := context.Background()
	c := readConfiguration(t, folder)
	here, err := os.Getwd()
	acctest.NoError(t, err)
	acctest.NoError(t, os.Chdir(folder))
	defer os.Chdir(here) //nolint:errcheck // it was there
	p, err := newPlanner(ctx)
	acctest.NoError(t, err)
	states, locals := map[string]cty.Value{}, c.evaluateLocals(t)
	for _, address := range c.order {
		one := c.resources[address]
		values, err := one.evaluate(locals, states)
		if err == nil {
			states[address], err = p.plan(ctx, one, values)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s, imported by %q: %v\n%s", address, one.importID, err, blockOf(t, folder, one)))
		}
	}
	return problems
}

// blockOf returns the block of a resource, for messages.
func blockOf(t tester, folder string, one *resource) string {
	t.Helper()
	for _, content := range filesOf(t, folder) {
		_, block, ok := strings.Cut(content, fmt.Sprintf("resource %q %q {", one.kind, one.name))
		if block, _, _ = strings.Cut(block, "\n}\n"); ok {
			return block
		}
	}
	return ""
}

// plan imports and plans one resource, and returns its state. Its error is the problem of the plan.
func (p *planner) plan(ctx context.Context, one *resource, values map[string]cty.Value) (cty.Value, error) {
	kind := p.types[one.kind]
	config, err := configOf(kind, values)
	if err != nil {
		return cty.NilVal, err
	}
	checked, err := p.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: one.kind, Config: encode(kind, config)})
	if err := errors.Join(err, errorOf(checked.Diagnostics)); err != nil {
		return cty.NilVal, fmt.Errorf("it is not valid: %w", err)
	}
	imported, err := p.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: one.kind, ID: one.importID})
	if err := errors.Join(err, errorOf(imported.Diagnostics)); err != nil {
		return cty.NilVal, fmt.Errorf("it cannot be imported: %w", err)
	}
	found := imported.ImportedResources[0]
	read, err := p.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: one.kind, CurrentState: again(kind, found.State), Private: found.Private, CurrentIdentity: found.Identity,
	})
	if err := errors.Join(err, errorOf(read.Diagnostics)); err != nil {
		return cty.NilVal, fmt.Errorf("it cannot be read: %w", err)
	}
	prior := decode(kind, read.NewState)
	planned, err := p.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: one.kind, PriorState: encode(kind, prior), Config: encode(kind, config), PriorPrivate: read.Private, PriorIdentity: read.NewIdentity,
		ProposedNewState: encode(kind, p.propose(one.kind, prior, config)),
	})
	if err := errors.Join(err, errorOf(planned.Diagnostics)); err != nil {
		return cty.NilVal, fmt.Errorf("it cannot be planned: %w", err)
	}
	if len(planned.RequiresReplace) > 0 {
		return cty.NilVal, fmt.Errorf("it would be replaced because of %v", planned.RequiresReplace)
	}
	return prior, errors.Join(changes(prior, decode(kind, planned.PlannedState)), inAnotherOrder(prior, config))
}

// inAnotherOrder returns an error about lists without a meaningful order that are written in another order than read.
// The next change of such a list would show people who only change their position.
func inAnotherOrder(prior, config cty.Value) error {
	var all []error
	for _, name := range []string{"users", "members", "subgroups"} {
		if !config.Type().HasAttribute(name) {
			continue
		}
		if written, read := config.GetAttr(name), prior.GetAttr(name); !written.IsNull() && !written.RawEquals(read) {
			all = append(all, fmt.Errorf("%s is written as %#v and read as %#v", name, written, read))
		}
	}
	return errors.Join(all...)
}

// changes returns the differences between two states.
func changes(prior, planned cty.Value) error {
	var all []error
	if prior.IsNull() || planned.IsNull() {
		return errors.New("it is not there")
	}
	for name := range prior.Type().AttributeTypes() {
		if before, after := prior.GetAttr(name), planned.GetAttr(name); !before.RawEquals(after) {
			all = append(all, fmt.Errorf("%s would change from %#v to %#v", name, before, after))
		}
	}
	return errors.Join(all...)
}

// configOf returns a configuration of values. Omitted attributes are null.
func configOf(kind cty.Type, values map[string]cty.Value) (cty.Value, error) {
	all := map[string]cty.Value{}
	for name, attribute := range kind.AttributeTypes() {
		all[name] = cty.NullVal(attribute)
		if value, ok := values[name]; ok {
			converted, err := convert.Convert(value, attribute.WithoutOptionalAttributesDeep())
			if err != nil {
				return cty.NilVal, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = converted
		}
	}
	for name := range values {
		if !kind.HasAttribute(name) {
			return cty.NilVal, fmt.Errorf("there is no attribute %s", name)
		}
	}
	return cty.ObjectVal(all), nil
}

// propose merges a configuration with the prior state, as the CLI does.
func (p *planner) propose(kind string, prior, config cty.Value) cty.Value {
	all := config.AsValueMap()
	for _, attribute := range p.schemas[kind].Block.Attributes {
		if all[attribute.Name].IsNull() && attribute.Computed {
			all[attribute.Name] = prior.GetAttr(attribute.Name)
		}
	}
	return cty.ObjectVal(all)
}

// encode and decode convert values like Terraform, which uses one Unicode normal form.
func encode(kind cty.Type, value cty.Value) *tfprotov6.DynamicValue {
	encoded, err := msgpack.Marshal(value, kind)
	if err != nil {
		panic(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: encoded}
}

func decode(kind cty.Type, encoded *tfprotov6.DynamicValue) cty.Value {
	value, err := msgpack.Unmarshal(encoded.MsgPack, kind)
	if err != nil {
		panic(err)
	}
	return value
}

func again(kind cty.Type, encoded *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	return encode(kind, decode(kind, encoded))
}

func errorOf(diags []*tfprotov6.Diagnostic) error {
	var all []error
	for _, one := range slices.DeleteFunc(slices.Clone(diags), func(d *tfprotov6.Diagnostic) bool { return d.Severity != tfprotov6.DiagnosticSeverityError }) {
		all = append(all, fmt.Errorf("%s: %s", one.Summary, one.Detail))
	}
	return errors.Join(all...)
}

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}
