package framework

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/featurelevel"
	"github.com/zulip-iac/terraform-provider-zulip/internal/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// FlagSetting is on or off.
type FlagSetting struct{}

// Attribute is a bool.
func (FlagSetting) Attribute(text SettingText) schema.Attribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(""),
		PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
	}
}

// Read takes true or false.
func (FlagSetting) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	flag, err := readSetting[bool](raw)
	return types.BoolPointerValue(flag), err
}

// Send sends it as JSON.
func (FlagSetting) Send(form *zulip.Form, name string, value attr.Value) {
	if flag, ok := value.(types.Bool); ok {
		form.JSON(name, flag.ValueBool())
	}
}

// NumberSetting is a whole number between two others, both included.
type NumberSetting struct{ Min, Max int64 }

// Attribute is a number.
func (k NumberSetting) Attribute(text SettingText) schema.Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(fmt.Sprintf("From %d to %d.", k.Min, k.Max)),
		Validators:    []validator.Int64{validators.Between(k.Min, k.Max)},
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

// Read takes any number.
func (NumberSetting) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := readSetting[int64](raw)
	return types.Int64PointerValue(number), err
}

// Send sends it as JSON.
func (NumberSetting) Send(form *zulip.Form, name string, value attr.Value) {
	if number, ok := value.(types.Int64); ok {
		form.JSON(name, number.ValueInt64())
	}
}

// TextSetting is a text of at most so many characters; zero: as many as one likes.
type TextSetting struct{ MaxLength int }

// Attribute is a string.
func (k TextSetting) Attribute(text SettingText) schema.Attribute {
	if k.MaxLength == 0 {
		return textAttribute(text.Accepting(""))
	}
	attribute := textAttribute(text.Accepting(fmt.Sprintf("At most %d characters.", k.MaxLength)))
	attribute.Validators = []validator.String{validators.Length(0, k.MaxLength)}
	return attribute
}

// Read takes any text.
func (TextSetting) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	text, err := readSetting[string](raw)
	return types.StringPointerValue(text), err
}

// Send sends it as it is.
func (TextSetting) Send(form *zulip.Form, name string, value attr.Value) {
	if text, ok := value.(types.String); ok {
		form.Text(name, text.ValueString())
	}
}

// WordSetting is one of some words, which the server has too. A word that only the server knows is read as it is.
type WordSetting []string

// Attribute is a string.
func (k WordSetting) Attribute(text SettingText) schema.Attribute {
	return wordAttribute(text, k, "")
}

// Read takes any word.
func (WordSetting) Read(raw json.RawMessage, kept attr.Value) (attr.Value, error) {
	return TextSetting{}.Read(raw, kept)
}

// Send sends it as it is.
func (WordSetting) Send(form *zulip.Form, name string, value attr.Value) {
	TextSetting{}.Send(form, name, value)
}

// CodeSetting is one of some words, for which the server has numbers. A number that only the server knows is read as its
// digits.
type CodeSetting []Code

// Code is a word, and the number for it.
type Code struct {
	Word   string
	Number int
	// FeatureLevel is the first at which the server has it, if that is later than the setting. [SettingsOf] sets it.
	FeatureLevel int
}

// Attribute is a string.
func (k CodeSetting) Attribute(text SettingText) schema.Attribute {
	words, newer := make([]string, len(k)), ""
	for i, code := range k {
		words[i] = code.Word
		if code.FeatureLevel > 0 {
			newer += fmt.Sprintf(" %#q needs %s.", code.Word, featurelevel.Describe(code.FeatureLevel))
		}
	}
	return wordAttribute(text, words, newer)
}

// Read takes any number.
func (k CodeSetting) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := readSetting[int](raw)
	if number == nil {
		return types.StringNull(), err
	}
	for _, code := range k {
		if code.Number == *number {
			return types.StringValue(code.Word), nil
		}
	}
	return types.StringValue(strconv.Itoa(*number)), nil
}

// Send sends the number as JSON.
func (k CodeSetting) Send(form *zulip.Form, name string, value attr.Value) {
	if code, ok := k.of(value); ok {
		form.JSON(name, code.Number)
	}
}

func (k CodeSetting) of(value attr.Value) (Code, bool) {
	text, _ := value.(types.String)
	for _, code := range k {
		if code.Word == text.ValueString() {
			return code, true
		}
	}
	return Code{}, false
}

func textAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, MarkdownDescription: description,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func wordAttribute(text SettingText, words []string, newer string) schema.StringAttribute {
	attribute := textAttribute(text.Accepting("One of `" + strings.Join(words, "`, `") + "`." + newer))
	attribute.Validators = []validator.String{validators.OneOf(words...)}
	return attribute
}

// readSetting decodes what the server holds; nil if it is null, or the server has no such setting.
func readSetting[T any](raw json.RawMessage) (*T, error) {
	if raw == nil {
		return nil, nil
	}
	var value *T
	err := json.Unmarshal(raw, &value)
	return value, err
}
