package life

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	accessplan "github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// A fact is what the organization shows about an object. Only changes of the objects of some kinds of resources explain
// that it changes.
type fact struct {
	value string
	by    []string // kinds of resources
	id    string   // of the object, in the state of such a resource; "" for any
}

// facts reads what a plan must name before it changes it.
func (w *World) facts() map[string]fact {
	found := map[string]fact{}
	people := []string{"zulip_user", "zulip_bot", "zulip_user_role", "zulip_role_members"}
	view := w.server.Organization()
	for _, one := range view.People() {
		found[fmt.Sprint("person ", one.ID)] = fact{value: fmt.Sprintf("%s %q, role %d, active: %t, owner %q", one.Email, one.FullName, one.Role, one.Active, one.Owner), by: people}
	}
	for _, one := range view.Channels() {
		found[fmt.Sprint("channel ", one.ID)] = fact{
			value: fmt.Sprintf("%q %q, private: %t, web-public: %t, archived: %t, days: %v", one.Name, one.Description, one.Private, one.WebPublic, one.Archived, one.RetentionDays), by: []string{"zulip_channel"}, id: fmt.Sprint(one.ID),
		}
	}
	for _, one := range view.Groups() {
		found[fmt.Sprint("group ", one.ID)] = fact{value: fmt.Sprintf("%q %q, deactivated: %t", one.Name, one.Description, one.Deactivated), by: []string{"zulip_user_group"}, id: fmt.Sprint(one.ID)}
	}
	return found
}

// explains reports whether a plan names a change of a fact. New objects are explained by new resources.
func (p *fullPlan) explains(changed fact, isNew bool) bool {
	for _, one := range p.changes {
		if one.action == noOp || !slices.Contains(changed.by, one.kind()) {
			continue
		}
		isCreated := one.action == create || one.action == replace
		if changed.id == "" || isNew && isCreated || one.prior != nil && fmt.Sprint(one.prior.Values["id"]) == changed.id {
			return true
		}
	}
	return false
}

func (p *plannedChange) kind() string {
	if p.block != nil {
		return p.block.kind
	}
	return p.prior.kind
}

// unplanned checks that every change on the server stands in the plan.
func (s *story) unplanned(p *fullPlan, before map[string]fact) {
	after := s.facts()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was, existed := before[name]
		is := after[name]
		if was.value == is.value {
			continue
		}
		s.outcome.Changes++
		if !p.explains(is, !existed) {
			s.violate("C", "%s was %s and is %s; the plan has %q", name, was.value, is.value, p.words())
		}
	}
}

// orphans checks that every active object that was created since the start has been in the state, or was created by a person.
func (s *story) orphans() {
	check := func(kind string, id int, name string, active bool) {
		key := fmt.Sprint(kind, " ", id)
		if active && !s.initial[key] && !s.ever[key] && !strings.HasSuffix(name, "@example.org") {
			s.violate("E", "orphaned: %s %q exists and was never in the state", key, name)
		}
	}
	view := s.server.Organization()
	for _, one := range view.People() {
		kind := "zulip_user"
		if one.IsBot {
			kind = "zulip_bot"
		}
		check(kind, one.ID, one.Email, one.Active)
	}
	for _, one := range view.Channels() {
		check("zulip_channel", one.ID, one.Name, !one.Archived)
	}
	for _, one := range view.Groups() {
		check("zulip_user_group", one.ID, one.Name, !one.Deactivated)
	}
}

// JSON returns the plan as `terraform show -json` prints it, without values that are the same before and after.
func (p *fullPlan) JSON() []byte {
	changes := []any{}
	for _, address := range slices.Sorted(maps.Keys(p.changes)) {
		one := p.changes[address]
		actions := map[string][]string{noOp: {"no-op"}, create: {"create"}, update: {"update"}, destroy: {"delete"}, replace: {"delete", "create"}}[one.action]
		if one.action == replace && one.createsFirst {
			actions = []string{"create", "delete"}
		}
		var before, after values
		unknown := values{}
		if one.prior != nil {
			before = one.prior.Values
		}
		if one.plan != nil {
			after = values{}
			for name, value := range one.plan.Values {
				if strings.Contains(fmt.Sprint(value), fmt.Sprint(acctest.Unknown)) {
					unknown[name] = true // also a list with one unknown element
				} else {
					after[name] = value
				}
			}
		}
		kind, name, _ := strings.Cut(address, ".")
		changes = append(changes, map[string]any{
			"address": address, "mode": "managed", "type": kind, "name": base(name), "provider_name": "registry.terraform.io/zulip-iac/zulip",
			"change": map[string]any{"actions": actions, "before": before, "after": after, "after_unknown": unknown},
		})
	}
	text, err := json.Marshal(map[string]any{"format_version": "1.2", "planned_values": values{}, "resource_changes": changes})
	if err != nil {
		panic(err)
	}
	return text
}

// reading reads the organization as terry.
func (w *World) reading() (*store.Store, error) {
	credentials, _ := w.server.Credentials("terry")
	client, err := zulip.New(zulip.Config{Site: w.server.URL(), Email: credentials.Email, APIKey: credentials.APIKey})
	if err != nil {
		return nil, err
	}
	self, err := client.Me(context.Background())
	if err != nil {
		return nil, err
	}
	return store.New(client, self, 0, new(runstate.State)).OneAtATime(), nil
}

func (w *World) audit() (*audit.Audit, error) {
	from, err := w.reading()
	if err != nil {
		return nil, err
	}
	return audit.Make(context.Background(), from, audit.Options{Site: w.server.URL(), Now: time.Now()})
}

// effects are who gains and loses what in a report, by IDs. unknown are the permissions about which it says nothing certain.
func effects(r *report.Report) (certain, unknown map[string]bool) {
	certain, unknown = map[string]bool{}, map[string]bool{}
	for _, person := range r.People {
		if person.LosesEverything {
			unknown[fmt.Sprint("person ", person.AccountID)] = true
		}
	}
	for _, channel := range r.Channels {
		for _, one := range channel.Permissions {
			for _, side := range []struct {
				word string
				who  *report.People
			}{{"gains", one.Gain}, {"loses", one.Lose}} {
				for _, id := range side.who.IDs() {
					certain[fmt.Sprintf("channel %d: person %d %s %s", channel.ID, id, side.word, one.Name)] = true
				}
			}
			if one.Unknown {
				unknown[fmt.Sprint("channel ", channel.ID, " ", one.Name)] = true
			}
		}
	}
	return certain, unknown
}

// review reviews a plan and audits the organization. check compares the result with an audit after the apply: what someone
// has gained or lost stands in the review.
func (s *story) review(p *fullPlan) (check func()) {
	from, err := s.reading()
	parsed, parseErr := accessplan.Parse(p.JSON())
	before, auditErr := s.audit()
	if err != nil || parseErr != nil || auditErr != nil {
		s.violate("G", "%v %v %v", err, parseErr, auditErr)
		return func() {}
	}
	said, err := review.New(context.Background(), parsed, review.Options{Store: from, Site: s.server.URL(), Now: time.Now()})
	if err != nil {
		s.violate("G", "the review fails: %v", err)
		return func() {}
	}
	return func() {
		after, err := s.audit()
		if err != nil {
			s.violate("G", "%v", err)
			return
		}
		compared, err := audit.Compare(before, after)
		if err != nil {
			s.violate("G", "%v", err)
			return
		}
		s.compare(said, compared, before)
	}
}

func (s *story) compare(said, compared *report.Report, before *audit.Audit) {
	expected, unknown := effects(said)
	happened, _ := effects(compared)
	isOld := map[int64]bool{}
	for _, channel := range before.Channels {
		isOld[channel.ID] = true
	}
	old := map[int64]bool{}
	for _, account := range before.Accounts {
		old[account.ID] = true
	}
	for _, effect := range slices.Sorted(maps.Keys(happened)) {
		var channel, person int64
		var word, permission string
		if _, err := fmt.Sscanf(effect, "channel %d: person %d %s %s", &channel, &person, &word, &permission); err != nil {
			panic(err)
		}
		s.outcome.Effects++
		isUnknown := unknown[fmt.Sprint("channel ", channel, " ", permission)] || unknown[fmt.Sprint("person ", person)] && word == "loses"
		if isOld[channel] && old[person] && !expected[effect] && !isUnknown {
			s.violate("G", "the review does not say: %s", effect)
		}
	}
}
