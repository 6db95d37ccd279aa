package channel

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_channel.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.Channel]{
		Name: "channel", Plural: "channels",
		ListText: core.ListText{Description: "Lists the channels that the provider's account can see. An administrator sees all channels; a member does not see private channels of others."},
		Objects:  core.FromSnapshot(func(s *snapshot.Snapshot) []*zulip.Channel { return s.Channels().List() }, func(*snapshot.Snapshot, *zulip.Channel) bool { return true }, store.Channels),
		Key:      func(channel *zulip.Channel) any { return channel.ID },
		Label:    func(channel *zulip.Channel, _ *snapshot.Snapshot) string { return channel.Name },
		IsGone:   func(channel *zulip.Channel) bool { return channel.IsArchived }, GoneWord: "archived",
		Filters: []core.ListFilter[zulip.Channel]{
			{
				Name: "folder", Description: "Lists only the channels in this folder: its name or ID. `\"\"` lists those in no folder.",
				Select: selectFolder,
			},
			{
				Name: "privacy", Description: "Lists only the channels with this privacy, as in `private_shared_history`.",
				Select: selectPrivacy,
			},
		},
	})
}

func selectFolder(s *snapshot.Snapshot, text string) (func(*zulip.Channel) bool, error) {
	folder := int64(0)
	if found, ok := s.Folders().ByName(text); ok {
		folder = found.ID
	} else if text != "" {
		number, err := strconv.ParseInt(text, 10, 64)
		if _, ok := s.Folders().ByID(number); err != nil || !ok {
			names := suggest.Names{Things: "channel folders", All: s.Folders().Names(), Where: "the data source zulip_channel_folders lists all"}
			return nil, fmt.Errorf("the organization has no channel folder called %q%s", text, names.Suggest(text))
		}
		folder = number
	}
	return func(channel *zulip.Channel) bool { return folderOf(channel) == folder }, nil
}

func selectPrivacy(s *snapshot.Snapshot, text string) (func(*zulip.Channel) bool, error) {
	words := map[string]func(*zulip.Channel) bool{}
	for _, privacy := range zulip.Privacies {
		words[string(privacy)] = func(channel *zulip.Channel) bool { return channel.Privacy() == privacy }
	}
	return core.OneOf(words)(s, text)
}
