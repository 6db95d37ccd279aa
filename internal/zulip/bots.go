package zulip

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// BotType is the type of a bot, by its number in the API.
type BotType int64

// The types of bots.
const (
	BotGeneric         BotType = 1
	BotIncomingWebhook BotType = 2
	BotOutgoingWebhook BotType = 3
	BotEmbedded        BotType = 4
)

// Bot has the properties of a bot that its account does not have. Type, owner, names and activity are in its [User]: from
// feature level 474 on, no other answer has them (https://zulip.com/api/register-queue).
type Bot struct {
	UserID int64 `json:"user_id"`
	// The channels, by name; nil for none.
	DefaultSendingStream        *string `json:"default_sending_stream"`
	DefaultEventsRegisterStream *string `json:"default_events_register_stream"`
	DefaultAllPublicStreams     bool    `json:"default_all_public_streams"`
	// Services holds the URLs that an outgoing webhook sends to.
	Services []BotService `json:"services"`
}

// OwnBots returns the account's own active bots by their addresses, without their IDs and services. Unlike the snapshot, the
// server answers from no cache (server-behavior §U18).
func (c *Client) OwnBots(ctx context.Context) (map[string]*Bot, error) {
	type row struct {
		Username string `json:"username"`
		Bot
	}
	rows, err := list[row](ctx, c, "/bots", nil, "bots")
	if err != nil {
		return nil, err
	}
	bots := make(map[string]*Bot, len(rows))
	for _, row := range rows {
		bots[row.Username] = &row.Bot
	}
	return bots, nil
}

// BotService is the URL of an outgoing webhook, and its protocol: 1 is generic, 2 is Slack's.
type BotService struct {
	BaseURL   string `json:"base_url"`
	Interface int64  `json:"interface"`
}

// NewBot is a bot to create. The provider's account becomes its owner.
type NewBot struct {
	FullName, ShortName string
	Type                BotType
	PayloadURL          string // of an outgoing webhook
	Interface           int64  // of an outgoing webhook
	ServiceName         string
	Config              map[string]string
}

// CreateBot creates a bot and returns its ID. The account must belong to a person. The server refuses a short name that
// another bot has, active or not, with `Email is already in use.`, so a repeated call creates no second bot.
func (c *Client) CreateBot(ctx context.Context, bot NewBot) (int64, error) {
	return c.create(ctx, "/bots", params{
		"full_name":      text(bot.FullName),
		"short_name":     text(bot.ShortName),
		"bot_type":       bot.Type,
		"payload_url":    when(bot.PayloadURL != "", bot.PayloadURL), // JSON text, unlike the other texts
		"interface_type": when(bot.PayloadURL != "", bot.Interface),
		"service_name":   when(bot.ServiceName != "", text(bot.ServiceName)),
		"config_data":    when(len(bot.Config) > 0, bot.Config),
	}.form(), neverRetry, "user_id")
}

// BotUpdate is a change of a bot; nil leaves things unchanged.
type BotUpdate struct {
	FullName *string
	// ShortName is the beginning of the address. Servers below feature level 447 ignore it and report success.
	ShortName *string
	Role      *Role
	OwnerID   *int64
	// The channels, by name; "" for none.
	DefaultSendingStream, DefaultEventsRegisterStream *string
	DefaultAllPublicStreams                           *bool
	// Service is the URL that an outgoing webhook sends to.
	Service *BotService
	// Config is merged with the current configuration: a key cannot be removed.
	Config map[string]string
}

// Empty reports whether nothing changes.
func (u *BotUpdate) Empty() bool { return u.form().Empty() }

func (u *BotUpdate) form() *Form {
	form := params{
		"full_name":                      (*text)(u.FullName),
		"short_name":                     (*text)(u.ShortName),
		"default_sending_stream":         (*text)(u.DefaultSendingStream),
		"default_events_register_stream": (*text)(u.DefaultEventsRegisterStream),
		"role":                           u.Role,
		"bot_owner_id":                   u.OwnerID,
		"default_all_public_streams":     u.DefaultAllPublicStreams,
		"config_data":                    when(len(u.Config) > 0, u.Config),
	}.form()
	if u.Service != nil {
		// If the interface is missing, the server sets it to its default.
		form.JSON("service_payload_url", u.Service.BaseURL)
		form.JSON("service_interface", u.Service.Interface)
	}
	return form
}

// UpdateBot changes a bot, and returns its new defaults without services, because the snapshot may still have the old ones
// (server-behavior §U18). The account must belong to a person: the bot's owner, or an administrator. The server applies one
// change after the other. Changes before a refused one remain.
func (c *Client) UpdateBot(ctx context.Context, id int64, update BotUpdate) (*Bot, error) {
	bot := &Bot{}
	if _, err := c.send(ctx, http.MethodPatch, botPath(id), update.form(), safeToRetry, bot); err != nil {
		return nil, err
	}
	bot.UserID = id
	return bot, nil
}

// UploadBotAvatar uploads the picture of a bot and returns its new URL. The server infers the type of image from the file's
// extension (server-behavior §U22). A repeated call changes only the URL.
func (c *Client) UploadBotAvatar(ctx context.Context, id int64, file, contentType string, content []byte) (url string, err error) {
	form := &Form{}
	form.File(file, contentType, content)
	return sendFor[string](ctx, c, http.MethodPatch, botPath(id), form, safeToRetry, "avatar_url")
}

// DeactivateBot deactivates a bot. It is not an error if it is already deactivated.
func (c *Client) DeactivateBot(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodDelete, botPath(id), nil, safeToRetry)
}

func botPath(id int64) string { return itemPath("/bots", id) }

// BotAPIKey reads the API key of a bot. The server returns it to the bot's owner and to administrators. The call requires
// feature level 463.
func (c *Client) BotAPIKey(ctx context.Context, id int64) (string, error) {
	return sendFor[string](ctx, c, http.MethodGet, botPath(id)+"/api_key", nil, safeToRetry, "api_key")
}

// BotKey is a bot with its API key, as servers below feature level 474 list it.
type BotKey struct {
	UserID   int64  `json:"user_id"`
	Email    string `json:"email"`
	FullName string `json:"full_name"`
	IsActive bool   `json:"is_active"`
	APIKey   string `json:"api_key"`
}

// BotKeys reads the bots whose keys the account can see: its own bots, and for administrators all bots. The keys are not
// stored. From feature level 474 on the list holds no keys: [Client.BotAPIKey] reads one.
func (c *Client) BotKeys(ctx context.Context) ([]*BotKey, error) {
	form := params{
		"event_types":         []string{},
		"fetch_event_types":   []string{FetchBots},
		"client_capabilities": clientCapabilities,
	}.form()
	var answer struct {
		QueueID string    `json:"queue_id"`
		Bots    []*BotKey `json:"realm_bots"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/register", form, safeToRetry, &answer); err != nil {
		return nil, err
	}
	if err := c.DeleteQueue(ctx, answer.QueueID); err != nil {
		// The server drops an idle queue after ten minutes.
		tflog.Warn(ctx, "Could not close the event queue", map[string]any{"error": err.Error()})
	}
	return withoutNull(answer.Bots), nil
}
