// Package core is the core of resources. A [Definition] describes a resource that manages one of many objects with an
// ID: its schema, the place of its objects in the snapshot of the organization, the comparison of its attributes, and
// the requests that create, change and delete an object. [New] returns the resource.
//
// All have one lifecycle. An apply reads the object and compares it with the prior and the planned values, attribute
// by attribute ([Attributes]). It refuses what must not happen (Protect), sends the pending changes, and reads what
// the answer does not show: see [attribute.Subject]. A creation puts the object into the state, and then does the
// same. A resource that differs in one of these embeds *[Resource] and replaces that method.
//
// Words: a listing is one state of all objects. The run state manages the objects of this run, reserves the names
// that it plans, and releases the objects that a creation will adopt.
package core

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Definition describes a resource. Model is a struct with its attributes, Object an object as the server describes
// it, Update the content of a change (without a table, the model). Functions are optional where their comment says
// so.
type Definition[Model, Object, Update any] struct {
	// Name is the type of the resource without the provider's prefix, as in "linkifier".
	Name string
	// Title is the name of one object in messages, and Plural that of several, as in "linkifier" and "linkifiers".
	Title, Plural string
	// Schema returns the schema of the resource. Its attribute `id` is the ID. It is called on first use, because the
	// framework creates a resource for every request.
	Schema func() schema.Schema
	// Role is the lowest role that may write. Zero leaves the check to CheckPlan.
	Role zulip.Role
	// ForceNew are the attributes that cannot be changed: another value replaces the object.
	ForceNew []string
	// Unsent are attributes that are no property of the object and never sent, as `on_destroy`.
	Unsent []string

	Source Source
	// Index is where the objects are in the snapshot.
	Index func(*snapshot.Snapshot) *snapshot.Index[Object]
	// List returns objects that are no part of the snapshot, instead of Index.
	List func(context.Context, *store.Store) ([]*Object, error)
	// Key returns the ID: the attribute `id`, or [TextID] of it where that is a text.
	Key func(*Object) int64
	// WhereIDs says as a sentence where the IDs of objects without a name are found, for import.
	WhereIDs string
	// IsReadByItself tells which objects each refresh reads with Source.One, at a request each, because no change of them may
	// stay unseen behind an outdated list. Optional.
	IsReadByItself func(*Object) bool
	// IsGone reports whether an object is archived or deactivated, so that it counts as deleted. Optional.
	IsGone func(*Object) bool
	// KeepsGone reports whether a model keeps a deleted or deactivated object, because an attribute says whether it
	// should be. Optional.
	KeepsGone func(m *Model, object *Object) bool
	// IsShown reports whether the server would show the object of a state to the account. An object that it does not
	// show may exist, and stays in the state. Optional: by default the server shows all of them to every account.
	IsShown func(*base.Meta, *Model) bool
	// HowToAdopt says as a sentence what to do instead of importing an object that is gone, GoneWord what it is: "archived"
	// or "deactivated". They go with IsGone.
	HowToAdopt func(*Object) string
	GoneWord   string
	// Label is the name of an object in a list, by default its name in the index. Optional.
	Label func(object *Object, s *snapshot.Snapshot) string
	// ListText is the description of the list resource. Optional.
	ListText ListText
	Unique   Unique[Model, Object]
	// Find finds the object to import. Its error is for users. Optional: by default it searches by ID and by the
	// unique value.
	Find func(s *snapshot.Snapshot, text string) (*Object, error)

	// Names returns the people and bots that a model names, by address or ID: whom the server's lists lack is asked for by itself.
	// Optional.
	Names func(m *Model) []string
	// Table compares the attributes by rows. Optional: without one they are compared as ReadInto and KeepPrior say.
	Table Attributes[Model, Object, Update]
	// ReadInto sets the model to the server's values. A value in the model with the same meaning keeps its form.
	ReadInto func(m *Model, object *Object, c *Context)
	// KeepPrior gives attributes of a planned update their prior value where both mean the same. Optional.
	KeepPrior func(plan, prior *Model)
	// IsUnread reports whether the server does not show an attribute, so that a planned value is sent unseen. Optional.
	IsUnread func(attribute string, prior *Model, c *Context) bool
	// ByElement are sets of which others may change other elements than the plan: those stay as they are.
	ByElement []string
	// Fixed returns the attributes that the server decides of an object, so that they cannot be configured. Optional.
	Fixed func(state *Model) []string
	// Validate refuses a configuration that is wrong in any organization. Optional.
	Validate func(config *Model, diags *diag.Diagnostics)
	// CheckPlan checks what only this resource has to check. It may set attributes of the plan. Optional.
	CheckPlan func(ctx context.Context, p *Plan[Model])
	// CheckTable is CheckPlan for a resource with a table. Optional.
	CheckTable func(ctx context.Context, p *TablePlan[Model, Object, Update])

	// New is an object as it is created when no attribute is set. It goes with a table.
	New *Object
	// Create sends the request that creates an object, and returns its ID; zero where the server does not tell it.
	Create func(ctx context.Context, c *Context, plan *Model) (int64, error)
	// SentLater are attributes that the request which creates an object does not carry: they are sent after it.
	SentLater []string
	// IsCreated reports whether an object is the one that Create has created from a model. It is set if the server's
	// answer to a creation has no ID. Optional.
	IsCreated func(m *Model, object *Object, c *Context) bool
	// MayBeCreated reports whether an object may be the one that Create has created from a model. It is called after
	// a lost answer, for objects that did not exist before. Optional: by default all planned values that the creation
	// carries must match.
	MayBeCreated func(m *Model, object *Object, c *Context) bool
	// RegisterCreated registers what the run has to know of an object that was created or adopted. Optional.
	RegisterCreated func(c *Context, id int64, planned *Model)
	// Adopt returns an existing object to use instead of a new one, and reactivates it unless Reactivate does. ok is
	// false if there is none. Its error is that of the creation: it may refuse because of a conflicting object.
	// Optional.
	Adopt func(ctx context.Context, c *Context, plan *Model) (id int64, ok bool, err error)
	// Reactivate sends the request that reactivates an object which is adopted, or which this run has archived to replace it by
	// itself. Optional: then Reactivation writes it into the first update, or Adopt does it.
	Reactivate   func(ctx context.Context, c *Context, id int64) error
	Reactivation func(*Update)

	// Update sends the differences between the current object and the planned one, which is the current one with the
	// pending planned values. Optional if every attribute is in ForceNew.
	Update func(ctx context.Context, c *Context, planned, current *Model) error
	// SendUpdate is Update for a resource with a table: see [attribute.Subject].
	SendUpdate func(ctx context.Context, b *base.Base, id int64, p attribute.Pending[*Object, Update]) (ignored []string, err error)
	// Protect refuses, just before a request and on the object as just read, a change that must not happen whatever
	// was planned: see [attribute.Subject]. Optional.
	Protect func(ctx context.Context, b *base.Base, now *attribute.Reading[*Object], p attribute.Pending[*Object, Update], diags *diag.Diagnostics)
	// Delete sends the request that deletes the object. Archives is set where it archives or deactivates the object, which
	// keeps its name: an object of the same name that this run creates is that one again.
	Delete   func(ctx context.Context, c *Context, state *Model) error
	Archives bool
	// ReadsToDelete is true if the request may delete another object, such as one that now has the name, or may be
	// wrong after a change by others. The objects are then read just before it, and again before it is repeated.
	// Delete finds them in the snapshot of its context.
	ReadsToDelete bool
	// DeleteVerb is the verb for that in messages: "delete" if it is empty.
	DeleteVerb string
	// IsKept reports whether the object stays when its resource is destroyed. Optional.
	IsKept func(state *Model) bool
	// Hint explains a refusal of the server for this resource, or returns "" if it is clear. Optional.
	Hint func(error) string
}

// Source says how the objects of a resource are read.
type Source struct {
	// Part is the part of the organization that holds them.
	Part store.Part
	// Needs are further parts that attributes are looked up in, where they are not read with Part.
	Needs []store.Part
	// NeedsFresh is true if they are read again with an object right before a change, in the same request: they decide what may
	// be done with the object, or requests contain names from them.
	NeedsFresh bool
	// SendsNames returns the parts of which the request that creates an object has names: they are read again before it is sent, and
	// before it is repeated. The reading comes before the write, because a read waits for writes that are under way. Optional.
	SendsNames func(*base.Base) []store.Part
	// Lags is set for parts that the server caches, so that a list may be older than the last write: see
	// [store.Store.ReadUntil]. The sandbox has a list of them in lag.go.
	Lags bool
	// One returns a snapshot in which one object is as the server describes it by itself, for parts whose list may lack it or
	// have it as it was before: see [store.Store.ReadUser]. Optional.
	One func(s *store.Store, ctx context.Context, id int64) (*snapshot.Snapshot, error)
	// OneFor are attributes of which no change is compared with a list: an outdated one would say that nothing is left to do. The
	// object is read with One.
	OneFor []string
	// StoresAsSent is set where the server stores what it is sent, or what means the same: then nothing is read after a write.
	// Create sets every attribute of the plan that is unknown; otherwise the object is read nevertheless.
	StoresAsSent bool
}

// Unique is the value that no two objects share, usually a name. It is empty for objects without one.
type Unique[Model, Object any] struct {
	// Attribute is where it is configured, Word what messages call it, as in "pattern". "name" if they are empty.
	Attribute, Word string
	// At returns the attribute where that depends on the configuration. Optional.
	At func(plan *Model) string
	// Of returns the unique value of a model, as the server stores it, and "" while it is unknown.
	Of func(*Model) string
	// IgnoresCase is set where the server compares without regard to case.
	IgnoresCase bool
	// IsCheckedByPlan is true if CheckPlan itself searches for the object with the value. The core then reserves
	// nothing and searches for no object, and a plan writes no private state.
	IsCheckedByPlan bool
	// Find returns the object that has what the model is to have. Optional: by the name in the index.
	Find func(s *snapshot.Snapshot, plan *Model) (*Object, bool)
	// IsFreed reports whether this run has planned to give the object another name. Optional.
	IsFreed func(s *snapshot.Snapshot, object *Object, name string) bool
	// ByName returns the object that a name means for import. Optional: by the name in the index.
	ByName func(s *snapshot.Snapshot, name string) (*Object, bool)
	// Where is a clause on where all names are listed, as in "the data source zulip_linkifiers lists all". Unquoted is set
	// for names that are written without quotes.
	Where    string
	Unquoted bool
	// IsTaken reports whether the server refused a request because another object has it. A plan refuses that too, but for
	// an object that is exactly as planned: a replacement may meet itself, so that the plan warns and the apply refuses.
	IsTaken func(error) bool
	// CreatedBy returns the creator of an object, or nil if the server does not tell, and the time. Optional.
	CreatedBy func(*Object) (creator *int64, at time.Time)
	// Adoption says how a plan reactivates an object that is gone, and refuses its name. Optional.
	Adoption *Adoption[Object]
	// Existing completes the description of an existing object with the value: Detail, and its creator and time, as
	// far as the server tells. Optional.
	Existing func(e *Existing, object *Object, c *Context)
}

// Adoption says how an archived or deactivated object, which keeps its name, is reactivated instead of creating one.
type Adoption[Object any] struct {
	// Attribute is the boolean attribute that asks for it.
	Attribute string
	// Warning is the message of a plan that reactivates an object, and Refusal that about an object with the same
	// name.
	Warning, Refusal func(*Object) (summary, detail string)
}

// Context is the context of the functions of a definition.
type Context struct {
	*base.Base
	// Snapshot is the organization, as far as the definition's Source reads it.
	Snapshot *snapshot.Snapshot
	// Diags takes warnings of a creation or an update.
	Diags *diag.Diagnostics
	// isSent is set when the server has taken a change.
	isSent bool
}

// WarnIgnored warns about parameters of a creation that the server ignored. It omits permissions, which are compared
// afterwards.
func (c *Context) WarnIgnored(subject string, answer *zulip.Answer, permissions permission.Table) {
	for _, parameter := range answer.IgnoredParameters {
		if !slices.ContainsFunc(permissions.Settings, func(s permission.Setting) bool { return s.Name == parameter }) {
			c.Diags.AddWarning(fmt.Sprintf("The server ignored %s of %s", parameter, subject), c.WithUntried("", base.Capitalize(c.WhyIgnored())))
		}
	}
}

// server returns the context of the rows of a table.
func (c *Context) server() attribute.Server { return attribute.On(c.Base, c.Snapshot) }

// Plan is the planned change of one resource.
type Plan[Model any] struct {
	*base.Base
	// Plan is nil if the resource is destroyed, Prior if it is created.
	Config, Plan, Prior *Model
	// IsReplaced is set for the plan of an update that is carried out as a replacement.
	IsReplaced bool
	Diags      *diag.Diagnostics
	replace    path.Paths
}

// Replace makes the update a replacement because of an attribute, where that depends on more than its value.
func (p *Plan[Model]) Replace(attribute string) {
	p.IsReplaced = true
	p.replace.Append(path.Root(attribute))
}

// IsCreate reports whether an object is created.
func (p *Plan[Model]) IsCreate() bool { return p.Prior == nil }

// IsDestroy reports whether the resource is destroyed.
func (p *Plan[Model]) IsDestroy() bool { return p.Plan == nil }

// TextID is the ID by which the run state tells an object whose ID is a text from others.
func TextID(text string) int64 {
	if text == "" {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // never fails
	return int64(hash.Sum64() >> 1)
}
