package export_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

const rulesName = "rules.zulip.hcl"

// proposedRules are those of the example organization with a folder for security.
//
//go:embed testdata/rules.zulip.hcl
var proposedRules string

// proposed proposes rules, as the command does.
func proposed(ctx context.Context, from *store.Store) (*export.Rules, error) {
	proposal, err := rules.ProposeFor(ctx, from, time.Now())
	if err != nil {
		return nil, err
	}
	return &export.Rules{Text: proposal.Text, Rules: proposal.Rules, Limits: proposal.Limits}, nil
}

// auditOf audits the organization of the environment with a file of rules.
func auditOf(content []byte) (*audit.Audit, error) {
	file, err := rules.Parse(rulesName, content)
	if err != nil {
		return nil, err
	}
	session, err := provider.Open(context.Background(), "test")
	if err != nil {
		return nil, err
	}
	return audit.Make(context.Background(), session.Meta().Store, audit.Options{Now: time.Now(), Rules: file})
}

// Whatever an organization has, each rule that its export proposes is proven of it by an audit. The file is formatted, and short.
func TestProtocolExportProposesRulesThatHold(t *testing.T) {
	organizations, seen := 0, map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		w.fill()
		useAccount(t, w.server, w.owner)
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{Rules: proposed}); err != nil {
			r.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(folder, rulesName))
		if err != nil {
			r.Fatal(err)
		}
		if !bytes.Equal(hclwrite.Format(content), content) {
			r.Errorf("the file is not formatted:\n%s", content)
		}
		found, err := auditOf(content)
		if err != nil {
			r.Fatalf("%v\n%s", err, content)
		}
		if len(found.Rules) > 12 {
			r.Errorf("there are %d rules:\n%s", len(found.Rules), content)
		}
		organizations++
		for _, rule := range found.Rules {
			if rule.Standing != report.RuleHolds || len(rule.Notes) > 0 {
				r.Errorf("%s: %v\n%s", rule.Name, rule.Lines(), content)
			}
			name, _, _ := strings.Cut(rule.Name, ":")
			seen[name]++
		}
	})
	t.Logf("of %d organizations: %v", organizations, seen)
	for _, name := range []string{
		"two owners", "few administer the organization", "nobody joins without an invitation", "nothing is on the web", "what administrators alone can do", "what moderators and administrators alone can do",
		"no guests in private channels", "private to group",
	} {
		if organizations >= 100 && seen[name] == 0 {
			t.Errorf("of %d organizations none has a rule %q", organizations, name)
		}
	}
}

// The rules of the example organization, as a user gets them. What is ordinary does not break them.
func TestProtocolExportProposesRules(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	credentials := o.Sandbox.AllCredentials()
	made := func(path, key string, params map[string]string) string {
		return fmt.Sprint(int64(o.Call(t, "POST", path, params)[key].(float64)))
	}
	list := func(accounts ...string) string {
		var ids []string
		for _, account := range accounts {
			ids = append(ids, fmt.Sprint(credentials[account].ID))
		}
		return "[" + strings.Join(ids, ",") + "]"
	}
	folder := made("/channel_folders/create", "channel_folder_id", map[string]string{"name": "Security", "description": ""})
	group := made("/user_groups/create", "group_id", map[string]string{"name": "security", "description": "", "members": list("owner", "member")})
	for _, name := range []string{"findings", "audits"} {
		made("/channels/create", "id", map[string]string{
			"name": name, "invite_only": "true", "history_public_to_subscribers": "true", "folder_id": folder, "subscribers": list("member"), "can_subscribe_group": group,
		})
	}
	into := t.TempDir()
	result, err := exportInto(into, export.Options{Rules: proposed})
	if err != nil || !slices.Contains(result.Files, rulesName) {
		t.Fatal(err, result)
	}
	content, err := os.ReadFile(filepath.Join(into, rulesName))
	if err != nil {
		t.Fatal(err)
	}
	if want := proposedRules; string(content) != want {
		t.Errorf("proposed\n%s\nwant\n%s", content, want)
	}
	if summary := readSummary(t, into); !strings.Contains(summary, "`rules.zulip.hcl` has 8 rules and 1 limit that hold today") {
		t.Errorf("EXPORT.md is\n%s", summary)
	}

	o.Call(t, "POST", "/users", map[string]string{"email": "nia@example.com", "full_name": "Nia", "password": "xuzpSwordfish42!"})
	made("/channels/create", "id", map[string]string{"name": "new", "subscribers": list("member", "guest")})
	o.Call(t, "POST", "/user_groups/"+group+"/members", map[string]string{"add": list("admin")})
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "findings"}]`, "principals": list("admin")})
	found, err := auditOf(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range found.Rules {
		if rule.Standing != report.RuleHolds {
			t.Errorf("after what is ordinary, %s: %v", rule.Name, rule.Lines())
		}
	}
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "findings"}]`, "principals": list("guest")})
	if found, err = auditOf(content); err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, rule := range found.Rules {
		if rule.Standing == report.RuleBroken {
			broken = append(broken, rule.Name)
		}
	}
	if got := strings.Join(broken, ", "); got != "no guests in private channels, private to group:security" {
		t.Errorf("after a guest is in the channel, these are broken: %s", got)
	}
}

// What people have made of the proposed rules no later export touches.
func TestProtocolExportLeavesRulesAlone(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	at := filepath.Join(folder, rulesName)
	if _, err := exportInto(folder, export.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at); err == nil {
		t.Error("rules were written without being asked for")
	}
	if _, err := exportInto(folder, export.Options{Rules: proposed}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte("# ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, options := range []export.Options{{Rules: proposed}, {}, {Rules: proposed}} {
		result, err := exportInto(folder, options)
		if err != nil {
			t.Fatal(err)
		}
		if content, _ := os.ReadFile(at); string(content) != "# ours\n" || slices.Contains(result.Files, rulesName) {
			t.Errorf("proposed again: %v; the file is %q, written were %v", options.Rules != nil, content, result.Files)
		}
		if options.Rules != nil && !strings.Contains(readSummary(t, folder), "`rules.zulip.hcl` is there already and stays as it is") {
			t.Error("EXPORT.md does not say so")
		}
	}
}
