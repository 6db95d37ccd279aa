package settings

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

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/validators"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Flag is on or off.
type Flag struct{}

// Attribute is a bool.
func (Flag) Attribute(text SettingText) schema.Attribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(""),
		PlanModifiers: []planmodifier.Bool{boolplanmodifier.UseStateForUnknown()},
	}
}

// Read takes true or false.
func (Flag) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	flag, err := read[bool](raw)
	return types.BoolPointerValue(flag), err
}

// Send sends it as JSON.
func (Flag) Send(form *zulip.Form, name string, value attr.Value) {
	if flag, ok := value.(types.Bool); ok {
		form.JSON(name, flag.ValueBool())
	}
}

// Number is a whole number between two others, both included.
type Number struct{ Min, Max int64 }

// Attribute is a number.
func (k Number) Attribute(text SettingText) schema.Attribute {
	return schema.Int64Attribute{
		Optional: true, Computed: true, MarkdownDescription: text.Accepting(fmt.Sprintf("From %d to %d.", k.Min, k.Max)),
		Validators:    []validator.Int64{validators.Between(k.Min, k.Max)},
		PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()},
	}
}

// Read takes any number.
func (Number) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := read[int64](raw)
	return types.Int64PointerValue(number), err
}

// Send sends it as JSON.
func (Number) Send(form *zulip.Form, name string, value attr.Value) {
	if number, ok := value.(types.Int64); ok {
		form.JSON(name, number.ValueInt64())
	}
}

// Text is a text of at most so many characters; zero: as many as one likes.
type Text struct{ MaxLength int }

// Attribute is a string.
func (k Text) Attribute(text SettingText) schema.Attribute {
	if k.MaxLength == 0 {
		return textAttribute(text.Accepting(""))
	}
	attribute := textAttribute(text.Accepting(fmt.Sprintf("At most %d characters.", k.MaxLength)))
	attribute.Validators = []validator.String{validators.Length(0, k.MaxLength)}
	return attribute
}

// Read takes any text.
func (Text) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	text, err := read[string](raw)
	return types.StringPointerValue(text), err
}

// Send sends it as it is.
func (Text) Send(form *zulip.Form, name string, value attr.Value) {
	if text, ok := value.(types.String); ok {
		form.Text(name, text.ValueString())
	}
}

// Word is one of some words, which the server has too: `Word{"always", "never"}`. A word that only the server knows is read as it is.
type Word []string

// Attribute is a string.
func (k Word) Attribute(text SettingText) schema.Attribute {
	return wordAttribute(text, k, "")
}

// Read takes any word.
func (Word) Read(raw json.RawMessage, kept attr.Value) (attr.Value, error) {
	return Text{}.Read(raw, kept)
}

// Send sends it as it is.
func (Word) Send(form *zulip.Form, name string, value attr.Value) {
	Text{}.Send(form, name, value)
}

// Coded is one of some words, for each of which the server has a number. A number that only the server knows is read as its
// digits.
type Coded []Code

// Code is a word, and the number for it.
type Code struct {
	Word   string
	Number int
	// FeatureLevel is the first at which the server has it, if that is later than the setting. [WithLevels] sets it.
	FeatureLevel int
}

// Attribute is a string.
func (k Coded) Attribute(text SettingText) schema.Attribute {
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
func (k Coded) Read(raw json.RawMessage, _ attr.Value) (attr.Value, error) {
	number, err := read[int](raw)
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
func (k Coded) Send(form *zulip.Form, name string, value attr.Value) {
	if code, ok := k.of(value); ok {
		form.JSON(name, code.Number)
	}
}

func (k Coded) of(value attr.Value) (Code, bool) {
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

// read decodes what the server holds; nil if it is null, or the server has no such setting.
func read[T any](raw json.RawMessage) (*T, error) {
	if raw == nil {
		return nil, nil
	}
	var value *T
	err := json.Unmarshal(raw, &value)
	return value, err
}
