package zulip

import (
	"strings"
	"testing"
)

func TestNewSaysWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"no site":              {Config{}, "ZULIP_SITE"},
		"no scheme":            {Config{Site: "chat.example.com/"}, "write https://chat.example.com"},
		"no scheme, loopback":  {Config{Site: "localhost:9991"}, "write http://localhost:9991"},
		"other scheme":         {Config{Site: "ftp://chat.example.com"}, "write https://chat.example.com"},
		"a page":               {Config{Site: "https://chat.example.com/#narrow/channel/3"}, "write only https://chat.example.com"},
		"a path":               {Config{Site: "https://chat.example.com/login/"}, "write only https://chat.example.com"},
		"no host":              {Config{Site: "https://"}, "no host name"},
		"not an address":       {Config{Site: "https://chat example com:x:y"}, "https://chat.example.com"},
		"password in the site": {Config{Site: "https://me:hunter2@chat.example.com"}, "email and api_key"},
		"email without key":    {Config{Site: "https://a.b", Email: "x@y.z"}, "ZULIP_API_KEY"},
		"key without email":    {Config{Site: "https://a.b", APIKey: testKey}, "ZULIP_EMAIL"},
		"colon":                {Config{Site: "https://a.b", Email: "x:y", APIKey: testKey}, "colon"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.cfg)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q in it", err, test.want)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), testKey) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestSite(t *testing.T) {
	for _, site := range []string{
		"https://chat.example.com", "https://chat.example.com/", "https://chat.example.com/api",
		"https://chat.example.com/api/v1/", " HTTPS://Chat.Example.com ",
	} {
		client, err := New(Config{Site: site})
		if err != nil {
			t.Fatal(err)
		}
		if client.Site() != "https://chat.example.com" {
			t.Errorf("%q became %q", site, client.Site())
		}
	}
}

func TestInsecureSite(t *testing.T) {
	for site, want := range map[string]bool{
		"http://chat.example.com": true, "HTTP://10.0.0.1:80": true,
		"https://chat.example.com": false, "http://localhost:9991": false, "http://127.0.0.1": false,
		"http://[::1]:8080": false, "http://zulip.localhost": false, "": false, "chat.example.com": false,
	} {
		if got := InsecureSite(site); got != want {
			t.Errorf("InsecureSite(%q) = %v", site, got)
		}
	}
}

func TestSameSite(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"https://chat.example.com", "https://CHAT.example.com/", true},
		{"https://chat.example.com:443/api", "chat.example.com", true},
		{"http://chat.example.com", "https://chat.example.com", true},
		{"https://chat.example.com", "https://chat.example.org", false},
		{"https://chat.example.com:8443", "https://chat.example.com", false},
		{"https://a.example.com", "https://b.example.com", false},
		{"%zz", "%zz", true},
	} {
		if got := SameSite(test.a, test.b); got != test.want {
			t.Errorf("SameSite(%q, %q) = %v", test.a, test.b, got)
		}
	}
}
