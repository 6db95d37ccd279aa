package sandbox

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func pngOf(t *testing.T, shade uint8) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 4, 4))
	picture.Set(0, 0, color.Gray{shade})
	var content bytes.Buffer
	requireNoError(t, png.Encode(&content, picture))
	return content.Bytes()
}

// fetch loads an address without following redirects. as is nil for an anonymous request.
func fetch(t *testing.T, url string, as *Credentials) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	requireNoError(t, err)
	if as != nil {
		req.SetBasicAuth(as.Email, as.APIKey)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	requireNoError(t, err)
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	requireNoError(t, err)
	return res, content
}

func TestRealmImageRedirects(t *testing.T) {
	s := start(t, Config{})
	guest, _ := s.Credentials("guest")
	location := func(path string) string {
		res, _ := fetch(t, s.URL()+"/api/v1"+path, &guest)
		if res.StatusCode != http.StatusFound {
			t.Fatalf("%s: status %d", path, res.StatusCode)
		}
		return res.Header.Get("Location")
	}
	if got := location("/realm/icon"); got != defaultIcon {
		t.Errorf("default icon: %s", got)
	}
	p := newReplay(s)
	for i, path := range []string{"/api/v1/realm/icon", "/api/v1/realm/logo"} {
		upload := exchange{As: "admin", Method: "POST", Path: path, File: &recordedFile{"file", "a.png", "image/png", pngOf(t, uint8(i))}}
		if i == 1 {
			upload.JSON = map[string]any{"night": true}
		}
		if got, err := p.ask(upload); err != nil || got.status != http.StatusOK {
			t.Fatalf("%s: %v %s", path, err, got.text)
		}
	}
	for path, want := range map[string]string{
		"/realm/icon":             "/user_avatars/1/realm/icon.png?version=2",
		"/realm/icon?x=1":         "/user_avatars/1/realm/icon.png?version=2&x=1",
		"/realm/logo?night=true":  "/user_avatars/1/realm/night_logo.png?version=2&night=true",
		"/realm/logo?night=false": s.URL() + defaultLogo + "&night=false",
	} {
		if got := location(path); got != want {
			t.Errorf("%s: want %s, got %s", path, want, got)
		}
	}
	if res, content := fetch(t, s.URL()+location("/realm/icon"), nil); res.StatusCode != http.StatusOK || !bytes.Equal(content, pngOf(t, 0)) {
		t.Errorf("the icon itself: %s", res.Status)
	}
	if got := ask(t, s, "guest", "GET", "/realm/logo", nil); got.body["code"] != "REQUEST_VARIABLE_MISSING" {
		t.Errorf("no night: %s", got.text)
	}
	if got := ask(t, s, "nobody", "GET", "/realm/icon", nil); got.status != http.StatusUnauthorized {
		t.Errorf("without credentials: %s", got.text)
	}
}

func TestBotAvatar_Uploaded_Served(t *testing.T) {
	s := start(t, Config{})
	p := newReplay(s)
	got, err := p.ask(exchange{
		As: "admin", Method: "POST", Path: "/api/v1/bots", Form: map[string]string{"full_name": "Pictured", "short_name": "pictured"},
		File: &recordedFile{"file", "a.png", "text/plain", pngOf(t, 7)},
	})
	if err != nil || got.status != http.StatusOK {
		t.Fatalf("%v %s", err, got.text)
	}
	first, _ := got.body["avatar_url"].(string)
	if res, content := fetch(t, s.URL()+first, nil); res.StatusCode != http.StatusOK || !bytes.Equal(content, pngOf(t, 7)) {
		t.Errorf("%s: %s", first, res.Status)
	}
}

func TestExports(t *testing.T) {
	now := time.Now()
	s := start(t, Config{Clock: func() time.Time { return now }})
	exported := func() map[string]any {
		exports, _ := ask(t, s, "admin", "GET", "/export/realm", nil).body["exports"].([]any)
		last, _ := exports[len(exports)-1].(map[string]any)
		return last
	}
	remove := func() string { return ask(t, s, "admin", "DELETE", "/export/realm/2201", nil).text }

	ask(t, s, "admin", "POST", "/export/realm", nil)
	if e := exported(); e["pending"] != true || e["export_url"] != nil {
		t.Errorf("at once: %v", e)
	}
	now = now.Add(time.Second)
	file, _ := exported()["export_url"].(string)
	if res, content := fetch(t, file, nil); res.StatusCode != http.StatusOK || len(content) == 0 {
		t.Errorf("the file: %s", res.Status)
	}
	if res, _ := fetch(t, strings.Replace(file, ".tar.gz", ".zip", 1), nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("another file: %s", res.Status)
	}
	if got := remove(); !strings.Contains(got, "success") {
		t.Error(got)
	}
	if res, _ := fetch(t, file, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("the file of a deleted export: %s", res.Status)
	}

	s.SetUpExports(time.Minute, true)
	ask(t, s, "admin", "POST", "/export/realm", nil)
	if e := exported(); e["pending"] != true || e["failed_timestamp"] != nil {
		t.Errorf("before it fails: %v", e)
	}
	now = now.Add(time.Minute)
	if e := exported(); e["pending"] != false || e["failed_timestamp"] == nil || e["export_url"] != nil {
		t.Errorf("failed: %v", e)
	}
	if got := ask(t, s, "admin", "DELETE", "/export/realm/2202", nil).text; !strings.Contains(got, "Export failed, nothing to delete") {
		t.Error(got)
	}
	for range 3 {
		ask(t, s, "admin", "POST", "/export/realm", nil)
	}
	if got := ask(t, s, "admin", "POST", "/export/realm", nil).text; !strings.Contains(got, "Exceeded rate limit.") {
		t.Error(got)
	}
	now = now.Add(exportsPeriod)
	if got := ask(t, s, "admin", "POST", "/export/realm", nil).text; !strings.Contains(got, "success") {
		t.Errorf("a week later: %s", got)
	}
	s.SetFeatureLevel(exportTypes - 1)
	if e := exported(); e["export_type"] != nil {
		t.Errorf("below the level of types: %v", e)
	}
}

const exportsPeriod = 7 * 24 * time.Hour
