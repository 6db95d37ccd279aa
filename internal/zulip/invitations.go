package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// MaxWelcomeMessageLength is the longest welcome message, in characters (server-behavior §U16).
const MaxWelcomeMessageLength = 8000

// Invitation is a pending invitation: a link for everyone who has it, or an email to one address. The two kinds have
// separate sequences of IDs (server-behavior §U17).
type Invitation struct {
	ID              int64 `json:"id"`
	IsMultiuse      bool  `json:"is_multiuse"` // a link
	InvitedAs       Role  `json:"invited_as"`
	InvitedByUserID int64 `json:"invited_by_user_id"`
	// Invited is when it was created, ExpiryDate when it ends, in seconds since 1970; nil: never.
	Invited    int64  `json:"invited"`
	ExpiryDate *int64 `json:"expiry_date"`
	// LinkURL is the link, a secret; "" for an email.
	LinkURL string `json:"link_url"`
	// Email is the address of an email; "" for a link.
	Email string `json:"email"`
	// NotifyReferrerOnJoin is nil for a link, and on servers below 267.
	NotifyReferrerOnJoin *bool `json:"notify_referrer_on_join"`
}

// ExpiresInMinutes returns the lifetime of the invitation, computed from the times of creation and expiry; nil: it never
// expires.
func (i *Invitation) ExpiresInMinutes() *int64 {
	if i.ExpiryDate == nil {
		return nil
	}
	const halfMinute = int64(time.Minute / time.Second / 2)
	minutes := (*i.ExpiryDate - i.Invited + halfMinute) / int64(time.Minute/time.Second)
	return &minutes
}

// InviteTerms are the terms for people who join by an invitation (https://zulip.com/api/create-invite-link). The server
// chooses nil fields.
type InviteTerms struct {
	// ExpiresInMinutes is sent even if it is nil: the invitation never expires.
	ExpiresInMinutes     *int64
	InviteAs             *Role
	ChannelIDs           []int64
	GroupIDs             []int64
	DefaultSubscriptions *bool
	// WelcomeMessage is the text of the welcome message; "" sends none.
	WelcomeMessage *string
}

func (t *InviteTerms) form() *Form {
	return params{
		"invite_expires_in_minutes":           &t.ExpiresInMinutes, // null is sent too
		"invite_as":                           t.InviteAs,
		"stream_ids":                          when(t.ChannelIDs != nil, t.ChannelIDs),
		"group_ids":                           when(t.GroupIDs != nil, t.GroupIDs),
		"include_realm_default_subscriptions": t.DefaultSubscriptions,
		"welcome_message_custom_text":         (*text)(t.WelcomeMessage),
	}.form()
}

// NewInvitation is an invitation by email to one address. The server accepts several addresses together, but may then send
// some of them and answer with an error (server-behavior §U21).
type NewInvitation struct {
	InviteTerms
	Email                string
	NotifyReferrerOnJoin *bool
}

// Invitations reads the pending invitations: for an administrator all of them, otherwise the account's own
// (https://zulip.com/api/get-invites).
func (c *Client) Invitations(ctx context.Context) ([]*Invitation, error) {
	return list[Invitation](ctx, c, "/invites", nil, "invites")
}

// CreateInviteLink creates a link and returns it. The server does not return its ID, which [Client.Invitations] lists with
// the link. Every call creates another link: the client does not retry it.
func (c *Client) CreateInviteLink(ctx context.Context, link InviteTerms) (string, error) {
	url, err := sendFor[string](ctx, c, http.MethodPost, "/invites/multiuse", link.form(), neverRetry, "invite_link")
	if err == nil && url == "" {
		err = &maybeAppliedError{errors.New("POST /invites/multiuse: the answer holds no link")}
	}
	return url, err
}

// RevokeInviteLink revokes a link. It is not an error if it was revoked already or does not exist.
func (c *Client) RevokeInviteLink(ctx context.Context, id int64) error {
	return c.remove(ctx, itemPath("/invites/multiuse", id), says("No such invitation", "Invitation has already been revoked"))
}

// Invite sends an invitation by email (https://zulip.com/api/send-invites). The server does not return its ID, which
// [Client.Invitations] lists with the address. Every call sends another one: the client does not retry it.
func (c *Client) Invite(ctx context.Context, invitation NewInvitation) error {
	if invitation.ChannelIDs == nil {
		invitation.ChannelIDs = []int64{} // the server requires the parameter
	}
	form := invitation.form()
	form.Text("invitee_emails", invitation.Email)
	if invitation.NotifyReferrerOnJoin != nil {
		form.JSON("notify_referrer_on_join", *invitation.NotifyReferrerOnJoin)
	}
	return c.do(ctx, http.MethodPost, "/invites", form, neverRetry)
}

// RevokeInvitation revokes an invitation by email. The ID must come from a fresh list, because that of a link revokes
// another invitation (server-behavior §U17). It is not an error if it does not exist.
func (c *Client) RevokeInvitation(ctx context.Context, id int64) error {
	return c.remove(ctx, itemPath("/invites", id), says("No such invitation"))
}

// InviteProblem returns why the server did not invite an address, in the server's words; "" if the error names no address.
func InviteProblem(err error) string {
	var refusal *Error
	if !IsCode(err, "INVITATION_FAILED") || !errors.As(err, &refusal) {
		return ""
	}
	var problems [][]any // address, reason, whether the account is deactivated
	if json.Unmarshal(refusal.Fields["errors"], &problems) != nil || len(problems) == 0 || len(problems[0]) < 2 {
		return ""
	}
	problem, _ := problems[0][1].(string)
	return problem
}

// The problems that say that an address has an account.
const (
	HasAccount            = "Already has an account."
	HasDeactivatedAccount = "Account has been deactivated."
)
