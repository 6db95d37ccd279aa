package provider

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
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
		s.reportHidden(ctx, meta, before, after, answer)
	}
	if meta.HasUnseen() {
		answer.NewState, answer.Private = req.CurrentState, req.Private
	}
	return answer, nil
}

// reportHidden reports that a read would replace somebody's address by the one that the server shows to those who may not see it.
func (s *protocolServer) reportHidden(ctx context.Context, meta *base.Meta, before, after map[string]bool, answer *tfprotov6.ReadResourceResponse) {
	view, err := meta.Store.Read(ctx, store.Users)
	if err != nil || meta.SeesAll() {
		return
	}
	lost := ""
	for address := range before {
		if _, isThere := view.UserByAddress(address); !isThere {
			lost = address
		}
	}
	for address := range after {
		if lost == "" || before[address] || !isHidden(view, address) {
			continue
		}
		user, _ := view.UserByAddress(address)
		var diags diag.Diagnostics
		meta.ReportUnseen(fmt.Sprintf("The state has %s, and the server shows the account no such address; that of %s (user %d), for one, it does not show.", lost, user.FullName, user.ID), &diags)
		for _, one := range diags {
			answer.Diagnostics = append(answer.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: one.Summary(), Detail: one.Detail()})
		}
		return
	}
}

// isHidden reports whether an address stands for one that the account may not see.
func isHidden(view *snapshot.Snapshot, address string) bool {
	user, ok := view.UserByAddress(address)
	return ok && !user.IsBot && user.DeliveryEmail == nil && strings.HasPrefix(address, fmt.Sprintf("user%d@", user.ID))
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
