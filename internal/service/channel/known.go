//go:build !bench

package channel

import (
	"context"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// known returns what a channel is read from: the snapshot that all channels share.
func (r *Resource) known(ctx context.Context, _ int64) (*snapshot.Snapshot, error) {
	return r.Meta.Store.Read(ctx, store.Channels)
}
