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

// receiveStream decodes the body while it arrives, and returns its size.
func (c *call) receiveStream(ctx context.Context, resp *http.Response) (size int, err error) {
	body := &streamedBody{body: io.LimitReader(resp.Body, int64(c.client.maxStreamed)+1)}
	problem := c.decodeStream(json.NewDecoder(body))
	_, _ = io.Copy(io.Discard, body) // the rest is a line end, or most of a page that is not Zulip's
	_ = resp.Body.Close()            // everything was read, or will not be
	if body.err != nil {
		return body.size, c.readError(ctx, resp.StatusCode, body.err)
	}
	return body.size, c.classify(resp, body.start, body.size, c.client.maxStreamed, func() error {
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

// streamedBody is a body that is decoded while it arrives. It stores the parts that explain an unexpected answer.
type streamedBody struct {
	body io.Reader

	start    []byte // first bytes, enough for every error and page
	size     int
	envelope bool   // the body has the field that every envelope has, in any position
	tail     []byte // end of the bytes that were searched
	err      error  // why the body could not be read to its end
}

var envelopeField = []byte(`"result"`)

func (s *streamedBody) Read(into []byte) (int, error) {
	n, err := s.body.Read(into)
	part := into[:n]
	s.size += n
	if space := maxPageBytes - len(s.start); space > 0 {
		s.start = append(s.start, part[:min(n, space)]...)
	}
	if !s.envelope {
		s.envelope = bytes.Contains(part, envelopeField) ||
			bytes.Contains(append(s.tail, part[:min(n, len(envelopeField))]...), envelopeField)
		s.tail = append(s.tail, part...)
		s.tail = bytes.Clone(s.tail[max(0, len(s.tail)-len(envelopeField)):])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

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

// onlyField decodes one field of a JSON object and skips the others.
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

// decodeList reads a list of objects one by one. It leaves out null, so that callers need not check for it.
func decodeList[T any](decoder *json.Decoder, list *[]*T) error {
	return decodeRows(decoder, list, func(one *T) *T { return one })
}

// decodeRows is decodeList for objects that are decoded as a Row first.
func decodeRows[Row, T any](decoder *json.Decoder, list *[]*T, convert func(*Row) *T) error {
	*list = []*T{}
	return eachElement(decoder, func() error {
		var row *Row
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		if row != nil {
			*list = append(*list, convert(row))
		}
		return nil
	})
}
