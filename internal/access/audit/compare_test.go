package audit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// effects lists who gains and who loses which right over what in a report, and whose role changes: what there is to compare
// of two reports. Who is in a group is said of the groups that a plan changes, and not of those that contain them.
func effects(r *report.Report, planned ...string) []string {
	addresses := map[int64]string{}
	for _, account := range r.Accounts {
		addresses[account.ID] = account.Address
	}
	all := map[string]bool{}
	people := func(where, what string, set *report.People) {
		if set == nil {
			return
		}
		for _, id := range set.IDs() {
			all[where+": "+addresses[id]+" "+what] = true
		}
	}
	rights := func(where string, rights []*report.Right) {
		for _, right := range rights {
			people(where, "gains "+right.Name, right.Gain)
			people(where, "loses "+right.Name, right.Lose)
			if right.Unknown {
				all[where+": unknown "+right.Name] = true
			}
			if right.NobodyLeft {
				all[where+": nobody is left for "+right.Name] = true
			}
		}
	}
	for _, channel := range r.Channels {
		rights("channel "+channel.Name, channel.Rights)
		people("channel "+channel.Name, "joins", channel.Joins)
		people("channel "+channel.Name, "leaves", channel.Leaves)
	}
	for _, group := range r.Groups {
		rights("group "+group.Name, group.Rights)
		if slices.Contains(planned, group.Name) {
			people("group "+group.Name, "joins", group.Joins)
			people("group "+group.Name, "leaves", group.Leaves)
		}
	}
	rights("organization", r.Rights)
	for _, person := range r.People {
		if person.Role.Differs() {
			all[fmt.Sprintf("%s: role %s", addresses[person.AccountID], person.Role.After)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

type object = map[string]any

// planned is one change of a resource, as a plan has it.
func planned(kind string, number int, before, after object) object {
	return object{
		"address": fmt.Sprintf("%s.x[%d]", kind, number), "mode": "managed", "type": kind, "provider_name": "registry.example.com/zulip-iac/zulip",
		"change": object{"actions": []string{"update"}, "before": before, "after": after, "after_unknown": object{}},
	}
}

// reviewOf reviews a plan of some changes.
func reviewOf(t *testing.T, o *acctest.Organization, changes []object) *report.Report {
	t.Helper()
	text, err := json.Marshal(object{"format_version": "1.2", "planned_values": object{}, "resource_changes": changes})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := plan.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	found, err := review.New(t.Context(), parsed, review.Options{Store: store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), Site: "https://chat.example.com", Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// drawer draws changes.
type drawer struct {
	t        *testing.T
	o        *acctest.Organization
	random   *rand.Rand
	groups   map[string]int64 // by name
	channels map[string]int64
	people   map[string]string // addresses by account
	// addresses counts those that were given.
	addresses int
}

// value draws a permission: as principals, and as the API has it.
func (d *drawer) value(roles ...string) (principals []string, value string) {
	switch d.random.IntN(3) {
	case 0:
		role := roles[d.random.IntN(len(roles))]
		return []string{role}, fmt.Sprint(d.o.SystemGroup(d.t, role))
	case 1:
		name := slices.Sorted(maps.Keys(d.groups))[d.random.IntN(len(d.groups))]
		return []string{"group:" + name}, fmt.Sprint(d.groups[name])
	}
	account := d.account()
	return []string{"user:" + d.people[account]}, named(id(d.t, d.o, account))
}

func (d *drawer) account() string {
	names := slices.Sorted(maps.Keys(d.people))
	return names[d.random.IntN(len(names))]
}

func (d *drawer) draw(number int) (changes object, apply func()) {
	call := func(method, path string, params map[string]string) func() {
		return func() { d.o.Call(d.t, method, path, params) }
	}
	switch d.random.IntN(4) {
	case 0:
		name := slices.Sorted(maps.Keys(d.channels))[d.random.IntN(len(d.channels))]
		settings := []string{"can_send_message_group", "can_administer_channel_group", "can_subscribe_group", "can_resolve_topics_group", "can_add_subscribers_group"}
		setting := settings[d.random.IntN(len(settings))]
		principals, value := d.value("role:nobody", "role:members", "role:moderators")
		return planned("zulip_channel", number, object{"id": d.channels[name], "name": name, setting: []string{"role:owners"}}, object{"id": d.channels[name], "name": name, setting: principals}),
			call("PATCH", fmt.Sprintf("/streams/%d", d.channels[name]), map[string]string{setting: `{"new":` + value + `}`})
	case 1:
		name := slices.Sorted(maps.Keys(d.groups))[d.random.IntN(len(d.groups))]
		account := d.account()
		view, err := d.o.Client.UserGroups(d.t.Context(), 0)
		if err != nil {
			d.t.Fatal(err)
		}
		var was []string
		remove := []int64{}
		for _, group := range view {
			for _, member := range group.Members {
				for _, other := range d.people {
					if group.ID == d.groups[name] && strings.EqualFold(other, d.addressOf(member)) {
						was, remove = append(was, other), append(remove, member)
					}
				}
			}
		}
		remove = slices.DeleteFunc(remove, func(one int64) bool { return one == id(d.t, d.o, account) })
		params := map[string]string{"delete": strings.ReplaceAll(fmt.Sprint(remove), " ", ",")}
		if !slices.Contains(was, d.people[account]) {
			params["add"] = fmt.Sprintf("[%d]", id(d.t, d.o, account))
		}
		return planned("zulip_user_group", number, object{"id": d.groups[name], "name": name, "members": was}, object{"id": d.groups[name], "name": name, "members": []string{d.people[account]}}),
			func() {
				if len(remove) > 0 || params["add"] != "" {
					d.o.Call(d.t, "POST", fmt.Sprintf("/user_groups/%d/members", d.groups[name]), params)
				}
			}
	case 2:
		account := []string{"moderator", "mel", "max", "gus"}[d.random.IntN(4)]
		role := []zulip.Role{zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleMember, zulip.RoleGuest}[d.random.IntN(4)]
		return planned("zulip_user_role", number, object{"user": d.people[account], "user_id": id(d.t, d.o, account), "role": "owner"}, object{"user": d.people[account], "user_id": id(d.t, d.o, account), "role": role.String()}),
			call("PATCH", fmt.Sprintf("/users/%d", id(d.t, d.o, account)), map[string]string{"role": fmt.Sprint(int(role))})
	}
	settings := []string{"can_resolve_topics_group", "can_add_custom_emoji_group", "can_create_groups", "can_add_subscribers_group"}
	setting := settings[d.random.IntN(len(settings))]
	principals, value := d.value("role:members", "role:moderators", "role:administrators")
	return planned("zulip_organization", number, object{setting: []string{"role:owners"}}, object{setting: principals}),
		call("PATCH", "/realm", map[string]string{setting: `{"new":` + value + `}`})
}

func (d *drawer) addressOf(member int64) string {
	for account, address := range d.people {
		if id(d.t, d.o, account) == member {
			return address
		}
	}
	return ""
}

// What an audit says has changed is what the review of the plan said would: of rights, and of what is none.
func TestCompareAgreesWithTheReviewOfThePlan(t *testing.T) {
	var plans, changed atomic.Int32
	t.Run("offices", func(t *testing.T) {
		seeds := make([]uint64, 100)
		for i := range seeds {
			seeds[i] = uint64(i)
		}
		if os.Getenv("ZULIP_TEST_ALL") != "1" {
			seeds = seeds[:15]
		}
		t.Logf("%d offices, seeds 0 to %d", len(seeds), len(seeds)-1)
		for _, seed := range acctest.Sample(seeds) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel() // they wait for reads more than they compute
				d := &drawer{t: t, o: office(t), random: rand.New(rand.NewPCG(seed, 1))}
				d.officeToDraw()
				for range 10 {
					plans.Add(1)
					if d.compare() {
						changed.Add(1)
					}
				}
			})
		}
	})
	if plans.Load() == 0 || changed.Load()*10 < plans.Load()*6 {
		t.Errorf("of %d plans %d have an effect", plans.Load(), changed.Load())
	}
	t.Logf("%d plans, %d with an effect", plans.Load(), changed.Load())
}

// compare draws a plan, reviews it, applies it, and compares the audits before and after. It returns whether anything came of it.
func (d *drawer) compare() bool {
	t := d.t
	before := auditOf(t, d.o, audit.Selection{})
	var changes []object
	var steps []func()
	kinds := map[any]bool{}
	for number := range 1 + d.random.IntN(3) {
		draw := d.draw
		if d.random.IntN(2) == 0 {
			draw = d.drawThing
		}
		if change, apply := draw(number); !kinds[change["type"]] {
			changes, steps = append(changes, change), append(steps, apply)
			kinds[change["type"]] = true
		}
	}
	said := reviewOf(t, d.o, changes)
	for _, apply := range steps {
		apply()
	}
	var groups []string
	for _, group := range said.Groups {
		if len(group.Addresses) > 0 {
			groups = append(groups, group.Name)
		}
	}
	after, err := audit.Compare(before, auditOf(t, d.o, audit.Selection{}))
	if err != nil {
		t.Fatal(err)
	}
	want, got := effects(said, groups...), effects(after, groups...)
	if !slices.Equal(want, got) {
		t.Errorf("%v\nthe review said %q\nthe audits say  %q", changes, want, got)
	}
	if want, got := statements(said), statements(after); !slices.Equal(want, got) {
		t.Errorf("%v\nthe review said %q\nthe audits say  %q", changes, want, got)
	}
	if !slices.Equal(said.Verdict.Categories, after.Verdict.Categories) {
		t.Errorf("%v\nthe review is %q, the comparison %q", changes, said.Verdict.Categories, after.Verdict.Categories)
	}
	return len(want)+len(statements(said)) > 0
}
