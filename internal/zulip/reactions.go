package zulip

import (
	"context"
	"net/http"
)

// ReactionTypes are the kinds of emoji: of Unicode, of the organization, of the
// server.
var ReactionTypes = []string{"unicode_emoji", "realm_emoji", "zulip_extra_emoji"}

// Reaction is somebody's emoji on a message (server-behavior §U12). The code and the type
// tell emoji apart; one emoji has several names.
type Reaction struct {
	EmojiName string `json:"emoji_name"`
	EmojiCode string `json:"emoji_code"`
	Type      string `json:"reaction_type"`
	UserID    int64  `json:"user_id"`
}

// SameEmoji reports whether two reactions are the same emoji.
func (r Reaction) SameEmoji(other Reaction) bool {
	return r.EmojiCode == other.EmojiCode && r.Type == other.Type
}

// AddReaction adds the account's own reaction. An empty code or type is left to the
// server, which knows them by the name. One that already exists is not an error.
func (c *Client) AddReaction(ctx context.Context, message int64, reaction Reaction) error {
	exists := func(err error) bool { return IsCode(err, "REACTION_ALREADY_EXISTS") }
	return unless(exists, c.do(ctx, http.MethodPost, messagePath(message)+"/reactions", params{
		"emoji_name":    text(reaction.EmojiName),
		"emoji_code":    when(reaction.EmojiCode != "", text(reaction.EmojiCode)),
		"reaction_type": when(reaction.Type != "", text(reaction.Type)),
	}.form(), safeToRetry))
}

// RemoveReaction removes the account's own reaction. The type is always sent, because the server
// would assume a Unicode emoji. It is not an error if the reaction or the message does not exist.
func (c *Client) RemoveReaction(ctx context.Context, message int64, reaction Reaction) error {
	isGone := func(err error) bool { return IsCode(err, "REACTION_DOES_NOT_EXIST") || IsNoMessage(err) }
	return unless(isGone, c.do(ctx, http.MethodDelete, messagePath(message)+"/reactions", params{
		"emoji_name":    text(reaction.EmojiName),
		"emoji_code":    text(reaction.EmojiCode),
		"reaction_type": text(reaction.Type),
	}.form(), safeToRetry))
}
