package attribute_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/change"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These tests cover compare-and-set for every table of permissions. The test stores the objects and plays the server;
// the people and groups are the sandbox's example.

type (
	held    = map[string]zulip.GroupSettingValue
	changes = map[string]zulip.GroupSettingChange
)

// thing is an object with permissions, and update a change of it.
type (
	thing  struct{ permissions held }
	update struct{ permissions changes }
	step   = change.Step[*thing, update]
)

var tables = []permission.Table{permission.Channels, permission.UserGroups, permission.Organizations}

// overTables runs a test once for each table.
func overTables(t *testing.T, test func(*testing.T, permission.Table)) {
	for _, table := range tables {
		t.Run(table.Key, func(t *testing.T) { test(t, table) })
	}
}

func part(table permission.Table) attribute.Permissions[*thing, update] {
	return attribute.Permissions[*thing, update]{
		Table:   table,
		Values:  func(x *thing) map[string]zulip.GroupSettingValue { return x.permissions },
		Changes: func(u *update) *map[string]zulip.GroupSettingChange { return &u.permissions },
	}
}

// model has the attributes of a configuration, a plan or a state.
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

// server has one object, and gives the answers of the test.
type server struct {
	base  *base.Base
	view  *snapshot.Snapshot
	holds *thing
	sent  []update
	// before and after run before and after a request is executed.
	before, after func(n int) error
	ignores       []string
}

// newServer starts an organization with people and groups, and an object of one kind with every permission set to the
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
		base: &base.Base{Meta: &base.Meta{Client: client, Store: d, Server: &zulip.ServerSettings{ZulipFeatureLevel: 442}}},
		view: view, holds: &thing{held{}},
	}
	for _, setting := range table.Settings {
		s.holds.permissions[setting.Name] = s.value(t, "role:administrators")
	}
	return s
}

// value returns the value of principals.
func (s *server) value(t rapid.TB, texts ...string) zulip.GroupSettingValue {
	t.Helper()
	principals, known := attribute.PrincipalsOf(set(texts...))
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
	return attribute.SetOf(principals)
}

func (s *server) subject() change.Subject[*thing, update] {
	return change.Subject[*thing, update]{
		NameBefore: "the thing", Name: func(*thing) string { return "the thing" },
		Read: func(context.Context, func(*thing) bool) (*change.Reading[*thing], error) {
			return &change.Reading[*thing]{Thing: s.read(), View: s.view}, nil
		},
		Send: func(_ context.Context, pending change.Pending[*thing, update]) ([]string, error) {
			s.sent = append(s.sent, pending.Update())
			return s.ignores, s.carryOut(pending.Update())
		},
	}
}

func (s *server) read() *thing { return &thing{maps.Clone(s.holds.permissions)} }

// carryOut executes an update like the server: it compares every old value, and stores all changes or none.
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

// drawSet draws principals of a configuration, in any form.
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

// numbered returns a principal by its ID.
func (s *server) numbered(t rapid.TB, text string) string {
	value := s.value(t, text)
	if value.IsNamed() {
		return fmt.Sprintf("group_id:%d", value.Group)
	}
	return fmt.Sprintf("user_id:%d", value.DirectMembers[0])
}

// drawPlan draws a plan of some of the permissions, and sets initial values of the object.
func drawPlan(t *rapid.T, s *server, table permission.Table) model {
	plan := newModel(table)
	for _, setting := range table.Settings {
		principals, _ := attribute.PrincipalsOf(drawSet(t, s, setting.Name+" is"))
		resolved, _ := permission.Resolve(principals, s.view)
		s.holds.permissions[setting.Name] = resolved.Value
		if rapid.Bool().Draw(t, "managed") {
			*plan.at(setting.Name) = drawSet(t, s, setting.Name+" becomes")
		}
	}
	return plan
}

func (s *server) means(set types.Set, value zulip.GroupSettingValue) bool {
	principals, _ := attribute.PrincipalsOf(set)
	resolved, _ := permission.Resolve(principals, s.view)
	return permission.Equal(resolved.Value, value, permission.NobodyID(s.view))
}
