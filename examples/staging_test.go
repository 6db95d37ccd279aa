package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestExampleStaging(t *testing.T) {
	production := acctest.StartSandbox(t, sandbox.Config{Accounts: employees})
	// Another team manages the staging organization, and an ID has another meaning there.
	staging := acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"operator": {Email: "operator@example.com", FullName: "Operator", Role: int(zulip.RoleOwner)},
		"lena":     employees["lena"],
		"ines":     employees["ines"],
	}})
	w := newStaging(t, map[string]*acctest.Organization{"production": production, "staging": staging})

	w.run(t, "apply", "-auto-approve")
	w.run(t, "plan", "-detailed-exitcode") // exit statuses of both organizations: 2 if there are changes
	expectEqual(t, portable(production), portable(staging))

	w.run(t, "destroy", "-auto-approve")
	for name, o := range map[string]*acctest.Organization{"production": production, "staging": staging} {
		if left := active(o); len(left) > 0 {
			t.Errorf("left in %s: %q", name, left)
		}
	}
}

// newStaging returns a workspace in the folder of the staging example, with both examples next to each other as in
// the repository.
func newStaging(t *testing.T, organizations map[string]*acctest.Organization) *workspace {
	t.Helper()
	w := newFolder(t)
	w.copyFolder(t, "company", "company")
	w.copyFolder(t, "staging", "staging")
	w.dir += "/staging"
	for name, o := range organizations {
		owner := acctest.Owner(t, o.Sandbox)
		w.env = append(w.env, fmt.Sprintf("TF_VAR_%s={site=%q,email=%q,api_key=%q}", name, o.Sandbox.URL(), owner.Email, owner.APIKey))
	}
	w.run(t, "get") // the module; no provider is installed
	return w
}

// portable returns, by name, the values that two organizations can share: all but people, numbers and times.
func portable(o *acctest.Organization) map[string]any {
	has := map[string]any{}
	view := o.Sandbox.Organization()
	for _, g := range view.Groups() {
		has["group "+g.Name] = []any{g.Description, g.Deactivated, g.Subgroups, g.Permissions}
	}
	channels := map[int]string{}
	for _, c := range view.Channels() {
		channels[c.ID] = c.Name
		has["channel "+c.Name] = []any{c.Description, c.Private, c.WebPublic, c.SharedHistory, c.Default, c.Folder, c.TopicsPolicy, c.RetentionDays, c.Permissions}
	}
	for _, p := range view.People() {
		if p.IsBot {
			has["bot "+p.Email] = []any{p.FullName, p.Role}
		}
	}
	has["permissions"] = view.Permissions()
	view.Read(func(o *rules.Organization) {
		var folders, fields, linkifiers []any
		for _, f := range o.ListFolders(false) {
			folders = append(folders, []any{f.Name, f.Description})
		}
		for _, l := range o.ListLinkifiers() {
			linkifiers = append(linkifiers, []any{l.Pattern, l.URLTemplate})
		}
		for _, f := range o.ListProfileFields() {
			f.ID, f.Order = 0, 0 // their order counts, but the numbers can have gaps
			fields = append(fields, f)
		}
		has["folders"], has["linkifiers"], has["fields"] = folders, linkifiers, fields
		for _, g := range o.DefaultChannelGroups.All() {
			var names []string
			for _, id := range g.Channels {
				names = append(names, channels[id])
			}
			has["default channel group "+g.Name] = []any{g.Description, slices.Sorted(slices.Values(names))}
		}
		for _, p := range o.Playgrounds.All() {
			has["playground "+p.Name] = []any{p.Language, p.URLTemplate}
		}
		for _, d := range o.Domains.All() {
			has["domain "+d.Domain] = d.AllowSubdomains
		}
		for _, e := range o.RealmEmoji.All() {
			has["emoji "+e.Name] = e.Deactivated
		}
		for _, d := range o.UserDefaults.All() {
			has["default user settings"] = d
		}
		settings := o.Settings()
		settings.DateCreated, settings.Permissions = 0, nil // the latter are above, by name
		has["settings"] = settings
	})
	return has
}

// expectEqual compares what two organizations have, part by part.
func expectEqual(t *testing.T, one, other map[string]any) {
	t.Helper()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(one)), func(part string) bool { return strings.HasPrefix(part, "channel ") }) {
		t.Error("there is no channel to compare")
	}
	for _, part := range slices.Sorted(maps.Keys(one)) {
		if !reflect.DeepEqual(one[part], other[part]) {
			t.Errorf("%s differs:\n  %s\n  %s", part, printed(t, one[part]), printed(t, other[part]))
		}
	}
	for part := range other {
		if _, found := one[part]; !found {
			t.Errorf("%s is in one only", part)
		}
	}
}

func printed(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
