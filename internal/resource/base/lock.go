package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// LockOrReport waits until no other resource of this run works on the same thing, and returns what is to be called when this one
// is done with it. If the context ends first it reports an error with the summary, and ok is false.
func (b *Base) LockOrReport(ctx context.Context, thing, summary string, diags *diag.Diagnostics) (done func(), ok bool) {
	done, err := b.Meta.Run.Lock(ctx, thing)
	if err != nil {
		diags.AddError(summary, Explain(err))
		return nil, false
	}
	return done, true
}
