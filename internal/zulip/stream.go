package zulip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// receiveStream lets the call walk the body while it arrives, and returns its size.
func (c *call) receiveStream(ctx context.Context, resp *http.Response) (size int, err error) {
	body := &streamed{body: io.LimitReader(resp.Body, answerLimit+1)}
	problem := c.walk(json.NewDecoder(body))
	_, _ = io.Copy(io.Discard, body) // what is left: a line end, or most of a page that is not Zulip's
	_ = resp.Body.Close()            // everything was read, or will not be
	if body.err != nil {
		return body.size, c.readError(ctx, resp.StatusCode, body.err)
	}
	return body.size, c.judge(resp, body.start, body.size, func() error {
		if problem == nil && !body.envelope {
			return errNoEnvelope
		}
		if problem != nil {
			if _, refused := decodeError(resp.StatusCode, body.start); refused {
				return errRefused
			}
		}
		return problem
	})
}

// streamed is a body that is walked while it arrives. It keeps what is needed to say
// what the body is, if it is not what was expected.
type streamed struct {
	body io.Reader

	start    []byte // no error and no page has to be known further
	size     int
	envelope bool   // the body has the field that every envelope has, wherever it stands
	end      []byte // of what was looked at for it
	err      error  // why the body could not be read to its end
}

var envelopeField = []byte(`"result"`)

// Read reads on.
func (s *streamed) Read(into []byte) (int, error) {
	n, err := s.body.Read(into)
	part := into[:n]
	s.size += n
	if room := longestPage - len(s.start); room > 0 {
		s.start = append(s.start, part[:min(n, room)]...)
	}
	if !s.envelope {
		s.envelope = bytes.Contains(part, envelopeField) ||
			bytes.Contains(append(s.end, part[:min(n, len(envelopeField))]...), envelopeField)
		s.end = append(s.end, part...)
		s.end = bytes.Clone(s.end[max(0, len(s.end)-len(envelopeField)):])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// eachField walks the fields of one JSON object. The function decodes the value.
func eachField(decoder *json.Decoder, field func(name string) error) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("a JSON object was expected, not %v", token)
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := field(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = decoder.Token()
	return err
}

// onlyField walks one JSON object for the sake of one of its fields.
func onlyField(decoder *json.Decoder, name string, decode func() error) error {
	return eachField(decoder, func(field string) error {
		if field == name {
			return decode()
		}
		var passed json.RawMessage
		return decoder.Decode(&passed)
	})
}

// eachElement walks the elements of one JSON array; null has none. The function
// decodes the element.
func eachElement(decoder *json.Decoder, element func() error) error {
	token, err := decoder.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("a JSON array was expected, not %v", token)
	}
	for decoder.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err = decoder.Token()
	return err
}

// decodeList reads a list of objects, one by one. A null among them is left out: nobody who uses the list should have to
// expect it.
func decodeList[T any](decoder *json.Decoder, list *[]*T) error {
	return decodeRows(decoder, list, func(one *T) *T { return one })
}

// decodeRows is decodeList for objects that the wire has in another shape.
func decodeRows[Row, T any](decoder *json.Decoder, list *[]*T, keep func(*Row) *T) error {
	*list = []*T{}
	return eachElement(decoder, func() error {
		var row *Row
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		if row != nil {
			*list = append(*list, keep(row))
		}
		return nil
	})
}
