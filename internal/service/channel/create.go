package channel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// errTaken says that a channel has the name of one that is to be created.
var errTaken = errors.New("a channel with the name exists")

// isOwn reports whether the provider's account created a channel.
func isOwn(_ *model, channel *zulip.Channel, c *core.Context) bool {
	return channel.CreatorID == nil || *channel.CreatorID == c.Meta.Store.Self().ID
}

// adopt returns the archived channel of the name, if the plan asks for it.
func adopt(ctx context.Context, c *core.Context, plan *model) (id int64, ok bool, err error) {
	if !plan.AdoptArchived.ValueBool() {
		return 0, false, nil
	}
	s, err := c.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return 0, false, err
	}
	channel, ok := s.Channels().ByName(plan.Name.ValueString())
	if !ok || !channel.IsArchived {
		return 0, false, nil
	}
	return channel.ID, true, nil
}

// create creates a channel and returns its ID.
func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	var diags diag.Diagnostics
	request := createRequest(c, plan, &diags)
	if diags.HasError() {
		return 0, core.AsError(diags)
	}
	if !c.HasLevel(featurelevel.CreateChannel) {
		return createBySubscribing(ctx, c, plan, request)
	}
	id, answer, err := c.Meta.Client.CreateChannel(ctx, request)
	if err == nil {
		c.WarnIgnored(fmt.Sprintf("channel %q", request.Name), answer, attributes.Wire.Table)
	}
	return id, err
}

// createRequest is what differs from a channel of which nothing is set.
func createRequest(c *core.Context, plan *model, diags *diag.Diagnostics) zulip.ChannelCreate {
	request := zulip.ChannelCreate{
		Name:        plan.Name.ValueString(),
		Subscribers: initialSubscribers(c, plan, diags),
		Announce:    plan.Announce.ValueBoolPointer(),
		Permissions: map[string]zulip.GroupSettingValue{},
	}
	on := attribute.On(c.Base, c.Snapshot)
	steps, problems := attributes.Steps(attributes.PriorObject(newChannel, on, diags), &plan.facts, on)
	attribute.ReportProblems(diags, problems)
	var update zulip.ChannelUpdate
	for _, step := range steps {
		if step.Attribute != "name" && step.Attribute != "privacy" { // which a creation has parameters of its own for
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
	if privacy := zulip.Privacy(plan.Privacy.ValueString()); base.IsSet(plan.Privacy) {
		private, web, history := privacy.IsPrivate(), privacy == zulip.PrivacyWebPublic, privacy != zulip.PrivacyPrivateProtectedHistory
		request.InviteOnly, request.IsWebPublic, request.HistoryPublicToSubscribers = &private, &web, &history
	}
	return request
}

// initialSubscribers are who is in the channel from the start. A private channel without any would lock out the account
// that manages it, for good (server-behavior §C17): by default it is subscribed.
func initialSubscribers(c *core.Context, plan *model, diags *diag.Diagnostics) []int64 {
	if !base.IsSet(plan.InitialSubscribers) {
		if zulip.Privacy(plan.Privacy.ValueString()).IsPrivate() {
			return []int64{c.Meta.Store.Self().ID}
		}
		return nil
	}
	var ids []int64
	for _, element := range plan.InitialSubscribers.Elements() {
		text, _ := element.(types.String)
		user, err := lookup.User(c.Snapshot, text.ValueString())
		if err != nil {
			lookup.AddError(diags, path.Root("initial_subscribers"), err, "")
			continue
		}
		ids = append(ids, user.ID)
	}
	slices.Sort(ids)
	return ids
}

// createBySubscribing creates a channel on a server below feature level 417, which creates those that it is to subscribe
// somebody to.
func createBySubscribing(ctx context.Context, c *core.Context, plan *model, request zulip.ChannelCreate) (int64, error) {
	answer, err := subscribeNew(ctx, c, request)
	if err != nil && !zulip.MayHaveHappened(err) {
		return 0, err
	}
	created, lookErr := findCreated(ctx, c, plan, err != nil)
	if created == nil {
		cause := "The server accepted the request."
		if err != nil {
			cause = base.Explain(err)
		}
		var diags diag.Diagnostics
		diags.AddError(fmt.Sprintf("Cannot create channel %q", request.Name), cause+"\n\n"+outcomeOf(lookErr))
		return 0, core.AsError(diags)
	}
	if answer != nil {
		c.WarnIgnored(fmt.Sprintf("channel %q", request.Name), answer, attributes.Wire.Table)
	}
	if len(request.Subscribers) == 0 { // which means the caller, on the wire
		err := unsubscribeSelf(ctx, c, created)
		if err != nil {
			c.Diags.AddWarning(fmt.Sprintf("The provider's account is still subscribed to channel %q", request.Name), base.Explain(err))
		}
	}
	return created.ID, nil
}

// subscribeNew sends the request that creates a channel by subscribing people to it. To a channel that has the name it would
// silently subscribe them instead, so it is looked for before the request, and again before it is repeated.
func subscribeNew(ctx context.Context, c *core.Context, request zulip.ChannelCreate) (*zulip.Answer, error) {
	for retries := c.Meta.Client.NewRetries(); ; {
		before, err := c.Meta.Store.Fresh(ctx, store.Channels)
		if err != nil {
			return nil, &core.NotCreatedError{Cause: err}
		}
		if _, isTaken := before.Channels().ByName(request.Name); isTaken {
			return nil, errTaken
		}
		answer, err := c.Meta.Client.CreateChannelBySubscribing(zulip.SendOnce(ctx), request)
		if err == nil || zulip.MayHaveHappened(err) {
			return answer, err
		}
		if err := retries.Wait(ctx, err); err != nil {
			return nil, err
		}
	}
}

// unsubscribeSelf unsubscribes the provider's account from a channel that was just created. The request goes by the name, which
// is read again before it is repeated.
func unsubscribeSelf(ctx context.Context, c *core.Context, created *zulip.Channel) error {
	isFirst := true
	return c.Meta.Client.Retry(ctx, func(ctx context.Context) error {
		now := created
		if !isFirst {
			var err error
			if now, err = c.Meta.Client.Channel(ctx, created.ID); err != nil {
				return err
			}
		}
		isFirst = false
		_, err := c.Meta.Client.Unsubscribe(ctx, now.Name, []int64{c.Meta.Store.Self().ID})
		return err
	})
}

// findCreated returns the channel that was just created, which was not there before; nil if it is not there. After a lost answer
// the server may still be at it: it is looked for as often as other requests are repeated.
func findCreated(ctx context.Context, c *core.Context, plan *model, isAnswerLost bool) (*zulip.Channel, error) {
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		s, err := c.Meta.Store.Fresh(ctx, store.Channels)
		if err != nil {
			return nil, err
		}
		created, ok := s.Channels().ByName(plan.Name.ValueString())
		if ok && !created.IsArchived && isOwn(plan, created, c) {
			return created, nil
		}
		if !isAnswerLost || attempt >= c.Meta.Client.MaxRetries() {
			return nil, nil
		}
		if err := zulip.Sleep(ctx, pause); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// outcomeOf says what the look for a channel has found whose creation failed.
func outcomeOf(lookErr error) string {
	if lookErr == nil {
		return "The channel was looked for afterwards and is not there, so that applying again is safe. If the server carries it out later, the next plan says so, and how to import it."
	}
	return "Whether the channel is there nevertheless could not be found out: " + base.Explain(lookErr) +
		" If it is, the next plan says so, and how to import it."
}

// unarchive reactivates an archived channel.
func unarchive(ctx context.Context, c *core.Context, id int64) error {
	active := false
	err := c.Meta.Store.Write(ctx, func(ctx context.Context) error {
		_, err := c.Meta.Client.UpdateChannel(ctx, id, zulip.ChannelUpdate{IsArchived: &active})
		return err
	})
	if zulip.IsMessage(err, "Channel is not currently deactivated") { // somebody was faster, or an answer was lost
		return nil
	}
	return err
}
