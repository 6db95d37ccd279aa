package defaultchannelgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// change is what an update makes otherwise. What is empty is left alone.
type change struct {
	name, description string
	add, remove       []int64
}

// changes is the way from what the plan saw to what it asks.
func changes(plan, state *model) change {
	var wanted change
	if !plan.Name.Equal(state.Name) {
		wanted.name = plan.Name.ValueString()
	}
	if !plan.Description.IsUnknown() && !plan.Description.Equal(state.Description) {
		wanted.description = plan.Description.ValueString()
	}
	if !plan.ChannelIDs.IsUnknown() {
		wanted.add = without(channels(plan.ChannelIDs), channels(state.ChannelIDs))
		wanted.remove = without(channels(state.ChannelIDs), channels(plan.ChannelIDs))
	}
	return wanted
}

// missing is what of a change is not so yet.
func (c change) missing(now *zulip.DefaultChannelGroup) change {
	left := change{add: without(c.add, now.ChannelIDs)}
	for _, id := range c.remove {
		if slices.Contains(now.ChannelIDs, id) {
			left.remove = append(left.remove, id)
		}
	}
	if c.name != now.Name {
		left.name = c.name
	}
	if c.description != now.Description {
		left.description = c.description
	}
	return left
}

func (c change) isEmpty() bool {
	return c.name == "" && c.description == "" && len(c.add) == 0 && len(c.remove) == 0
}

var errGone = errors.New("the group is not there any more")

// bring makes a group what a change asks for. The server refuses what is so already (server-behavior §S10), so the group is
// read before each attempt, and only what is missing is sent: also after a lost answer.
func (r *Resource) bring(ctx context.Context, id int64, wanted change) error {
	const firstPause = 200 * time.Millisecond
	pause, failures, sent := firstPause, 0, false
	for {
		view, err := r.Meta.Store.FreshUntil(ctx, list, func(view *snapshot.Snapshot) bool {
			now, ok := view.DefaultChannelGroups().ByID(id)
			return ok && (!sent || wanted.missing(now).isEmpty())
		})
		if err != nil {
			return err
		}
		now, ok := view.DefaultChannelGroups().ByID(id)
		if !ok {
			return errGone
		}
		left := wanted.missing(now)
		if left.isEmpty() {
			return nil
		}
		if sent {
			return errors.New("the server took the change without an error, and does not hold it: somebody may have changed the group at the same time")
		}
		err = r.Meta.Store.WriteList(ctx, list, func(ctx context.Context) error { return r.send(ctx, id, left, view) })
		sent = err == nil
		if sent {
			continue
		}
		if failures++; !zulip.MayHaveHappened(err) || failures > r.Meta.Client.MaxRetries() || zulip.Sleep(ctx, pause) != nil {
			return err
		}
		pause *= 2
	}
}

// send sends what is missing: the texts, what leaves, what joins.
func (r *Resource) send(ctx context.Context, id int64, left change, view *snapshot.Snapshot) error {
	if left.name != "" || left.description != "" {
		if err := r.Meta.Client.UpdateDefaultChannelGroup(ctx, id, left.name, left.description); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		channels []int64
		send     func(context.Context, int64, []string) error
	}{
		{left.remove, r.Meta.Client.RemoveFromDefaultChannelGroup},
		{left.add, r.Meta.Client.AddToDefaultChannelGroup},
	} {
		names, err := namesOf(step.channels, view)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			continue
		}
		if err := step.send(ctx, id, names); err != nil {
			return err
		}
	}
	return nil
}

// namesOf are the names of channels, which is what the server wants here.
func namesOf(ids []int64, view *snapshot.Snapshot) ([]string, error) {
	names := []string{}
	for _, id := range ids {
		channel, ok := view.Channels().ByID(id)
		if !ok {
			return nil, fmt.Errorf("the account the provider uses sees no channel with the ID %d", id)
		}
		names = append(names, channel.Name)
	}
	slices.Sort(names)
	return names, nil
}
