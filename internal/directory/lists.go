package directory

import (
	"context"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The short lists that have an order: a plan has them from the snapshot; what follows a write reads one of them by itself.

// Linkifiers returns the snapshot with the linkifiers in it.
func (d *Directory) Linkifiers(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchLinkifiers})
}

// FreshLinkifiers returns a snapshot whose linkifiers were read after the call began. It is one request for all who ask
// at the same time.
func (d *Directory) FreshLinkifiers(ctx context.Context) (*View, error) {
	return d.fresh(ctx, zulip.FetchLinkifiers, func(ctx context.Context) (put, error) {
		list, err := d.client.Linkifiers(ctx)
		if err != nil {
			return nil, whileReading("linkifiers", err)
		}
		return func(facts *facts) { facts.linkifiers = newLinkifiers(list) }, nil
	})
}

// Linkifiers returns the linkifiers in the order in which they are tried.
func (v *View) Linkifiers() []*zulip.Linkifier { return v.facts.linkifiers.all }

// Linkifier returns a linkifier by ID.
func (v *View) Linkifier(id int64) (*zulip.Linkifier, bool) {
	return v.facts.linkifiers.withID(id)
}

// LinkifierByPattern returns the linkifier that has a pattern; no other has it (server-behavior §L3).
func (v *View) LinkifierByPattern(pattern string) (*zulip.Linkifier, bool) {
	return v.facts.linkifiers.called(pattern)
}

// LinkifierPatterns returns the patterns of the linkifiers.
func (v *View) LinkifierPatterns() []string {
	return namesOf(v.facts.linkifiers.all, func(linkifier *zulip.Linkifier) string { return linkifier.Pattern })
}

// ProfileFields returns the snapshot with the custom profile fields in it.
func (d *Directory) ProfileFields(ctx context.Context) (*View, error) {
	return d.need(ctx, []string{zulip.FetchProfileFields})
}

// FreshProfileFields returns a snapshot whose custom profile fields were read after the call began. It is one request for
// all who ask at the same time.
func (d *Directory) FreshProfileFields(ctx context.Context) (*View, error) {
	return d.fresh(ctx, zulip.FetchProfileFields, func(ctx context.Context) (put, error) {
		list, err := d.client.ProfileFields(ctx)
		if err != nil {
			return nil, whileReading("custom profile fields", err)
		}
		return func(facts *facts) { facts.profileFields = newProfileFields(list) }, nil
	})
}

// ProfileField returns a custom profile field by ID.
func (v *View) ProfileField(id int64) (*zulip.ProfileField, bool) {
	return v.facts.profileFields.withID(id)
}

// ProfileFieldByName returns the custom profile field of a name; no other has it, and cases are told apart
// (server-behavior §L5).
func (v *View) ProfileFieldByName(name string) (*zulip.ProfileField, bool) {
	return v.facts.profileFields.called(name)
}
