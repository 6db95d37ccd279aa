package runstate

import (
	"slices"
	"testing"
)

// Conflicting roles in two resources are found in either order.
func TestRoles_AnyOrder_Compared(t *testing.T) {
	moderators := RoleList{Role: "moderator", Users: []AccountKey{{ID: 1}, {ID: 2, Email: "b@example.com"}, {Email: "New@example.com"}}, IsWhole: true}
	open := moderators
	open.IsWhole = false
	for name, test := range map[string]struct {
		account AccountKey
		role    SaidRole
		list    RoleList
		agrees  bool
	}{
		"the same":                        {AccountKey{ID: 1}, SaidRole{Role: "moderator"}, moderators, true},
		"another role of who is listed":   {AccountKey{ID: 1}, SaidRole{Role: "guest"}, moderators, false},
		"the role, of who is not":         {AccountKey{ID: 4}, SaidRole{Role: "moderator"}, moderators, false},
		"of who may still be":             {AccountKey{ID: 4}, SaidRole{Role: "moderator"}, open, true},
		"someone else":                    {AccountKey{ID: 4}, SaidRole{Role: "guest"}, moderators, true},
		"new, and listed":                 {AccountKey{Email: "new@Example.com"}, SaidRole{Role: "moderator"}, moderators, true},
		"new, and listed otherwise":       {AccountKey{Email: "new@example.com"}, SaidRole{Role: "guest"}, moderators, false},
		"new, and not listed":             {AccountKey{Email: "other@example.com"}, SaidRole{Role: "moderator"}, moderators, false},
		"created before the list is read": {AccountKey{Email: "b@example.com"}, SaidRole{Role: "moderator"}, moderators, true},
		"created after the list was read": {AccountKey{ID: 9, Email: "new@example.com"}, SaidRole{Role: "moderator"}, moderators, true},
		"another ID with a listed email":  {AccountKey{ID: 9, Email: "b@example.com"}, SaidRole{Role: "moderator"}, moderators, false},
		"returns and is listed":           {AccountKey{ID: 1}, SaidRole{Role: "guest", IsReturn: true}, moderators, true},
		"returns and is not listed":       {AccountKey{ID: 4}, SaidRole{Role: "moderator", IsReturn: true}, moderators, false},
	} {
		t.Run(name, func(t *testing.T) {
			var first, last State
			test.role.Account = test.account
			others, _, isFirst := first.Roles.List(test.list)
			if len(others) > 0 || !isFirst {
				t.Fatalf("others: %v, first: %t", others, isFirst)
			}
			if other, ok := first.Roles.Say(test.role); ok != test.agrees || !ok && other.List != "moderator" {
				t.Errorf("after the list: %+v, %t", other, ok)
			}
			if _, ok := last.Roles.Say(test.role); !ok {
				t.Error("nobody has said anything")
			}
			if others, _, _ := last.Roles.List(test.list); slices.Contains(others, test.role) == test.agrees {
				t.Errorf("before the list: %v", others)
			}
		})
	}
	var run State
	if _, ok := run.Roles.Say(SaidRole{Account: AccountKey{ID: 1}, Role: "guest"}); !ok {
		t.Error("the first is refused")
	}
	for role, want := range map[string]bool{"guest": true, "member": false} {
		if other, ok := run.Roles.Say(SaidRole{Account: AccountKey{ID: 1}, Role: role}); ok != want || other != (RoleConflict{}) {
			t.Errorf("%s again: %+v, %t", role, other, ok)
		}
	}
}

// Destroying a resource must not change the role of a user in a list.
func TestRoles_Destroyed_ListedKept(t *testing.T) {
	list := RoleList{Role: "moderator", Users: []AccountKey{{ID: 1}}, IsWhole: true}
	for _, test := range []struct {
		id     int64
		role   string
		agrees bool
	}{{1, "member", false}, {1, "moderator", true}, {2, "member", true}} {
		var first, last State
		first.Roles.List(list)
		if other, ok := first.Roles.End(test.id, test.role); ok != test.agrees || !ok && other.List != "moderator" {
			t.Errorf("%+v after the list: %+v, %t", test, other, ok)
		}
		last.Roles.End(test.id, test.role)
		if _, ending, _ := last.Roles.List(list); (len(ending) == 0) != test.agrees {
			t.Errorf("%+v before the list: %v", test, ending)
		}
	}
}

// Destroying a resource must not change the role that another resource of the account sets.
func TestRoles_Destroyed_SetElsewhere(t *testing.T) {
	for _, test := range []struct {
		said   SaidRole
		agrees bool
	}{
		{SaidRole{Account: AccountKey{ID: 1}, Role: "moderator"}, false}, {SaidRole{Account: AccountKey{ID: 1}, Role: "member"}, true},
		{SaidRole{Account: AccountKey{ID: 1}, Role: "moderator", IsReturn: true}, true},
		{SaidRole{Account: AccountKey{ID: 1}, Role: "moderator", TakesOver: true}, true}, {SaidRole{Account: AccountKey{ID: 2}, Role: "moderator"}, true},
	} {
		var first, last State
		first.Roles.Say(test.said)
		if other, ok := first.Roles.End(1, "member"); ok != test.agrees || other != (RoleConflict{}) {
			t.Errorf("%+v, then its end: %+v, %t", test.said, other, ok)
		}
		last.Roles.End(1, "member")
		if other, ok := last.Roles.Say(test.said); ok != test.agrees || !ok && other.Ending != "member" {
			t.Errorf("the end, then %+v: %+v, %t", test.said, other, ok)
		}
	}
}

// A role has one list. Terraform plans a replaced list with its state and without.
func TestRoles_SecondList_Refused(t *testing.T) {
	list := func(role string, isNew bool, user int64) RoleList {
		return RoleList{Role: role, Users: []AccountKey{{ID: user}}, IsWhole: true, IsNew: isNew}
	}
	for name, test := range map[string]struct {
		first, second   RoleList
		isFirst, agrees bool
	}{
		"two new ones":                 {list("owner", true, 1), list("owner", true, 1), false, true},
		"two that are there":           {list("owner", false, 1), list("owner", false, 1), false, true},
		"one that is replaced":         {list("owner", false, 1), list("owner", true, 1), true, true},
		"a new one beside another":     {list("owner", false, 1), list("owner", true, 2), false, true},
		"of two roles":                 {list("owner", true, 1), list("moderator", true, 2), true, true},
		"of two roles, with one in it": {list("owner", true, 1), list("moderator", true, 1), true, false},
	} {
		for order, both := range map[string][]RoleList{"as written": {test.first, test.second}, "reversed": {test.second, test.first}} {
			var run State
			run.Roles.List(both[0])
			if others, _, isFirst := run.Roles.List(both[1]); isFirst != test.isFirst || (len(others) == 0) != test.agrees {
				t.Errorf("%s, %s: others %v, first %t", name, order, others, isFirst)
			}
		}
	}
}
