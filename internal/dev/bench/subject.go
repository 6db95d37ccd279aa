package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perBlock is how many channels one block of the configuration has. The CLI's own cost grows with the square of it: 5,000
// in one block cost it five times what they cost in several, which is not how anybody would write them.
const perBlock = 1000

// A subject is something whose cost is measured: a configuration, and the folder it is applied in.
type subject struct {
	name string
	// resource is the type of its resources.
	resource string
	// wrap makes the body of the resource of the attributes.
	wrap func(attributes string) string
	// provider names the provider in a required_providers block; empty for one that the CLI has built in.
	provider string
	dir      string
	// backend is the block of a remote state; empty for a file.
	backend string
}

// subjects are the provider and the two floors: what the CLI costs by itself, with a resource that it has built in, and
// what the plugin protocol costs, with a provider of the same schema that does nothing.
func subjects(work string) (ours, cliFloor, protocolFloor *subject) {
	plain := func(attributes string) string { return attributes }
	ours = &subject{name: "zulip", resource: "zulip_channel", wrap: plain, provider: "zulip"}
	cliFloor = &subject{name: "floor 1", resource: "terraform_data", wrap: func(attributes string) string {
		return "  input = {\n" + attributes + "  }\n"
	}}
	protocolFloor = &subject{name: "floor 2", resource: "idle_channel", wrap: plain, provider: "idle"}
	for _, s := range []*subject{ours, cliFloor, protocolFloor} {
		s.dir = filepath.Join(work, strings.ReplaceAll(s.name, " ", "-"))
	}
	return ours, cliFloor, protocolFloor
}

// useRemoteState makes the CLI keep the subject's state at an address.
func (s *subject) useRemoteState(ctx context.Context, c cli, address string) error {
	s.backend = fmt.Sprintf("  backend \"http\" {\n    address = %q\n  }\n", address)
	// The backend alone: a CLI that uses plugins in development has nothing to install, but would look for them.
	if err := s.put("terraform {\n" + s.backend + "}\n"); err != nil {
		return err
	}
	_, err := c.run(ctx, s, nil, "init", "-input=false", "-no-color")
	return err
}

// write writes the configuration of n channels. Every description says the given word, so that another word is a change of
// one attribute everywhere.
func (s *subject) write(n int, word string, w *world) error {
	var config strings.Builder
	config.WriteString("terraform {\n" + s.backend)
	if s.provider != "" {
		fmt.Fprintf(&config, "  required_providers {\n    %s = { source = \"zulip-iac/%s\" }\n  }\n", s.provider, s.provider)
	}
	fmt.Fprintf(&config, "}\n\nlocals {\n  folders = %s\n}\n", strings.ReplaceAll(fmt.Sprint(w.folders), " ", ", "))
	for first := 0; first < n; first += perBlock {
		fmt.Fprintf(&config, "\nresource %q \"from_%d\" {\n  count = %d\n%s}\n",
			s.resource, first, min(perBlock, n-first), s.wrap(attributes(first, word, w)))
	}
	return s.put(config.String())
}

func attributes(first int, word string, w *world) string {
	return strings.ReplaceAll(fmt.Sprintf(`  name                         = "bench-${NUMBER}"
  description                  = "Channel ${NUMBER}, %s"
  privacy                      = (NUMBER) %% 4 == 0 ? "private_shared_history" : "public"
  topics_policy                = "inherit"
  message_retention_days       = "realm_default"
  folder_id                    = local.folders[(NUMBER) %% %d]
  can_send_message_group       = ["group:team-${(NUMBER) %% %d}", "role:moderators"]
  can_administer_channel_group = ["role:administrators"]
  can_add_subscribers_group    = ["role:moderators", "user:%s"]
  can_remove_subscribers_group = ["role:moderators"]
`, word, len(w.folders), w.groups, w.person), "NUMBER", fmt.Sprintf("%d + count.index", first))
}

func (s *subject) put(config string) error {
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "main.tf"), []byte(config), 0o600)
}
