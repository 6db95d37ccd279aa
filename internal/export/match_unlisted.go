package export

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// unlisted are the resources that an export does not write but that are found for a plan. The plan has the objects they
// belong to, and the provider's import checks whether they exist.
var unlisted = []string{
	"zulip_role_members", "zulip_user_status", "zulip_channel_subscription_settings", "zulip_reaction", "zulip_user_group_membership", "zulip_channel_subscription",
}

// isShared reports whether several resources of a type can belong to the same object, which then identifies none.
func isShared(kind string) bool {
	return kind == "zulip_user_group_membership" || kind == "zulip_channel_subscription"
}

// matchUnlisted finds the planned objects that no list shows. If an import is refused, the refusal is the reason why
// the object is left out.
func (m *matcher) matchUnlisted(ctx context.Context) error {
	found := map[string]*object{}
	for i := range m.plan.Changes {
		one := &m.plan.Changes[i]
		if _, ok := kindOf(one.Type); ok || !one.isCreated() {
			continue
		}
		if !slices.Contains(unlisted, one.Type) {
			m.left[one.Address] = "objects of this type have no name to search for. If it exists, write an import block"
			continue
		}
		id, importID := m.unlistedID(one, one.Change.After)
		if importID == "" {
			m.left[one.Address] = "the plan doesn't know yet which object it belongs to. Plan again with these imports, then run the command again"
			continue
		}
		key := one.Type + " " + id
		if before, ok := m.gone[key]; ok && isShared(one.Type) {
			m.left[one.Address] = "the plan destroys " + before + ", which belongs to the same object. If it is the same resource, write a moved block"
			continue
		}
		if holder, ok := m.kept[key]; ok && !isShared(one.Type) {
			m.left[one.Address] = "it is already managed by " + holder
			continue
		}
		imported, err := m.Provider.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: one.Type, ID: importID})
		if err != nil {
			return fmt.Errorf("%s: %w", one.Address, err)
		}
		if err := errorOf(imported.Diagnostics); err != nil {
			m.left[one.Address] = visibleUpTo(longestSentence, strings.Replace(err.Error(), "\n", ". ", 1))
			continue
		}
		if found[key] == nil || isShared(one.Type) {
			found[key] = &object{id: id, importID: importID, label: importID}
		}
		m.found[one.Address] = found[key]
		m.holders[found[key]] = append(m.holders[found[key]], one.Address)
	}
	return nil
}

// addUnlisted records an unlisted object that a plan destroys or keeps.
func (m *matcher) addUnlisted(one *plannedObject) {
	if !slices.Contains(unlisted, one.Type) {
		return
	}
	id, _ := m.unlistedID(one, one.Change.Before)
	if slices.Equal(one.Change.Actions, []string{"delete"}) {
		m.gone[one.Type+" "+id] = one.Address
	} else {
		m.kept[one.Type+" "+id] = one.Address
	}
}

// unlistedID returns the identity and the import ID of an unlisted object, and "" if the plan does not know them.
func (m *matcher) unlistedID(one *plannedObject, values map[string]json.RawMessage) (id, importID string) {
	switch one.Type {
	case "zulip_role_members":
		role := unquote(values["role"])
		return role, role
	case "zulip_reaction":
		if message, emoji := m.unlistedValue(one, values, "message_id"), m.unlistedValue(one, values, "emoji_name"); message != "" && emoji != "" {
			return message + "/" + emoji, message + "/" + emoji
		}
		return "", ""
	case "zulip_user_status":
		id = m.unlistedValue(one, values, "user")
		if expressions, _ := m.plan.configured(one); id == "" && len(expressions["user"]) == 0 {
			id = fmt.Sprint(m.Store.Self().ID) // the account's own, if no one is named
		}
		if user, err := lookup.User(m.snapshot, id); err == nil {
			id = fmt.Sprint(user.ID)
		}
		return id, id
	case "zulip_user_group_membership":
		id = m.unlistedValue(one, values, "group")
		if found, err := lookup.Group(m.snapshot, id); err == nil && found.Group != nil {
			id = fmt.Sprint(found.Group.ID)
		}
		members, isKnown := knownTexts(values["members"])
		subgroups, areKnown := knownTexts(values["subgroups"])
		for _, name := range subgroups {
			if !strings.HasPrefix(name, "group:") && !strings.HasPrefix(name, "group_id:") {
				name = "group:" + name
			}
			members = append(members, name)
		}
		return id, ofSome(id, members, isKnown && areKnown)
	}
	id = m.unlistedValue(one, values, "channel")
	if channel, err := lookup.Channel(m.snapshot, id); err == nil {
		id = fmt.Sprint(channel.ID)
	}
	if one.Type == "zulip_channel_subscription_settings" {
		return id, id
	}
	users, areKnown := knownTexts(values["users"])
	return id, ofSome(id, users, areKnown)
}

// ofSome returns the import ID of some members of a channel or group; "" if one of them, or the channel or group, is
// not known.
func ofSome(id string, names []string, areKnown bool) string {
	if id == "" || len(names) == 0 || !areKnown {
		return ""
	}
	return id + "/" + strings.Join(names, ",")
}

// unlistedValue returns a text or number, and the ID of a found object for a reference to it. It returns "" if the
// plan does not know it.
func (m *matcher) unlistedValue(one *plannedObject, values map[string]json.RawMessage, attribute string) string {
	if text := unquote(values[attribute]); text != "" && text != "null" {
		return text
	}
	if to, ok := m.found[m.plan.refersTo(one, attribute)]; ok {
		return to.id
	}
	return ""
}

// knownTexts returns the elements of a list, and whether all are known: an unknown one is null in a plan.
func knownTexts(list json.RawMessage) (known []string, areKnown bool) {
	var all []*string
	if json.Unmarshal(list, &all) != nil && len(list) > 0 {
		return nil, false
	}
	for _, text := range all {
		if text == nil {
			return nil, false
		}
		known = append(known, *text)
	}
	return known, true
}

// ended returns a note about a planned object that exists but is archived or deactivated, and "" for others.
func (m *matcher) ended(k *kind, one *plannedObject) string {
	text := func(attribute string) string { return unquote(one.Change.After[attribute]) }
	word, adopt := "deactivated", "adopt_deactivated"
	switch k.resource {
	case "zulip_user":
		user, ok := m.snapshot.UserByAddress(text("email"))
		switch {
		case !ok && slices.ContainsFunc(m.snapshot.Users(), func(user *zulip.User) bool { return !user.IsBot && user.HidesEmail() }):
			return ". Some users hide their emails. To import one, use the user's ID, as data.zulip_users shows it"
		case !ok || user.IsActive || user.IsDeleted:
			return ""
		case text("active") == "false":
			return ": it is deactivated. With active = false, the next apply adopts it unchanged, without an import"
		}
	case "zulip_bot":
		if !slices.ContainsFunc(m.snapshot.Users(), func(user *zulip.User) bool {
			name, _, _ := strings.Cut(user.Address(), "-bot@")
			return user.IsBot && !user.IsActive && strings.EqualFold(name, text("short_name"))
		}) {
			return ""
		}
	case "zulip_user_group":
		if group, ok := m.snapshot.UserGroups().ByName(text("name")); !ok || !group.Deactivated {
			return ""
		}
	case "zulip_channel":
		if channel, ok := m.snapshot.Channels().ByName(text("name")); !ok || !channel.IsArchived {
			return ""
		}
		word, adopt = "archived", "adopt_archived"
	default:
		return ""
	}
	if isSet, _ := strconv.ParseBool(text(adopt)); isSet {
		return fmt.Sprintf(": it is %s. With %s = true, the next apply adopts it, without an import", word, adopt)
	}
	if k.resource == "zulip_user" {
		return ": it is deactivated. active = false leaves it unchanged, adopt_deactivated = true reactivates it; neither needs an import"
	}
	return fmt.Sprintf(": it is %s. %s = true adopts it, without an import", word, adopt)
}
