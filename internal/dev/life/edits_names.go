package life

import (
	"fmt"
	"maps"
	"strings"
)

// uniques are the attributes by which resources of a kind must differ.
var uniques = map[string]string{
	"zulip_user": "email", "zulip_user_group": "name", "zulip_channel": "name", "zulip_channel_folder": "name", "zulip_bot": "short_name", "zulip_linkifier": "pattern",
	"zulip_custom_profile_field": "name", "zulip_default_channel_group": "name", "zulip_domain": "domain", "zulip_custom_emoji": "name", "zulip_code_playground": "name",
	"zulip_invitation": "email", "zulip_channel_subscribers": "channel", "zulip_channel_subscription": "channel", "zulip_channel_subscription_settings": "channel", "zulip_user_group_membership": "group",
	"zulip_role_members": "role", "zulip_user_role": "user", "zulip_reaction": "message_id", "zulip_organization_image": "kind", "zulip_user_status": "user",
}

// isTaken reports whether another resource has the name of a block. Names of what was archived on the server count too, because
// they stay taken there.
func (g *generator) isTaken(b *block) bool {
	attribute := uniques[b.kind]
	for _, other := range g.c.of(b.kind) {
		r, _ := refOf(b.config[attribute])
		same, _ := refOf(other.config[attribute])
		if attribute != "" && other.address() != b.address() && (other.config[attribute] == b.config[attribute] || r.address != "" && r.address == same.address) {
			return true
		}
	}
	name, _ := b.config[attribute].(string)
	switch b.kind {
	case "zulip_channel":
		_, exists := g.w.server.Organization().Channel(name)
		return exists
	case "zulip_user_group":
		_, exists := g.w.server.Organization().Group(name)
		return exists
	case "zulip_user":
		_, exists := g.w.server.Organization().Person(name)
		return exists
	}
	return false
}

// named are the kinds whose names can change in place.
var named = []string{"zulip_user_group", "zulip_channel", "zulip_channel_folder", "zulip_custom_profile_field", "zulip_default_channel_group"}

func rename(g *generator) string {
	b := g.any(named...)
	if b == nil {
		return ""
	}
	renamed := *b
	renamed.config = maps.Clone(b.config)
	renamed.config["name"] = g.sample(b.kind, b.address())["name"]
	if renamed.config["name"] == nil || g.isTaken(&renamed) {
		return ""
	}
	was, _ := b.config["name"].(string)
	b.config["name"] = renamed.config["name"]
	if g.chance(80) {
		g.follow(b, was)
	}
	return fmt.Sprintf("rename %s from %q to %q", b.address(), was, b.config["name"])
}

// follow changes the texts that name a resource by its former name.
func (g *generator) follow(b *block, was string) {
	is, _ := b.config[uniques[b.kind]].(string)
	for _, address := range g.c.addresses() {
		other := g.c.blocks[address]
		for attribute, value := range other.config {
			if address == b.address() && attribute == uniques[b.kind] {
				continue
			}
			other.config[attribute], _ = change(value, func(one any) (any, bool) {
				words, isText := one.(string)
				if !isText || !names(one, b.kind, was) {
					return one, true
				}
				return strings.TrimSuffix(words, was) + is, true
			})
		}
	}
}

func (g *generator) pair(of []string) (one, other *block) {
	if one = g.any(of...); one == nil {
		return nil, nil
	}
	g.self = one.address()
	return one, g.block(one.kind)
}

func swapNames(g *generator) string {
	one, other := g.pair(append([]string{"zulip_bot", "zulip_linkifier"}, named...))
	if other == nil {
		return ""
	}
	attribute := uniques[one.kind]
	one.config[attribute], other.config[attribute] = other.config[attribute], one.config[attribute]
	return "swap the names of " + one.address() + " and " + other.address()
}

func takeOver(g *generator) string {
	one, other := g.pair(append([]string{"zulip_bot", "zulip_user"}, named...))
	if other == nil {
		return ""
	}
	g.remove(other)
	one.config[uniques[one.kind]] = other.config[uniques[one.kind]]
	return one.address() + " takes the name of " + other.address() + ", which is removed"
}

func chainNames(g *generator) string {
	one, other := g.pair(named)
	if other == nil {
		return ""
	}
	one.config["name"] = other.config["name"]
	other.config["name"] = g.sample(other.kind, other.address())["name"]
	if other.config["name"] == nil || g.isTaken(other) {
		other.config["name"] = fmt.Sprint(one.config["name"], "z")
	}
	return one.address() + " takes the name of " + other.address() + ", which is renamed"
}

func changeEmail(g *generator) string {
	b := g.any("zulip_user")
	if b == nil {
		return ""
	}
	changed := *b
	changed.config = values{"email": g.of(mails...)}
	if g.isTaken(&changed) {
		return ""
	}
	was, _ := b.config["email"].(string)
	b.config["email"] = changed.config["email"]
	g.follow(b, was)
	return fmt.Sprintf("the email of %s changes from %s to %s, everywhere", b.address(), was, b.config["email"])
}

// duplicate gives two resources one name.
func duplicate(g *generator) string {
	b := g.any("zulip_user", "zulip_bot", "zulip_channel", "zulip_user_group")
	if b == nil || g.chance(50) {
		return ""
	}
	other := &block{kind: b.kind, name: g.freeName(b.kind), config: g.sample(b.kind, b.address())}
	if other.config == nil {
		return ""
	}
	other.config[uniques[b.kind]] = b.config[uniques[b.kind]]
	g.c.blocks[other.address()] = other
	return other.address() + " has the name of " + b.address()
}

// twins adds two channels whose names are equal for the server, but not for every program.
func twins(g *generator) string {
	name := "t" + g.word()
	one := &block{kind: "zulip_channel", name: g.freeName("zulip_channel"), config: values{"name": name + "I"}}
	g.c.blocks[one.address()] = one
	other := &block{kind: "zulip_channel", name: g.freeName("zulip_channel"), config: values{"name": name + "\u0131"}}
	if g.isTaken(one) || g.isTaken(other) {
		return ""
	}
	g.c.blocks[other.address()] = other
	return "add " + one.address() + " and " + other.address() + ", whose names are equal for the server"
}
