package channel

import (
	"context"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
)

// known returns what a channel is read from: the snapshot that all channels share.
func (r *Resource) known(ctx context.Context, _ int64) (*directory.View, error) {
	return r.Meta.Directory.Channels(ctx)
}
