package resourcekit

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
)

// listing is one state of the objects: those of the snapshot, or those of a list of their own.
type listing[T any] struct {
	*snapshot.Snapshot
	objects []*T // of a list of their own
}

// all returns the objects.
func (r *Resource[M, T, K]) all(l *listing[T]) []*T {
	if r.def.List != nil {
		return l.objects
	}
	return r.def.Index(l.Snapshot).List()
}

// get returns the object with an ID.
func (r *Resource[M, T, K]) get(l *listing[T], id K) (*T, bool) {
	if r.def.List == nil {
		switch id := any(id).(type) {
		case int64:
			return r.def.Index(l.Snapshot).ByID(id)
		case string:
			return r.def.Index(l.Snapshot).ByName(id)
		}
	}
	for _, object := range l.objects {
		if r.def.Key(object) == id {
			return object, true
		}
	}
	return nil, false
}

// withName returns the object that has the name that a model is to have.
func (r *Resource[M, T, K]) withName(l *listing[T], m *M) (*T, bool) {
	if r.def.Unique.Find != nil {
		return r.def.Unique.Find(l.Snapshot, m)
	}
	return r.def.Index(l.Snapshot).ByName(r.name(m))
}

// read returns the objects as this run knows them, or reports why they cannot be read. Where the server's list lags, it is
// read again until shows is true of it, or it can be relied on.
func (r *Resource[M, T, K]) read(ctx context.Context, diags *diag.Diagnostics, shows func(*listing[T]) bool) (*listing[T], bool) {
	l, err := r.known(ctx, shows)
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, r.Explain(err))
	}
	return l, err == nil
}

// known returns the objects as this run knows them; shows is as with read.
func (r *Resource[M, T, K]) known(ctx context.Context, shows func(*listing[T]) bool) (*listing[T], error) {
	switch {
	case r.def.List != nil:
		return r.list(ctx)
	case r.def.Source.Lags:
		return listed[T](r.Meta.Store.ReadUntil(ctx, r.def.Source.Part, func(s *snapshot.Snapshot) bool { return shows(&listing[T]{Snapshot: s}) }))
	}
	return listed[T](r.Meta.Store.Read(ctx, r.def.Source.Part))
}

// readFresh returns the objects after a request of its own; shows is as with read.
func (r *Resource[M, T, K]) readFresh(ctx context.Context, shows func(*listing[T]) bool) (*listing[T], error) {
	switch {
	case r.def.List != nil:
		r.Meta.Store.Invalidate(r.def.Source.Part)
		return r.list(ctx)
	case r.def.Source.Lags:
		return listed[T](r.Meta.Store.FreshUntil(ctx, r.def.Source.Part, func(s *snapshot.Snapshot) bool { return shows(&listing[T]{Snapshot: s}) }))
	}
	return listed[T](r.Meta.Store.Fresh(ctx, r.def.Source.Part))
}

// readOne returns the objects with one as the server describes it by itself, where it does. The listing is the one that lacks
// it, or has other values than it should have.
func (r *Resource[M, T, K]) readOne(ctx context.Context, id K, l *listing[T]) (*listing[T], error) {
	if r.def.Source.One == nil || ObjectID(id) == 0 {
		return l, nil
	}
	return listed[T](r.def.Source.One(r.Meta.Store, ctx, ObjectID(id)))
}

// list returns objects that are no part of the snapshot.
func (r *Resource[M, T, K]) list(ctx context.Context) (l *listing[T], err error) {
	l = &listing[T]{}
	if l.objects, err = r.def.List(ctx, r.Meta.Store); err != nil {
		return nil, err
	}
	if len(r.def.Source.Needs) > 0 {
		l.Snapshot, err = r.Meta.Store.Read(ctx, r.def.Source.Needs...)
	}
	return l, err
}

func listed[T any](s *snapshot.Snapshot, err error) (*listing[T], error) {
	return &listing[T]{Snapshot: s}, err
}

// write sends a request that changes an object.
func (r *Resource[M, T, K]) write(ctx context.Context, send func(context.Context) error) error {
	if r.def.Source.Lags {
		return r.Meta.Store.WriteList(ctx, r.def.Source.Part, send)
	}
	err := send(ctx)
	if err != nil || r.def.Source.StoresAsSent {
		r.invalidate() // the request may have been carried out all the same
	}
	return err
}

func (r *Resource[M, T, K]) invalidate() {
	if r.def.Source.Part != "" {
		r.Meta.Store.Invalidate(r.def.Source.Part)
	}
}

// anything is shown by every listing.
func anything[T any](*listing[T]) bool { return true }

// AsError returns the diagnostics that a hook has written as its error; nil if there is no error among them.
func AsError(diags diag.Diagnostics) error {
	if !diags.HasError() {
		return nil
	}
	return &diagnostics.Error{Diagnostics: diags}
}

// report adds an error under a summary, or the diagnostics that a hook has written.
func (r *Resource[M, T, K]) report(diags *diag.Diagnostics, summary string, err error) {
	var written *diagnostics.Error
	if errors.As(err, &written) {
		diags.Append(written.Diagnostics...)
		return
	}
	diags.AddError(summary, r.Explain(err))
}
