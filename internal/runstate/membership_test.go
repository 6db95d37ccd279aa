package runstate

import (
	"reflect"
	"testing"
)

func TestPlannedMembership(t *testing.T) {
	var s State
	if _, planned := s.PlannedMembership(1); planned {
		t.Error("a change is known before one is planned")
	}
	s.PlanMembership(1, MembershipChange{Add: []int64{3}})
	s.PlanMembership(1, MembershipChange{Add: []int64{5, 4}, Remove: []int64{6, 7}}) // planned again
	s.PlanMembership(1, MembershipChange{Add: []int64{7}, IsShared: true})
	s.PlanMembership(1, MembershipChange{AddSubgroups: []int64{9}, Unknown: true, IsShared: true})
	got, planned := s.PlannedMembership(1)
	want := MembershipChange{
		Add: []int64{4, 5, 7}, Remove: []int64{6}, AddSubgroups: []int64{9}, Unknown: true, IsShared: true,
	}
	if len(got.RemoveSubgroups) == 0 {
		got.RemoveSubgroups = nil
	}
	if !planned || !reflect.DeepEqual(got, want) {
		t.Errorf("planned: %+v, want %+v", got, want)
	}
}

func TestPlannedAccounts(t *testing.T) {
	var s State
	s.PlanAddress(7, "Old@example.com")
	s.PlanAddress(0, "New@example.com")
	if got := s.PlannedAccounts(); !reflect.DeepEqual(got, []string{"new@example.com"}) {
		t.Errorf("to be created: %v", got)
	}
}
