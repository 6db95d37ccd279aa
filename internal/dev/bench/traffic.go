package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
)

// traffic is what the sandbox was asked in some time.
type traffic struct {
	Requests   int            `json:"requests"`
	ByEndpoint map[string]int `json:"by_endpoint,omitempty"`
	Bytes      int64          `json:"bytes"`   // of the answers
	Refused    int            `json:"refused"` // for coming too fast
}

var number = regexp.MustCompile(`/\d+`)

// since returns the traffic since the last call.
func (w *world) since() (traffic, error) {
	t := traffic{ByEndpoint: map[string]int{}}
	file, err := os.Open(w.journal())
	if err != nil {
		return t, err
	}
	defer func() { _ = file.Close() }() // only read from
	if _, err := file.Seek(w.read, io.SeekStart); err != nil {
		return t, err
	}
	decoder := json.NewDecoder(file)
	for {
		var request struct {
			Method, Path  string
			Status, Bytes int
		}
		if err := decoder.Decode(&request); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return t, err
		}
		t.Requests++
		t.Bytes += int64(request.Bytes)
		t.ByEndpoint[request.Method+" "+number.ReplaceAllString(request.Path, "/{id}")]++
		if request.Status == http.StatusTooManyRequests {
			t.Refused++
		}
	}
	w.read += decoder.InputOffset()
	return t, nil
}
