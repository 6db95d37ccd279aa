package resourcekit

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Three comparisons of objects as Terraform sees them, whatever attributes they have, stand behind every create and update.

// withoutUnknown returns a value in which null stands for all that is unknown: a state before it is known.
func withoutUnknown(value tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(value, func(_ *tftypes.AttributePath, part tftypes.Value) (tftypes.Value, error) {
		if !part.IsKnown() {
			return tftypes.NewValue(part.Type(), nil), nil
		}
		return part, nil
	})
}

// isFilledIn reports whether nothing but the ID is unknown.
func isFilledIn(value tftypes.Value) bool {
	var attributes map[string]tftypes.Value
	if value.As(&attributes) != nil {
		return false
	}
	for name, attribute := range attributes {
		if name != idAttribute && !attribute.IsFullyKnown() {
			return false
		}
	}
	return true
}

// agrees reports whether current has every planned value that is known, leaving out the attributes except. Null is a value:
// what is unset and managed nevertheless, as an attribute that is not computed.
func agrees(planned, current tftypes.Value, except ...string) bool {
	var plan, has map[string]tftypes.Value
	if planned.As(&plan) != nil || current.As(&has) != nil {
		return false
	}
	for name, value := range plan {
		if value.IsFullyKnown() && !value.Equal(has[name]) && !slices.Contains(except, name) {
			return false
		}
	}
	return true
}

// afterWrite returns the state after a write: the current value, with the planned value of whatever the plan did not
// change. Somebody else may have changed that meanwhile, which is for the next plan to show. conflicts are the attributes
// that the plan changed, and that have another value nevertheless.
func afterWrite(planned, prior, current tftypes.Value) (state tftypes.Value, conflicts []string, err error) {
	var plan, before, after map[string]tftypes.Value
	err = errors.Join(planned.As(&plan), current.As(&after))
	if !prior.IsNull() {
		err = errors.Join(err, prior.As(&before))
	}
	if err != nil {
		return current, nil, err
	}
	for name, value := range plan {
		if name == idAttribute || !value.IsFullyKnown() || value.Equal(after[name]) {
			continue
		}
		if old, ok := before[name]; ok && value.Equal(old) {
			after[name] = value
			continue
		}
		conflicts = append(conflicts, name)
	}
	slices.Sort(conflicts)
	return tftypes.NewValue(current.Type(), after), conflicts, nil
}

// valueOf returns a model as Terraform sees it.
func valueOf[M any](ctx context.Context, s schema.Schema, m *M) (tftypes.Value, diag.Diagnostics) {
	state := tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(ctx), nil)}
	diags := state.Set(ctx, m)
	return state.Raw, diags
}
