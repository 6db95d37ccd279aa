package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// valueParser converts decoded JSON into a value strictly: `"5"` is not an integer. Its errors name the path of the wrong
// part, as in `drafts[0]["to"]`.
type valueParser[T any] func(value any, path string) (T, error)

// jsonOf parses a JSON parameter (server-behavior §R1).
func jsonOf[T any](want valueParser[T]) parser[T] {
	return func(raw, name string) (T, error) {
		value, err := decodeJSON(raw)
		if err != nil {
			var zero T
			return zero, rules.Refuse("%s is not valid JSON", name)
		}
		return want(value, name)
	}
}

// The most common JSON parameters.
var (
	boolean  = jsonOf(parseBoolean)
	integer  = jsonOf(parseInteger)
	quoted   = jsonOf(parseString)
	integers = jsonOf(listOf(parseInteger))
	texts    = jsonOf(listOf(parseString))
)

func decodeJSON(raw string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

func parseBoolean(value any, path string) (bool, error) {
	if b, ok := value.(bool); ok {
		return b, nil
	}
	return false, rules.Refuse("%s is not a boolean", path)
}

func parseInteger(value any, path string) (int, error) {
	if number, ok := value.(json.Number); ok {
		if n, err := strconv.Atoi(number.String()); err == nil {
			return n, nil
		}
	}
	return 0, rules.Refuse("%s is not an integer", path)
}

func parseFloat(value any, path string) (float64, error) {
	if number, ok := value.(json.Number); ok {
		if f, err := number.Float64(); err == nil {
			return f, nil
		}
	}
	return 0, rules.Refuse("%s is not a float", path)
}

func parseString(value any, path string) (string, error) {
	if s, ok := value.(string); ok {
		return s, nil
	}
	return "", rules.Refuse("%s is not a string", path)
}

func listOf[T any](element valueParser[T]) valueParser[[]T] {
	return func(value any, path string) ([]T, error) {
		items, ok := value.([]any)
		if !ok {
			return nil, rules.Refuse("%s is not a list", path)
		}
		list := make([]T, 0, len(items))
		for i, item := range items {
			one, err := element(item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		return list, nil
	}
}

// mapOf reads an object with any keys.
func mapOf[T any](element valueParser[T]) valueParser[map[string]T] {
	return func(value any, path string) (map[string]T, error) {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, rules.Refuse("%s is not a dict", path)
		}
		read := make(map[string]T, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			one, err := member(object, path, key, element)
			if err != nil {
				return nil, err
			}
			read[key] = one
		}
		return read, nil
	}
}

// orNull accepts null as nil, like the server.
func orNull[T any](want valueParser[T]) valueParser[*T] {
	return func(value any, path string) (*T, error) {
		if value == nil {
			return nil, nil
		}
		one, err := want(value, path)
		return &one, err
	}
}

// member reads a key of an object; without it, the error of a missing field.
func member[T any](object map[string]any, path, key string, want valueParser[T]) (T, error) {
	value, ok := object[key]
	inside := fmt.Sprintf("%s[%q]", path, key)
	if !ok {
		var zero T
		return zero, rules.Refuse("%s field is missing: Field required", inside)
	}
	return want(value, inside)
}

// optionalMember reads an optional key. null counts as absent if nullable is true.
func optionalMember[T any](object map[string]any, path, key string, nullable bool, want valueParser[T]) (*T, error) {
	value, ok := object[key]
	if !ok || nullable && value == nil {
		return nil, nil
	}
	one, err := want(value, fmt.Sprintf("%s[%q]", path, key))
	return &one, err
}

// parseGroupValue reads a group-setting value. The server reports every malformed value as not an integer (server-behavior
// §P1).
func parseGroupValue(value any, path string) (rules.GroupValue, error) {
	if object, ok := value.(map[string]any); ok {
		members, err := member(object, path, "direct_members", listOf(parseInteger))
		if err == nil {
			var subgroups []int
			if subgroups, err = member(object, path, "direct_subgroups", listOf(parseInteger)); err == nil {
				return rules.GroupValue{Members: members, Subgroups: subgroups}, nil
			}
		}
	}
	group, err := parseInteger(value, path+`["int"]`)
	if group == 0 {
		group = noGroup // 0 means that the value is a list
	}
	return rules.Named(group), err
}

// noGroup is the ID of no group.
const noGroup = -1

// groupValue is a permission of a new object.
var groupValue = jsonOf(parseGroupValue)

// groupChange is a permission in a PATCH: {"new": …, "old": …}.
var groupChange = jsonOf(func(value any, path string) (rules.PermissionChange, error) {
	var change rules.PermissionChange
	object, ok := value.(map[string]any)
	if !ok {
		return change, rules.Refuse("%s does not have the expected format", path)
	}
	var err error
	if change.New, err = member(object, path, "new", parseGroupValue); err != nil {
		return change, err
	}
	change.Old, err = optionalMember(object, path, "old", true, parseGroupValue)
	return change, err
})

// permissionValues declares the permissions of a new object.
func permissionValues(p *params, all []rules.Permission) map[string]rules.GroupValue {
	return declareEach(p, all, groupValue)
}

// permissionChanges declares the permissions of a PATCH.
func permissionChanges(p *params, all []rules.Permission) map[string]rules.PermissionChange {
	return declareEach(p, all, groupChange)
}

func declareEach[T any](p *params, all []rules.Permission, parse parser[T]) map[string]T {
	given := map[string]T{}
	for _, permission := range slices.SortedFunc(slices.Values(all), func(a, b rules.Permission) int {
		return strings.Compare(a.Name, b.Name)
	}) {
		if value := optional(p.since(permission.Since), permission.Name, parse); value != nil {
			given[permission.Name] = *value
		}
	}
	return given
}

// retentionDays is days or a word, both as JSON. The error for other values names the second alternative, the word
// (server-behavior §C4).
func retentionDays(raw, name string) (any, error) {
	value, err := decodeJSON(raw)
	path := name + `["json[str]"]`
	if err != nil {
		return nil, rules.Refuse("%s is not valid JSON", path)
	}
	if days, err := parseInteger(value, path); err == nil {
		return days, nil
	}
	return parseString(value, path)
}

// fields is a JSON object of an answer.
type fields = map[string]any

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

// success is the envelope of a success.
func success(content fields) *answer {
	if content == nil {
		content = fields{}
	}
	content["result"], content["msg"] = "success", ""
	return jsonAnswer(http.StatusOK, content)
}

func redirection(to string) *answer {
	a := newAnswer(http.StatusFound, "text/html; charset=utf-8", nil)
	a.header.Set("Location", to)
	return a
}

// failure is the envelope of a refusal. Other errors are faults of the server, which it answers without a code
// (server-behavior §R10).
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

// matches reports whether a request matches a method and a path pattern. An empty method or "*" means any. A pattern can
// begin with /api/v1. "*" means one segment, a final "**" any rest, and an empty pattern any path.
func matches(method, pattern, requestMethod, requestPath string) bool {
	if method != "" && method != "*" && !strings.EqualFold(method, requestMethod) {
		return false
	}
	pattern = strings.TrimPrefix(pattern, apiPrefix)
	if pattern == "" || pattern == "*" {
		return true
	}
	want, have := strings.Split(pattern, "/"), strings.Split(requestPath, "/")
	for i, segment := range want {
		if segment == "**" && i == len(want)-1 {
			return true
		}
		if i >= len(have) || segment != "*" && segment != have[i] {
			return false
		}
	}
	return len(want) == len(have)
}
