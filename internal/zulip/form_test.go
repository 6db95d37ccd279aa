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

func TestFormIsTheSameWhateverTheOrder(t *testing.T) {
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

func TestFormMistakesAreReturnedBeforeAnythingIsSent(t *testing.T) {
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

func TestFormWithAFile(t *testing.T) {
	content := []byte("\x89PNG\r\n--not a boundary--\r\n")
	form := &Form{}
	form.File(`a "name".png`, "image/png", content)
	form.Text("night", "true")
	if form.Empty() {
		t.Error("empty")
	}
	body, contentType, err := form.body()
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _ := form.body(); !bytes.Equal(again, body) {
		t.Error("sent twice it is not the same")
	}
	_, options, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	read, err := multipart.NewReader(bytes.NewReader(body), options["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	file := read.File["file"][0]
	opened, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(opened)
	if err != nil || !bytes.Equal(got, content) || file.Filename != `a "name".png` || file.Header.Get("Content-Type") != "image/png" ||
		len(read.Value) != 1 || read.Value["night"][0] != "true" {
		t.Errorf("read: %q %v %v %v", got, file, read.Value, err)
	}
}

// An upload that may have been carried out is not repeated, and its content is not logged.
func TestUploadIsSentOnce(t *testing.T) {
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
