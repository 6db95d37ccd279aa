package bot

import (
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NewListResource returns the list resource zulip_bot: the bots that the provider's account can manage.
func NewListResource() list.ListResource {
	return core.NewList(core.List[zulip.User]{
		Name: "bot", Plural: "bots",
		ListText: core.ListText{Called: "email address", Description: "Lists the bots that the provider's account can manage: all bots if it is an administrator's, else its own."},
		Objects: core.FromSnapshot((*snapshot.Snapshot).Users, func(s *snapshot.Snapshot, user *zulip.User) bool {
			_, isManaged := s.Bots().ByID(user.ID)
			return isManaged && !user.IsDeleted
		}, store.Bots),
		Key:    func(bot *zulip.User) any { return bot.ID },
		Label:  func(bot *zulip.User, _ *snapshot.Snapshot) string { return bot.Address() },
		IsGone: func(bot *zulip.User) bool { return !bot.IsActive }, GoneWord: "deactivated",
		Filters: []core.ListFilter[zulip.User]{
			core.RoleFilter(),
			{
				Name: "owner", Description: "Lists only the bots of this person: the address or the ID.",
				Select: func(s *snapshot.Snapshot, text string) (func(*zulip.User) bool, error) {
					owner, err := lookup.User(s, text)
					if err != nil {
						return nil, err
					}
					return func(bot *zulip.User) bool { return bot.BotOwnerID != nil && *bot.BotOwnerID == owner.ID }, nil
				},
			},
		},
	})
}
