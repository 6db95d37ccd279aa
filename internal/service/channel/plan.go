package channel

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// planning is the plan of one channel while it is checked.
type planning struct {
	*Resource
	on     attribute.Server
	config model
	plan   model
	state  *model // nil for a channel that is to be created
	prior  *prior
	// changes are what the apply would write. The plan may show more: see [framework.PermissionEquivalent].
	changes []step
	diags   *diag.Diagnostics
}

// ModifyPlan resolves names, checks everything that can be known before a request is sent, and says what follows from
// what is planned.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !r.CanPlan(&resp.Diagnostics) {
		return
	}
	r.Held(ctx, kind, "channel", true, req, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		return
	}
	r.CheckLevels(ctx, "zulip_channel", req.Config, &resp.Diagnostics)
	p := planning{Resource: r, diags: &resp.Diagnostics}
	resp.Diagnostics.Append(req.Config.Get(ctx, &p.config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	before := p.plan
	if !req.State.Raw.IsNull() {
		p.state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, p.state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	view, err := r.Meta.Store.Read(ctx, store.Channels)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the organization", framework.Explain(err))
		return
	}
	p.on = attribute.On(&r.Base, view)
	if p.state != nil {
		p.prior = attributes.PriorState(&p.state.facts, framework.RawPermissions(ctx, req.Private, &resp.Diagnostics), p.on)
	} else {
		p.prior = attributes.PriorObject(newChannel, p.on, &resp.Diagnostics)
	}
	attributes.KeepPrior(&p.config.facts, &p.plan.facts, p.prior, p.on)
	p.derive()
	p.changes, _ = attributes.Steps(p.prior, &p.plan.facts, p.on) // what cannot be resolved is reported by check
	p.check()
	if !resp.Diagnostics.HasError() {
		p.reviewAccess(ctx)
	}
	if !reflect.DeepEqual(before, p.plan) {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &p.plan)...)
	}
}

// permissions is the plan of the permissions, for what is checked of it in the same way everywhere.
func (p *planning) permissions() framework.PermissionPlan {
	return attributes.PermissionPlan(&p.config.facts, &p.plan.facts, p.prior, p.on.View)
}

// derive fills in what follows from what is planned.
func (p *planning) derive() {
	if p.state == nil {
		p.plan.IsArchived = types.BoolValue(false)
		if framework.IsSet(p.plan.Name) {
			p.Meta.Run.PlanChannelName(0, p.plan.Name.ValueString())
		}
		return
	}
	if !framework.IsSet(p.plan.Name) {
		p.plan.URL = types.StringUnknown()
	} else {
		p.plan.URL = types.StringValue(zulip.ChannelURL(p.on.Site, p.state.ID.ValueInt64(), p.plan.Name.ValueString()))
		if !p.plan.Name.Equal(p.state.Name) {
			p.Meta.Run.PlanChannelName(p.state.ID.ValueInt64(), p.plan.Name.ValueString())
		}
	}
	// A private channel cannot be a default one: going private takes it off the list.
	if zulip.Privacy(p.plan.Privacy.ValueString()).IsPrivate() && p.config.IsDefault.IsNull() {
		p.plan.IsDefault = types.BoolValue(false)
	}
}

// check refuses what the server would refuse, with the reason and the way out.
func (p *planning) check() {
	p.checkName()
	p.checkFolder()
	p.permissions().Check(p.diags)
	p.checkProtectedHistory()
	p.checkSubscribers()
	p.checkCaller()
	if p.Meta.LockoutProtection {
		p.checkLockout()
	}
}

// checkName refuses a name that another channel has, archived ones included.
func (p *planning) checkName() {
	if !framework.IsSet(p.plan.Name) {
		return
	}
	var own int64
	if p.state != nil {
		own = p.state.ID.ValueInt64()
	}
	if p.state == nil && !p.Meta.Run.Reserve(kind, strings.ToLower(p.plan.Name.ValueString())) {
		p.diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Two resources make a channel called %q", p.plan.Name.ValueString()),
			"Another zulip_channel of this configuration has this name; case does not matter. Take one of the two out, or give it another name.")
		return
	}
	if p.state == nil {
		p.Meta.Run.WillCreate(kind, strings.ToLower(p.plan.Name.ValueString()))
	}
	namesake, found := p.on.View.ChannelTaking(p.plan.Name.ValueString(), own)
	if !found || p.state != nil && p.plan.Name.Equal(p.state.Name) {
		return
	}
	if p.state == nil && namesake.IsArchived && p.config.AdoptArchived.ValueBool() {
		p.Meta.Run.PlanChannelName(namesake.ID, p.plan.Name.ValueString())
		// Named in the detail alone, so that the CLI can make one warning of many.
		p.diags.AddAttributeWarning(path.Root("adopt_archived"), "An archived channel will be unarchived",
			fmt.Sprintf("Channel %q has the ID %d, keeps its messages, and has subscribers: %d. What this configuration does not set stays as it was.", namesake.Name, namesake.ID, namesake.SubscriberCount))
		return
	}
	if namesake.IsArchived {
		if p.state != nil || !p.Meta.Run.IsManaged(kind, namesake.ID) { // else this run archives it, to take it back
			p.RefuseTakenName(kind, namesake.ID, path.Root("name"), taken(namesake), adoptionAdvice(namesake), p.diags)
		}
		return
	}
	existing := p.existing(namesake)
	if p.state != nil {
		existing.Refuse(p.Meta, p.diags)
		return
	}
	existing.AsPlanned = p.isAsPlanned(namesake)
	existing.MayBeReplaced = existing.MayBeReplaced && existing.AsPlanned
	p.CheckExisting(existing, p.diags)
}

// existing is the active channel that has the planned name.
func (r *Resource) existing(channel *zulip.Channel) framework.Existing {
	isOwn := channel.CreatorID != nil && *channel.CreatorID == r.Meta.Store.Self().ID
	return framework.Existing{
		Kind: kind, Noun: "channel", Name: channel.Name, Key: strings.ToLower(channel.Name), ID: channel.ID, Import: fmt.Sprint(channel.ID), At: path.Root("name"),
		Summary: taken(channel), Detail: "Names are compared without regard to case.",
		MayBeReplaced: isOwn, Ours: isOwn && framework.IsRecent(time.Unix(channel.DateCreated, 0)),
	}
}

// isAsPlanned reports whether a channel is what this plan would make.
func (p *planning) isAsPlanned(channel *zulip.Channel) bool {
	changes, problems := attributes.Steps(attributes.PriorObject(channel, p.on, p.diags), &p.plan.facts, p.on)
	return len(problems) == 0 && !slices.ContainsFunc(changes, func(s step) bool {
		return !slices.Contains(permission.DroppedAtCreation, s.Attribute) // these come with a second request
	})
}

// checkFolder refuses a folder that does not exist.
func (p *planning) checkFolder() {
	id := p.plan.FolderID.ValueInt64()
	if id == 0 || !p.HasLevel(featurelevel.Since("zulip_channel", "folder_id")) {
		return
	}
	if _, ok := p.on.View.Folders().ByID(id); !ok {
		p.diags.AddAttributeError(path.Root("folder_id"), "No such channel folder", fmt.Sprintf("The organization has no channel folder with the ID %d. The data source zulip_channel_folders lists all.", id))
	}
}

// checkProtectedHistory refuses a restriction on new topics where newcomers do not see the history: they could not
// know which topics exist (server-behavior §C13).
func (p *planning) checkProtectedHistory() {
	const setting = "can_create_topic_group"
	if zulip.Privacy(p.plan.Privacy.ValueString()) != zulip.PrivacyPrivateProtectedHistory {
		return
	}
	principals, known := framework.PrincipalsOf(p.plan.CanCreateTopicGroup)
	if !known || p.plan.CanCreateTopicGroup.IsNull() {
		return
	}
	everyone := permission.Principal{Kind: permission.KindRole, Name: "everyone"}
	if len(principals) == 1 && principals[0] == everyone {
		return
	}
	p.diags.AddAttributeError(path.Root(setting), "Not possible with protected history",
		"In a channel with privacy = \"private_protected_history\" everyone may start topics. Set can_create_topic_group = [\"role:everyone\"], or privacy = \"private_shared_history\".")
}

// checkSubscribers finds out who is meant.
func (p *planning) checkSubscribers() {
	if p.state != nil || !framework.IsSet(p.plan.InitialSubscribers) {
		return
	}
	for _, element := range p.plan.InitialSubscribers.Elements() {
		text, ok := element.(types.String)
		if !ok || !framework.IsSet(text) {
			continue
		}
		user, later, err := framework.FindUserInPlan(p.on.View, text.ValueString())
		switch {
		case later:
		case err != nil:
			p.diags.AddAttributeError(path.Root("initial_subscribers"), "Not in the organization", framework.Sentence(err))
		case !user.IsActive:
			p.diags.AddAttributeError(path.Root("initial_subscribers"), "Deactivated",
				fmt.Sprintf("%s is deactivated and cannot be subscribed. Take the address out, or reactivate the account.", text.ValueString()))
		}
	}
}
