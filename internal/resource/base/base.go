// Package base has the types that resources, data sources, actions and ephemeral resources embed: [Resource],
// [DataSource], [Action] and [Ephemeral]. Each has a [Base], the connection to the organization after the provider is
// configured. Its [Meta] has the clients, the store that reads the organization, and the run state.
//
// Base and Meta also have the checks of every plan: whether the provider is configured, the server's feature level, and
// the permissions of the provider's account. All resources share the state and identity upgraders.
//
// # Errors
//
// [Explain] turns an error of a request into the detail of a diagnostic: the server's words, their meaning, and the
// next step. [Sentence] writes any other error as a sentence.
//
// An error type that adds to the explanation of its cause has a method Explanation() string, whose result [Explain]
// returns. This package knows no resource.
package base

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/trading"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Meta is the result of configuring the provider.
type Meta struct {
	Client *zulip.Client
	// Store is nil if the provider has no account. NoAccount is the reason.
	Store *store.Store
	// Run is the state of this run.
	Run    runstate.State
	Server *zulip.ServerSettings
	// LockoutProtection is true if plans are refused by which the provider's account would lose the permissions that it
	// needs.
	LockoutProtection bool
	// RecoverInterrupted is true if an apply adopts objects that an interrupted apply has created: see [existing.Object].
	RecoverInterrupted bool
	// WarnOfExisting is true if a plan warns about an existing object instead of refusing it, so that it can be matched
	// with the plan (export --for). The apply still refuses it.
	WarnOfExisting bool
	// AdoptArchived and AdoptDeactivated are the defaults of the attributes adopt_archived and adopt_deactivated.
	AdoptArchived, AdoptDeactivated bool
	// AccessWarnings is true if plans warn about people who gain or lose access.
	AccessWarnings bool
	// NoAccount names the settings that are missing for calls that need an account; nil if there are none.
	NoAccount error
	// Trading is nil if no trading cloud is configured. NoTrading is the reason.
	Trading *trading.Client
	// NoTrading names the settings that are missing for calls to the trading cloud; nil if there are none.
	NoTrading error

	warnedOfRateLimit sync.Once
}

// Adopts returns the provider's default of an attribute that reactivates an existing object. ok is false for other
// attributes. Before the provider is configured the default is false.
func (m *Meta) Adopts(attribute string) (isDefault, ok bool) {
	switch attribute {
	case "adopt_archived":
		return m != nil && m.AdoptArchived, true
	case "adopt_deactivated":
		return m != nil && m.AdoptDeactivated, true
	}
	return false, false
}

// Base is embedded by every resource and data source. Meta is nil until the provider is configured, which it is not
// while a plan does not know the provider's own settings yet.
type Base struct{ Meta *Meta }

// FeatureLevel returns the server's feature level; zero if it is not known, which refuses nothing.
func (b *Base) FeatureLevel() int {
	if b.Meta == nil || b.Meta.Server == nil {
		return 0
	}
	return b.Meta.Server.ZulipFeatureLevel
}

// Ready reports whether calls to the organization are possible, and otherwise adds an error with the reason. Call it
// first in every function that needs an account.
func (b *Base) Ready(diags *diag.Diagnostics) bool {
	switch {
	case b.Meta == nil:
		diags.AddError("The provider is not configured",
			"The settings of the provider block are not known yet. First apply what they depend on (-target), or set them in the environment.")
	case b.Meta.NoAccount != nil:
		diags.AddError("The provider has no account", b.Meta.NoAccount.Error())
	default:
		b.Meta.warnOfRateLimit(diags)
		return true
	}
	return false
}

// TradingReady is Ready for the trading cloud. Call it first in every function that sends requests to it.
func (b *Base) TradingReady(diags *diag.Diagnostics) bool {
	switch {
	case b.Meta == nil:
		b.Ready(diags)
	case b.Meta.NoTrading != nil:
		diags.AddError("No trading cloud is configured", Sentence(b.Meta.NoTrading))
	default:
		return true
	}
	return false
}

// CanPlan reports whether checks against the organization are possible during plan, and adds an error if they never
// will be. They are postponed while the settings of the provider block are unknown. Call it first in ModifyPlan.
func (b *Base) CanPlan(diags *diag.Diagnostics) bool { return b.Meta != nil && b.Ready(diags) }

func (b *Base) configure(data any, diags *diag.Diagnostics) {
	if data == nil {
		return // before the provider is configured, as during validation
	}
	meta, ok := data.(*Meta)
	if !ok {
		AddBug(diags, "configure a resource", fmt.Errorf("the provider data is a %T", data))
		return
	}
	b.Meta = meta
}

// Resource is the base of resources.
type Resource struct{ Base }

// Configure takes what the provider hands over.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.configure(req.ProviderData, &resp.Diagnostics)
}

// DataSource is the base of data sources.
type DataSource struct{ Base }

// Configure takes what the provider hands over.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.configure(req.ProviderData, &resp.Diagnostics)
}

// LockoutSummary returns the summary of an error of lock-out protection. object is what the account could no longer manage.
func LockoutSummary(object string) string {
	return "This would remove the provider's own access to " + object
}

// LockoutAdvice ends the messages of lock-out protection.
const LockoutAdvice = "\n\nIf this is intentional, set lockout_protection = false in the provider block."

// WarnSelf warns that a plan takes something from the provider's account that its permissions do not depend on.
func WarnSelf(self *zulip.User, at path.Path, what string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(at, "The provider's account "+what, self.Address()+" is the account that this provider block uses.")
}

// Action is the base of actions.
type Action struct{ Base }

// Configure takes what the provider hands over.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.configure(req.ProviderData, &resp.Diagnostics)
}

// Ephemeral is the base of ephemeral resources.
type Ephemeral struct{ Base }

// Configure takes what the provider hands over.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.configure(req.ProviderData, &resp.Diagnostics)
}

// KeepIdentity returns the upgraders of identities of version 0 that have more attributes than now. The others are
// dropped.
func KeepIdentity() map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{0: {IdentityUpgrader: keepIdentity}}
}

func keepIdentity(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
	kind := resp.Identity.Schema.Type().TerraformType(ctx)
	identity, err := req.RawIdentity.UnmarshalWithOpts(kind, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the identity of a resource",
			"An earlier version of the provider wrote it: "+err.Error()+"\n\nRemove the resource from the state (terraform state rm ADDRESS) and import it again.")
		return
	}
	resp.Identity.Raw = identity
}

// ImportedText returns the import ID: the given text, which is an ID or a name, or the number in an attribute of the
// identity.
func ImportedText(ctx context.Context, req resource.ImportStateRequest, attribute string, diags *diag.Diagnostics) string {
	if req.ID != "" {
		return req.ID
	}
	var id types.Int64
	diags.Append(req.Identity.GetAttribute(ctx, path.Root(attribute), &id)...)
	return strconv.FormatInt(id.ValueInt64(), 10)
}

// ImportedNumber returns the import ID of an object without a name. ok is false if it is not a number. thing is the
// noun, as in "a draft"; where is a sentence about where users find its ID.
func ImportedNumber(ctx context.Context, req resource.ImportStateRequest, thing, where string, diags *diag.Diagnostics) (id types.Int64, ok bool) {
	word := ImportedText(ctx, req, "id", diags)
	number, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		diags.AddError("Invalid ID of "+thing, fmt.Sprintf("The ID given is not a number. Only its ID identifies %s. %s", thing, where)) // it may be a secret
	}
	return types.Int64Value(number), !diags.HasError()
}

// SchemaVersion is the version of every resource's schema in the first release. Earlier builds wrote states of version
// 0.
//
// A new attribute, or one that accepts further values, needs no new version, because a state without it reads as null.
// Neither does a removed attribute, because its value is dropped when a state is read. A renamed attribute, or a changed
// type, does. The resource's schema then gets its own, higher version, and an UpgradeState besides that of [Resource],
// with an upgrader from each earlier version.
const SchemaVersion = 1

// ListSchemaVersion is the version of resources with a list of people or groups. Version 1 had their IDs as a map.
const ListSchemaVersion = 2

// UpgradeState reads the states of builds from before the first release, which have the same attributes, and the states
// of version 1.
func (r *Resource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {StateUpgrader: keepState}, 1: {StateUpgrader: keepState}}
}

// keepState upgrades a state with current attributes: it omits attributes that no longer exist, and sets missing ones
// to null. A map of the IDs of a list becomes a list in the same order.
func keepState(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
	kind := resp.State.Schema.Type().TerraformType(ctx)
	if err := listIDs(req.RawState); err != nil {
		AddBug(&resp.Diagnostics, "read a state", err)
		return
	}
	state, err := req.RawState.UnmarshalWithOpts(kind, tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state of a resource",
			"An earlier version of the provider wrote it with other attributes: "+err.Error()+"\n\nRemove the resource from the state (terraform state rm ADDRESS) and import it again.")
		return
	}
	resp.State.Raw = state
}

// listIDs replaces the maps with the IDs of lists in a state.
func listIDs(raw *tfprotov6.RawState) error {
	var state map[string]json.RawMessage
	if err := json.Unmarshal(raw.JSON, &state); err != nil {
		return err
	}
	for name, value := range state {
		var ids map[string]*int64
		var texts []string
		list, isIDs := strings.CutSuffix(name, "_ids")
		if !isIDs || !bytes.HasPrefix(value, []byte("{")) || json.Unmarshal(value, &ids) != nil || json.Unmarshal(state[list+"s"], &texts) != nil {
			continue
		}
		numbers := make([]*int64, len(texts))
		for i, text := range texts {
			numbers[i] = ids[text]
		}
		var err error
		if state[name], err = json.Marshal(numbers); err != nil {
			return err
		}
	}
	var err error
	raw.JSON, err = json.Marshal(state)
	return err
}

// LockOrReport waits until no other resource of this run works on the same object, and returns a function that releases
// the lock. If the context ends first, it reports an error with the summary, and ok is false.
func (b *Base) LockOrReport(ctx context.Context, thing, summary string, diags *diag.Diagnostics) (done func(), ok bool) {
	done, err := b.Meta.Run.Lock(ctx, thing)
	if err != nil {
		diags.AddError(summary, Explain(err))
		return nil, false
	}
	return done, true
}

// IsSet reports whether a value is neither null nor unknown.
func IsSet(value interface {
	IsNull() bool
	IsUnknown() bool
},
) bool {
	return !value.IsNull() && !value.IsUnknown()
}

// StillMissing returns the error of an apply that needs objects which the plan creates or reactivates before. names is
// empty if they are not known yet.
func StillMissing(names ...string) (summary, detail string) {
	return "A user or group does not exist in the organization yet",
		fmt.Sprintf("The plan expected another resource to create or reactivate %s first. Reference that resource, so that Terraform knows the order.",
			cmp.Or(strings.Join(suggest.Names{}.Quoted(names), ", "), "a user"))
}

// KeepKnown replaces a value that was read by the planned one, if it is known, and reports whether the two differ.
func KeepKnown[T attr.Value](read *T, planned T) bool {
	if planned.IsUnknown() || (*read).Equal(planned) {
		return false
	}
	*read = planned
	return true
}

// An object that the account may not see looks like one that does not exist. A read therefore removes an object from
// the state only if the account would see it. Otherwise the object stays in the state unchanged, and a plan that changes
// it is refused: see protocolServer.readSeen.

// UnseenSummary is the summary of the warning about an object in the state that the account does not see.
const UnseenSummary = "The account does not see everything in the state"

// MayRemove reports whether a read that did not find an object may remove it from the state. wouldSee is true if the
// account would see the object. If it is false, the state must stay unchanged, and MayRemove reports the object. thing
// is the object's name in messages, and who is a sentence about the accounts that see it.
func (m *Meta) MayRemove(wouldSee bool, thing, who string, diags *diag.Diagnostics) bool {
	if !wouldSee {
		m.ReportUnseen(thing+" is in the state, but the server does not show it to the account. "+who, diags)
	}
	return wouldSee
}

// ReportUnseen warns that the account does not see an object in the state. found are the reason and the accounts that
// see the object.
func (m *Meta) ReportUnseen(found string, diags *diag.Diagnostics) {
	self := m.Store.Self()
	is := WithArticle(self.Role)
	if self.IsBot {
		is = "a bot with the role " + self.Role.String()
	}
	diags.AddWarning(UnseenSummary, fmt.Sprintf("%s The provider's account, %s, is %s.", Capitalize(found), self.Address(), is))
}

// RefuseUnseenDestroy reports that an object cannot be destroyed because the server does not show it to the account.
func RefuseUnseenDestroy(summary string, diags *diag.Diagnostics) {
	diags.AddError(summary, "The server does not show it to the provider's account, so it may still exist. Nothing was changed.\n\n"+
		"Use the key of an administrator, or of the person who created it. If it was removed outside Terraform, remove it from the state:\n\n  terraform state rm ADDRESS")
}

// Sentences about the accounts that see an object.
const (
	SeenByAdministrators = "Administrators see it."
	SeenByMembers        = "Everyone except guests sees it."
)

// SeesAll reports whether the server shows the account all channels and bots.
func (m *Meta) SeesAll() bool { return m.Store.Self().Role <= zulip.RoleAdministrator }

// SeesEverybody reports whether the server shows the account all people (server-behavior §U3).
func (m *Meta) SeesEverybody() bool { return m.Store.Self().Role < zulip.RoleGuest }

// PrivateGetter reads the private state.
type PrivateGetter interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// PrivateSetter writes the private state.
type PrivateSetter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ReadPrivate reads a value of the private state, if there is one.
func ReadPrivate(ctx context.Context, private PrivateGetter, key string, into any, diags *diag.Diagnostics) {
	data, problems := private.GetKey(ctx, key)
	if diags.Append(problems...); data == nil {
		return
	}
	if err := json.Unmarshal(data, into); err != nil {
		AddBug(diags, "decode private state", err)
	}
}

// WritePrivate writes a value into the private state.
func WritePrivate(ctx context.Context, private PrivateSetter, key string, value any, diags *diag.Diagnostics) {
	data, err := json.Marshal(value)
	if err != nil {
		AddBug(diags, "encode private state", err)
		return
	}
	diags.Append(private.SetKey(ctx, key, data)...)
}
