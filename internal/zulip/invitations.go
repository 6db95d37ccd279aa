package zulip

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// LevelInviteLinksOfMembers is the feature level from which others than administrators can make links
// (https://zulip.com/api/create-invite-link).
const LevelInviteLinksOfMembers = 209

// MaxWelcomeMessageLength is the longest welcome message, in characters (server-behavior §U16).
const MaxWelcomeMessageLength = 8000

// Invitation is a pending invitation: a link for anybody who has it, or an email to one address. The two kinds have
// separate sequences of IDs (server-behavior §U17).
type Invitation struct {
	ID              int64 `json:"id"`
	IsMultiuse      bool  `json:"is_multiuse"` // a link
	InvitedAs       Role  `json:"invited_as"`
	InvitedByUserID int64 `json:"invited_by_user_id"`
	// Invited is when it was created, ExpiryDate when it ends, in seconds since 1970; nil: never.
	Invited    int64  `json:"invited"`
	ExpiryDate *int64 `json:"expiry_date"`
	// LinkURL is the link, a secret; "" for a mail.
	LinkURL string `json:"link_url"`
	// Email is the address of a mail; "" for a link.
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

// NewInviteLink is what a link is made of (https://zulip.com/api/create-invite-link). What is nil is left to the
// server.
type NewInviteLink struct {
	// ExpiresInMinutes nil is sent too: the link never expires.
	ExpiresInMinutes     *int64
	InviteAs             *Role
	ChannelIDs           []int64
	GroupIDs             []int64
	DefaultSubscriptions *bool
	// WelcomeMessage "" sends none.
	WelcomeMessage *string
}

// Invitations reads the pending invitations: everybody's for an administrator, else the account's own
// (https://zulip.com/api/get-invites).
func (c *Client) Invitations(ctx context.Context) ([]*Invitation, error) {
	var answer struct {
		Invites []*Invitation `json:"invites"`
	}
	if _, err := c.send(ctx, http.MethodGet, "/invites", nil, safeToRetry, &answer); err != nil {
		return nil, err
	}
	return withoutNull(answer.Invites), nil
}

// CreateInviteLink creates a link and returns it. The server does not return its ID, which [Client.Invitations] lists with
// the link. Every call creates another link: the client does not retry it.
func (c *Client) CreateInviteLink(ctx context.Context, link NewInviteLink) (string, error) {
	form := &Form{}
	form.JSON("invite_expires_in_minutes", link.ExpiresInMinutes)
	if link.InviteAs != nil {
		form.JSON("invite_as", *link.InviteAs)
	}
	if link.ChannelIDs != nil {
		form.JSON("stream_ids", link.ChannelIDs)
	}
	if link.GroupIDs != nil {
		form.JSON("group_ids", link.GroupIDs)
	}
	if link.DefaultSubscriptions != nil {
		form.JSON("include_realm_default_subscriptions", *link.DefaultSubscriptions)
	}
	if link.WelcomeMessage != nil {
		form.Text("welcome_message_custom_text", *link.WelcomeMessage)
	}
	var answer struct {
		InviteLink string `json:"invite_link"`
	}
	if _, err := c.send(ctx, http.MethodPost, "/invites/multiuse", form, neverRetry, &answer); err != nil {
		return "", err
	}
	if answer.InviteLink == "" {
		return "", &maybeAppliedError{errors.New("POST /invites/multiuse: the answer holds no link")}
	}
	return answer.InviteLink, nil
}

// RevokeInviteLink revokes a link. It is not an error if it was revoked already or does not exist.
func (c *Client) RevokeInviteLink(ctx context.Context, id int64) error {
	_, err := c.send(ctx, http.MethodDelete, "/invites/multiuse/"+strconv.FormatInt(id, 10), nil, safeToRetry, nil)
	if IsMessage(err, "No such invitation", "Invitation has already been revoked") {
		return nil
	}
	return err
}
