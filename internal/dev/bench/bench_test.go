package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAPI_Objects(t *testing.T) {
	for _, test := range []struct {
		provider, collection, item, create, created, change, changed string
		handler                                                      http.Handler
	}{
		{
			"tailscale", "/api/v2/tailnet/-/webhooks", "/api/v2/webhooks/1",
			`{"endpointUrl":"https://example.com/0","subscriptions":["nodeCreated"]}`,
			`{"endpointId":"1","endpointUrl":"https://example.com/0","secret":"secret","subscriptions":["nodeCreated"]}`,
			`{"subscriptions":["nodeDeleted"]}`,
			`{"endpointId":"1","endpointUrl":"https://example.com/0","secret":"secret","subscriptions":["nodeDeleted"]}`,
			tailscale(),
		},
		{
			"github", "/api/v3/orgs/bench/teams", "/api/v3/organizations/1/team/1",
			`{"name":"team 0","description":"What ships"}`,
			`{"description":"What ships","id":1,"members_count":0,"name":"team 0","node_id":"team_1","slug":"team-1"}`,
			`{"description":"What shipped"}`,
			`{"description":"What shipped","id":1,"members_count":0,"name":"team 0","node_id":"team_1","slug":"team-1"}`,
			github(),
		},
	} {
		t.Run(test.provider, func(t *testing.T) {
			counted := &api{handler: test.handler}
			etag := ""
			steps := []struct {
				method, path, body string
				status             int
				want               string
			}{
				{"GET", test.item, "", 404, `{"message": "Not Found"}`},
				{"POST", test.collection, test.create, 200, test.created},
				{"GET", test.item, "", 200, test.created},
				{"GET", test.item, "", 304, ""},
				{"PATCH", test.item, test.change, 200, test.changed},
				{"GET", test.item, "", 200, test.changed},
				{"PUT", test.item, test.change, 405, ""},
				{"DELETE", test.item, "", 204, ""},
				{"GET", test.item, "", 404, `{"message": "Not Found"}`},
				{"GET", "/", "", 404, "404 page not found"},
			}
			for _, step := range steps {
				request := httptest.NewRequest(step.method, step.path, strings.NewReader(step.body))
				if step.status == http.StatusNotModified || step.want == test.changed {
					request.Header.Set("If-None-Match", etag)
				}
				recorder := httptest.NewRecorder()
				counted.ServeHTTP(recorder, request)
				if got := strings.TrimSpace(recorder.Body.String()); recorder.Code != step.status || got != step.want {
					t.Errorf("%s %s: %d %s, want %d %s", step.method, step.path, recorder.Code, got, step.status, step.want)
				}
				if recorder.Code == http.StatusOK && step.method == "GET" {
					etag = recorder.Header().Get("ETag")
				}
			}
			if got := counted.requests.Load(); got != int64(len(steps)) {
				t.Errorf("%d requests were counted, want %d", got, len(steps))
			}
		})
	}
}
