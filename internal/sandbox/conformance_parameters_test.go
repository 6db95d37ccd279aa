package sandbox

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestConformanceParameters sends each endpoint no parameters, each parameter broken in every way, and several broken at once,
// which shows the order in which they are checked. testdata/parameters.json.gz has a sequence for each endpoint: what it needs,
// then these requests. Of a success it holds only what was ignored.
func TestConformanceParameters(t *testing.T) {
	sequences := readParameterSequences(t)
	accounts := readRecording(t, "testdata/recordings/channels-create.json").Accounts
	owner := accounts["owner"]
	owner.CanCreateUsers = true
	accounts["owner"] = owner
	var alike, sum int
	for _, sequence := range sequences {
		s, err := New(Config{Accounts: accounts, FeatureLevel: sequence.FeatureLevel})
		if err != nil {
			t.Fatal(err)
		}
		p := newRandomReplay(s, sequence)
		for _, step := range sequence.Steps {
			difference := p.parameterStep(t, step)
			sum++
			if difference == "" {
				alike++
				continue
			}
			t.Errorf("%s %s %s %s\n    recorded | sandbox: %s", step.As, step.Method, step.Path, compactAll(step.Params), difference)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	fmt.Printf("parameters: alike %d/%d\n", alike, sum)
}

func readParameterSequences(t *testing.T) []randomSequence {
	t.Helper()
	data, err := os.ReadFile("testdata/parameters.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var sequences []randomSequence
	decoder := json.NewDecoder(unpacked)
	decoder.UseNumber()
	if err := decoder.Decode(&sequences); err != nil {
		t.Fatal(err)
	}
	return sequences
}

// parameterStep sends a request and compares a refusal as a whole, a success by what was ignored.
func (p *randomReplay) parameterStep(t *testing.T, step randomStep) string {
	t.Helper()
	if step.Status != http.StatusOK {
		difference, _ := p.step(t, step)
		return strings.TrimSpace(difference)
	}
	req, ok := p.request(step)
	if !ok {
		return "the request names something that this server has not made"
	}
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, req)
	var body map[string]any
	decoder := json.NewDecoder(recorder.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil || recorder.Code != http.StatusOK {
		return fmt.Sprintf("%d | %d %v", step.Status, recorder.Code, body)
	}
	if len(step.Bind) == 2 {
		p.ids[step.Bind[0]] = newID(body[step.Bind[1]])
	}
	const ignored = "ignored_parameters_unsupported"
	if !reflect.DeepEqual(body[ignored], step.Body[ignored]) {
		return fmt.Sprintf("ignored %v | %v", step.Body[ignored], body[ignored])
	}
	return ""
}
