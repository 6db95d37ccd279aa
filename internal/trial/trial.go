// Package trial tries what a review computes. [Run] takes a sandbox that is like the organization, has every account of a sample try
// every right in dispute, applies the plan through the provider, and has them try again. Where the rules of the sandbox allow
// something else than was computed, the review or the sandbox is wrong: [report.Tried] says where.
//
// How each right is tried is in attempts.go, how a plan is applied in apply.go. Nothing here decides who may do what.
package trial

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/recording"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// DefaultSample is how many accounts try, if nobody says otherwise.
const DefaultSample = 40

// Beside is in how many channels, where nothing changes by computing, that is tried as well.
const Beside = 5

// maxThings is in how many channels, and over how many user groups, rights are tried: of those with the same effects, a few do.
const maxThings = 40

// Input says what to try.
type Input struct {
	// Version is that of the provider.
	Version string
	// Sandbox is the organization as it was read, with the same IDs. It is changed.
	Sandbox *sandbox.Server
	// Self is the ID of the account that applies the plan.
	Self int64
	// Report and Computed are what the review found.
	Report   *report.Report
	Computed *review.Computed
	// Sample is how many accounts try; 0: [DefaultSample].
	Sample int
	// Missing is what the account that read the organization was not shown, in words; nil if nothing.
	Missing []string
}

// Sandbox returns a sandbox like the organization that a client reads, and what of it is missing in it because the account is no
// administrator. It sends only what reads: whatever is tried, is tried there.
func Sandbox(ctx context.Context, client *zulip.Client, me *zulip.User) (server *sandbox.Server, missing []string, err error) {
	recorded, err := recording.ReadShown(ctx, client, me)
	if err != nil {
		return nil, nil, err
	}
	if me.Role > zulip.RoleAdministrator {
		missing = recorded.NotSeen
	}
	file, err := recorded.Encode()
	if err != nil {
		return nil, nil, err
	}
	server, err = sandbox.New(sandbox.Config{Organization: file})
	return server, missing, err
}

// Run tries everything in dispute before the plan, applies it to the sandbox, and tries again. It returns an error if nothing can be
// tried at all, or if the context ends.
func Run(ctx context.Context, in Input) (*report.Tried, error) {
	self, known := in.Sandbox.CredentialsByID(int(in.Self))
	if !known {
		return nil, fmt.Errorf("the sandbox does not have the account %d", in.Self)
	}
	if err := in.Sandbox.AllowInShell(self.ID); err != nil {
		return nil, err
	}
	applier, err := newApplier(ctx, in.Version, in.Sandbox, self)
	if err != nil {
		return nil, err
	}
	r := &run{
		ctx: ctx, in: in, applier: applier, rights: map[string]bool{}, accounts: map[int]bool{}, untried: map[untriedKey]int{},
		said: &report.Tried{Differences: []*report.Difference{}, Untried: []*report.Untried{}, Unapplied: []*report.NotApplied{}},
	}
	if slices.ContainsFunc(in.Report.Channels, func(one *report.Channel) bool {
		return slices.ContainsFunc(one.Rights, func(right *report.Right) bool { return right.Internet != "" })
	}) {
		r.leave("what anyone on the internet reads", "there is no account that could try", 0)
	}
	for _, what := range in.Missing {
		r.leave(what, "the account that reviews is not an administrator and does not see it", 0)
	}
	r.chooseSubjects()
	r.chooseAccounts()
	if err := r.try(false); err != nil {
		return nil, err
	}
	if err := applier.apply(in.Computed.Changes); err != nil {
		return nil, err
	}
	r.said.Unapplied = append(r.said.Unapplied, applier.sortUnapplied()...)
	r.resolveCreated()
	if err := r.try(true); err != nil {
		return nil, err
	}
	r.finish()
	return r.said, nil
}

// run is one [Run].
type run struct {
	ctx     context.Context
	in      Input
	applier *applier
	said    *report.Tried

	subjects []*subject
	sample   []*account
	// others and everybody are those of [try], at the time.
	others, everybody []int

	rights   map[string]bool // that were tried
	accounts map[int]bool    // that tried
	untried  map[untriedKey]int
}

type untriedKey struct{ what, why string }

// kind is what rights are over.
type kind int

const (
	channel kind = iota
	group
	organization
)

// subject is a thing with the rights over it, before and after.
type subject struct {
	kind  kind
	where string
	id    int // 0 before it is created
	// addresses are the resources of the plan that change it.
	addresses     []string
	before, after []*access.Right
}

// account is somebody who tries. The ID is that in the report until the account is there, and negative before.
type account struct {
	id      int64
	name    string
	address string
}

// chooseSubjects chooses what is tried: what the report names, a few of each that has the same effects, and some of which it says
// that nothing changes.
func (r *run) chooseSubjects() {
	before, after := r.in.Computed.Before, r.in.Computed.After
	r.addChannels(r.in.Report.ChannelBlocks(), before.Channels, after.Channels)
	for i, was := range r.in.Computed.BesideBefore {
		r.addChannel(was, r.in.Computed.BesideAfter[i])
	}
	named := map[int64]bool{}
	for _, one := range r.in.Report.Groups {
		named[one.ID] = true
	}
	was := map[int64]*access.Group{}
	for _, one := range before.Groups {
		was[one.ID] = one
	}
	groups, beside := 0, 0
	for _, is := range after.Groups {
		isNamed := is.ID < 0 || named[is.ID]
		switch {
		case isNamed && groups < maxThings:
			groups++
		case isNamed:
			r.leave(`user group "`+is.Name+`"`, "enough others were tried", 0)
			continue
		case beside < Beside:
			beside++
		default:
			continue
		}
		s := &subject{kind: group, where: fmt.Sprintf("user group %q", is.Name), id: int(max(is.ID, 0)), addresses: is.Addresses, after: is.Rights}
		if one := was[is.ID]; one != nil {
			s.before = one.Rights
		}
		if is.Action == report.Deactivate {
			s.after = nil // what is left of it nobody uses
		}
		r.subjects = append(r.subjects, s)
	}
	r.subjects = append(r.subjects, &subject{kind: organization, where: "the organization", before: before.Rights, after: after.Rights})
}

// addChannels adds channels of each block in turn, until there are enough.
func (r *run) addChannels(blocks []*report.Block, before, after []*access.Channel) {
	was, is := map[int64]*access.Channel{}, map[string]*access.Channel{}
	for _, one := range before {
		was[one.ID] = one
	}
	key := func(id int64, name string) string { return fmt.Sprint(max(id, 0), " ", name) }
	for _, one := range after {
		is[key(one.ID, one.Name)] = one
	}
	left, chosen := 0, 0
	for round := 0; ; round++ {
		some := false
		for _, block := range blocks {
			if round >= len(block.Channels) {
				continue
			}
			some = true
			one := is[key(block.Channels[round].ID, block.Channels[round].Name)]
			if chosen >= maxThings {
				left++
				continue
			}
			if one != nil {
				chosen++
				r.addChannel(was[one.ID], one)
			}
		}
		if !some {
			break
		}
	}
	if left > 0 {
		r.leave(report.Counted(left, "channel"), "others with the same effects were tried", 0)
	}
}

func (r *run) addChannel(was, is *access.Channel) {
	s := &subject{kind: channel, where: "#" + is.Name, id: int(max(is.ID, 0)), addresses: is.Addresses, after: is.Rights}
	if was != nil {
		s.before = was.Rights
	}
	r.subjects = append(r.subjects, s)
}

// chooseAccounts chooses who tries: everybody, or those whom the report names, some of each set and of each role first.
func (r *run) chooseAccounts() {
	limit := cmp.Or(r.in.Sample, DefaultSample)
	chosen := map[int64]bool{}
	add := func(id int64, name, address string) {
		if !chosen[id] && len(r.sample) < limit {
			chosen[id] = true
			r.sample = append(r.sample, &account{id, name, address})
		}
	}
	addUser := func(user *zulip.User) { add(user.ID, user.FullName, user.Address()) }
	addSet := func(set *report.People, most int) {
		for _, one := range set.First(most) {
			add(one.ID, one.Name, one.Address)
		}
	}
	everybody := slices.Collect(r.in.Computed.Before.People.Everybody().All())
	for _, user := range everybody {
		if user.ID == r.in.Self {
			addUser(user)
		}
	}
	sets := map[*report.People]bool{}
	var ordered []*report.People
	note := func(people ...*report.People) {
		for _, set := range people {
			if set.Len() > 0 && !sets[set] {
				sets[set] = true
				ordered = append(ordered, set)
			}
		}
	}
	for _, one := range r.in.Report.Channels {
		note(one.Joins, one.Leaves)
		for _, right := range one.Rights {
			note(right.Gain, right.Lose)
		}
	}
	for _, one := range r.in.Report.Groups {
		note(one.Joins, one.Leaves)
		for _, right := range one.Rights {
			note(right.Gain, right.Lose)
		}
	}
	for _, right := range r.in.Report.Rights {
		note(right.Gain, right.Lose)
	}
	const ofEach = 2
	for _, set := range ordered {
		addSet(set, ofEach)
	}
	ofRole := map[string]int{}
	for _, user := range everybody {
		role := fmt.Sprint(user.Role, user.IsBot)
		if ofRole[role]++; ofRole[role] <= ofEach {
			addUser(user)
		}
	}
	for _, set := range ordered {
		addSet(set, limit)
	}
	for _, one := range r.in.Report.People {
		add(one.AccountID, one.Account.Name, one.Account.Address)
	}
	for _, user := range everybody {
		addUser(user)
	}
}

// resolveCreated finds the IDs that were given to what the plan creates.
func (r *run) resolveCreated() {
	for _, s := range r.subjects {
		for _, address := range s.addresses {
			if s.id == 0 && s.kind != organization {
				s.id = int(r.applier.id(address))
			}
		}
	}
}

// idOf is the ID of an account in the sandbox; 0 if it is not there.
func (r *run) idOf(one *account) int {
	if one.id > 0 {
		return int(one.id)
	}
	for _, person := range r.in.Report.People {
		for _, address := range person.Addresses {
			if person.AccountID == one.id && r.applier.id(address) > 0 {
				return int(r.applier.id(address))
			}
		}
	}
	return 0
}

// leave notes what is not tried.
func (r *run) leave(what, why string, tries int) { r.untried[untriedKey{what, why}] += tries }

// try has everybody try everything that can be done now.
func (r *run) try(isAfter bool) error {
	if isAfter && r.isUncertain() {
		r.leave("everything after the plan", "changes that have effects anywhere could not be applied", 0)
		return nil
	}
	r.lookAround()
	for _, s := range r.subjects {
		rights := s.before
		if isAfter {
			rights = s.after
		}
		switch {
		case len(rights) == 0:
			continue
		case s.id == 0 && s.kind != organization && !isAfter:
			continue // it is not there yet
		case isAfter && r.isUnapplied(s):
			r.leave(s.where+" after the plan", "the change could not be applied", 0)
			continue
		case s.id == 0 && s.kind != organization:
			r.leave(s.where+" after the plan", "it was not found in the sandbox", 0)
			continue
		}
		for _, right := range rights {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			r.tryRight(s, right, rights, isAfter)
		}
	}
	return nil
}

// lookAround finds out who is there.
func (r *run) lookAround() {
	r.others, r.everybody = nil, nil
	r.in.Sandbox.Organization().Read(func(o *rules.Organization) {
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

// isUncertain reports whether something could not be applied that can have effects in any channel.
func (r *run) isUncertain() bool {
	return slices.ContainsFunc(r.in.Computed.Changes, func(change *plan.Change) bool {
		_, failed := r.applier.failed[change.Address]
		return failed && hasEffectsElsewhere(change.Type)
	})
}

func (r *run) isUnapplied(s *subject) bool {
	return slices.ContainsFunc(s.addresses, func(address string) bool { _, failed := r.applier.failed[address]; return failed })
}

// attemptOf is how a right is tried; nil if no request tries it.
func attemptOf(s *subject, right string) *attempt {
	return map[kind]map[string]*attempt{channel: channelAttempts, group: groupAttempts, organization: organizationAttempts}[s.kind][right]
}

// tryRight has everybody try one right.
func (r *run) tryRight(s *subject, right *access.Right, all []*access.Right, isAfter bool) {
	attempt := attemptOf(s, right.Name)
	if attempt == nil {
		r.leave(right.Name+" of "+s.where, "no request of the API tries it alone", 0)
		return
	}
	computed := r.computing(attempt, right, all, isAfter)
	for _, one := range r.sample {
		id := r.idOf(one)
		can, known := computed(one.id)
		if id == 0 || !r.isActive(id) {
			continue
		}
		if !known {
			r.leave(right.Name+" of "+s.where, cmp.Or(right.Why, "computing does not tell who can"), 1)
			continue
		}
		if s.kind == channel && r.isNew(one) {
			r.leave("rights in channels", "an account that the plan creates or reactivates comes into channels by itself, which the report says of the account", 1)
			continue
		}
		answer, skip := r.attempt(attempt, s.id, id)
		switch {
		case skip != "":
			r.leave(right.Name, skip, 1)
			continue
		case !answer.Done() && !attempt.isRefusal(answer):
			r.leave(right.Name, fmt.Sprintf("the server answered %d %q", answer.Status, answer.Message), 1)
			continue
		}
		r.said.Tries++
		r.rights[fmt.Sprint(s.kind, s.id, s.where, right.Name)], r.accounts[id] = true, true
		if answer.Done() != can {
			r.said.Differences = append(r.said.Differences, &report.Difference{
				Where: s.where, Right: right.Name, Text: right.Text, Account: int64(id), Name: one.name, Address: one.address,
				IsAfter: isAfter, Computed: can, Tried: answer.Done(), Answer: answer.Message,
			})
		}
	}
}

// isNew reports whether an account is there by the plan.
func (r *run) isNew(one *account) bool {
	return slices.ContainsFunc(r.in.Report.People, func(person *report.Person) bool {
		return person.AccountID == one.id && (person.Action == report.Create || person.Action == report.Reactivate)
	})
}

// attempt has an account try, and leaves nothing of it.
func (r *run) attempt(how *attempt, on, as int) (answer sandbox.TriedAnswer, skip string) {
	r.in.Sandbox.Try(func(trial *sandbox.Trial) {
		answer, skip = how.do(&try{Trial: trial, as: as, on: on, others: r.others, everybody: r.everybody})
	})
	return answer, skip
}

func (r *run) isActive(id int) bool {
	_, found := slices.BinarySearch(r.everybody, id)
	return found
}

// computing returns who can by computing, and whether that is known: by the right itself, by others that give it too, and where it
// takes another one, by that.
func (r *run) computing(how *attempt, right *access.Right, all []*access.Right, isAfter bool) func(id int64) (can, known bool) {
	side := r.in.Computed.Before
	if isAfter {
		side = r.in.Computed.After
	}
	granting := []permission.Held{right.Held}
	for _, name := range how.also {
		granting = append(granting, heldOf(all, name))
	}
	for _, name := range how.alsoOrganization {
		granting = append(granting, heldOf(side.Rights, name))
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
			one, isKnown := holds(heldOf(side.Rights, how.needs), id)
			can, known = can && one, known && isKnown
		}
		return can, known
	}
}

// heldOf is who has a right by name; nobody if there is none.
func heldOf(rights []*access.Right, name string) permission.Held {
	for _, right := range rights {
		if right.Name == name {
			return right.Held
		}
	}
	return permission.Held{}
}

// holds reports whether somebody has a right, and whether that is known.
func holds(held permission.Held, id int64) (has, known bool) {
	certain, isAll := held.Certain()
	if certain.Has(id) {
		return true, true
	}
	possible, isComplete := held.Possible()
	return false, isAll || isComplete && !possible.Has(id)
}

// administrators are those with the role, and owners.
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

// finish counts, and puts everything in order.
func (r *run) finish() {
	r.said.Rights, r.said.Accounts = len(r.rights), len(r.accounts)
	for _, key := range slices.SortedFunc(maps.Keys(r.untried), func(a, b untriedKey) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.why, b.why))
	}) {
		r.said.Untried = append(r.said.Untried, &report.Untried{What: key.what, Why: key.why, Tries: r.untried[key]})
	}
}

// Can has an account try a right in a channel, by the name of the permission, as it is in the sandbox now. isTried is false where that
// cannot be tried.
func Can(server *sandbox.Server, account, in int64, right string) (can, isTried bool) {
	r := &run{in: Input{Sandbox: server}}
	r.lookAround()
	how := channelAttempts[right]
	answer, skip := r.attempt(how, int(in), int(account))
	return answer.Done(), skip == "" && (answer.Done() || how.isRefusal(answer))
}
