package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

// checkWidget refuses what the server cannot show under a message. Widgets themselves are not kept.
func checkWidget(content *string) error {
	if content == nil {
		return nil
	}
	value, err := decodeJSON(*content)
	if err != nil {
		return rules.Refuse("Widgets: API programmer sent invalid JSON content")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return rules.Refuse("Widgets: widget_content is not a dict")
	}
	for _, key := range []string{"widget_type", "extra_data"} {
		if _, ok := object[key]; !ok {
			return rules.Refuse("Widgets: %s is not in widget_content", key)
		}
	}
	data, ok := object["extra_data"].(map[string]any)
	kind, isText := object["widget_type"].(string)
	switch {
	case !ok:
		return rules.Refuse("Widgets: extra_data is not a dict")
	case !isText || kind != "zform":
		return rules.Refuse("Widgets: unknown widget type: %s", kind)
	case data["type"] == nil:
		return rules.Refuse("Widgets: zform is missing type field")
	}
	return nil
}
