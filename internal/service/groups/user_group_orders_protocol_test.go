package groups_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// These tests apply several resources with user groups in every order, with changes outside Terraform and with faults.
// Only members that a plan lists may be added or removed, and the account must keep the permission to manage its groups.

// part is a resource whose configuration references no other resource; nil if it is not in the configuration.
func part(name, kind string, config values) acctest.Entry {
	one := acctest.Entry{Name: name, Kind: kind}
	if config != nil {
		one.Config = acctest.Fixed(config)
	}
	return one
}

// A groupChange is a configuration that changes, in an organization in which only owners manage all groups. The account is tomas,
// an administrator.
type groupChange struct {
	before, after []acctest.Entry
	// want are the final members of each group.
	want map[string][]string
	// dependsOnOrder is true if the apply must stop in some orders, because the plan does not predict what another
	// resource fixes first.
	dependsOnOrder bool
	// hand are the changes of groups between plan and apply.
	hand map[string]handChange
}

// A handChange is a member added to a group outside Terraform, and one removed.
type handChange struct{ add, remove string }

const paul = "paul.dubois@example.com"

func groupChanges() map[string]groupChange {
	own := "user:" + tomas
	group := func(name string, config values) acctest.Entry {
		config["name"] = name
		if config["can_manage_group"] == nil {
			config["can_manage_group"] = listed(own)
		}
		return part(name, groupType, config)
	}
	needing := func(one acctest.Entry, needs ...string) acctest.Entry {
		one.Needs = needs
		return one
	}
	added := func(name, group string, members ...any) acctest.Entry {
		return part(name, membershipType, values{"group": group, "members": members})
	}
	person := part("person", "zulip_user", values{"email": kenji, "full_name": "Kenji Sato"})
	type parts = []acctest.Entry

	return map[string]groupChange{
		"a person leaves the code and groups": {
			before: parts{person, group("ops", values{"members": listed(kenji, lena)}), group("net", values{}), added("in", "net", kenji, amara)},
			after:  parts{person.Removed(), group("ops", values{"members": listed(lena)}), added("in", "net", amara)},
			want:   map[string][]string{"ops": {lena}, "net": {amara}},
			hand:   map[string]handChange{"net": {paul, amara}},
		},
		"the managers of a group go, who manage another": {
			before: parts{group("managers", values{"members": listed(tomas, lena)}), group("press", values{"can_manage_group": listed("group:managers"), "members": listed(lena)})},
			after:  parts{group("managers", values{"members": listed(lena)}), group("press", values{"can_manage_group": listed(own), "members": listed(lena, ines)})},
			want:   map[string][]string{"managers": {lena}, "press": {lena, ines}}, dependsOnOrder: true,
			hand: map[string]handChange{"press": {paul, ""}, "managers": {amara, ""}},
		},
		"a membership ends by which the account manages": {
			before: parts{group("managers", values{"members": nil}), added("in", "managers", tomas, lena), group("press", values{"can_manage_group": listed("group:managers")})},
			after:  parts{added("in", "managers").Removed(), group("deputies", values{"members": listed(tomas)}), needing(group("press", values{"can_manage_group": listed("group:deputies")}), "deputies")},
			want:   map[string][]string{"managers": {}, "press": {}, "deputies": {tomas}}, dependsOnOrder: true,
			hand: map[string]handChange{"managers": {paul, ""}},
		},
		"one membership takes over from another": {
			before: parts{group("ops", values{}), added("a", "ops", lena, kenji), added("b", "ops", amara)},
			after:  parts{added("a", "ops").Removed(), added("b", "ops", amara, lena), added("c", "ops", kenji)},
			want:   map[string][]string{"ops": {amara, lena, kenji}},
			hand:   map[string]handChange{"ops": {paul, amara}},
		},
		"a membership takes over from a list": {
			before: parts{group("ops", values{"members": listed(lena, kenji)})},
			after:  parts{group("ops", values{}), added("a", "ops", lena, kenji)},
			want:   map[string][]string{"ops": {lena, kenji}},
			hand:   map[string]handChange{"ops": {paul, ""}},
		},
		"two groups change places": {
			before: parts{group("inner", values{"subgroups": listed(), "members": listed(lena)}), needing(group("outer", values{"subgroups": listed("inner")}), "inner")},
			after:  parts{group("outer", values{"subgroups": listed(), "members": listed(kenji)}), group("inner", values{"subgroups": listed("outer"), "members": listed(lena)})},
			want:   map[string][]string{"outer": {kenji}, "inner": {lena}}, dependsOnOrder: true,
			hand: map[string]handChange{"outer": {paul, ""}},
		},
		"a new group in a group, and who is added to both": {
			before: parts{group("ops", values{"subgroups": listed("role:moderators")}), added("in", "ops", lena)},
			after: parts{
				group("fresh", values{"members": listed(kenji), "can_mention_group": listed("group:fresh")}),
				needing(group("ops", values{"subgroups": listed("fresh", "role:moderators")}), "fresh"), added("in", "ops", lena, amara),
			},
			want: map[string][]string{"ops": {lena, amara}, "fresh": {kenji}},
			hand: map[string]handChange{"ops": {paul, ""}},
		},
	}
}

func TestProtocolUserGroup_AnyOrder(t *testing.T) {
	all := map[string]*acctest.Orders{}
	for name, one := range groupChanges() {
		all[name] = one.orders()
	}
	acctest.TryOrders(t, "orders of groups and memberships", all)
}

func (c groupChange) orders() *acctest.Orders {
	return &acctest.Orders{
		Before: c.before, After: c.after, Imported: map[string]string{"person": kenji},
		OutsideChanges: map[string]func(*testing.T, *acctest.Organization){"groups": func(t *testing.T, o *acctest.Organization) {
			for group, change := range c.hand {
				members(t, o, group, zulip.MembershipChange{Add: someIDs(t, o, change.add), Delete: someIDs(t, o, change.remove)})
			}
		}},
		Start: func(t *testing.T) *acctest.Resources {
			o := acctest.NewSandbox(t, sandbox.Config{})
			o.Call(t, "PATCH", "/realm", map[string]string{"can_manage_all_groups": fmt.Sprintf(`{"new":%d}`, id(t, o, "role:owners"))})
			r := o.NewResources(t)
			admin, _ := o.Sandbox.Credentials("admin")
			r.Block = o.Block(values{"email": admin.Email, "api_key": admin.APIKey, "access_warnings": false})
			return r
		},
		Promise: func(t *testing.T, a *acctest.OrderedApply) func(acctest.Diagnostics) {
			before := a.Sandbox.Organization().Groups()
			return func(diags acctest.Diagnostics) {
				hand := c.hand
				switch {
				case a.IsRepeated:
					hand = nil
				case a.OutsideChange == "":
					if hand = nil; !c.dependsOnOrder {
						diags.ExpectNoError(t)
					}
					checkGroupStates(t, a.Resources, c.after)
				}
				checkGroups(t, before, a.Sandbox.Organization().Groups(), listing(a.Plans), hand)
			}
		},
		Done: func(t *testing.T, a *acctest.OrderedApply) {
			checkGroupStates(t, a.Resources, c.after)
			for group, people := range c.want {
				if a.OutsideChange != "" && c.hand[group].add != "" && !c.isExclusive(group) {
					people = append(slices.Clone(people), c.hand[group].add)
				}
				if now, _ := a.Sandbox.Organization().Group(group); !slices.Equal(now.Members, slices.Sorted(slices.Values(people))) {
					t.Errorf("in the end %v are in %q, not %v", now.Members, group, people)
				}
			}
		},
	}
}

func someIDs(t *testing.T, o *acctest.Organization, address string) []int64 {
	t.Helper()
	if address == "" {
		return nil
	}
	return ids(t, o, address)
}

// isExclusive reports whether a group's own resource lists its members in the end.
func (c groupChange) isExclusive(group string) bool {
	return slices.ContainsFunc(c.after, func(one acctest.Entry) bool { return one.Name == group && configured(one)["members"] != nil })
}

// configured returns the configuration of a part, empty if the part is left out.
func configured(one acctest.Entry) values {
	if one.Config == nil {
		return values{}
	}
	return one.Config(nil)
}

// A listedChange has the members that leave and join each group, according to plans.
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

// checkGroups fails the test if a member was added or removed who is in no plan and was not changed outside Terraform.
// It also fails if a change outside Terraform was overwritten, or if the account can no longer manage a group.
func checkGroups(t *testing.T, before, now []sandbox.GroupView, plans listedChange, hand map[string]handChange) {
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

// admits reports whether principals admit the account, given the groups.
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

// checkGroupStates fails the test if a managed value in the state differs from the organization's.
func checkGroupStates(t *testing.T, r *acctest.Resources, parts []acctest.Entry) {
	t.Helper()
	organization := r.Sandbox.Organization()
	for _, one := range parts {
		state := r.States[one.Name]
		if state == nil || one.Kind == "zulip_user" {
			continue
		}
		name, _ := state.Values["name"].(string)
		if one.Kind == membershipType {
			name, _ = state.Values["group"].(string)
		}
		group, _ := organization.Group(name)
		has := values{"members": group.Members, "subgroups": group.Subgroups, "can_manage_group": group.Permissions["can_manage_group"], "can_mention_group": group.Permissions["can_mention_group"]}
		for attribute := range configured(one) {
			now, compared := has[attribute].([]string)
			if !compared {
				continue
			}
			var says []string
			for _, element := range sorted(state.Values[attribute]) {
				text := fmt.Sprint(element)
				if person, ok := organization.Person(text); attribute != "members" || ok && person.Active {
					says = append(says, text)
				}
			}
			isAll := one.Kind == groupType
			if isAll && !slices.Equal(says, now) || !isAll && slices.ContainsFunc(says, func(text string) bool { return !slices.Contains(now, text) }) {
				t.Errorf("%s: the state of %q says %v, and the organization has %v", attribute, one.Name, says, now)
			}
		}
	}
}
