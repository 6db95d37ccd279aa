package validators

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
)

// elements is the common interface of lists and sets.
type elements interface{ Elements() []attr.Value }

func elementsRule(allowed string, problem func([]attr.Value) string) Rule {
	return Rule{allowed, func(value attr.Value) string {
		list, _ := value.(elements)
		return problem(list.Elements())
	}}
}

// Size allows lists and sets with a minimum and maximum number of elements; a maximum of zero is no limit.
func Size(minimum, maximum int) Rule {
	return elementsRule("must have "+atLeastAtMost(minimum, maximum, "element"), func(all []attr.Value) string {
		switch {
		case len(all) >= minimum && (len(all) <= maximum || maximum == 0):
			return ""
		case len(all) == 0:
			return "It is empty."
		}
		return fmt.Sprintf("It has %d.", len(all))
	})
}

// Unique allows lists without repetitions.
func Unique() Rule {
	return elementsRule("must contain each element only once", func(all []attr.Value) string {
		seen := map[string]bool{}
		for _, element := range all {
			if !isSet(element) {
				continue
			}
			if seen[element.String()] {
				return element.String() + " is listed twice."
			}
			seen[element.String()] = true
		}
		return ""
	})
}

// ExactlyOneOf requires that exactly one of some attributes of the root is set. Add it to one of them.
func ExactlyOneOf(names ...string) validator.Int64 { return choice{names, 1, 1} }

// AtMostOneOf requires that no more than one of some attributes of the root is set. Add it to one of them.
func AtMostOneOf(names ...string) validator.Int64 { return choice{names, 0, 1} }

// AtLeastOneOf requires that one or more of some attributes of the root are set. Add it to each of them.
func AtLeastOneOf(names ...string) validator.List { return choice{names, 1, len(names)} }

type choice struct {
	names       []string
	least, most int
}

// summary returns the requirement as the summary of a message.
func (c choice) summary() string {
	text := c.Description(context.Background())
	return strings.ToUpper(text[:1]) + text[1:]
}

func (c choice) Description(context.Context) string {
	switch {
	case c.least == 0:
		return "set at most one of " + strings.Join(c.names, ", ")
	case c.most == 1:
		return "set one of " + strings.Join(c.names, ", ") + ", and only one"
	}
	return "set at least one of " + strings.Join(c.names, ", ")
}

func (c choice) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

// ValidateInt64 counts the attributes that are set.
func (c choice) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if problem := c.problem(ctx, req.Config); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.summary(), problem)
	}
}

// ValidateList counts the attributes that are set.
func (c choice) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if problem := c.problem(ctx, req.Config); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, c.summary(), problem)
	}
}

// problem names the set attributes, if they are too many or none. It returns "" while one of them is not known.
func (c choice) problem(ctx context.Context, config tfsdk.Config) string {
	var set []string
	for _, name := range c.names {
		var value attr.Value
		if diags := config.GetAttribute(ctx, path.Root(name), &value); diags.HasError() || value.IsUnknown() {
			return ""
		}
		if !value.IsNull() {
			set = append(set, name)
		}
	}
	switch {
	case len(set) < c.least:
		return "None of them is set."
	case len(set) > c.most:
		return strings.Join(set, " and ") + " are set. Remove all but one."
	}
	return ""
}

// Person allows the name of a person or bot in a list. instead is a sentence about the fix for a group.
func Person(instead string) Rule {
	return principalRule("must be an email address or a user ID, also as user:EMAIL or user_id:N", permission.PlainUser, instead)
}

// Group allows the name of a group in a list. instead is a sentence about the fix for a person.
func Group(instead string) Rule {
	return principalRule("must be the name or the ID of a group, also as group:NAME or group_id:N", permission.PlainGroup, instead)
}

func principalRule(allowed string, plain func(string) (string, error), instead string) Rule {
	return textRule(allowed, func(text string) string {
		if _, err := plain(text); errors.As(err, new(*permission.OtherListError)) {
			return err.Error() + ". " + instead
		} else if err != nil {
			return err.Error() + "."
		}
		return ""
	})
}

// Duration accepts a positive duration, such as 30s or 2m.
func Duration() Rule {
	return textRule("must be a duration such as 30s or 2m", func(text string) string {
		if ParseDuration(text) > 0 {
			return ""
		}
		return fmt.Sprintf("%q is not a duration.", text)
	})
}

// ParseDuration returns zero for a text that is not a duration.
func ParseDuration(text string) time.Duration {
	duration, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return duration
}

// longestEmail is the maximum length of an email in the server's database (server-behavior §U23).
const longestEmail = 254

// EmailAddress allows one email address. The server would read some other texts as several, or as a name with an
// address.
func EmailAddress() validator.String {
	return Checked("email address", func(text string) error {
		parsed, err := mail.ParseAddress(text)
		if err != nil || parsed.Address != text || len(text) > longestEmail || strings.ContainsAny(text, ",;") || strings.ContainsFunc(text, unicode.IsSpace) {
			return fmt.Errorf("write one email, as in ada@example.com, without a name or white space, and with at most %d characters. It is %.300q. Use for_each for several people", longestEmail, text)
		}
		return nil
	})
}

// CheckEmailLength refuses an email, made of an attribute, that is too long for the server.
func CheckEmailLength(at path.Path, email string, diags *diag.Diagnostics) {
	if len(email) > longestEmail {
		diags.AddAttributeError(at, "The email would be too long", fmt.Sprintf("The email has at most %d characters. With this %s it would have %d.", longestEmail, at, len(email)))
	}
}

// RequireInElements returns a validator that requires attributes in every known element of a list of nested objects.
//
// The schema marks these attributes as optional. The plugin framework would report a required attribute as missing in
// an element that is wholly unknown during validation, such as the result of a conditional expression.
func RequireInElements(attributes ...string) validator.List {
	return requiredInElements{attributes}
}

type requiredInElements struct{ attributes []string }

func (v requiredInElements) Description(context.Context) string {
	return "each element must set " + strings.Join(v.attributes, " and ")
}

func (v requiredInElements) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateList reports missing attributes in the known elements.
func (v requiredInElements) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	for i, element := range req.ConfigValue.Elements() {
		object, ok := element.(types.Object)
		if !ok || object.IsUnknown() {
			continue
		}
		for _, name := range v.attributes {
			if value, has := object.Attributes()[name]; !has || value.IsNull() {
				at := req.Path.AtListIndex(i).AtName(name)
				resp.Diagnostics.AddAttributeError(at, "Missing required attribute", fmt.Sprintf("Set a value for %s: every element requires one.", at))
			}
		}
	}
}
