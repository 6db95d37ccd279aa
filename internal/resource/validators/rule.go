// Package validators checks the values of attributes during validation, without a server. Its messages name the
// attribute, the allowed values and the nearest one. terraform-plugin-framework-validators has most of the same
// checks but not these messages. This package knows no resource.
package validators

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// Rule is a validator whose message names the attribute, the allowed values, and the mistake. The functions of this
// file return rules for texts and numbers; those for lists and sets are in lists.go.
type Rule struct {
	// allowed completes a sentence that begins with the name of the attribute, as in "must be at least 1".
	allowed string
	// problem describes the mistake in a known value, and the nearest allowed value if there is one; empty if the value
	// is allowed.
	problem func(attr.Value) string
}

var (
	_ validator.String = Rule{}
	_ validator.Int64  = Rule{}
	_ validator.List   = Rule{}
	_ validator.Set    = Rule{}
)

// Description returns the allowed values.
func (r Rule) Description(context.Context) string { return r.allowed }

// MarkdownDescription returns the allowed values.
func (r Rule) MarkdownDescription(context.Context) string { return r.allowed }

// ValidateString checks a text.
func (r Rule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	r.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// ValidateInt64 checks a number.
func (r Rule) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	r.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// ValidateList checks a list.
func (r Rule) ValidateList(_ context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	r.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

// ValidateSet checks a set.
func (r Rule) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	r.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (r Rule) check(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	if !isSet(value) {
		return
	}
	if problem := r.problem(value); problem != "" {
		name := attributeName(at)
		diags.AddAttributeError(at, "Invalid value for "+name, fmt.Sprintf("%s %s. %s", name, r.allowed, problem))
	}
}

// attributeName returns a path in the form of a configuration. An element of a set has no position.
func attributeName(at path.Path) string {
	return slices.DeleteFunc(at.Steps(), func(step path.PathStep) bool {
		_, isOfSet := step.(path.PathStepElementKeyValue)
		return isOfSet
	}).String()
}

func textRule(allowed string, problem func(text string) string) Rule {
	return Rule{allowed, func(value attr.Value) string {
		text, _ := value.(types.String)
		return problem(text.ValueString())
	}}
}

func numberRule(allowed string, nearest func(number int64) int64) Rule {
	return Rule{allowed, func(value attr.Value) string {
		number, _ := value.(types.Int64)
		if near := nearest(number.ValueInt64()); near != number.ValueInt64() {
			return fmt.Sprintf("It is %d. The nearest allowed value is %d.", number.ValueInt64(), near)
		}
		return ""
	}}
}

// Matches allows the texts that a pattern matches. allowed describes them, as in "must not be blank".
func Matches(pattern *regexp.Regexp, allowed string) Rule {
	return textRule(allowed, func(text string) string {
		if pattern.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("It is %q.", text)
	})
}

// webAddress matches a URL. Servers refuse white space and control characters in one.
var webAddress = regexp.MustCompile(`^https?://[^\s\p{Z}\p{Cc}/]+[^\s\p{Z}\p{Cc}]*$`)

// URL allows URLs like an example, and some further words.
func URL(example string, words ...string) Rule {
	allowed := strings.Join(append([]string{"must be a URL like " + example}, suggest.Names{}.Quoted(words)...), " or ")
	return textRule(allowed+", without white space", func(text string) string {
		if webAddress.MatchString(text) || slices.Contains(words, text) {
			return ""
		}
		return fmt.Sprintf("It is %q.", text)
	})
}

// OneOf allows some texts.
func OneOf(texts ...string) Rule {
	names := suggest.Names{All: texts}
	return textRule("must be one of "+strings.Join(names.Quoted(texts), ", "), func(text string) string {
		if slices.Contains(texts, text) {
			return ""
		}
		return fmt.Sprintf("It is %q.", text) + suggest.DidYouMean(names.Quoted(suggest.Nearest(text, texts)))
	})
}

// countPattern matches a number of up to nine digits, the maximum of the server's database.
var (
	countPattern = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	withUnit     = regexp.MustCompile(`^0*([0-9]{1,9})[ _]*([A-Za-z]*)$`)
)

// Count allows a number of units as a text, which are "days", "minutes" or "seconds", and some further words.
func Count(units string, words ...string) Rule {
	allowed := append([]string{"a number of " + units + " from 1 to 999999999"}, suggest.Names{}.Quoted(words)...)
	last := len(allowed) - 1
	return textRule("must be "+strings.Join(allowed[:last], ", ")+" or "+allowed[last], func(text string) string {
		if countPattern.MatchString(text) || slices.Contains(words, text) {
			return ""
		}
		return fmt.Sprintf("It is %q.", text) + meantCount(text, units, words)
	})
}

// unlimited is the word for no limit.
const unlimited = "unlimited"

// secondsOf are the units of times. Months and years have no fixed number of days.
var secondsOf = map[string]int64{
	"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 604800, "week": 604800,
}

// meantCount suggests a correction for a text that Count refuses. It never suggests another time than the written
// one, because a shorter retention deletes messages.
func meantCount(text, units string, words []string) string {
	if found := withUnit.FindStringSubmatch(text); found != nil && found[1] != "0" {
		number, _ := strconv.ParseInt(found[1], 10, 64) // nine digits
		unit, isKnown := secondsOf[singular(found[2])]
		one := secondsOf[singular(units)]
		if found[2] == "" {
			unit, isKnown = one, true
		}
		if meant := strconv.FormatInt(number*unit/one, 10); isKnown && number*unit%one == 0 && countPattern.MatchString(meant) {
			return fmt.Sprintf(" Write %q.", meant)
		}
		return ""
	}
	// 0 and -1 mean no limit in many programs, and -1 also in Zulip's API.
	if _, err := strconv.ParseFloat(text, 64); err == nil && slices.Contains(words, unlimited) {
		return fmt.Sprintf(" For no limit, write %q.", unlimited)
	}
	return suggest.DidYouMean(suggest.Names{}.Quoted(suggest.Nearest(text, words)))
}

// singular returns the singular of a unit.
func singular(unit string) string {
	unit = strings.ToLower(unit)
	if len(unit) > 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return unit
}

// Length allows texts with a minimum and maximum length; a maximum of zero is no limit.
func Length(minimum, maximum int) Rule {
	allowed := "must have " + atLeastAtMost(minimum, maximum, "character")
	return textRule(allowed, func(text string) string {
		switch length := utf8.RuneCountInString(text); {
		case length >= minimum && (length <= maximum || maximum == 0):
			return ""
		case length == 0:
			return "It is empty."
		default:
			return fmt.Sprintf("It has %d.", length)
		}
	})
}

// atLeastAtMost returns a text about a minimum and maximum number; a maximum of zero is no limit.
func atLeastAtMost(minimum, maximum int, one string) string {
	switch {
	case maximum == 0 && minimum == 1:
		return "at least 1 " + one
	case maximum == 0:
		return fmt.Sprintf("at least %d %ss", minimum, one)
	case minimum == 0:
		return fmt.Sprintf("at most %d %ss", maximum, one)
	}
	return fmt.Sprintf("between %d and %d %ss", minimum, maximum, one)
}

// Between allows the numbers from one to another.
func Between(minimum, maximum int64) Rule {
	return numberRule(fmt.Sprintf("must be between %d and %d", minimum, maximum), func(number int64) int64 {
		return min(max(number, minimum), maximum)
	})
}

// AtLeast allows a number and all greater ones.
func AtLeast(minimum int64) Rule {
	return numberRule(fmt.Sprintf("must be at least %d", minimum), func(number int64) int64 { return max(number, minimum) })
}

// OneOfNumbers allows some numbers, which are ascending.
func OneOfNumbers(numbers ...int64) Rule {
	texts := make([]string, len(numbers))
	for i, number := range numbers {
		texts[i] = strconv.FormatInt(number, 10)
	}
	return numberRule("must be one of "+strings.Join(texts, ", "), func(number int64) int64 {
		near := numbers[0]
		for _, allowed := range numbers {
			if distance(allowed, number) < distance(near, number) {
				near = allowed
			}
		}
		return near
	})
}

func distance(a, b int64) int64 { return max(a, b) - min(a, b) }

// IDOr allows the ID of an object, and one number that means no object. what is a text like "the ID of a channel".
func IDOr(what string, none int64) Rule {
	return Rule{fmt.Sprintf("must be %s, or %d for none", what, none), func(value attr.Value) string {
		number, _ := value.(types.Int64)
		if number.ValueInt64() > 0 || number.ValueInt64() == none {
			return ""
		}
		return fmt.Sprintf("It is %d. For none, write %d.", number.ValueInt64(), none)
	}}
}

// isSet reports whether a value is neither null nor unknown.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }
