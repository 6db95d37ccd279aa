package zulip

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
)

// Form holds the parameters of one call: its body, or the query of a read. The server knows
// two kinds of parameter (server-behavior §R1): plain ones, whose value is the text itself,
// set with [Form.Text], and JSON ones, set with [Form.JSON]. Which kind a parameter is, is
// fixed by the endpoint.
//
// The zero value and nil are an empty form. The encoding does not depend on the order in
// which parameters were set.
type Form struct {
	fields map[string]string
	file   *formFile
	err    error
}

// formFile is a file to upload.
type formFile struct {
	name, contentType string
	content           []byte
}

// Text sets a plain parameter. A parameter set again has the last value.
func (f *Form) Text(name, value string) {
	if name == "method" {
		// The server would take the value for the HTTP verb (server-behavior §R3).
		f.fail(errors.New(`a form field cannot be called "method"`))
		return
	}
	if f.fields == nil {
		f.fields = map[string]string{}
	}
	f.fields[name] = value
}

// JSON sets a parameter to the JSON encoding of value. An encoding error is returned by the
// call that sends the form.
//
// The server refuses null for nearly every parameter (server-behavior §R2): to leave
// something unchanged, do not set its parameter.
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

// File adds the file to upload. The server takes one, under any field's name
// (server-behavior §L9).
func (f *Form) File(name, contentType string, content []byte) {
	f.file = &formFile{name, contentType, content}
}

// Empty reports whether nothing was set.
func (f *Form) Empty() bool { return f == nil || len(f.fields) == 0 && f.file == nil }

// Names lists the parameters that were set, sorted.
func (f *Form) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.fields))
}

// clone returns a form with the same parameters, which can be filled further.
func (f *Form) clone() *Form { return &Form{fields: maps.Clone(f.fields), err: f.err} }

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

// body is the form as the body of a request, and the content type of that.
func (f *Form) body() (body []byte, contentType string, err error) {
	if f.file == nil {
		return []byte(f.encode()), "application/x-www-form-urlencoded", nil
	}
	var buffer bytes.Buffer
	parts := multipart.NewWriter(&buffer)
	// A boundary must not occur in what it bounds. The hash of the file does not occur in the file.
	if err := parts.SetBoundary(fmt.Sprintf("%x", sha256.Sum256(f.file.content))[:maxBoundary]); err != nil {
		return nil, "", err
	}
	for _, name := range f.Names() {
		if err := parts.WriteField(name, f.fields[name]); err != nil {
			return nil, "", err
		}
	}
	part, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": f.file.name})},
		"Content-Type":        {f.file.contentType},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(f.file.content); err != nil {
		return nil, "", err
	}
	if err := parts.Close(); err != nil {
		return nil, "", err
	}
	return buffer.Bytes(), parts.FormDataContentType(), nil
}

// maxBoundary is short of the 70 characters that a boundary may have.
const maxBoundary = 60

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
