package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// unchangedTypes are the resources of which a configuration has thousands, and whose plans need nothing of the framework
// while they stay as they are: no attribute has a default, every plan modifier leaves a value alone that is known and the
// same, and ModifyPlan writes no private state.
var unchangedTypes = []string{
	"zulip_channel", "zulip_channel_subscribers", "zulip_channel_subscription", "zulip_channel_subscription_settings",
	"zulip_user", "zulip_user_group", "zulip_user_group_membership", "zulip_user_role",
}

// unchanged plans resources whose proposed state is their prior state, byte for byte. The framework walks over all their
// attributes a dozen times to find that out, which is most of the plugin's time in a plan of many. Here the resource's own
// ModifyPlan is called with the same values, so that every check, every warning and what the run state learns are those of
// any plan; only the walk is left out.
type unchanged struct {
	provider *Provider
	once     sync.Once
	types    map[string]unchangedType
}

type unchangedType struct {
	create func() resource.Resource
	schema resource.SchemaResponse
	value  tftypes.Type
	// noIdentity is what is answered to a CLI that knows no identities; nil for a resource that has none.
	noIdentity *tfprotov6.ResourceIdentityData
}

// plan answers for a resource that stays as it is. It returns nil where the framework has to plan.
func (u *unchanged) plan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	meta := u.provider.meta.Load()
	if meta == nil || req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil ||
		len(req.PriorState.MsgPack) == 0 || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return nil
	}
	u.once.Do(func() { u.types = u.load(ctx) })
	kind, ok := u.types[req.TypeName]
	if !ok {
		return nil
	}
	state, err := req.PriorState.Unmarshal(kind.value)
	if err != nil || state.IsNull() {
		return nil
	}
	config, err := req.Config.Unmarshal(kind.value)
	if err != nil {
		return nil
	}
	modify := resource.ModifyPlanRequest{
		Config: tfsdk.Config{Raw: config, Schema: kind.schema.Schema},
		State:  tfsdk.State{Raw: state, Schema: kind.schema.Schema},
		Plan:   tfsdk.Plan{Raw: state, Schema: kind.schema.Schema},
	}
	if modify.Private, ok = privateState(ctx, modify.Private, req.PriorPrivate); !ok {
		return nil
	}
	return kind.modify(ctx, meta, req, modify)
}

// modify calls ModifyPlan, and answers as the framework does after it.
func (k unchangedType) modify(ctx context.Context, meta *base.Meta, req *tfprotov6.PlanResourceChangeRequest, modify resource.ModifyPlanRequest) *tfprotov6.PlanResourceChangeResponse {
	planned := resource.ModifyPlanResponse{Plan: modify.Plan} // without private state: to write any is an error
	one := k.create()
	if configurable, ok := one.(resource.ResourceWithConfigure); ok {
		var resp resource.ConfigureResponse
		configurable.Configure(ctx, resource.ConfigureRequest{ProviderData: meta}, &resp)
		planned.Diagnostics.Append(resp.Diagnostics...)
	}
	if checked, ok := one.(resource.ResourceWithModifyPlan); ok {
		checked.ModifyPlan(ctx, modify, &planned)
	}
	answer := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity,
		Diagnostics: protocolDiagnostics(ctx, planned.Diagnostics),
	}
	if answer.PlannedIdentity == nil {
		answer.PlannedIdentity = k.noIdentity
	}
	slices.SortFunc(planned.RequiresReplace, func(a, b path.Path) int { return strings.Compare(a.String(), b.String()) })
	for _, at := range slices.CompactFunc(planned.RequiresReplace, path.Path.Equal) {
		answer.RequiresReplace = append(answer.RequiresReplace, attributePath(ctx, at))
	}
	if !planned.Plan.Raw.Equal(modify.State.Raw) {
		state, err := tfprotov6.NewDynamicValue(k.value, planned.Plan.Raw)
		if err != nil {
			answer.Diagnostics = append(answer.Diagnostics, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Summary: "The plan cannot be encoded", Detail: "This is a mistake in the provider. " + err.Error(),
			})
			return answer
		}
		answer.PlannedState = &state
	}
	return answer
}

// load makes each of the resources once, to learn its schema.
func (u *unchanged) load(ctx context.Context) map[string]unchangedType {
	types := map[string]unchangedType{}
	for _, create := range u.provider.Resources(ctx) {
		one := create()
		var name resource.MetadataResponse
		one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "zulip"}, &name)
		if !slices.Contains(unchangedTypes, name.TypeName) {
			continue
		}
		kind := unchangedType{create: create}
		one.Schema(ctx, resource.SchemaRequest{}, &kind.schema)
		kind.value = kind.schema.Schema.Type().TerraformType(ctx)
		if identified, ok := one.(resource.ResourceWithIdentity); ok {
			var identity resource.IdentitySchemaResponse
			identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
			object := identity.IdentitySchema.Type().TerraformType(ctx)
			none, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, nil))
			if err != nil {
				continue
			}
			kind.noIdentity = &tfprotov6.ResourceIdentityData{IdentityData: &none}
		}
		types[name.TypeName] = kind
	}
	return types
}

// privateState reads private state as the framework writes it. It is handed the type to return, which has no name outside
// of the framework.
func privateState[T any, P interface {
	*T
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}](ctx context.Context, _ P, encoded []byte) (P, bool) {
	private, values := P(new(T)), map[string][]byte{}
	if len(encoded) == 0 {
		return private, true
	}
	if err := json.Unmarshal(encoded, &values); err != nil {
		return nil, false
	}
	for key, value := range values {
		if private.SetKey(ctx, key, value).HasError() {
			return nil, false // the framework's own
		}
	}
	return private, true
}

// protocolDiagnostics are what a resource has to say, as the protocol has it.
func protocolDiagnostics(ctx context.Context, all diag.Diagnostics) (encoded []*tfprotov6.Diagnostic) {
	for _, one := range all {
		answer := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: one.Summary(), Detail: one.Detail()}
		if one.Severity() == diag.SeverityWarning {
			answer.Severity = tfprotov6.DiagnosticSeverityWarning
		}
		if at, ok := one.(diag.DiagnosticWithPath); ok {
			answer.Attribute = attributePath(ctx, at.Path())
		}
		encoded = append(encoded, answer)
	}
	return encoded
}

// attributePath is a path as the protocol has it. It ends before an element that cannot be written.
func attributePath(ctx context.Context, at path.Path) *tftypes.AttributePath {
	var steps []tftypes.AttributePathStep
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			steps = append(steps, tftypes.AttributeName(step))
		case path.PathStepElementKeyInt:
			steps = append(steps, tftypes.ElementKeyInt(step))
		case path.PathStepElementKeyString:
			steps = append(steps, tftypes.ElementKeyString(step))
		case path.PathStepElementKeyValue:
			value, err := step.ToTerraformValue(ctx)
			if err != nil {
				return tftypes.NewAttributePathWithSteps(steps)
			}
			steps = append(steps, tftypes.ElementKeyValue(value))
		}
	}
	return tftypes.NewAttributePathWithSteps(steps)
}
