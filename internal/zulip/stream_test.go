package zulip

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestStreamedFindsTheEnvelope wherever it stands, and however the body arrives.
func TestStreamedFindsTheEnvelope(t *testing.T) {
	for _, test := range []struct {
		body string
		want bool
	}{
		{`{"result":"success","streams":[1,2]}`, true}, {`{"streams":[1,2],"result":"success"}`, true},
		{`{"streams":[1,2],"results":"success"}`, false}, {`{}`, false},
	} {
		for name, arrive := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader { return r }, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
			"with its end": iotest.DataErrReader,
		} {
			body := &streamedBody{body: arrive(strings.NewReader(test.body))}
			if err := onlyField(json.NewDecoder(body), "", nil); err != nil {
				t.Errorf("%s, %s: %v", test.body, name, err)
			}
			if body.envelope != test.want || body.size != len(test.body) || string(body.start) != test.body || body.err != nil {
				t.Errorf("%s, %s: %+v", test.body, name, body)
			}
		}
	}
}
