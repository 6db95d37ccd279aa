package channel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// make brings a channel into being and returns its ID, zero if it does not exist. It is found among the archived when
// that is asked for.
func (r *Resource) make(ctx context.Context, plan *model, diags *diag.Diagnostics) int64 {
	name := plan.Name.ValueString()
	if id, ok := r.Meta.Run.Take(kind, strings.ToLower(name)); ok {
		// A channel that is replaced has just been archived, and keeps its name: it is taken back and set up anew.
		if r.Meta.Run.IsDestroyed(kind, id) {
			return r.unarchive(ctx, id, name, diags)
		}
		return id
	}
	if plan.AdoptArchived.ValueBool() {
		view, err := r.Meta.Store.Fresh(ctx, store.Channels)
		if err != nil {
			diags.AddError("Cannot look for an archived channel", framework.Explain(err))
			return 0
		}
		if namesake, ok := view.Channels().ByName(name); ok && namesake.IsArchived {
			return r.unarchive(ctx, namesake.ID, namesake.Name, diags)
		}
	}
	view, err := r.Meta.Store.Read(ctx, store.Organization)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot create channel %q", name), framework.Explain(err))
		return 0
	}
	request := r.createRequest(plan, view, diags)
	if diags.HasError() {
		return 0
	}
	if !r.HasLevel(featurelevel.CreateChannel) { // channels come into being when somebody is subscribed to them
		return r.createBySubscribing(ctx, request, diags)
	}
	return r.create(ctx, request, diags)
}

// createRequest is the plan in the words of the wire: what differs from a channel of which nothing is said.
func (r *Resource) createRequest(plan *model, view *snapshot.Snapshot, diags *diag.Diagnostics) zulip.ChannelCreate {
	request := zulip.ChannelCreate{
		Name:        plan.Name.ValueString(),
		Subscribers: r.initialSubscribers(plan, view, diags),
		Announce:    plan.Announce.ValueBoolPointer(),
		Permissions: map[string]zulip.GroupSettingValue{},
	}
	on := attribute.On(&r.Base, view)
	changes, problems := attributes.Steps(attributes.PriorObject(newChannel, on, diags), &plan.facts, on)
	framework.ReportProblems(diags, problems)
	var update zulip.ChannelUpdate
	for _, step := range changes {
		if step.Attribute != "name" && step.Attribute != "privacy" { // which a new channel is given in other words
			step.Put(&update, newChannel, false)
		}
	}
	for setting, change := range update.Permissions {
		request.Permissions[setting] = change.New
	}
	update.Permissions = nil
	if update.Description != nil {
		update.Description = plan.Description.ValueStringPointer() // the server stores a new one as it stores a changed one
	}
	request.Settings = update
	if privacy := zulip.Privacy(plan.Privacy.ValueString()); framework.IsSet(plan.Privacy) {
		private, web, history := privacy.IsPrivate(), privacy == zulip.PrivacyWebPublic, privacy != zulip.PrivacyPrivateProtectedHistory
		request.InviteOnly, request.IsWebPublic, request.HistoryPublicToSubscribers = &private, &web, &history
	}
	return request
}

// initialSubscribers are who is in the channel from the start. A private channel without any would shut out the account
// that manages it, for good (server-behavior §C17): by default it is in.
func (r *Resource) initialSubscribers(plan *model, view *snapshot.Snapshot, diags *diag.Diagnostics) []int64 {
	if !framework.IsSet(plan.InitialSubscribers) {
		if zulip.Privacy(plan.Privacy.ValueString()).IsPrivate() {
			return []int64{r.Meta.Store.Self().ID}
		}
		return nil
	}
	var ids []int64
	for _, element := range plan.InitialSubscribers.Elements() {
		text, _ := element.(types.String)
		user, err := framework.FindUser(view, text.ValueString())
		if err != nil {
			diags.AddAttributeError(path.Root("initial_subscribers"), "Not in the organization", err.Error())
			continue
		}
		ids = append(ids, user.ID)
	}
	slices.Sort(ids)
	return ids
}

// create asks the server for the channel. When the answer is lost it looks whether the channel came into being before
// it asks again.
func (r *Resource) create(ctx context.Context, request zulip.ChannelCreate, diags *diag.Diagnostics) int64 {
	read := func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Read(ctx, store.Channels) } // what is there before is in the snapshot
	id, err := framework.Creation{
		Kind: kind, Thing: strings.ToLower(request.Name), Differ: true,
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			view, err := read(ctx)
			read = func(ctx context.Context) (*snapshot.Snapshot, error) { return r.Meta.Store.Fresh(ctx, store.Channels) }
			if err != nil {
				return 0, err
			}
			if channel := r.createdByThisRun(view, request.Name); channel != nil && free(channel.ID) {
				return channel.ID, nil
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (int64, error) {
			var id int64
			var answer *zulip.Answer
			err := r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
				id, answer, err = r.Meta.Client.CreateChannel(ctx, request)
				return err
			})
			if err == nil {
				r.warnIgnored(request.Name, answer.IgnoredParameters, diags)
			}
			return id, err
		},
	}.Run(ctx, r.Meta)
	if err != nil {
		r.explainCreate(ctx, request, err, diags)
		return 0
	}
	return id
}

// createdByThisRun returns the active channel of a name if this account made it; nil if there is none.
func (r *Resource) createdByThisRun(view *snapshot.Snapshot, name string) *zulip.Channel {
	channel, ok := view.Channels().ByName(name)
	if !ok || channel.IsArchived || channel.CreatorID == nil || *channel.CreatorID != r.Meta.Store.Self().ID {
		return nil
	}
	return channel
}

// outcomeOf says what the look for a channel has found whose creation failed.
func outcomeOf(lookErr error) string {
	if lookErr == nil {
		return "The channel was looked for afterwards and is not there, so that applying again is safe."
	}
	return "Whether the channel is there nevertheless could not be found out: " + framework.Explain(lookErr) +
		" If it is, the next plan says so, and how to import it."
}

// createBySubscribing makes a channel on a server below feature level 417.
func (r *Resource) createBySubscribing(ctx context.Context, request zulip.ChannelCreate, diags *diag.Diagnostics) int64 {
	summary := fmt.Sprintf("Cannot create channel %q", request.Name)
	view, err := r.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		diags.AddError(summary, framework.Explain(err))
		return 0
	}
	// This endpoint would silently subscribe people to it instead.
	if namesake, ok := view.Channels().ByName(request.Name); ok {
		r.refuse(namesake, diags)
		return 0
	}
	self := r.Meta.Store.Self().ID
	nobody := len(request.Subscribers) == 0 // which means the caller, on the wire
	var answer *zulip.Answer
	err = r.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
		answer, err = r.Meta.Client.CreateChannelBySubscribing(ctx, request)
		return err
	})
	if err != nil && !zulip.MayHaveHappened(err) {
		r.explainCreate(ctx, request, err, diags)
		return 0
	}
	now, lookErr := r.Meta.Store.Fresh(ctx, store.Channels)
	var made *zulip.Channel
	if lookErr == nil {
		made = r.createdByThisRun(now, request.Name) // it was not there before
	}
	if made == nil {
		cause := "The server says that it did."
		if err != nil {
			cause = framework.Explain(err)
		}
		diags.AddError(summary, cause+"\n\n"+outcomeOf(lookErr))
		return 0
	}
	if answer != nil {
		r.warnIgnored(request.Name, answer.IgnoredParameters, diags)
	}
	if nobody {
		if err := r.Meta.Client.Unsubscribe(ctx, request.Name, []int64{self}); err != nil {
			diags.AddWarning(fmt.Sprintf("The account the provider uses is still in channel %q", request.Name), framework.Explain(err))
		}
	}
	return made.ID
}

// unarchive takes an archived channel back.
func (r *Resource) unarchive(ctx context.Context, id int64, name string, diags *diag.Diagnostics) int64 {
	active := false
	err := r.Meta.Store.Write(ctx, func(ctx context.Context) error {
		_, err := r.Meta.Client.UpdateChannel(ctx, id, zulip.ChannelUpdate{IsArchived: &active})
		return err
	})
	// Somebody may have been faster, or an answer may have been lost: what counts is that it is back.
	if err == nil || zulip.IsMessage(err, "Channel is not currently deactivated") {
		return id
	}
	if zulip.MayHaveHappened(err) {
		if _, readErr := r.fresh(ctx, id); readErr == nil {
			return id
		}
	}
	detail := framework.Explain(err)
	if zulip.IsMessage(err, "Channel is private and have no subscribers") {
		detail += "\n\nSomebody has to be in a private channel before it can be unarchived. Make it public in the web app, or give the new channel another name."
	}
	diags.AddError(fmt.Sprintf("Cannot unarchive channel %q", name), detail)
	return 0
}

// explainCreate reports why a channel was not created; a taken name with what holds it and how to get it.
func (r *Resource) explainCreate(ctx context.Context, request zulip.ChannelCreate, cause error, diags *diag.Diagnostics) {
	if zulip.IsCode(cause, "CHANNEL_ALREADY_EXISTS") {
		if view, err := r.Meta.Store.Fresh(ctx, store.Channels); err == nil {
			if namesake, ok := view.Channels().ByName(request.Name); ok {
				r.refuse(namesake, diags)
				return
			}
		}
		diags.AddAttributeError(path.Root("name"), fmt.Sprintf("The name %q is taken", request.Name),
			framework.Explain(cause)+"\n\nThe account the provider uses does not see the channel that has it: probably a private one.")
		return
	}
	diags.AddError(fmt.Sprintf("Cannot create channel %q", request.Name), framework.Explain(cause))
}

// warnIgnored says which settings the server did not know; they are compared afterwards, and then are an error if they
// matter.
func (r *Resource) warnIgnored(name string, ignored []string, diags *diag.Diagnostics) {
	for _, parameter := range ignored {
		if slices.ContainsFunc(permission.ChannelSettings, func(s permission.Setting) bool { return s.Name == parameter }) {
			continue // the comparison that follows names it
		}
		diags.AddWarning(fmt.Sprintf("The server ignored %s of channel %q", parameter, name),
			fmt.Sprintf("It is too old for it (feature level %d).", r.FeatureLevel()))
	}
}

// taken says what holds a name.
func taken(namesake *zulip.Channel) string {
	if namesake.IsArchived {
		return fmt.Sprintf("An archived channel is called %q", namesake.Name)
	}
	return fmt.Sprintf("A channel called %q exists already", namesake.Name)
}

// adoptionAdvice says how to get the name of an archived channel.
func adoptionAdvice(namesake *zulip.Channel) string {
	return fmt.Sprintf("Channels keep their names when they are archived, so that it is not free (ID %d). "+
		"Set adopt_archived = true to unarchive that channel with its messages and subscribers, or choose another name, or rename the archived one.", namesake.ID)
}

// refuse reports that a name is taken, by what, and how to get it.
func (r *Resource) refuse(namesake *zulip.Channel, diags *diag.Diagnostics) {
	if namesake.IsArchived {
		diags.AddAttributeError(path.Root("name"), taken(namesake), adoptionAdvice(namesake))
		return
	}
	existing := r.existing(namesake)
	existing.AsPlanned = existing.Ours // the refusal says what else is asked
	existing.Refuse(r.Meta, diags)
}
