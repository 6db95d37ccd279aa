package zulip

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNew_InvalidConfig_Error(t *testing.T) {
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
		requireNoError(t, err)
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

func TestLinks(t *testing.T) {
	channel := ChannelURL("https://chat.example.com/", 12, "on call (EU)")
	for _, test := range []struct{ got, want string }{
		{channel, "https://chat.example.com/#narrow/channel/12-on-call-.28EU.29"},
		{ChannelURL("https://chat.example.com", 13, "cafe\u0301"), "https://chat.example.com/#narrow/channel/13-caf.C3.A9"},
		{TopicURL(channel, "a/b. 50%?"), channel + "/topic/a.2Fb.2E.2050.25.3F"},
		{TopicURL(channel, "Größe ✔"), channel + "/topic/Gr.C3.B6.C3.9Fe.20.E2.9C.94"},
		{TopicURL(channel, "it's ~50! *now* #1+1 _x-y_"), channel + "/topic/it's.20~50!.20*now*.20.231.2B1.20_x-y_"},
		{TopicURL(channel, ""), channel + "/topic/"},
		{MessageURL(TopicURL(channel, ""), 345), channel + "/topic//near/345"},
		{MessageURL(TopicURL(channel, "v1"), 345), channel + "/topic/v1/near/345"},
	} {
		if test.got != test.want {
			t.Errorf("got %s\nwant %s", test.got, test.want)
		}
	}
}

func TestLinks_ChannelOrTopic_Recognized(t *testing.T) {
	const site = "https://chat.example.com/#narrow/channel/"
	for text, want := range map[string]struct{ channel, topic bool }{
		site + "12-releases":                   {true, false},
		site + "12-":                           {true, false},
		site + "12-releases/topic/v1":          {false, true},
		site + "12-releases/topic/":            {false, true},
		site + "12-releases/topic/v1/near/3":   {false, false},
		site + "releases":                      {false, false},
		site + "0-releases":                    {false, false},
		"/#narrow/channel/12-releases":         {false, false},
		"chat.example.com/#narrow/channel/1-a": {false, false},
		"https://chat.example.com":             {false, false},
		"":                                     {false, false},
	} {
		if IsChannelURL(text) != want.channel || IsTopicURL(text) != want.topic {
			t.Errorf("%q: channel %v, topic %v", text, IsChannelURL(text), IsTopicURL(text))
		}
	}
}

func TestForm_AnyOrder_SameEncoding(t *testing.T) {
	one, other := &Form{}, &Form{}
	one.Text("b", "x")
	one.JSON("a", "<&>")
	other.JSON("a", "<&>")
	other.Text("b", "y")
	other.Text("b", "x")
	if one.encode() != other.encode() {
		t.Errorf("%s, %s", one.encode(), other.encode())
	}
	values, err := url.ParseQuery(one.encode())
	if err != nil || values.Get("a") != `"<&>"` || values.Get("b") != "x" {
		t.Errorf("%v %v", values, err)
	}
	if names := one.Names(); len(names) != 2 || names[0] != "a" {
		t.Errorf("names %v", names)
	}
	var none *Form
	if !none.Empty() || !new(Form).Empty() || one.Empty() || none.encode() != "" || none.Names() != nil {
		t.Error("empty forms are not")
	}
}

func TestForm_Invalid_NotSent(t *testing.T) {
	w := newWire(t, json200(ok))
	reserved, unencodable := &Form{}, &Form{}
	reserved.Text("method", "DELETE")
	unencodable.JSON("x", func() {})
	for _, form := range []*Form{reserved, unencodable} {
		if _, err := w.client.send(w.ctx, http.MethodPost, "/streams", form, neverRetry, nil); err == nil {
			t.Error("no error")
		}
	}
	w.expectSent(t, 0)
}

func TestForm_WithFile_Encoded(t *testing.T) {
	content := []byte("\x89PNG\r\n--not a boundary--\r\n")
	form := &Form{}
	form.File(`a "name".png`, "image/png", content)
	form.Text("night", "true")
	if form.Empty() {
		t.Error("empty")
	}
	body, contentType, err := form.body()
	requireNoError(t, err)
	if again, _, _ := form.body(); !bytes.Equal(again, body) {
		t.Error("sent twice it is not the same")
	}
	_, options, err := mime.ParseMediaType(contentType)
	requireNoError(t, err)
	read, err := multipart.NewReader(bytes.NewReader(body), options["boundary"]).ReadForm(1 << 20)
	requireNoError(t, err)
	file := read.File["file"][0]
	opened, err := file.Open()
	requireNoError(t, err)
	got, err := io.ReadAll(opened)
	if err != nil || !bytes.Equal(got, content) || file.Filename != `a "name".png` || file.Header.Get("Content-Type") != "image/png" ||
		len(read.Value) != 1 || read.Value["night"][0] != "true" {
		t.Errorf("read: %q %v %v %v", got, file, read.Value, err)
	}
}

// An upload that may have been applied is not repeated, and its content is not logged.
func TestUpload_AnswerLost_NotRepeated(t *testing.T) {
	w := newWire(t, func(_ int, rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	err := w.client.UploadCustomEmoji(w.ctx, "two words", "party.png", "image/png", []byte("secret picture"))
	if !MayHaveHappened(err) {
		t.Errorf("error: %v", err)
	}
	w.expectSent(t, 1)
	if sent := w.requests()[0]; sent.path != "/api/v1/realm/emoji/two words" || !strings.HasPrefix(sent.header.Get("Content-Type"), "multipart/form-data") {
		t.Errorf("sent: %+v", sent)
	}
	if log := w.log.String(); strings.Contains(log, "secret picture") || !strings.Contains(log, "party.png, image/png (14 bytes)") {
		t.Errorf("log: %s", log)
	}
}
