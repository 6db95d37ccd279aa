// Package function holds the provider's functions. They need no server, and no settings of the provider.
package function

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All lists every function.
func All() []func() function.Function {
	return []func() function.Function{NewChannelLink, NewTopicLink, NewMessageLink, NewLinkify, NewRoleCode}
}

// refuse reports a mistake in an argument, counted from zero.
func refuse(argument int64, problem string) *function.FuncError {
	return function.NewArgumentFuncError(argument, problem)
}

// answer sets the result.
func answer(ctx context.Context, resp *function.RunResponse, value any) {
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, value))
}
