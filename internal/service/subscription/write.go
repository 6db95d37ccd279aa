// Package subscription is the resources zulip_channel_subscribers, which manages everybody in a channel, and
// zulip_channel_subscription, which manages some people among others.
package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/diagnostics"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What a resource of one of the two kinds registers about a channel, so that both are not used on the same.
const (
	exclusiveKind = "zulip_channel_subscribers"
	additiveKind  = "zulip_channel_subscription"
)

// relation is what both resources share.
type relation struct{ base.Resource }

// reading is a channel and who is in it, as just read.
type reading struct {
	view    *snapshot.Snapshot
	channel *zulip.Channel
	in      ids
}

// read reads a channel and who is in it, together with everybody else who wants to; nil after an error, which is
// reported. The name has to be fresh: to subscribe people to a name that is not there any more would make another channel
// (server-behavior §S1).
func (b *relation) read(ctx context.Context, id int64, diags *diag.Diagnostics) *reading {
	in, err := b.Meta.Store.FreshSubscribers(ctx, id)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %d", id), diagnostics.Explain(err))
		return nil
	}
	view, err := b.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read channel %d", id), diagnostics.Explain(err))
		return nil
	}
	channel, ok := view.Channels().ByID(id)
	if !ok || channel.IsArchived || in == nil {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Channel %d is not there any more", id),
			"It was archived, or the account the provider uses does not see it any more. The next plan shows what is left to do.")
		return nil
	}
	return &reading{view: view, channel: channel, in: setOf(in)}
}

// lookUp returns who is in a channel, nil if it is archived or gone, as read once in this run; no view after an error.
func (b *relation) lookUp(ctx context.Context, id int64, diags *diag.Diagnostics) ([]int64, *snapshot.Snapshot) {
	// First, for the channels may come with them.
	in, err := b.Meta.Store.Subscribers(ctx, id)
	if err != nil {
		diags.AddError("Cannot read the subscribers", diagnostics.Explain(err))
		return nil, nil
	}
	names := make([]string, len(in))
	for i, id := range in {
		names[i] = strconv.FormatInt(id, 10)
	}
	view, err := b.Meta.Store.ReadNaming(ctx, names, store.Channels)
	if err != nil {
		diags.AddError("Cannot read the organization", diagnostics.Explain(err))
		return nil, nil
	}
	if channel, ok := view.Channels().ByID(id); ok && channel.IsArchived {
		return nil, view // from feature level 480 on servers tell who is in it all the same
	}
	return in, view
}

// send puts people into a channel, then takes others out, and keeps now up to date. It reports whether all was done. listed
// are those whom the plan has listed to be taken out.
func (b *relation) send(ctx context.Context, now *reading, add, remove []int64, listed ids, tell bool, diags *diag.Diagnostics) bool {
	if !b.mayBeSent(ctx, now, add, remove, listed, diags) {
		return false
	}
	in := maps.Clone(now.in)
	defer func() {
		b.Meta.Store.ChangedSubscribers(now.channel.ID, slices.Sorted(maps.Keys(now.in)), slices.Sorted(maps.Keys(in)))
		now.in = in
		b.Meta.Store.Invalidate(store.Subscriptions) // the account's own may be among them
	}()
	if len(add) > 0 {
		told := true
		err := b.withoutDeactivated(ctx, add, func(add []int64) (err error) {
			told, err = b.Meta.Client.Subscribe(ctx, now.channel.Name, add, tell, b.FeatureLevel())
			return err
		})
		if err != nil {
			b.failed(ctx, now, &in, err, fmt.Sprintf("Cannot add %s to channel %q", namesOf(add, now.view), now.channel.Name), diags)
			return false
		}
		if tell && !told {
			diags.AddWarning(fmt.Sprintf("Nobody was told that they are in channel %q now", now.channel.Name),
				fmt.Sprintf("The server sends no messages where so many are subscribed at once: %d.", len(add)))
		}
		maps.Copy(in, setOf(add))
	}
	if len(remove) > 0 {
		err := b.withoutDeactivated(ctx, remove, func(remove []int64) error {
			return b.Meta.Client.Unsubscribe(ctx, now.channel.Name, remove)
		})
		if err != nil {
			b.failed(ctx, now, &in, err, fmt.Sprintf("Cannot unsubscribe %s from channel %q", namesOf(remove, now.view), now.channel.Name), diags)
			return false
		}
		for _, id := range remove {
			delete(in, id)
		}
	}
	return true
}

// mayBeSent repeats, on what was just read, the checks of the plan: since then, and in this run, more may have changed than
// the plan could know.
func (b *relation) mayBeSent(ctx context.Context, now *reading, add, remove []int64, listed ids, diags *diag.Diagnostics) bool {
	if self := b.Meta.Store.Self().ID; slices.Contains(remove, self) {
		// Whether the channel lets the account in again may hang on a group.
		view, err := b.Meta.Store.Fresh(ctx, store.UserGroups)
		if err != nil {
			diags.AddError("Cannot read the user groups", diagnostics.Explain(err))
			return false
		}
		now.view = view
	}
	planned := change{meta: b.Meta, view: now.view, channel: now.channel, in: now.in, add: add, remove: remove, listed: listed}
	var found diag.Diagnostics
	planned.check(&found)
	diags.Append(found...)
	return !found.HasError()
}

// withoutDeactivated makes a call for people. The server refuses it for all if one of them has been deactivated since
// they were read: then they are read again, and the call is for the others.
func (b *relation) withoutDeactivated(ctx context.Context, list []int64, call func([]int64) error) error {
	err := call(list)
	if !zulip.IsUserDeactivated(err) {
		return err
	}
	b.Meta.Store.Invalidate(store.Users)
	view, readErr := b.Meta.Store.Read(ctx, store.Users)
	if readErr != nil {
		return readErr
	}
	list = slices.DeleteFunc(slices.Clone(list), func(id int64) bool {
		user, ok := view.User(id)
		return !ok || !user.IsActive
	})
	if len(list) == 0 {
		return nil // for nobody, the server would take it to be for the account itself
	}
	return call(list)
}

// failed reports a write that failed. If it may have been carried out nevertheless, in becomes what the server says.
func (b *relation) failed(ctx context.Context, now *reading, in *ids, err error, summary string, diags *diag.Diagnostics) {
	detail := diagnostics.Explain(err)
	if zulip.IsMessage(err, "Insufficient permission") {
		detail += "\n\nThe account the provider uses lost the right to it since the plan was made. Plan again: it names the right."
	}
	if zulip.MayHaveHappened(err) {
		if list, readErr := b.Meta.Store.FreshSubscribers(ctx, now.channel.ID); readErr == nil {
			*in = setOf(list)
		}
		detail += "\n\nApplying again is safe: who is in the channel already is passed over."
	}
	diags.AddError(summary, detail)
}
