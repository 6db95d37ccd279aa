package channels

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/sets"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// channelReading is a channel with its subscribers, as just read.
type channelReading struct {
	view    *snapshot.Snapshot
	channel *zulip.Channel
	in      []int64
}

// placeOf returns the kind of list of a channel's subscribers.
func placeOf(channel *zulip.Channel) effects.Place {
	if channel.IsDefault {
		return effects.DefaultSubscribers
	}
	return effects.Members
}

// withoutBrought returns those subscribers whom this run has not brought into a channel. The next plan lists the others.
func (b relation) withoutBrought(channel *zulip.Channel, in []int64) []int64 {
	known := &b.Meta.Run.Effects
	known.Settle() // the server subscribes a new account before it answers with its ID
	return sets.Without(in, known.After(placeOf(channel), nil, in))
}

// application changes the subscribers of one channel, by at most two requests. The server takes the name of the
// channel, which may belong to another channel a moment later (server-behavior §S1, §S5). So before each request the
// channel is read by its ID, and the checks run on that reading. A failed request is not repeated unchanged. After the
// request, the channel is read by its ID again.
type application struct {
	relation

	id int64
	// decide returns the change for the current subscribers. It returns nil after a conflict, which it reports.
	decide func(ctx context.Context, now *channelReading, diags *diag.Diagnostics) *subscriberChange
	notify bool

	// before are the first subscribers that were read. now is the last reading, and nil if none succeeded.
	before []int64
	now    *channelReading
	// isFresh is true if nothing was sent since now was read.
	isFresh bool
	// added are the users that this application has subscribed.
	added []int64
	// lost is a request whose answer was lost, until the channel is read again.
	lost *subscriptionRequest
}

// subscriptionRequest subscribes people to the channel of a name, or unsubscribes them.
type subscriptionRequest struct {
	channel string
	users   []int64
	removes bool
}

// succeeded returns the users for whom the request has had its effect, given the subscribers in.
func (r subscriptionRequest) succeeded(users, in []int64) []int64 {
	if r.removes {
		return sets.Without(users, in)
	}
	return sets.Common(users, in)
}

// run subscribes and then unsubscribes users as decide says, and reports whether all was done.
func (a *application) run(ctx context.Context, diags *diag.Diagnostics) bool {
	return a.bring(ctx, false, diags) && a.bring(ctx, true, diags)
}

// bring sends one of the two requests, if there are users for it. If it fails temporarily, or because the channel was
// renamed or a user deactivated in between, it is computed and sent again.
func (a *application) bring(ctx context.Context, removes bool, diags *diag.Diagnostics) (done bool) {
	if a.now != nil {
		planned := a.decide(ctx, a.now, diags)
		if planned == nil || len(planned.users(removes)) == 0 {
			return planned != nil
		}
	}
	var (
		sent            subscriptionRequest
		failed, refused error
	)
	err := a.Meta.Client.Retry(ctx, func(ctx context.Context) error {
		for {
			if !a.isFresh && !a.read(ctx, refused != nil, diags) {
				return nil
			}
			planned := a.decide(ctx, a.now, diags)
			if planned == nil {
				return nil
			}
			next := subscriptionRequest{a.now.channel.Name, planned.users(removes), removes}
			switch {
			case len(next.users) == 0:
				done = true
				return nil
			case refused != nil && next.channel == sent.channel && slices.Equal(next.users, sent.users):
				return refused
			}
			if !a.check(ctx, planned, diags) {
				return nil
			}
			sent, a.isFresh = next, false
			changed, err := a.send(ctx, sent, diags)
			if failed = err; err == nil {
				done = a.verify(ctx, sent, changed, diags)
				return nil
			}
			if zulip.MayHaveHappened(err) {
				a.lost = &sent
			}
			if !isRefusal(err) {
				return err
			}
			refused = err
		}
	})
	if err == nil && !done {
		err = failed
	}
	if err != nil {
		a.fail(ctx, sent, err, diags)
	}
	return done
}

// isRefusal reports whether the server has understood a request and refused it, so that it would refuse the same
// request again.
func isRefusal(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && refusal.Status < http.StatusInternalServerError && !zulip.IsRateLimited(err)
}

// read reads the channel and its subscribers, together with other resources. It returns false after a failure, which it
// reports.
func (a *application) read(ctx context.Context, withUsers bool, diags *diag.Diagnostics) bool {
	in, err := a.Meta.Store.FreshSubscribers(ctx, a.id)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read the subscribers of channel %d", a.id), base.Explain(err))
		return false
	}
	parts := []store.Part{store.Channels}
	if withUsers {
		parts = append(parts, store.Users)
	}
	view, err := a.Meta.Store.Fresh(ctx, parts...)
	if err != nil {
		diags.AddError(fmt.Sprintf("Cannot read channel %d", a.id), base.Explain(err))
		return false
	}
	channel, ok := view.Channels().ByID(a.id)
	if !ok || channel.IsArchived || in == nil {
		diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Channel %d is archived or no longer visible", a.id),
			"It was archived, or the provider's account no longer sees it. The next plan shows what is left to do.")
		return false
	}
	if a.now == nil {
		a.before = in
	}
	a.now, a.isFresh = &channelReading{view, channel, in}, true
	a.settle(ctx, diags)
	return true
}

// settle finds out the effect of a request whose answer was lost.
func (a *application) settle(ctx context.Context, diags *diag.Diagnostics) {
	if a.lost == nil {
		return
	}
	lost := *a.lost
	a.lost = nil
	a.note(lost, sets.Common(lost.users, a.now.in))
	if other, hit := a.elsewhere(ctx, lost, lost.users); len(hit) > 0 {
		diags.AddAttributeWarning(path.Root("channel"), fmt.Sprintf("A request may have changed another channel, %q", other.Name),
			fmt.Sprintf("The answer was lost, and the name %q now belongs to channel %d instead of %d. Check whether the request %s there: %s.",
				other.Name, other.ID, a.id, lost.verb(), lookup.UserList.Describe(hit, a.now.view)))
	}
}

// note records the users that a request has subscribed.
func (a *application) note(r subscriptionRequest, changed []int64) {
	if !r.removes {
		a.added = append(a.added, sets.Without(changed, a.added)...)
	}
}

func (r subscriptionRequest) verb() string {
	if r.removes {
		return "unsubscribed people"
	}
	return "subscribed people"
}

// elsewhere finds another channel that now has the name in a request, and the users for whom the request has had its
// effect there.
func (a *application) elsewhere(ctx context.Context, r subscriptionRequest, users []int64) (other *zulip.Channel, hit []int64) {
	other, ok := a.now.view.Channels().ByName(r.channel)
	if !ok || other.ID == a.id {
		return nil, nil
	}
	list, err := a.Meta.Store.FreshSubscribers(ctx, other.ID)
	if err != nil || list == nil {
		return other, users // an unreadable channel may have been changed
	}
	return other, r.succeeded(users, list)
}

// check repeats the checks of the plan on the channel as just read, because more may have changed since than the plan
// could know. It reports whether the change may be sent.
func (a *application) check(ctx context.Context, planned *subscriberChange, diags *diag.Diagnostics) (ok bool) {
	if slices.Contains(planned.remove, a.Meta.Store.Self().ID) {
		// A group may decide whether the channel lets the account in again.
		view, err := a.Meta.Store.Fresh(ctx, store.UserGroups)
		if err != nil {
			diags.AddError("Cannot read the user groups", base.Explain(err))
			return false
		}
		planned.view = view
	}
	return planned.check(diags)
}

// send sends a request once. changed are the users that it subscribed. For an unsubscription the server only returns
// their number: changed is nil if not all were.
func (a *application) send(ctx context.Context, r subscriptionRequest, diags *diag.Diagnostics) (changed []int64, err error) {
	if r.removes {
		removed, err := a.Meta.Client.Unsubscribe(ctx, r.channel, r.users)
		if err == nil && removed == len(r.users) {
			changed = r.users
		}
		return changed, err
	}
	changed, told, err := a.Meta.Client.Subscribe(ctx, r.channel, r.users, a.notify, a.FeatureLevel())
	if err == nil && a.notify && !told {
		diags.AddWarning("New subscribers were not notified",
			fmt.Sprintf("The apply subscribed %d users to channel %q. The server sends no notifications if so many users are subscribed together.", len(r.users), r.channel))
	}
	return changed, err
}

// verify reads the effect of an accepted request by the channel's ID. If another channel had the name at that moment,
// the effect there is undone.
func (a *application) verify(ctx context.Context, sent subscriptionRequest, changed []int64, diags *diag.Diagnostics) (done bool) {
	defer a.Meta.Store.Invalidate(store.Subscriptions) // the account's own settings may be among them
	list, err := a.Meta.Store.FreshSubscribers(ctx, a.id)
	leaves := sent.removes && slices.Contains(sent.users, a.Meta.Store.Self().ID)
	if err != nil || list == nil && leaves { // after leaving a private channel, the account may no longer see it
		a.assume(sent, changed)
		if err != nil {
			diags.AddAttributeWarning(path.Root("users"), fmt.Sprintf("Cannot read the subscribers of channel %q", sent.channel),
				"The server accepted the request. The next plan reads them again. "+base.Explain(err))
		}
		return true
	}
	a.now = &channelReading{a.now.view, a.now.channel, list}
	a.note(sent, sets.Common(changed, list))
	missing := sets.Without(sent.users, sent.succeeded(sent.users, list))
	if len(missing) == 0 {
		return true
	}
	view, err := a.Meta.Store.Fresh(ctx, store.Channels, store.Users)
	if err != nil {
		diags.AddError("Cannot read the channels", base.Explain(err))
		return false
	}
	a.now.view = view
	if missing = slices.DeleteFunc(missing, func(id int64) bool { return !isActive(view, id) }); len(missing) == 0 {
		return true // the server does not list deactivated users
	}
	if other, hit := a.elsewhere(ctx, sent, sets.Common(changed, missing)); other != nil {
		a.undo(ctx, sent, other, hit, diags)
		return false
	}
	diags.AddAttributeError(path.Root("users"), fmt.Sprintf("The subscribers of channel %q changed during apply", a.now.channel.Name),
		fmt.Sprintf("The server accepted that the provider %s, but someone else changed it for: %s. Plan again.", sent.verb(), lookup.UserList.Describe(missing, view)))
	return false
}

// assume applies the answer to a request to the reading.
func (a *application) assume(sent subscriptionRequest, changed []int64) {
	in := sets.Without(a.now.in, sent.users)
	if !sent.removes {
		in = append(in, sent.users...)
	}
	a.note(sent, changed)
	a.Meta.Store.Invalidate(store.Subscribers)
	a.now = &channelReading{a.now.view, a.now.channel, in}
}

// undo reverses the effect of a request in another channel, and reports it.
func (a *application) undo(ctx context.Context, sent subscriptionRequest, other *zulip.Channel, hit []int64, diags *diag.Diagnostics) {
	var err error
	if len(hit) > 0 {
		err = a.Meta.Client.Retry(ctx, func(ctx context.Context) error {
			view, err := a.Meta.Store.Fresh(ctx, store.Channels)
			if err != nil {
				return err
			}
			if now, ok := view.Channels().ByID(other.ID); ok {
				other = now
			}
			_, err = a.send(ctx, subscriptionRequest{other.Name, hit, !sent.removes}, &diag.Diagnostics{})
			return err
		})
		a.Meta.Store.Invalidate(store.Subscribers)
	}
	done, undone := "subscribed to", "The provider unsubscribed them again."
	if sent.removes {
		done, undone = "unsubscribed from", "The provider subscribed them again."
	}
	who := lookup.UserList.Describe(hit, a.now.view)
	switch {
	case len(hit) == 0 && !sent.removes:
		who, undone = "no one", "All of them were already subscribed."
	case len(hit) == 0:
		who = "some or none of " + lookup.UserList.Describe(sent.users, a.now.view)
		undone = "The server does not say which, so the provider could not undo it. Check the subscribers of that channel."
	case err != nil:
		undone = "The provider could not undo this: " + base.Explain(err)
	}
	diags.AddAttributeError(path.Root("channel"), fmt.Sprintf("Channel %d was renamed during the request", a.id),
		fmt.Sprintf("The request names the channel %q, and that name now belongs to channel %d. So these users were %s another channel, %q: %s. %s\n\nChannel %d, now %q, is unchanged. Plan again.",
			sent.channel, other.ID, done, other.Name, who, undone, a.id, a.now.channel.Name))
}

// fail reports a failed request, and reads the subscribers once more.
func (a *application) fail(ctx context.Context, sent subscriptionRequest, err error, diags *diag.Diagnostics) {
	summary := "Cannot add %s to channel %q"
	if sent.removes {
		summary = "Cannot unsubscribe %s from channel %q"
	}
	detail := base.Explain(err)
	if zulip.IsMessage(err, "Insufficient permission") {
		detail += "\n\nThe provider's account lost this permission after the plan was made. Plan again: the plan names the permission."
	}
	a.Meta.Store.Invalidate(store.Subscribers)
	if a.lost != nil {
		a.read(ctx, false, &diag.Diagnostics{})
		detail += "\n\nYou can apply again: the provider skips users who are already subscribed."
	}
	diags.AddError(fmt.Sprintf(summary, lookup.UserList.Describe(sent.users, a.now.view), strings.TrimSpace(sent.channel)), detail)
}
