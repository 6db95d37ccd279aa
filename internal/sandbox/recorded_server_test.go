package sandbox

import (
	"maps"
	"strings"
	"time"
)

// recordedConfig is that of the server of which a recording was made.
func recordedConfig(name string, rec recording) Config {
	cfg := Config{Accounts: maps.Clone(rec.Accounts), FeatureLevel: rec.FeatureLevel}
	for account, a := range cfg.Accounts {
		if !a.IsBot {
			a.Password = "recording-" + account + "-password"
		}
		a.CanCreateUsers = a.CanCreateUsers || name == "users-created" && account == "owner"
		cfg.Accounts[account] = a
	}
	if name == "rate-limit" {
		// Recorded on a server that allowed three requests a minute.
		cfg.RateLimits = []RateLimit{{time.Minute, 3}, {time.Hour, 2000}}
	}
	return cfg
}

// mayHoldMore returns which objects of an answer, by their paths, were recorded in part.
func mayHoldMore(name string, x exchange) func(path string) bool {
	return func(path string) bool {
		switch name {
		case "rate-limit", "fetch-api-key", "realm-icon-and-logo":
			return path == "body" && x.Status == 200
		case "subscription-properties":
			return strings.HasPrefix(path, "body.subscriptions.")
		case "bot-avatar":
			isOwn := strings.HasSuffix(x.Path, "/users/me") || strings.HasSuffix(x.Path, "/register")
			return path == "body" && x.Status == 200 && isOwn
		}
		return false
	}
}

// approximated fields hold what the server renders from Markdown.
func approximated(field string) bool {
	return strings.HasPrefix(field, "rendered_") || strings.HasPrefix(field, "prev_rendered_") || field == "content_html_diff"
}

// unordered names the lists whose order says nothing.
var unordered = []string{
	"bots", "export_consents", "ignored_parameters_unsupported", "invites", "members", "not_removed", "realm_bots", "removed",
	"subgroups", "subscribers",
}

// ofTheServer names fields whose values belong to the recorded server.
var ofTheServer = []string{
	"development_environment", "realm_bot_domain", "realm_date_created", "realm_name", "server_can_summarize_topics",
}
