package message

import (
	"context"
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// lookBack is how many of the account's own last messages in a place are looked through for one that was sent before.
const lookBack = 100

// send sends a message. Of one that was found, since the answer was lost, nothing but the ID is returned.
func send(ctx context.Context, meta *base.Meta, to zulip.Addressee, content string) (sent zulip.SentMessage, err error) {
	self := meta.Store.Self().ID
	stored := zulip.StoredContent(content)
	id, err := core.Creation{
		Kind: kind, Thing: fmt.Sprintf("%d %q %v %q", to.ChannelID, zulip.StoredTopic(to.Topic), to.UserIDs, stored),
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			recent, err := meta.Client.RecentMessages(ctx, to, self, lookBack)
			if err != nil {
				return 0, err
			}
			for _, message := range recent {
				if message.Content == stored && message.To().Same(to, self) && free(message.ID) {
					return message.ID, nil
				}
			}
			return 0, nil
		},
		Make: func(ctx context.Context) (id int64, err error) {
			sent, err = meta.Client.Send(ctx, to, content)
			return sent.ID, err
		},
	}.Run(ctx, meta)
	if sent.ID != id {
		sent = zulip.SentMessage{ID: id}
	}
	return sent, err
}
