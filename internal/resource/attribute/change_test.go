package attribute_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

func TestLawChange_DifferingAttributes_SentOnly(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		rapid.Check(t, func(t *rapid.T) {
			s.sent = nil
			plan := drawPlan(t, s, table)
			before := s.read()
			steps, problems := part(table).Steps(before.permissions, nil, plan.at, s.view)
			var diags diag.Diagnostics
			now := s.subject().Change(context.Background(), s.base, steps, nil, &diags)
			if len(problems) > 0 || diags.HasError() {
				t.Fatal(problems, diags)
			}
			written := changes{}
			for _, one := range s.sent {
				maps.Copy(written, one.permissions)
			}
			for _, setting := range table.Settings {
				planned, was, is := *plan.at(setting.Name), before.permissions[setting.Name], now.Thing.permissions[setting.Name]
				change, sent := written[setting.Name]
				wanted := !planned.IsNull() && !s.means(planned, was)
				switch {
				case sent != wanted:
					t.Fatalf("%s: sent is %v, from %v to %v", setting.Name, sent, was, planned)
				case sent && (change.Old == nil || !permission.Equal(*change.Old, was, permission.NobodyID(s.view))):
					t.Fatalf("%s: the old value is %v, not %v", setting.Name, change.Old, was)
				case wanted && !s.means(planned, is), !wanted && !permission.Equal(was, is, permission.NobodyID(s.view)):
					t.Fatalf("%s is %v, planned %v", setting.Name, is, planned)
				}
			}
			if len(s.sent) > 1 {
				t.Fatalf("%d requests", len(s.sent))
			}
		})
	})
}

func TestLawChange_ChangedSincePlan_NotOverwritten(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		rapid.Check(t, func(t *rapid.T) {
			s.sent = nil
			plan := drawPlan(t, s, table)
			steps, _ := part(table).Steps(s.read().permissions, nil, plan.at, s.view)
			if len(steps) == 0 {
				t.Skip("nothing to do")
			}
			hit := rapid.SampledFrom(steps).Draw(t, "hit").Attribute
			owners := s.value(t, "role:owners") // no plan and no server has this value
			s.holds.permissions[hit] = owners
			var diags diag.Diagnostics
			s.subject().Change(context.Background(), s.base, steps, nil, &diags)
			if len(s.sent) > 0 {
				t.Fatalf("sent %v", s.sent)
			}
			if len(diags) != 1 || diags[0].Summary() != "The thing was changed after the plan was made" ||
				!strings.Contains(diags[0].Detail(), hit+"\n  when the plan was made:     ") || !strings.Contains(diags[0].Detail(), `now:                        "role:owners"`) {
				t.Fatal(diags)
			}
		})
	})
}

func TestLawChange_StateTexts_SameValues(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		rapid.Check(t, func(t *rapid.T) {
			config := drawPlan(t, s, table)
			state := newModel(table)
			attribute.Sets(state.at).Read(table, s.holds.permissions, s.view)
			saw := attribute.Sets(state.at).Complete(table, nil, s.view)
			for _, setting := range table.Settings {
				if !permission.Equal(saw[setting.Name], s.holds.permissions[setting.Name], permission.NobodyID(s.view)) {
					t.Fatalf("%s reads %v, and stands for %v", setting.Name, s.holds.permissions[setting.Name], saw[setting.Name])
				}
			}
			// A plan shows a change of a value exactly if the meaning changes.
			plan := maps.Clone(config)
			for name, set := range config {
				copied := *set
				plan[name] = &copied
			}
			attribute.PermissionPlan{Table: table, Config: config.at, Plan: plan.at, State: state.at, Prior: saw, View: s.view}.KeepEqual()
			for _, setting := range table.Settings {
				planned := *plan.at(setting.Name)
				if same := planned.Equal(*state.at(setting.Name)); !planned.IsNull() && same != s.means(planned, s.holds.permissions[setting.Name]) {
					t.Fatalf("%s: %v is held, %v planned", setting.Name, s.holds.permissions[setting.Name], planned)
				}
			}
		})
	})
}

// toSRE changes one permission of each kind of object, from the administrators to a group.
func toSRE(s *server, table permission.Table) (setting string, steps []step) {
	setting = table.Settings[1].Name
	plan := newModel(table)
	*plan.at(setting) = set("group:sre")
	steps, _ = part(table).Steps(s.read().permissions, nil, plan.at, s.view)
	return setting, steps
}

// errLost is the error of a lost answer.
var errLost = &zulip.Error{Method: http.MethodPatch, Path: "/thing", Status: http.StatusBadGateway, Msg: "Bad Gateway"}

func TestChangeUnderFaults(t *testing.T) {
	once := func(err error) func(int) error {
		return func(n int) error {
			if n == 1 {
				return err
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		before, after func(int) error
		ignores       []string
		requests      int
		says          string // of an error; empty for success
	}{
		"an answer is lost after the write":       {after: once(errLost), requests: 1},
		"a request is lost before the write":      {before: once(errLost), requests: 2},
		"the server never answers":                {before: func(int) error { return errLost }, requests: 3, says: "did not accept the change"},
		"the server does not know the setting":    {ignores: []string{"it"}, before: func(int) error { return errDropped }, requests: 1, says: "The server ignores it: it is too old for it"},
		"the server drops the setting every time": {before: func(int) error { return errDropped }, requests: 2, says: "after the provider set it to"},
		"the server refuses": {before: func(int) error {
			return &zulip.Error{Method: http.MethodPatch, Path: "/thing", Status: http.StatusBadRequest, Msg: "Insufficient permission"}
		}, requests: 1, says: `"Insufficient permission"`},
		"the server refuses the old value four times": {before: func(int) error { return mismatch() }, requests: 4, says: "did not accept the change"},
	} {
		t.Run(name, func(t *testing.T) {
			overTables(t, func(t *testing.T, table permission.Table) {
				s := newServer(t, table)
				setting, steps := toSRE(s, table)
				s.before, s.after, s.ignores = test.before, test.after, test.ignores
				var diags diag.Diagnostics
				synctest.Test(t, func(t *testing.T) {
					s.subject().Change(t.Context(), s.base, steps, nil, &diags)
				})
				if len(s.sent) != test.requests {
					t.Errorf("%d requests, not %d", len(s.sent), test.requests)
				}
				if test.says == "" && (diags.HasError() || !s.means(set("group:sre"), s.holds.permissions[setting])) {
					t.Error(diags)
				}
				if test.says != "" && (len(diags) != 1 || !strings.Contains(diags[0].Summary()+diags[0].Detail(), test.says)) {
					t.Error(diags)
				}
			})
		})
	}
}

// errDropped makes the test's server drop a change and report success.
var errDropped = errors.New("dropped")

// A list may hide a deactivated user whom the server counts when it compares. After two refusals of an unchanged old
// value, the provider sends the new value without an old one.
func TestChange_HiddenUserInList_Written(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		setting := table.Settings[1].Name
		s.holds.permissions[setting] = s.value(t, "group:leads", "user:lena.fischer@example.com")
		_, steps := toSRE(s, table)
		s.before = func(n int) error {
			if s.sent[n-1].permissions[setting].Old != nil {
				return mismatch()
			}
			return nil
		}
		var diags diag.Diagnostics
		s.subject().Change(t.Context(), s.base, steps, nil, &diags)
		if diags.HasError() || len(s.sent) != 3 || !s.means(set("group:sre"), s.holds.permissions[setting]) {
			t.Error(len(s.sent), diags)
		}
	})
}

// A value in a form that the server never stores hides a deactivated user. The provider does not send it as an old
// value at all.
func TestChange_HiddenUserShown_NotCompared(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		setting := table.Settings[1].Name
		s.holds.permissions[setting] = zulip.GroupSettingValue{DirectSubgroups: []int64{s.value(t, "group:leads").Group}}
		_, steps := toSRE(s, table)
		var diags diag.Diagnostics
		s.subject().Change(t.Context(), s.base, steps, nil, &diags)
		if diags.HasError() || len(s.sent) != 1 || s.sent[0].permissions[setting].Old != nil {
			t.Error(s.sent, diags)
		}
	})
}

func TestPermissionPlan_NotAllowed_Refused(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		for _, setting := range table.Settings {
			for words, want := range map[string]string{
				"role:internet": "Not allowed for " + setting.Name,
				"group:srr":     `User group "srr" is not in the organization`,
			} {
				plan := newModel(table)
				*plan.at(setting.Name) = set(words)
				var diags diag.Diagnostics
				attribute.PermissionPlan{Table: table, Config: plan.at, Plan: plan.at, View: s.view}.Check(&diags)
				if len(diags) != 1 || diags[0].Summary() != want {
					t.Errorf("%s = %s: %v", setting.Name, words, diags)
				}
			}
		}
	})
}

// changeText changes an object that is a text. send executes a request.
func changeText(t *testing.T, held *string, send func(change.Pending[string, bool]) error, steps []change.Step[string, bool]) (diags diag.Diagnostics) {
	t.Helper()
	client, err := zulip.New(zulip.Config{Site: "http://127.0.0.1:1", Email: "iago@example.com", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	subject := change.Subject[string, bool]{
		NameBefore: "the thing", Name: func(string) string { return "the thing" },
		Read: func(context.Context, func(string) bool) (*change.Reading[string], error) {
			return &change.Reading[string]{Thing: *held}, nil
		},
		Send: func(_ context.Context, pending change.Pending[string, bool]) ([]string, error) {
			return nil, send(pending)
		},
	}
	subject.Change(t.Context(), &base.Base{Meta: &base.Meta{Client: client, Store: store.New(client, &zulip.User{}, 442, new(runstate.State))}}, steps, nil, &diags)
	return diags
}

// The provider sends old values until the server has refused two that it had just shown. A refusal because the
// members changed before the write does not count.
func TestChange_OldValues_SentUntilRefused(t *testing.T) {
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
			var compared []bool
			held, refusals := "before", test.refusals
			send := func(p change.Pending[string, bool]) (err error) {
				compared = append(compared, p.Update())
				if len(refusals) > 0 {
					err, refusals = refusals[0], refusals[1:]
					return err
				}
				held = "after"
				return nil
			}
			steps := []change.Step[string, bool]{{
				Attribute: "value", Prior: "before", Planned: "after", Current: func(thing string) string { return thing },
				Put: func(update *bool, _ string, compare bool) { *update = compare },
			}}
			diags := changeText(t, &held, send, steps)
			if diags.HasError() || !slices.Equal(compared, test.want) {
				t.Errorf("old values: %v, want %v; %v", compared, test.want, errors.Join(test.refusals...))
			}
		})
	}
}

// A refusal of a change that someone has since made is no error. The rest is sent, if there is any.
func TestChange_RefusedButDone_RestSent(t *testing.T) {
	refusal := &zulip.Error{Status: 400, Code: "BAD_REQUEST", Msg: "Invalid user ID: 50"}
	for name, test := range map[string]struct {
		meanwhile string // the object after the refusal: a letter for each step that it shows
		sent      int
		fails     bool
	}{
		"all": {"ab", 1, false}, "somebody": {"a", 2, false}, "nothing": {"", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			held, sent := "", 0
			send := func(change.Pending[string, bool]) error {
				if sent++; sent == 1 {
					held = test.meanwhile
					return refusal
				}
				held = "ab"
				return nil
			}
			var steps []change.Step[string, bool]
			for _, letter := range []string{"a", "b"} {
				steps = append(steps, change.Step[string, bool]{
					Attribute: letter, Prior: "no", Planned: "yes", Put: func(*bool, string, bool) {},
					Current: func(thing string) string {
						if strings.Contains(thing, letter) {
							return "yes"
						}
						return "no"
					},
				})
			}
			diags := changeText(t, &held, send, steps)
			if diags.HasError() != test.fails || sent != test.sent {
				t.Errorf("sent %d times, want %d; %v", sent, test.sent, diags)
			}
		})
	}
}
