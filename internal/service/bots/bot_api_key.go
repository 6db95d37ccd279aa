package bots

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*botAPIKeyEphemeral)(nil)

// botAPIKeyEphemeral is the ephemeral resource zulip_bot_api_key.
type botAPIKeyEphemeral struct{ base.Ephemeral }

// NewBotAPIKeyEphemeral returns the ephemeral resource zulip_bot_api_key.
func NewBotAPIKeyEphemeral() ephemeral.EphemeralResource { return &botAPIKeyEphemeral{} }

type botAPIKeyModel struct {
	Bot    types.String `tfsdk:"bot"`
	UserID types.Int64  `tfsdk:"user_id"`
	Email  types.String `tfsdk:"email"`
	APIKey types.String `tfsdk:"api_key"`
}

func (e *botAPIKeyEphemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_bot_api_key"
}

func (e *botAPIKeyEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the API key of a bot for another provider block or a write-only attribute. State and plans never contain it.",
		Attributes: map[string]schema.Attribute{
			"bot":     schema.StringAttribute{Required: true, MarkdownDescription: "Email address or user ID of the bot."},
			"user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "User ID of the bot."},
			"email":   schema.StringAttribute{Computed: true, MarkdownDescription: "Email address of the bot, its user name with the key."},
			"api_key": schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "API key of the bot."},
		},
	}
}

// Open reads the key.
func (e *botAPIKeyEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var result botAPIKeyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &result)...)
	if resp.Diagnostics.HasError() || !e.Ready(&resp.Diagnostics) {
		return
	}
	if !e.read(ctx, &result, &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, &result)...)
}

// read fills in the bot and its key. From one feature level on, the key has its own request, and from a later one on,
// the list of bots has no keys. Older servers only have the list. A server of unknown level is asked both ways.
func (e *botAPIKeyEphemeral) read(ctx context.Context, result *botAPIKeyModel, diags *diag.Diagnostics) bool {
	if e.HasLevel(featurelevel.BotAPIKey) {
		bot := e.find(ctx, result.Bot.ValueString(), diags)
		if bot == nil {
			return false
		}
		key, err := e.Meta.Client.BotAPIKey(ctx, bot.ID)
		if err == nil && key != "" {
			result.UserID, result.Email, result.APIKey = types.Int64Value(bot.ID), types.StringValue(bot.Address()), types.StringValue(key)
			return true
		}
		if e.FeatureLevel() > 0 || !zulip.IsUnknownEndpoint(err) {
			diags.AddAttributeError(path.Root("bot"), "Cannot read the API key of "+bot.Address(), e.explain(err))
			return false
		}
	}
	bots, err := e.Meta.Client.BotKeys(ctx)
	if err != nil {
		diags.AddError("Cannot read the bots", base.Explain(err))
		return false
	}
	bot, err := findKey(bots, result.Bot.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("bot"), fmt.Sprintf("Cannot read the API key of %q", result.Bot.ValueString()), base.Sentence(err))
		return false
	}
	result.UserID, result.Email, result.APIKey = types.Int64Value(bot.UserID), types.StringValue(bot.Email), types.StringValue(bot.APIKey)
	return true
}

// find returns the active bot with an email or ID; nil after an error.
func (e *botAPIKeyEphemeral) find(ctx context.Context, text string, diags *diag.Diagnostics) *zulip.User {
	at, summary := path.Root("bot"), fmt.Sprintf("Cannot read the API key of %q", text)
	user, err := e.lookUp(ctx, text)
	if err == nil {
		// The key is read now, so its account is not taken from the snapshot.
		user, err = e.Meta.Client.User(ctx, user.ID)
	}
	switch {
	case err != nil:
		diags.AddAttributeError(at, summary, base.Explain(err)+"\n\nSet the email or ID of an active bot.")
	case !user.IsBot:
		diags.AddAttributeError(at, summary, fmt.Sprintf("%s is a person. Only the keys of bots can be read.", user.Address()))
	case !user.IsActive:
		diags.AddAttributeError(at, summary, fmt.Sprintf("%s is deactivated, so its key does not work. Reactivate the bot, or remove this ephemeral resource.", user.Address()))
	default:
		return user
	}
	return nil
}

// lookUp returns the person or bot with an email or ID. One that the snapshot lacks may have been created since.
func (e *botAPIKeyEphemeral) lookUp(ctx context.Context, text string) (*zulip.User, error) {
	view, err := e.Meta.Store.Read(ctx, store.Users)
	if err != nil {
		return nil, err
	}
	if found, err := lookup.User(view, text); err == nil {
		return found, nil
	}
	if view, err = e.Meta.Store.Fresh(ctx, store.Users); err != nil {
		return nil, err
	}
	return lookup.User(view, text)
}

// explain explains why the server returned no key, and the fix.
func (e *botAPIKeyEphemeral) explain(err error) string {
	const who = "Only the bot's owner and administrators of the organization can read its key. Use the key of such an account in the provider block."
	switch {
	case err == nil:
		return "The server answered without a key. Check the server's log, and report this if the server is supported."
	case zulip.IsUnknownEndpoint(err):
		return base.Explain(err) + fmt.Sprintf("\n\nThe server reports feature level %d, and reading a single key requires %s. Check that no proxy changes the request, and that the server reports its true level.",
			e.FeatureLevel(), featurelevel.Describe(featurelevel.BotAPIKey))
	case zulip.IsMessage(err, "Insufficient permission"):
		return base.Explain(err) + "\n\n" + who
	case zulip.IsMessage(err, "No such bot"):
		return base.Explain(err) + "\n\nThe server does not return the key of this bot. The bot may have been deactivated: check it in the organization's settings."
	}
	return base.Explain(err)
}

// findKey returns the bot with an email or an ID, among those whose keys the server lists.
func findKey(bots []*zulip.BotKey, text string) (*zulip.BotKey, error) {
	i := slices.IndexFunc(bots, func(bot *zulip.BotKey) bool {
		return strings.EqualFold(bot.Email, text) || strconv.FormatInt(bot.UserID, 10) == text
	})
	switch {
	case i < 0:
		names := suggest.Names{Things: "bots that it lists", Where: "the data source zulip_users lists all bots", Unquoted: true}
		for _, bot := range bots {
			if bot.IsActive {
				names.All = append(names.All, bot.Email)
			}
		}
		return nil, fmt.Errorf("the server lists the keys of the account's own bots, and to administrators those of all bots; %q is not among them%s", text, names.Suggest(text))
	case !bots[i].IsActive:
		return nil, fmt.Errorf("%s is deactivated, so its key does not work. Reactivate the bot, or remove this ephemeral resource", text)
	case bots[i].APIKey == "":
		return nil, fmt.Errorf("the server does not show the key of %s to the provider's account", text)
	}
	return bots[i], nil
}
