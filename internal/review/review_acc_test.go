package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestAccReviewOfRealPlans plans changes of the sandbox's organization with the real CLI and holds what the review says
// against golden files, which are for people to read too.
func TestAccReviewOfRealPlans(t *testing.T) {
	for _, test := range []struct {
		name string
		// before is applied, byHand done to the organization, and after planned.
		before string
		byHand func(*testing.T, *acctest.Organization)
		after  string
		words  string
	}{
		{
			name:   "permission",
			before: channel("releases", "initial_subscribers = [\"paul.dubois@example.com\"]\ncan_send_message_group = [\"role:moderators\"]"),
			after:  channel("releases", "initial_subscribers = [\"paul.dubois@example.com\"]\ncan_send_message_group = [\"role:members\", \"user:paul.dubois@example.com\"]"),
			words:  "external widening",
		},
		{
			name:   "drift",
			before: channel("releases", `can_send_message_group = ["role:moderators"]`),
			byHand: func(t *testing.T, o *acctest.Organization) {
				o.Change(t, "releases", zulip.ChannelUpdate{Permissions: map[string]zulip.GroupSettingChange{
					"can_send_message_group": {New: zulip.NamedGroup(o.SystemGroup(t, "role:everyone"))},
				}})
			},
			after: channel("releases", `can_send_message_group = ["role:moderators"]`),
			words: "narrowing",
		},
		{
			name:   "web-public",
			before: channel("releases", `privacy = "public"`),
			after:  channel("releases", `privacy = "web_public"`),
			words:  "external widening",
		},
		{
			name:   "private",
			before: channel("releases", `privacy = "public"`),
			after:  channel("releases", "privacy = \"private_shared_history\"\ncan_add_subscribers_group = [\"group:leads\"]"),
			words:  "narrowing",
		},
		{
			name:   "archived",
			before: channel("releases", `privacy = "public"`),
			after:  "\n",
			words:  "narrowing",
		},
		{
			name: "new-channel",
			after: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + `
resource "zulip_user_group" "writers" {
  name    = "writers"
  members = ["lena.fischer@example.com"]
}
resource "zulip_channel_subscription" "releases" {
  channel = zulip_channel.x.id
  users   = ["kenji.sato@example.com"]
}
`,
		},
		{
			name: "group",
			before: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + `
resource "zulip_user_group" "writers" {
  name    = "writers"
  members = ["lena.fischer@example.com"]
}
`,
			after: channel("releases", `can_send_message_group = ["group:${zulip_user_group.writers.name}"]`) + `
resource "zulip_user_group" "writers" {
  name    = "authors"
  members = ["kenji.sato@example.com"]
}
`,
			words: "widening narrowing",
		},
		{
			name: "membership", // a guest who is put into the group gains nothing by it
			after: `
resource "zulip_user_group_membership" "x" {
  group   = "sre"
  members = ["kenji.sato@example.com", "paul.dubois@example.com"]
}
`,
			words: "widening",
		},
		{
			name: "role",
			after: `
resource "zulip_user_role" "x" {
  user = "lena.fischer@example.com"
  role = "administrator"
}
`,
			words: "role-change widening",
		},
		{
			name: "people",
			before: `
resource "zulip_user" "leaves" {
  email     = "noor@example.com"
  full_name = "Noor"
}
`,
			after: `
resource "zulip_user" "comes" {
  email     = "jo@example.com"
  full_name = "Jo"
  role      = "guest"
}
`,
			words: "external role-change widening narrowing",
		},
		{
			name: "unknown",
			after: channel("releases", `can_administer_channel_group = ["group_id:${zulip_user_group.writers.id}"]`) + `
resource "zulip_user_group" "writers" {
  name = "writers"
}
`,
			words: "unknown",
		},
		{
			name:   "nothing",
			before: channel("releases", `description = "one"`),
			after:  channel("releases", `description = "two"`),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			workspace := acctest.NewWorkspace(t)
			if test.before != "" {
				workspace.Configure(t, test.before)
				workspace.Must(t, "apply", "-auto-approve")
			}
			if test.byHand != nil {
				test.byHand(t, o)
			}
			workspace.Configure(t, test.after)
			workspace.Must(t, "plan", "-out=plan")
			plan := workspace.Show(t, "plan")
			sent := o.Sent()
			found := reviewOf(t, o, plan)
			if requests := len(sent.Requests()); requests != 2 {
				t.Errorf("the review sent %d requests, not one for the snapshot and one that ends its event queue", requests)
			}
			var got []string
			for _, word := range found.Verdict.Words {
				got = append(got, string(word))
			}
			if strings.Join(got, " ") != test.words {
				t.Errorf("the words are %q, not %q", strings.Join(got, " "), test.words)
			}
			golden(t, test.name+".md", markdown(t, found))
			golden(t, test.name+".review.json", indented(t, found))
			keep(t, test.name+".plan.json", plan)
		})
	}
}

func channel(name, attributes string) string {
	return "resource \"zulip_channel\" \"x\" {\n  name = \"" + name + "\"\n  " + attributes + "\n}\n"
}

// reviewOf reviews a plan of an organization.
func reviewOf(t testing.TB, o *acctest.Organization, text string) *review.Review {
	t.Helper()
	return reviewWith(t, directory.New(o.Client, o.Self, 0), text)
}

func reviewWith(t testing.TB, dir *directory.Directory, text string) *review.Review {
	t.Helper()
	plan, err := review.ParsePlan(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := review.New(context.Background(), plan, review.Options{
		Directory: dir, Site: "https://chat.example.com", Now: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func markdown(t testing.TB, found *review.Review) string {
	t.Helper()
	var text bytes.Buffer
	if err := review.WriteMarkdown(&text, found); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func indented(t *testing.T, found *review.Review) string {
	t.Helper()
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		keep(t, name, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: the review is not what it was; look at it, and run the test with -update if it is right:\n%s", path, got)
	}
}

// keep writes a file of testdata, if that is asked for.
func keep(t *testing.T, name, content string) {
	t.Helper()
	if !*update {
		return
	}
	if err := os.WriteFile(filepath.Join("testdata", name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
