package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// invalid returns an error for each null element of a list, set or map, and for each number or text that the server's
// database can't store. It checks every attribute of every block here, so that no schema needs to. block is the kind of a block
// and its type, as in "data zulip_users". A plan and an invocation check again, because values may be known then.
func (s *protocolServer) invalid(ctx context.Context, block string, config *tfprotov6.DynamicValue) (problems []*tfprotov6.Diagnostic) {
	kind, ok := s.readSchemas(ctx).configs[block]
	if !ok || config == nil {
		return nil
	}
	value, err := config.Unmarshal(kind)
	if err != nil {
		return nil // the framework reports it
	}
	_ = tftypes.Walk(value, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		if detail := mistake(at, value); detail != "" {
			problems = append(problems, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Attribute: at, Summary: "Invalid value for " + attributeName(at), Detail: detail,
			})
		}
		return true, nil
	})
	slices.SortFunc(problems, func(a, b *tfprotov6.Diagnostic) int { return strings.Compare(a.Summary, b.Summary) })
	return problems
}

// mistake describes the mistake in the value at a place; "" if there is none.
func mistake(at *tftypes.AttributePath, value tftypes.Value) string {
	if value.IsNull() {
		remedy := "[for x in LIST : x if x != null]"
		switch at.LastStep().(type) {
		case tftypes.ElementKeyString:
			remedy = "{for k, v in MAP : k => v if v != null}"
		case tftypes.AttributeName, nil:
			return ""
		}
		return fmt.Sprintf("%s must not contain null. Remove the element, for example with %s.", attributeName(at.WithoutLastStep()), remedy)
	}
	var text string
	if value.IsKnown() && value.Type().Is(tftypes.String) && value.As(&text) == nil {
		if before, _, found := strings.Cut(text, "\x00"); found { // server-behavior §R30
			return fmt.Sprintf("%s has a null byte (\\u0000) at position %d. The server can't store it. Remove it.", attributeName(at), utf8.RuneCountInString(before)+1)
		}
		return ""
	}
	number := new(big.Float)
	if !value.IsKnown() || !value.Type().Is(tftypes.Number) || value.As(&number) != nil {
		return ""
	}
	if whole, accuracy := number.Int64(); accuracy == big.Exact && whole >= math.MinInt32 && whole <= math.MaxInt32 {
		return ""
	}
	return fmt.Sprintf("%s must be a whole number between %d and %d. It is %s.", attributeName(at), math.MinInt32, math.MaxInt32, number.Text('g', 20))
}

// attributeName returns a path in the form of a configuration. An element of a set has no position.
func attributeName(at *tftypes.AttributePath) string {
	name := ""
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			name += "." + string(step)
		case tftypes.ElementKeyInt:
			name += fmt.Sprintf("[%d]", int64(step))
		case tftypes.ElementKeyString:
			name += fmt.Sprintf("[%q]", string(step))
		}
	}
	return strings.TrimPrefix(name, ".")
}
