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

// Metadata names the function.
func (RoleCode) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "role_code"
}

// Definition describes the function.
func (RoleCode) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "The number of a role",
		MarkdownDescription: "Returns the number by which Zulip's API knows a role, for other tools that want it. In this provider roles are words.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "role", MarkdownDescription: "`owner` (100), `administrator` (200), `moderator` (300), `member` (400) or `guest` (600)."},
		},
		Return: function.Int64Return{},
	}
}

// Run looks the role up.
func (RoleCode) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var word string
	if resp.Error = req.Arguments.Get(ctx, &word); resp.Error != nil {
		return
	}
	role, ok := zulip.ParseRole(word)
	if !ok {
		resp.Error = refuse(0, fmt.Sprintf("%q is not a role: write owner, administrator, moderator, member or guest.", word))
		return
	}
	answer(ctx, resp, int64(role))
}
