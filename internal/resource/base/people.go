package base

import (
	"context"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/effects"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// mostReadAlone is the maximum number of people that are read with one request each.
const mostReadAlone = 50

// Effects returns the effects that explain why values differ by some people: those of this run, with its creations under
// way, and of people who are deactivated now. The server neither shows nor accepts deactivated people, so a value that
// differs only by them is no conflict. Each is read separately, because the server's list may be older than the
// deactivation (server-behavior §U18). Many people are read in the list.
func (m *Meta) Effects(ctx context.Context, ids []int64) (*effects.Log, error) {
	known := &m.Run.Effects
	known.Settle()
	var gone []effects.Write
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id int64) bool {
		_, isKnown := known.Last(effects.Deactivated, id)
		return isKnown
	})
	read := func(id int64) (*zulip.User, error) { return m.Store.FreshUser(ctx, id) }
	if len(ids) > mostReadAlone {
		view, err := m.Store.Fresh(ctx, store.Users)
		if err != nil {
			return known, err
		}
		read = func(id int64) (*zulip.User, error) {
			user, _ := view.User(id)
			return user, nil
		}
	}
	for _, id := range ids {
		user, err := read(id)
		if err != nil {
			return known, err
		}
		if user != nil && !user.IsActive {
			gone = append(gone, effects.Write{Kind: effects.Deactivated, ID: id})
		}
	}
	return known.With(gone...), nil
}
