package resourcekit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
)

// written is an object that was just created or updated.
type written[M, T any, K Key] struct {
	id             K
	words          *M // the model whose words are kept where they mean the same
	planned, prior tftypes.Value
	isNew          bool // created by this run, and not adopted
	object         *T   // what the server has, if that was read already
	view           *listing[T]
}

// storeWritten sets the state to the plan at once, before anything can fail, and then to what the server has.
func (r *Resource[M, T, K]) storeWritten(ctx context.Context, w written[M, T, K], state *tfsdk.State, diags *diag.Diagnostics) {
	raw, err := withoutUnknown(w.planned)
	if err != nil {
		diags.AddError("Cannot write the state of "+r.called("", w.id), diagnostics.Sentence(err))
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
	if r.def.Complete != nil && w.prior.IsNull() && !r.complete(ctx, &w, diags) {
		return
	}
	if !isKnown {
		r.readBack(ctx, w, state, diags)
	}
}

// stateIsKept ends the messages of what fails after the object is in the state.
const stateIsKept = "\n\nIt is in the state. The next apply goes on from there."

// complete brings a created or adopted object to what is planned. It returns false if it reported an error.
func (r *Resource[M, T, K]) complete(ctx context.Context, w *written[M, T, K], diags *diag.Diagnostics) bool {
	if !r.readWritten(ctx, w, diags) {
		return false
	}
	var changed bool
	err := r.write(ctx, func(ctx context.Context) (err error) {
		changed, err = r.def.Complete(ctx, r.context(w.view), w.words, w.object, w.isNew)
		return err
	})
	if changed {
		w.object = nil // to be read again
	}
	var reported *diagnostics.Error
	switch {
	case errors.As(err, &reported):
		diags.Append(reported.Diagnostics...)
	case err != nil:
		diags.AddError("Cannot update "+r.called(r.name(w.words), w.id), r.Explain(err)+stateIsKept)
	}
	return err == nil
}

// readBack sets the state to what the server has after a write.
func (r *Resource[M, T, K]) readBack(ctx context.Context, w written[M, T, K], state *tfsdk.State, diags *diag.Diagnostics) {
	if !r.readWritten(ctx, &w, diags) {
		return
	}
	if r.def.Source.One != nil && !r.isAsPlanned(ctx, w.words, w.planned, w.object, w.view) {
		if one, err := r.readOne(ctx, w.id, w.view); err == nil {
			if object, ok := r.get(one, w.id); ok {
				w.view, w.object = one, object
			}
		}
	}
	subject := r.called(r.name(w.words), w.id)
	m := *w.words
	r.def.ReadInto(&m, w.object, r.context(w.view))
	current, problems := valueOf(ctx, r.schema(), &m)
	diags.Append(problems...)
	stored, conflicts, err := afterWrite(w.planned, w.prior, current)
	if err == nil {
		stored, err = withoutUnknown(stored)
	}
	if err != nil {
		diags.AddError("Cannot write the state of "+subject, diagnostics.Sentence(err))
		return
	}
	state.Raw = stored
	if len(conflicts) > 0 {
		diags.AddError(fmt.Sprintf("Conflict on %s", subject),
			fmt.Sprintf("The server accepted the request, but has other values of %s than planned: somebody else changed them at the same time, or the server is too old for them. "+
				"The state shows the current values. Plan again.", strings.Join(conflicts, ", ")))
	}
}

// readWritten reads what was written, unless that was read already. It returns false if the object is not there to be
// read, which it reports.
func (r *Resource[M, T, K]) readWritten(ctx context.Context, w *written[M, T, K], diags *diag.Diagnostics) (ok bool) {
	if w.object != nil {
		return true
	}
	var err error
	w.view, err = r.readFresh(ctx, func(view *listing[T]) bool {
		object, ok := r.get(view, w.id)
		return ok && r.isAsPlanned(ctx, w.words, w.planned, object, view)
	})
	if err == nil {
		if w.object, ok = r.get(w.view, w.id); !ok {
			w.view, err = r.readOne(ctx, w.id, w.view)
		}
	}
	subject := r.called(r.name(w.words), w.id)
	if err != nil {
		diags.AddError("Cannot read "+subject+" after it was written", diagnostics.Explain(err)+stateIsKept)
		return false
	}
	if w.object, ok = r.get(w.view, w.id); !ok {
		r.reportUnlisted(ctx, subject, diags)
	}
	return ok
}
