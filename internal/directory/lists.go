package directory

import (
	"context"
	"fmt"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// lists are the organization's short lists that have an order. A plan has them from the snapshot; what follows a write
// reads one of them by itself, once for all who ask at the same time.
type lists struct {
	linkifiers    gather[struct{}, *View]
	profileFields gather[struct{}, *View]
}

func (l *lists) init(d *Directory) {
	l.linkifiers = reread(d, zulip.FetchLinkifiers, d.client.Linkifiers, func(v *View, list []*zulip.Linkifier) { v.linkifiers = list })
	l.profileFields = reread(d, zulip.FetchProfileFields, d.client.ProfileFields, func(v *View, list []*zulip.ProfileField) { v.profileFields = list })
}

// reread makes one read of a list for all who ask while writes are under way, and puts it into the view.
func reread[T any](d *Directory, part string, read func(context.Context) ([]T, error), put func(*View, []T)) gather[struct{}, *View] {
	ask := func(ctx context.Context, who []struct{}) ([]*View, error) {
		d.mu.Lock()
		forgot := d.forgot[part]
		d.mu.Unlock()
		list, err := read(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", part, err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		renewed := *d.view
		put(&renewed, list)
		d.view = &renewed
		// What was forgotten meanwhile may be older than what is to be known now: the next to ask reads again.
		d.have[part] = forgot == d.forgot[part]
		return slices.Repeat([]*View{d.view.with(d)}, len(who)), nil
	}
	return gather[struct{}, *View]{ask: ask, wait: d.settle}
}

// Linkifiers returns the snapshot with the linkifiers in it.
func (d *Directory) Linkifiers(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchLinkifiers})
}

// FreshLinkifiers returns a snapshot whose linkifiers were read after the call began. It is one request for all who ask
// at the same time.
func (d *Directory) FreshLinkifiers(ctx context.Context) (*View, error) {
	return d.lists.linkifiers.do(ctx, struct{}{})
}

// Linkifiers returns the linkifiers in the order in which they are tried.
func (v *View) Linkifiers() []*zulip.Linkifier { return v.linkifiers }

// Linkifier returns a linkifier by ID.
func (v *View) Linkifier(id int64) (*zulip.Linkifier, bool) {
	return pick(v.linkifiers, func(l *zulip.Linkifier) bool { return l.ID == id })
}

// LinkifierByPattern returns the linkifier that has a pattern; no other has it (wire-2 §8).
func (v *View) LinkifierByPattern(pattern string) (*zulip.Linkifier, bool) {
	return pick(v.linkifiers, func(l *zulip.Linkifier) bool { return l.Pattern == pattern })
}

// ProfileFields returns the snapshot with the custom profile fields in it.
func (d *Directory) ProfileFields(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchProfileFields})
}

// FreshProfileFields returns a snapshot whose custom profile fields were read after the call began. It is one request for
// all who ask at the same time.
func (d *Directory) FreshProfileFields(ctx context.Context) (*View, error) {
	return d.lists.profileFields.do(ctx, struct{}{})
}

// ProfileField returns a custom profile field by ID.
func (v *View) ProfileField(id int64) (*zulip.ProfileField, bool) {
	return pick(v.profileFields, func(f *zulip.ProfileField) bool { return f.ID == id })
}

// ProfileFieldByName returns the custom profile field of a name; no other has it, and cases are told apart (wire-2 §10).
func (v *View) ProfileFieldByName(name string) (*zulip.ProfileField, bool) {
	return pick(v.profileFields, func(f *zulip.ProfileField) bool { return f.Name == name })
}

func pick[T any](list []*T, is func(*T) bool) (*T, bool) {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], true
	}
	return nil, false
}
