package life

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// A kept is a value on the server that a person has set between a plan and its apply.
type kept struct {
	what string
	is   func() bool // reports whether it is still as the person has set it
}

// An outside is a change that a person makes in the web app. It returns what was done, "" if it cannot be done now.
type outside func(g *generator) (string, *kept)

var outsides = map[string]outside{
	"deactivate": func(g *generator) (string, *kept) {
		person, ok := g.someone(true)
		return g.did(ok, "DELETE", fmt.Sprint("/users/", person.ID), nil, "deactivates "+person.Email), nil
	},
	"reactivate": func(g *generator) (string, *kept) {
		person, ok := g.someone(false)
		return g.did(ok, "POST", fmt.Sprintf("/users/%d/reactivate", person.ID), nil, "reactivates "+person.Email), nil
	},
	"role": func(g *generator) (string, *kept) {
		person, ok := g.someone(true)
		role := []int{200, 300, 400, 600}[g.IntN(4)]
		return g.did(ok, "PATCH", fmt.Sprint("/users/", person.ID), map[string]any{"role": role}, fmt.Sprintf("gives %s the role %d", person.Email, role)), nil
	},
	"email": func(g *generator) (string, *kept) {
		person, ok := g.someone(true)
		email := "new." + person.Email
		return g.did(ok && len(email) < 40, "PATCH", fmt.Sprint("/users/", person.ID), map[string]any{"new_email": email}, "changes the email of "+person.Email+" to "+email), nil
	},
	"hide": func(g *generator) (string, *kept) {
		person, ok := g.someone(true)
		credentials, has := g.w.server.CredentialsByID(person.ID)
		if !ok || !has {
			return "", nil
		}
		visibility := []int{1, 3, 4, 4, 4}[g.IntN(5)]
		if !g.w.callWith(credentials, "PATCH", "/settings", map[string]any{"email_address_visibility": visibility}) {
			return "", nil
		}
		return fmt.Sprintf("%s shows their email to %d", person.Email, visibility), nil
	},
	"new person": func(g *generator) (string, *kept) {
		email := g.word() + "@example.org"
		_, exists := g.w.server.Organization().Person(email)
		return g.did(!exists, "POST", "/users", map[string]any{"email": email, "full_name": "New " + g.word(), "password": "xuzpSwordfish42!"}, "adds "+email), nil
	},
	"description": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		words := "by hand " + g.word()
		return g.did(ok, "PATCH", fmt.Sprint("/streams/", channel.ID), map[string]any{"description": words}, "describes the channel "+channel.Name),
			g.keptChannel(channel.ID, "description", func(now sandbox.ChannelView) bool { return now.Description == words })
	},
	"permission": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		setting := g.of("can_send_message_group", "can_administer_channel_group", "can_subscribe_group")
		person, _ := g.someone(true)
		value := map[string]any{"new": map[string]any{"direct_members": []int{person.ID, g.idOf("terry")}, "direct_subgroups": []int{}}}
		return g.did(ok && person.ID != 0, "PATCH", fmt.Sprint("/streams/", channel.ID), map[string]any{setting: value}, fmt.Sprintf("sets %s of the channel %s to %s", setting, channel.Name, person.Email)),
			g.keptChannel(channel.ID, setting, func(now sandbox.ChannelView) bool {
				return strings.Contains(fmt.Sprint(now.Permissions[setting]), g.emailOf(person.ID)) // the plan may change it
			})
	},
	"rename channel": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		name := "by hand " + g.word()
		return g.did(ok, "PATCH", fmt.Sprint("/streams/", channel.ID), map[string]any{"new_name": name}, "renames the channel "+channel.Name),
			g.keptChannel(channel.ID, "name", func(now sandbox.ChannelView) bool { return now.Name == name })
	},
	"private": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		return g.did(ok, "PATCH", fmt.Sprint("/streams/", channel.ID), map[string]any{"is_private": !channel.Private}, fmt.Sprintf("makes the channel %s private: %t", channel.Name, !channel.Private)),
			g.keptChannel(channel.ID, "privacy", func(now sandbox.ChannelView) bool { return now.Private != channel.Private })
	},
	"archive": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		return g.did(ok, "DELETE", fmt.Sprint("/streams/", channel.ID), nil, "archives the channel "+channel.Name), nil
	},
	"unarchive": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(true)
		return g.did(ok, "PATCH", fmt.Sprint("/streams/", channel.ID), map[string]any{"is_archived": false}, "unarchives the channel "+channel.Name), nil
	},
	"subscribe": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		person, isThere := g.someone(true)
		return g.did(ok && isThere, "POST", "/users/me/subscriptions", map[string]any{"subscriptions": []any{map[string]any{"name": channel.Name}}, "principals": []int{person.ID}}, "subscribes "+person.Email+" to "+channel.Name), nil
	},
	"unsubscribe": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		mail := g.of(channel.Subscribers...)
		person, _ := g.w.server.Organization().Person(mail)
		return g.did(ok && mail != "" && mail != "terry@example.com", "DELETE", "/users/me/subscriptions", map[string]any{"subscriptions": []any{channel.Name}, "principals": []int{person.ID}}, "unsubscribes "+mail+" from "+channel.Name), nil
	},
	"default": func(g *generator) (string, *kept) {
		channel, ok := g.someChannel(false)
		method := map[bool]string{true: "DELETE", false: "POST"}[channel.Default]
		return g.did(ok, method, "/default_streams", map[string]any{"stream_id": channel.ID}, fmt.Sprintf("makes the channel %s a default channel: %t", channel.Name, !channel.Default)), nil
	},
	"members": func(g *generator) (string, *kept) {
		group, ok := g.someGroup()
		person, isThere := g.someone(true)
		verb := "add"
		for _, mail := range group.Members {
			if mail == person.Email {
				verb = "delete"
			}
		}
		return g.did(ok && isThere, "POST", fmt.Sprintf("/user_groups/%d/members", group.ID), map[string]any{verb: []int{person.ID}}, fmt.Sprintf("%s %s in the group %s", verb, person.Email, group.Name)), nil
	},
	"rename group": func(g *generator) (string, *kept) {
		group, ok := g.someGroup()
		name := "by hand " + g.word()
		return g.did(ok, "PATCH", fmt.Sprint("/user_groups/", group.ID), map[string]any{"name": name}, "renames the group "+group.Name), nil
	},
	"group permission": func(g *generator) (string, *kept) {
		group, ok := g.someGroup()
		setting := g.of("can_mention_group", "can_add_members_group", "can_manage_group")
		return g.did(ok, "PATCH", fmt.Sprint("/user_groups/", group.ID), map[string]any{setting: map[string]any{"new": map[string]any{"direct_members": []int{g.idOf("terry")}, "direct_subgroups": []int{group.ID}}}},
			fmt.Sprintf("lets the group %s and terry have its %s", group.Name, setting)), nil
	},
	"deactivate group": func(g *generator) (string, *kept) {
		group, ok := g.someGroup()
		return g.did(ok, "POST", fmt.Sprintf("/user_groups/%d/deactivate", group.ID), nil, "deactivates the group "+group.Name), nil
	},
	"organization": func(g *generator) (string, *kept) {
		return g.did(true, "PATCH", "/realm", map[string]any{"description": "by hand " + g.word()}, "describes the organization"), nil
	},
}

// often are the changes that are drawn more often.
var often = []string{"hide", "hide", "hide", "hide", "hide", "group permission", "group permission", "group permission", "unsubscribe", "members"}

// did sends a request as olga, if it can be sent.
func (g *generator) did(ok bool, method, path string, params map[string]any, what string) string {
	if !ok {
		return ""
	}
	if !g.w.call("olga", method, path, params) {
		return ""
	}
	return what
}

// emailOf returns the email that a person has now.
func (g *generator) emailOf(id int) string {
	for _, person := range g.w.server.Organization().People() {
		if person.ID == id {
			return person.Email
		}
	}
	return ""
}

func (g *generator) idOf(account string) int {
	credentials, _ := g.w.server.Credentials(account)
	return credentials.ID
}

// someone draws a person other than those who make changes.
func (g *generator) someone(active bool) (sandbox.PersonView, bool) {
	found, mails := map[string]sandbox.PersonView{}, []string{}
	for _, person := range g.w.server.Organization().People() {
		isOurs := person.ID == g.idOf("terry") || person.ID == g.idOf("olga") || person.ID == g.idOf("ada")
		if person.Active == active && !person.IsBot && !person.Deleted && !isOurs {
			found[person.Email], mails = person, append(mails, person.Email)
		}
	}
	mail := g.of(mails...)
	return found[mail], mail != ""
}

func (g *generator) someChannel(archived bool) (sandbox.ChannelView, bool) {
	found, names := map[string]sandbox.ChannelView{}, []string{}
	for _, channel := range g.w.server.Organization().Channels() {
		if channel.Archived == archived {
			found[channel.Name], names = channel, append(names, channel.Name)
		}
	}
	name := g.of(names...)
	return found[name], name != ""
}

func (g *generator) someGroup() (sandbox.GroupView, bool) {
	found, names := map[string]sandbox.GroupView{}, []string{}
	for _, group := range g.w.server.Organization().Groups() {
		if !group.System && !group.Deactivated {
			found[group.Name], names = group, append(names, group.Name)
		}
	}
	name := g.of(names...)
	return found[name], name != ""
}

func (g *generator) keptChannel(id int, what string, is func(sandbox.ChannelView) bool) *kept {
	return &kept{what: fmt.Sprintf("%s of channel %d", what, id), is: func() bool {
		for _, channel := range g.w.server.Organization().Channels() {
			if channel.ID == id {
				return channel.Archived || is(channel)
			}
		}
		return false
	}}
}

// faults are what can happen to requests. The ones that hit a request of the apply hit it in a random place.
var faults = map[string]sandbox.Fault{
	"lost request": {Action: sandbox.FaultDrop},
	"lost answer":  {Action: sandbox.FaultDrop, After: true},
	"429":          {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: time.Millisecond},
	"500":          {Action: sandbox.FaultStatus, Status: http.StatusInternalServerError},
	"500 after":    {Action: sandbox.FaultStatus, Status: http.StatusInternalServerError, After: true},
	"502 page":     {Action: sandbox.FaultHTML, After: true},
	"cut answer":   {Action: sandbox.FaultTruncate},
	"stall":        {Action: sandbox.FaultStall, Delay: 50 * time.Millisecond},
	"lag":          {Action: sandbox.FaultLag, Delay: 100 * time.Millisecond},
}
