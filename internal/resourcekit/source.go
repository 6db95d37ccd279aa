package resourcekit

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
)

// listing is one state of the objects: those of the snapshot, or those of a list of their own.
type listing[T any] struct {
	*directory.View
	objects []*T
}

// all returns the objects.
func (r *Resource[M, T, K]) all(l *listing[T]) []*T {
	if r.def.List != nil {
		return l.objects
	}
	return r.def.All(l.View)
}

// get returns the object with an ID.
func (r *Resource[M, T, K]) get(l *listing[T], id K) (*T, bool) {
	if r.def.List == nil {
		return r.def.Get(l.View, id)
	}
	for _, object := range l.objects {
		if r.def.Key(object) == id {
			return object, true
		}
	}
	return nil, false
}

// read returns the objects as this run knows them, or reports why they cannot be read. Where the server's list lags, it is
// read again until shows is true of it, or it can be relied on.
func (r *Resource[M, T, K]) read(ctx context.Context, diags *diag.Diagnostics, shows func(*listing[T]) bool) (*listing[T], bool) {
	l, err := r.snapshot(ctx, shows)
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, r.Explain(err))
	}
	return l, err == nil
}

func (r *Resource[M, T, K]) snapshot(ctx context.Context, shows func(*listing[T]) bool) (*listing[T], error) {
	if r.def.Source.Lags {
		return r.listing(ctx, func() (*directory.View, error) {
			return r.Meta.Directory.ListShowing(ctx, r.def.Source.Part, func(view *directory.View) bool { return shows(&listing[T]{View: view}) })
		})
	}
	return r.listing(ctx, func() (*directory.View, error) { return r.def.Source.Read(r.Meta.Directory, ctx) })
}

// readFresh returns the objects after a request of its own; shows is as with read.
func (r *Resource[M, T, K]) readFresh(ctx context.Context, shows func(*listing[T]) bool) (*listing[T], error) {
	switch {
	case r.def.Source.Lags:
		return r.listing(ctx, func() (*directory.View, error) {
			return r.Meta.Directory.FreshListShowing(ctx, r.def.Source.Part, func(view *directory.View) bool { return shows(&listing[T]{View: view}) })
		})
	case r.def.List != nil:
		r.def.Invalidate(r.Meta.Directory)
		return r.snapshot(ctx, shows)
	}
	return r.listing(ctx, func() (*directory.View, error) { return r.def.Source.Fresh(r.Meta.Directory, ctx) })
}

func (r *Resource[M, T, K]) listing(ctx context.Context, read func() (*directory.View, error)) (l *listing[T], err error) {
	l = &listing[T]{}
	if r.def.List != nil {
		if l.objects, err = r.def.List(r.Meta.Directory, ctx); err != nil {
			return nil, err
		}
	}
	if r.def.Source.Lags || r.def.Source.Read != nil {
		l.View, err = read()
	}
	return l, err
}

// write sends a request that changes an object.
func (r *Resource[M, T, K]) write(ctx context.Context, send func(context.Context) error) error {
	if r.def.Source.Lags {
		return r.Meta.Directory.WriteList(ctx, r.def.Source.Part, send)
	}
	err := send(ctx)
	if err != nil || r.def.Source.StoresAsSent {
		r.invalidate() // the request may have been carried out all the same
	}
	return err
}

func (r *Resource[M, T, K]) invalidate() {
	if r.def.Invalidate != nil {
		r.def.Invalidate(r.Meta.Directory)
		return
	}
	r.Meta.Directory.Forget(r.def.Source.Part)
}

// anything is shown by every listing.
func anything[T any](*listing[T]) bool { return true }

// DiagnosticsError is the error of a hook that has written its diagnostics itself, with the attributes they are about.
type DiagnosticsError struct{ Diagnostics diag.Diagnostics }

// Error returns the first summary.
func (e *DiagnosticsError) Error() string { return e.Diagnostics[0].Summary() }

// report adds an error under a summary, or the diagnostics that a hook has written.
func (r *Resource[M, T, K]) report(diags *diag.Diagnostics, summary string, err error) {
	var written *DiagnosticsError
	if errors.As(err, &written) {
		diags.Append(written.Diagnostics...)
		return
	}
	diags.AddError(summary, r.Explain(err))
}
