package function

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// RoleCode is the function role_code.
type RoleCode struct{}

// NewRoleCode returns the function role_code.
func NewRoleCode() function.Function { return RoleCode{} }

// Metadata returns the function's name, role_code.
func (RoleCode) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "role_code"
}

// Definition returns the function's parameters and documentation.
func (RoleCode) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Number of a role in Zulip's API",
		MarkdownDescription: "Returns the number of a role in Zulip's API, for other tools that need it. This provider uses the names of roles.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "role", MarkdownDescription: "`owner` (100), `administrator` (200), `moderator` (300), `member` (400) or `guest` (600)."},
		},
		Return: function.Int64Return{},
	}
}

// Run looks the role up.
func (RoleCode) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var roleName string
	if resp.Error = req.Arguments.Get(ctx, &roleName); resp.Error != nil {
		return
	}
	role, ok := zulip.ParseRole(roleName)
	if !ok {
		resp.Error = argumentError(0, fmt.Sprintf("%q is not a role: write owner, administrator, moderator, member or guest.", roleName))
		return
	}
	setResult(ctx, resp, int64(role))
}
