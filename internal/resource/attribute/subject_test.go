package attribute_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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

// A refusal of what has come about meanwhile is none: what is left is sent, and if nothing is, nothing.
func TestRefusedForWhatHasComeAbout(t *testing.T) {
	refusal := &zulip.Error{Status: 400, Code: "BAD_REQUEST", Msg: "Invalid user ID: 50"}
	for name, test := range map[string]struct {
		meanwhile string // what the thing is after the refusal: a letter for each step that it shows
		sent      int
		fails     bool
	}{
		"all": {"ab", 1, false}, "somebody": {"a", 2, false}, "nothing": {"", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := zulip.New(zulip.Config{Site: "http://127.0.0.1:1", Email: "iago@example.com", APIKey: "k"})
			if err != nil {
				t.Fatal(err)
			}
			held, sent := "", 0
			subject := attribute.Subject[string, bool]{
				Unread: "the thing", Name: func(string) string { return "the thing" },
				Read: func(context.Context, func(string) bool) (*attribute.Reading[string], error) {
					return &attribute.Reading[string]{Thing: held}, nil
				},
				Write: func(ctx context.Context, send func(context.Context) error) error { return send(ctx) },
				Send: func(context.Context, attribute.Pending[string, bool]) ([]string, error) {
					if sent++; sent == 1 {
						held = test.meanwhile
						return nil, refusal
					}
					held = "ab"
					return nil, nil
				},
			}
			var steps []attribute.Step[string, bool]
			for _, letter := range []string{"a", "b"} {
				steps = append(steps, attribute.Step[string, bool]{
					Attribute: letter, Prior: "no", Planned: "yes", Put: func(*bool, string, bool) {},
					Current: func(thing string) string {
						if strings.Contains(thing, letter) {
							return "yes"
						}
						return "no"
					},
				})
			}
			var diags diag.Diagnostics
			subject.Change(t.Context(), &base.Base{Meta: &base.Meta{Client: client}}, steps, nil, &diags)
			if diags.HasError() != test.fails || sent != test.sent {
				t.Errorf("sent %d times, want %d; %v", sent, test.sent, diags)
			}
		})
	}
}
