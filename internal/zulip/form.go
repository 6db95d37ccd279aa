package zulip

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
)

// Form is the body of one call, or the query of a read. The server knows two
// kinds of parameter (wire-1 §1): plain ones, whose value is the text itself,
// and JSON ones, whose value is JSON text. Which is which differs from one
// parameter to the next, so each is set by the method that says so.
//
// The zero value and nil are an empty form. A form sent twice is encoded the
// same way twice, whatever the order it was filled in.
type Form struct {
	fields map[string]string
	err    error
}

// Text sets a plain parameter. A parameter set again has the last value.
func (f *Form) Text(name, value string) {
	if name == "method" {
		// The server would take the value for the HTTP verb (wire-1 §1).
		f.fail(errors.New(`a form field cannot be called "method"`))
		return
	}
	if f.fields == nil {
		f.fields = map[string]string{}
	}
	f.fields[name] = value
}

// JSON sets a parameter to the JSON text of value. A value that has none is
// remembered and returned by the call the form is sent with.
//
// null is an error for nearly every parameter (wire-2 §1.4): leave a
// parameter out to leave it alone.
func (f *Form) JSON(name string, value any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		f.fail(fmt.Errorf("form field %s: %w", name, err))
		return
	}
	f.Text(name, string(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
}

// Empty reports whether nothing was set.
func (f *Form) Empty() bool { return f == nil || len(f.fields) == 0 }

// Names lists the parameters that were set, sorted.
func (f *Form) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.fields))
}

// encode is the form as application/x-www-form-urlencoded, sorted by name.
func (f *Form) encode() string {
	if f == nil {
		return ""
	}
	values := make(url.Values, len(f.fields))
	for name, value := range f.fields {
		values.Set(name, value)
	}
	return values.Encode()
}

// problem is the first mistake made while filling the form.
func (f *Form) problem() error {
	if f == nil {
		return nil
	}
	return f.err
}

func (f *Form) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}
