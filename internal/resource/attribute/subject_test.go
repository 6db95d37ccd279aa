package attribute_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Old values go along until the server has refused two that it had just shown. That members had come or gone by the time of a
// write is no such refusal.
func TestOldValuesGoAlong(t *testing.T) {
	expectation := &zulip.Error{Status: 400, Code: "EXPECTATION_MISMATCH", Msg: "'old' value does not match the expected value."}
	membership := &zulip.Error{Status: 400, Code: "BAD_REQUEST", Msg: "User 12 is already a member of this group"}
	for name, test := range map[string]struct {
		refusals []error
		want     []bool
	}{
		"none":        {nil, []bool{true}},
		"memberships": {[]error{membership, membership}, []bool{true, true, true}},
		"old values":  {[]error{expectation, expectation}, []bool{true, true, false}},
		"one of each": {[]error{membership, expectation}, []bool{true, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := zulip.New(zulip.Config{Site: "http://127.0.0.1:1", Email: "iago@example.com", APIKey: "k"})
			if err != nil {
				t.Fatal(err)
			}
			var compared []bool
			held, refusals := "before", test.refusals
			subject := attribute.Subject[string, bool]{
				Unread: "the thing", Name: func(string) string { return "the thing" },
				Read: func(context.Context, func(string) bool) (*attribute.Reading[string], error) {
					return &attribute.Reading[string]{Thing: held}, nil
				},
				Write: func(ctx context.Context, send func(context.Context) error) error { return send(ctx) },
				Send: func(_ context.Context, p attribute.Pending[string, bool]) ([]string, error) {
					compared = append(compared, p.Update())
					if len(refusals) > 0 {
						err, refusals = refusals[0], refusals[1:]
						return nil, err
					}
					held = "after"
					return nil, nil
				},
			}
			steps := []attribute.Step[string, bool]{{
				Attribute: "value", Prior: "before", Planned: "after", Current: func(thing string) string { return thing },
				Put: func(update *bool, _ string, compare bool) { *update = compare },
			}}
			var diags diag.Diagnostics
			subject.Change(t.Context(), &base.Base{Meta: &base.Meta{Client: client}}, steps, nil, &diags)
			if diags.HasError() || !slices.Equal(compared, test.want) {
				t.Errorf("old values: %v, want %v; %v", compared, test.want, errors.Join(test.refusals...))
			}
		})
	}
}
