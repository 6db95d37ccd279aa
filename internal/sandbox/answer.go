package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// fields is a JSON object of an answer.
type fields = map[string]any

// answer is a whole response, ready to be sent, changed or lost.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newAnswer(status int, contentType string, body []byte) *answer {
	header := http.Header{}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	header.Set("Cache-Control", "max-age=0, no-cache, no-store, must-revalidate, private")
	return &answer{status: status, header: header, body: body}
}

func jsonAnswer(status int, content fields) *answer {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		return jsonAnswer(http.StatusInternalServerError, fields{"result": "error", "msg": "Internal server error"})
	}
	return newAnswer(status, "application/json", body.Bytes())
}

func htmlAnswer(status int, title string) *answer {
	page := "<!DOCTYPE html>\n<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"
	return newAnswer(status, "text/html; charset=utf-8", []byte(page))
}

// success is the envelope of what went well.
func success(content fields) *answer {
	if content == nil {
		content = fields{}
	}
	content["result"], content["msg"] = "success", ""
	return jsonAnswer(http.StatusOK, content)
}

// redirection sends the caller elsewhere.
func redirection(to string) *answer {
	a := newAnswer(http.StatusFound, "text/html; charset=utf-8", nil)
	a.header.Set("Location", to)
	return a
}

// failure is the envelope of a refusal. What is not a refusal is a fault of the
// server, and is answered without a code (server-behavior §R10).
func failure(err error) *answer {
	var refusal *rules.Error
	if !errors.As(err, &refusal) {
		refusal = &rules.Error{Status: http.StatusInternalServerError, Msg: "Internal server error"}
	}
	content := fields{}
	for name, value := range refusal.Extra {
		content[name] = value
	}
	content["result"], content["msg"] = "error", refusal.Msg
	status := refusal.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	if refusal.Code != "" {
		content["code"] = refusal.Code
	} else if status < http.StatusInternalServerError {
		content["code"] = "BAD_REQUEST"
	}
	a := jsonAnswer(status, content)
	if status == http.StatusUnauthorized {
		a.header.Set("WWW-Authenticate", `Basic realm="zulip"`)
	}
	return a
}

// methodNotAllowed carries no code, and lists the verbs in the order in which
// the server declares them (server-behavior §R10).
func methodNotAllowed(allowed []string) *answer {
	a := jsonAnswer(http.StatusMethodNotAllowed, fields{
		"result": "error", "msg": "Method Not Allowed", "allowed_methods": allowed,
	})
	a.header.Set("Allow", strings.Join(allowed, ", "))
	return a
}
