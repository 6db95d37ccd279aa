package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// teamModule creates a private channel and lists its subscribers, and those of channels that it is given.
const teamModule = `
variable "name" {
  type = string
}
variable "own" {
  type    = string
  default = null
}
variable "all" {
  default = null
}
resource "zulip_channel" "internal" {
  name    = "module ${var.name}"
  privacy = "private_shared_history"
}
resource "zulip_channel_subscribers" "internal" {
  channel = zulip_channel.internal.id
  users   = ["${var.name}@example.com"]
}
resource "zulip_channel_subscription" "own" {
  count   = var.name == "amara.okafor" ? 1 : 0
  channel = var.own
  users   = ["kenji.sato@example.com"]
}
resource "zulip_channel_subscription" "written" {
  count   = var.name == "amara.okafor" ? 1 : 0
  channel = var.all["written"].id
  users   = ["kenji.sato@example.com"]
}
module "nested" {
  source   = "./nested"
  for_each = toset(["kenji.sato"])
  channel  = zulip_channel.internal.id
  name     = each.key
}
output "id" {
  value = zulip_channel.internal.id
}
`

// nestedModule subscribes someone to the channel that it is given.
const nestedModule = `
variable "channel" {
  type = string
}
variable "name" {
  type = string
}
resource "zulip_channel_subscription" "one" {
  channel = var.channel
  users   = ["${var.name}@example.com"]
}
`

// references are new channels and the resources that reference them in different ways.
const references = `
locals {
  teams = { "amara.okafor" = "x", "lena.fischer" = "y" }
  names = toset(["own", "each", "for", "written", "output"])
}
module "team" {
  source   = "./team"
  for_each = local.teams
  name     = each.key
  own      = zulip_channel.x["own"].id
  all      = zulip_channel.x
}
resource "zulip_channel" "x" {
  for_each = local.names
  name     = each.key
  privacy  = "private_shared_history"
}
resource "zulip_channel_subscribers" "each" {
  for_each = toset(["each"])
  channel  = zulip_channel.x[each.key].id
  users    = ["kenji.sato@example.com"]
}
resource "zulip_channel" "y" {
  for_each = toset(["for one", "for another"])
  name     = each.key
  privacy  = "private_shared_history"
}
resource "zulip_channel_subscription" "for" {
  for_each = zulip_channel.y
  channel  = each.value.id
  users    = [each.key == "for one" ? "kenji.sato@example.com" : "lena.fischer@example.com"]
}
resource "zulip_channel" "counted" {
  count   = 2
  name    = "counted ${count.index}"
  privacy = "private_shared_history"
}
resource "zulip_channel_subscribers" "counted" {
  count   = 2
  channel = zulip_channel.counted[count.index].id
  users   = [["kenji.sato@example.com", "lena.fischer@example.com"][count.index]]
}
resource "zulip_channel_subscription" "indexed" {
  channel = zulip_channel.counted[1].id
  users   = ["tomas.berg@example.com"]
}
resource "zulip_channel_subscription" "output" {
  for_each = local.teams
  channel  = module.team[each.key].id
  users    = ["tomas.berg@example.com"]
}
resource "zulip_channel" "plain" {
  name                   = "plain"
  privacy                = "private_shared_history"
  can_send_message_group = ["user:${zulip_bot.pager.email}", "group_id:${zulip_user_group.readers.id}"]
  initial_subscribers    = [zulip_bot.pager.email, "amara.okafor@example.com"]
}
resource "zulip_channel_subscribers" "plain" {
  channel = zulip_channel.plain.name
  users   = ["lena.fischer@example.com", zulip_bot.pager.email]
}
resource "zulip_bot" "pager" {
  short_name = "pager"
  full_name  = "Pager"
}
resource "zulip_user_group" "readers" {
  name    = "readers"
  members = ["kenji.sato@example.com", zulip_bot.pager.email]
}
`

// TestAccReviewReferences_NewObjects_Resolved plans new channels, and resources that reference them in each way that a plan
// in JSON shows. The review knows every subscriber.
func TestAccReviewReferences_NewObjects_Resolved(t *testing.T) {
	o, w := acctest.StartSandbox(t, sandbox.Config{}), acctest.NewWorkspace(t)
	for name, module := range map[string]string{"team": teamModule, "team/nested": nestedModule} {
		acctest.NoError(t, os.MkdirAll(filepath.Join(w.Dir(), name), 0o700))
		required := "terraform {\n  required_providers {\n    zulip = {\n      source = \"zulip-iac/zulip\"\n    }\n  }\n}\n"
		acctest.NoError(t, os.WriteFile(filepath.Join(w.Dir(), name, "main.tf"), []byte(required+module), 0o600))
	}
	w.Configure(t, references)
	w.Must(t, "get")
	w.Must(t, "plan", "-out=plan")
	joins := map[string]string{
		"module amara.okafor": "amara.okafor kenji.sato tomas.berg", "module lena.fischer": "kenji.sato lena.fischer tomas.berg",
		"own": "kenji.sato", "each": "kenji.sato", "written": "kenji.sato", "output": "",
		"for": "", "for one": "kenji.sato", "for another": "lena.fischer",
		"counted 0": "kenji.sato", "counted 1": "lena.fischer tomas.berg", "plain": "amara.okafor lena.fischer pager-bot",
	}
	var text strings.Builder
	for name := range joins {
		fmt.Fprintf(&text, "rule %q {\n  channels   = %[1]q\n  permission = [\"read\", \"subscribed\", \"send_message\"]\n  never      = \"user:paul.dubois@example.com\"\n}\n", name)
	}
	found := mustReview(t, w.Show(t, "plan"), review.Options{Store: readOf(o), Rules: rulesOf(t, text.String())})
	if len(found.Unknown) > 0 {
		t.Errorf("unknown: %s", strings.Join(found.Unknown, "\n"))
	}
	for _, channel := range found.Channels {
		var names []string
		for account := range channel.Joins.All() {
			if name, _, _ := strings.Cut(account.Email, "@"); !account.IsSelf {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if want, isListed := joins[channel.Name]; !isListed || strings.Join(names, " ") != want {
			t.Errorf("#%s: %q join, want %q", channel.Name, names, want)
		}
	}
	for _, rule := range found.Rules {
		if rule.Status != report.RulePasses {
			t.Errorf("%s: %q", rule.Name, rule.Lines())
		}
	}
	expectText(t, markdownOf(t, found), "post: `group:readers`, `user:pager-bot@zulip.example.com` | `Pager` (new bot) |")
}
