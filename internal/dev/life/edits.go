package life

import (
	"fmt"
	"maps"
	"slices"
)

// An edit changes a configuration as a person would. It returns what it did, "" if it cannot be done now.
type edit func(g *generator) string

// edits are drawn by name. Each is one thing that people do.
var edits = map[string]edit{
	"add":             func(g *generator) string { return addOf(g, g.of(kinds[g.IntN(len(kinds))])) },
	"remove":          removeBlock,
	"change":          changeAttribute,
	"unset":           unsetAttribute,
	"rename":          rename,
	"swap":            swapNames,
	"take over":       takeOver,
	"chain":           chainNames,
	"move":            moveAddress,
	"forget":          forget,
	"adopt":           adopt,
	"replace":         replaceBlock,
	"create first":    createFirst,
	"second provider": useSecond,
	"new key":         addKey,
	"other key":       changeKey,
	"deactivate":      deactivate,
	"new email":       changeEmail,
	"leave":           leave,
	"archive named":   archiveNamed,
	"duplicate":       duplicate,
	"role of new":     roleOfNew,
	"twins":           twins,
	"destroy all":     destroyAll,
}

// weights are how often some edits are drawn; the others once.
var weights = map[string]int{"add": 6, "remove": 3, "change": 8, "rename": 4, "chain": 2, "deactivate": 4, "archive named": 4, "new email": 2, "role of new": 2, "leave": 2}

func weighted() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		for range max(1, weights[name]) {
			names = append(names, name)
		}
	}
	return names
}

// freeName returns a name for a resource that no other of its kind has, in the configuration or the state.
func (g *generator) freeName(kind string) string {
	for number := 1; ; number++ {
		name := fmt.Sprintf("r%d", number)
		if g.c.blocks[kind+"."+name] == nil && g.w.stateOf(kind+"."+name) == nil {
			return name
		}
	}
}

func addOf(g *generator, kind string) string {
	if slices.Contains(singles, kind) && len(g.c.of(kind)) > 0 || len(g.c.of(kind)) > 3 {
		return ""
	}
	b := &block{kind: kind, name: g.freeName(kind)}
	if b.config = g.sample(kind, b.address()); b.config == nil || g.isTaken(b) {
		return ""
	}
	b.usesSecond = slices.Contains(bySecond, kind) && g.chance(2)
	g.c.blocks[b.address()] = b
	return "add " + b.address()
}

// bySecond are the kinds that the second provider configuration can manage.
var bySecond = []string{"zulip_channel", "zulip_user_group", "zulip_channel_folder", "zulip_linkifier", "zulip_user_group_membership", "zulip_default_channel_group"}

// any draws a resource of any of some kinds.
func (g *generator) any(of ...string) *block {
	var addresses []string
	for _, address := range g.c.addresses() {
		if len(of) == 0 || slices.Contains(of, g.c.blocks[address].kind) {
			addresses = append(addresses, address)
		}
	}
	return g.c.blocks[g.of(addresses...)]
}

func removeBlock(g *generator) string {
	b := g.any()
	if b == nil {
		return ""
	}
	g.remove(b)
	return "remove " + b.address() + " and the lines that name it"
}

// remove removes a resource and what names it. A resource that needs it goes too.
func (g *generator) remove(gone *block) {
	delete(g.c.blocks, gone.address())
	g.dropNamesOf(gone)
}

// dropNamesOf removes the lines that name a resource.
func (g *generator) dropNamesOf(gone *block) {
	name := g.nameOf(gone)
	g.dropEverywhere(func(one any) bool {
		r, isRef := refOf(one)
		return isRef && r.address == gone.address() || !isRef && name != "" && names(one, gone.kind, name)
	})
}

func (g *generator) nameOf(b *block) string {
	name, _ := b.config[uniques[b.kind]].(string)
	if b.kind != "zulip_user" && b.kind != "zulip_user_group" {
		return ""
	}
	return name
}

// names reports whether a text names a person or a group.
func names(one any, kind, name string) bool {
	words, _ := one.(string)
	prefix := map[string]string{"zulip_user": "user:", "zulip_user_group": "group:"}[kind]
	return words == name || words == prefix+name
}

// dropEverywhere removes the lines with some values. A list that becomes empty goes as a whole.
func (g *generator) dropEverywhere(isGone func(any) bool) {
	for again := true; again; {
		again = false
		for _, address := range g.c.addresses() {
			b, ok := g.c.blocks[address]
			if !ok {
				continue // removed with another one
			}
			for attribute, value := range b.config {
				left, ok := change(value, func(one any) (any, bool) { return one, !isGone(one) })
				if attribute == "email" && b.kind == "zulip_user" || attribute == "name" {
					continue
				}
				list, isList := left.([]any)
				before, _ := value.([]any)
				if ok && (!isList || len(list) > 0 || len(before) == 0) {
					b.config[attribute] = left
					continue
				}
				if isRequired(b.kind, attribute) {
					g.remove(b)
					again = true
					break
				}
				delete(b.config, attribute)
			}
		}
	}
}

func isRequired(kind, attribute string) bool {
	for _, one := range schemas().ResourceSchemas[kind].Block.Attributes {
		if one.Name == attribute {
			return one.Required || kind == "zulip_draft" || kind == "zulip_message" || kind == "zulip_scheduled_message" || kind == "zulip_user_group_membership"
		}
	}
	return false
}

func changeAttribute(g *generator) string {
	b := g.any()
	if b == nil {
		return ""
	}
	sampled := g.sample(b.kind, b.address())
	var attributes []string
	for _, attribute := range slices.Sorted(maps.Keys(sampled)) {
		if attribute != uniques[b.kind] && attribute != "email" && !g.isCircular(b, sampled[attribute]) {
			attributes = append(attributes, attribute)
		}
	}
	attribute := g.of(attributes...)
	if attribute == "" {
		return ""
	}
	b.config[attribute] = sampled[attribute]
	return fmt.Sprintf("change %s.%s to %s", b.address(), attribute, hcl(sampled[attribute]))
}

// isCircular reports whether a value refers to something that needs the resource.
func (g *generator) isCircular(b *block, value any) (found bool) {
	needs, _ := g.c.dependencies()
	change(value, func(one any) (any, bool) {
		r, isRef := refOf(one)
		found = found || isRef && (base(r.address) == base(b.address()) || slices.Contains(needs[r.address], base(b.address())))
		return one, true
	})
	return found
}

func unsetAttribute(g *generator) string {
	b := g.any()
	if b == nil {
		return ""
	}
	var attributes []string
	for attribute := range b.config {
		if !isRequired(b.kind, attribute) && attribute != uniques[b.kind] && attribute != "topic" && attribute != "content" {
			attributes = append(attributes, attribute)
		}
	}
	slices.Sort(attributes)
	attribute := g.of(attributes...)
	if attribute == "" {
		return ""
	}
	delete(b.config, attribute)
	return "unset " + b.address() + "." + attribute
}

func moveAddress(g *generator) string {
	b := g.any()
	if b == nil || !g.isApplied(b) || base(b.name) != b.name {
		return ""
	}
	moved := *b
	moved.name = g.freeName(b.kind)
	delete(g.c.blocks, b.address())
	g.c.blocks[moved.address()] = &moved
	g.redirect(b.address(), moved.address())
	g.c.moved[b.address()] = moved.address()
	return "move " + b.address() + " to " + moved.address()
}

// redirect changes the references to an address.
func (g *generator) redirect(from, to string) {
	for _, address := range g.c.addresses() {
		b := g.c.blocks[address]
		for attribute, value := range b.config {
			b.config[attribute], _ = change(value, func(one any) (any, bool) {
				switch found := one.(type) {
				case ref:
					if found.address == from {
						found.address = to
					}
					return found, true
				case text:
					if found.ref.address == from {
						found.ref.address = to
					}
					return found, true
				}
				return one, true
			})
		}
	}
}

func forget(g *generator) string {
	b := g.any()
	if b == nil || !g.isApplied(b) || base(b.name) != b.name {
		return ""
	}
	g.remove(b)
	g.c.removed = append(g.c.removed, b.address())
	return "removed { from = " + b.address() + " }"
}

// adopt imports a resource under a new address after its state was lost.
func adopt(g *generator) string {
	b := g.any("zulip_user", "zulip_user_group", "zulip_channel", "zulip_channel_folder", "zulip_linkifier", "zulip_custom_profile_field", "zulip_bot", "zulip_default_channel_group")
	if b == nil || !g.isApplied(b) || base(b.name) != b.name {
		return ""
	}
	imported := *b
	imported.name = g.freeName(b.kind)
	delete(g.c.blocks, b.address())
	g.c.blocks[imported.address()] = &imported
	g.redirect(b.address(), imported.address())
	g.c.removed = append(g.c.removed, b.address())
	g.c.imports[imported.address()] = fmt.Sprint(g.w.stateOf(b.address()).Values["id"])
	return "forget " + b.address() + " and import it as " + imported.address()
}

func replaceBlock(g *generator) string {
	b := g.any()
	if b == nil || !g.isApplied(b) || b.kind == "zulip_user" || b.kind == "zulip_channel" {
		return "" // an archived channel and a deactivated account keep the name
	}
	g.c.replace = append(g.c.replace, b.address())
	return "-replace=" + b.address()
}

func createFirst(g *generator) string {
	b := g.any()
	if b == nil {
		return ""
	}
	b.createBeforeDestroy = !b.createBeforeDestroy
	return fmt.Sprintf("%s: create_before_destroy = %t", b.address(), b.createBeforeDestroy)
}

func useSecond(g *generator) string {
	b := g.any(bySecond...)
	if b == nil || base(b.name) != b.name {
		return ""
	}
	b.usesSecond = !b.usesSecond
	return fmt.Sprintf("%s uses the second provider configuration: %t", b.address(), b.usesSecond)
}

func addKey(g *generator) string {
	kind := g.of("zulip_user_group", "zulip_channel", "zulip_channel_subscribers", "zulip_linkifier")
	b := &block{kind: kind, name: fmt.Sprintf("team[%q]", g.of("a", "b", "c", "d"))}
	if b.config = g.sample(kind, b.address()); b.config == nil || g.c.blocks[b.address()] != nil || g.isTaken(b) {
		return ""
	}
	for _, value := range b.config {
		if g.isCircular(b, value) {
			return ""
		}
	}
	g.c.blocks[b.address()] = b
	return "add " + b.address()
}

func changeKey(g *generator) string {
	for _, address := range g.c.addresses() {
		b := g.c.blocks[address]
		if base(address) == address || !g.chance(50) {
			continue
		}
		other := *b
		other.name = fmt.Sprintf("%s[%q]", base(b.name), g.of("e", "f", "g"))
		if g.c.blocks[other.address()] != nil {
			continue
		}
		delete(g.c.blocks, address)
		g.c.blocks[other.address()] = &other
		g.redirect(address, other.address())
		if g.chance(60) {
			g.c.moved[address] = other.address()
		}
		return "the key of " + address + " becomes " + other.address()
	}
	return ""
}

func deactivate(g *generator) string {
	b := g.any("zulip_user")
	if b == nil || !g.isApplied(b) {
		return ""
	}
	if b.config["active"] == false {
		b.config["active"] = true
		return b.address() + " is reactivated"
	}
	b.config["active"] = false
	left := ""
	if g.chance(80) {
		g.dropNamesOf(b)
		left = ", and the lines that name it are removed"
	}
	return b.address() + ": active = false" + left
}

func leave(g *generator) string {
	b := g.any("zulip_user")
	if b == nil || !g.isApplied(b) {
		return ""
	}
	g.remove(b)
	return "remove " + b.address() + " and the lines that name it"
}

// archiveNamed removes a channel that a setting of the organization names, and names another.
func archiveNamed(g *generator) string {
	organization := g.any("zulip_organization")
	if organization == nil {
		return ""
	}
	for _, attribute := range slices.Sorted(maps.Keys(organization.config)) {
		r, isRef := refOf(organization.config[attribute])
		if !isRef {
			continue
		}
		g.self = r.address
		other := g.block("zulip_channel")
		if other == nil {
			return ""
		}
		gone := g.c.blocks[r.address]
		organization.config[attribute] = ref{other.address(), "id"}
		g.remove(gone)
		return "remove " + gone.address() + ", and " + attribute + " names " + other.address()
	}
	return ""
}

// roleOfNew gives a new person a role in two ways of writing.
func roleOfNew(g *generator) string {
	user := &block{kind: "zulip_user", name: g.freeName("zulip_user"), config: values{"email": g.of(mails...), "full_name": g.word(), "role": "moderator"}}
	if g.isTaken(user) {
		return ""
	}
	role := &block{kind: "zulip_user_role", name: g.freeName("zulip_user_role"), config: values{"user": ref{user.address(), g.of("id", "email")}, "role": g.of("member", "moderator")}}
	g.c.blocks[user.address()], g.c.blocks[role.address()] = user, role
	return "add " + user.address() + " and " + role.address() + " for it"
}

func destroyAll(g *generator) string {
	if len(g.c.blocks) == 0 {
		return ""
	}
	clear(g.c.blocks)
	return "terraform destroy"
}
