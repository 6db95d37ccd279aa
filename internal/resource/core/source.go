package core

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
)

// listing is one state of the objects: those of the snapshot, or of a separate list.
type listing[Object any] struct {
	*snapshot.Snapshot
	objects []*Object // of a separate list
}

// all returns the objects.
func (r *Resource[Model, Object, Patch]) all(l *listing[Object]) []*Object {
	if r.def.ReadAll != nil {
		return l.objects
	}
	return r.def.Index(l.Snapshot).List()
}

// get returns the object with an ID.
func (r *Resource[Model, Object, Patch]) get(l *listing[Object], id int64) (*Object, bool) {
	if r.def.ReadAll == nil && r.hasNumber() {
		return r.def.Index(l.Snapshot).ByID(id)
	}
	for _, object := range r.all(l) {
		if r.def.Key(object) == id {
			return object, true
		}
	}
	return nil, false
}

// withName returns the object with the planned name of a model.
func (r *Resource[Model, Object, Patch]) withName(l *listing[Object], m *Model) (*Object, bool) {
	if r.def.Unique.Holder != nil {
		return r.def.Unique.Holder(l.Snapshot, m)
	}
	return r.def.Index(l.Snapshot).ByName(r.name(m))
}

// cachedOrReport returns the objects from the run's snapshot, or reports why they cannot be read. If the server's list lags, it
// is read again until shows is true for it, or it is reliable.
func (r *Resource[Model, Object, Patch]) cachedOrReport(ctx context.Context, diags *diag.Diagnostics, shows func(*listing[Object]) bool) (*listing[Object], bool) {
	l, err := r.cached(ctx, shows)
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, r.Explain(err))
	}
	return l, err == nil
}

// cached returns the objects from the run's snapshot; shows is as with cachedOrReport.
func (r *Resource[Model, Object, Patch]) cached(ctx context.Context, shows func(*listing[Object]) bool) (*listing[Object], error) {
	switch {
	case r.def.ReadAll != nil:
		return r.list(ctx)
	case r.def.Source.Lags:
		return listed[Object](r.Meta.Store.ReadUntil(ctx, r.def.Source.Part, func(s *snapshot.Snapshot) bool { return shows(&listing[Object]{Snapshot: s}) }))
	}
	return listed[Object](r.Meta.Store.Read(ctx, r.def.Source.Part))
}

// reread returns the objects after a new request; shows is as with cachedOrReport.
func (r *Resource[Model, Object, Patch]) reread(ctx context.Context, shows func(*listing[Object]) bool) (*listing[Object], error) {
	switch {
	case r.def.ReadAll != nil:
		r.Meta.Store.Invalidate(r.def.Source.Part)
		return r.list(ctx)
	case r.def.Source.Lags:
		return listed[Object](r.Meta.Store.FreshUntil(ctx, r.def.Source.Part, func(s *snapshot.Snapshot) bool { return shows(&listing[Object]{Snapshot: s}) }, r.freshNeeds()...))
	}
	return listed[Object](r.Meta.Store.Fresh(ctx, append([]store.Part{r.def.Source.Part}, r.freshNeeds()...)...))
}

// freshNeeds returns the parts that are read again together with the objects.
func (r *Resource[Model, Object, Patch]) freshNeeds() []store.Part {
	if r.def.Source.NeedsFresh {
		return r.def.Source.Needs
	}
	return nil
}

// readNeeds sets the snapshot in which a call looks up the attributes.
func (r *Resource[Model, Object, Patch]) readNeeds(ctx context.Context, c *Call) (err error) {
	if len(r.def.Source.Needs) > 0 {
		c.Snapshot, err = r.Meta.Store.Read(ctx, r.def.Source.Needs...)
	}
	return err
}

// readNamedPeople reads the people and bots that models name and that the server's lists lack. They are in every snapshot
// from then on.
func (r *Resource[Model, Object, Patch]) readNamedPeople(ctx context.Context, diags *diag.Diagnostics, models ...*Model) (ok bool) {
	var names []string
	if r.def.NamedPeople != nil {
		for _, m := range models {
			names = append(names, r.def.NamedPeople(m)...)
		}
	}
	if len(names) == 0 {
		return true
	}
	_, err := r.Meta.Store.ReadNaming(ctx, names, r.def.Source.Part)
	if err != nil {
		diags.AddError("Cannot read the "+r.def.Plural, r.Explain(err))
	}
	return err == nil
}

// rereadOne returns the objects with one of them read separately, if the server has such a request. The given listing
// lacks the object, or may have outdated values of it.
func (r *Resource[Model, Object, Patch]) rereadOne(ctx context.Context, id int64, l *listing[Object]) (*listing[Object], error) {
	if r.def.One == nil || id == 0 {
		return l, nil
	}
	return listed[Object](r.def.One(r.Meta.Store, ctx, id))
}

// list returns objects that are not part of the snapshot.
func (r *Resource[Model, Object, Patch]) list(ctx context.Context) (l *listing[Object], err error) {
	l = &listing[Object]{}
	if l.objects, err = r.def.ReadAll(ctx, r.Meta.Store); err != nil {
		return nil, err
	}
	if len(r.def.Source.Needs) > 0 {
		l.Snapshot, err = r.Meta.Store.Read(ctx, r.def.Source.Needs...)
	}
	return l, err
}

func listed[Object any](s *snapshot.Snapshot, err error) (*listing[Object], error) {
	return &listing[Object]{Snapshot: s}, err
}

// cachedList returns the list that a request changes if the server caches it: see [store.Store.BeginWrite].
func (r *Resource[Model, Object, Patch]) cachedList() store.Part {
	if r.def.Source.Lags {
		return r.def.Source.Part
	}
	return ""
}

// wrote drops the objects that were read before a request, if no reading follows it.
func (r *Resource[Model, Object, Patch]) wrote(err error) {
	if r.def.Source.StoresAsSent || err != nil && r.def.Table == nil { // objects with a table are read again when they are needed
		r.invalidate() // a failed request may have been executed
	}
}

func (r *Resource[Model, Object, Patch]) invalidate() {
	if r.def.Source.Part != "" {
		r.Meta.Store.Invalidate(r.def.Source.Part)
	}
}

// anything accepts every listing.
func anything[Object any](*listing[Object]) bool { return true }

// AsError returns the diagnostics of a hook as its error; nil if none of them is an error.
func AsError(diags diag.Diagnostics) error {
	if !diags.HasError() {
		return nil
	}
	return &base.Error{Diagnostics: diags}
}

// report adds an error with a summary, or the diagnostics of a hook.
func (r *Resource[Model, Object, Patch]) report(diags *diag.Diagnostics, summary string, err error) {
	base.Report(diags, summary, err, r.hint)
}

// ImportState imports by ID, name, or identity.
func (r *Resource[Model, Object, Patch]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	text := req.ID
	if text == "" {
		var id attr.Value
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(idAttribute), &id)...)
		text = textOf(id)
	}
	view, ok := r.cachedOrReport(ctx, &resp.Diagnostics, anything)
	if !ok {
		return
	}
	object, err := r.find(view, text)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, base.NotFoundByImport(err))
		return
	}
	if r.def.IsGone != nil && r.def.IsGone(object) {
		resp.Diagnostics.AddError("Cannot import this "+r.def.Title, r.def.HowToAdopt(object))
		return
	}
	id := r.idOf(object)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(idAttribute), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idAttribute), id)...)
}

// find returns the object with an ID or a name. "name:2024" is the one called 2024. Its error is a message for users.
func (r *Resource[Model, Object, Patch]) find(view *listing[Object], text string) (*Object, error) {
	if r.def.FindImported != nil {
		return r.def.FindImported(view.Snapshot, text)
	}
	if r.def.Unique.Of == nil {
		return r.findByID(view, text)
	}
	word := r.def.Unique.word()
	name, number, isID := permission.WordOrID(text, word)
	if isID && r.hasNumber() {
		if object, ok := r.get(view, number); ok {
			return object, nil
		}
		return nil, fmt.Errorf("the organization has no %s with the ID %d (one whose %s is a number is imported as %s:%d)", r.def.Title, number, word, word, number)
	}
	find := r.def.Unique.ImportedByName
	if find == nil {
		find = func(s *snapshot.Snapshot, name string) (*Object, bool) { return r.def.Index(s).ByName(name) }
	}
	if object, ok := find(view.Snapshot, name); ok {
		return object, nil
	}
	things := r.def.Plural
	if word != "name" {
		things = word + "s"
	}
	names := suggest.Names{
		Things: things, All: r.def.Index(view.Snapshot).Names(), Where: r.def.Unique.Where, Unquoted: r.def.Unique.Unquoted,
		Prefix: strings.TrimSuffix(text, name),
	}
	return nil, fmt.Errorf("the organization has no %s with the %s %s%s", r.def.Title, word, suggest.Quote(name), names.Suggest(name))
}

// findByID finds an object without a name. Its error does not repeat the text, which may be a secret.
func (r *Resource[Model, Object, Patch]) findByID(view *listing[Object], text string) (*Object, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the ID given is not a number, and a %s is identified by its ID alone. %s", r.def.Title, r.def.WhereIDs)
	}
	if object, ok := r.get(view, number); ok {
		return object, nil
	}
	return nil, fmt.Errorf("the provider's account sees no %s with the ID %d. %s", r.def.Title, number, r.def.WhereIDs)
}
