package snapshot_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

const (
	engineers = 10
	ada       = 1
)

func groups(members ...int64) *zulip.RegisterAnswer {
	return &zulip.RegisterAnswer{UserGroups: []*zulip.UserGroup{{ID: engineers, Name: "engineers", Members: members}}}
}

func people(active bool) *zulip.RegisterAnswer {
	return &zulip.RegisterAnswer{Users: []*zulip.User{{ID: ada, Email: "ada@example.com", Role: zulip.RoleMember, IsActive: active}}}
}

// take returns a change of facts that stores a part.
func take(read *zulip.RegisterAnswer, part string) func(*snapshot.Facts) {
	return func(facts *snapshot.Facts) { facts.Take(read, part) }
}

// Effective access follows the facts of its own snapshot, even if an earlier snapshot has computed it before.
func TestAccess_LaterSnapshot_OwnFacts(t *testing.T) {
	first := snapshot.New(snapshot.Facts{}, new(runstate.State)).
		With(take(&zulip.RegisterAnswer{Realm: &zulip.Realm{}}, zulip.FetchRealm)).
		With(take(groups(), zulip.FetchUserGroups)).With(take(people(true), zulip.FetchUsers))
	inGroup := func(s *snapshot.Snapshot) int { return s.Access().In(zulip.NamedGroup(engineers)).Len() }
	if inGroup(first) != 0 {
		t.Fatal("someone is in an empty group")
	}
	member := first.With(take(groups(ada), zulip.FetchUserGroups))
	inactive := member.With(take(people(false), zulip.FetchUsers))
	guest := member.With(func(facts *snapshot.Facts) {
		facts.ChangeUser(ada, func(user *zulip.User) { user.Role = zulip.RoleGuest })
	})
	for name, test := range map[string]struct {
		snapshot     *snapshot.Snapshot
		in, areGuest int
	}{
		"the first": {first, 0, 0}, "a member": {member, 1, 0}, "deactivated": {inactive, 0, 0}, "a guest": {guest, 1, 1},
	} {
		if in, guests := inGroup(test.snapshot), test.snapshot.Access().Guests().Len(); in != test.in || guests != test.areGuest {
			t.Errorf("%s: %d in the group, %d guests", name, in, guests)
		}
	}
	if user, _ := member.User(ada); user.Role != zulip.RoleMember {
		t.Error("the change of a later snapshot is in the one before")
	}
}

// Terraform normalizes every name to one Unicode form. An object whose name has another form is found, unless one has
// exactly this form.
func TestNamesInOtherNormalForms(t *testing.T) {
	s := snapshot.New(snapshot.Facts{}, new(runstate.State)).With(func(facts *snapshot.Facts) {
		facts.Take(&zulip.RegisterAnswer{
			UserGroups: []*zulip.UserGroup{{ID: 1, Name: "cafe\u0301"}, {ID: 2, Name: "e\u0301"}, {ID: 3, Name: "é"}},
		}, zulip.FetchUserGroups)
	})
	for name, want := range map[string]int64{"café": 1, "cafe\u0301": 1, "é": 3, "e\u0301": 2} {
		if group, ok := s.UserGroupByName(name); !ok || group.ID != want {
			t.Errorf("%q is %+v", name, group)
		}
	}
}

// Indexes find objects by name, comparing names like the server.
func TestIndexes(t *testing.T) {
	s := snapshot.New(snapshot.Facts{}, new(runstate.State))
	if channel, ok := s.Channels().ByName("general"); ok || channel != nil || len(s.Channels().List()) > 0 {
		t.Error("what was not read is not empty")
	}
	s = s.With(func(facts *snapshot.Facts) {
		facts.Take(&zulip.RegisterAnswer{Channels: []*zulip.Channel{{ID: 1, Name: "General"}, {ID: 2, Name: "old", IsArchived: true}}, DefaultStreams: []int64{1}}, zulip.FetchChannels)
		facts.Take(&zulip.RegisterAnswer{Folders: []*zulip.ChannelFolder{
			{ID: 3, Name: "Teams", Order: 1}, {ID: 4, Name: "Old", IsArchived: true}, {ID: 5, Name: "old", IsArchived: true},
		}}, zulip.FetchFolders)
		facts.Take(groups(), zulip.FetchUserGroups)
	})
	if general, ok := s.Channels().ByName(" gENERAL "); !ok || general.ID != 1 || !general.IsDefault {
		t.Errorf("general is %+v", general)
	}
	if old, ok := s.Channels().ByName("OLD"); !ok || old.IsDefault {
		t.Error("an archived channel keeps its name")
	}
	if _, ok := s.Folders().ByName("old"); ok || !slices.Equal(s.Folders().Names(), []string{"Teams"}) {
		t.Errorf("an archived folder holds a name: %v", s.Folders().Names())
	}
	if folder, ok := s.ArchivedFolder("OLD"); !ok || folder.ID != 5 {
		t.Errorf("the last archived folder is %+v", folder)
	}
	if _, ok := s.UserGroups().ByName("Engineers"); ok {
		t.Error("cases of group names are not told apart")
	}
}

// Names resolve to the objects that the run creates and renames.
func TestPlannedNames_CreatedOrRenamed_Resolved(t *testing.T) {
	run := new(runstate.State)
	s := snapshot.New(snapshot.Facts{}, run).With(take(groups(), zulip.FetchUserGroups)).With(take(people(false), zulip.FetchUsers))
	principals := []permission.Principal{
		{Kind: permission.KindGroup, Name: "writers"}, {Kind: permission.KindUser, Name: "New@example.com"}, {Kind: permission.KindUserID, ID: ada},
	}
	for _, principal := range principals {
		if s.IsPlanned(principal) {
			t.Errorf("%v is planned by nobody", principal)
		}
	}
	run.PlanName(runstate.Group, 0, "writers")
	run.PlanName(runstate.Account, 0, "new@example.com")
	run.PlanName(runstate.Account, ada, "ada@example.com")
	for _, principal := range principals {
		if !s.IsPlanned(principal) {
			t.Errorf("%v is not planned", principal)
		}
	}
	run.PlanName(runstate.Group, engineers, "builders")
	run.PlanName(runstate.Account, ada, "countess@example.com")
	if _, ok := s.UserByAddress("countess@example.com"); ok {
		t.Error("a user who hides the email is found by it")
	}
	if user, ok := s.HiddenUser("countess@example.com"); !ok || user.ID != ada {
		t.Errorf("the hidden email is that of %+v", user)
	}
	s = s.With(func(facts *snapshot.Facts) {
		facts.ChangeUser(ada, func(user *zulip.User) { user.DeliveryEmail = &user.Email })
	})
	if group, ok := s.UserGroupByName("builders"); !ok || group.ID != engineers {
		t.Errorf("builders are %+v", group)
	}
	if group, ok := s.UserGroupByName("engineers"); ok {
		t.Errorf("a name that is given up is that of %+v", group)
	}
	near := s.Nearest(permission.Principal{Kind: permission.KindGroup, Name: "engineers"})
	if want := []permission.Principal{{Kind: permission.KindGroup, Name: "builders"}}; !slices.Equal(near, want) {
		t.Errorf("near the name that is given up: %v", near)
	}
	if names := s.GroupNames(); slices.Contains(names, "engineers") || !slices.Contains(names, "builders") {
		t.Errorf("names of groups: %v", names)
	}
	if user, ok := s.UserByAddress("Countess@example.com"); !ok || user.ID != ada {
		t.Errorf("the new address is that of %+v", user)
	}
}

// The server returns some lists in no order. Theirs is by ID or by name, so that nothing changes because a row moved.
func TestIndexes_UnorderedLists_Sorted(t *testing.T) {
	view := snapshot.New(snapshot.Facts{}, new(runstate.State)).
		With(take(&zulip.RegisterAnswer{Users: []*zulip.User{
			{ID: 9, Email: "cy@example.com", IsActive: true}, {ID: 2, Email: "shared@example.com"}, {ID: 5, Email: "shared@example.com"},
			{ID: 1, Email: "bea@example.com", IsActive: true},
		}}, zulip.FetchUsers)).
		With(take(&zulip.RegisterAnswer{Playgrounds: []*zulip.Playground{{ID: 7, Name: "A"}, {ID: 3, Name: "B"}}}, zulip.FetchPlaygrounds)).
		With(take(&zulip.RegisterAnswer{Domains: []*zulip.Domain{{Domain: "b.example"}, {Domain: "a.example"}}}, zulip.FetchDomains))
	view = view.With(func(facts *snapshot.Facts) {
		facts.PutUser(&zulip.User{ID: 4, Email: "ada@example.com", IsActive: true})
	})

	shared, _ := view.UserByAddress("shared@example.com")
	for name, test := range map[string]struct{ got, want any }{
		"users":       {idsOf(view.Users(), func(u *zulip.User) int64 { return u.ID }), []int64{1, 2, 4, 5, 9}},
		"accounts":    {idsOf(view.Accounts().List(), func(u *zulip.User) int64 { return u.ID }), []int64{1, 2, 4, 5, 9}},
		"addresses":   {view.Addresses(), []string{"bea@example.com", "ada@example.com", "cy@example.com"}},
		"shared":      {shared.ID, int64(5)},
		"playgrounds": {idsOf(view.Playgrounds().List(), func(p *zulip.Playground) int64 { return p.ID }), []int64{3, 7}},
		"domains":     {view.Domains().Names(), []string{"a.example", "b.example"}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}

func idsOf[T any](list []*T, id func(*T) int64) (ids []int64) {
	for _, object := range list {
		ids = append(ids, id(object))
	}
	return ids
}
