package validators

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// elements is what lists and sets have in common.
type elements interface{ Elements() []attr.Value }

func elementsRule(allowed string, problem func([]attr.Value) string) Rule {
	return Rule{allowed, func(value attr.Value) string {
		list, _ := value.(elements)
		return problem(list.Elements())
	}}
}

// Size allows lists and sets of at least and at most so many elements; a maximum of zero is none.
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

// NoNulls allows lists and sets without null.
func NoNulls() Rule {
	return elementsRule("must not hold null", func(all []attr.Value) string {
		for i, element := range all {
			if element.IsNull() {
				return fmt.Sprintf("Element %d of %d is null. Leave it out, as in [for x in LIST : x if x != null].", i+1, len(all))
			}
		}
		return ""
	})
}

// Unique allows lists in which nothing is twice.
func Unique() Rule {
	return elementsRule("must name each element once", func(all []attr.Value) string {
		seen := map[string]bool{}
		for _, element := range all {
			if !isSet(element) {
				continue
			}
			if seen[element.String()] {
				return element.String() + " is there twice."
			}
			seen[element.String()] = true
		}
		return ""
	})
}

// ExactlyOneOf requires that one of some attributes of the root is set, and no other. It goes to one of them.
func ExactlyOneOf(names ...string) validator.Int64 { return choice{names: names, exactly: true} }

// AtLeastOneOf requires that one of some attributes of the root is set, or several. It goes to each of them.
func AtLeastOneOf(names ...string) validator.List { return choice{names: names} }

type choice struct {
	names   []string
	exactly bool
}

// summary says what is required, as the summary of a message.
func (c choice) summary() string {
	text := c.Description(context.Background())
	return strings.ToUpper(text[:1]) + text[1:]
}

// Description says what is required.
func (c choice) Description(context.Context) string {
	if c.exactly {
		return "set one of " + strings.Join(c.names, ", ") + ", and only one"
	}
	return "set at least one of " + strings.Join(c.names, ", ")
}

// MarkdownDescription says what is required.
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

// problem says which attributes are set, if they are too many or none. Nothing is concluded while one is not known.
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
	case len(set) == 0:
		return "None of them is set."
	case len(set) > 1 && c.exactly:
		return strings.Join(set, " and ") + " are set. Remove all but one."
	}
	return ""
}
