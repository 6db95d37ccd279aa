package channel

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/tfvalue"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// create creates a channel and returns its ID; zero after an error.
func create(ctx context.Context, c *creation) int64 {
	request := createRequest(c)
	if c.Diags.HasError() {
		return 0
	}
	if !c.HasLevel(featurelevel.CreateChannel) {
		return createBySubscribing(ctx, c, request)
	}
	return c.Send(ctx, func(ctx context.Context) (int64, *zulip.Answer, error) {
		return c.Meta.Client.CreateChannel(ctx, request)
	})
}

// createRequest is what differs from a channel of which nothing is set.
func createRequest(c *creation) zulip.ChannelCreate {
	plan := c.Plan
	request := zulip.ChannelCreate{
		Name:        c.Name,
		Subscribers: initialSubscribers(c),
		Announce:    plan.Announce.ValueBoolPointer(),
		Permissions: map[string]zulip.GroupSettingValue{},
	}
	var update zulip.ChannelUpdate
	for _, step := range c.Steps {
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
	if privacy := zulip.Privacy(plan.Privacy.ValueString()); tfvalue.IsSet(plan.Privacy) {
		private, web, history := privacy.IsPrivate(), privacy == zulip.PrivacyWebPublic, privacy != zulip.PrivacyPrivateProtectedHistory
		request.InviteOnly, request.IsWebPublic, request.HistoryPublicToSubscribers = &private, &web, &history
	}
	return request
}

// initialSubscribers are who is in the channel from the start. A private channel without any would lock out the account
// that manages it, for good (server-behavior §C17): by default it is subscribed.
func initialSubscribers(c *creation) []int64 {
	if !tfvalue.IsSet(c.Plan.InitialSubscribers) {
		if zulip.Privacy(c.Plan.Privacy.ValueString()).IsPrivate() {
			return []int64{c.Meta.Store.Self().ID}
		}
		return nil
	}
	var ids []int64
	for _, element := range c.Plan.InitialSubscribers.Elements() {
		text, _ := element.(types.String)
		user, err := lookup.User(c.Snapshot, text.ValueString())
		if err != nil {
			c.Diags.AddAttributeError(path.Root("initial_subscribers"), "Cannot find a subscriber", diagnostics.Sentence(err))
			continue
		}
		ids = append(ids, user.ID)
	}
	slices.Sort(ids)
	return ids
}

// createBySubscribing creates a channel on a server below feature level 417, which creates those that it is to subscribe
// somebody to.
func createBySubscribing(ctx context.Context, c *creation, request zulip.ChannelCreate) int64 {
	summary := fmt.Sprintf("Cannot create channel %q", c.Name)
	before, err := c.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		c.Diags.AddError(summary, diagnostics.Explain(err))
		return 0
	}
	// This endpoint would silently subscribe people to it instead.
	if namesake, ok := before.Channels().ByName(c.Name); ok {
		c.RefuseName(namesake, c.Diags)
		return 0
	}
	var answer *zulip.Answer
	err = c.Meta.Store.Write(ctx, func(ctx context.Context) (err error) {
		answer, err = c.Meta.Client.CreateChannelBySubscribing(ctx, request)
		return err
	})
	if err != nil && !zulip.MayHaveHappened(err) {
		c.Refused(ctx, err)
		return 0
	}
	created, lookErr := findCreated(ctx, c, err != nil)
	if created == nil {
		cause := "The server accepted the request."
		if err != nil {
			cause = diagnostics.Explain(err)
		}
		c.Diags.AddError(summary, cause+"\n\n"+outcomeOf(lookErr))
		return 0
	}
	if answer != nil {
		c.WarnIgnored(answer)
	}
	if len(request.Subscribers) == 0 { // which means the caller, on the wire
		if err := c.Meta.Client.Unsubscribe(ctx, c.Name, []int64{c.Meta.Store.Self().ID}); err != nil {
			c.Diags.AddWarning(fmt.Sprintf("The provider's account is still subscribed to channel %q", c.Name), diagnostics.Explain(err))
		}
	}
	return created.ID
}

// findCreated returns the channel that was just created, which was not there before; nil if it is not there. After a lost answer
// the server may still be at it: it is looked for as often as other requests are repeated.
func findCreated(ctx context.Context, c *creation, isAnswerLost bool) (*zulip.Channel, error) {
	pause := zulip.FirstPause
	for attempt := 0; ; attempt++ {
		s, err := c.Meta.Store.Fresh(ctx, store.Channels)
		if err != nil {
			return nil, err
		}
		created := c.Own(s)
		if created != nil || !isAnswerLost || attempt >= c.Meta.Client.MaxRetries() {
			return created, nil
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
	return "Whether the channel is there nevertheless could not be found out: " + diagnostics.Explain(lookErr) +
		" If it is, the next plan says so, and how to import it."
}

// unarchive reactivates an archived channel.
func unarchive(ctx context.Context, b *base.Base, id int64) error {
	active := false
	err := b.Meta.Store.Write(ctx, func(ctx context.Context) error {
		_, err := b.Meta.Client.UpdateChannel(ctx, id, zulip.ChannelUpdate{IsArchived: &active})
		return err
	})
	if zulip.IsMessage(err, "Channel is not currently deactivated") { // somebody was faster, or an answer was lost
		return nil
	}
	return err
}
