//go:build bench

package channel

import (
	"context"
	"os"

	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
)

// known returns what a channel is read from: the snapshot that all channels share. With ZULIP_BENCH_READ_EACH each channel
// is asked for by itself too, as providers usually do; the snapshot is then for the names of people and groups. It is in
// builds with the tag "bench" alone, for internal/bench.
func (r *Resource) known(ctx context.Context, id int64) (*snapshot.Snapshot, error) {
	if os.Getenv("ZULIP_BENCH_READ_EACH") != "" {
		if _, err := r.Meta.Client.Channel(ctx, id); err != nil {
			return nil, err
		}
	}
	return r.Meta.Store.Read(ctx, store.Channels)
}
