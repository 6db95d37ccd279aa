// Package trial_test tries what a review computes. On random organizations it reviews a random change, has every account try every
// permission in dispute, makes the change, and has them try again. If the rules of the sandbox allow something other than what was
// computed, the engine or the sandbox is wrong.
//
// How each permission is tried is in attempts_test.go. Nothing here decides who may do what.
package trial_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// TestConformanceTries expects that the sandbox allows exactly what was computed.
func TestConformanceTries(t *testing.T) {
	tries, untried := 0, map[string]int{}
	for seed := range uint64(acctest.Number(200, 15)) {
		o := randomorg.New(t, rand.New(rand.NewPCG(seed, 31)))
		planned, apply := o.Change()
		r := reviewed(t, o.Organization, randomorg.Plan(t, planned...))
		r.compareAudit(t, o.Organization)
		r.run(apply)
		tries += r.tries
		for what, count := range r.untried {
			untried[what] += max(count, 1)
		}
		if len(r.differences) > 0 {
			t.Errorf("%d, %v:\n%s", seed, planned, strings.Join(r.differences[:min(20, len(r.differences))], "\n"))
		}
		if r.tries == 0 {
			t.Errorf("%d: nothing was tried", seed)
		}
	}
	fmt.Printf("permissions tried on random organizations: %d tries\n", tries)
	for what, count := range untried {
		t.Log(count, what)
	}
}

// The access of a replaced resource is removed before its replacement is created.
func TestConformanceTries_Replaced(t *testing.T) {
	for seed := range uint64(acctest.Number(100, 24)) {
		o := randomorg.New(t, rand.New(rand.NewPCG(seed, 32)))
		planned, apply := o.Replacement()
		r := reviewed(t, o.Organization, randomorg.Plan(t, planned...))
		if r.run(apply); len(r.differences) > 0 || r.tries == 0 {
			t.Errorf("%d, %v, %d tries:\n%s", seed, planned, r.tries, strings.Join(r.differences[:min(20, len(r.differences))], "\n"))
		}
	}
}

// The trial finds a wrong result before and after the change, whether it allows too much or too little.
func TestTries_WrongConclusion_Found(t *testing.T) {
	for _, isAfter := range []bool{false, true} {
		o := randomorg.New(t, rand.New(rand.NewPCG(1, 31)))
		planned, apply := o.Change()
		r := reviewed(t, o.Organization, randomorg.Plan(t, planned...))
		side := r.computed.Before
		if isAfter {
			side = r.computed.After
		}
		found := map[bool]bool{}
		for _, permission := range side.Effective {
			if permission.Name != "can_invite_users_group" && permission.Name != "can_create_groups" {
				continue
			}
			who, _ := permission.Held.Certain()
			isAbove := permission.Name == "can_invite_users_group" // the result has someone too many for one permission, and someone too few for the other
			for user := range side.People.Everybody().All() {
				if user.IsBot || who.Has(user.ID) == isAbove || found[isAbove] {
					continue
				}
				found[isAbove] = true
				wrong := slices.DeleteFunc(who.IDs(), func(id int64) bool { return id == user.ID })
				if isAbove {
					wrong = append(wrong, user.ID)
				}
				permission.Held = side.People.People(wrong).Held()
			}
		}
		r.run(apply)
		if len(found) != 2 || len(r.differences) != 2 {
			t.Errorf("after: %t, changed: %v, found:\n%s", isAfter, found, strings.Join(r.differences, "\n"))
		}
	}
}

// reviewed reviews a plan in JSON.
func reviewed(t *testing.T, o *acctest.Organization, text string) *run {
	t.Helper()
	parsed, err := plan.Parse([]byte(text))
	acctest.NoError(t, err)
	found, computed, err := review.Compute(t.Context(), parsed, review.Options{
		Store: store.New(o.Client, o.Self, o.Sandbox.FeatureLevel(), new(runstate.State)).OneAtATime(), Site: "https://chat.example.com", Now: time.Now(),
	})
	acctest.NoError(t, err)
	describeSome(computed)
	return &run{sandbox: o.Sandbox, report: found, computed: computed, untried: map[string]int{}}
}

// describeSome computes who can do what in some unchanged channels.
func describeSome(computed *review.Computed) {
	before, after := computed.Before, computed.After
	for i, was := range before.Channels[:min(5, len(before.Channels))] {
		if is := after.Channels[i]; is.Effective == nil && !is.Facts.IsArchived {
			before.DescribeChannel(was, before.Names)
			after.DescribeChannel(is, before.Names)
		}
	}
}

// run is a review, and the results of trying it.
type run struct {
	sandbox  *sandbox.Server
	report   *report.Report
	computed *review.Computed

	subjects []*subject
	accounts []*account
	// others and everyone are the fields of [try] at the time.
	others, everybody []int

	tries       int
	differences []string
	untried     map[string]int // the reason for anything that was not tried, with the number of tries
}

// compareAudit compares an audit with the access that the review computed before the change. An audit of one person must
// name the source of each access, and no others.
func (r *run) compareAudit(t *testing.T, o *acctest.Organization) {
	t.Helper()
	from := store.New(o.Client, o.Self, o.Sandbox.FeatureLevel(), new(runstate.State)).OneAtATime()
	auditOf := func(person string) *audit.Audit {
		found, err := audit.Make(t.Context(), from, audit.Options{Now: time.Now(), Selection: audit.Selection{Person: person}})
		acctest.NoError(t, err)
		return found
	}
	whole, through := auditOf(""), map[string]map[int64][]string{} // by permission and object, by account
	for user := range r.computed.Before.People.Everybody().All() {
		if user.ID < 0 {
			continue // the plan creates the account
		}
		for _, scope := range auditOf(user.Address()).Person.Scopes {
			for _, permission := range scope.Permissions {
				key := scope.Kind + scope.Name + permission.Name
				if through[key] == nil {
					through[key] = map[int64][]string{}
				}
				through[key][user.ID] = permission.Through
			}
		}
	}
	compared := 0
	compare := func(kind, name string, permissions []*audit.EffectivePermission, computed []*access.EffectivePermission) {
		for _, permission := range permissions {
			key := kind + name + permission.Name
			who, isKnown := heldOf(computed, permission.Name).Certain()
			held := slices.DeleteFunc(who.IDs(), func(id int64) bool { return id < 0 }) // by existing accounts
			has := slices.Sorted(slices.Values(whole.Sets[permission.People].IDs()))
			if !slices.Equal(has, held) || permission.Unknown == isKnown || !slices.Equal(slices.Sorted(maps.Keys(through[key])), has) {
				t.Errorf("%s %q: %v have %s by the audit, %v by the review; by audits of one person %v", kind, name, has, permission.Name, held, through[key])
			}
			for account, texts := range through[key] {
				if len(texts) == 0 {
					t.Errorf("%s %q: %d has %s through nothing", kind, name, account, permission.Name)
				}
			}
			compared++
		}
	}
	for _, one := range r.computed.Before.Channels {
		if at := slices.IndexFunc(whole.Channels, func(channel *audit.Channel) bool { return channel.ID == one.ID }); at >= 0 {
			compare("channel", one.Name, whole.Channels[at].Permissions, one.Effective)
		}
	}
	for _, one := range r.computed.Before.Groups {
		if at := slices.IndexFunc(whole.Groups, func(group *audit.Group) bool { return group.ID == one.ID }); at >= 0 {
			compare("user group", one.Name, whole.Groups[at].Permissions, one.Effective)
		}
	}
	compare("organization", "", whole.Permissions, r.computed.Before.Effective)
	if compared < len(permission.ChannelPermissions)+len(permission.RealmSettings) {
		t.Errorf("only %d permissions are compared", compared)
	}
}

// run tries everything in dispute, makes the change, and tries again.
func (r *run) run(apply func()) {
	r.chooseSubjects()
	r.chooseAccounts()
	r.try(false)
	apply()
	r.findCreated()
	r.try(true)
}

// kind is a kind of object with permissions.
type kind int

const (
	channel kind = iota
	group
	organization
)

// subject is an object with its permissions, before and after.
type subject struct {
	kind          kind
	where         string
	id            int // 0 before it is created
	name          string
	before, after []*access.EffectivePermission
}

// account is an account that tries. Its ID is the one in the report, negative if the plan creates the account.
type account struct {
	id    int64
	inUse int // the ID in the sandbox; 0 before the account exists
	user  string
}

// chooseSubjects chooses the objects: those in the report, some unchanged channels, all user groups, and the organization.
func (r *run) chooseSubjects() {
	before, after := r.computed.Before, r.computed.After
	channels := map[int64]*access.Channel{}
	for _, one := range before.Channels {
		channels[one.ID] = one
	}
	for _, is := range after.Channels {
		r.addChannel(channels[is.ID], is)
	}
	groups := map[int64]*access.Group{}
	for _, one := range before.Groups {
		groups[one.ID] = one
	}
	for _, is := range after.Groups {
		s := &subject{kind: group, where: fmt.Sprintf("user group %q", is.Name), name: is.Name, id: int(max(is.ID, 0)), after: is.Effective}
		if was := groups[is.ID]; was != nil {
			s.before = was.Effective
		}
		if is.Action == report.Deactivate {
			s.after = nil // no one uses a deactivated group
		}
		r.subjects = append(r.subjects, s)
	}
	r.subjects = append(r.subjects, &subject{kind: organization, where: "the organization", before: before.Effective, after: after.Effective})
}

func (r *run) addChannel(was, is *access.Channel) {
	s := &subject{kind: channel, where: "#" + is.Name, name: is.Name, id: int(max(is.ID, 0)), after: is.Effective}
	if was != nil {
		s.before = was.Effective
	}
	r.subjects = append(r.subjects, s)
}

// chooseAccounts chooses all accounts, new ones of the plan included.
func (r *run) chooseAccounts() {
	chosen := map[int64]bool{}
	add := func(id int64, user string) {
		if !chosen[id] {
			chosen[id] = true
			r.accounts = append(r.accounts, &account{id, int(max(id, 0)), user})
		}
	}
	for user := range r.computed.Before.People.Everybody().All() {
		add(user.ID, user.Address())
	}
	for _, one := range r.report.People {
		add(one.AccountID, one.Account.Email)
	}
}

// findCreated finds the IDs of the objects that the plan created, by name.
func (r *run) findCreated() {
	r.sandbox.Organization().Read(func(o *rules.Organization) {
		for _, s := range r.subjects {
			switch {
			case s.id != 0:
			case s.kind == channel:
				for id, one := range o.Channels.All() {
					if one.Name == s.name {
						s.id = id
					}
				}
			case s.kind == group:
				for id, one := range o.Groups.All() {
					if one.Name == s.name && !one.Deactivated {
						s.id = id
					}
				}
			}
		}
		for _, one := range r.accounts {
			for id, user := range o.Users.All() {
				if one.inUse == 0 && strings.EqualFold(user.Email, one.user) {
					one.inUse = id
				}
			}
		}
	})
}

// leave notes that something is not tried.
func (r *run) leave(what, why string, tries int) { r.untried[what+": "+why] += tries }

// try has every account try everything that is possible now.
func (r *run) try(isAfter bool) {
	r.lookAround()
	for _, s := range r.subjects {
		permissions := s.before
		if isAfter {
			permissions = s.after
		}
		switch {
		case len(permissions) == 0:
			continue
		case s.id == 0 && s.kind != organization && !isAfter:
			continue // it does not exist yet
		case s.id == 0 && s.kind != organization:
			r.differences = append(r.differences, s.where+" does not exist after the change")
			continue
		}
		for _, permission := range permissions {
			r.tryPermission(s, permission, permissions, isAfter)
		}
	}
}

// lookAround reads the accounts.
func (r *run) lookAround() {
	r.others, r.everybody = nil, nil
	r.sandbox.Organization().Read(func(o *rules.Organization) {
		for id, user := range o.Users.All() {
			if !user.Active {
				continue
			}
			r.everybody = append(r.everybody, id)
			if !user.IsBot && !user.IsGuest() {
				r.others = append(r.others, id)
			}
		}
	})
}

// attemptOf describes how a permission is tried; nil if no request tries it.
func attemptOf(s *subject, permission string) *attempt {
	return map[kind]map[string]*attempt{channel: channelAttempts, group: groupAttempts, organization: organizationAttempts}[s.kind][permission]
}

// tryPermission has every account try one permission.
func (r *run) tryPermission(s *subject, permission *access.EffectivePermission, all []*access.EffectivePermission, isAfter bool) {
	attempt := attemptOf(s, permission.Name)
	if attempt == nil {
		r.leave(permission.Name+" of "+s.where, "no request of the API tries it alone", 0)
		return
	}
	computed := r.computing(attempt, permission, all, isAfter)
	for _, one := range r.accounts {
		id := one.inUse
		can, known := computed(one.id)
		if id == 0 || !r.isActive(id) {
			continue
		}
		if !known {
			r.leave(permission.Name+" of "+s.where, cmp.Or(permission.Why, "computing does not tell who can"), 1)
			continue
		}
		if s.kind == channel && r.isNew(one) {
			r.leave("permissions in channels", "an account that the plan creates or reactivates comes into channels by itself, which the report says of the account", 1)
			continue
		}
		answer, skip := r.attempt(attempt, s.id, id)
		switch {
		case skip != "":
			r.leave(permission.Name, skip, 1)
			continue
		case !answer.Done() && !attempt.isRefusal(answer):
			r.leave(permission.Name, fmt.Sprintf("the server answered %d %q", answer.Status, answer.Message), 1)
			continue
		}
		r.tries++
		if answer.Done() != can {
			when := map[bool]string{true: "after", false: "before"}[isAfter]
			r.differences = append(r.differences, fmt.Sprintf("%s the change, %s, %s: %s can by computing: %t, by trying: %t %q",
				when, s.where, permission.Name, one.user, can, answer.Done(), answer.Message))
		}
	}
}

// isNew reports whether the plan creates an account.
func (r *run) isNew(one *account) bool {
	return slices.ContainsFunc(r.report.People, func(person *report.Person) bool {
		return person.AccountID == one.id && (person.Action == report.Create || person.Action == report.Reactivate)
	})
}

// attempt has an account try, and undoes it.
func (r *run) attempt(how *attempt, on, as int) (answer sandbox.TriedAnswer, skip string) {
	r.sandbox.Try(func(trial *sandbox.Trial) {
		answer, skip = how.do(&try{Trial: trial, as: as, on: on, others: r.others, everybody: r.everybody})
	})
	return answer, skip
}

func (r *run) isActive(id int) bool {
	_, found := slices.BinarySearch(r.everybody, id)
	return found
}

// computing returns a function that computes whether an account can, and whether that is known. It considers the permission,
// others that permit the same, and a permission that is also required.
func (r *run) computing(how *attempt, one *access.EffectivePermission, all []*access.EffectivePermission, isAfter bool) func(id int64) (can, known bool) {
	side := r.computed.Before
	if isAfter {
		side = r.computed.After
	}
	granting := []permission.Held{one.Held}
	for _, name := range how.also {
		granting = append(granting, heldOf(all, name))
	}
	if how.byAdministrators {
		granting = append(granting, r.administrators(side.People))
	}
	return func(id int64) (can, known bool) {
		known = true
		for _, held := range granting {
			one, isKnown := holds(held, id)
			can, known = can || one && isKnown, known && isKnown
		}
		known = known || can
		if how.needs != "" {
			one, isKnown := holds(heldOf(side.Effective, how.needs), id)
			can, known = can && one, known && isKnown
		}
		return can, known
	}
}

// heldOf returns the people with effective access by a permission; no one if it is missing.
func heldOf(permissions []*access.EffectivePermission, name string) permission.Held {
	for _, permission := range permissions {
		if permission.Name == name {
			return permission.Held
		}
	}
	return permission.Held{}
}

// holds reports whether someone has effective access, and whether that is known.
func holds(held permission.Held, id int64) (has, known bool) {
	certain, isAll := held.Certain()
	if certain.Has(id) {
		return true, true
	}
	possible, isComplete := held.Possible()
	return false, isAll || isComplete && !possible.Has(id)
}

// administrators are the administrators and owners.
func (r *run) administrators(people *permission.Access) permission.Held {
	var ids []int64
	for user := range people.Everybody().All() {
		isWebhook := user.IsBot && user.BotType != nil && zulip.BotType(*user.BotType) == zulip.BotIncomingWebhook
		if user.Role <= zulip.RoleAdministrator && !isWebhook {
			ids = append(ids, user.ID)
		}
	}
	return people.People(ids).Held()
}

// can has an account try a permission of a channel in the current sandbox. isTried is false if the permission can't be
// tried.
func can(server *sandbox.Server, account, in int64, permission string) (can, isTried bool) {
	r := &run{sandbox: server}
	r.lookAround()
	how := channelAttempts[permission]
	answer, skip := r.attempt(how, int(in), int(account))
	return answer.Done(), skip == "" && (answer.Done() || how.isRefusal(answer))
}
