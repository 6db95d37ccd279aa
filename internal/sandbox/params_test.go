package sandbox

import (
	"mime"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// parsed runs a parser on a text and returns the value or the error's words.
func parsed[T any](parse parser[T], raw string) any {
	value, err := parse(raw, "x")
	if err != nil {
		return err.Error()
	}
	return value
}

func TestParsers(t *testing.T) {
	object := func(raw string) any {
		return parsed(jsonOf(func(value any, path string) (int, error) {
			return member(value.(map[string]any), path, "n", parseInteger)
		}), raw)
	}
	tests := []struct{ got, want any }{
		{parsed(boolean, "true"), true},
		{parsed(boolean, "True"), "x is not valid JSON"},
		{parsed(boolean, ""), "x is not valid JSON"},
		{parsed(boolean, `"true"`), "x is not a boolean"},
		{parsed(boolean, "1"), "x is not a boolean"},
		{parsed(boolean, "null"), "x is not a boolean"},
		{parsed(boolean, "true false"), "x is not valid JSON"},
		{parsed(integer, "-5"), -5},
		{parsed(integer, "5.0"), "x is not an integer"},
		{parsed(integer, `"5"`), "x is not an integer"},
		{parsed(integer, "1e3"), "x is not an integer"},
		{parsed(integers, "[1,2]"), []int{1, 2}},
		{parsed(integers, "[]"), []int{}},
		{parsed(integers, "[1,true]"), "x[1] is not an integer"},
		{parsed(integers, "{}"), "x is not a list"},
		{parsed(texts, `["a",null]`), "x[1] is not a string"},
		{parsed(quoted, `"a"`), "a"},
		{parsed(quoted, "a"), "x is not valid JSON"},
		{object(`{"n": 1}`), 1},
		{object(`{"n": "1"}`), `x["n"] is not an integer`},
		{object(`{}`), `x["n"] field is missing: Field required`},
		{parsed(text(stripped, notBlank), "  "), "x cannot be blank"},
		{parsed(text(atMost(2)), "äöü"), "x is too long (limit: 2 characters)"},
		{parsed(text(atMost(3)), "äöü"), "äöü"},
		{parsed(oneOf("a", "b"), "c"), "Invalid x"},
		{parsed(listed(integer, 1, 2), "3"), "Invalid x: Value error, Not in the list of possible values"},
		{parsed(listed(integer, 1, 2), "a"), "x is not valid JSON"},
		{parsed(groupValue, `{"direct_members":[3,1,3],"direct_subgroups":[]}`), rules.GroupValue{Members: []int{3, 1, 3}, Subgroups: []int{}}},
		{parsed(groupValue, `{"direct_members":[1]}`), `x["int"] is not an integer`},
		{parsed(groupValue, `{"direct_members":["1"],"direct_subgroups":[]}`), `x["int"] is not an integer`},
		{parsed(groupChange, "7"), "x does not have the expected format"},
		{parsed(groupChange, `{"old":7}`), `x["new"] field is missing: Field required`},
		{parsed(groupChange, `{"new":7,"old":"a"}`), `x["old"]["int"] is not an integer`},
		{parsed(groupChange, `{"new":7,"old":null}`), rules.PermissionChange{New: rules.Named(7)}},
		{parsed(retentionDays, "30"), 30},
		{parsed(retentionDays, `"unlimited"`), "unlimited"},
		{parsed(retentionDays, "[]"), `x["json[str]"] is not a string`},
	}
	for i, test := range tests {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%d: %v, want %v", i, test.got, test.want)
		}
	}
}

func TestFormBeforeQuery(t *testing.T) {
	r := httptest.NewRequest("PATCH", "/x?a=query&b=query&b=last", strings.NewReader("a=form&c=1+2%26&d=50%&c=3"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	f, err := readForm(r)
	requireNoError(t, err)
	want := map[string]string{"a": "form", "b": "last", "c": "3", "d": "50%"}
	if got := f.values(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzForm feeds the form parser with random input. It must not fail, must return text, and must decode properly encoded
// input to the original.
func FuzzForm(f *testing.F) {
	f.Add("application/x-www-form-urlencoded", "a=1&b=%7B%22new%22%3A5%7D", "name", "value +&=%")
	f.Add("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n", "ä", "\x00")
	f.Add("application/x-www-form-urlencoded", "%zz=%&=&&%e4", "", "")
	f.Add("text/plain", "a=1", "a", "b")
	f.Fuzz(func(t *testing.T, contentType, body, name, value string) {
		r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		got, err := readForm(r)
		if err != nil {
			t.Fatalf("reading a body of %d bytes: %v", len(body), err)
		}
		kind, _, _ := mime.ParseMediaType(contentType)
		if kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data" && len(got.body) > 0 {
			t.Errorf("a body of type %q was read", contentType)
		}
		p := newParams(got.values(), DefaultFeatureLevel)
		for key, text := range got.values() {
			if !utf8.ValidString(key) && kind != "multipart/form-data" || !utf8.ValidString(text) {
				t.Errorf("%q=%q is no text", key, text)
			}
			optional(p, key, groupChange)
			optional(p, key, principals)
			optional(p, key, retentionDays)
			optional(p, key, jsonOf(listOf(parseChannelSpec)))
		}
		if utf8.ValidString(name) && utf8.ValidString(value) {
			encoded := parseFields(url.Values{name: {value}}.Encode())
			if encoded[name] != value {
				t.Errorf("%q came back as %q", value, encoded[name])
			}
		}
	})
}
