package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// unseen is what this run knows of the objects in the state that the account does not see.
type unseen struct {
	kinds    sync.Map // the kinds of these objects
	imported sync.Map // the keys of the objects that this run imports
}

// unseenKey is the key of the private state for an [unseenBy].
const unseenKey = "unseen"

// unseenBy says that an account did not see an object when it was last read, and why. The private state has it, because
// Terraform plans a destroy in another process than the refresh.
type unseenBy struct {
	Account int64
	Why     string
}

// mark returns the private state of an object with an [unseenBy]; nil removes it.
func mark(private []byte, found *unseenBy) ([]byte, error) {
	all := map[string][]byte{}
	if len(private) > 0 {
		if err := json.Unmarshal(private, &all); err != nil {
			return nil, err
		}
	}
	if _, isMarked := all[unseenKey]; !isMarked && found == nil {
		return private, nil
	}
	delete(all, unseenKey)
	if found != nil {
		text, err := json.Marshal(found)
		if err != nil {
			return nil, err
		}
		all[unseenKey] = text
	}
	return json.Marshal(all)
}

// marked returns the [unseenBy] in a private state; nil if there is none.
func marked(private []byte) (found *unseenBy) {
	var all map[string][]byte
	_ = json.Unmarshal(private, &all)          // the framework reports it
	_ = json.Unmarshal(all[unseenKey], &found) // it is empty without a mark
	return found
}

// key returns the key of an object in the state: its kind and ID.
func (s *protocolServer) key(ctx context.Context, kind string, state *tfprotov6.DynamicValue) string {
	value, err := state.Unmarshal(s.readSchemas(ctx).configs["resource "+kind])
	var attributes map[string]tftypes.Value
	if err != nil || value.IsNull() || value.As(&attributes) != nil {
		return ""
	}
	return kind + " " + attributes["id"].String()
}

// readSeen reads a resource. The state of an object that the account does not see stays unchanged, with one warning for all
// objects of a kind. Such an object can't be imported.
func (s *protocolServer) readSeen(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.protocol.ReadResource(ctx, req)
	if err != nil {
		return answer, err
	}
	at := slices.IndexFunc(answer.Diagnostics, func(one *tfprotov6.Diagnostic) bool { return one.Summary == base.UnseenSummary })
	if at < 0 {
		answer.Private, err = mark(answer.Private, nil)
		return answer, err
	}
	found := answer.Diagnostics[at]
	answer.NewState = req.CurrentState
	if answer.Private, err = mark(req.Private, &unseenBy{s.provider.meta.Load().Store.Self().ID, found.Detail}); err != nil {
		return answer, err
	}
	if _, isImported := s.unseen.imported.Load(s.key(ctx, req.TypeName, req.CurrentState)); isImported {
		found.Severity = tfprotov6.DiagnosticSeverityError
		return answer, nil
	}
	if _, isReported := s.unseen.kinds.LoadOrStore(req.TypeName, true); isReported {
		answer.Diagnostics = slices.Delete(answer.Diagnostics, at, at+1)
		return answer, nil
	}
	found.Detail += fmt.Sprintf(" The state is left unchanged, also of every other %s that the account does not see. A plan that changes one of them fails.\n\n", req.TypeName) +
		"If the account was demoted, give it its role again. Remove objects that no longer exist from the state with terraform state rm ADDRESS."
	return answer, nil
}

// planUnseen leaves an object that the account does not see as it is in the state, and refuses a plan that changes it.
func (s *protocolServer) planUnseen(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest, answer *tfprotov6.PlanResourceChangeResponse) error {
	meta, found := s.provider.meta.Load(), marked(req.PriorPrivate)
	if found == nil || meta == nil || meta.Store == nil || found.Account != meta.Store.Self().ID || answer.PlannedState == nil {
		return nil
	}
	kind := s.readSchemas(ctx).configs["resource "+req.TypeName]
	prior, err := req.PriorState.Unmarshal(kind)
	if err != nil {
		return err
	}
	planned, err := answer.PlannedState.Unmarshal(kind)
	if err != nil {
		return err
	}
	answer.PlannedPrivate, answer.RequiresReplace, answer.Diagnostics = req.PriorPrivate, nil, nil
	if !planned.Equal(prior) {
		answer.Diagnostics = []*tfprotov6.Diagnostic{{
			Severity: tfprotov6.DiagnosticSeverityError, Summary: "Cannot change what the account does not see",
			Detail: found.Why + " Nothing was changed.\n\nPlan with the key of an account that sees it, or leave it unchanged in the configuration. If it no longer exists, remove it from the state with terraform state rm ADDRESS.",
		}}
	}
	return nil
}
