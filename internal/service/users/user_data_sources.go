package users

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/adapter"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// NewUserDataSource returns the data source zulip_user.
func NewUserDataSource() datasource.DataSource {
	return adapter.DataSource[userFields]{Name: "user", Schema: userDataSchema, Read: readUserData}.New()
}

func userDataSchema() schema.Schema {
	all := userDataAttributes()
	all["id"] = schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: "User ID. If `id` and `email` are null, the provider's account is read.",
		Validators: []validator.Int64{validators.AtMostOneOf("id", "email")},
	}
	all["email"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Email address to find the user by: the real address if the provider's account can see it, or the generated one. Case is ignored. The result is the real address if the provider's account can see it, otherwise the generated one.",
	}
	return schema.Schema{
		MarkdownDescription: "Reads a user or bot by ID or email address, even if it is deactivated, or the provider's own account.",
		Attributes:          all,
	}
}

func readUserData(ctx context.Context, c *adapter.Call[userFields], config *userFields) error {
	s, err := c.Read("the users", store.Users)
	if err != nil {
		return err
	}
	wanted, at := config.Email.ValueString(), path.Root("email")
	if config.Email.IsNull() {
		id := c.Meta.Store.Self().ID
		if !config.ID.IsNull() {
			id = config.ID.ValueInt64()
		}
		wanted, at = strconv.FormatInt(id, 10), path.Root("id")
	}
	user, err := lookup.User(s, wanted)
	if err != nil {
		return lookup.Error(at, err, "")
	}
	c.Diags.Append(config.read(ctx, user, s, c.HasLevel(featurelevel.DeletedUsers))...)
	return nil
}

// NewUsersDataSource returns the data source zulip_users.
func NewUsersDataSource() datasource.DataSource {
	return adapter.DataSource[usersModel]{Name: "users", Schema: usersDataSchema, Read: readUsersData}.New()
}

func usersDataSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists users and bots, sorted by ID. All filters must match. Without a filter, deactivated users are included.",
		Attributes: map[string]schema.Attribute{
			"role": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Only users with this role: `owner`, `administrator`, `moderator`, `member` or `guest`.",
				Validators: []validator.String{validators.OneOf("owner", "administrator", "moderator", "member", "guest")},
			},
			"is_bot":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Only bots (`true`), or only users (`false`)."},
			"is_active": schema.BoolAttribute{Optional: true, MarkdownDescription: "Only active (`true`), or only deactivated users and bots (`false`)."},
			"emails": schema.SetAttribute{
				ElementType: types.StringType, Optional: true,
				MarkdownDescription: "Only users with one of these email addresses. An unknown address is an error.",
			},
			"profile_field": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Only users with this value in a custom profile field.",
				Attributes: map[string]schema.Attribute{
					"name":  schema.StringAttribute{Required: true, MarkdownDescription: "Name of the field."},
					"value": schema.StringAttribute{Required: true, MarkdownDescription: "Value of the field, as the server stores it."},
				},
			},
			"users": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Users and bots.",
				NestedObject: schema.NestedAttributeObject{Attributes: userDataAttributes()},
			},
		},
	}
}

func readUsersData(ctx context.Context, c *adapter.Call[usersModel], list *usersModel) error {
	s, err := c.Read("the users", store.Users)
	if err != nil {
		return err
	}
	for _, address := range list.Emails {
		if _, err := lookup.User(s, address); err != nil {
			lookup.AddError(c.Diags, path.Root("emails"), err, "")
		}
	}
	if field := list.ProfileField; field != nil {
		if _, err := lookup.ExistingProfileField(s, field.Name); err != nil {
			c.Diags.AddAttributeError(path.Root("profile_field"), "No such profile field", base.Sentence(err))
		}
	}
	if c.Diags.HasError() {
		return nil
	}
	list.Users = []userFields{}
	for _, user := range s.Users() {
		if list.admits(user, s) {
			var found userFields
			c.Diags.Append(found.read(ctx, user, s, c.HasLevel(featurelevel.DeletedUsers))...)
			list.Users = append(list.Users, found)
		}
	}
	return nil
}

type usersModel struct {
	Role         types.String       `tfsdk:"role"`
	IsBot        types.Bool         `tfsdk:"is_bot"`
	IsActive     types.Bool         `tfsdk:"is_active"`
	Emails       []string           `tfsdk:"emails"`
	ProfileField *profileFieldModel `tfsdk:"profile_field"`
	Users        []userFields       `tfsdk:"users"`
}

type profileFieldModel struct {
	Name  string `tfsdk:"name"`
	Value string `tfsdk:"value"`
}

// admits reports whether a user matches every filter.
func (l *usersModel) admits(user *zulip.User, s *snapshot.Snapshot) bool {
	if !l.Role.IsNull() && l.Role.ValueString() != user.Role.String() ||
		!l.IsBot.IsNull() && l.IsBot.ValueBool() != user.IsBot ||
		!l.IsActive.IsNull() && l.IsActive.ValueBool() != user.IsActive {
		return false
	}
	if l.Emails != nil && !slices.ContainsFunc(l.Emails, func(address string) bool {
		return strings.EqualFold(address, user.Email) || strings.EqualFold(address, user.Address())
	}) {
		return false
	}
	return l.ProfileField == nil || profileOf(user, s)[l.ProfileField.Name] == l.ProfileField.Value
}

// userFields are the attributes of a person or bot.
type userFields struct {
	ID            types.Int64  `tfsdk:"id"`
	Email         types.String `tfsdk:"email"`
	DeliveryEmail types.String `tfsdk:"delivery_email"`
	APIEmail      types.String `tfsdk:"api_email"`
	FullName      types.String `tfsdk:"full_name"`
	Role          types.String `tfsdk:"role"`
	IsActive      types.Bool   `tfsdk:"is_active"`
	IsDeleted     types.Bool   `tfsdk:"is_deleted"`
	IsBot         types.Bool   `tfsdk:"is_bot"`
	BotType       types.Int64  `tfsdk:"bot_type"`
	BotOwnerID    types.Int64  `tfsdk:"bot_owner_id"`
	Timezone      types.String `tfsdk:"timezone"`
	DateJoined    types.String `tfsdk:"date_joined"`
	ProfileData   types.Map    `tfsdk:"profile_data"`
}

// read sets the fields to the server's values. tellsDeleted is true if the server shows which accounts were deleted.
func (f *userFields) read(ctx context.Context, user *zulip.User, s *snapshot.Snapshot, tellsDeleted bool) diag.Diagnostics {
	f.ID = types.Int64Value(user.ID)
	f.Email = types.StringValue(user.Address())
	f.DeliveryEmail = types.StringPointerValue(user.DeliveryEmail)
	f.APIEmail = types.StringValue(user.Email)
	f.FullName = types.StringValue(user.FullName)
	f.Role = types.StringValue(user.Role.String())
	f.IsActive = types.BoolValue(user.IsActive)
	f.IsDeleted = types.BoolNull()
	if tellsDeleted {
		f.IsDeleted = types.BoolValue(user.IsDeleted)
	}
	f.IsBot = types.BoolValue(user.IsBot)
	f.BotType = types.Int64PointerValue(user.BotType)
	f.BotOwnerID = types.Int64PointerValue(user.BotOwnerID)
	f.Timezone = types.StringValue(user.Timezone)
	f.DateJoined = types.StringValue(user.DateJoined)
	profile, diags := types.MapValueFrom(ctx, types.StringType, profileOf(user, s))
	f.ProfileData = profile
	return diags
}

// profileOf returns the custom profile of a person, by the names of the fields.
func profileOf(user *zulip.User, s *snapshot.Snapshot) map[string]string {
	profile := map[string]string{}
	for _, field := range s.ProfileFields().List() {
		if value, ok := user.ProfileData[strconv.FormatInt(field.ID, 10)]; ok {
			profile[field.Name] = value.Value
		}
	}
	return profile
}

// userDataAttributes describe the fields.
func userDataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":             schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID."},
		"email":          schema.StringAttribute{Computed: true, MarkdownDescription: "Email address, as every resource takes it: the real one if the provider's account can see it, otherwise the generated one."},
		"delivery_email": schema.StringAttribute{Computed: true, MarkdownDescription: "Real email address. Null if the provider's account can't see it."},
		"api_email":      schema.StringAttribute{Computed: true, MarkdownDescription: "Address that the server's API gives the user. If not everyone can see the real one, it is generated, such as `user12@zulip.example.com`, and gets no mail."},
		"full_name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Display name."},
		"role":           schema.StringAttribute{Computed: true, MarkdownDescription: "Role: `owner`, `administrator`, `moderator`, `member` or `guest`."},
		"is_active":      schema.BoolAttribute{Computed: true, MarkdownDescription: "False if the user is deactivated."},
		"is_deleted":     schema.BoolAttribute{Computed: true, MarkdownDescription: "True if the user was deleted on the server. A deleted user is also deactivated and can't be reactivated. " + featurelevel.Needs(userKind, "is_deleted")},
		"is_bot":         schema.BoolAttribute{Computed: true, MarkdownDescription: "True for a bot."},
		"bot_type":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Type of the bot: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. Null for users."},
		"bot_owner_id":   schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the bot's owner. Null for users."},
		"timezone":       schema.StringAttribute{Computed: true, MarkdownDescription: "Time zone, such as `Europe/Berlin`. Empty if it is not set."},
		"date_joined":    schema.StringAttribute{Computed: true, MarkdownDescription: "Creation time (RFC 3339)."},
		"profile_data":   schema.MapAttribute{ElementType: types.StringType, Computed: true, MarkdownDescription: "Values of custom profile fields by field name, as the server stores them. Fields without a value are absent."},
	}
}
