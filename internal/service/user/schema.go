package user

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
)

const description = "The account of a person. Bots are `zulip_bot`; to manage the role alone of somebody who joined by themselves, there is `zulip_user_role`.\n\n" +
	"Making accounts takes an administrator with the right `can_create_users`, which only the server's shell grants, and changing an address takes `can_change_user_emails`. Most organizations invite people instead.\n\n" +
	"Zulip deletes nobody: destroying deactivates the account, with the bots it owns. Its address stays taken, and `adopt_deactivated = true` reactivates the account. " + framework.NeverAdopted + "\n\n" +
	"An address has one account, so applying again after a lost answer makes no second one: the account is found by its address, or, where that is hidden from the account the provider uses, as the one of that name that came with the call. Nothing recognises the account of an apply that was killed in between; importing it does."

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version:             framework.SchemaVersion,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "The user's ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The real address, whatever its case. Another one moves the account, from " + featurelevel.Describe(levelNewEmail) + " on. Where the person hides the address from the account the provider uses, it cannot be compared, and stays as it is written here.",
				Validators:          []validator.String{validators.Length(3, 0)},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name, at most 100 characters, without any of ``* ` \\ > \" @``.",
				Validators: []validator.String{nameValidator{}, validators.VisibleName{}},
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "`owner`, `administrator`, `moderator`, `member` or `guest`. Not set, it is not managed; new accounts are members. A role that somebody changed since the plan was made is not written over.",
				Validators:          []validator.String{validators.OneOf(framework.Roles()...)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"profile_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Custom profile fields by name. Only those named here are managed; `\"\"` takes a value away. An option of a list is written by its key, a date as `2006-01-02`, people as `jsonencode([...])` of addresses or IDs.",
			},
			"password": schema.StringAttribute{
				Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "The first password; it is in no state and no plan, and counts only when the account is made: the server lets nobody change it for somebody else later. By default one is made up that nobody knows, and the person asks for another one at the login, or logs in another way.",
				Validators:          []validator.String{validators.Length(1, 0)},
			},
			"deactivation_notification_comment": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "When it is destroyed, the server tells the person by e-mail, with this text; `\"\"` is the e-mail without a text. Not set, there is no e-mail. At most 2000 characters. " + featurelevel.Needs("zulip_user", "deactivation_notification_comment"),
				Validators:          []validator.String{validators.Length(0, 2000)},
			},
			"deactivation_actions": deactivationActionsAttribute(),
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Reactivate a deactivated account with the address instead of failing. Its ID, messages and subscriptions stay; the bots it owned stay deactivated. Only used on creation. Defaults to `false`.",
			},
			"date_joined": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time at which the account was created (RFC 3339).",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
}

// Limits of names (server-behavior §U5).
const (
	longestName      = 100
	forbiddenInNames = "*`\\>\"@"
)

// nameValidator refuses names that no server takes.
type nameValidator struct{}

// Description says what is accepted.
func (nameValidator) Description(context.Context) string { return "a name" }

// MarkdownDescription says what is accepted.
func (v nameValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString refuses the rest.
func (nameValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	name := strings.TrimSpace(req.ConfigValue.ValueString())
	switch length := utf8.RuneCountInString(name); {
	case name == "":
		resp.Diagnostics.AddAttributeError(req.Path, "Not a name", "A name is not blank.")
	case length > longestName:
		resp.Diagnostics.AddAttributeError(req.Path, "The name is too long", fmt.Sprintf("It has %d characters. The server takes %d.", length, longestName))
	case strings.ContainsAny(name, forbiddenInNames):
		resp.Diagnostics.AddAttributeError(req.Path, "Not a name", "A name holds none of * ` \\ > \" @, which mean something in messages.")
	}
}
