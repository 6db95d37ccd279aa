// Package resourcekit is the core that resources are made of. A resource that manages one of many objects with an ID
// says in a [Definition] what is particular about it: its schema, where its objects are in the snapshot of the
// organization, and the requests that create, update and delete one. [New] makes the resource of it, which does what is
// the same for all of them: metadata, identity, import, reading, the checks at plan, and a creation that neither doubles
// nor loses an object.
//
// A resource that does one of these otherwise embeds *[Resource] and writes that method itself.
//
// A resource whose attributes are a table of package attribute says the rest in a [TableDefinition], of which [NewTable] makes
// a [TableResource]. It changes objects by compare-and-set, and archives or deactivates them where others delete.
//
// Words: a listing is one state of all objects; written is an object that was just created or updated, and its words the model
// as it is configured; the run state manages the objects of this run, reserves the names it plans, releases at plan what a
// creation is to adopt, and takes it then.
package resourcekit

import (
	"context"
	"hash/fnv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Key is the type of what an object is told by, which is its attribute `id`: a number of the server, or a text.
type Key interface{ int64 | string }

// Definition says what is particular about a resource. M is its model, T an object as the server describes it, K the
// type of its ID. Functions are optional where their comment says so.
type Definition[M, T any, K Key] struct {
	// Name is the type of the resource without the provider's prefix, as in "linkifier".
	Name string
	// Title is what messages call one object, Plural what they call several, as in "linkifier" and "linkifiers".
	Title, Plural string
	// Schema returns what describes the resource. Its attribute `id` is the ID. It is called when the schema is first needed,
	// because the framework makes a resource for every request.
	Schema func() schema.Schema
	// Role is who may write: this role and those above it. Zero leaves the check to CheckPlan.
	Role zulip.Role
	// ForceNew are the attributes that cannot be changed: another value replaces the object.
	ForceNew []string
	// Unsent are attributes that are no property of the object and never sent, as `on_destroy`.
	Unsent []string

	Source Source
	// Index is where the objects are in the snapshot. Where the ID is a text, it is the name there.
	Index func(*snapshot.Snapshot) *snapshot.Index[T]
	// List returns objects that are no part of the snapshot, instead of Index.
	List func(context.Context, *store.Store) ([]*T, error)
	Key  func(*T) K
	// WhereIDs says as a sentence where the IDs of objects without a name are found, for import.
	WhereIDs string
	// IsGone reports whether an object is archived or deactivated, so that it counts as deleted. Optional.
	IsGone func(*T) bool
	// HowToAdopt says as a sentence what to do instead of importing an object that is gone, GoneWord what it is: "archived"
	// or "deactivated". They go with IsGone.
	HowToAdopt func(*T) string
	GoneWord   string
	// Label is what people call an object in a list: by default its name in the index. Optional.
	Label func(object *T, s *snapshot.Snapshot) string
	// ListText is the description of the list resource. Optional.
	ListText ListText
	// Filters are arguments of the list resource, beside the name. Optional.
	Filters []ListFilter[T]
	Unique  Unique[M, T]
	// Find finds what is to be imported. Its error is for people. Optional: by ID, or by what is unique.
	Find func(s *snapshot.Snapshot, text string) (*T, error)

	// ReadInto sets the model to what the server has. Where an attribute of the model means the same in other words, it
	// stays as it is.
	ReadInto func(m *M, object *T, c *Context)
	// KeepPrior gives attributes of a planned update their prior value where both mean the same. Optional.
	KeepPrior func(plan, prior *M)
	// Fixed returns the attributes that the server decides of an object, so that they cannot be configured. Optional.
	Fixed func(state *M) []string
	// Validate refuses a configuration that is wrong in any organization. Optional.
	Validate func(config *M, diags *diag.Diagnostics)
	// CheckPlan checks what only this resource has to check. It may set attributes of the plan. Optional.
	CheckPlan func(ctx context.Context, p *Plan[M])

	// IsCreated reports whether an object is what Create made of a model. It is set where the server does not tell the ID of
	// what it creates. Optional.
	IsCreated func(m *M, object *T, c *Context) bool
	// Create sends the request that creates an object, and returns its ID, a text as the server stores it; the zero value
	// where the server does not tell it.
	Create func(ctx context.Context, c *Context, plan *M) (K, error)
	// Complete sends what differs between the plan and an object that was just created or adopted, where the request that
	// creates one does not carry all of it. isNew reports whether Create made the object. It returns whether it sent anything;
	// then the object is read again. The object is in the state before. Optional.
	Complete func(ctx context.Context, c *Context, plan *M, object *T, isNew bool) (changed bool, err error)
	// MayBeCreated reports whether an object may be what Create made of a model: it is asked after a lost answer, of objects
	// that were not there before. It goes with Complete. Optional: what has every planned value.
	MayBeCreated func(m *M, object *T, c *Context) bool
	// Update sends what differs between the plan and the prior state. Optional if every attribute is in ForceNew.
	Update func(ctx context.Context, c *Context, plan, prior *M) error
	// Delete sends the request that deletes the object.
	Delete func(ctx context.Context, c *Context, state *M) error
	// DeleteVerb is what messages call that: "delete" if it is empty.
	DeleteVerb string
	// Adopt reactivates an object instead of creating one, and returns its ID. ok is false if there is none to reactivate. Its
	// error is that of the creation: it may refuse an object that is in the way. Optional.
	Adopt func(ctx context.Context, c *Context, plan *M) (id K, ok bool, err error)
	// IsKept reports whether the object stays when its resource is destroyed. Optional.
	IsKept func(state *M) bool
	// Hint says what a refusal of the server means for this resource; "" if it says enough itself. Optional.
	Hint func(error) string
}

// Source says how the objects of a resource are read.
type Source struct {
	// Part is the part of the organization that holds them.
	Part store.Part
	// Needs are further parts that ReadInto looks things up in, for objects that are no part of the snapshot.
	Needs []store.Part
	// Lags is set for parts that the server caches, so that a list may be older than the last write: see
	// [store.Store.ReadUntil]. The sandbox has a list of them in lag.go.
	Lags bool
	// One returns a snapshot in which one object is as the server describes it by itself, for parts whose list may lack it or
	// have it as it was before: see [store.Store.ReadUser]. Optional.
	One func(s *store.Store, ctx context.Context, id int64) (*snapshot.Snapshot, error)
	// StoresAsSent is set where the server stores what it is sent, or what means the same: then nothing is read after a write.
	// Create sets every attribute of the plan that is unknown; otherwise the object is read nevertheless.
	StoresAsSent bool
}

// Unique is what no two objects have alike: a name, as a rule. It is empty for objects without.
type Unique[M, T any] struct {
	// Attribute is where it is configured, Word what messages call it, as in "pattern". "name" if they are empty.
	Attribute, Word string
	// At returns the attribute where that depends on the configuration. Optional.
	At func(plan *M) string
	// Of returns what a model has, as the server stores it; "" while it is unknown.
	Of func(*M) string
	// IgnoresCase is set where the server compares without regard to case.
	IgnoresCase bool
	// IsCheckedByPlan is set where CheckPlan itself finds out who has it: then the core reserves nothing, looks for nobody,
	// and a plan writes no private state.
	IsCheckedByPlan bool
	// Find returns the object that has what the model is to have. Optional: by the name in the index.
	Find func(s *snapshot.Snapshot, plan *M) (*T, bool)
	// ByName returns the object that a name means for import. Optional: by the name in the index.
	ByName func(s *snapshot.Snapshot, name string) (*T, bool)
	// Where is a clause on where all names are listed, as in "the data source zulip_linkifiers lists all". Unquoted is set
	// for names that are written without quotes.
	Where    string
	Unquoted bool
	// IsTaken reports whether the server refused a request because another object has it. A plan refuses that too, but for
	// an object that is exactly as planned: a replacement may meet itself, so that the plan warns and the apply refuses.
	IsTaken func(error) bool
	// Existing adds to what is known of an object that has it: Detail, and who created it and when, as far as the server
	// tells. Optional.
	Existing func(e *Existing, object *T, c *Context)
}

// Context is what the functions of a definition work with.
type Context struct {
	*base.Base
	// Snapshot is the organization, as far as the definition's Source reads it.
	Snapshot *snapshot.Snapshot
}

// Plan is the planned change of one resource.
type Plan[M any] struct {
	*base.Base
	// Plan is nil if the resource is destroyed, Prior if it is created.
	Config, Plan, Prior *M
	// IsReplaced is set for the plan of an update that is carried out as a replacement.
	IsReplaced bool
	Diags      *diag.Diagnostics
	replace    path.Paths
}

// Replace makes the update a replacement because of an attribute, where that depends on more than its value.
func (p *Plan[M]) Replace(attribute string) {
	p.IsReplaced = true
	p.replace.Append(path.Root(attribute))
}

// IsCreate reports whether an object is created.
func (p *Plan[M]) IsCreate() bool { return p.Prior == nil }

// IsDestroy reports whether the resource is destroyed.
func (p *Plan[M]) IsDestroy() bool { return p.Plan == nil }

// ObjectID returns the ID by which the run state tells an object from others: the number itself, or a hash of the text.
func ObjectID[K Key](key K) int64 {
	switch key := any(key).(type) {
	case int64:
		return key
	case string:
		if key == "" {
			return 0
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(key)) // never fails
		return int64(hash.Sum64() >> 1)
	}
	return 0
}
