package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
)

var (
	_ resource.ResourceWithConfigure   = (*Subscribers)(nil)
	_ resource.ResourceWithModifyPlan  = (*Subscribers)(nil)
	_ resource.ResourceWithImportState = (*Subscribers)(nil)
	_ resource.ResourceWithIdentity    = (*Subscribers)(nil)
)

// Subscribers is zulip_channel_subscribers: exactly these people are in a channel.
type Subscribers struct{ relation }

// NewSubscribers returns zulip_channel_subscribers.
func NewSubscribers() resource.Resource { return &Subscribers{} }

// exclusive is the model of zulip_channel_subscribers.
type exclusive struct{ shared }

// identity is what the resource of either kind is recognised by: the channel. Who is in it changes.
type identity struct {
	ChannelID types.Int64 `tfsdk:"channel_id"`
}

// Metadata names the resource.
func (r *Subscribers) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_channel_subscribers"
}

// Schema describes the resource.
func (r *Subscribers) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = exclusiveSchema()
}

// IdentitySchema describes what the subscribers of a channel are recognised by.
func (r *Subscribers) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"channel_id": identityschema.Int64Attribute{RequiredForImport: true, Description: "ID of the channel."},
	}}
}

// ModifyPlan finds out who comes and who goes, and refuses what cannot be done.
func (r *Subscribers) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !r.CanPlan(&resp.Diagnostics) {
		return
	}
	var plan, state exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.CheckLevels(ctx, "zulip_channel_subscribers", req.Config, &resp.Diagnostics)
	p := r.locate(ctx, &plan.shared, &state.shared, resp)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	if p == nil || !p.wanted.known || resp.Diagnostics.HasError() {
		return
	}
	r.claim(p, &resp.Diagnostics)
	saw, listed := p.before, p.before
	if !p.held {
		in, ok := r.subscribers(ctx, p.channel, &resp.Diagnostics)
		if !ok {
			return
		}
		saw, listed = in, r.leavesNew()
	}
	p.wanted.reportAbsent(ctx, r.Meta, saw.minus(p.wanted.active), p.view, &resp.Diagnostics)
	p.wanted.warnOfDeactivated(p.view, &resp.Diagnostics)
	planned := change{meta: r.Meta, view: p.view, channel: p.channel, in: saw, add: p.wanted.active.minus(saw), remove: saw.minus(p.wanted.active), listed: listed}
	planned.check(&resp.Diagnostics)
}

// leavesNew are those who leave a channel by a new resource: the account itself, which is in a private channel that it has
// made. A plan without a prior state lists nobody.
func (r *Subscribers) leavesNew() ids { return ids{r.Meta.Store.Self().ID: true} }

// claim refuses a second resource that says who is in the channel.
func (r *Subscribers) claim(p *planning, diags *diag.Diagnostics) {
	run, channel := &r.Meta.Run, p.channel
	r.register(channel, p.view, p.wanted.active, nil, diags)
	run.Manage(exclusiveKind, channel.ID)
	if run.IsManaged(additiveKind, channel.ID) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two kinds of subscribers of channel %q", channel.Name), bothKinds)
	}
	if !run.Declare(exclusiveKind, channel.ID, fmt.Sprint(p.wanted.active.sorted())) {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Two lists of the subscribers of channel %q", channel.Name),
			"Another zulip_channel_subscribers of this configuration names other people for the same channel, and each apply would undo one of them. Keep one.")
	}
}

// Create brings the channel to exactly these people.
func (r *Subscribers) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
	if channel == nil {
		return
	}
	a := &application{relation: &r.relation, id: channel.ID, notify: plan.Tell.ValueBool()}
	a.decide = func(_ context.Context, now *channelReading, _ *diag.Diagnostics) *change {
		return r.difference(now, wanted, r.leavesNew())
	}
	if done := a.run(ctx, &resp.Diagnostics); !done {
		if a.now == nil || maps.Equal(a.before, a.now.in) {
			return // nothing was done: there is nothing to manage
		}
		plan.take(a.now)
	}
	plan.ChannelID = types.Int64Value(channel.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{plan.ChannelID})...)
}

// difference is what makes those who are wanted, and are active, the subscribers of a channel.
func (r *Subscribers) difference(now *channelReading, wanted people, listed ids) *change {
	active := wanted.active.filter(func(id int64) bool { return isActive(now.view, id) })
	remove := now.in.minus(wanted.active)
	if wanted.mayHaveMoved {
		remove = nil // it may be who has another address by now
	}
	return &change{
		meta: r.Meta, view: now.view, channel: now.channel, in: now.in, add: active.minus(now.in), remove: remove, listed: listed,
	}
}

// Read compares who is in the channel with whom the state names.
func (r *Subscribers) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state exclusive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{state.ChannelID})...)
	id := state.ChannelID.ValueInt64()
	now, gone := r.lookUp(ctx, id, &resp.Diagnostics)
	if now == nil && !gone {
		return
	}
	if gone {
		tflog.Info(ctx, "The channel is archived or gone: removing its subscribers from the state", map[string]any{"channel": id})
		resp.State.RemoveResource(ctx)
		return
	}
	state.Channel = types.StringValue(lookup.KeepChannel(state.Channel.ValueString(), id, now.view))
	state.take(now)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// take makes the users those who are in the channel, in the texts that the model has for them.
func (m *exclusive) take(now *channelReading) {
	m.Users = lookup.UserList.Keep(m.Users, now.in.sorted(), now.view)
}

// Update sends the difference between what the plan saw and what it asks, unless somebody has changed it meanwhile.
func (r *Subscribers) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior exclusive
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(&resp.Diagnostics) {
		return
	}
	if !plan.Users.Equal(prior.Users) {
		channel, wanted := r.locateInApply(ctx, &plan.shared, &resp.Diagnostics)
		if channel == nil {
			return
		}
		a := &application{relation: &r.relation, id: channel.ID, notify: plan.Tell.ValueBool()}
		a.decide = func(ctx context.Context, now *channelReading, diags *diag.Diagnostics) *change {
			saw := peopleOfState(prior.Users, now.view).active // who is not there any more has not left
			if r.changedMeanwhile(ctx, now, saw, wanted.active, diags) {
				return nil
			}
			return r.difference(now, wanted, saw)
		}
		if done := a.run(ctx, &resp.Diagnostics); !done {
			if plan = prior; a.now != nil {
				plan.take(a.now)
			}
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{prior.ChannelID})...)
}

// changedMeanwhile reports, and says who, if anybody has come or gone since the plan was made who neither was to come nor
// to go.
func (r *Subscribers) changedMeanwhile(ctx context.Context, now *channelReading, saw, wanted ids, diags *diag.Diagnostics) bool {
	unforeseen := func(id int64) bool { return saw[id] == wanted[id] }
	came := now.in.filter(unforeseen).minus(saw)
	left := saw.filter(unforeseen).minus(now.in)
	if len(left) > 0 { // whom the server has deactivated meanwhile it does not list any more
		view, err := r.Meta.Store.Fresh(ctx, store.Users)
		if err != nil {
			diags.AddError("Cannot read the users", base.Explain(err))
			return true
		}
		left = slices.DeleteFunc(left, func(id int64) bool { return !isActive(view, id) })
	}
	if len(came)+len(left) == 0 {
		return false
	}
	var text string
	if len(came) > 0 {
		text += fmt.Sprintf("Came since: %s.\n", lookup.UserList.Describe(came, now.view))
	}
	if len(left) > 0 {
		text += fmt.Sprintf("Left since: %s.\n", lookup.UserList.Describe(left, now.view))
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("The subscribers of channel %q were changed by somebody else after they were planned", now.channel.Name),
		text+"\nNobody was added or taken out. Plan again, and review what the difference is now.")
	return true
}

// Delete leaves everybody where they are.
func (r *Subscribers) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state exclusive
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	tflog.Info(ctx, "The subscribers of the channel stay, and are not managed any more", map[string]any{"channel": state.ChannelID.ValueInt64()})
}

// ImportState takes the channel's ID, or its name.
func (r *Subscribers) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.Ready(&resp.Diagnostics) {
		return
	}
	if req.ID == "" {
		var wanted identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &wanted)...)
		req.ID = fmt.Sprint(wanted.ChannelID.ValueInt64())
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the channels", base.Explain(err))
		return
	}
	channel := findChannel(view, types.StringValue(req.ID), &resp.Diagnostics)
	if channel == nil {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("channel"), req.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("channel_id"), channel.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity{types.Int64Value(channel.ID)})...)
}
