package main

import "strings"

// An operation is an operation of one of the two APIs.
type operation struct {
	name string
	// endpoint is the method and the path, without /api/v1 for the messaging system. {email} matches an address, {id}
	// matches anything, and other words in braces match a number.
	endpoint string
	// sent is the parameter that distinguishes the operation from others of the same endpoint; empty if there are none.
	sent string
}

// operations are the operations in the documentation of the two APIs. An endpoint with two opposite operations counts as
// two.
var operations = []operation{
	{"Send a message", "POST /messages", ""},
	{"Start typing", "POST /typing", "op=start"},
	{"Stop typing", "POST /typing", "op=stop"},
	{"Create a channel", "POST /channels/create", ""},
	{"Update a channel", "PATCH /streams/{stream_id}", ""},
	{"Unarchive a channel", "PATCH /streams/{stream_id}", "is_archived=false"},
	{"Update subscription settings", "POST /users/me/subscriptions/properties", ""},
	{"Get topics in a channel", "GET /users/me/{stream_id}/topics", ""},
	{"Edit a scheduled message", "PATCH /scheduled_messages/{scheduled_message_id}", ""},
	{"Create drafts", "POST /drafts", ""},
	{"Add an emoji reaction", "POST /messages/{message_id}/reactions", ""},
	{"Get a message's edit history", "GET /messages/{message_id}/history", ""},
	{"Report a message", "POST /messages/{message_id}/report", ""},
	{"Add personal message flags", "POST /messages/flags", "op=add"},
	{"Remove personal message flags", "POST /messages/flags", "op=remove"},
	{"Add personal message flags for a narrow", "POST /messages/flags/narrow", "op=add"},
	{"Remove personal message flags for a narrow", "POST /messages/flags/narrow", "op=remove"},
	{"Mark messages in a topic as read", "POST /mark_topic_as_read", ""},
	{"Get a user", "GET /users/{user_id}", ""},
	{"Get a user by email", "GET /users/{email}", ""},
	{"Update a user by email", "PATCH /users/{email}", ""},
	{"Deactivate a user", "DELETE /users/{user_id}", ""},
	{"Update user status", "POST /users/{user_id}/status", ""},
	{"Create a reusable invitation link", "POST /invites/multiuse", ""},
	{"Add a linkifier", "POST /realm/filters", ""},
	{"Update a linkifier", "PATCH /realm/filters/{filter_id}", ""},
	{"Get server settings", "GET /server_settings", ""},
	{"List trading organizations", "GET /api/Organizations", ""},
	{"List trade platforms", "GET /api/TradePlatforms", ""},
	{"Ping a trade platform", "GET /api/TradePlatforms/{id}/Ping", ""},
}

// tokenFlow is the authentication with the trading system. It does not count as an operation, but the three operations need
// it.
var tokenFlow = operation{"Request an access token", "POST /connect/token", ""}

// wire returns the operation in the form of the table.
func (o operation) wire() string {
	if o.sent == "" {
		return "`" + o.endpoint + "`"
	}
	return "`" + o.endpoint + "`, `" + o.sent + "`"
}

// isCall reports whether a recorded call, for example "PATCH /streams/12 is_archived=false", is this operation.
func (o operation) isCall(line string) bool {
	words := strings.Fields(line)
	want := strings.Fields(o.endpoint)
	if len(words) < 2 || words[0] != want[0] {
		return false
	}
	got, pattern := strings.Split(words[1], "/"), strings.Split(want[1], "/")
	if len(got) != len(pattern) {
		return false
	}
	for i, segment := range pattern {
		if !fits(segment, got[i]) {
			return false
		}
	}
	if o.sent == "" {
		return true
	}
	for _, parameter := range words[2:] {
		if parameter == o.sent {
			return true
		}
	}
	return false
}

// fits reports whether a segment of a path matches that of the endpoint.
func fits(pattern, got string) bool {
	switch {
	case pattern == "{email}":
		return strings.Contains(got, "@")
	case pattern == "{id}":
		return got != ""
	case strings.HasPrefix(pattern, "{"):
		return got != "" && strings.Trim(got, "0123456789") == ""
	}
	return pattern == got
}
