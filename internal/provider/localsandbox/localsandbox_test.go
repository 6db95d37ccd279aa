package localsandbox

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// open opens a sandbox as a process of the provider does.
func open(t *testing.T, options Options) *Sandbox {
	t.Helper()
	opened, err := Open(options)
	requireNoError(t, err)
	t.Cleanup(func() { _ = opened.server.Close() })
	return opened
}

// call sends a request as the owner and returns the body of the answer, which must be a success.
func (s *Sandbox) call(t *testing.T, method, path string, form url.Values) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, Site+"/api/v1"+path, strings.NewReader(form.Encode()))
	requireNoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(s.Owner.Email, s.Owner.APIKey)
	answer, err := (&http.Client{Transport: s.Transport()}).Do(request)
	requireNoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	requireNoError(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, body)
	}
	return string(body)
}

// change changes the organization, and isChanged reports whether it has been.
func (s *Sandbox) change(t *testing.T) {
	t.Helper()
	s.call(t, http.MethodPost, "/channel_folders/create", url.Values{"name": {"Changed"}, "description": {""}})
}

func (s *Sandbox) isChanged(t *testing.T) bool {
	t.Helper()
	return strings.Contains(s.call(t, http.MethodGet, "/channel_folders", nil), "Changed")
}

func (s *Sandbox) count(t *testing.T, changes ...int) {
	t.Helper()
	for _, change := range changes {
		requireNoError(t, s.CountManaged(change))
	}
}

// An organization in a file lasts until every resource that was created in it is destroyed, whichever process did so.
func TestOrganization_Destroyed_Reset(t *testing.T) {
	for name, test := range map[string]struct {
		applies [][]int // the changes that each process counts
		ends    bool
	}{
		"nothing managed":              {nil, false},
		"created":                      {[][]int{{1, 1}}, false},
		"destroyed":                    {[][]int{{1, 1}, {-1, -1}}, true},
		"destroyed by the creator":     {[][]int{{1, -1}}, true},
		"partly destroyed":             {[][]int{{1, 1}, {-1}}, false},
		"replaced":                     {[][]int{{1}, {-1, 1}}, false},
		"destroyed, which was unknown": {[][]int{{-1}}, true},
		"created after an unknown one": {[][]int{{-1, 1}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{State: filepath.Join(t.TempDir(), "below", "organization.db")}
			open(t, options).change(t)
			for _, changes := range test.applies {
				open(t, options).count(t, changes...)
			}
			if isChanged := open(t, options).isChanged(t); isChanged == test.ends {
				t.Errorf("the next process finds the same organization: %t", isChanged)
			}
		})
	}
}

// Processes that overlap see each other's changes, and none of them takes a name or an ID twice.
func TestOrganization_OverlappingProcesses_Shared(t *testing.T) {
	options := Options{State: filepath.Join(t.TempDir(), "organization.db")}
	processes := []*Sandbox{open(t, options), open(t, options), open(t, options)}
	if processes[0].Owner != processes[1].Owner {
		t.Error("the owner is another")
	}
	const each = 5
	var group sync.WaitGroup
	for number, process := range processes {
		group.Go(func() {
			for i := range each {
				name := fmt.Sprintf("Folder %d of process %d", i, number)
				process.call(t, http.MethodPost, "/channel_folders/create", url.Values{"name": {name}, "description": {""}})
			}
		})
	}
	group.Wait()
	ids := regexp.MustCompile(`"id":\d+`)
	for _, process := range append(processes, open(t, options)) {
		found := ids.FindAllString(process.call(t, http.MethodGet, "/channel_folders", nil), -1)
		slices.Sort(found)
		if len(slices.Compact(found)) != 1+each*len(processes) { // the example organization has one folder
			t.Errorf("the folders are %v", found)
		}
	}
}

func TestOrganization_InMemory_OneProcess(t *testing.T) {
	one := open(t, Options{})
	one.change(t)
	one.count(t, 1, -1)
	if !one.isChanged(t) {
		t.Error("the process loses its organization")
	}
	if open(t, Options{}).isChanged(t) {
		t.Error("another process finds the organization")
	}
}

func TestOpen_InvalidFile_Error(t *testing.T) {
	file := filepath.Join(t.TempDir(), "organization.json")
	for content, problem := range map[string]string{
		"":                 "not JSON",
		"{":                "not JSON",
		"{}":               "no owner",
		`{"accounts": {}}`: "no owner",
		`{"people": []}`:   file,
		`{"a": {"email": "a@example.com", "full_name": "A", "role": 400}}`:                                                               "no owner",
		`{"a": {"email": "a@example.com", "full_name": "A", "role": 100}, "b": {"email": "b@example.com", "full_name": "B", "role": 5}}`: "no role 5",
	} {
		write(t, file, content)
		if _, err := Open(Options{Organization: file}); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := Open(Options{Organization: file + "x"}); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A mistake in the file leaves no organization behind that the next run would take.
func TestOpen_AfterError_NewOrganization(t *testing.T) {
	folder := t.TempDir()
	options := Options{Organization: filepath.Join(folder, "organization.json"), State: filepath.Join(folder, "organization.db")}
	write(t, options.Organization, `{"a": {"email": "a@example.com", "full_name": "A", "role": 400}}`)
	if _, err := Open(options); err == nil {
		t.Fatal("an organization without an owner was opened")
	}
	write(t, options.Organization, `{"a": {"email": "a@example.com", "full_name": "A", "role": 100}}`)
	if owner := open(t, options).Owner.Email; owner != "a@example.com" {
		t.Errorf("the owner is %s", owner)
	}
}

// "terraform-provider-zulip sandbox --state" holds its file as long as it runs.
func TestOpen_FileInUse_Refused(t *testing.T) {
	options := Options{State: filepath.Join(t.TempDir(), "organization.db")}
	server, err := sandbox.New(sandbox.Config{StatePath: options.State})
	requireNoError(t, err)
	defer func() { _ = server.Close() }()
	if _, err := Open(options); err == nil || !strings.Contains(err.Error(), options.State+" is in use by another program") {
		t.Errorf("%v", err)
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	requireNoError(t, os.WriteFile(file, []byte(content), 0o600))
}

// A recorded organization is served at its own feature level unless another is asked for, to the person who is its oldest
// active owner.
func TestRecordedOrganization_Opened_OwnLevel(t *testing.T) {
	const file = "../../sandbox/testdata/organization.json" // its format is read forever
	recorded, err := os.ReadFile(file)
	requireNoError(t, err)
	// The first owner has left, a bot is one, and the moderator has become one.
	replaced := strings.NewReplacer(`"zulip_feature_level": 500`, `"zulip_feature_level": 442`, `"role": 300`, `"role": 100`,
		"\"role\": 100,\n      \"is_active\": true", "\"role\": 100,\n      \"is_active\": false").Replace(string(recorded))
	bot := strings.Index(replaced, `"user_id": 44`)
	replaced = replaced[:bot] + strings.Replace(replaced[bot:], "\"role\": 200,\n      \"is_active\": true,\n      \"is_bot\": false", "\"role\": 100,\n      \"is_active\": true,\n      \"is_bot\": true", 1)
	path := filepath.Join(t.TempDir(), "recorded.json")
	requireNoError(t, os.WriteFile(path, []byte(replaced), 0o600))
	opened := open(t, Options{Organization: path})
	if opened.Owner.Email != "amara.okafor@example.com" || opened.Owner.ID != 45 {
		t.Errorf("the owner is %+v", opened.Owner)
	}
	if level := opened.call(t, http.MethodGet, "/server_settings", nil); !strings.Contains(level, `"zulip_feature_level":442`) {
		t.Errorf("the server is %s", level)
	}
	if channels := opened.call(t, http.MethodGet, "/streams", nil); !strings.Contains(channels, `"stream_id":1203`) {
		t.Errorf("the channels are %s", channels)
	}
	other := open(t, Options{Organization: path, FeatureLevel: 500})
	if level := other.call(t, http.MethodGet, "/server_settings", nil); !strings.Contains(level, `"zulip_feature_level":500`) {
		t.Errorf("the server is %s", level)
	}
	requireNoError(t, os.WriteFile(path, []byte(strings.Replace(replaced, `"folder_id": 701`, `"folder_id": 7`, 1)), 0o600))
	if _, err := Open(Options{Organization: path}); err == nil || !strings.Contains(err.Error(), "recorded.json: recorded organization: channel 1203 is in folder 7, which does not exist") {
		t.Errorf("a file that is wrong: %v", err)
	}
}

// requireNoError ends a test with an error that the test is not about.
func requireNoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
