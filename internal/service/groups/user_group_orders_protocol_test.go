package groups_test

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// Runs of several resources about user groups, planned and applied in every order that their references allow, with a fault at
// every request of the apply and a change by hand before it. What must never happen is that somebody is taken out of a group or
// let into one whom no plan lists, or that the account can no longer manage what it managed.

// A runOfMany is what a configuration says before and after, of an organization in which only owners manage all groups. The account
// is tomas, an administrator.
type runOfMany struct {
	before, after []part
	// want is who is in each group in the end.
	want map[string][]string
	// dependsOnOrder says that the apply has to stop in some orders: what another resource puts right first is not predicted.
	dependsOnOrder bool
	// hand is what somebody changes in groups between plan and apply.
	hand map[string]handChange
}

// A handChange is who is added to a group by hand, and who is removed.
type handChange struct{ add, remove string }

const paul = "paul.dubois@example.com"

func many() map[string]runOfMany {
	own := "user:" + tomas
	group := func(name string, refersTo []string, config values) part {
		config["name"] = name
		if config["can_manage_group"] == nil {
			config["can_manage_group"] = listed(own)
		}
		return part{name, groupType, says(config), refersTo}
	}
	added := func(name, group string, members ...any) part {
		return part{name, membershipType, says(values{"group": group, "members": members}), nil}
	}
	gone := func(one part) part { return part{one.name, one.kind, nil, one.refersTo} }
	person := part{"person", "zulip_user", says(values{"email": kenji, "full_name": "Kenji Sato"}), nil}

	return map[string]runOfMany{
		"a person leaves the code and groups": {
			before: []part{person, group("ops", nil, values{"members": listed(kenji, lena)}), group("net", nil, values{}), added("in", "net", kenji, amara)},
			after:  []part{gone(person), group("ops", nil, values{"members": listed(lena)}), added("in", "net", amara)},
			want:   map[string][]string{"ops": {lena}, "net": {amara}},
			hand:   map[string]handChange{"net": {paul, amara}},
		},
		"the managers of a group go, who manage another": {
			before: []part{group("managers", nil, values{"members": listed(tomas, lena)}), group("press", nil, values{"can_manage_group": listed("group:managers"), "members": listed(lena)})},
			after:  []part{group("managers", nil, values{"members": listed(lena)}), group("press", nil, values{"can_manage_group": listed(own), "members": listed(lena, ines)})},
			want:   map[string][]string{"managers": {lena}, "press": {lena, ines}}, dependsOnOrder: true,
			hand: map[string]handChange{"press": {paul, ""}, "managers": {amara, ""}},
		},
		"a membership ends by which the account manages": {
			before: []part{group("managers", nil, values{"members": nil}), added("in", "managers", tomas, lena), group("press", nil, values{"can_manage_group": listed("group:managers")})},
			after:  []part{gone(added("in", "managers")), group("deputies", nil, values{"members": listed(tomas)}), group("press", []string{"deputies"}, values{"can_manage_group": listed("group:deputies")})},
			want:   map[string][]string{"managers": {}, "press": {}, "deputies": {tomas}}, dependsOnOrder: true,
			hand: map[string]handChange{"managers": {paul, ""}},
		},
		"one membership takes over from another": {
			before: []part{group("ops", nil, values{}), added("a", "ops", lena, kenji), added("b", "ops", amara)},
			after:  []part{gone(added("a", "ops")), added("b", "ops", amara, lena), added("c", "ops", kenji)},
			want:   map[string][]string{"ops": {amara, lena, kenji}},
			hand:   map[string]handChange{"ops": {paul, amara}},
		},
		"two groups change places": {
			before: []part{group("inner", nil, values{"subgroups": listed(), "members": listed(lena)}), group("outer", []string{"inner"}, values{"subgroups": listed("inner")})},
			after:  []part{group("outer", nil, values{"subgroups": listed(), "members": listed(kenji)}), group("inner", nil, values{"subgroups": listed("outer"), "members": listed(lena)})},
			want:   map[string][]string{"outer": {kenji}, "inner": {lena}}, dependsOnOrder: true,
			hand: map[string]handChange{"outer": {paul, ""}},
		},
		"a new group in a group, and who is added to both": {
			before: []part{group("ops", nil, values{"subgroups": listed("role:moderators")}), added("in", "ops", lena)},
			after: []part{
				group("fresh", nil, values{"members": listed(kenji), "can_mention_group": listed("group:fresh")}),
				group("ops", []string{"fresh"}, values{"subgroups": listed("fresh", "role:moderators")}), added("in", "ops", lena, amara),
			},
			want: map[string][]string{"ops": {lena, amara}, "fresh": {kenji}},
			hand: map[string]handChange{"ops": {paul, ""}},
		},
	}
}

// faults are what happens to one request of an apply.
var orderFaults = []string{"status=429 1 retry-after=0", "before status=503 1", "after status=503 1", "after drop 1"}

func TestProtocolUserGroupOrders(t *testing.T) {
	var tried, kept atomic.Int32
	t.Run("orders", func(t *testing.T) {
		for name, one := range many() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				start := prepare(t, one)
				all := orders(one.after)
				requests := 0
				try := func(order int, byHand bool, fault string) {
					tried.Add(1)
					what := fmt.Sprint(order, " ", byHand, " ", fault)
					if t.Run(what, func(t *testing.T) {
						requests = max(requests, start.try(t, one, all[(2*order+1)%len(all)], all[order%len(all)], byHand, fault))
					}) {
						kept.Add(1)
					}
				}
				for order := range all {
					try(order, false, "")
					try(order, true, "")
				}
				for position, next := 0, 0; position < requests && !testing.Short(); position++ {
					for _, fault := range orderFaults {
						try(next, next/len(all)%2 == 1, fmt.Sprint("* ** ", fault, " skip=", position))
						next++
					}
				}
			})
		}
	})
	if got := tried.Load(); got < 200 && !testing.Short() {
		t.Errorf("%d schedules are too few", got)
	}
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "orders of groups and memberships: %d schedules, %d kept the promise\n", tried.Load(), kept.Load())
	})
}

// prepared is an organization in a file, with the configuration before applied, and the state.
type prepared struct {
	file   string
	states map[string]*acctest.Instance
}

func prepare(t *testing.T, one runOfMany) prepared {
	t.Helper()
	file := filepath.Join(t.TempDir(), "organization")
	o := acctest.NewSandbox(t, sandbox.Config{StatePath: file})
	o.Call(t, "PATCH", "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
	s := byAdmin(t, o)
	for _, kind := range one.before {
		if kind.kind == "zulip_user" {
			s.take(kind.name, kind.kind, kenji)
		}
	}
	plans, diags := s.plan(one.before...)
	diags.ExpectNoError(t)
	s.apply(plans, one.before...).ExpectNoError(t)
	return prepared{file, s.states}
}

func byAdmin(t *testing.T, o *acctest.Organization) *several {
	t.Helper()
	s := newSeveral(t, o)
	admin, _ := o.Sandbox.Credentials("admin")
	s.block = o.Block(values{"email": admin.Email, "api_key": admin.APIKey, "access_warnings": false})
	return s
}

// try plans one run in one order and applies it in another, and returns how many requests the apply made.
func (start prepared) try(t *testing.T, one runOfMany, planned, order []part, byHand bool, fault string) (requests int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "organization")
	content, err := os.ReadFile(start.file)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := acctest.NewSandbox(t, sandbox.Config{StatePath: file})
	s := byAdmin(t, o)
	s.states = maps.Clone(start.states)
	before := o.Sandbox.Organization().Groups()
	plans, diags := s.plan(planned...)
	diags.ExpectNoError(t)
	if byHand {
		for group, change := range one.hand {
			members(t, o, group, zulip.MembershipChange{Add: someIDs(t, o, change.add), Delete: someIDs(t, o, change.remove)})
		}
	}
	if fault != "" {
		fail(t, o, fault)
	}
	sent := o.Sent()
	diags = s.apply(plans, order...)
	requests = len(sent.Requests())
	if !byHand && !one.dependsOnOrder {
		diags.ExpectNoError(t)
	}
	hand := one.hand
	if !byHand {
		hand = nil
		s.checkState(one.after)
	}
	checkPromise(t, before, o.Sandbox.Organization().Groups(), listing(plans), hand)

	// What is left is planned and applied, in another order, until there is nothing to do.
	for attempt := 0; ; attempt++ {
		order = slices.Clone(order)
		slices.Reverse(order)
		order = orders(order)[0]
		before := o.Sandbox.Organization().Groups()
		plans, diags := s.plan(order...)
		diags.ExpectNoError(t)
		if !slices.ContainsFunc(slices.Collect(maps.Values(plans)), func(plan *acctest.PlannedChange) bool { return !plan.Empty() }) {
			break
		}
		if attempt == 3 {
			t.Fatal("there is always something to do")
		}
		s.apply(plans, order...)
		checkPromise(t, before, o.Sandbox.Organization().Groups(), listing(plans), nil)
	}
	s.checkState(one.after)
	for group, people := range one.want {
		if byHand && one.hand[group].add != "" && !one.isExclusive(group) {
			people = append(slices.Clone(people), one.hand[group].add)
		}
		if now, _ := o.Sandbox.Organization().Group(group); !slices.Equal(now.Members, slices.Sorted(slices.Values(people))) {
			t.Errorf("in the end %v are in %q, not %v", now.Members, group, people)
		}
	}
	return requests
}

func someIDs(t *testing.T, o *acctest.Organization, address string) []int64 {
	t.Helper()
	if address == "" {
		return nil
	}
	return ids(t, o, address)
}

// isExclusive reports whether a group's own resource lists its members in the end.
func (r runOfMany) isExclusive(group string) bool {
	return slices.ContainsFunc(r.after, func(one part) bool { return one.name == group && one.configured()["members"] != nil })
}

// configured is what the configuration says, without what it refers to.
func (p part) configured() values {
	if p.config == nil {
		return values{}
	}
	return p.config(nil)
}

// A listed change is who leaves and who comes into each group, as plans list it.
type listedChange struct{ leave, come map[string]map[string]bool }

const everyGroup = ""

func listing(plans map[string]*acctest.PlannedChange) listedChange {
	all := listedChange{map[string]map[string]bool{}, map[string]map[string]bool{}}
	note := func(in map[string]map[string]bool, group string, those, without any) {
		if in[group] == nil {
			in[group] = map[string]bool{}
		}
		others, _ := without.([]any)
		some, _ := those.([]any)
		for _, one := range some {
			if !slices.Contains(others, one) {
				in[group][fmt.Sprint(one)] = true
			}
		}
	}
	for _, plan := range plans {
		was, is := values{}, plan.Values
		if plan.Prior != nil {
			was = plan.Prior.Values
		}
		if address, isUser := was["email"].(string); isUser {
			note(all.leave, everyGroup, []any{address}, nil)
			continue
		}
		for _, list := range []string{"members", "subgroups"} {
			for _, name := range []string{"name", "group"} {
				if group, ok := was[name].(string); ok {
					note(all.leave, group, was[list], is[list])
				}
				if group, ok := is[name].(string); ok {
					note(all.come, group, is[list], was[list])
				}
			}
		}
	}
	return all
}

// checkPromise fails the test if somebody has left a group or come into one whom no plan lists and nobody changed by hand, if
// what was changed by hand was overwritten, or if the account cannot manage a group any more.
func checkPromise(t *testing.T, before, now []sandbox.GroupView, plans listedChange, hand map[string]handChange) {
	t.Helper()
	find := func(groups []sandbox.GroupView, name string) sandbox.GroupView {
		i := slices.IndexFunc(groups, func(group sandbox.GroupView) bool { return group.Name == name })
		if i < 0 {
			return sandbox.GroupView{}
		}
		return groups[i]
	}
	for _, group := range now {
		if group.System {
			continue
		}
		was := find(before, group.Name)
		wasIn, isIn := append(slices.Clone(was.Members), was.Subgroups...), append(slices.Clone(group.Members), group.Subgroups...)
		for _, one := range wasIn {
			if !slices.Contains(isIn, one) && !plans.leave[group.Name][one] && !plans.leave[everyGroup][one] && hand[group.Name].remove != one {
				t.Errorf("%s is not in %q any more, and no plan said so", one, group.Name)
			}
		}
		for _, one := range isIn {
			if !slices.Contains(wasIn, one) && !plans.come[group.Name][one] && hand[group.Name].add != one {
				t.Errorf("%s is in %q, and no plan said so", one, group.Name)
			}
		}
		if change := hand[group.Name]; change.add != "" && !slices.Contains(isIn, change.add) || change.remove != "" && slices.Contains(isIn, change.remove) {
			t.Errorf("what was changed by hand in %q was overwritten: %v are in it", group.Name, isIn)
		}
		if was.ID != 0 && admits(before, was.Permissions["can_manage_group"]) && !admits(now, group.Permissions["can_manage_group"]) {
			t.Errorf("the account cannot manage %q any more: %v", group.Name, group.Permissions["can_manage_group"])
		}
	}
}

// admits reports whether principals admit the account, among groups.
func admits(groups []sandbox.GroupView, principals []string) bool {
	if slices.Contains(principals, "user:"+tomas) {
		return true
	}
	return slices.ContainsFunc(groups, func(group sandbox.GroupView) bool {
		if !slices.Contains(principals, "group:"+group.Name) {
			return false
		}
		below := make([]string, len(group.Subgroups))
		for i, name := range group.Subgroups {
			below[i] = "group:" + name
		}
		return slices.Contains(group.Members, tomas) || admits(groups, below)
	})
}

// checkState fails the test if the state says anything that is managed otherwise than the organization has it.
func (s *several) checkState(parts []part) {
	s.t.Helper()
	for _, one := range parts {
		state := s.states[one.name]
		if state == nil || one.kind == "zulip_user" {
			continue
		}
		name, _ := state.Values["name"].(string)
		if one.kind == membershipType {
			name, _ = state.Values["group"].(string)
		}
		group, _ := s.o.Sandbox.Organization().Group(name)
		has := values{"members": group.Members, "subgroups": group.Subgroups, "can_manage_group": group.Permissions["can_manage_group"], "can_mention_group": group.Permissions["can_mention_group"]}
		for attribute := range one.configured() {
			now, compared := has[attribute].([]string)
			if !compared {
				continue
			}
			var says []string
			for _, element := range sorted(state.Values[attribute]) {
				if text := fmt.Sprint(element); attribute != "members" || s.isActive(text) {
					says = append(says, text)
				}
			}
			isAll := one.kind == groupType
			if isAll && !slices.Equal(says, now) || !isAll && slices.ContainsFunc(says, func(text string) bool { return !slices.Contains(now, text) }) {
				s.t.Errorf("%s: the state of %q says %v, and the organization has %v", attribute, one.name, says, now)
			}
		}
	}
}

func (s *several) isActive(address string) bool {
	person, ok := s.o.Sandbox.Organization().Person(address)
	return ok && person.Active
}
