// Package botapikey is the noun of the API keys of bots, which are never in a state.
package botapikey

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*Ephemeral)(nil)

// Ephemeral is the ephemeral resource zulip_bot_api_key.
type Ephemeral struct{ framework.Ephemeral }

// NewEphemeral returns the ephemeral resource zulip_bot_api_key.
func NewEphemeral() ephemeral.EphemeralResource { return &Ephemeral{} }

type model struct {
	Bot    types.String `tfsdk:"bot"`
	UserID types.Int64  `tfsdk:"user_id"`
	Email  types.String `tfsdk:"email"`
	APIKey types.String `tfsdk:"api_key"`
}

// Metadata names the ephemeral resource.
func (e *Ephemeral) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_bot_api_key"
}

// Schema describes the ephemeral resource.
func (e *Ephemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The API key of a bot, read anew in each run and kept in no state and no plan: for another provider, or for a write-only attribute that hands it to a store of secrets. The bot's owner may read it, and administrators.",
		Attributes: map[string]schema.Attribute{
			"bot":     schema.StringAttribute{Required: true, MarkdownDescription: "The bot: its address or its ID."},
			"user_id": schema.Int64Attribute{Computed: true, MarkdownDescription: "The bot's ID."},
			"email":   schema.StringAttribute{Computed: true, MarkdownDescription: "The bot's address, which goes with the key."},
			"api_key": schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: "The key."},
		},
	}
}

// Open reads the key.
func (e *Ephemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var result model
	resp.Diagnostics.Append(req.Config.Get(ctx, &result)...)
	if resp.Diagnostics.HasError() || !e.Ready(&resp.Diagnostics) {
		return
	}
	bots, err := e.Meta.Client.BotKeys(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Could not read the bots", framework.Explain(err))
		return
	}
	bot, err := find(bots, result.Bot.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("bot"), "No key for this bot", framework.Sentence(err))
		return
	}
	result.UserID, result.Email, result.APIKey = types.Int64Value(bot.UserID), types.StringValue(bot.Email), types.StringValue(bot.APIKey)
	resp.Diagnostics.Append(resp.Result.Set(ctx, &result)...)
}

// find finds the bot that an address or an ID means.
func find(bots []*zulip.BotKey, text string) (*zulip.BotKey, error) {
	i := slices.IndexFunc(bots, func(bot *zulip.BotKey) bool {
		return strings.EqualFold(bot.Email, text) || strconv.FormatInt(bot.UserID, 10) == text
	})
	switch {
	case i < 0:
		return nil, fmt.Errorf("the account the provider uses may read the keys of its own bots, and as an administrator of all, and there is no %q among them", text)
	case !bots[i].IsActive:
		return nil, fmt.Errorf("%s is deactivated, and its key opens nothing. Reactivate the bot, or take it out of the configuration", text)
	case bots[i].APIKey == "":
		return nil, fmt.Errorf("the server does not show the key of %s to the account the provider uses", text)
	}
	return bots[i], nil
}
