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

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/accounts"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

const description = "Manages the account of a person. Bots are managed with `zulip_bot`; `zulip_user_role` manages only the role of somebody who joined by themselves.\n\n" +
	"To create accounts, the provider's account has to be an administrator with the right `can_create_users`, which only the server's shell grants; changing an address takes `can_change_user_emails`. Most organizations invite people instead.\n\n" +
	"Zulip cannot delete an account: destroying the resource deactivates it, with the bots it owns. A `zulip_bot` that gets another `owner` in the same apply is reactivated. A deactivated account keeps its address; `adopt_deactivated = true` reactivates it. " + core.NeverAdopted + "\n\n" +
	"If the answer to a creation is lost, the account is found by its address or, where the person hides the address from the provider's account, as the new account with the same name. After an apply that was killed, import the account."

func resourceSchema() schema.Schema {
	return schema.Schema{
		Version:             base.SchemaVersion,
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"id": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "User ID.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
			},
			"email": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Real email address. Case is ignored. A change is applied in place from " + featurelevel.Describe(levelNewEmail) + " on, and refused on older servers. If the person hides the address from the provider's account, the server does not show it: the state keeps what is configured, and changes made elsewhere are not detected.",
				Validators:          []validator.String{validators.EmailAddress{}},
			},
			"full_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Display name, at most 100 characters, without any of ``* ` \\ > \" @``.",
				Validators: []validator.String{nameValidator{}, validators.VisibleName{}},
			},
			"role": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Role of the person: `owner`, `administrator`, `moderator`, `member` or `guest`. If unset, the role is not managed; a new account is a member. Only administrators can set it, and only owners can make or unmake owners. If somebody else changes the role between plan and apply, the apply stops.",
				Validators:          []validator.String{validators.OneOf(accounts.Roles()...)},
			},
			"active": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the account is active. `false` deactivates it as destroying the resource does, and keeps it in the state; `true` reactivates it. " +
					"A new resource with `false` adopts the deactivated account of the address, and creates none. If unset, this is not managed: an account that somebody else deactivates leaves the state.",
			},
			"profile_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Values of custom profile fields, by the names of the fields: a date as `2006-01-02`, an option of a list as its key, people as `jsonencode([...])` of their email addresses or user IDs; `\"\"` removes the value. Fields that are not named here are not managed.",
			},
			"password": schema.StringAttribute{
				Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "First password of the account. In no state and no plan. Only used on create: the server lets nobody change the password of somebody else later. Defaults to a random password that nobody knows; the person resets it at the login, or logs in another way.",
				Validators:          []validator.String{validators.Length(1, 0)},
			},
			"deactivation_notification_comment": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Text of the email that tells the person about the deactivation when the resource is destroyed or `active` becomes `false`, at most 2000 characters; `\"\"` sends the email without a text. If unset, no email is sent. It has to be applied before the resource is destroyed. " + featurelevel.Needs("zulip_user", "deactivation_notification_comment"),
				Validators:          []validator.String{validators.Length(0, 2000)},
			},
			"deactivation_actions": deactivationActionsAttribute(),
			"adopt_deactivated": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Reactivate a deactivated account with the same `email` instead of failing. It keeps its ID, messages and subscriptions; the bots it owned stay deactivated. Only used on create. Defaults to `false`.",
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
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid name", "A name must not be blank.")
	case length > longestName:
		resp.Diagnostics.AddAttributeError(req.Path, "The name is too long", fmt.Sprintf("It has %d characters. The server accepts %d.", length, longestName))
	case strings.ContainsAny(name, forbiddenInNames):
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid name", "A name must not contain any of * ` \\ > \" @, which have a meaning in messages.")
	}
}
