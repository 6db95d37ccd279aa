package sandbox

import (
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// inviteLifetime is the default lifetime of an invitation in minutes: ten days (server-behavior §U16).
const inviteLifetime = 10 * 24 * 60

func listInvites(r *request) (fields, error) {
	invitations, links := r.org.ListInvitations(r.me)
	objects := []fields{}
	for _, i := range invitations {
		object := inviteObject(i.ID, i.InviteTerms, false)
		object["email"] = i.Email
		object["notify_referrer_on_join"] = i.NotifyOnJoin
		objects = append(objects, object)
	}
	for _, l := range links {
		object := inviteObject(l.ID, l.InviteTerms, true)
		object["link_url"] = r.linkURL(l)
		objects = append(objects, object)
	}
	return fields{"invites": objects}, nil
}

func inviteObject(id int, terms rules.InviteTerms, isLink bool) fields {
	var expires any
	if terms.Expires != nil {
		expires = terms.Expires.Unix()
	}
	return fields{
		"id": id, "invited_by_user_id": terms.InviterID, "invited": terms.Invited.Unix(),
		"expiry_date": expires, "invited_as": terms.Role, "is_multiuse": isLink,
	}
}

func (r *request) linkURL(l rules.InviteLink) string { return r.site + "/join/" + l.Key + "/" }

// readInvite declares the common parameters of both kinds of invitations. channelsNeeded makes stream_ids required.
func (r *request) readInvite(channelsNeeded bool) rules.NewInvite {
	lifetime := inviteLifetime
	in := rules.NewInvite{
		Minutes: withDefault(r, "invite_expires_in_minutes", jsonOf(orNull(parseInteger)), &lifetime),
		Role:    withDefault(r, "invite_as", roleNumber, rules.RoleMember),
	}
	if channelsNeeded {
		in.Channels = required(r, "stream_ids", integers)
	} else {
		in.Channels = withDefault(r, "stream_ids", integers, nil)
	}
	in.IncludeDefaultSubscriptions = withDefault(r, "include_realm_default_subscriptions", boolean, false)
	in.Groups = withDefault(r, "group_ids", integers, nil)
	in.WelcomeMessage = optional(r.since(featurelevel.Since("zulip_invite_link", "welcome_message_custom_text")), "welcome_message_custom_text", text(atMost(maxWelcomeMessage)))
	return in
}

func invite(r *request) (fields, error) {
	addresses := required(r, "invitee_emails", text())
	notify := withDefault(r, "notify_referrer_on_join", boolean, true)
	in := r.readInvite(true)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.Invite(r.me, addresses, notify, in)
}

func createInviteLink(r *request) (fields, error) {
	in := r.readInvite(false)
	if err := r.checked(); err != nil {
		return nil, err
	}
	link, err := r.org.CreateInviteLink(r.me, in)
	if err != nil {
		return nil, err
	}
	return fields{"invite_link": r.linkURL(link)}, nil
}

func revokeInvite(r *request) (fields, error) {
	return nil, r.org.RevokeInvitation(r.me, r.id("invite_id"))
}

func resendInvite(r *request) (fields, error) {
	return nil, r.org.ResendInvitation(r.me, r.id("invite_id"))
}

func revokeInviteLink(r *request) (fields, error) {
	return nil, r.org.RevokeInviteLink(r.me, r.id("invite_id"))
}

// AllInviteKeys returns the random part of every link so far. A log must not contain them.
func (s *Server) AllInviteKeys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for _, link := range s.org.InviteLinks.All() {
		keys = append(keys, link.Key)
	}
	return keys
}
