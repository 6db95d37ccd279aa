package framework_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// What is tested here is compare-and-set itself, over every table of permissions. The things are kept by the test, which
// plays the server; the people and groups are the sandbox's example.

type (
	held    = map[string]zulip.GroupSettingValue
	changes = map[string]zulip.GroupSettingChange
)

// thing is anything that has permissions, and update what changes it.
type (
	thing  struct{ permissions held }
	update struct{ permissions changes }
	step   = framework.Step[*thing, update]
)

var tables = []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations}

// overTables runs a test once for each table.
func overTables(t *testing.T, test func(*testing.T, permission.Table)) {
	for _, table := range tables {
		t.Run(table.Key, func(t *testing.T) { test(t, table) })
	}
}

func part(table permission.Table) framework.Permissions[*thing, update] {
	return framework.Permissions[*thing, update]{
		Table:   table,
		Held:    func(x *thing) map[string]zulip.GroupSettingValue { return x.permissions },
		Changes: func(u *update) *map[string]zulip.GroupSettingChange { return &u.permissions },
	}
}

// model is the attributes of a configuration, a plan or a state.
type model map[string]*types.Set

func newModel(table permission.Table) model {
	m := model{}
	for _, setting := range table.All() {
		null := types.SetNull(types.StringType)
		m[setting.Name] = &null
	}
	return m
}

func (m model) at(setting string) *types.Set { return m[setting] }

// server holds one thing, and answers as it is told to.
type server struct {
	base  *framework.Base
	view  *snapshot.Snapshot
	holds *thing
	sent  []update
	// before and after stand in for what happens to a request before and after it is carried out.
	before, after func(n int) error
	ignores       []string
}

// newServer starts an organization with people and groups, and a thing of one kind with every permission set to the
// administrators.
func newServer(t *testing.T, table permission.Table) *server {
	t.Helper()
	organization, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := organization.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = organization.Close() })
	owner, _ := organization.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: organization.URL(), Email: owner.Email, APIKey: owner.APIKey, MaxRetries: 2})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := store.New(client, self, 442, new(runstate.State))
	view, err := d.Read(context.Background(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		base: &framework.Base{Meta: &framework.Meta{Client: client, Store: d, Server: &zulip.ServerSettings{ZulipFeatureLevel: 442}}},
		view: view, holds: &thing{held{}},
	}
	for _, setting := range table.Settings {
		s.holds.permissions[setting.Name] = s.value(t, "role:administrators")
	}
	return s
}

// value is what principals mean.
func (s *server) value(t rapid.TB, texts ...string) zulip.GroupSettingValue {
	t.Helper()
	principals, known := framework.PrincipalsOf(set(texts...))
	resolved, problems := permission.Resolve(principals, s.view)
	if !known || len(problems) > 0 {
		t.Fatal(texts, problems)
	}
	return resolved.Value
}

func set(texts ...string) types.Set {
	principals := make([]permission.Principal, len(texts))
	for i, text := range texts {
		principals[i], _ = permission.Parse(text)
	}
	return framework.SetOf(principals)
}

func (s *server) subject() framework.Subject[*thing, update] {
	return framework.Subject[*thing, update]{
		Unread: "the thing", Name: func(*thing) string { return "the thing" },
		Read: func(context.Context) (*framework.Reading[*thing], error) {
			return &framework.Reading[*thing]{Thing: s.read(), View: s.view}, nil
		},
		Send: func(_ context.Context, pending framework.Pending[*thing, update]) ([]string, error) {
			s.sent = append(s.sent, pending.Update())
			return s.ignores, s.carryOut(pending.Update())
		},
	}
}

func (s *server) read() *thing { return &thing{maps.Clone(s.holds.permissions)} }

// carryOut does as a server does: it compares every old value, and keeps all or nothing.
func (s *server) carryOut(u update) error {
	if s.before != nil {
		switch err := s.before(len(s.sent)); {
		case errors.Is(err, errDropped):
			return nil
		case err != nil:
			return err
		}
	}
	for setting, change := range u.permissions {
		if change.Old != nil && !permission.Equal(*change.Old, s.holds.permissions[setting], permission.NobodyID(s.view)) {
			return mismatch()
		}
	}
	for setting, change := range u.permissions {
		s.holds.permissions[setting] = change.New
	}
	if s.after != nil {
		return s.after(len(s.sent))
	}
	return nil
}

func mismatch() error {
	return &zulip.Error{Method: http.MethodPatch, Path: "/thing", Status: http.StatusBadRequest, Code: "EXPECTATION_MISMATCH", Msg: "'old' value does not match the expected value."}
}

// drawSet draws principals that people write, in any form.
func drawSet(t *rapid.T, s *server, label string) types.Set {
	words := []string{"role:members", "role:moderators", "role:nobody", "group:sre", "group:leads", "user:lena.fischer@example.com", "user:kenji.sato@example.com"}
	texts := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 0, 3, rapid.ID[string]).Draw(t, label)
	for i, text := range texts {
		if rapid.Bool().Draw(t, "by number") {
			texts[i] = s.numbered(t, text)
		}
	}
	return set(texts...)
}

// numbered writes a principal by its number.
func (s *server) numbered(t rapid.TB, text string) string {
	value := s.value(t, text)
	if value.IsNamed() {
		return fmt.Sprintf("group_id:%d", value.Group)
	}
	return fmt.Sprintf("user_id:%d", value.DirectMembers[0])
}

// drawPlan draws a plan of some of the permissions, and gives the thing values to start from.
func drawPlan(t *rapid.T, s *server, table permission.Table) model {
	plan := newModel(table)
	for _, setting := range table.Settings {
		principals, _ := framework.PrincipalsOf(drawSet(t, s, setting.Name+" is"))
		resolved, _ := permission.Resolve(principals, s.view)
		s.holds.permissions[setting.Name] = resolved.Value
		if rapid.Bool().Draw(t, "managed") {
			*plan.at(setting.Name) = drawSet(t, s, setting.Name+" becomes")
		}
	}
	return plan
}

func (s *server) means(set types.Set, value zulip.GroupSettingValue) bool {
	principals, _ := framework.PrincipalsOf(set)
	resolved, _ := permission.Resolve(principals, s.view)
	return permission.Equal(resolved.Value, value, permission.NobodyID(s.view))
}

func TestLawOnlyWhatDiffersIsSentWithWhatWasSeen(t *testing.T) {
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

func TestLawWhatSomebodyElseChangedIsNotOverwritten(t *testing.T) {
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
			owners := s.value(t, "role:owners") // nobody plans or holds it
			s.holds.permissions[hit] = owners
			var diags diag.Diagnostics
			s.subject().Change(context.Background(), s.base, steps, nil, &diags)
			if len(s.sent) > 0 {
				t.Fatalf("sent %v", s.sent)
			}
			if len(diags) != 1 || diags[0].Summary() != "The thing was changed by somebody else after it was planned" ||
				!strings.Contains(diags[0].Detail(), hit+"\n  the plan saw: ") || !strings.Contains(diags[0].Detail(), `it is now:    "role:owners"`) {
				t.Fatal(diags)
			}
		})
	})
}

func TestLawTheWordsOfTheStateStandForTheirValues(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		rapid.Check(t, func(t *rapid.T) {
			config := drawPlan(t, s, table)
			state := newModel(table)
			framework.PermissionSets(state.at).Read(table, s.holds.permissions, s.view)
			saw := framework.PermissionSets(state.at).Prior(table, nil, s.view)
			for _, setting := range table.Settings {
				if !permission.Equal(saw[setting.Name], s.holds.permissions[setting.Name], permission.NobodyID(s.view)) {
					t.Fatalf("%s reads %v, and stands for %v", setting.Name, s.holds.permissions[setting.Name], saw[setting.Name])
				}
			}
			// A plan says something else than the state exactly where it means something else.
			plan := maps.Clone(config)
			for name, set := range config {
				copied := *set
				plan[name] = &copied
			}
			framework.PermissionPlan{Table: table, Config: config.at, Plan: plan.at, State: state.at, Prior: saw, View: s.view}.KeepEqual()
			for _, setting := range table.Settings {
				planned := *plan.at(setting.Name)
				if same := planned.Equal(*state.at(setting.Name)); !planned.IsNull() && same != s.means(planned, s.holds.permissions[setting.Name]) {
					t.Fatalf("%s: %v is held, %v planned", setting.Name, s.holds.permissions[setting.Name], planned)
				}
			}
		})
	})
}

// toSRE is the change of one permission of each kind of thing, from the administrators to a group.
func toSRE(s *server, table permission.Table) (setting string, steps []step) {
	setting = table.Settings[1].Name
	plan := newModel(table)
	*plan.at(setting) = set("group:sre")
	steps, _ = part(table).Steps(s.read().permissions, nil, plan.at, s.view)
	return setting, steps
}

// errLost is an answer that never came.
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
		says          string // of an error; empty: it succeeds
	}{
		"an answer is lost after the write":       {after: once(errLost), requests: 1},
		"a request is lost before the write":      {before: once(errLost), requests: 2},
		"the server never answers":                {before: func(int) error { return errLost }, requests: 3, says: "does not take the change"},
		"the server does not know the setting":    {ignores: []string{"it"}, before: func(int) error { return errDropped }, requests: 1, says: "The server ignores it: it is too old for it"},
		"the server drops the setting every time": {before: func(int) error { return errDropped }, requests: 2, says: "stays so when it is set to"},
		"the server refuses": {before: func(int) error {
			return &zulip.Error{Method: http.MethodPatch, Path: "/thing", Status: http.StatusBadRequest, Msg: "Insufficient permission"}
		}, requests: 1, says: `"Insufficient permission"`},
		"the server refuses the old value four times": {before: func(int) error { return mismatch() }, requests: 4, says: "does not take the change"},
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

// errDropped is how the test's server forgets what it was sent, and says that all is well.
var errDropped = errors.New("dropped")

// A list may hide somebody deactivated, whom the server counts when it compares: after two refusals around a value that
// does not change, it is written without an old value.
func TestChangeOfAListThatHidesSomebody(t *testing.T) {
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

// A value in a form that the server never stores shows that it hides somebody: it is not compared in vain at all.
func TestChangeOfAValueThatShowsItHidesSomebody(t *testing.T) {
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

func TestPermissionPlanRefuses(t *testing.T) {
	overTables(t, func(t *testing.T, table permission.Table) {
		s := newServer(t, table)
		for _, setting := range table.Settings {
			for words, want := range map[string]string{
				"role:internet": "Not allowed for " + setting.Name,
				"group:srr":     `"group:srr" is not in the organization`,
			} {
				plan := newModel(table)
				*plan.at(setting.Name) = set(words)
				var diags diag.Diagnostics
				framework.PermissionPlan{Table: table, Config: plan.at, Plan: plan.at, View: s.view}.Check(&diags)
				if len(diags) != 1 || diags[0].Summary() != want {
					t.Errorf("%s = %s: %v", setting.Name, words, diags)
				}
			}
		}
	})
}
