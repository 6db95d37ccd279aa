package export_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
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

// nodesOf counts the elements of a text in Markdown as GitHub reads it, by their kind.
func nodesOf(t *testing.T, markdown string) map[string]int {
	t.Helper()
	nodes := map[string]int{}
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(markdown)))
	err := ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if kind := node.Kind(); entering && kind != ast.KindText {
			nodes[kind.String()]++
		}
		return ast.WalkContinue, nil
	})
	acctest.NoError(t, err)
	return nodes
}

func readSummary(t *testing.T, folder string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "EXPORT.md"))
	acctest.NoError(t, err)
	return string(content)
}

// EXPORT.md has the same elements for any names of an organization and of objects that could not be exported, because
// names are only text.
func TestProtocolExportSummary_HostileNames_Text(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Emoji(t, "placeholder")
	summaryFor := func(name string) string {
		serveReplaced(t, o.Sandbox, `"Example Works"`, `"`+inJSON(t, name)+`"`, `"placeholder"`, `"`+inJSON(t, name)+`"`, `"source_url":"/user_avatars`, `"ignored":"`)
		folder := t.TempDir()
		if _, err := exportInto(folder, export.Options{Only: export.Selection{"custom_emoji"}}); err != nil {
			t.Fatalf("%.50q: %v", name, err)
		}
		return readSummary(t, folder)
	}
	plain := nodesOf(t, summaryFor("Plain"))
	for _, name := range acctest.HostileNames {
		summary := summaryFor(name)
		nodes := nodesOf(t, summary)
		for kind, number := range nodes {
			if number != plain[kind] {
				t.Errorf("%.60q: there are %d %s, want %d, in:\n%.1000s", name, number, kind, plain[kind], summary)
			}
		}
		if len(nodes) != len(plain) {
			t.Errorf("%.60q: the elements are %v, want %v", name, nodes, plain)
		}
		if strings.ContainsFunc(summary, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%.60q: there are characters that nobody sees in %.1000q", name, summary)
		}
		if len(summary) > 10_000 {
			t.Errorf("%.60q: the summary has %d bytes", name, len(summary))
		}
	}
}

// A URL may hold a token. They aren't sensitive in the schema, so it is written, and EXPORT.md says where.
func TestProtocolExportSummary_PossibleTokens_Listed(t *testing.T) {
	const note = "They aren't sensitive in the schema"
	o := acctest.StartSandbox(t, sandbox.Config{})
	folder := exportNew(t, export.Options{})
	if summary := readSummary(t, folder); strings.Contains(summary, note) {
		t.Errorf("without such an address it says:\n%s", summary)
	}
	o.Call(t, "POST", "/bots", map[string]string{"full_name": "Hook", "short_name": "hook", "bot_type": "3", "payload_url": `"https://example.com/hook?token=abc"`})
	o.Call(t, "POST", "/realm/playgrounds", map[string]string{"name": "x", "pygments_language": "Python", "url_template": "https://example.com/?api_key=abc&code={code}"})
	o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "harmless", "url_template": "https://example.com"})
	mustExport(t, folder, export.Options{})
	summary := readSummary(t, folder)
	for _, want := range []string{note, "`zulip_bot.hook`: `payload_url`", "`zulip_code_playground.x`: `url_template`"} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is not in:\n%s", want, summary)
		}
	}
	if strings.Contains(summary, "abc") || strings.Contains(summary, "`zulip_linkifier.harmless`") {
		t.Errorf("it says too much:\n%s", summary)
	}
}

// Invitations by email are written. If people are a variable, they are only counted, with role and sender and without
// the invited people. Links are not written unless requested, because no one sees their channels.
func TestProtocolExportOfInvitations(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "one@example.net,two@example.net", "stream_ids": "[]"})
	o.Call(t, "POST", "/invites", map[string]string{"invitee_emails": "Three@example.net", "stream_ids": "[]", "invite_as": "200"})
	o.Call(t, "POST", "/invites/multiuse", map[string]string{"invite_expires_in_minutes": "null"})
	exported := func(options export.Options) (files map[string]string, addresses []string) {
		folder := exportNew(t, options)
		expectPlanEmpty(t, folder)
		for address := range readConfiguration(t, folder).resources {
			if strings.HasPrefix(address, "zulip_inv") {
				addresses = append(addresses, address)
			}
		}
		slices.Sort(addresses)
		return filesOf(t, folder), addresses
	}
	links := "- 1 invitation link (1 as member by `ines_moreau`). The server doesn't show their channels"
	all := []string{"zulip_invitation.one", "zulip_invitation.three", "zulip_invitation.two"}
	files, addresses := exported(export.Options{})
	if !slices.Equal(addresses, all) || !strings.Contains(files["EXPORT.md"], links) || strings.Contains(files["EXPORT.md"], "pending") || !strings.Contains(files["imports.tf"], `"Three@example.net"`) {
		t.Errorf("wrote %v:\n%s", addresses, files["EXPORT.md"])
	}
	files, addresses = exported(export.Options{PeopleAs: export.PeopleAsVariable})
	for _, want := range []string{"- 3 pending invitations by email (1 as administrator by `ines_moreau`, 2 as member by `ines_moreau`).", links} {
		if !strings.Contains(files["EXPORT.md"], want) {
			t.Errorf("%q is not in:\n%s", want, files["EXPORT.md"])
		}
	}
	if _, ok := files["invitations.tf"]; ok || len(addresses) > 0 || strings.Contains(files["EXPORT.md"], "@example.net") {
		t.Errorf("it says too much: %s\n%s", files["EXPORT.md"], files["invitations.tf"])
	}
	if _, addresses = exported(export.Options{PeopleAs: export.PeopleAsVariable, Only: export.Selection{"invitation:t*"}}); !slices.Equal(addresses, all[1:]) {
		t.Errorf("asked for, wrote %v", addresses)
	}
	o.As(t, "member")
	if _, addresses = exported(export.Options{}); len(addresses) > 0 {
		t.Errorf("a member sees %v", addresses)
	}
}

// The pictures of the organization are next to the configuration, and are imported with it.
func TestProtocolExportOfPictures(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	icon, night := pngOf(t, 3), pngOf(t, 5)
	for kind, content := range map[string][]byte{"icon": icon, "night_logo": night} {
		acctest.NoError(t, o.Client.UploadRealmImage(t.Context(), kind, "a.png", "image/png", content))
	}
	folder := exportNew(t, export.Options{Only: export.Selection{"organization_image"}})
	files := filesOf(t, folder)
	if files["pictures/icon.png"] != string(icon) || files["pictures/night_logo.png"] != string(night) || files["pictures/logo.png"] != "" {
		t.Errorf("other pictures than uploaded, in %v", slices.Sorted(maps.Keys(files)))
	}
	for _, want := range []string{`"${path.module}/pictures/icon.png"`, `resource "zulip_organization_image" "night_logo" {`} {
		if !strings.Contains(files["organization.tf"], want) {
			t.Errorf("%s is not in:\n%s", want, files["organization.tf"])
		}
	}
	if !strings.Contains(files["imports.tf"], `"icon=./pictures/icon.png"`) {
		t.Errorf("the imports are:\n%s", files["imports.tf"])
	}
	expectPlanEmpty(t, folder)
}

func pngOf(t *testing.T, wide int) []byte {
	t.Helper()
	var content bytes.Buffer
	acctest.NoError(t, png.Encode(&content, image.NewGray(image.Rect(0, 0, wide, 8))))
	return content.Bytes()
}

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

// In any organization, each rule that an export proposes passes an audit. The file is formatted and short.
func TestProtocolExportRules_RandomOrganization_Pass(t *testing.T) {
	organizations, seen := 0, map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		w.fill()
		useAccount(t, w.server, w.owner)
		folder := t.TempDir()
		mustExport(r, folder, export.Options{Rules: proposed})
		content, err := os.ReadFile(filepath.Join(folder, rulesName))
		acctest.NoError(r, err)
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
			if rule.Status != report.RulePasses || len(rule.Notes) > 0 {
				r.Errorf("%s: %v\n%s", rule.Name, rule.Lines(), content)
			}
			name, _, _ := strings.Cut(rule.Name, ":")
			seen[name]++
		}
	})
	t.Logf("of %d organizations: %v", organizations, seen)
	for _, name := range []string{
		"two owners", "few administrators", "no one joins without an invitation", "nothing is on the web", "only administrators", "only moderators and administrators",
		"no guests in private channels", "private to group",
	} {
		if organizations >= 100 && seen[name] == 0 {
			t.Errorf("of %d organizations none has a rule %q", organizations, name)
		}
	}
}

// These are the rules of the example organization, as a user gets them. Ordinary changes do not violate them.
func TestProtocolExportRules_ExampleOrganization_Proposed(t *testing.T) {
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
	acctest.NoError(t, err)
	if want := proposedRules; string(content) != want {
		t.Errorf("proposed\n%s\nwant\n%s", content, want)
	}
	if summary := readSummary(t, into); !strings.Contains(summary, "`rules.zulip.hcl` proposes 8 rules and 1 limit that pass today") {
		t.Errorf("EXPORT.md is\n%s", summary)
	}

	o.Call(t, "POST", "/users", map[string]string{"email": "nia@example.com", "full_name": "Nia", "password": "xuzpSwordfish42!"})
	made("/channels/create", "id", map[string]string{"name": "new", "subscribers": list("member", "guest")})
	o.Call(t, "POST", "/user_groups/"+group+"/members", map[string]string{"add": list("admin")})
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "findings"}]`, "principals": list("admin")})
	found, err := auditOf(content)
	acctest.NoError(t, err)
	for _, rule := range found.Rules {
		if rule.Status != report.RulePasses {
			t.Errorf("after what is ordinary, %s: %v", rule.Name, rule.Lines())
		}
	}
	o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "findings"}]`, "principals": list("guest")})
	if found, err = auditOf(content); err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, rule := range found.Rules {
		if rule.Status == report.RuleFails {
			broken = append(broken, rule.Name)
		}
	}
	if got := strings.Join(broken, ", "); got != "no guests in private channels, private to group:security" {
		t.Errorf("after a guest is in the channel, these are broken: %s", got)
	}
}

// A later export does not touch the rules that people have edited.
func TestProtocolExportRules_Edited_NotOverwritten(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	at := filepath.Join(folder, rulesName)
	mustExport(t, folder, export.Options{})
	if _, err := os.Stat(at); err == nil {
		t.Error("rules were written without being asked for")
	}
	mustExport(t, folder, export.Options{Rules: proposed})
	acctest.NoError(t, os.WriteFile(at, []byte("# ours\n"), 0o600))
	for _, options := range []export.Options{{Rules: proposed}, {}, {Rules: proposed}} {
		result, err := exportInto(folder, options)
		acctest.NoError(t, err)
		if content, _ := os.ReadFile(at); string(content) != "# ours\n" || slices.Contains(result.Files, rulesName) {
			t.Errorf("proposed again: %v; the file is %q, written were %v", options.Rules != nil, content, result.Files)
		}
		if options.Rules != nil && !strings.Contains(readSummary(t, folder), "`rules.zulip.hcl` exists and was left unchanged") {
			t.Error("EXPORT.md does not say so")
		}
	}
}
