package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// readSeen reads a resource. Where the account is shown less than what the state has, the state stays as it is: see
// [base.Meta.ReportUnseen]. What the state says of people who have another address now is noted for who names them.
func (s *protocolServer) readSeen(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.protocol.ReadResource(ctx, req)
	meta := s.provider.meta.Load()
	if err != nil || meta == nil || meta.Store == nil {
		return answer, err
	}
	s.noteAddresses(ctx, meta, req, answer)
	if meta.HasUnseen() {
		answer.NewState, answer.Private = req.CurrentState, req.Private
	}
	return answer, nil
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
