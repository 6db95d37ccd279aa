package main

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// subject is a resource type of which many objects are measured.
type subject struct {
	resource   string
	arguments  string // of the resource
	provider   string
	source     string   // of the provider; empty if it is built in
	settings   string   // of the provider
	connection []string // environment variables of the provider, with {url} instead of the server's URL
	api        api

	dir, plugin string // set by install
}

// subjects returns all subjects in the order of the table.
func subjects(organization *sandbox.Server) []*subject {
	owner, _ := organization.Credentials("owner")
	return []*subject{
		{
			resource:  "terraform_data",
			arguments: `input = { name = "object ${count.index}", description = local.description }`,
			provider:  "terraform",
		},
		{
			resource:  "null_resource",
			arguments: `triggers = { name = "object ${count.index}", description = local.description }`,
			provider:  "null",
			source:    "hashicorp/null",
		},
		{
			resource: "tailscale_webhook",
			arguments: `endpoint_url = "https://example.com/${count.index}"
  subscriptions = [var.changed ? "nodeDeleted" : "nodeCreated"]`,
			provider:   "tailscale",
			source:     "tailscale/tailscale",
			connection: []string{"TAILSCALE_BASE_URL={url}", "TAILSCALE_API_KEY=key", "TAILSCALE_TAILNET=-"},
			api:        api{handler: tailscale()},
		},
		{
			resource: "github_team",
			arguments: `name        = "team ${count.index}"
  description = local.description`,
			provider: "github",
			source:   "integrations/github",
			// By default, the provider sends one request at a time, and waits a second after each that writes.
			settings:   "write_delay_ms = 0\n  read_delay_ms = 0\n  parallel_requests = true",
			connection: []string{"GITHUB_BASE_URL={url}", "GITHUB_TOKEN=token", "GITHUB_OWNER=bench"},
			api:        api{handler: github()},
		},
		{
			resource: "zulip_channel",
			arguments: `name                   = "channel ${count.index}"
  description            = local.description
  can_send_message_group = ["role:moderators"]`,
			provider:   "zulip",
			source:     "zulip-iac/zulip",
			connection: []string{"ZULIP_SITE={url}", "ZULIP_EMAIL=" + owner.Email, "ZULIP_API_KEY=" + owner.APIKey},
			api:        api{handler: organization.Handler()},
		},
	}
}

// configuration returns the configuration of var.n objects. All of them change with var.changed.
func (s *subject) configuration() string {
	provider := ""
	if s.source != "" {
		provider = fmt.Sprintf(`terraform {
  required_providers {
    %[1]s = { source = %[2]q }
  }
}

provider %[1]q {
  %[3]s
}
`, s.provider, s.source, s.settings)
	}
	return provider + fmt.Sprintf(`
variable "n" {}
variable "changed" { default = false }

locals {
  description = var.changed ? "What shipped" : "What ships"
}

resource %q "x" {
  count = var.n
  %s
}
`, s.resource, s.arguments)
}
