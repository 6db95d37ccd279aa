package resourcekit

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// object makes a value of attributes that are all texts: nil is null, unknown is unknown.
func object(attributes map[string]any) tftypes.Value {
	kinds, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
	for name, value := range attributes {
		kinds[name] = tftypes.String
		values[name] = tftypes.NewValue(tftypes.String, value)
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: kinds}, values)
}

func TestAgrees(t *testing.T) {
	for name, c := range map[string]struct {
		planned, current map[string]any
		except           []string
		want             bool
	}{
		"equal":                {planned: map[string]any{"a": "x"}, current: map[string]any{"a": "x"}, want: true},
		"different":            {planned: map[string]any{"a": "x"}, current: map[string]any{"a": "y"}},
		"unknown is anything":  {planned: map[string]any{"a": tftypes.UnknownValue}, current: map[string]any{"a": "y"}, want: true},
		"unset is a value":     {planned: map[string]any{"a": nil}, current: map[string]any{"a": "y"}},
		"empty is a value":     {planned: map[string]any{"a": ""}, current: map[string]any{"a": nil}},
		"one that is left out": {planned: map[string]any{"a": "x", "b": "1"}, current: map[string]any{"a": "x", "b": "2"}, except: []string{"b"}, want: true},
	} {
		if got := agrees(object(c.planned), object(c.current), c.except...); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestAfterWrite(t *testing.T) {
	none := tftypes.NewValue(object(map[string]any{"id": "", "a": ""}).Type(), nil)
	for name, c := range map[string]struct {
		planned, current, want map[string]any
		prior                  tftypes.Value
		conflicts              []string
	}{
		"created": {
			planned: map[string]any{"id": tftypes.UnknownValue, "a": "x"}, prior: none,
			current: map[string]any{"id": "1", "a": "x"}, want: map[string]any{"id": "1", "a": "x"},
		},
		"created with another value": {
			planned: map[string]any{"id": tftypes.UnknownValue, "a": "x"}, prior: none,
			current: map[string]any{"id": "1", "a": "y"}, want: map[string]any{"id": "1", "a": "y"}, conflicts: []string{"a"},
		},
		"what the plan leaves alone keeps its value": {
			planned: map[string]any{"id": "1", "a": "x"}, prior: object(map[string]any{"id": "1", "a": "x"}),
			current: map[string]any{"id": "1", "a": "by hand"}, want: map[string]any{"id": "1", "a": "x"},
		},
		"changed, and changed back by somebody": {
			planned: map[string]any{"id": "1", "a": "new"}, prior: object(map[string]any{"id": "1", "a": "old"}),
			current: map[string]any{"id": "1", "a": "old"}, want: map[string]any{"id": "1", "a": "old"}, conflicts: []string{"a"},
		},
		"what was unknown is read": {
			planned: map[string]any{"id": "1", "a": tftypes.UnknownValue}, prior: object(map[string]any{"id": "1", "a": "old"}),
			current: map[string]any{"id": "1", "a": "new"}, want: map[string]any{"id": "1", "a": "new"},
		},
	} {
		state, conflicts, err := afterWrite(object(c.planned), c.prior, object(c.current))
		if err != nil || !state.Equal(object(c.want)) || !slices.Equal(conflicts, c.conflicts) {
			t.Errorf("%s: %s, conflicts %v, %v", name, state, conflicts, err)
		}
	}
}

func TestWithoutUnknown(t *testing.T) {
	got, err := withoutUnknown(object(map[string]any{"a": tftypes.UnknownValue, "b": "x", "c": nil}))
	if want := object(map[string]any{"a": nil, "b": "x", "c": nil}); err != nil || !got.Equal(want) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestObjectIDTellsTextsApart(t *testing.T) {
	if ObjectID("") != 0 || ObjectID(int64(7)) != 7 || ObjectID("example.com") == ObjectID("example.org") || ObjectID("example.com") <= 0 {
		t.Error("an ID is not what it should be")
	}
}
