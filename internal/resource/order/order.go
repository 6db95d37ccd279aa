// Package order is the base of resources that set the order of all objects of a kind in an organization, such as the
// order of its linkifiers. An [Order] describes the objects, and how their order is read and sent. [Resource] is the
// rest of the resource. This package knows no kind of objects.
package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// Resource is the order of all objects of a kind. The configuration names the first objects. The others follow in their
// current order.
type Resource struct {
	base.Resource
	Order
}

// Order describes the objects, and how their order is read and sent.
type Order struct {
	// TypeName is the type without the provider's prefix, such as `linkifier_order`.
	TypeName string
	// ID is the only ID, the plural of the objects, such as `linkifiers`.
	ID string
	// Attribute is the attribute with the IDs, in order.
	Attribute string
	// Thing and Things are nouns for messages: `linkifier`, `linkifiers`.
	Thing, Things string
	// Description describes the order in Markdown. The common text of all orders is added.
	Description string

	// Seen returns all objects in order from the snapshot.
	Seen func(context.Context, *store.Store) ([]Item, error)
	// Fresh returns them after a new read. If the server's list can be older than a write, it is read again until shows
	// is true for it.
	Fresh func(ctx context.Context, d *store.Store, shows func([]Item) bool) ([]Item, error)
	// Part is such a part of the snapshot; empty for none.
	Part store.Part
	// Write sends all IDs in order, including objects without a place in the order.
	Write func(context.Context, *zulip.Client, []int64) error
}

// Item is one of the objects of an order.
type Item struct {
	ID int64
	// Aside is a sentence about why the object has no place in the order and cannot be named; empty if it has a place.
	Aside string
}

// identity is the identity of an order.
type identity struct {
	ID types.String `tfsdk:"id"`
}

// Metadata sets the type of the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.TypeName
}

// Schema describes the attributes.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: r.Description,
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Always `" + r.ID + "`.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			r.Attribute: schema.ListAttribute{
				ElementType: types.Int64Type, Required: true,
				MarkdownDescription: r.listText(),
				Validators:          []validator.List{validators.Size(1, 0), validators.Unique()},
			},
		},
	}
}

func (r *Resource) listText() string {
	text := "IDs of the " + r.Things + " that come first, each once. The others follow in their current order. The plan warns about IDs that no longer exist, and leaves them out."
	if level := featurelevel.Lookup("zulip_"+r.TypeName, r.Attribute); level > 0 {
		text += " " + featurelevel.Sentence(level)
	}
	return text
}

// IdentitySchema describes the identity of an order.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Always \"" + r.ID + "\"."},
	}}
}

// ModifyPlan refuses new IDs that do not exist, warns about IDs that no longer exist, and refuses an order that the
// account can't set.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return // a destroy leaves the order unchanged
	}
	r.CheckLevels(ctx, "zulip_"+r.TypeName, req.Config, &resp.Diagnostics)
	var list types.List
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(r.Attribute), &list)...)
	if resp.Diagnostics.HasError() {
		return
	}
	wanted, known := numbers(list)
	if known && !r.Meta.Run.Declare(runstate.ID(r.TypeName, 0), runstate.Words(list.String())) {
		resp.Diagnostics.AddAttributeError(path.Root(r.Attribute), "Duplicate order of the "+r.Things,
			fmt.Sprintf("Another zulip_%s of this configuration sets another order, so each apply would undo the change of the other. Keep one of them.", r.TypeName))
	}
	all, err := r.Seen(ctx, r.Meta.Store)
	if unread := sets.Without(wanted, append(idsOf(all), 0)); err == nil && len(unread) > 0 { // another process may have made them
		all, err = r.Fresh(ctx, r.Meta.Store, func([]Item) bool { return true })
	}
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the "+r.Things, base.Explain(err))
		return
	}
	prior := types.ListNull(types.Int64Type)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(r.Attribute), &prior)...)
	}
	before, _ := numbers(prior)
	wanted = r.checkNamed(wanted, before, all, &resp.Diagnostics)
	there := activeIDs(all)
	if after := inOrder(there, wanted); known && !resp.Diagnostics.HasError() && !slices.Equal(after, there) {
		r.RequireAdministrator("order "+r.Things, &resp.Diagnostics)
		if req.State.Raw.IsNull() {
			step := change.Step[[]Item, []int64]{Attribute: r.Attribute, Prior: textOf(there), Planned: textOf(after)}
			change.WarnOfManaged("the order of the "+r.Things, []change.Step[[]Item, []int64]{step}, &resp.Diagnostics)
		}
	}
}

// checkNamed returns the IDs that have a place in the order. It warns once about missing IDs in the state: their
// objects were deleted or archived in the meantime, and are left out. It refuses missing new IDs, also in one
// message. An unknown ID is zero.
func (r *Resource) checkNamed(wanted, prior []int64, all []Item, diags *diag.Diagnostics) (present []int64) {
	var gone, wrong []string
	for _, id := range wanted {
		reason := fmt.Sprintf("The organization has no %s with the ID %d.", r.Thing, id)
		if at := slices.IndexFunc(all, func(one Item) bool { return one.ID == id }); at >= 0 {
			reason = all[at].Aside
		}
		switch {
		case id == 0 || reason == "":
			present = append(present, id)
		case slices.Contains(prior, id):
			gone = append(gone, reason)
		default:
			wrong = append(wrong, reason)
		}
	}
	if len(gone) > 0 {
		diags.AddAttributeWarning(path.Root(r.Attribute), "Missing "+r.Things+" are left out of the order",
			strings.Join(gone, "\n")+"\n\nRemove them from "+r.Attribute+".")
	}
	if len(wrong) > 0 {
		diags.AddAttributeError(path.Root(r.Attribute), "No such "+r.Thing+" in the order",
			strings.Join(wrong, "\n")+base.ReferenceAdvice(r.Thing, "zulip_"+strings.ReplaceAll(r.Thing, " ", "_")+".NAME.id"))
	}
	return present
}

// Create sets the order if it differs.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	var list types.List
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(r.Attribute), &list)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.arrange(ctx, types.ListNull(types.Int64Type), list, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.Attribute), list)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), r.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(r.ID)})...)
}

// Read sets the state to the snapshot's order.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(r.ID)})...)
	var list types.List
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(r.Attribute), &list)...)
	all, err := r.Seen(ctx, r.Meta.Store)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the "+r.Things, base.Explain(err))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.Attribute), listOf(shown(list, activeIDs(all))))...)
}

// shown returns the order for a state. It is null if the state names none of the objects, as after an import.
func shown(list types.List, there []int64) []int64 {
	if list.IsNull() {
		return there
	}
	named, _ := numbers(list)
	first := upToLast(there, named)
	if slices.Equal(first, sets.Common(named, there)) {
		return named
	}
	// Missing objects stay in the state, so that the plan distinguishes them from IDs that never existed.
	return append(slices.Clone(first), sets.Without(named, there)...)
}

// Update sets the order if it differs and there is no conflict.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	var list, prior types.List
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(r.Attribute), &list)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(r.Attribute), &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(r.ID)})...)
	now := r.arrange(ctx, prior, list, &resp.Diagnostics)
	switch {
	case !resp.Diagnostics.HasError():
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.Attribute), list)...)
	case now != nil:
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(r.Attribute), listOf(shown(prior, activeIDs(now.Thing))))...)
	}
}

// Delete leaves the order unchanged, because the server always has one.
func (r *Resource) Delete(ctx context.Context, _ resource.DeleteRequest, _ *resource.DeleteResponse) {
	tflog.Info(ctx, "The order is kept, and not managed any more", map[string]any{"of": r.Things})
}

// ImportState accepts the only ID.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := req.ID
	if id == "" { // by identity
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		id = wanted.ID.ValueString()
	}
	if id != r.ID {
		resp.Diagnostics.AddError("Cannot import this order", fmt.Sprintf("The order of the %s has the ID %q, not %q.", r.Things, r.ID, id))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.StringValue(id)})...)
}

type reading = change.Reading[[]Item]

// arrange sets the planned order, and returns the resulting one, or nil if that could not be read. prior is the order
// that the plan was computed from, or null if there is none to compare with.
func (r *Resource) arrange(ctx context.Context, prior, planned types.List, diags *diag.Diagnostics) *reading {
	before, _ := numbers(prior)
	named, _ := numbers(planned)
	var isSent bool     // and accepted
	var refused []int64 // because it did not contain all objects: its list was outdated
	shows := func(all []Item) bool {
		ids := idsOf(all)
		return len(sets.Common(named, ids)) == len(named) && (!isSent || isOrdered(all, named)) && (refused == nil || len(refused) != len(ids))
	}
	step := change.Step[[]Item, []int64]{
		Attribute: r.Attribute, Prior: textOf(before), Planned: textOf(named),
		Current: func(all []Item) string {
			there := activeIDs(all)
			first := upToLast(there, before)
			switch {
			case isOrdered(all, named):
				return textOf(named)
			case prior.IsNull() || slices.Equal(first, sets.Common(before, there)):
				return textOf(before)
			}
			return textOf(first)
		},
		// Deleted objects are left out, and objects that the list does not name keep their order.
		Put: func(ids *[]int64, all []Item, _ bool) { *ids = inOrder(idsOf(all), sets.Common(named, activeIDs(all))) },
	}
	subject := change.Subject[[]Item, []int64]{
		Of: "zulip_" + r.TypeName, NameBefore: "the order of the " + r.Things, Name: func([]Item) string { return "the order of the " + r.Things },
		Part: r.Part, MayStayUnread: true,
		Read: func(ctx context.Context, _ func([]Item) bool) (*reading, error) {
			all, err := r.Fresh(ctx, r.Meta.Store, shows)
			return &reading{Thing: all}, err
		},
		Send: func(ctx context.Context, pending change.Pending[[]Item, []int64]) ([]string, error) {
			ids := pending.Update()
			err := r.Write(ctx, r.Meta.Client, ids)
			if isSent = err == nil; zulip.IsIncompleteOrder(err) {
				refused = ids
			}
			return nil, err
		},
	}
	now := subject.Change(ctx, &r.Base, []change.Step[[]Item, []int64]{step}, nil, diags)
	if now != nil {
		r.checkNamed(named, named, now.Thing, diags) // objects that were left out since the plan
	}
	return now
}

// isOrdered reports whether the named objects that exist come first and in their order.
func isOrdered(all []Item, named []int64) bool {
	there := activeIDs(all)
	return slices.Equal(inOrder(there, sets.Common(named, there)), there)
}

// textOf returns an order for messages.
func textOf(ids []int64) string {
	if len(ids) == 0 {
		return "as it is"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")
}

// idsOf returns the IDs of all objects, in order.
func idsOf(all []Item) []int64 {
	ids := make([]int64, len(all))
	for i, one := range all {
		ids[i] = one.ID
	}
	return ids
}

// activeIDs returns the IDs of the objects with a place in the order.
func activeIDs(all []Item) []int64 {
	return idsOf(slices.DeleteFunc(slices.Clone(all), func(one Item) bool { return one.Aside != "" }))
}

// inOrder returns all objects: first the named ones, then the rest in their order.
func inOrder(there, named []int64) []int64 {
	return append(slices.Clone(named), sets.Without(there, named)...)
}

// upToLast returns the objects up to the last named one. This equals the named ones if those come first and in their
// order.
func upToLast(there, named []int64) []int64 {
	end := 0
	for i, id := range there {
		if slices.Contains(named, id) {
			end = i + 1
		}
	}
	return there[:end]
}

// numbers returns the elements of a list, with zero for unknown ones; known is false if there are any.
func numbers(list types.List) (ids []int64, known bool) {
	known = !list.IsUnknown()
	for _, element := range list.Elements() {
		number, ok := element.(types.Int64)
		known = known && ok && !number.IsUnknown()
		ids = append(ids, number.ValueInt64())
	}
	return ids, known
}

func listOf(ids []int64) types.List {
	elements := make([]attr.Value, len(ids))
	for i, id := range ids {
		elements[i] = types.Int64Value(id)
	}
	return types.ListValueMust(types.Int64Type, elements)
}
