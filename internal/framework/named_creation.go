package framework

import (
	"context"
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// NamedCreation makes one of the things that have a name of their own, and whose ID the server does not tell: it is found
// by the name.
type NamedCreation[T any] struct {
	// Kind is the type of the resource.
	Kind, Name string
	// Find reads anew, and returns what has the name now; nil if nothing has.
	Find func(ctx context.Context) (*T, error)
	ID   func(*T) int64
	Make func(ctx context.Context) error
}

// Run returns what was made. What had the name before is never taken for it. With an error, perhaps says that it may be
// there all the same; the error is for Explain.
func (c NamedCreation[T]) Run(ctx context.Context, meta *Meta) (made *T, perhaps bool, err error) {
	answered := false
	_, err = Creation{
		Kind: c.Kind, Thing: c.Name,
		Look: func(ctx context.Context, free func(int64) bool) (int64, error) {
			found, err := c.Find(ctx)
			if err != nil || found == nil || !free(c.ID(found)) {
				return 0, err
			}
			made = found
			return c.ID(found), nil
		},
		Make: func(ctx context.Context) (int64, error) {
			if err := c.Make(ctx); err != nil {
				return 0, err
			}
			answered = true
			found, err := c.Find(ctx)
			switch {
			case err != nil:
				return 0, err
			case found == nil:
				return 0, fmt.Errorf("the server made %q and does not list it: somebody may have taken it away", c.Name)
			}
			made = found
			return c.ID(found), nil
		},
	}.Run(ctx, meta)
	if err != nil {
		return nil, answered || zulip.MayHaveHappened(err), err
	}
	return made, true, nil
}
