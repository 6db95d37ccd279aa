package export_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// changed exports the organization of the environment again into a folder, and returns the differing lines by file,
// or "gone" or "new" for a whole file. It ignores EXPORT.md and export.json.
func changed(t *testing.T, folder string, options export.Options) map[string]string {
	t.Helper()
	before := filesOf(t, folder)
	mustExport(t, folder, options)
	after, diffs := filesOf(t, folder), map[string]string{}
	for name := range before {
		if content, ok := after[name]; !ok {
			diffs[name] = "gone"
		} else if content != before[name] {
			diffs[name] = lineDiff(before[name], content)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			diffs[name] = "new"
		}
	}
	delete(diffs, "EXPORT.md")
	delete(diffs, "export.json")
	return diffs
}

// A second export changes only the lines about changed objects. Resources and files keep their names, and no name of
// one object is given to another.
func TestProtocolExport_Repeated_NamesKept(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Call(t, "POST", "/channels/create", map[string]string{"name": "releases", "description": "What ships", "subscribers": "[]"})
	folder := t.TempDir()
	changed(t, folder, export.Options{})
	for _, step := range []struct {
		what string
		do   func()
		want map[string]string
	}{
		{"nothing", func() {}, map[string]string{}},
		{"a channel is renamed", func() { o.Change(t, "releases", zulip.ChannelUpdate{Name: new("ships")}) },
			map[string]string{"channels.tf": "-  name                   = \"releases\"\n+  name                   = \"ships\"\n"}},
		{"another channel gets the name that is free", func() {
			o.Call(t, "POST", "/channels/create", map[string]string{"name": "releases", "description": "New", "subscribers": "[]"})
		}, map[string]string{
			"channels.tf": "+\n+resource \"zulip_channel\" \"releases_2\" {\n+  name                   = \"releases\"\n+  description            = \"New\"\n+  privacy                = \"public\"\n+  message_retention_days = \"realm_default\"\n+}\n",
			"imports.tf":  "+\n+import {\n+  to = zulip_channel.releases_2\n+  id = \"1206\"\n+}\n",
		}},
		{"it goes", func() { o.Archive(t, "releases") }, map[string]string{
			"channels.tf": "-\n-resource \"zulip_channel\" \"releases_2\" {\n-  name                   = \"releases\"\n-  description            = \"New\"\n-  privacy                = \"public\"\n-  message_retention_days = \"realm_default\"\n-}\n",
			"imports.tf":  "-\n-import {\n-  to = zulip_channel.releases_2\n-  id = \"1206\"\n-}\n",
		}},
		{"a group is renamed that others name", func() {
			o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", groupID(t, o, "sre")), map[string]string{"name": "operators"})
		},
			map[string]string{"groups.tf": "-  name        = \"sre\"\n+  name        = \"operators\"\n"}},
		{"a folder is renamed", func() {
			o.Call(t, "PATCH", fmt.Sprintf("/channel_folders/%d", folderID(t, o)), map[string]string{"name": "Running"})
		},
			map[string]string{
				"channels-operations.tf": "-# The channels in the folder \"Operations\".\n+# The channels in the folder \"Running\".\n",
				"folders.tf":             "-  name        = \"Operations\"\n+  name        = \"Running\"\n",
			}},
		{"an emoji is added", func() { o.Emoji(t, "kudos") }, map[string]string{"emoji.tf": "new", "emoji/kudos.png": "new", "imports.tf": "+\n+import {\n+  to = zulip_custom_emoji.kudos\n+  id = \"kudos=./emoji/kudos.png\"\n+}\n"}},
	} {
		step.do()
		if got := changed(t, folder, export.Options{}); !maps.Equal(got, step.want) {
			t.Errorf("%s:\n%s", step.what, describeDiffs(got))
		}
	}
}

func groupID(t *testing.T, o *acctest.Organization, name string) int {
	t.Helper()
	group, ok := o.Sandbox.Organization().Group(name)
	if !ok {
		t.Fatalf("there is no group %q", name)
	}
	return group.ID
}

// folderID is the folder of the example organization.
func folderID(t *testing.T, o *acctest.Organization) int {
	t.Helper()
	return int(*o.MustChannel(t, "incidents").FolderID)
}

func describeDiffs(diffs map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(diffs)) {
		fmt.Fprintf(&b, "%s:\n%s\n", name, diffs[name])
	}
	return b.String()
}

// After any changes between two exports, remaining objects keep their names, and no name is given to another object.
func TestProtocolExport_Repeated_NamesNotReused(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		if !isSampled(r, 4) {
			return
		}
		w := newWorld(r)
		folder, byAddress, byImport := t.TempDir(), map[string]string{}, map[string]string{}
		for range 3 {
			w.fill()
			w.rename()
			useAccount(t, w.server, w.owner)
			mustExport(r, folder, export.Options{})
			for address, one := range readConfiguration(r, folder).resources {
				id := one.kind + " " + strings.TrimSuffix(one.importID, "=member") // a role has a note
				if one.kind == "zulip_custom_emoji" {
					continue // the object is imported by its name
				}
				if was, ok := byAddress[address]; ok && was != id {
					r.Fatalf("%s was %s, and is %s", address, was, id)
				}
				if was, ok := byImport[id]; ok && was != address {
					r.Fatalf("%s was called %s, and is called %s", id, was, address)
				}
				byAddress[address], byImport[id] = id, address
			}
		}
	})
}

// rename renames some objects.
func (w *world) rename() {
	for _, id := range w.channels() {
		if w.seldom() {
			w.call("PATCH", path("/streams/%d", id), map[string]any{"new_name": w.name()})
		}
	}
	for _, id := range w.ownGroups() {
		if w.seldom() {
			w.call("PATCH", path("/user_groups/%d", id), map[string]any{"name": w.name()})
		}
	}
	for _, id := range ids(w, folders, nil) {
		if w.seldom() {
			w.call("PATCH", path("/channel_folders/%d", id), map[string]any{"name": w.name()})
		}
	}
}

// An export that selects less than the one before into the same folder is refused. Otherwise the omitted resources
// would disappear from the configuration, and the next plan would destroy them.
func TestProtocolExport_NarrowerSelection_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	state := []byte(`{"format_version": "1.0", "values": {"root_module": {"resources": [{"type": "zulip_channel", "mode": "managed", "values": {"id": 1201}}]}}}`)
	for what, trial := range map[string]struct {
		before, after export.Options
		want          string // "" if it is not refused
	}{
		"the same":               {export.Options{Only: export.Selection{"channel", "bot"}}, export.Options{Only: export.Selection{"bot", "channel"}}, ""},
		"more":                   {export.Options{Exclude: export.Selection{"bot"}}, export.Options{Subscribers: true, AllPeople: true}, ""},
		"all attributes or not":  {export.Options{All: true}, export.Options{}, ""},
		"only some":              {export.Options{}, export.Options{Only: export.Selection{"channel"}}, "--only selects other objects than before"},
		"only others":            {export.Options{Only: export.Selection{"bot"}}, export.Options{Only: export.Selection{"channel"}}, "--only selects other objects than before"},
		"without some":           {export.Options{}, export.Options{Exclude: export.Selection{"channel"}}, "--exclude leaves out more than before"},
		"without subscribers":    {export.Options{Subscribers: true}, export.Options{}, "--subscribers was set before"},
		"without members":        {export.Options{AllPeople: true}, export.Options{}, "--people was all before"},
		"people in another way":  {export.Options{PeopleAs: export.PeopleAsUser}, export.Options{}, "--people-as was zulip_user before"},
		"people by address":      {export.Options{PeopleAs: export.PeopleAsAddress}, export.Options{}, ""},
		"what the state lacks":   {export.Options{}, export.Options{States: map[string][]byte{"state.json": state}}, "it has the objects of the state, which --new leaves out"},
		"the state has it now":   {export.Options{States: map[string][]byte{"state.json": []byte(`{"format_version": "1.0"}`)}}, export.Options{States: map[string][]byte{"state.json": state}}, "it has the objects of the state, which --new leaves out"},
		"the state does not yet": {export.Options{States: map[string][]byte{"state.json": state}}, export.Options{States: map[string][]byte{"state.json": state}}, ""},
	} {
		folder := exportNew(t, trial.before)
		before := filesOf(t, folder)
		_, err := exportInto(folder, trial.after)
		if trial.want == "" && err != nil || trial.want != "" && (err == nil || !strings.Contains(err.Error(), trial.want)) {
			t.Errorf("%s: the error is %v", what, err)
		}
		if err != nil {
			sameFiles(t, what, before, filesOf(t, folder))
		}
	}
}

// A file that was changed or written by someone is neither overwritten nor removed, and then no other file is changed
// either.
func TestProtocolExport_ForeignFiles_NotOverwritten(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for what, trial := range map[string]struct {
		name, content string
		change        func()
		want          string
	}{
		"a file that was changed, and would be written":         {"channels.tf", "# mine\n", func() { o.Change(t, "general", zulip.ChannelUpdate{Description: new("Other")}) }, "were changed after they were exported: channels.tf. Nothing was changed"},
		"a file that was changed, and would be removed":         {"channels-operations.tf", "# mine\n", func() { o.Archive(t, "incidents") }, "were changed after they were exported: channels-operations.tf. Nothing was changed"},
		"configuration that no export wrote":                    {"mine.tf", "# mine\n", func() {}, "has configuration that no export wrote: mine.tf. Export into another folder"},
		"another file that no export wrote, in the way":         {"linkifiers.tf", "# mine\n", func() {}, "has configuration that no export wrote: linkifiers.tf"},
		"an image that no export wrote, in the way of an emoji": {"emoji/kudos.png", "mine", func() { o.Emoji(t, "kudos") }, "has files that no export wrote: emoji/kudos.png. Nothing was changed"},
		"a list of names that is none":                          {"export.json", "[", func() {}, "export.json wasn't written by an export"},
		"a name that is no name":                                {"export.json", `{"resources": {"zulip_channel": {"1201": "x\" {"}}}`, func() {}, `export.json wasn't written by an export: "x\" {" is no name`},
		"a name of a file elsewhere":                            {"export.json", `{"files": {"folder 1": "../x"}}`, func() {}, `export.json wasn't written by an export: "../x" is no name`},
		"a list of no names":                                    {"export.json", `{"resources": null, "files": null, "written": null}`, func() {}, "has configuration that no export wrote"},
	} {
		t.Run(what, func(t *testing.T) {
			folder := exportNew(t, export.Options{})
			trial.change()
			at := filepath.Join(folder, filepath.FromSlash(trial.name))
			acctest.NoError(t, os.MkdirAll(filepath.Dir(at), 0o750))
			acctest.NoError(t, os.WriteFile(at, []byte(trial.content), 0o600))
			before := filesOf(t, folder)
			if _, err := exportInto(folder, export.Options{}); err == nil || !strings.Contains(err.Error(), trial.want) {
				t.Errorf("the error is %v", err)
			}
			sameFiles(t, "after it was refused", before, filesOf(t, folder))
		})
	}
}

// A name in another script stays readable, and a name that looks like an attribute is replaced.
func TestProtocolExport_UnusualNames_ReadableAddresses(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	for called, want := range map[string]string{
		"日本語 計画": "日本語_計画", "Команда": "команда", "Büro Zürich": "buro_zurich", "हिन्दी": "हिन्दी", "日本 2": "日本_2", "2024": "channel_2024",
		"فريق": "فريق", "ㅤ\u3164hidden": "hidden", "id": "channel_id", "ﬁnance": "finance", "٣٤": "channel_34",
	} {
		o.Call(t, "POST", "/channels/create", map[string]string{"name": called, "subscribers": "[]"})
		folder := exportNew(t, export.Options{Only: export.Selection{"channel:" + called}})
		if found := readConfiguration(t, folder).resources; found["zulip_channel."+want] == nil {
			t.Errorf("%q is called %q, want %s", called, slices.Collect(maps.Keys(found)), want)
		}
		expectPlanEmpty(t, folder)
	}
	o.Call(t, "POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": "https://example.com/{id}"})
	folder := exportNew(t, export.Options{Only: export.Selection{"linkifier"}})
	if _, ok := readConfiguration(t, folder).resources["zulip_linkifier.linkifier_id"]; !ok {
		t.Errorf("wrote %s", filesOf(t, folder)["linkifiers.tf"])
	}
}
