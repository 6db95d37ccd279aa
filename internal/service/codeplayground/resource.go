// Package codeplayground is the noun of code playgrounds: places elsewhere that run the code blocks of messages.
package codeplayground

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var (
	_ resource.ResourceWithConfigure   = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan  = (*Resource)(nil)
	_ resource.ResourceWithImportState = (*Resource)(nil)
	_ resource.ResourceWithIdentity    = (*Resource)(nil)
)

// list is the part of a snapshot that holds the code playgrounds.
const list = zulip.FetchPlaygrounds

// Resource is zulip_code_playground.
type Resource struct{ framework.Resource }

// NewResource returns zulip_code_playground.
func NewResource() resource.Resource { return &Resource{} }

// identity is what a playground is recognised by.
type identity struct {
	ID types.Int64 `tfsdk:"id"`
}

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_code_playground"
}

// Schema describes the resource.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema()
}

// IdentitySchema describes what a playground is recognised by.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.Int64Attribute{RequiredForImport: true, Description: "The playground's ID."},
	}}
}

// ModifyPlan refuses what the account may not do, and a language and name that are taken.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	r.RequireAdministrator("manage code playgrounds", &resp.Diagnostics)
	var plan, state model
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		resp.Diagnostics.Append(framework.KeepReplaced(ctx, resp.Private, state.ID.ValueInt64())...)
	}
	if req.Plan.Raw.IsNull() {
		wire := state.wire()
		r.PlanEnd(existing(&wire, &wire), &resp.Diagnostics)
		return
	}
	r.CheckLevels(ctx, "zulip_code_playground", req.Config, &resp.Diagnostics)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !req.State.Raw.IsNull() || !framework.IsSet(plan.Name) || !framework.IsSet(plan.Language) {
		return
	}
	r.checkTaken(ctx, &plan, framework.Replaced(ctx, req.Private, &resp.Diagnostics), &resp.Diagnostics)
}

// checkTaken refuses a language and name that a playground has, of this configuration or of the organization. own is the
// ID of the playground that this one replaces.
func (r *Resource) checkTaken(ctx context.Context, plan *model, own []int64, diags *diag.Diagnostics) {
	wanted := plan.wire()
	if !r.Meta.Run.Reserve(kind, wanted.Key()) {
		diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Two resources make the code playground %q", wanted.Key()),
			"Another zulip_code_playground of this configuration has this language and name. Take one of the two out, or give it another name.")
		return
	}
	if len(own) == 0 {
		r.Meta.Run.WillCreate(kind, wanted.Key())
	}
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool {
		found := withKey(view, wanted.Key())
		return found == nil || slices.Contains(own, found.ID) || r.Meta.Run.IsManaged(kind, found.ID)
	})
	if err != nil {
		diags.AddError("Could not read the code playgrounds", framework.Explain(err))
		return
	}
	if found := withKey(view, wanted.Key()); found != nil && !slices.Contains(own, found.ID) {
		r.CheckExisting(existing(&wanted, found), diags)
	}
}

// withKey returns the playground of a language and name; nil if there is none.
func withKey(view *snapshot.Snapshot, key string) *zulip.Playground {
	if i := slices.IndexFunc(view.Playgrounds().List(), func(p *zulip.Playground) bool { return p.Key() == key }); i >= 0 {
		return view.Playgrounds().List()[i]
	}
	return nil
}

// existing is the playground that has the planned language and name. One with another address may be the one that this
// replaces.
func existing(wanted, found *zulip.Playground) framework.Existing {
	return framework.Existing{
		Kind: kind, Noun: "code playground", Name: found.Key(), ID: found.ID, Import: fmt.Sprint(found.ID), At: path.Root("name"),
		Summary:   fmt.Sprintf("There is a code playground %q already", found.Key()),
		Detail:    fmt.Sprintf("Playground %d has this language and name, and the address %q.", found.ID, found.URLTemplate),
		AsPlanned: found.Same(wanted), Ours: true, // the server does not tell who added it, or when
		MayBeReplaced: true,
	}
}

// Create adds the playground.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := plan.wire()
	id := r.add(ctx, &wanted, &resp.Diagnostics)
	if id == 0 {
		return
	}
	plan.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// add adds the playground and returns its ID, or that of what an apply has left that was broken off; zero after an error.
func (r *Resource) add(ctx context.Context, wanted *zulip.Playground, diags *diag.Diagnostics) int64 {
	d := r.Meta.Store
	if id, ok := r.Meta.Run.Take(kind, wanted.Key()); ok {
		return id
	}
	id, err := framework.Creation{
		Kind: kind, Thing: wanted.Key(),
		Look: framework.InList(d, list, func(view *snapshot.Snapshot, free func(int64) bool) int64 {
			if found := withKey(view, wanted.Key()); found != nil && found.Same(wanted) && free(found.ID) {
				return found.ID
			}
			return 0
		}),
		Make: func(ctx context.Context) (id int64, err error) {
			err = d.WriteList(ctx, list, func(ctx context.Context) (err error) {
				id, err = r.Meta.Client.AddPlayground(ctx, *wanted)
				return err
			})
			return id, err
		},
	}.Run(ctx, r.Meta)
	if err == nil {
		return id
	}
	if zulip.IsPlaygroundTaken(err) {
		view, lookErr := d.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool { return withKey(view, wanted.Key()) != nil })
		if lookErr == nil && withKey(view, wanted.Key()) != nil {
			existing(wanted, withKey(view, wanted.Key())).Refuse(r.Meta, diags)
			return 0
		}
	}
	diags.AddError(fmt.Sprintf("Could not add code playground %q", wanted.Key()), framework.Explain(err))
	return 0
}

// Read takes the playground from the snapshot.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
	is := func(p *zulip.Playground) bool { return p.ID == state.ID.ValueInt64() }
	view, err := r.Meta.Store.ReadUntil(ctx, list, func(view *snapshot.Snapshot) bool { return slices.ContainsFunc(view.Playgrounds().List(), is) })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the code playgrounds", framework.Explain(err))
		return
	}
	i := slices.IndexFunc(view.Playgrounds().List(), is)
	if i < 0 {
		tflog.Info(ctx, "The code playground is not there any more: removing it from the state", map[string]any{"id": state.ID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Run.Manage(kind, state.ID.ValueInt64())
	state.read(view.Playgrounds().List()[i])
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update has nothing to do: every change is another playground.
func (r *Resource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

// Delete removes the playground.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wire := state.wire()
	// Another resource of this run may be about to make the same one, or have taken this one over.
	summary := fmt.Sprintf("Could not remove code playground %q", wire.Key())
	done, ok := r.Alone(ctx, kind+" "+wire.Key(), summary, &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	if r.Meta.Run.IsAdopted(kind, wire.ID) {
		tflog.Info(ctx, "The code playground stays: another resource has taken it over", map[string]any{"id": wire.ID})
		return
	}
	// The organization's default language of code blocks may be unset with it.
	defer r.Meta.Store.Invalidate(store.Organization)
	r.Meta.Run.Manage(kind, wire.ID) // no other resource takes it, though a list still shows it
	err := r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.DeletePlayground(ctx, wire.ID) })
	if err != nil {
		resp.Diagnostics.AddError(summary, framework.Explain(err))
	}
}

// ImportState takes the playground's ID, its name, or LANGUAGE/NAME.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	word := framework.ImportedWord(ctx, req, "id", &resp.Diagnostics)
	view, err := r.Meta.Store.Read(ctx, store.Playgrounds)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the code playgrounds", framework.Explain(err))
		return
	}
	found, err := find(view.Playgrounds().List(), word)
	if err != nil {
		resp.Diagnostics.AddError("No such code playground", framework.Sentence(err))
		return
	}
	var state model
	state.read(found)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ID})...)
}

// find returns the one playground that a text means. The error is for people.
func find(all []*zulip.Playground, text string) (*zulip.Playground, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	isID := err == nil
	var named []*zulip.Playground
	for _, playground := range all {
		switch {
		case isID && playground.ID == id, playground.Key() == text:
			return playground, nil
		case playground.Name == text:
			named = append(named, playground)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	if len(named) > 1 {
		keys := []string{}
		for _, playground := range named {
			keys = append(keys, strconv.Quote(playground.Key()))
		}
		return nil, fmt.Errorf("%d playgrounds are called %q: write LANGUAGE/NAME, one of %s", len(named), text, strings.Join(keys, ", "))
	}
	names := framework.Names{Things: "code playgrounds", Where: "the organization's settings list all, under Code playgrounds"}
	for _, playground := range all {
		if isID || strings.Contains(text, "/") {
			names.All = append(names.All, playground.Key())
		} else {
			names.All = append(names.All, playground.Name)
		}
	}
	return nil, fmt.Errorf("%q is neither the ID nor the name nor the LANGUAGE/NAME of a code playground%s", text, names.Suggest(text))
}
