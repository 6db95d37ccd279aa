package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A subject is something whose cost is measured: a configuration, and the folder it is applied in.
type subject struct {
	name string
	// block begins the resource, up to its opening brace.
	block string
	// wrap makes the body of the resource of the attributes.
	wrap func(attributes string) string
	// provider names the provider in a required_providers block; empty for one that the CLI has built in.
	provider string
	dir      string
}

// subjects are the provider and the two floors: what the CLI costs by itself, with a resource that it has built in, and
// what the plugin protocol costs, with a provider of the same schema that does nothing.
func subjects(work string) (ours, cliFloor, protocolFloor *subject) {
	plain := func(attributes string) string { return attributes }
	ours = &subject{name: "zulip", block: `resource "zulip_channel" "all"`, wrap: plain, provider: "zulip"}
	cliFloor = &subject{name: "floor 1", block: `resource "terraform_data" "all"`, wrap: func(attributes string) string {
		return "  input = {\n" + attributes + "  }\n"
	}}
	protocolFloor = &subject{name: "floor 2", block: `resource "idle_channel" "all"`, wrap: plain, provider: "idle"}
	for _, s := range []*subject{ours, cliFloor, protocolFloor} {
		s.dir = filepath.Join(work, strings.ReplaceAll(s.name, " ", "-"))
	}
	return ours, cliFloor, protocolFloor
}

// write writes the configuration of n channels. Every description says the given word, so that another word is a change of
// one attribute everywhere.
func (s *subject) write(n int, word string, w *world) error {
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return err
	}
	attributes := fmt.Sprintf(`  name                         = "bench-${count.index}"
  description                  = "Channel ${count.index}, %s"
  privacy                      = count.index %% 4 == 0 ? "private_shared_history" : "public"
  topics_policy                = "inherit"
  message_retention_days       = "realm_default"
  folder_id                    = local.folders[count.index %% %d]
  can_send_message_group       = ["group:team-${count.index %% %d}", "role:moderators"]
  can_administer_channel_group = ["role:administrators"]
  can_add_subscribers_group    = ["role:moderators", "user:%s"]
  can_remove_subscribers_group = ["role:moderators"]
`, word, len(w.folders), w.groups, w.person)
	config := fmt.Sprintf("locals {\n  folders = %s\n}\n\n%s {\n  count = %d\n%s}\n",
		strings.ReplaceAll(fmt.Sprint(w.folders), " ", ", "), s.block, n, s.wrap(attributes))
	if s.provider != "" {
		config = fmt.Sprintf("terraform {\n  required_providers {\n    %s = { source = \"zulip-iac/%s\" }\n  }\n}\n\n", s.provider, s.provider) + config
	}
	return os.WriteFile(filepath.Join(s.dir, "main.tf"), []byte(config), 0o600)
}
