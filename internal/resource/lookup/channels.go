package lookup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Channel finds the channel that a `channel` attribute means: an ID in digits, or a name, also one that this run gives
// it; "name:2024" is the channel called 2024. Archived ones are found too. The error is for people and suggests the nearest
// names.
func Channel(view *snapshot.Snapshot, text string) (*zulip.Channel, error) {
	name, byName := strings.CutPrefix(text, "name:")
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && !byName {
		if channel, ok := view.Channels().ByID(id); ok {
			return channel, nil
		}
		return nil, fmt.Errorf("the account the provider uses sees no channel with the ID %d (a channel whose name is a number is found as name:%d)", id, id)
	}
	if channel, _ := view.PlannedChannel(name); channel != nil {
		return channel, nil
	}
	if channel, ok := view.Channels().ByName(name); ok {
		return channel, nil
	}
	if _, planned := view.PlannedChannel(name); planned {
		return nil, notYet("channel", "zulip_channel", name)
	}
	names := suggest.Names{Things: "channels it sees", All: view.Channels().Names(), Where: "the data source zulip_channels lists those it sees"}
	return nil, fmt.Errorf("the account the provider uses sees no channel called %q%s", name, names.Suggest(name))
}

// notYet is the error of who needs now what this run has yet to create.
func notYet(noun, resource, name string) error {
	return &missing{summary: fmt.Sprintf("%q is still not in the organization", name), err: fmt.Errorf("this run has yet to create the %s %q: let what needs it come after (depends_on = [%s.NAME]), or name it by %s.NAME.id, which is not known before", noun, name, resource, resource)}
}

// ChannelKind is what the run state knows channels as.
const ChannelKind = "zulip_channel"

// IsPlannedChannel reports whether a `channel` attribute means a channel that this run has yet to create or to unarchive:
// who is in it, and who may do what in it, is not known before.
func IsPlannedChannel(view *snapshot.Snapshot, text string) bool {
	name, byName := strings.CutPrefix(text, "name:")
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && !byName {
		return false
	}
	channel, planned := view.PlannedChannel(name)
	if channel == nil {
		channel, _ = view.Channels().ByName(name)
	}
	return planned && (channel == nil || channel.IsArchived)
}

// ChannelInPlan is Channel for a plan. later says that this run has yet to create the channel or to unarchive it.
func ChannelInPlan(view *snapshot.Snapshot, text string) (channel *zulip.Channel, later bool, err error) {
	if IsPlannedChannel(view, text) {
		return nil, true, nil
	}
	channel, err = Channel(view, text)
	return channel, false, err
}

// channelText writes a channel as Channel reads it: by its name, where there is one to see.
func channelText(view *snapshot.Snapshot, id int64) string {
	channel, ok := view.Channels().ByID(id)
	if !ok {
		return strconv.FormatInt(id, 10)
	}
	if _, err := strconv.ParseInt(channel.Name, 10, 64); err == nil || strings.HasPrefix(channel.Name, "name:") {
		return "name:" + channel.Name
	}
	return channel.Name
}

// KeepChannel returns the words for a channel: those there are if they mean it, else its name.
func KeepChannel(kept string, id int64, view *snapshot.Snapshot) string {
	if channel, err := Channel(view, kept); kept != "" && err == nil && channel.ID == id {
		return kept
	}
	return channelText(view, id)
}
