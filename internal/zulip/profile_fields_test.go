package zulip

import (
	"fmt"
	"testing"
)

// The texts are those that the server was recorded with.
func TestProfileFieldData(t *testing.T) {
	shift := ProfileField{Type: ProfileFieldSelect, FieldData: `{"0":{"text":"Day","order":"10"},"1":{"text":"Night","order":"9"},"x":{"text":"Odd","order":"?"}}`}
	if got, want := fmt.Sprint(shift.Options()), "[{1 Night} {0 Day} {x Odd}]"; got != want {
		t.Errorf("options %s, want %s", got, want)
	}
	github := ProfileField{Type: ProfileFieldExternal, FieldData: `{"subtype":"github"}`}
	if got := github.ExternalAccount(); got != (ExternalAccount{Subtype: "github"}) || github.Options() != nil {
		t.Errorf("%+v", got)
	}
	for _, broken := range []string{"", "{", "[]", `{"0":1}`} {
		f := ProfileField{Type: ProfileFieldSelect, FieldData: broken}
		if got := f.Options(); len(got) != 0 {
			t.Errorf("%q has the options %v", broken, got)
		}
		f.Type = ProfileFieldExternal
		if got := f.ExternalAccount(); got != (ExternalAccount{}) {
			t.Errorf("%q is of %v", broken, got)
		}
	}
	form := ProfileFieldChange{Options: []ProfileFieldOption{{"b", "B"}, {"a", "A"}}}.form()
	if got, want := form.fields["field_data"], `{"a":{"text":"A","order":"2"},"b":{"text":"B","order":"1"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestProfileFieldTypes(t *testing.T) {
	for i, word := range ProfileFieldTypes() {
		if kind := ParseProfileFieldType(word); int(kind) != i+1 || kind.String() != word {
			t.Errorf("%s is %d, which is %s", word, kind, kind)
		}
	}
	if ParseProfileFieldType("colour") != 0 || ProfileFieldType(99).String() != "99" {
		t.Error("a type that is not known")
	}
}
