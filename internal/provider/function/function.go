// Package function implements the provider's functions, such as provider::zulip::channel_link. Each is a type with the
// methods of [function.Function]; [All] lists them for the provider. They are computed locally: they need neither a server
// nor a configured provider.
package function

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All lists every function.
func All() []func() function.Function {
	return []func() function.Function{NewChannelLink, NewTopicLink, NewMessageLink, NewLinkify, NewRoleCode}
}

// argumentError returns an error about an argument; the first has the number 0.
func argumentError(argument int64, problem string) *function.FuncError {
	return function.NewArgumentFuncError(argument, problem)
}

// setResult sets the result of the function, or reports why it cannot.
func setResult(ctx context.Context, resp *function.RunResponse, value any) {
	resp.Error = function.ConcatFuncErrors(resp.Error, resp.Result.Set(ctx, value))
}
