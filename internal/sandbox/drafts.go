package sandbox

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// draftKeys are what a draft may hold, in the order in which they are checked.
var draftKeys = []string{"type", "to", "topic", "content", "timestamp"}

// parseDraft reads a draft; unlike elsewhere, unknown keys are refused (server-behavior §M9).
func parseDraft(value any, path string) (rules.DraftInput, error) {
	var d rules.DraftInput
	object, ok := value.(map[string]any)
	if !ok {
		return d, rules.Refuse("Invalid %s: Input should be a valid dictionary or instance of DraftData", path)
	}
	var err error
	if d.Type, err = member(object, path, "type", parseDraftType); err != nil {
		return d, err
	}
	if d.To, err = member(object, path, "to", listOf(parseInteger)); err != nil {
		return d, err
	}
	if d.Topic, err = member(object, path, "topic", parseString); err != nil {
		return d, err
	}
	if d.Content, err = member(object, path, "content", parseFilledText); err != nil {
		return d, err
	}
	if d.Timestamp, err = optionalMember(object, path, "timestamp", true, parseNumber); err != nil {
		return d, err
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(draftKeys, key) {
			return d, rules.Refuse("Argument %q at %s[%q] is unexpected", key, path, key)
		}
	}
	return d, nil
}

func parseDraftType(value any, path string) (string, error) {
	kind, ok := value.(string)
	if !ok || !slices.Contains([]string{rules.DraftUnaddressed, rules.ToChannel, rules.ToPeople}, kind) {
		return "", rules.Refuse("Invalid %s", path)
	}
	return kind, nil
}

// parseFilledText is a text that is more than blanks, without those around it.
func parseFilledText(value any, path string) (string, error) {
	s, err := parseString(value, path)
	if err != nil {
		return "", err
	}
	return notBlank(strings.TrimSpace(s), path)
}

// parseNumber is an integer or a fraction. What is neither is reported as the first
// alternative, the integer.
func parseNumber(value any, path string) (float64, error) {
	if number, ok := value.(json.Number); ok {
		if f, err := number.Float64(); err == nil {
			return f, nil
		}
	}
	_, err := parseInteger(value, path+`["int"]`)
	return 0, err
}

func draftObject(d rules.Draft) fields {
	kind, to := d.Address()
	return fields{
		"id": d.ID, "type": kind, "to": to, "topic": d.Topic, "content": d.Content, "timestamp": int64(d.EditedAt),
	}
}

func (r *request) draftObjects() []fields {
	list := []fields{}
	for _, d := range r.org.DraftsOf(r.me) {
		list = append(list, draftObject(d))
	}
	return list
}

func listDrafts(r *request) (fields, error) {
	drafts := r.draftObjects()
	return fields{"count": len(drafts), "drafts": drafts}, nil
}

func createDrafts(r *request) (fields, error) {
	drafts := required(r, "drafts", jsonOf(listOf(parseDraft)))
	if err := r.checked(); err != nil {
		return nil, err
	}
	ids, err := r.org.CreateDrafts(r.me, drafts)
	if err != nil {
		return nil, err
	}
	return fields{"ids": ids}, nil
}

func editDraft(r *request) (fields, error) {
	draft := required(r, "draft", jsonOf(parseDraft))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.EditDraft(r.me, r.id("draft_id"), draft)
}

func deleteDraft(r *request) (fields, error) {
	return nil, r.org.DeleteDraft(r.me, r.id("draft_id"))
}

// registerDrafts is the drafts part of a snapshot.
func registerDrafts(r *request, _ registerOptions) fields {
	return fields{"drafts": r.draftObjects()}
}
