package sandbox

import (
	"maps"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// botDefaults are the three defaults of a bot (server-behavior §U13).
func (r *request) botDefaults(object fields, details rules.Bot) fields {
	name := func(channel int) any {
		if ch, ok := r.org.Channels.Get(channel); ok {
			return ch.Name
		}
		return nil
	}
	object["default_sending_stream"] = name(details.SendingChannelID)
	object["default_events_register_stream"] = name(details.EventsChannelID)
	object["default_all_public_streams"] = details.AllPublic
	return object
}

func listBots(r *request) (fields, error) {
	objects := []fields{}
	for _, u := range r.org.BotsOf(r.me.ID) {
		if u.Active {
			objects = append(objects, r.botDefaults(fields{
				"username": u.Email, "full_name": u.FullName, "api_key": u.APIKey, "avatar_url": avatarURL(u, false),
			}, r.org.BotDetails(u.ID)))
		}
	}
	return fields{"bots": objects}, nil
}

func createBot(r *request) (fields, error) {
	in := rules.NewBot{
		FullName:       required(r, "full_name", text()),
		ShortName:      required(r, "short_name", text()),
		Type:           withDefault(r, "bot_type", integer, rules.BotGeneric),
		PayloadURL:     withDefault(r, "payload_url", payloadURL, ""),
		ServiceName:    withDefault(r, "service_name", text(), ""),
		Config:         withDefault(r, "config_data", jsonOf(mapOf(parseString)), nil),
		Interface:      withDefault(r, "interface_type", integer, rules.InterfaceGeneric),
		SendingChannel: optional(r, "default_sending_stream", text()),
		Register:       optional(r, "default_events_register_stream", text()),
		AllPublic:      optional(r, "default_all_public_streams", boolean),
		Avatars:        r.uploads(),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.org.CreateBot(r.me, in)
	if err != nil {
		return nil, err
	}
	return r.botDefaults(fields{"user_id": u.ID, "api_key": u.APIKey, "avatar_url": avatarURL(u, false)}, r.org.BotDetails(u.ID)), nil
}

func updateBot(r *request) (fields, error) {
	change := rules.BotChange{
		FullName:       optional(r, "full_name", text()),
		ShortName:      optional(r.since(featurelevel.BotShortName), "short_name", text()),
		Role:           optional(r, "role", roleNumber),
		OwnerID:        optional(r, "bot_owner_id", integer),
		Config:         withDefault(r, "config_data", jsonOf(mapOf(parseString)), nil),
		PayloadURL:     optional(r, "service_payload_url", payloadURL),
		Interface:      withDefault(r, "service_interface", integer, rules.InterfaceGeneric),
		SendingChannel: optional(r, "default_sending_stream", text()),
		Register:       optional(r, "default_events_register_stream", text()),
		AllPublic:      optional(r, "default_all_public_streams", boolean),
		Avatars:        r.uploads(),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	id := r.id("bot_id")
	if err := r.org.UpdateBot(r.me, id, change); err != nil {
		return nil, err
	}
	u, err := r.org.AnyUser(id)
	if err != nil {
		return nil, err
	}
	answer := r.botDefaults(fields{
		"full_name": u.FullName, "avatar_url": avatarURL(u, false), "config_data": change.Config,
		"service_interface": change.Interface, "service_payload_url": change.PayloadURL,
	}, r.org.BotDetails(id))
	if boss, err := r.org.AnyUser(u.BotOwnerID); err == nil {
		answer["bot_owner"] = boss.APIEmail()
	}
	return answer, nil
}

func payloadURL(raw, name string) (string, error) {
	url, err := quoted(raw, name)
	if err == nil && !rules.IsURL(url) {
		err = rules.Refuse("Invalid %s: Value error, Not a URL", name)
	}
	return url, err
}

func deactivateBot(r *request) (fields, error) {
	return nil, r.org.DeactivateBot(r.me, r.id("bot_id"))
}

// getBotKey answers accounts that can change the bot (https://zulip.com/api/get-bot-api-key). Undocumented: bots cannot
// ask, and the answer includes the key of a deactivated bot.
func getBotKey(r *request) (fields, error) {
	u, err := r.org.Bot(r.me, r.id("bot_id"))
	if err != nil {
		return nil, err
	}
	return fields{"api_key": u.APIKey}, nil
}

func regenerateBotKey(r *request) (fields, error) {
	key, err := r.org.RegenerateKey(r.me, r.id("bot_id"))
	if err != nil {
		return nil, err
	}
	return fields{"api_key": key}, nil
}

// registerBots is the realm_bot part of a snapshot: the caller's own bots, and for administrators all bots. Older servers
// repeat the fields of the list of users, and add the key.
func registerBots(r *request, _ registerOptions) fields {
	objects := []fields{}
	for _, u := range r.listedUsers() {
		if !u.IsBot || !r.me.IsAdmin() && u.BotOwnerID != r.me.ID {
			continue
		}
		services := []fields{}
		if service := r.org.BotDetails(u.ID).Service; service != nil {
			services = append(services, fields{"base_url": service.URL, "interface": service.Interface, "token": service.Token})
		}
		object := r.botDefaults(fields{"user_id": u.ID, "services": services}, r.listedBot(u.ID))
		if r.level < featurelevel.SlimBots {
			maps.Copy(object, fields{
				"email": u.Email, "full_name": u.FullName, "bot_type": u.BotType, "is_active": u.Active,
				"api_key": u.APIKey, "owner_id": orNil(u.BotOwnerID), "avatar_url": avatarURL(u, false),
			})
		}
		objects = append(objects, object)
	}
	return fields{"realm_bots": objects}
}
