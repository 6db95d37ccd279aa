package resourcekit

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
)

// written is an object that was just created or updated.
type written[M, T any, K Key] struct {
	id             K
	words          *M // the model whose words are kept where they mean the same
	planned, prior tftypes.Value
	object         *T // what the server has, if that was read already
	view           *listing[T]
}

// storeWritten sets the state to the plan at once, before anything can fail, and then to what the server has.
func (r *Resource[M, T, K]) storeWritten(ctx context.Context, w written[M, T, K], state *tfsdk.State, diags *diag.Diagnostics) {
	raw, err := withoutUnknown(w.planned)
	if err != nil {
		diags.AddError("Cannot write the state of "+r.called("", w.id), framework.Sentence(err))
		return
	}
	state.Raw = raw
	sent, problems := valueOf(ctx, r.schema(), w.words) // with what Create has filled in
	isKnown := r.def.Source.StoresAsSent && !problems.HasError() && isFilledIn(sent)
	if isKnown {
		state.Raw = sent
	}
	if ObjectID(w.id) == 0 {
		return // it is not known whether it was created
	}
	r.Meta.Run.Manage(r.kind(), ObjectID(w.id))
	diags.Append(state.SetAttribute(ctx, path.Root(idAttribute), w.id)...)
	if !isKnown {
		r.readBack(ctx, w, state, diags)
	}
}

// readBack sets the state to what the server has after a write.
func (r *Resource[M, T, K]) readBack(ctx context.Context, w written[M, T, K], state *tfsdk.State, diags *diag.Diagnostics) {
	subject := r.called(r.name(w.words), w.id)
	if w.object == nil {
		var err error
		w.view, err = r.readFresh(ctx, func(view *listing[T]) bool {
			object, ok := r.get(view, w.id)
			return ok && r.isAsPlanned(ctx, w.words, w.planned, object, view)
		})
		if err != nil {
			diags.AddError("Cannot read "+subject+" after it was written", framework.Explain(err)+"\n\nIt is in the state. The next apply goes on from there.")
			return
		}
		var ok bool
		if w.object, ok = r.get(w.view, w.id); !ok {
			r.reportUnlisted(ctx, subject, diags)
			return
		}
	}
	m := *w.words
	r.def.ReadInto(&m, w.object, r.context(w.view))
	current, problems := valueOf(ctx, r.schema(), &m)
	diags.Append(problems...)
	stored, conflicts, err := afterWrite(w.planned, w.prior, current)
	if err == nil {
		stored, err = withoutUnknown(stored)
	}
	if err != nil {
		diags.AddError("Cannot write the state of "+subject, framework.Sentence(err))
		return
	}
	state.Raw = stored
	if len(conflicts) > 0 {
		diags.AddError(fmt.Sprintf("Conflict on %s", subject),
			fmt.Sprintf("The server accepted the request, but has other values of %s than planned: somebody else changed them at the same time, or the server is too old for them. "+
				"The state shows the current values. Plan again.", strings.Join(conflicts, ", ")))
	}
}
