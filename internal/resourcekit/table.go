package resourcekit

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/compareandset"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/suggest"
)

// TableDefinition says what is particular about a resource whose attributes are rows of a table, and whose objects the server
// archives or deactivates instead of deleting them. M is its model, F the part of the model that the table describes, T an
// object as the server describes it, U an update as the client sends it.
//
// Of the definition that it embeds, it uses Name, Title, Plural, Schema, Source, Index, Key, Find, IsGone, HowToAdopt, Validate,
// IsKept, DeleteVerb, Hint, and of Unique only Of, IgnoresCase and IsTaken: what is unique is the attribute `name`.
type TableDefinition[M, F, T, U any] struct {
	Definition[M, T, int64]
	Table *attribute.Table[F, *T, U]
	// Facts returns the part of a model that the table describes, and ID its ID.
	Facts func(*M) *F
	ID    func(*F) *types.Int64

	// NameOf returns the name of an object.
	NameOf func(*T) string
	// CreatedBy returns who created an object, nil if the server does not tell, and when.
	CreatedBy func(*T) (creator *int64, at time.Time)
	// NameTaken returns the object other than the one with the ID own that has a name, and keeps it in this run.
	NameTaken func(s *snapshot.Snapshot, name string, own int64) (*T, bool)
	// PlanName registers the name that this run leaves an object with. ID 0 is an object that the run creates.
	PlanName func(run *runstate.State, id int64, name string)
	Adoption Adoption[M, T, U]

	// New is an object as it is created when no attribute is set.
	New *T
	// SentLater are attributes that the server takes only of an object that exists: they are sent after its creation.
	SentLater []string
	// AtCreation returns the attributes of a plan that the request which creates an object can carry: the others are sent after
	// it. Optional.
	AtCreation func(planned *F) *F
	// RightsDiffer is set where the account may lack the right to create one object and have it for another.
	RightsDiffer bool
	// CreateObject sends the request that creates an object, with [TableCreation.Send], and returns its ID; zero after an
	// error, which it reports.
	CreateObject func(ctx context.Context, c *TableCreation[M, F, T, U]) int64
	// RegisterCreated registers what the run has to know of an object that was created or adopted. Optional.
	RegisterCreated func(run *runstate.State, id int64, planned *F)
	// SendUpdate sends what is pending of an update in as many requests as it takes: see [compareandset.Subject].
	SendUpdate func(ctx context.Context, b *base.Base, id int64, p compareandset.Pending[*T, U]) (ignored []string, err error)
	// Protect refuses, just before a request and on what was just read, what must not happen whatever was planned: see
	// [compareandset.Subject]. Optional.
	Protect func(b *base.Base, now *compareandset.Reading[*T], p compareandset.Pending[*T, U], diags *diag.Diagnostics)
	// AdjustPrior changes the values of a state where this run has changed the object since they were read. Optional.
	AdjustPrior func(run *runstate.State, prior *F)
	// Archive sends the requests that archive or deactivate an object. It returns nil if that was done before.
	Archive func(ctx context.Context, r *TableResource[M, F, T, U], state *M) error

	// Derive sets attributes of a plan that follow from others. Optional.
	Derive func(p *TablePlan[M, F, T, U])
	// Check checks of a plan what only this resource has to check.
	Check func(ctx context.Context, p *TablePlan[M, F, T, U])
}

// Adoption says how an archived or deactivated object, which keeps its name, is reactivated instead of creating one.
type Adoption[M, T, U any] struct {
	// Attribute is where a configuration asks for it, and IsAsked reports whether a model does.
	Attribute string
	IsAsked   func(*M) bool
	// Warning says at plan that an object will be reactivated, Refusal that an object has the name and what to do.
	Warning, Refusal func(*T) (summary, detail string)
	// Unarchive sends the request that reactivates an object. Optional: then Reactivate writes it into the first update.
	Unarchive  func(ctx context.Context, b *base.Base, id int64) error
	Reactivate func(*U)
}

// TableResource is a resource by its table. It changes objects by compare-and-set: what somebody else has changed since the
// plan is not overwritten.
type TableResource[M, F, T, U any] struct {
	*Resource[M, T, int64]
	def *TableDefinition[M, F, T, U]
}

var (
	_ resource.ResourceWithConfigure      = (*TableResource[struct{}, struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithIdentity       = (*TableResource[struct{}, struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithImportState    = (*TableResource[struct{}, struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithModifyPlan     = (*TableResource[struct{}, struct{}, struct{}, struct{}])(nil)
	_ resource.ResourceWithValidateConfig = (*TableResource[struct{}, struct{}, struct{}, struct{}])(nil)
)

// NewTable returns the resource of a definition, which several may share.
func NewTable[M, F, T, U any](def *TableDefinition[M, F, T, U]) *TableResource[M, F, T, U] {
	return &TableResource[M, F, T, U]{New(def.Definition), def}
}

// id returns the ID of a model; zero if it is not known.
func (r *TableResource[M, F, T, U]) id(m *M) int64 { return r.def.ID(r.def.Facts(m)).ValueInt64() }

// Fresh returns an object as it is now, read together with all that others want to read now.
func (r *TableResource[M, F, T, U]) Fresh(ctx context.Context, id int64) (*compareandset.Reading[*T], error) {
	reading, err := r.freshOrGone(ctx, id)
	if err == nil && r.def.IsGone(reading.Thing) {
		return nil, fmt.Errorf("somebody else has archived or deactivated %s meanwhile", r.called(r.def.NameOf(reading.Thing), id))
	}
	return reading, err
}

// freshOrGone is Fresh for an object that may be archived or deactivated.
func (r *TableResource[M, F, T, U]) freshOrGone(ctx context.Context, id int64) (*compareandset.Reading[*T], error) {
	if len(r.def.Source.Needs) > 0 {
		if _, err := r.Meta.Store.Read(ctx, r.def.Source.Needs...); err != nil {
			return nil, err
		}
	}
	s, err := r.Meta.Store.Fresh(ctx, r.def.Source.Part)
	if err != nil {
		return nil, err
	}
	object, ok := r.def.Index(s).ByID(id)
	if !ok {
		return nil, fmt.Errorf("the provider's account does not see a %s with the ID %d any more", r.def.Title, id)
	}
	return &compareandset.Reading[*T]{Thing: object, View: s}, nil
}

// Change carries out steps on an object: see [compareandset.Subject.Change]. now is the object as it was just read, or nil.
func (r *TableResource[M, F, T, U]) Change(ctx context.Context, id int64, steps []compareandset.Step[*T, U], now *compareandset.Reading[*T], diags *diag.Diagnostics) *compareandset.Reading[*T] {
	read := r.Fresh
	if now != nil && r.def.IsGone(now.Thing) {
		read = r.freshOrGone // the steps reactivate it
	}
	subject := compareandset.Subject[*T, U]{
		Unread: r.called("", id),
		Name:   func(object *T) string { return r.called(r.def.NameOf(object), id) },
		Read:   func(ctx context.Context) (*compareandset.Reading[*T], error) { return read(ctx, id) },
		Send: func(ctx context.Context, p compareandset.Pending[*T, U]) ([]string, error) {
			return r.def.SendUpdate(ctx, &r.Base, id, p)
		},
	}
	if r.def.Protect != nil {
		subject.Protect = func(now *compareandset.Reading[*T], p compareandset.Pending[*T, U], diags *diag.Diagnostics) {
			r.def.Protect(&r.Base, now, p, diags)
		}
	}
	return subject.Change(ctx, &r.Base, steps, now, diags)
}

// existing describes an active object that has the name that a plan asks for.
func (r *TableResource[M, F, T, U]) existing(object *T) Existing {
	name, id := r.def.NameOf(object), r.def.Key(object)
	creator, at := r.def.CreatedBy(object)
	isOwn := creator != nil && *creator == r.Meta.Store.Self().ID
	e := Existing{
		Kind: r.kind(), Title: r.def.Title, Name: name, Key: r.fold(name), ID: id, Import: fmt.Sprint(id), At: path.Root("name"),
		Summary:       fmt.Sprintf("A %s with the name %s already exists", r.def.Title, suggest.Quote(name)),
		MayBeReplaced: isOwn, Ours: isOwn && IsRecent(at),
	}
	if r.def.Unique.IgnoresCase {
		e.Detail = "Names are compared without regard to case."
	}
	return e
}

// RefuseName reports that an object has the name of one that was not created, and how to manage or adopt it.
func (r *TableResource[M, F, T, U]) RefuseName(object *T, diags *diag.Diagnostics) {
	if r.def.IsGone(object) {
		summary, detail := r.def.Adoption.Refusal(object)
		diags.AddAttributeError(path.Root("name"), summary, detail)
		return
	}
	existing := r.existing(object)
	existing.AsPlanned = existing.Ours // the refusal says what else is asked
	existing.Refuse(r.Meta, diags)
}
