package audit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Changes of what is no right, for the comparison of a review with two audits.

// made is a change of a resource that a plan makes, or ends.
func made(kind string, number int, before, after object) object {
	change := planned(kind, number, before, after)
	if before == nil {
		change["change"].(object)["actions"] = []string{"create"}
	} else {
		change["change"].(object)["actions"] = []string{"delete"}
	}
	return change
}

func (d *drawer) view() *snapshot.Snapshot {
	d.t.Helper()
	view, err := store.New(d.o.Client, d.o.Self, 0, new(runstate.State)).OneAtATime().Read(d.t.Context(), store.Channels, store.Domains, store.Linkifiers)
	if err != nil {
		d.t.Fatal(err)
	}
	return view
}

func oneOf[T any](d *drawer, all ...T) T { return all[d.random.IntN(len(all))] }

// drawThing draws a change of what is no right.
func (d *drawer) drawThing(number int) (change object, apply func()) {
	call := func(method, path string, params map[string]string) func() {
		return func() { d.o.Call(d.t, method, path, params) }
	}
	view := d.view()
	switch d.random.IntN(8) {
	case 0:
		return d.drawChannel(number, view)
	case 1:
		name := oneOf(d, "invite_required", "emails_restricted_to_domains", "disallow_disposable_email_addresses", "email_changes_disabled", "allow_message_editing", "message_content_allowed_in_email_notifications", "inline_url_embed_preview")
		var before bool
		if json.Unmarshal(view.Realm().Settings[name], &before) != nil {
			d.t.Fatalf("there is no %s", name)
		}
		return planned("zulip_organization", number, object{name: before}, object{name: !before}), call("PATCH", "/realm", map[string]string{name: fmt.Sprint(!before)})
	case 2:
		before, after := "unlimited", oneOf(d, "1", "30", "unlimited")
		var days int
		if err := json.Unmarshal(view.Realm().Settings["message_retention_days"], &days); err == nil && days > 0 {
			before = fmt.Sprint(days)
		}
		sent := after
		if after == "unlimited" {
			sent = `"unlimited"`
		}
		return planned("zulip_organization", number, object{"message_retention_days": before}, object{"message_retention_days": after}), call("PATCH", "/realm", map[string]string{"message_retention_days": sent})
	case 3:
		domain := oneOf(d, "one.example.org", "two.example.org")
		if _, ok := view.Domains().ByName(domain); ok {
			return made("zulip_domain", number, object{"domain": domain, "allow_subdomains": false}, nil), call("DELETE", "/realm/domains/"+domain, nil)
		}
		return made("zulip_domain", number, nil, object{"domain": domain, "allow_subdomains": false}), call("POST", "/realm/domains", map[string]string{"domain": domain, "allow_subdomains": "false"})
	case 4:
		role := oneOf(d, zulip.RoleOwner, zulip.RoleMember, zulip.RoleGuest)
		return made("zulip_invite_link", number, nil, object{"invite_as": role.String()}), func() {
			if _, err := d.o.Client.CreateInviteLink(d.t.Context(), zulip.InviteTerms{InviteAs: &role}); err != nil {
				d.t.Fatal(err)
			}
		}
	case 5:
		url := fmt.Sprintf("https://%d.example.com/{id}", d.random.IntN(1000))
		for _, linkifier := range view.Linkifiers().List() {
			id := linkifier.ID
			return planned("zulip_linkifier", number, object{"id": id, "pattern": linkifier.Pattern, "url_template": linkifier.URLTemplate}, object{"id": id, "pattern": linkifier.Pattern, "url_template": url}),
				call("PATCH", fmt.Sprint("/realm/filters/", id), map[string]string{"pattern": linkifier.Pattern, "url_template": url})
		}
		return made("zulip_linkifier", number, nil, object{"pattern": "#(?P<id>[0-9]+)", "url_template": url}), call("POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": url})
	case 6:
		bot, owner := id(d.t, d.o, "bot"), oneOf(d, "mel", "max", "admin", "moderator")
		user, _ := view.User(bot)
		was, _ := view.User(*user.BotOwnerID)
		return planned("zulip_bot", number, object{"id": bot, "owner": was.Address()}, object{"id": bot, "owner": d.people[owner]}), call("PATCH", fmt.Sprint("/bots/", bot), map[string]string{"bot_owner_id": fmt.Sprint(id(d.t, d.o, owner))})
	}
	user, _ := view.User(id(d.t, d.o, "admin"))
	d.addresses++
	address := fmt.Sprintf("ada%d@example.com", d.addresses)
	return planned("zulip_user", number, object{"id": user.ID, "email": user.Address(), "full_name": user.FullName}, object{"id": user.ID, "email": address, "full_name": user.FullName}), func() {
		d.o.WithAccount(d.t, "owner").Call(d.t, "PATCH", fmt.Sprint("/users/", user.ID), map[string]string{"new_email": address})
		d.people["admin"] = address
	}
}

// drawChannel draws another privacy or retention of a channel, or archives it.
func (d *drawer) drawChannel(number int, view *snapshot.Snapshot) (change object, apply func()) {
	name := oneOf(d, slices.Sorted(maps.Keys(d.channels))...)
	channel, _ := view.Channels().ByID(d.channels[name])
	path, base := fmt.Sprint("/streams/", channel.ID), object{"id": channel.ID, "name": name}
	with := func(key string, value any) object {
		all := maps.Clone(base)
		all[key] = value
		return all
	}
	switch d.random.IntN(8) {
	case 0, 1, 2, 3:
		flags := map[zulip.Privacy]map[string]string{
			zulip.PrivacyPublic:                  {"is_private": "false"},
			zulip.PrivacyPrivateSharedHistory:    {"is_private": "true", "history_public_to_subscribers": "true"},
			zulip.PrivacyPrivateProtectedHistory: {"is_private": "true", "history_public_to_subscribers": "false"},
		}
		privacy := oneOf(d, slices.Sorted(maps.Keys(flags))...)
		return planned("zulip_channel", number, with("privacy", channel.Privacy()), with("privacy", privacy)), func() { d.o.Call(d.t, "PATCH", path, flags[privacy]) }
	case 4, 5, 6:
		before, after := channel.Retention().String(), oneOf(d, "7", "realm_default", "unlimited")
		sent := after
		if after != "7" {
			sent = `"` + after + `"`
		}
		return planned("zulip_channel", number, with("message_retention_days", before), with("message_retention_days", after)), func() { d.o.Call(d.t, "PATCH", path, map[string]string{"message_retention_days": sent}) }
	}
	if len(d.channels) == 1 {
		return d.drawThing(number)
	}
	return made("zulip_channel", number, base, nil), func() {
		d.o.Call(d.t, "DELETE", path, nil)
		delete(d.channels, name)
	}
}

// statements are what a report says beside rights, without the name that a plan has for what it makes.
func statements(r *report.Report) []string {
	all := map[string]bool{}
	for _, risk := range r.Risks {
		switch risk.Category {
		case report.Joining, report.SignIn, report.Outgoing, report.DataLoss:
			all[fmt.Sprint(risk.Category, ": ", risk.Text)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// officeToDraw is an organization with groups and channels to change.
func (d *drawer) officeToDraw() {
	t, o := d.t, d.o
	d.people = map[string]string{"moderator": "mo@example.com", "mel": "mel@example.com", "max": "max@example.com", "gus": "gus@example.com", "admin": "ada@example.com"}
	d.groups = map[string]int64{"inner": newGroup(t, o, "inner", "mel", "gus"), "other": newGroup(t, o, "other", "max")}
	outer := newGroup(t, o, "outer", "moderator")
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", outer), map[string]string{"add": fmt.Sprintf("[%d]", d.groups["inner"])})
	d.groups["outer"] = outer
	in := fmt.Sprintf("[%d,%d,%d]", o.Self.ID, id(t, o, "gus"), id(t, o, "max"))
	d.channels = map[string]int64{
		"open": newChannel(t, o, "open", map[string]string{"subscribers": in}),
		"shared": newChannel(t, o, "shared", map[string]string{
			"invite_only": "true", "history_public_to_subscribers": "true", "subscribers": in, "can_subscribe_group": fmt.Sprint(outer),
		}),
		"protected": newChannel(t, o, "protected", map[string]string{"invite_only": "true", "history_public_to_subscribers": "false", "subscribers": in}),
	}
}
