package zulip

import (
	"net/http"
	"net/url"
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
		if _, err := w.client.send(w.ctx, http.MethodPost, "/streams", form, never, nil); err == nil {
			t.Error("no error")
		}
	}
	w.expectSent(t, 0)
}
