package life

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// A generator draws the details of a turn. It draws existing objects by their names, so that a history without some of its turns
// mostly does the same.
type generator struct {
	*rand.Rand
	w    *World
	c    *configuration
	seed uint64
	self string // the address of the resource that is drawn
}

func newGenerator(w *World, seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, seed)), w: w, c: w.config, seed: seed} //nolint:gosec // a test
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// of draws one of some words, "" if there is none.
func (g *generator) of(words ...string) (drawn string) {
	highest, salt := uint64(0), g.Uint64()
	for _, word := range words {
		sum := fnv.New64a()
		_, _ = fmt.Fprint(sum, salt, word)
		if value := sum.Sum64() * 0x9e3779b97f4a7c15; value >= highest {
			highest, drawn = value, word
		}
	}
	return drawn
}

// block draws a resource of a kind, nil if there is none.
func (g *generator) block(kind string) *block {
	var addresses []string
	for _, b := range g.c.of(kind) {
		if b.address() != g.self {
			addresses = append(addresses, b.address())
		}
	}
	return g.c.blocks[g.of(addresses...)]
}

// isApplied reports whether a resource is in the state.
func (g *generator) isApplied(b *block) bool { return b != nil && g.w.stateOf(b.address()) != nil }

// mails are the emails of people who can come.
var mails = []string{"nia@example.com", "zoe@example.com", "ben@example.com", "eva@example.com"}

// person draws an email, as text or as a reference.
func (g *generator) person() any {
	if b := g.block("zulip_user"); b != nil && g.chance(70) {
		if mail, isText := b.config["email"].(string); isText && g.isApplied(b) && g.chance(30) {
			return mail
		}
		return ref{b.address(), "email"}
	}
	return accounts[g.of("mo", "mel", "max", "kim", "gus")].Email
}

func (g *generator) people(most int) []any {
	found := []any{}
	for range 1 + g.IntN(most+1) {
		if one := g.person(); !slices.Contains(found, one) {
			found = append(found, one)
		}
	}
	return found
}

// group draws the name of a group, with a prefix; nil if there is none.
func (g *generator) group(prefix string) any {
	b := g.block("zulip_user_group")
	switch {
	case b == nil:
		return nil
	case g.isApplied(b) && g.chance(40):
		return prefix + fmt.Sprint(b.config["name"])
	case prefix == "":
		return ref{b.address(), "name"}
	}
	return text{prefix, ref{b.address(), "name"}}
}

// permission draws a value of a permission.
func (g *generator) permission() any {
	if g.chance(20) {
		return []any{g.of("role:members", "role:moderators", "role:administrators")}
	}
	found := []any{}
	if g.chance(60) { // the accounts of the provider are administrators
		found = append(found, "role:administrators")
	}
	for range 1 + g.IntN(2) {
		one := g.group("group:")
		if one == nil || g.chance(50) {
			switch person := g.person().(type) {
			case ref:
				one = text{"user:", person}
				if g.chance(30) {
					one = text{"user_id:", ref{person.address, "id"}}
				}
			default:
				one = "user:" + fmt.Sprint(person)
			}
		}
		if !slices.Contains(found, one) {
			found = append(found, one)
		}
	}
	return found
}

// permissions draws some permissions of a resource: often the usual ones, and rarely any.
func (g *generator) permissions(config values, percent, rarely int, all []permission.Spec, usual ...string) {
	for _, one := range all {
		if percent := map[bool]int{true: percent, false: rarely}[slices.Contains(usual, one.Name)]; !g.chance(percent) {
			continue
		}
		if config[one.Name] = g.permission(); len(one.Roles) > 0 {
			config[one.Name] = []any{g.of(one.Roles...)}
		}
	}
}

// channel draws a channel's ID or name, nil if there is none.
func (g *generator) channel(attribute string) any {
	if b := g.block("zulip_channel"); b != nil {
		return ref{b.address(), attribute}
	}
	return nil
}

// refs lists a reference to the ID of each resource of a kind, in a random order.
func (g *generator) refs(kind string) any {
	found := []any{}
	for _, b := range g.c.of(kind) {
		found = append(found, ref{b.address(), "id"})
	}
	g.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	if len(found) == 0 {
		return nil
	}
	return found
}

// maybe draws an attribute or leaves it out.
func (g *generator) maybe(config values, percent int, name string, value any) {
	if g.chance(percent) && value != nil {
		config[name] = value
	}
}

// word draws a name that few objects have.
func (g *generator) word() string {
	return g.of("alpha", "beta", "gamma", "delta", "omega") + fmt.Sprint(g.IntN(4))
}

// singles are the kinds that a configuration has once, because the organization has one.
var singles = []string{
	"zulip_organization", "zulip_default_user_settings", "zulip_channel_folder_order", "zulip_linkifier_order", "zulip_custom_profile_field_order",
}

// samples draws a configuration for each kind of resource. A nil value of a required attribute is one that no configuration
// can have now.
var samples = map[string]func(g *generator) values{
	"zulip_user": func(g *generator) values {
		config := values{"email": g.of(mails...), "full_name": "N " + g.word()}
		g.maybe(config, 30, "role", g.of("member", "moderator", "guest"))
		g.maybe(config, 50, "active", true)
		if field := g.block("zulip_custom_profile_field"); field != nil && g.chance(30) {
			config["profile_data"] = []entry{{ref{field.address(), "name"}, g.word()}}
		}
		return config
	},
	"zulip_user_group": func(g *generator) values {
		config := values{"name": "g" + g.word()}
		g.maybe(config, 80, "members", g.people(3))
		g.maybe(config, 20, "description", g.word())
		if group := g.group(""); group != nil && g.chance(30) {
			config["subgroups"] = []any{group}
		}
		g.permissions(config, 0, 15, permission.UserGroupSettings)
		return config
	},
	"zulip_channel": func(g *generator) values {
		config := values{"name": "c" + g.word()}
		g.maybe(config, 40, "privacy", g.of("public", "private_shared_history", "private_protected_history"))
		g.maybe(config, 40, "is_default", g.chance(60))
		g.maybe(config, 30, "description", g.word())
		g.maybe(config, 20, "message_retention_days", g.of("30", "unlimited"))
		if folder := g.block("zulip_channel_folder"); folder != nil && g.chance(50) {
			config["folder"] = ref{folder.address(), "name"}
		}
		g.permissions(config, 30, 4, permission.ChannelSettings, "can_send_message_group", "can_administer_channel_group", "can_add_subscribers_group", "can_subscribe_group", "can_remove_subscribers_group")
		g.maybe(config, 6, "initial_subscribers", g.withAccount(2))
		return config
	},
	"zulip_channel_subscribers": func(g *generator) values {
		return values{"channel": g.channel("id"), "users": g.withAccount(3)}
	},
	"zulip_channel_subscription": func(g *generator) values {
		return values{"channel": g.channel(g.of("id", "name")), "users": g.people(2)}
	},
	"zulip_channel_subscription_settings": func(g *generator) values {
		config := values{"channel": g.channel("id"), "color": g.of("#76ce90", "#c6a8ad")}
		g.maybe(config, 50, "is_muted", g.chance(50))
		return config
	},
	"zulip_user_group_membership": func(g *generator) values { return values{"group": g.group(""), "members": g.people(2)} },
	"zulip_role_members": func(g *generator) values {
		config := values{"role": "moderator", "users": append(g.people(2), "mo@example.com")}
		g.maybe(config, 50, "demote_to", "member")
		return config
	},
	"zulip_user_role": func(g *generator) values {
		config := values{"user": g.person(), "role": g.of("moderator", "member", "guest")}
		if user, isRef := config["user"].(ref); isRef && g.chance(50) {
			config["user"] = ref{user.address, "id"}
		}
		g.maybe(config, 50, "on_destroy", "member")
		return config
	},
	"zulip_bot": func(g *generator) values {
		config := values{"short_name": "b" + g.word(), "full_name": "B " + g.word()}
		g.maybe(config, 50, "owner", g.person())
		g.maybe(config, 30, "default_sending_stream", g.channel("name"))
		return config
	},
	"zulip_organization": func(g *generator) values {
		config := values{"description": g.word()}
		g.permissions(config, 30, 3, permission.RealmSettings, "can_add_custom_emoji_group", "can_mention_many_users_group", "can_invite_users_group", "can_move_messages_between_topics_group")
		for _, name := range []string{"moderation_request_channel_id", "new_stream_announcements_stream_id", "signup_announcements_stream_id", "zulip_update_announcements_stream_id"} {
			g.maybe(config, 50, name, g.channel("id"))
		}
		g.maybe(config, 30, "on_destroy", "reset")
		return config
	},
	"zulip_default_user_settings": func(g *generator) values {
		return values{"color_scheme": g.of("dark", "light"), "twenty_four_hour_time": g.chance(50)}
	},
	"zulip_channel_folder": func(g *generator) values {
		config := values{"name": "f" + g.word()}
		g.maybe(config, 50, "description", g.word())
		return config
	},
	"zulip_channel_folder_order": func(g *generator) values { return values{"folder_ids": g.refs("zulip_channel_folder")} },
	"zulip_default_channel_group": func(g *generator) values {
		config := values{"name": "d" + g.word()}
		g.maybe(config, 80, "channel_ids", g.refs("zulip_channel"))
		return config
	},
	"zulip_linkifier": func(g *generator) values {
		return values{"pattern": strings.ToUpper(g.word()) + "-(?P<id>[0-9]+)", "url_template": "https://example.com/" + g.word() + "/{id}"}
	},
	"zulip_linkifier_order": func(g *generator) values { return values{"linkifier_ids": g.refs("zulip_linkifier")} },
	"zulip_custom_profile_field": func(g *generator) values {
		config := values{"field_type": "short_text", "name": "p" + g.word()}
		g.maybe(config, 50, "hint", g.word())
		return config
	},
	"zulip_custom_profile_field_order": func(g *generator) values { return values{"field_ids": g.refs("zulip_custom_profile_field")} },
	"zulip_code_playground": func(g *generator) values {
		return values{"name": g.word(), "pygments_language": "Python", "url_template": "https://example.com/?code={code}"}
	},
	"zulip_custom_emoji": func(g *generator) values { return values{"name": "e" + g.word(), "file": g.w.picture} },
	"zulip_domain": func(g *generator) values {
		return values{"domain": g.word() + ".example.org", "allow_subdomains": g.chance(50)}
	},
	"zulip_draft": func(g *generator) values {
		return values{"channel": g.channel("name"), "topic": g.word(), "content": g.word()}
	},
	"zulip_invitation": func(g *generator) values {
		config := values{"email": "i" + g.word() + "@example.com", "expires_in_minutes": int64(1440)}
		g.maybe(config, 50, "invite_as", g.of("member", "guest"))
		if id := g.channel("id"); id != nil {
			config["channel_ids"] = []any{id}
		}
		return config
	},
	"zulip_invite_link": func(g *generator) values {
		config := values{"expires_in_minutes": int64(1440)}
		if id := g.channel("id"); id != nil {
			config["channel_ids"] = []any{id}
		}
		return config
	},
	"zulip_message": func(g *generator) values {
		return values{"channel": g.channel("name"), "topic": g.word(), "content": g.word()}
	},
	"zulip_reaction": func(g *generator) values {
		config := values{"message_id": nil, "emoji_name": g.of("tada", "heart")}
		if message := g.block("zulip_message"); message != nil {
			config["message_id"] = ref{message.address(), "id"}
		}
		return config
	},
	"zulip_scheduled_message": func(g *generator) values {
		return values{"channel": g.channel("name"), "topic": g.word(), "content": g.word(), "scheduled_delivery_timestamp": "2099-01-15T09:00:00Z"}
	},
	"zulip_organization_image": func(g *generator) values { return values{"kind": g.of("night_logo", "icon"), "file": g.w.picture} },
	"zulip_user_status": func(g *generator) values {
		return values{"user": g.person(), "status_text": g.word()}
	},
}

// kinds are drawn with the weight of how much others refer to them.
var kinds = slices.Concat(slices.Sorted(maps.Keys(samples)), []string{
	"zulip_user", "zulip_user", "zulip_user", "zulip_user_group", "zulip_user_group", "zulip_channel", "zulip_channel", "zulip_channel_subscribers", "zulip_channel_subscribers", "zulip_organization",
	"zulip_user", "zulip_user", "zulip_user", "zulip_user_group", "zulip_user_group", "zulip_user_group", "zulip_user_group", "zulip_channel", "zulip_channel", "zulip_channel", "zulip_channel",
	"zulip_channel_subscribers", "zulip_channel_subscribers", "zulip_organization", "zulip_user_group_membership", "zulip_channel_subscription", "zulip_bot",
})

// withAccount draws people for a channel. Few lists lack the provider's account, which lock-out protection refuses for most private
// channels.
func (g *generator) withAccount(most int) []any {
	if g.chance(8) {
		return g.people(most)
	}
	return append(g.people(most), "terry@example.com")
}

// sample draws a configuration for a resource. It is nil if it lacks something.
func (g *generator) sample(kind, address string) values {
	g.self = address
	config := samples[kind](g)
	for _, value := range config {
		if value == nil {
			return nil
		}
	}
	return config
}
