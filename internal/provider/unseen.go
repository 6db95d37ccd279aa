package provider

import (
	"bytes"
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// readSeen reads a resource. Where the account is shown less than what the state has, the state stays as it is: see
// [base.Meta.ReportUnseen]. What the state says of people who have another address now is noted for who names them.
func (s *protocolServer) readSeen(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.protocol.ReadResource(ctx, req)
	meta := s.provider.meta.Load()
	if err != nil || meta == nil || meta.Store == nil {
		return answer, err
	}
	if before, after := req.CurrentState, answer.NewState; before != nil && after != nil && !bytes.Equal(before.MsgPack, after.MsgPack) {
		s.stateTypesOnce.Do(func() { s.stateTypes = loadStateTypes(ctx, s.provider) })
		kind := s.stateTypes[req.TypeName]
		before, after := addressesIn(kind, before), addressesIn(kind, after)
		s.noteAddresses(ctx, meta, req.TypeName, before, after, req.CurrentState)
	}
	if meta.HasUnseen() {
		answer.NewState, answer.Private = req.CurrentState, req.Private
	}
	return answer, nil
}

// addressesIn are the addresses in a state, also those after "user:".
func addressesIn(kind tftypes.Type, encoded *tfprotov6.DynamicValue) map[string]bool {
	found := map[string]bool{}
	if encoded == nil || kind == nil {
		return found
	}
	value, err := encoded.Unmarshal(kind)
	if err != nil {
		return found
	}
	_ = tftypes.Walk(value, func(_ *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		var text string
		if value.IsKnown() && !value.IsNull() && value.Type().Is(tftypes.String) && value.As(&text) == nil {
			if text = strings.TrimPrefix(text, "user:"); strings.Count(text, "@") == 1 && !strings.ContainsAny(text, " /:\n") {
				found[text] = true
			}
		}
		return true, nil
	})
	return found
}

// loadStateTypes returns the types of all resources' states.
func loadStateTypes(ctx context.Context, provider *Provider) map[string]tftypes.Type {
	types := map[string]tftypes.Type{}
	for _, create := range provider.Resources(ctx) {
		var name resource.MetadataResponse
		var schema resource.SchemaResponse
		one := create()
		one.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "zulip"}, &name)
		one.Schema(ctx, resource.SchemaRequest{}, &schema)
		types[name.TypeName] = schema.Schema.Type().TerraformType(ctx)
	}
	return types
}

// planUnseen answers without a plan after it was reported that the account does not see what is in the state: the run fails, and
// whatever a plan would say follows from that. It returns nil where there is nothing of the kind.
func (s *protocolServer) planUnseen(req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	meta := s.provider.meta.Load()
	if meta == nil || !meta.HasUnseen() {
		return nil
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
}
