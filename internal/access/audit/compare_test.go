package audit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
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
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// effects lists the part of a report that the test compares: who gains and loses access by which permission, and whose role
// changes. It lists the members of groups that a plan changes, but not of groups that contain them.
func effects(r *report.Report, planned ...string) []string {
	addresses := map[int64]string{}
	for _, account := range r.Accounts {
		addresses[account.ID] = account.Email
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
	permissions := func(where string, permissions []*report.PermissionChange) {
		for _, permission := range permissions {
			people(where, "gains "+permission.Name, permission.Gain)
			people(where, "loses "+permission.Name, permission.Lose)
			if permission.Unknown {
				all[where+": unknown "+permission.Name] = true
			}
			if permission.NoOneLeft {
				all[where+": nobody is left for "+permission.Name] = true
			}
		}
	}
	for _, channel := range r.Channels {
		over := channel.Permissions
		if channel.Action == report.Archive { // an audit has no archived channels, and so only the loss
			over = slices.DeleteFunc(slices.Clone(over), func(one *report.PermissionChange) bool { return !permission.ChannelPermission(one.Name).IsOfMessages() })
		}
		permissions("channel "+channel.Name, over)
		people("channel "+channel.Name, "joins", channel.Joins)
		people("channel "+channel.Name, "leaves", channel.Leaves)
	}
	for _, group := range r.Groups {
		permissions("group "+group.Name, group.Permissions)
		if slices.Contains(planned, group.Name) {
			people("group "+group.Name, "joins", group.Joins)
			people("group "+group.Name, "leaves", group.Leaves)
		}
	}
	permissions("organization", r.Permissions)
	for _, person := range r.People {
		if person.Role.Differs() {
			all[fmt.Sprintf("%s: role %s", addresses[person.AccountID], person.Role.After)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

type object = randomorg.Attributes

// planned is one change of a resource, as a plan has it.
func planned(kind string, number int, before, after object) object {
	change := randomorg.ResourceChange(kind, before, after)
	change["address"] = fmt.Sprintf("%s.x[%d]", kind, number)
	return change
}

// reviewOf reviews a plan of some changes.
func reviewOf(t *testing.T, o *acctest.Organization, changes []object) *report.Report {
	t.Helper()
	parsed, err := plan.Parse([]byte(randomorg.Plan(t, changes...)))
	acctest.NoError(t, err)
	found, err := review.New(t.Context(), parsed, review.Options{Store: store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime(), Site: "https://chat.example.com", Now: time.Now()})
	acctest.NoError(t, err)
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
	// addresses counts the addresses that were given, and kinds the plans by their contents.
	addresses int
	kinds     *planKinds
}

// planKinds counts plans by their contents: an unknown value, an import, a replaced or forgotten resource, or any of
// them.
type planKinds struct{ all, changed, unknown, imported, replaced, special atomic.Int32 }

// value draws a permission, and returns it as principals and as the API has it.
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
		view := d.view()
		group, _ := view.UserGroupByName(name)
		var was []string
		for _, member := range group.Members {
			user, _ := view.User(member)
			was = append(was, user.Address())
		}
		remove := slices.DeleteFunc(slices.Clone(group.Members), func(one int64) bool { return one == id(d.t, d.o, account) })
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

// The changes between audits are those that the review of the plan reported, for permissions and for other objects.
func TestCompare_PlanReview_Same(t *testing.T) {
	var plans planKinds
	t.Run("offices", func(t *testing.T) {
		for seed := range acctest.Number(100, 15) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel() // they wait for reads more than they compute
				d := &drawer{t: t, o: office(t), random: rand.New(rand.NewPCG(uint64(seed), 1)), kinds: &plans}
				d.officeToDraw()
				for range 10 {
					d.compare()
				}
			})
		}
	})
	all := plans.all.Load()
	said := fmt.Sprintf("%d plans: %d with an effect; %d with a value that is not known, %d with an import, %d with a replaced or forgotten resource, %d with any of these",
		all, plans.changed.Load(), plans.unknown.Load(), plans.imported.Load(), plans.replaced.Load(), plans.special.Load())
	if all == 0 || plans.changed.Load()*10 < all*6 || plans.special.Load()*3 < all || min(plans.unknown.Load(), plans.imported.Load(), plans.replaced.Load())*4 < all {
		t.Error(said)
	}
	fmt.Println(said)
}

// The owner of a new bot has its key, as in a review.
func TestCompareNewBot_OwnerShown(t *testing.T) {
	o := office(t)
	before := auditOf(t, o, audit.Selection{})
	o.WithAccount(t, "mel").Call(t, "POST", "/bots", map[string]string{"full_name": "Bell", "short_name": "bell", "bot_type": "1"})
	after, err := audit.Compare(before, auditOf(t, o, audit.Selection{}))
	acctest.NoError(t, err)
	if len(after.People) != 1 || after.People[0].Action != report.Create || after.People[0].Owner == nil || after.People[0].Owner.After.String() != "mel@example.com" {
		t.Errorf("the comparison says of accounts: %+v", after.People)
	}
}

// compare draws a plan, reviews it, applies it, and compares the audits before and after.
func (d *drawer) compare() {
	t := d.t
	before := auditOf(t, d.o, audit.Selection{})
	var changes []object
	var steps []func()
	types := map[any]bool{}
	var isUnknown, isImported, isReplaced, isForgotten bool
	for number := range 1 + d.random.IntN(3) {
		draw := oneOf(d, d.draw, d.drawThing, d.drawReplaced)
		change, apply := draw(number)
		if types[change["type"]] {
			continue
		}
		changes, steps = append(changes, change), append(steps, apply)
		types[change["type"]] = true
		of, _ := change["change"].(object)
		switch actions, _ := of["actions"].([]string); {
		case len(actions) > 1 || slices.Contains(actions, "forget"):
			isReplaced, isForgotten = true, isForgotten || slices.Equal(actions, []string{"forget"})
		case d.random.IntN(3) == 0 && d.imports(change):
			isImported = true
		}
		isUnknown = d.random.IntN(3) == 0 && randomorg.Withhold(d.random, change) != "" || isUnknown
	}
	said := reviewOf(t, d.o, changes)
	for _, apply := range steps {
		apply()
	}
	var groups []string
	for _, group := range said.Groups {
		if len(group.Resources) > 0 {
			groups = append(groups, group.Name)
		}
	}
	after, err := audit.Compare(before, auditOf(t, d.o, audit.Selection{}))
	acctest.NoError(t, err)
	want, got := effects(said, groups...), effects(after, groups...)
	d.kinds.count(len(want)+len(statements(said)) > 0, isUnknown, isImported, isReplaced)
	if isUnknown {
		if problems := contradictions(said, want, got); len(problems) > 0 {
			t.Errorf("%v\n%q\nthe review said %q, and does not know %q\nthe audits say  %q", changes, problems, want, said.Unknown, got)
		}
		return
	}
	if !slices.Equal(want, got) {
		t.Errorf("%v\nthe review said %q\nthe audits say  %q", changes, want, got)
	}
	if want, got := statements(said), statements(after); !slices.Equal(want, got) {
		t.Errorf("%v\nthe review said %q\nthe audits say  %q", changes, want, got)
	}
	if isForgotten { // what stays is no difference, and the review says that it is no longer managed
		said.Summary.Conditions = slices.DeleteFunc(said.Summary.Conditions, func(one report.Condition) bool {
			return one == report.RoleChange && !slices.Contains(after.Summary.Conditions, one)
		})
	}
	if !slices.Equal(said.Summary.Conditions, after.Summary.Conditions) {
		t.Errorf("%v\nthe review is %q, the comparison %q", changes, said.Summary.Conditions, after.Summary.Conditions)
	}
}

func (k *planKinds) count(changed, isUnknown, isImported, isReplaced bool) {
	for count, counts := range map[*atomic.Int32]bool{
		&k.all: true, &k.changed: changed, &k.unknown: isUnknown, &k.imported: isImported, &k.replaced: isReplaced, &k.special: isUnknown || isImported || isReplaced,
	} {
		if counts {
			count.Add(1)
		}
	}
}

// imports turns a change into one of a resource that the plan imports, with the values of the organization before it.
// It returns false for a resource that cannot be imported.
func (d *drawer) imports(change object) bool {
	of, _ := change["change"].(object)
	was, _ := of["before"].(object)
	is, _ := of["after"].(object)
	if was == nil || is == nil {
		return false
	}
	view, id := d.view(), was["id"]
	held := map[string]zulip.GroupSettingValue{}
	switch change["type"] {
	case "zulip_channel":
		channel, _ := view.Channels().ByID(id.(int64))
		held = channel.Permissions
	case "zulip_organization":
		held = view.Realm().Permissions
	case "zulip_user_role":
		user, _ := view.User(was["user_id"].(int64))
		was["role"] = user.Role.String()
	}
	for name := range is {
		if value, ok := held[name]; ok {
			was[name] = permission.Texts(value, view)
		}
	}
	of["importing"] = object{"id": fmt.Sprint(id)}
	return true
}

// contradictions returns changes between audits that the review neither reports nor leaves open. It also returns changes
// that the review reports as certain and the audits don't have.
//
// The members of an unknown group are uncertain. An unknown that may matter anywhere leaves everything open.
func contradictions(said *report.Report, want, got []string) (problems []string) {
	isOpen := func(effect string) bool {
		where, what, _ := strings.Cut(effect, ": ")
		words := strings.Fields(what)
		permission := strings.Replace(words[len(words)-1], "can_read_history", "can_read", 1) // one line reports that both are unknown
		return slices.Contains(want, where+": unknown "+permission) || slices.ContainsFunc(said.Groups, func(group *report.Group) bool {
			return group.Unknown && where == "group "+group.Name && (words[len(words)-1] == "joins" || words[len(words)-1] == "leaves")
		}) || slices.ContainsFunc(said.People, func(person *report.Person) bool { return person.Role.After.Unknown && where == person.Account.Email })
	}
	isAnywhere := len(said.Unknown) > 0
	for _, effect := range got {
		if !slices.Contains(want, effect) && !isOpen(effect) && !isAnywhere {
			problems = append(problems, "not said: "+effect)
		}
	}
	for _, effect := range want {
		if !slices.Contains(got, effect) && !isOpen(effect) && !strings.Contains(effect, ": unknown ") && !isAnywhere {
			problems = append(problems, "did not happen: "+effect)
		}
	}
	return problems
}

func (d *drawer) view() *snapshot.Snapshot {
	d.t.Helper()
	view, err := store.New(d.o.Client, d.o.Self, 0, new(runstate.State)).OneAtATime().Read(d.t.Context(), store.Channels, store.Domains, store.Linkifiers)
	if err != nil {
		d.t.Fatal(err)
	}
	return view
}

func oneOf[T any](d *drawer, all ...T) T { return all[d.random.IntN(len(all))] }

// drawThing draws a change of something other than a permission.
func (d *drawer) drawThing(number int) (change object, apply func()) {
	call := func(method, path string, params map[string]string) func() {
		return func() { d.o.Call(d.t, method, path, params) }
	}
	view := d.view()
	switch d.random.IntN(8) {
	case 0:
		return d.drawChannel(number, view)
	case 1:
		name := oneOf(d, "invite_required", "emails_restricted_to_domains", "disallow_disposable_email_addresses", "email_changes_disabled", "allow_message_editing", "message_content_allowed_in_email_notifications", "inline_url_embed_preview")
		var before bool
		if json.Unmarshal(view.Realm().Settings[name], &before) != nil {
			d.t.Fatalf("there is no %s", name)
		}
		return planned("zulip_organization", number, object{name: before}, object{name: !before}), call("PATCH", "/realm", map[string]string{name: fmt.Sprint(!before)})
	case 2:
		before, after := "unlimited", oneOf(d, "1", "30", "unlimited")
		var days int
		if err := json.Unmarshal(view.Realm().Settings["message_retention_days"], &days); err == nil && days > 0 {
			before = fmt.Sprint(days)
		}
		sent := after
		if after == "unlimited" {
			sent = `"unlimited"`
		}
		return planned("zulip_organization", number, object{"message_retention_days": before}, object{"message_retention_days": after}), call("PATCH", "/realm", map[string]string{"message_retention_days": sent})
	case 3:
		domain := oneOf(d, "one.example.org", "two.example.org")
		if _, ok := view.Domains().ByName(domain); ok {
			return planned("zulip_domain", number, object{"domain": domain, "allow_subdomains": false}, nil), call("DELETE", "/realm/domains/"+domain, nil)
		}
		return planned("zulip_domain", number, nil, object{"domain": domain, "allow_subdomains": false}), call("POST", "/realm/domains", map[string]string{"domain": domain, "allow_subdomains": "false"})
	case 4:
		role := oneOf(d, zulip.RoleOwner, zulip.RoleMember, zulip.RoleGuest)
		return planned("zulip_invite_link", number, nil, object{"invite_as": role.String()}), func() {
			if _, err := d.o.Client.CreateInviteLink(d.t.Context(), zulip.InviteTerms{InviteAs: &role}); err != nil {
				d.t.Fatal(err)
			}
		}
	case 5:
		url := fmt.Sprintf("https://%d.example.com/{id}", d.random.IntN(1000))
		for _, linkifier := range view.Linkifiers().List() {
			id := linkifier.ID
			return planned("zulip_linkifier", number, object{"id": id, "pattern": linkifier.Pattern, "url_template": linkifier.URLTemplate}, object{"id": id, "pattern": linkifier.Pattern, "url_template": url}),
				call("PATCH", fmt.Sprint("/realm/filters/", id), map[string]string{"pattern": linkifier.Pattern, "url_template": url})
		}
		return planned("zulip_linkifier", number, nil, object{"pattern": "#(?P<id>[0-9]+)", "url_template": url}), call("POST", "/realm/filters", map[string]string{"pattern": "#(?P<id>[0-9]+)", "url_template": url})
	case 6:
		bot, owner := id(d.t, d.o, "bot"), oneOf(d, "mel", "max", "admin", "moderator")
		user, _ := view.User(bot)
		was, _ := view.User(*user.BotOwnerID)
		return planned("zulip_bot", number, object{"id": bot, "owner": was.Address()}, object{"id": bot, "owner": d.people[owner]}), call("PATCH", fmt.Sprint("/bots/", bot), map[string]string{"bot_owner_id": fmt.Sprint(id(d.t, d.o, owner))})
	}
	user, _ := view.User(id(d.t, d.o, "admin"))
	d.addresses++
	address := fmt.Sprintf("ada%d@example.com", d.addresses)
	return planned("zulip_user", number, object{"id": user.ID, "email": user.Address(), "full_name": user.FullName}, object{"id": user.ID, "email": address, "full_name": user.FullName}), func() {
		d.o.WithAccount(d.t, "owner").Call(d.t, "PATCH", fmt.Sprint("/users/", user.ID), map[string]string{"new_email": address})
		d.people["admin"] = address
	}
}

// drawReplaced draws a resource that is replaced or forgotten.
func (d *drawer) drawReplaced(number int) (change object, apply func()) {
	name := oneOf(d, slices.Sorted(maps.Keys(d.channels))...)
	path := fmt.Sprint("/streams/", d.channels[name])
	people := []string{"moderator", "mel", "max", "gus"}
	switch d.random.IntN(4) {
	case 0:
		from, to := oneOf(d, people...), oneOf(d, people...)
		role := oneOf(d, zulip.RoleAdministrator, zulip.RoleModerator, zulip.RoleGuest)
		of := func(account string) object {
			return object{"user": d.people[account], "user_id": id(d.t, d.o, account), "role": role.String(), "on_destroy": "member"}
		}
		set := func(account string, role zulip.Role) {
			d.o.Call(d.t, "PATCH", fmt.Sprintf("/users/%d", id(d.t, d.o, account)), map[string]string{"role": fmt.Sprint(int(role))})
		}
		return randomorg.Replaced(planned("zulip_user_role", number, of(from), of(to))), func() { set(from, zulip.RoleMember); set(to, role) }
	case 1:
		principals, value := d.value("role:nobody", "role:members", "role:moderators")
		after := object{"name": name, "can_send_message_group": principals}
		return randomorg.Replaced(planned("zulip_channel", number, object{"id": d.channels[name], "name": name}, after)), func() {
			d.o.Call(d.t, "DELETE", path, nil)
			d.o.Call(d.t, "PATCH", path, map[string]string{"is_archived": "false"})
			d.o.Call(d.t, "PATCH", path, map[string]string{"can_send_message_group": `{"new":` + value + `}`})
		}
	case 2:
		change = planned("zulip_channel", number, object{"id": d.channels[name], "name": name}, nil)
	default:
		account := oneOf(d, people...)
		change = planned("zulip_user_role", number, object{"user": d.people[account], "user_id": id(d.t, d.o, account), "role": "owner", "on_destroy": "guest"}, nil)
	}
	of, _ := change["change"].(object)
	of["actions"] = []string{"forget"}
	return change, func() {}
}

// drawChannel draws another privacy or retention of a channel, or archives it.
func (d *drawer) drawChannel(number int, view *snapshot.Snapshot) (change object, apply func()) {
	name := oneOf(d, slices.Sorted(maps.Keys(d.channels))...)
	channel, _ := view.Channels().ByID(d.channels[name])
	path, base := fmt.Sprint("/streams/", channel.ID), object{"id": channel.ID, "name": name}
	with := func(key string, value any) object {
		all := maps.Clone(base)
		all[key] = value
		return all
	}
	switch d.random.IntN(8) {
	case 0, 1, 2, 3:
		flags := map[zulip.Privacy]map[string]string{
			zulip.PrivacyPublic:                  {"is_private": "false"},
			zulip.PrivacyPrivateSharedHistory:    {"is_private": "true", "history_public_to_subscribers": "true"},
			zulip.PrivacyPrivateProtectedHistory: {"is_private": "true", "history_public_to_subscribers": "false"},
		}
		privacy := oneOf(d, slices.Sorted(maps.Keys(flags))...)
		return planned("zulip_channel", number, with("privacy", channel.Privacy()), with("privacy", privacy)), func() { d.o.Call(d.t, "PATCH", path, flags[privacy]) }
	case 4, 5, 6:
		before, after := channel.Retention().String(), oneOf(d, "7", "realm_default", "unlimited")
		sent := after
		if after != "7" {
			sent = `"` + after + `"`
		}
		return planned("zulip_channel", number, with("message_retention_days", before), with("message_retention_days", after)), func() { d.o.Call(d.t, "PATCH", path, map[string]string{"message_retention_days": sent}) }
	}
	if len(d.channels) == 1 {
		return d.drawThing(number)
	}
	return planned("zulip_channel", number, base, nil), func() {
		d.o.Call(d.t, "DELETE", path, nil)
		delete(d.channels, name)
	}
}

// statements are the sentences of a report about other things than permissions, without the name that a plan has for a
// new object.
func statements(r *report.Report) []string {
	all := map[string]bool{}
	for _, risk := range r.Risks {
		switch risk.Condition {
		case report.Joining, report.SignIn, report.Outgoing, report.DataLoss:
			all[fmt.Sprint(risk.Condition, ": ", risk.Text)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// officeToDraw is an organization with groups and channels to change.
func (d *drawer) officeToDraw() {
	t, o := d.t, d.o
	d.people = map[string]string{"moderator": "mo@example.com", "mel": "mel@example.com", "max": "max@example.com", "gus": "gus@example.com", "admin": "ada@example.com"}
	d.groups = map[string]int64{"inner": newGroup(t, o, "inner", "mel", "gus"), "other": newGroup(t, o, "other", "max")}
	outer := newGroup(t, o, "outer", "moderator")
	o.Call(t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", outer), map[string]string{"add": fmt.Sprintf("[%d]", d.groups["inner"])})
	d.groups["outer"] = outer
	in := fmt.Sprintf("[%d,%d,%d]", o.Self.ID, id(t, o, "gus"), id(t, o, "max"))
	d.channels = map[string]int64{
		"open": newChannel(t, o, "open", map[string]string{"subscribers": in}),
		"shared": newChannel(t, o, "shared", map[string]string{
			"invite_only": "true", "history_public_to_subscribers": "true", "subscribers": in, "can_subscribe_group": fmt.Sprint(outer),
		}),
		"protected": newChannel(t, o, "protected", map[string]string{"invite_only": "true", "history_public_to_subscribers": "false", "subscribers": in}),
	}
}
