// Package codeplayground is the noun of code playgrounds: places elsewhere that run the code blocks of messages.
package codeplayground

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
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

// ModifyPlan refuses what the account may not do, or the server cannot.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	r.RequireAdministrator("manage code playgrounds", &resp.Diagnostics)
	if !req.Plan.Raw.IsNull() {
		r.CheckLevels(ctx, "zulip_code_playground", req.Config, &resp.Diagnostics)
	}
}

// Create adds the playground. One that is the same in everything, as an earlier attempt may have left it, is taken over.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	wanted := plan.wire()
	done, ok := r.Alone(ctx, kind+" "+wanted.Key(), fmt.Sprintf("Could not add code playground %q", wanted.Key()), &resp.Diagnostics)
	if !ok {
		return
	}
	defer done()
	var id int64
	err := r.Meta.Directory.WriteList(ctx, list, func(ctx context.Context) (err error) {
		id, err = r.Meta.Client.AddPlayground(ctx, wanted)
		return err
	})
	if err != nil {
		if id = r.takeOver(ctx, &wanted, err, &resp.Diagnostics); id == 0 {
			return
		}
	}
	r.Meta.Directory.Claim(kind, id)
	plan.ID = types.Int64Value(id)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ID})...)
}

// takeOver returns the ID of the playground that is there instead of a new one, because an answer was lost or it was
// there before; zero, and an error, if there is none or it is another resource's.
func (r *Resource) takeOver(ctx context.Context, wanted *zulip.Playground, cause error, diags *diag.Diagnostics) int64 {
	summary, detail := fmt.Sprintf("Could not add code playground %q", wanted.Key()), framework.Explain(cause)
	if !zulip.MayHaveHappened(cause) && !zulip.IsPlaygroundTaken(cause) {
		diags.AddError(summary, detail)
		return 0
	}
	view, err := r.Meta.Directory.FreshListShowing(ctx, list, func(view *directory.View) bool {
		return slices.ContainsFunc(view.Playgrounds(), func(p *zulip.Playground) bool {
			return p.Same(wanted) && !r.Meta.Directory.IsClaimed(kind, p.ID)
		})
	})
	if err != nil {
		diags.AddError(summary, detail+"\n\nIt could not be looked whether it is there: "+framework.Explain(err))
		return 0
	}
	// One that this run has deleted may still be listed.
	i := slices.IndexFunc(view.Playgrounds(), func(p *zulip.Playground) bool {
		return p.Key() == wanted.Key() && !r.Meta.Directory.IsClaimed(kind, p.ID)
	})
	if i < 0 {
		i = slices.IndexFunc(view.Playgrounds(), func(p *zulip.Playground) bool { return p.Key() == wanted.Key() })
	}
	if i < 0 {
		diags.AddError(summary, detail+"\n\nIt is not there, so that applying again is safe.")
		return 0
	}
	switch found := view.Playgrounds()[i]; {
	case found.Same(wanted) && !r.Meta.Directory.IsClaimed(kind, found.ID):
		if !zulip.MayHaveHappened(cause) {
			diags.AddWarning("The code playground was there already",
				fmt.Sprintf("Playground %d is the same as the configured one, perhaps from an apply that was broken off: it is taken over.", found.ID))
			r.Meta.Directory.TakeOver(kind, found.ID)
		}
		return found.ID
	default:
		diags.AddError(summary, detail+fmt.Sprintf("\n\nPlayground %d has this language and name, and the address %q. Take it over with \"terraform import\" and its ID, or choose another name.", found.ID, found.URLTemplate))
		return 0
	}
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
	view, err := r.Meta.Directory.ListShowing(ctx, list, func(view *directory.View) bool { return slices.ContainsFunc(view.Playgrounds(), is) })
	if err != nil {
		resp.Diagnostics.AddError("Could not read the code playgrounds", framework.Explain(err))
		return
	}
	i := slices.IndexFunc(view.Playgrounds(), is)
	if i < 0 {
		tflog.Info(ctx, "The code playground is not there any more: removing it from the state", map[string]any{"id": state.ID.ValueInt64()})
		resp.State.RemoveResource(ctx)
		return
	}
	r.Meta.Directory.Claim(kind, state.ID.ValueInt64())
	state.read(view.Playgrounds()[i])
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
	if r.Meta.Directory.IsTakenOver(kind, wire.ID) {
		tflog.Info(ctx, "The code playground stays: another resource has taken it over", map[string]any{"id": wire.ID})
		return
	}
	// The organization's default language of code blocks may be unset with it.
	defer r.Meta.Directory.Forget(zulip.FetchRealm)
	r.Meta.Directory.Claim(kind, wire.ID) // no other resource takes it, though a list still shows it
	err := r.Meta.Directory.WriteList(ctx, list, func(ctx context.Context) error { return r.Meta.Client.DeletePlayground(ctx, wire.ID) })
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
	view, err := r.Meta.Directory.Playgrounds(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the code playgrounds", framework.Explain(err))
		return
	}
	found, err := find(view.Playgrounds(), word)
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
