package localsandbox

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// open opens a sandbox, which ends with the test.
func open(t *testing.T, options Options) *Sandbox {
	t.Helper()
	opened, err := Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		servedLock.Lock()
		defer servedLock.Unlock()
		if own, ok := served[opened.config.StatePath]; ok {
			delete(served, opened.config.StatePath)
			_ = errors.Join(own.listener.Close(), own.Close())
		}
	})
	return opened
}

// call sends a request as the owner and returns the body of the answer, which is to be a success.
func (s *Sandbox) call(t *testing.T, method, path string, form url.Values) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, Site+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(s.Owner.Email, s.Owner.APIKey)
	answer, err := (&http.Client{Transport: s.Transport()}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
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

func (s *Sandbox) tell(t *testing.T, tell func(*Sandbox, bool) error, deletions ...bool) {
	t.Helper()
	for _, isDeletion := range deletions {
		if err := tell(s, isDeletion); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOrganizationEndsWithATestFile(t *testing.T) {
	for name, test := range map[string]struct {
		planned, applied []bool // whether each is a deletion
		ends             bool
	}{
		"the end of a test file":             {[]bool{true, true}, []bool{true, true}, true},
		"a creation":                         {[]bool{false}, []bool{false}, false},
		"nothing":                            {nil, nil, false},
		"a plan that is not applied":         {[]bool{true}, nil, false},
		"a deletion beside what stays":       {[]bool{true, false, true}, []bool{true}, false},
		"a replacement":                      {[]bool{false}, []bool{true, false}, false},
		"a deletion that follows what stays": {[]bool{false, true}, []bool{true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{DataDir: t.TempDir()}
			open(t, options).change(t)
			open(t, options).tell(t, (*Sandbox).Planned, test.planned...)
			open(t, options).tell(t, (*Sandbox).Applied, test.applied...)
			if isChanged := open(t, options).isChanged(t); isChanged == test.ends {
				t.Errorf("the next process finds the same organization: %t", isChanged)
			}
		})
	}
}

// A plan that only deletes is forgotten once another plan does something else.
func TestOrganizationOutlastsAPlanThatWasNotApplied(t *testing.T) {
	options := Options{DataDir: t.TempDir()}
	open(t, options).change(t)
	open(t, options).tell(t, (*Sandbox).Planned, true)
	open(t, options).tell(t, (*Sandbox).Planned, false, true)
	open(t, options).tell(t, (*Sandbox).Applied, false, true)
	if !open(t, options).isChanged(t) {
		t.Error("the organization has ended")
	}
}

func TestOrganizationIsKeptInAFile(t *testing.T) {
	state := filepath.Join(t.TempDir(), "below", "organization.db")
	one := open(t, Options{DataDir: t.TempDir(), State: state})
	one.change(t)
	one.tell(t, (*Sandbox).Planned, true)
	one.tell(t, (*Sandbox).Applied, true)
	endProcess(t, one)
	two := open(t, Options{DataDir: t.TempDir(), State: state})
	if !two.isChanged(t) {
		t.Error("another run of the CLI finds another organization")
	}
	if one.Owner != two.Owner {
		t.Error("the owner is another")
	}
}

// endProcess ends what serves an organization in this process, as if the process had ended.
func endProcess(t *testing.T, s *Sandbox) {
	t.Helper()
	servedLock.Lock()
	defer servedLock.Unlock()
	own := served[s.config.StatePath]
	delete(served, s.config.StatePath)
	if err := errors.Join(own.listener.Close(), own.Close()); err != nil {
		t.Fatal(err)
	}
}

// leaveProcess makes this process another one than that which serves the organization; ended ends that one.
func leaveProcess(s *Sandbox) (end func()) {
	servedLock.Lock()
	defer servedLock.Unlock()
	own := served[s.config.StatePath]
	delete(served, s.config.StatePath)
	return func() { _ = errors.Join(own.listener.Close(), own.Close()) }
}

func TestProcessesShareAnOrganization(t *testing.T) {
	options := Options{DataDir: t.TempDir()}
	one := open(t, options)
	end := leaveProcess(one)
	two := open(t, options)
	if two.at != one.at {
		t.Error("the second process serves the organization too")
	}
	one.change(t)
	if !two.isChanged(t) {
		t.Error("the second process finds another organization")
	}
	end()
	if !two.isChanged(t) {
		t.Error("the second process finds another organization after the first has ended")
	}
	if two.at == one.at {
		t.Error("nobody serves the organization")
	}
}

func TestOrganizationsAreTheirOwn(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "organization.json")
	write(t, file, `{"accounts": {"boss": {"email": "boss@example.com", "full_name": "Boss", "role": 100}}}`)
	before := read(t, file)
	open(t, Options{DataDir: folder}).change(t)
	for name, options := range map[string]Options{
		"another level":         {FeatureLevel: 442},
		"another file":          {Organization: file},
		"another state":         {State: filepath.Join(folder, "state.db")},
		"another configuration": {},
	} {
		t.Run(name, func(t *testing.T) {
			options.DataDir = folder
			if name == "another configuration" {
				t.Chdir(t.TempDir())
			}
			other := open(t, options)
			if other.isChanged(t) {
				t.Error("it is the same organization")
			}
			other.change(t)
			if level := `"zulip_feature_level":` + strconv.Itoa(other.config.FeatureLevel); !strings.Contains(other.call(t, http.MethodGet, "/server_settings", nil), level) {
				t.Errorf("the server does not say %s", level)
			}
			if options.Organization != "" && other.Owner.Email != "boss@example.com" {
				t.Errorf("the owner is %s", other.Owner.Email)
			}
		})
	}
	if read(t, file) != before {
		t.Error("the organization file was written")
	}
}

func TestOpenRefuses(t *testing.T) {
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
		if _, err := Open(t.Context(), Options{DataDir: t.TempDir(), Organization: file}); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := Open(t.Context(), Options{DataDir: t.TempDir(), Organization: file + "x"}); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// A mistake in the file leaves no organization behind that the next run would take.
func TestOpenBeginsAnewAfterAMistake(t *testing.T) {
	options := Options{DataDir: t.TempDir(), Organization: filepath.Join(t.TempDir(), "organization.json")}
	write(t, options.Organization, `{"a": {"email": "a@example.com", "full_name": "A", "role": 400}}`)
	if _, err := Open(t.Context(), options); err == nil {
		t.Fatal("an organization without an owner was opened")
	}
	write(t, options.Organization, `{"a": {"email": "a@example.com", "full_name": "A", "role": 100}}`)
	if owner := open(t, options).Owner.Email; owner != "a@example.com" {
		t.Errorf("the owner is %s", owner)
	}
}

func TestOpenSaysThatAnOrganizationIsInUse(t *testing.T) {
	options := Options{DataDir: t.TempDir(), State: filepath.Join(t.TempDir(), "organization.db")}
	end := leaveProcess(open(t, options))
	defer end()
	options.DataDir = t.TempDir() // of another run
	if _, err := Open(t.Context(), options); err == nil || !strings.Contains(err.Error(), "is in use by another process") {
		t.Errorf("%v", err)
	}
}

// What has the port of a process that has ended is not taken for it.
func TestServingIsRecognized(t *testing.T) {
	options := Options{DataDir: t.TempDir()}
	one := open(t, options)
	path := filepath.Join(one.folder, "served-by.json")
	if _, ok := readServing(context.Background(), path); !ok {
		t.Error("who serves is not found")
	}
	write(t, path, strings.Replace(read(t, path), `"token":"`, `"token":"x`, 1))
	if _, ok := readServing(context.Background(), path); ok {
		t.Error("another server is taken for the one that serves")
	}
}

func TestFoldersOfEndedRunsAreRemoved(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^$")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	dead := runOf(command.Process.Pid)
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	options := Options{DataDir: t.TempDir()}
	all := filepath.Join(options.DataDir, "zulip-sandbox")
	gone, stays := []string{dead}, []string{runOf(os.Getpid()), "notes"}
	if runtime.GOOS == "linux" { // an ID that was used again
		gone = append(gone, strconv.Itoa(os.Getpid())+"-1")
	}
	for _, name := range append(gone, stays...) {
		if err := os.MkdirAll(filepath.Join(all, name, "1"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	open(t, options)
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(all, name)); !os.IsNotExist(err) {
			t.Errorf("%s is there still", name)
		}
	}
	for _, name := range append(stays, thisRun()) {
		if _, err := os.Stat(filepath.Join(all, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A recorded organization is served at its own feature level unless another is asked for, to the person who is its oldest
// active owner.
func TestARecordedOrganization(t *testing.T) {
	const file = "../../sandbox/testdata/organization.json" // its format is read forever
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The first owner has left, a bot is one, and the moderator has become one.
	replaced := strings.NewReplacer(`"zulip_feature_level": 500`, `"zulip_feature_level": 442`, `"role": 300`, `"role": 100`,
		"\"role\": 100,\n      \"is_active\": true", "\"role\": 100,\n      \"is_active\": false").Replace(string(recorded))
	bot := strings.Index(replaced, `"user_id": 44`)
	replaced = replaced[:bot] + strings.Replace(replaced[bot:], "\"role\": 200,\n      \"is_active\": true,\n      \"is_bot\": false", "\"role\": 100,\n      \"is_active\": true,\n      \"is_bot\": true", 1)
	path := filepath.Join(t.TempDir(), "recorded.json")
	if err := os.WriteFile(path, []byte(replaced), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := open(t, Options{DataDir: t.TempDir(), Organization: path})
	if opened.Owner.Email != "amara.okafor@example.com" || opened.Owner.ID != 45 {
		t.Errorf("the owner is %+v", opened.Owner)
	}
	if level := opened.call(t, http.MethodGet, "/server_settings", nil); !strings.Contains(level, `"zulip_feature_level":442`) {
		t.Errorf("the server is %s", level)
	}
	if channels := opened.call(t, http.MethodGet, "/streams", nil); !strings.Contains(channels, `"stream_id":1203`) {
		t.Errorf("the channels are %s", channels)
	}
	other := open(t, Options{DataDir: t.TempDir(), Organization: path, FeatureLevel: 500})
	if level := other.call(t, http.MethodGet, "/server_settings", nil); !strings.Contains(level, `"zulip_feature_level":500`) {
		t.Errorf("the server is %s", level)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(replaced, `"folder_id": 701`, `"folder_id": 7`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{DataDir: t.TempDir(), Organization: path}); err == nil || !strings.Contains(err.Error(), "recorded.json: recorded organization: channels[2]: folder 7 is not among the folders") {
		t.Errorf("a file that is wrong: %v", err)
	}
}
