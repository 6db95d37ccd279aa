package export_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// emojiImage is the path of an image up to the ID. The sandbox ignores the part after it, which the test changes.
var emojiImage = regexp.MustCompile(`^/user_avatars/1/emoji/images/\d+`)

// serveReplaced serves a sandbox with replaced texts in its JSON answers, as a malicious server could send them. It
// is the server of the environment from then on.
func serveReplaced(t *testing.T, server *sandbox.Server, oldNew ...string) {
	t.Helper()
	all, replacer := server.Handler(), strings.NewReplacer(oldNew...)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if image := emojiImage.FindString(req.URL.Path); image != "" {
			req.URL.Path = image + ".png"
		}
		answer := httptest.NewRecorder()
		all.ServeHTTP(answer, req)
		for name, values := range answer.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		body := answer.Body.String()
		if strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json") {
			body = replacer.Replace(body)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("ZULIP_SITE", proxy.URL)
}

// inJSON returns a text in the form between the quotes of a JSON string.
func inJSON(t *testing.T, text string) string {
	t.Helper()
	encoded, err := json.Marshal(text)
	acctest.NoError(t, err)
	return string(encoded[1 : len(encoded)-1])
}

// The server's names of an emoji and its image do not determine the path or type of a file.
func TestProtocolExport_EmojiFiles_SafeNames(t *testing.T) {
	for what, trial := range map[string]struct{ name, extension, want string }{
		"a plain name":                   {"kudos", ".png", "kudos.png"},
		"a name of a real server":        {"100-_ok", ".gif", "100-_ok.gif"},
		"an extension in capitals":       {"kudos", ".JPEG", "kudos.jpeg"},
		"an extension with a query":      {"kudos", ".webp?v=1", "kudos.webp"},
		"configuration beside":           {"../x", ".tf", ""},
		"configuration in the folder":    {"kudos", ".tf", "kudos.png"},
		"configuration in JSON":          {"kudos.tf", ".json", ""},
		"no extension":                   {"kudos", "/picture", "kudos.png"},
		"far outside":                    {"../../../x", ".png", ""},
		"from the root on":               {"/tmp/x", ".png", ""},
		"a folder":                       {"a/b", ".png", ""},
		"a separator of Windows":         {`..\x`, ".png", ""},
		"a stream of Windows":            {"x:y", ".png", ""},
		"a hidden file":                  {".terraformrc", ".png", ""},
		"a device of Windows":            {"con", ".png", "emoji-ID.png"},
		"a device with more after it":    {"nul.x", ".png", ""},
		"a name that begins with a dash": {"-rf", ".png", "emoji-ID.png"},
		"a very long name":               {strings.Repeat("n", 300), ".png", "emoji-ID.png"},
		"no name":                        {"", ".png", ""},
		"capitals":                       {"Kudos", ".png", ""},
		"a separator in the extension":   {"kudos", `.x\..\..\y.png`, "kudos.png"},
	} {
		t.Run(what, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			id := o.Emoji(t, "placeholder")
			serveReplaced(t, o.Sandbox, `"placeholder"`, `"`+inJSON(t, trial.name)+`"`, fmt.Sprintf(`emoji/images/%d.png"`, id), fmt.Sprintf(`emoji/images/%d%s"`, id, inJSON(t, trial.extension)))
			parent := t.TempDir()
			folder := filepath.Join(parent, "a", "b", "organization")
			options := export.Options{Only: export.Selection{"custom_emoji"}}
			mustExport(t, folder, options)
			all, want := []string{".gitignore", "EXPORT.md", "export.json", "imports.tf", "terraform.tf"}, "emoji/"+strings.ReplaceAll(trial.want, "ID", fmt.Sprint(id))
			if trial.want != "" { // otherwise the schema refuses the name, so no emoji is written
				all = slices.Insert(all, 2, "emoji.tf", want)
			}
			var got []string
			for name := range filesOf(t, parent) {
				got = append(got, strings.TrimPrefix(name, "a/b/organization/"))
			}
			slices.Sort(got)
			if !slices.Equal(got, all) {
				t.Errorf("wrote %q, want %q", got, all)
			}
			for address, one := range readConfiguration(t, folder).resources {
				if !strings.HasSuffix(one.importID, "=./"+want) {
					t.Errorf("%s is imported by %q", address, one.importID)
				}
			}
			if _, err := exportInto(folder, options); err != nil {
				t.Errorf("the second export: %v", err)
			}
		})
	}
}

// Two emoji never share a file, whatever their names on the server.
func TestProtocolExport_EmojiImages_SeparateFiles(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	first, second, third := o.Emoji(t, "first"), o.Emoji(t, "second"), o.Emoji(t, "third")
	serveReplaced(t, o.Sandbox, `"first"`, `"same"`, `"second"`, `"same"`, `"third"`, fmt.Sprintf(`"same-%d"`, second))
	folder := exportNew(t, export.Options{Only: export.Selection{"custom_emoji"}})
	var got []string
	for name := range filesOf(t, filepath.Join(folder, "emoji")) {
		got = append(got, name)
	}
	slices.Sort(got)
	if len(got) != 3 {
		t.Errorf("emoji %d, %d and %d are in %q", first, second, third, got)
	}
}

// outside creates a file outside the folder of an export, in a folder that a link leads to. The returned function
// fails the test if that folder has changed.
func outside(t *testing.T, name, content string) (folder string, unchanged func()) {
	t.Helper()
	folder = t.TempDir()
	acctest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	before := filesOf(t, folder)
	return folder, func() {
		t.Helper()
		sameFiles(t, "outside", before, filesOf(t, folder))
	}
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// writeRecord writes a malicious record of an earlier export into a folder.
func writeRecord(t *testing.T, folder string, written map[string]string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"resources": map[string]any{}, "files": map[string]any{}, "written": written})
	acctest.NoError(t, err)
	acctest.NoError(t, os.WriteFile(filepath.Join(folder, "export.json"), text, 0o600))
}

func link(t *testing.T, to, at string) {
	t.Helper()
	acctest.NoError(t, os.Symlink(to, at))
}

// A malicious folder may have links that lead out of it, and a record of an export that never ran. The export reads,
// writes or removes nothing outside, changes nothing inside, and returns an error that names the file.
func TestProtocolExport_HostileLinks_Refused(t *testing.T) {
	for what, trial := range map[string]struct {
		prepare func(t *testing.T, folder, outside string)
		want    string
	}{
		"removes behind a link": {func(t *testing.T, folder, outside string) {
			link(t, outside, filepath.Join(folder, "emoji"))
			writeRecord(t, folder, map[string]string{"emoji/victim.png": digestOf("victim")})
		}, "emoji/victim.png"},
		"removes what a link leads to": {func(t *testing.T, folder, outside string) {
			link(t, filepath.Join(outside, "victim.png"), filepath.Join(folder, "victim.tf"))
			writeRecord(t, folder, map[string]string{"victim.tf": digestOf("victim")})
		}, "victim.tf"},
		"writes behind a link": {func(t *testing.T, folder, outside string) {
			link(t, outside, filepath.Join(folder, "emoji"))
		}, "emoji/kudos.png"},
		"writes behind a link to an empty folder": {func(t *testing.T, folder, _ string) {
			link(t, t.TempDir(), filepath.Join(folder, "emoji"))
		}, "emoji/kudos.png"},
		"writes behind a link to nothing": {func(t *testing.T, folder, outside string) {
			link(t, filepath.Join(outside, "new"), filepath.Join(folder, "emoji"))
		}, "emoji/kudos.png"},
		"a record that is a link": {func(t *testing.T, folder, outside string) {
			link(t, filepath.Join(outside, "victim.png"), filepath.Join(folder, "export.json"))
		}, "export.json"},
		"a record of a file above": {func(t *testing.T, folder, _ string) {
			writeRecord(t, folder, map[string]string{"../victim.tf": digestOf("victim")})
		}, `"../victim.tf"`},
		"a record of a file elsewhere": {func(t *testing.T, folder, outside string) {
			writeRecord(t, folder, map[string]string{filepath.Join(outside, "victim.png"): digestOf("victim")})
		}, "victim.png"},
		"a record of a file of another kind": {func(t *testing.T, folder, _ string) {
			writeRecord(t, folder, map[string]string{".git/config": digestOf("victim")})
		}, `".git/config"`},
	} {
		t.Run(what, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			if strings.Contains(trial.want, "kudos") {
				o.Emoji(t, "kudos")
			}
			beside, unchanged := outside(t, "victim.png", "victim")
			folder := t.TempDir()
			trial.prepare(t, folder, beside)
			before := filesOf(t, folder)
			_, err := exportInto(folder, export.Options{})
			if err == nil || !strings.Contains(err.Error(), trial.want) {
				t.Errorf("the error is %v, want %q in it", err, trial.want)
			}
			unchanged()
			sameFiles(t, "inside", before, filesOf(t, folder))
		})
	}
}

// A link from one place of the folder to another does no harm.
func TestProtocolExport_InnerLinks_Accepted(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{}).Emoji(t, "kudos")
	folder := t.TempDir()
	acctest.NoError(t, os.Mkdir(filepath.Join(folder, "images"), 0o700))
	link(t, "images", filepath.Join(folder, "emoji"))
	mustExport(t, folder, export.Options{})
	if _, err := os.Stat(filepath.Join(folder, "images", "kudos.png")); err != nil {
		t.Error(err)
	}
}

// Terraform loads configuration from files of four kinds. An export notices foreign configuration in each of them.
func TestProtocolExport_ForeignConfiguration_Refused(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	for _, name := range []string{"mine.tf", "mine.tf.json", "mine.tofu", "mine.tofu.json"} {
		folder := t.TempDir()
		acctest.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("{}"), 0o600))
		before := filesOf(t, folder)
		_, err := exportInto(folder, export.Options{})
		if err == nil || !strings.Contains(err.Error(), "has configuration that no export wrote: "+name) {
			t.Errorf("%s: the error is %v", name, err)
		}
		sameFiles(t, name, before, filesOf(t, folder))
	}
	folder := t.TempDir()
	for _, name := range []string{"main.tftest.hcl", "notes.json", "terraform.tfvars", "mine.tf.orig"} {
		acctest.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	if _, err := exportInto(folder, export.Options{}); err != nil {
		t.Errorf("beside what is no configuration: %v", err)
	}
}

// Terraform's own files are not committed. A .gitignore that exists stays as it is.
func TestProtocolExport_IgnoreFile_WrittenOnce(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	folder := t.TempDir()
	mustExport(t, folder, export.Options{})
	if ignored := filesOf(t, folder)[".gitignore"]; !strings.Contains(ignored, "\n*.tfstate\n") {
		t.Errorf("ignored:\n%s", ignored)
	}
	const own = "mine"
	acctest.NoError(t, os.WriteFile(filepath.Join(folder, ".gitignore"), []byte(own), 0o600))
	mustExport(t, folder, export.Options{})
	if now := filesOf(t, folder)[".gitignore"]; now != own {
		t.Errorf("the user's file is now:\n%s", now)
	}
}

// Only the owner can read the files of an export, even if the file or the process allowed others before. The files name
// people and the subscribers of private channels.
func TestProtocolExport_Files_OwnerOnly(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	o.Emoji(t, "kudos")
	folder := filepath.Join(t.TempDir(), "new", "organization")
	options := export.Options{Subscribers: true, AllPeople: true}
	for _, what := range []string{"the first export", "the second one, over files that others may read"} {
		mustExport(t, folder, options)
		names := slices.Sorted(maps.Keys(filesOf(t, folder)))
		if !slices.Contains(names, "subscribers.tf") || !slices.Contains(names, "people.tf") || !slices.Contains(names, "emoji/kudos.png") {
			t.Fatalf("%s wrote only %q", what, names)
		}
		for _, name := range names {
			at := filepath.Join(folder, filepath.FromSlash(name))
			if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("%s: %s: %v, %v", what, name, info.Mode(), err)
			}
			if name != ".gitignore" { // it names no one, and is written once
				acctest.NoError(t, os.Chmod(at, 0o644))
			}
		}
		for _, at := range []string{filepath.Dir(folder), folder, filepath.Join(folder, "emoji")} {
			if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" {
				t.Errorf("%s: the folder %s: %v, %v", what, at, info.Mode(), err)
			}
		}
	}
}
