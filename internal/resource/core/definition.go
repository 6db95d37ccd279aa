// Package core is the core of resources. A [Definition] describes a resource that manages one of many objects with an
// ID: its schema, the place of its objects in the snapshot of the organization, the comparison of its attributes, and
// the requests that create, change and delete an object. [New] returns the resource.
//
// All have one lifecycle. An apply compares each attribute ([Attributes]) of the object with the prior and the planned
// value, and sends the pending changes: see [change.Subject]. A creation writes the object into the state first. A
// resource that differs in one of these embeds *[Resource] and replaces that method. This package knows no resource.
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

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/existing"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Definition describes a resource. Model is a struct with its attributes, Object the client's type of an object.
// Functions are optional if their comment says so. Most resources need only the fields before the parts.
type Definition[Model, Object any] struct {
	// Name is the type of the resource without the provider's prefix, as in "linkifier".
	Name string
	// Title is the name of one object in messages, and Plural that of several, as in "linkifier" and "linkifiers".
	Title, Plural string
	// ListText is the description of the list resource. Optional.
	ListText ListText
	// Schema returns the schema of the resource. Its attribute `id` is the ID. It is called only when needed, because
	// the framework creates a resource for every request.
	Schema func() schema.Schema
	// Role is the lowest role that may write. Zero leaves the check to CheckPlan.
	Role zulip.Role
	// ForceNew are the attributes whose change forces replacement.
	ForceNew []string
	// Unsent are attributes that the server does not store and that are never sent, such as `on_destroy`.
	Unsent []string

	Source Source
	// Index returns the objects of a snapshot.
	Index func(*snapshot.Snapshot) *snapshot.Index[Object]
	// Key returns the ID: the attribute `id`, or its [TextID] if it is a text.
	Key func(*Object) int64
	// FindImported finds the object to import. Its error is for users. Optional: by default it searches by ID and by the
	// unique value.
	FindImported func(s *snapshot.Snapshot, text string) (*Object, error)
	Unique       Unique[Model, Object]

	// ReadInto sets the model to the server's values. A value in the model with the same meaning keeps its form.
	ReadInto func(m *Model, object *Object, c *Call)
	// KeepPrior gives attributes of a planned update their prior value if both mean the same. Optional.
	KeepPrior func(plan, prior *Model)
	// AfterRun gives a prior model what this run has changed by other resources. That is no conflict. Optional.
	AfterRun func(prior *Model, known *effects.Log)
	// Names are the kinds of the objects that attributes name by names or emails, without an ID in the state. This run may
	// rename the objects. That is no conflict.
	Names map[string]string
	// ByElement are sets in which other elements than the planned ones may change; these are left unchanged.
	ByElement []string
	// Fixed returns the attributes that the server determines for an object, so that they cannot be configured.
	// Optional.
	Fixed func(state *Model) []string
	// Validate refuses a configuration that is wrong in every organization. Optional.
	Validate func(config *Model, diags *diag.Diagnostics)
	// CheckPlan has the checks that are specific to this resource. It may set attributes of the plan. Optional.
	CheckPlan func(ctx context.Context, p *Plan[Model])

	// Create sends the request that creates an object, and returns its ID; zero if the server does not return it.
	Create func(ctx context.Context, c *Call, plan *Model) (int64, error)
	// Update sends the differences between the current object and the planned one, which is the current one with the
	// pending planned values. Optional if every attribute is in ForceNew.
	Update func(ctx context.Context, c *Call, planned, current *Model) error
	// Delete sends the request that deletes the object.
	Delete func(ctx context.Context, c *Call, state *Model) error
	// ReadsToDelete is true if the request may delete another object, such as one that now has the name, or may be
	// wrong after a change by others. The objects are then read just before it, and again before it is repeated.
	// Delete finds them in the snapshot of its call.
	ReadsToDelete bool
	// DeleteVerb is the verb of Delete in messages; "delete" if it is empty.
	DeleteVerb string
	// IsKept reports whether the object stays when its resource is destroyed. Optional.
	IsKept func(state *Model) bool
	// Hint explains a refusal of the server for this resource, or returns "" if it is clear. Optional.
	Hint func(error) string

	// The parts, each for resources of its kind.
	Archive[Model, Object]
	Account[Model, Object]
	Creating[Model, Object]
	Unlisted[Model, Object]
}

// Archive is the part of a definition whose objects are archived or deactivated instead of deleted.
type Archive[Model, Object any] struct {
	// IsGone reports whether an object is archived or deactivated, so that it counts as deleted.
	IsGone func(*Object) bool
	// HowToAdopt is a sentence with the advice in place of an import of such an object, and GoneWord is "archived" or
	// "deactivated".
	HowToAdopt func(*Object) string
	GoneWord   string
	// Adopt returns an existing object to use instead of a new one, and reactivates it unless a table does. ok is
	// false if there is none. Its error, for example about a conflicting object, is the error of the creation.
	// Optional.
	Adopt func(ctx context.Context, c *Call, plan *Model) (id int64, ok bool, err error)
}

// Account is the part of a definition whose objects are people or bots, or that names them.
type Account[Model, Object any] struct {
	// One returns a snapshot in which one object was read separately, because the list may lack it or be outdated: see
	// [store.Store.ReadUser]. OneFor are attributes whose changes are never compared with a list. Optional.
	One    func(s *store.Store, ctx context.Context, id int64) (*snapshot.Snapshot, error)
	OneFor []string
	// IsReadByItself reports whether each refresh reads an object with One, in its own request, because an outdated list
	// must not hide changes of it. Optional.
	IsReadByItself func(*Object) bool
	// IsCheckedByPlan is true if CheckPlan itself searches for the object with the unique value. The core then reserves
	// nothing and searches for no object, and a plan writes no private state.
	IsCheckedByPlan bool
	// KeepsGone reports whether a model keeps a deleted or deactivated object, because an attribute says whether it
	// should be. Optional.
	KeepsGone func(m *Model, object *Object) bool
	// IsHidden reports whether the server does not show an attribute, so that a planned value is sent unseen. Optional.
	IsHidden func(attribute string, prior *Model, c *Call) bool
	// NamedPeople returns the people and bots that a model names, by email or ID, so that those missing in the server's lists
	// are read separately. Optional.
	NamedPeople func(m *Model) []string
}

// Creating is the part of a definition whose creation takes more than a request that returns the ID.
type Creating[Model, Object any] struct {
	// SentLater are attributes that the creating request does not carry, and that are sent after it.
	SentLater []string
	// IsCreated reports whether Create has created an object from a model. It is set if the server's answer to a
	// creation has no ID. Optional.
	IsCreated func(m *Model, object *Object, c *Call) bool
	// MayBeCreated reports whether Create may have created an object from a model. It is called after a lost answer,
	// for objects that did not exist before. Optional: by default all planned values that the creation carries must
	// match.
	MayBeCreated func(m *Model, object *Object, c *Call) bool
	// Shared says what a creating request changes if another request has created the object at the same moment, and the
	// server answers both with the same ID. Optional: by default the server refuses one of them.
	Shared string
	// Lacks reports the permissions that the account lacks for a creation ([base.Meta.Lack]), in the snapshot of the call. A
	// refusal of the server is explained by it. Optional.
	Lacks func(ctx context.Context, c *Call, planned *Model, diags *diag.Diagnostics)
	// Effect is what creating an object changes elsewhere. Its ID becomes the object's. Optional.
	Effect func(c *Call, planned *Model) *effects.Write
	// RegisterCreated registers an object in the run state, also after a lost answer. isNew is true if this run has created
	// it, and false if it is adopted. Optional.
	RegisterCreated func(c *Call, id int64, planned *Model, isNew bool)
}

// Unlisted is the part of a definition whose objects are not in the snapshot, or hidden from some accounts.
type Unlisted[Model, Object any] struct {
	// ReadAll returns objects that are not part of the snapshot, instead of Index.
	ReadAll func(context.Context, *store.Store) ([]*Object, error)
	// WhereIDs is a sentence about where to find the IDs of objects without a name, for import.
	WhereIDs string
	// IsShown reports whether the server would show the object of a state to the account. An object that it does not
	// show may exist, and stays in the state. Optional: by default the server shows all of them to every account.
	IsShown func(*base.Meta, *Model) bool
	// SeenBy is a sentence about the accounts to which the server shows every object. IsShown requires it.
	SeenBy string
}

// TableDefinition describes a resource whose attributes are the rows of a table. Patch is the content of a change.
type TableDefinition[Model, Object, Patch any] struct {
	Definition[Model, Object]
	// Table compares the attributes, instead of ReadInto and KeepPrior.
	Table Attributes[Model, Object, Patch]
	// CheckTable is CheckPlan for a plan that destroys nothing.
	CheckTable func(ctx context.Context, p *TablePlan[Model, Object, Patch])
	// SendUpdate is Update: see [change.Subject].
	SendUpdate func(ctx context.Context, b *base.Base, id int64, p change.Pending[*Object, Patch]) (ignored []string, err error)
	// Protect refuses, just before a request and on the object as just read, a planned change that must not happen: see
	// [change.Subject]. Optional.
	Protect Protect[Object, Patch]
	// Archives is true if Delete archives or deactivates the object, which keeps its name. A new object of the same
	// name in this run is then the same object.
	Archives bool
	// Reactivate sends the request that reactivates an adopted object, or one that this run has archived to replace it
	// by itself. Reactivation writes it into the first update instead. One of them is set.
	Reactivate   func(ctx context.Context, c *Call, id int64) error
	Reactivation func(*Patch)
	// Adoption says how a plan reactivates an object that is gone, and refuses its name. Optional.
	Adoption *Adoption[Object]
	// IsFreed reports whether this run has planned to give the object another name. A rename then waits for the name; a new
	// object does not. Optional.
	IsFreed func(s *snapshot.Snapshot, object *Object, name string) bool
	// CreatedBy returns the creator of an object, or nil if the server does not show it, and the time. Optional.
	CreatedBy func(*Object) (creator *int64, at time.Time)
}

// Protect refuses a change that must not happen: see [change.Subject].
type Protect[Object, Patch any] func(ctx context.Context, b *base.Base, now *change.Reading[*Object], p change.Pending[*Object, Patch], diags *diag.Diagnostics)

// Source describes how the objects of a resource are read.
type Source struct {
	// Part is the part of the organization with the objects.
	Part store.Part
	// Needs are further parts for looking up attributes, if they are not read with Part.
	Needs []store.Part
	// NeedsFresh is true if Needs are read again with the object right before a change, in the same request. They
	// decide which changes are allowed, or requests contain names from them.
	NeedsFresh bool
	// PartsSent returns the parts whose names are in the creating request. They are read again before the request is
	// sent or repeated. The reading comes before the write, because a read waits for writes under way. Optional.
	PartsSent func(*base.Base) []store.Part
	// Lags is true for a part that the server caches, so that a list may be older than the last write: see
	// [store.Store.ReadUntil]. The sandbox has a list of them in lag.go.
	Lags bool
	// StoresAsSent is true if the server stores values as sent, or with the same meaning, so that nothing is read after
	// a write. Create must then set every unknown attribute of the plan; otherwise the object is still read.
	StoresAsSent bool
}

// Unique is the value that no two objects share, usually a name. It is empty for objects without one.
type Unique[Model, Object any] struct {
	// Attribute is the attribute with the value, and Word its noun in messages, as in "pattern". "name" if they are
	// empty.
	Attribute, Word string
	// At returns the attribute if it depends on the configuration. Optional.
	At func(plan *Model) string
	// Of returns the unique value of a model in the server's form, and "" while it is unknown.
	Of func(*Model) string
	// Holder returns the object that has the planned value. Optional: the default is by the name in the index.
	Holder func(s *snapshot.Snapshot, plan *Model) (*Object, bool)
	// ImportedByName returns the object of a name for import. Optional: the default is by the name in the index.
	ImportedByName func(s *snapshot.Snapshot, name string) (*Object, bool)
	// Where is a clause about a list of all names, as in "the data source zulip_linkifiers lists all". Unquoted is true
	// for names that are written without quotes.
	Where    string
	Unquoted bool
	// IsTaken reports whether the server refused a request because another object has the value. A plan refuses that
	// too. But about an object that is exactly as planned, which the resource may itself replace, the plan warns and
	// the apply refuses.
	IsTaken func(error) bool
	// Existing completes the description of an existing object with the value: Detail, and its creator and time, as
	// far as the server tells. Optional.
	Existing func(e *existing.Object, object *Object, c *Call)
}

// Adoption says how an archived or deactivated object, which keeps its name, is reactivated instead of creating one.
type Adoption[Object any] struct {
	// Attribute is the boolean attribute that asks for it.
	Attribute string
	// Warning is the message of a plan that reactivates an object, and Refusal that about an object with the same
	// name.
	Warning, Refusal func(*Object) (summary, detail string)
}

// Call is one call of Terraform, for the functions of a definition.
type Call struct {
	*base.Base
	// Snapshot has the parts of the organization that the definition's Source reads.
	Snapshot *snapshot.Snapshot
	// Diags takes warnings of a creation or an update.
	Diags *diag.Diagnostics
	// Private has what CheckPlan wrote into the private state, in Delete.
	Private base.PrivateGetter
	// own are the people whom the state names by emails: see [attribute.Emails].
	own map[string]int64
	// isSent is true after the server has accepted a change.
	isSent bool
}

// WarnIgnored warns about parameters of a creation that the server ignored. It omits permissions, which are compared
// afterwards.
func (c *Call) WarnIgnored(called string, answer *zulip.Answer, permissions permission.Table) {
	for _, parameter := range answer.IgnoredParameters {
		if !slices.ContainsFunc(permissions.Settings, func(s permission.Spec) bool { return s.Name == parameter }) {
			c.Diags.AddWarning(fmt.Sprintf("The server ignored %s of %s", parameter, called), c.WithUntried("", base.Capitalize(c.WhyIgnored())))
		}
	}
}

// env returns the context of the rows of a table.
func (c *Call) env() attribute.Env { return attribute.NewEnv(c.Base, c.Snapshot).Knowing(c.own) }

// Plan is the planned change of one resource.
type Plan[Model any] struct {
	*base.Base
	// Plan is nil if the resource is destroyed, Prior if it is created.
	Config, Plan, State *Model
	// IsReplaced is true for an update that is applied as a replacement.
	IsReplaced bool
	// Writes is true unless the apply would send nothing.
	Writes bool
	// Own is the ID of the resource's object, or of the object that a new resource replaces.
	Own []int64
	// Private writes the private state. Terraform passes it to Delete, if the plan destroys the resource.
	Private base.PrivateSetter
	Diags   *diag.Diagnostics
	replace path.Paths
	// isMatched is true if the object exists, and the plan is only for export --for. No condition for a new object matters then.
	isMatched bool
}

// Replace makes the update a replacement because of an attribute, if that depends on more than its value.
func (p *Plan[Model]) Replace(attribute string) {
	p.IsReplaced = true
	p.replace.Append(path.Root(attribute))
}

// IsCreate reports whether the plan creates an object.
func (p *Plan[Model]) IsCreate() bool { return p.State == nil }

// IsDestroy reports whether the plan destroys the resource.
func (p *Plan[Model]) IsDestroy() bool { return p.Plan == nil }

// TextID returns the number for an object in the run state if its ID is a text.
func TextID(text string) int64 {
	if text == "" {
		return 0
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // never fails
	return int64(hash.Sum64() >> 1)
}
