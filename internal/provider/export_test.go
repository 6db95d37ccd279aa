package provider

import "context"

// Passing is passing, for tests.
func Passing(ctx context.Context, req string, answer func(context.Context, string) (any, error)) (any, error) {
	return passing(ctx, req, answer)
}
