package organization

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/settings"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// nameKind is the name, a text that the server would accept empty.
type nameKind struct{ settings.Text }

// Attribute is a non-empty string.
func (nameKind) Attribute(text settings.SettingText) schema.Attribute {
	return textAttribute(text.Accepting(fmt.Sprintf("From 1 to %d characters.", organizationMaxName)), validators.Length(1, organizationMaxName))
}

// unlimited is the value for no limit, which the server also accepts (server-behavior §O4).
const unlimited = "unlimited"

// limitKind is a time, as a number of units or "unlimited".
type limitKind struct{ unit string }

// Attribute is a string.
func (k limitKind) Attribute(text settings.SettingText) schema.Attribute {
	return textAttribute(text.Accepting(fmt.Sprintf("Number of %s, or %#q.", k.unit, unlimited)),
		validators.Count(k.unit, unlimited))
}

// Read accepts a number; null (for seconds) and -1 (for days) are unlimited.
func (limitKind) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	if raw == nil {
		return types.StringNull(), nil
	}
	var number *int64
	if err := json.Unmarshal(raw, &number); err != nil {
		return nil, err
	}
	if number == nil || *number == -1 {
		return types.StringValue(unlimited), nil
	}
	return types.StringValue(strconv.FormatInt(*number, 10)), nil
}

// Send sends the number or the word, both as JSON.
func (limitKind) Send(form *zulip.Form, name string, value attr.Value) {
	text, _ := value.(types.String)
	if number, err := strconv.ParseInt(text.ValueString(), 10, 64); err == nil {
		form.JSON(name, number)
		return
	}
	form.JSON(name, text.ValueString())
}

// noChannel means no channel, here and in the API.
const noChannel = -1

// channelKind is a channel, by its ID.
type channelKind struct{ settings.Number }

// Attribute is a number.
func (channelKind) Attribute(text settings.SettingText) schema.Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(fmt.Sprintf("Channel ID, or %#q for none.", strconv.Itoa(noChannel))),
		Validators:    []validator.Int64{validators.IDOr("the ID of a channel", noChannel)},
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

// defaultJitsi is the value for the server's own URL.
const defaultJitsi = "default"

// jitsiKind is a URL or "default".
type jitsiKind struct{}

// Attribute is a string.
func (jitsiKind) Attribute(text settings.SettingText) schema.Attribute {
	return textAttribute(text.Accepting(fmt.Sprintf("At most %d characters.", maxJitsiURL)),
		validators.Length(0, maxJitsiURL), validators.URL("https://meet.example.com", defaultJitsi))
}

// Read accepts a URL; null is the default.
func (jitsiKind) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	if raw == nil {
		return types.StringNull(), nil
	}
	var url *string
	if err := json.Unmarshal(raw, &url); err != nil {
		return nil, err
	}
	if url == nil {
		return types.StringValue(defaultJitsi), nil
	}
	return types.StringValue(*url), nil
}

// Send sends the URL as JSON.
func (jitsiKind) Send(form *zulip.Form, name string, value attr.Value) {
	if text, ok := value.(types.String); ok {
		form.JSON(name, text.ValueString())
	}
}

// avatarSources are the names of default pictures, and the server's letters for them
// (https://zulip.com/api/register-queue, realm_default_avatar_source).
var avatarSources = map[string]string{"gravatar": "G", "jdenticon": "J"}

// avatarKind is one of avatarSources. A letter that only the server knows is read as it is.
type avatarKind struct{}

// Attribute is a string.
func (avatarKind) Attribute(text settings.SettingText) schema.Attribute {
	return textAttribute(text.Accepting("One of `gravatar`, `jdenticon`."), validators.OneOf(slices.Sorted(maps.Keys(avatarSources))...))
}

// Read accepts any letter.
func (avatarKind) Read(raw json.RawMessage, kept attr.Value) (attr.Value, error) {
	value, err := settings.Text{}.Read(raw, kept)
	for word, letter := range avatarSources {
		if value.Equal(types.StringValue(letter)) {
			value = types.StringValue(word)
		}
	}
	return value, err
}

// Send sends the letter as it is.
func (avatarKind) Send(form *zulip.Form, name string, value attr.Value) {
	if text, ok := value.(types.String); ok {
		form.Text(name, avatarSources[text.ValueString()])
	}
}

// previewSizes are the sizes of previews, in percent.
var previewSizes = []int64{100, 150, 200}

// previewSizeKind is one of previewSizes.
type previewSizeKind struct{ settings.Number }

// Attribute is a number.
func (previewSizeKind) Attribute(text settings.SettingText) schema.Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting("One of `100`, `150`, `200`."),
		Validators:    []validator.Int64{validators.OneOfNumbers(previewSizes...)},
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

// methodsKind is the set of enabled authentication methods.
type methodsKind struct{}

// Attribute is a set of names.
func (methodsKind) Attribute(text settings.SettingText) schema.Attribute {
	return schema.SetAttribute{
		ElementType: types.StringType, Optional: true, Computed: true, MarkdownDescription: text.Accepting(""),
		Validators:    []validator.Set{validators.Size(1, 0)},
		PlanModifiers: []planmodifier.Set{setplanmodifier.UseStateForUnknown()},
	}
}

// Read accepts the methods in the form of every server.
func (methodsKind) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	if raw == nil {
		return types.SetNull(types.StringType), nil
	}
	var methods map[string]zulip.AuthenticationMethod
	if err := json.Unmarshal(raw, &methods); err != nil {
		return nil, err
	}
	on := []attr.Value{}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if methods[name].Enabled {
			on = append(on, types.StringValue(name))
		}
	}
	return types.SetValueMust(types.StringType, on), nil
}

// Send turns methods on, but none off, because only a server knows the others. See [turnOff].
func (methodsKind) Send(form *zulip.Form, name string, value attr.Value) {
	form.JSON(name, turnOff(value, nil))
}

// turnOff returns the values to send for a set of methods: those to turn on, and those to turn off because they are
// on now. The server leaves methods that are not sent unchanged, and refuses a request that turns none on
// (server-behavior §O5).
func turnOff(wanted attr.Value, now map[string]zulip.AuthenticationMethod) map[string]bool {
	methods := map[string]bool{}
	for name, method := range now {
		if method.Enabled {
			methods[name] = false
		}
	}
	for _, name := range organizationTextsOf(wanted) {
		methods[name] = true
	}
	return methods
}

// organizationTextsOf returns the known texts of a set.
func organizationTextsOf(value attr.Value) (texts []string) {
	set, _ := value.(types.Set)
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok && !text.IsUnknown() {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

func textAttribute(description string, checks ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: description, Validators: checks,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}
