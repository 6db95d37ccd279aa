package provider

import "context"

// UntilAnswered is untilAnswered, for tests.
func UntilAnswered(ctx context.Context) (context.Context, func()) { return untilAnswered(ctx) }
