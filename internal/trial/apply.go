package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// site is the address that the provider is told. Names below localhost belong to nobody (RFC 6761).
const site = "http://sandbox.localhost"

// applier applies the changes of a plan to a sandbox through the provider, as a CLI does.
type applier struct {
	ctx     context.Context
	server  tfprotov6.ProviderServer
	schemas map[string]*tfprotov6.Schema
	// created are the resources that were applied, by address: references lead to them.
	created map[string]attributes
	// failed says of changes that could not be applied why, by address.
	failed    map[string]string
	unapplied []*report.NotApplied
}

// attributes are those of a resource.
type attributes = map[string]tftypes.Value

func newApplier(ctx context.Context, version string, server *sandbox.Server, as sandbox.Credentials) (*applier, error) {
	a := &applier{ctx: ctx, server: provider.NewServerOn(version, server.Transport()), created: map[string]attributes{}, failed: map[string]string{}}
	schemas, err := a.server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	a.schemas = schemas.ResourceSchemas
	// Whether the account locks itself out, the plan was asked when it was made.
	block, err := encode(schemas.Provider.ValueType(), map[string]any{
		"site": site, "email": as.Email, "api_key": as.APIKey, "lockout_protection": false, "access_warnings": false, "max_retries": 0,
	})
	if err != nil {
		return nil, err
	}
	configured, err := a.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: block})
	if err != nil {
		return nil, err
	}
	return a, problem(configured.Diagnostics)
}

// encode writes the attributes of an object, null where there are none.
func encode(kind tftypes.Type, values map[string]any) (*tfprotov6.DynamicValue, error) {
	object, _ := kind.(tftypes.Object)
	all := attributes{}
	for name, inner := range object.AttributeTypes {
		all[name] = tftypes.NewValue(inner, values[name])
	}
	return encodeObject(object, all)
}

func encodeObject(kind tftypes.Type, values attributes) (*tfprotov6.DynamicValue, error) {
	value := tftypes.NewValue(kind, nil)
	if values != nil {
		value = tftypes.NewValue(kind, values)
	}
	encoded, err := tfprotov6.NewDynamicValue(kind, value)
	return &encoded, err
}

func decodeObject(kind tftypes.Type, encoded *tfprotov6.DynamicValue) (attributes, error) {
	if encoded == nil {
		return nil, nil
	}
	value, err := encoded.Unmarshal(kind)
	if err != nil || value.IsNull() {
		return nil, err
	}
	var values attributes
	err = value.As(&values)
	return values, err
}

// refusal is what the provider said instead of doing something.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// problem returns the errors among diagnostics, in a sentence.
func problem(diagnostics []*tfprotov6.Diagnostic) error {
	var texts []string
	for _, one := range diagnostics {
		if one.Severity == tfprotov6.DiagnosticSeverityError {
			texts = append(texts, strings.TrimSpace(strings.TrimSuffix(one.Summary, ".")+". "+one.Detail))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return &refusal{strings.Join(texts, " ")}
}

// apply applies all changes: in the order of their references what is created and changed, then in reverse what ends. It returns an
// error only if the context ends.
func (a *applier) apply(changes []*plan.Change) error {
	ordered := inOrder(changes)
	for _, change := range ordered {
		if !change.Does("create") && !change.Does("update") {
			continue
		}
		a.one(change, func() error { return a.bring(change) })
	}
	for _, change := range slices.Backward(ordered) {
		isReplaced := change.Does("create")
		if !change.Does("delete") || isReplaced && change.Values.Actions[0] == "delete" {
			continue // that was before the new one
		}
		a.one(change, func() error { return a.end(change) })
	}
	return a.ctx.Err()
}

// one applies a change, or notes why that is not possible.
func (a *applier) one(change *plan.Change, do func() error) {
	if a.ctx.Err() != nil {
		return
	}
	err := do()
	if err == nil {
		return
	}
	if _, known := a.failed[change.Address]; !known {
		a.unapplied = append(a.unapplied, &report.NotApplied{Address: change.Address, Why: strings.ToValidUTF8(err.Error(), "")})
	}
	a.failed[change.Address] = err.Error()
}

// inOrder puts changes behind those that they depend on.
func inOrder(changes []*plan.Change) []*plan.Change {
	byAddress := map[string][]*plan.Change{}
	for _, change := range changes {
		byAddress[plan.WithoutKeys(change.Address)] = append(byAddress[plan.WithoutKeys(change.Address)], change)
	}
	var ordered []*plan.Change
	visited := map[*plan.Change]bool{}
	var visit func(change *plan.Change)
	visit = func(change *plan.Change) {
		if visited[change] {
			return
		}
		visited[change] = true
		for _, address := range change.DependsOn() {
			for _, before := range byAddress[address] {
				visit(before)
			}
		}
		ordered = append(ordered, change)
	}
	for _, change := range changes {
		visit(change)
	}
	return ordered
}

// bring creates or changes a resource, or replaces it.
func (a *applier) bring(change *plan.Change) error {
	schema, ok := a.schemas[change.Type]
	if !ok {
		return fmt.Errorf("this version does not know %s", change.Type)
	}
	for _, address := range change.DependsOn() {
		for failed := range a.failed {
			if plan.WithoutKeys(failed) == address {
				return fmt.Errorf("it depends on %s, which could not be applied", failed)
			}
		}
	}
	config, err := a.config(change, schema)
	if err != nil {
		return err
	}
	var prior *instance
	switch {
	case change.Does("update"):
		if prior, err = a.read(change, schema); err == nil && prior == nil {
			err = fmt.Errorf("the organization does not have it any more")
		}
	case change.Does("delete") && change.Values.Actions[0] == "delete":
		err = a.end(change)
	}
	if err != nil {
		return err
	}
	return a.change(change, schema, prior, config)
}

// end destroys a resource.
func (a *applier) end(change *plan.Change) error {
	schema, ok := a.schemas[change.Type]
	if !ok {
		return fmt.Errorf("this version does not know %s", change.Type)
	}
	prior, err := a.read(change, schema)
	if err != nil || prior == nil {
		return err // if it is gone, there is nothing to do
	}
	return a.change(change, schema, prior, nil)
}

// instance is a resource in the state.
type instance struct {
	state    *tfprotov6.DynamicValue
	values   attributes
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// read returns a resource as the sandbox has it, with what the provider keeps beside the state, which no plan shows; nil if it is not
// there.
func (a *applier) read(change *plan.Change, schema *tfprotov6.Schema) (*instance, error) {
	kind := schema.ValueType()
	before, err := attributesOf(kind, change.Values.Before, nil)
	if err != nil {
		return nil, err
	}
	state, err := encodeObject(kind, before)
	if err != nil {
		return nil, err
	}
	answer, err := a.server.ReadResource(a.ctx, &tfprotov6.ReadResourceRequest{TypeName: change.Type, CurrentState: state})
	if err == nil {
		err = problem(answer.Diagnostics)
	}
	if err != nil {
		return nil, err
	}
	values, err := decodeObject(kind, answer.NewState)
	if err != nil || values == nil {
		return nil, err
	}
	return &instance{answer.NewState, values, answer.Private, answer.NewIdentity}, nil
}

// change plans and applies one change; a nil config is the end of the resource.
func (a *applier) change(change *plan.Change, schema *tfprotov6.Schema, prior *instance, config attributes) error {
	kind := schema.ValueType()
	var proposed attributes
	if config != nil {
		proposed = attributes{}
		for _, attribute := range schema.Block.Attributes {
			value := config[attribute.Name]
			switch {
			case attribute.WriteOnly:
				value = tftypes.NewValue(attribute.ValueType(), nil)
			case value.IsNull() && attribute.Computed && prior != nil:
				value = prior.values[attribute.Name]
			}
			proposed[attribute.Name] = value
		}
	}
	planning := &tfprotov6.PlanResourceChangeRequest{TypeName: change.Type}
	applying := &tfprotov6.ApplyResourceChangeRequest{TypeName: change.Type}
	if prior == nil {
		prior = &instance{}
		var err error
		if prior.state, err = encodeObject(kind, nil); err != nil {
			return err
		}
	}
	var err error
	if planning.ProposedNewState, err = encodeObject(kind, proposed); err != nil {
		return err
	}
	if planning.Config, err = encodeObject(kind, config); err != nil {
		return err
	}
	planning.PriorState, planning.PriorPrivate, planning.PriorIdentity = prior.state, prior.private, prior.identity
	planned, err := a.server.PlanResourceChange(a.ctx, planning)
	if err == nil {
		err = problem(planned.Diagnostics)
	}
	if err != nil {
		return err
	}
	if len(planned.RequiresReplace) > 0 && prior.values != nil && config != nil {
		return fmt.Errorf("the plan changes it, and now it would have to be replaced: %s", planned.RequiresReplace[0])
	}
	applying.Config, applying.PriorState, applying.PlannedState = planning.Config, prior.state, planned.PlannedState
	applying.PlannedPrivate, applying.PlannedIdentity = planned.PlannedPrivate, planned.PlannedIdentity
	applied, err := a.server.ApplyResourceChange(a.ctx, applying)
	if err == nil {
		err = problem(applied.Diagnostics)
	}
	if err != nil || config == nil {
		return err
	}
	a.created[change.Address], err = decodeObject(kind, applied.NewState)
	return err
}

// config returns the configuration of a resource: what the plan has of it, and what was not known when it was made.
func (a *applier) config(change *plan.Change, schema *tfprotov6.Schema) (attributes, error) {
	object, _ := schema.ValueType().(tftypes.Object)
	config := attributes{}
	for _, attribute := range schema.Block.Attributes {
		kind := object.AttributeTypes[attribute.Name]
		config[attribute.Name] = tftypes.NewValue(kind, nil)
		if !attribute.Required && !attribute.Optional || change.HasConfig() && !change.IsSet(attribute.Name) {
			continue
		}
		raw, marks := change.Known(attribute.Name)
		value, err := valueOf(kind, raw, marks, a.filler(change, attribute.Name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", attribute.Name, err)
		}
		if attribute.WriteOnly && kind.Is(tftypes.String) {
			value = tftypes.NewValue(kind, "xuzp-Swordfish-42!") // no plan shows what is configured
		}
		config[attribute.Name] = value
	}
	return config, nil
}

// instance returns what a reference leads to.
func (a *applier) instance(change *plan.Change, reference plan.Reference) (attributes, error) {
	if exact, ok := a.created[reference.Address]; ok {
		return exact, nil
	}
	var found []attributes
	for address, one := range a.created {
		if plan.WithoutKeys(address) != plan.WithoutKeys(reference.Address) || reference.Address != plan.WithoutKeys(reference.Address) {
			continue
		}
		if key := change.Key(); key != "" && strings.HasSuffix(address, key) {
			return one, nil
		}
		found = append(found, one)
	}
	if len(found) != 1 || reference.IsOfSameKey {
		return nil, fmt.Errorf("the plan does not tell which instance of %s is meant", reference.Address)
	}
	return found[0], nil
}

// filler returns what gives the values that were not known when the plan was made, from what has been applied since.
func (a *applier) filler(change *plan.Change, attribute string) *filler {
	return &filler{find: func() ([]tftypes.Value, error) {
		references, isComplete := change.References(attribute)
		if !isComplete || len(references) == 0 {
			return nil, errNotTold
		}
		var values []tftypes.Value
		for _, reference := range references {
			one, err := a.instance(change, reference)
			if err != nil {
				return nil, err
			}
			name := reference.Attribute
			if name == "" && (attribute == "channel_id" || attribute == "group_id" || attribute == "user_id") {
				name = "id"
			}
			value, ok := one[name]
			if !ok || value.IsNull() || !value.IsFullyKnown() {
				return nil, errNotTold
			}
			values = append(values, principal(attribute, name, reference.Address, value))
		}
		return values, nil
	}}
}

// principal writes an ID as permissions name it: a number alone is none.
func principal(attribute, of, address string, value tftypes.Value) tftypes.Value {
	if of != "id" || !strings.HasPrefix(attribute, "can_") || !value.Type().Is(tftypes.Number) {
		return value
	}
	text, _ := asText(value)
	kind := address[strings.LastIndex(address, "zulip_"):]
	switch {
	case strings.HasPrefix(kind, "zulip_user_group."):
		return tftypes.NewValue(tftypes.String, "group_id:"+text)
	case strings.HasPrefix(kind, "zulip_user."), strings.HasPrefix(kind, "zulip_bot."):
		return tftypes.NewValue(tftypes.String, "user_id:"+text)
	}
	return value
}

// id is the ID that a resource got; 0 if it was not applied.
func (a *applier) id(address string) int64 {
	value, ok := a.created[address]["id"]
	if !ok || !value.IsFullyKnown() || value.IsNull() {
		return 0
	}
	text, err := asText(value)
	if err != nil {
		return 0
	}
	var id int64
	_ = json.Unmarshal([]byte(text), &id) // else it is none
	return id
}

// hasEffectsElsewhere reports whether a change that could not be applied can have effects in any channel.
func hasEffectsElsewhere(kind string) bool {
	return slices.Contains([]string{
		"zulip_user_group", "zulip_user_group_membership", "zulip_role_members", "zulip_user", "zulip_user_role", "zulip_bot", "zulip_organization",
	}, kind)
}

// sortUnapplied puts what was not applied in the order of addresses.
func (a *applier) sortUnapplied() []*report.NotApplied {
	slices.SortFunc(a.unapplied, func(x, y *report.NotApplied) int { return cmp.Compare(x.Address, y.Address) })
	return a.unapplied
}
