package life

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Turn is one thing that happens. It draws what exactly from its seed.
type Turn struct {
	Kind string // an edit, a change outside, or a kind below
	Seed uint64
}

// The kinds of turns other than edits.
const (
	apply   = "plan and apply"
	late    = "plan, something happens, and apply"
	faulty  = "plan, and apply with a fault"
	partly  = "plan with -target and apply"
	blindly = "plan with -refresh=false and apply"
	byHand  = "outside: "
	addKind = "add "

	outsideChange = "a change outside"
)

// A focus is what a history is about.
type focus struct{ kinds, edits, outsides []string }

// everything is the widest focus, that of half of the histories.
func everything() focus {
	return focus{kinds, weighted(), append(slices.Sorted(maps.Keys(outsides)), often...)}
}

// some draws a focus on a few kinds of resources, edits and changes outside. Rare mixes of them are then frequent.
func (f focus) some(r *rand.Rand) focus {
	few := func(all []string, count int) (drawn []string) {
		for range count {
			drawn = append(drawn, all[r.IntN(len(all))])
		}
		return drawn
	}
	return focus{few(f.kinds, 7), few(f.edits, 6), few(f.outsides, 3)}
}

// New draws a history of some rounds.
func New(seed uint64, rounds int) (turns []Turn) {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	put := func(kind string) { turns = append(turns, Turn{kind, r.Uint64()}) }
	of := func(all []string) string { return all[r.IntN(len(all))] }
	about := everything()
	if r.IntN(2) == 0 {
		about = about.some(r)
	}
	start := []string{"zulip_user", "zulip_user", "zulip_user_group", "zulip_channel", "zulip_channel", "zulip_channel_subscribers", "zulip_organization", "zulip_user_group"}
	for _, kind := range start {
		if r.IntN(4) > 0 {
			put(addKind + kind)
		}
	}
	for range 1 + r.IntN(7) {
		put(addKind + of(about.kinds))
	}
	put(apply)
	for range rounds {
		for range 1 + r.IntN(3) {
			switch edit := of(about.edits); {
			case r.IntN(4) == 0:
				put(byHand + of(about.outsides))
			case edit == "add":
				put(addKind + of(about.kinds))
			default:
				put(edit)
			}
		}
		put([]string{apply, apply, apply, apply, late, late, faulty, faulty, partly, blindly}[r.IntN(10)])
	}
	return turns
}

// An Outcome is what a history has shown.
type Outcome struct {
	Rounds, Refused int
	// Changes are the changes on the server that were looked up in a plan, and Effects the effects of an apply that were looked
	// up in a review.
	Changes, Effects int
	// Violations are the broken promises, one a line. After the first round with any, a history ends.
	Violations []string
	// Text is the history in words, with its configurations.
	Text string
}

// A story is the course of a history.
type story struct {
	*World
	words   strings.Builder
	lastHCL string
	outcome Outcome
	before  *configuration // the last configuration that was applied
	done    []string       // what happened since
	isOver  bool           // after a violation, or a failure that the plan has announced
}

// Play plays a history with the latency that the seed draws.
func Play(turns []Turn, seed uint64, picture string) (Outcome, error) {
	w, err := newWorld(picture, []time.Duration{0, 5, 15, 30}[seed/3%4]*time.Millisecond)
	if err != nil {
		return Outcome{}, err
	}
	defer w.close()
	w.random, w.warns = seed, seed%3 > 0
	s := &story{World: w, before: newConfiguration()}
	role := "owner"
	if seed%4 == 1 {
		role = "administrator"
		terry, _ := w.server.Credentials("terry")
		w.call("olga", "PATCH", fmt.Sprint("/users/", terry.ID), map[string]any{"role": 200})
	}
	s.say("# A sandbox with a latency of %v. terry is the provider's account, an %s; olga, an owner, changes things in the web app. Administrator: ada (the", w.latency, role)
	s.say("# provider configuration \"second\"); moderator: mo; members: mel, max, kim; guest: gus. Each has the email NAME@example.com.")
	s.say("provider \"zulip\" {\n  access_warnings = %t\n}", w.warns)
	for _, turn := range turns {
		s.play(turn)
		if s.isOver || len(s.outcome.Violations) > 0 {
			break
		}
	}
	s.outcome.Text = s.words.String()
	return s.outcome, nil
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(&s.words, format+"\n", args...) }

// violate notes a broken promise, on one line.
func (s *story) violate(law, format string, args ...any) {
	line := strings.Join(strings.Fields(law+": "+fmt.Sprintf(format, args...)), " ")
	s.outcome.Violations = append(s.outcome.Violations, line)
	s.say("VIOLATION of %s", line)
}

// violateAll notes the errors of a plan or apply as broken promises.
func (s *story) violateAll(law, when string, problems []problem) {
	for _, one := range problems {
		if one.IsError {
			configured := ""
			if b := s.config.blocks[one.address]; b != nil && one.Attribute != "" && b.config[one.Attribute] == nil {
				configured = " (not configured)"
			}
			s.violate(law, "%s%s: %s%s: %s", when, s.config.providers(), one.address, configured, one.String())
		}
	}
}

func (s *story) play(turn Turn) {
	g := newGenerator(s.World, turn.Seed)
	switch turn.Kind {
	case apply, late, faulty, partly, blindly:
		s.round(g, turn.Kind)
	default:
		name, isOutside := strings.CutPrefix(turn.Kind, byHand)
		if !isOutside {
			s.edit(g, turn.Kind)
		} else if what, _ := outsides[name](g); what != "" {
			s.say("* in the web app, a person %s", what)
			s.done = append(s.done, what)
		}
	}
}

// edit changes the configuration, with another edit if that one cannot be done now.
func (s *story) edit(g *generator, name string) {
	all := weighted()
	for range 5 {
		g.c = s.config.clone()
		g.c.imports, g.c.moved = maps.Clone(s.config.imports), maps.Clone(s.config.moved)
		g.c.removed, g.c.replace = slices.Clone(s.config.removed), slices.Clone(s.config.replace)
		var what string
		if kind, isAdd := strings.CutPrefix(name, addKind); isAdd {
			what = addOf(g, kind)
		} else {
			what = edits[name](g)
		}
		if what != "" && !g.c.hasCycle() {
			s.config = g.c
			s.say("* edit: %s", what)
			s.done = append(s.done, what)
			return
		}
		name = all[g.IntN(len(all))]
	}
}

// providers says in violations that the configuration has two provider configurations.
func (c *configuration) providers() string {
	for _, b := range c.blocks {
		if b.usesSecond {
			return " with two providers"
		}
	}
	return ""
}

// hasCycle reports whether Terraform would refuse the configuration, because resources need each other.
func (c *configuration) hasCycle() bool {
	needs, _ := c.dependencies()
	for address := range c.blocks {
		if slices.Contains(needs[address], base(address)) {
			return true
		}
	}
	return false
}

func (g *generator) outside() (string, *kept) {
	all := everything().outsides
	return outsides[all[g.IntN(len(all))]](g)
}

// round plans and applies once.
func (s *story) round(g *generator, kind string) {
	s.outcome.Rounds++
	defer func() { s.done = nil }()
	if isPlain := len(s.config.moved)+len(s.config.removed)+len(s.config.imports) == 0; kind == partly && isPlain {
		s.target = g.of(s.config.addresses()...)
	}
	s.skipsRefresh = kind == blindly
	options := s.options()
	p := s.planInWords()
	s.target, s.skipsRefresh = "", false
	for isFirst := len(s.before.blocks) == 0; p.isFailed && isFirst && s.dropRefused(p); {
		p = s.planInWords()
	}
	if p.isFailed {
		s.outcome.Refused++
		s.refused(p, kind == blindly)
		return
	}
	var changed *kept
	disturbed, since := "", "" // since is what a person did after the plan
	if kind == blindly {
		disturbed = options // as if everything since the last refresh had happened after the plan
	}
	heal := func() {}
	switch kind {
	case late:
		what, kept := g.outside()
		if what != "" {
			s.say("* in the web app, a person %s", what)
			disturbed, changed, since = outsideChange, kept, what
		}
	case faulty:
		name := g.of(slices.Sorted(maps.Keys(faults))...)
		fault := faults[name]
		if name != "lag" {
			fault.Skip, fault.Count = g.IntN(15), 1
		}
		heal = s.server.Fail(fault)
		disturbed = fmt.Sprintf("%s at request %d", name, fault.Skip)
		s.say("* %s", disturbed)
	}
	reviewed := func() {}
	if disturbed == "" && options == "" && g.chance(50) && s.config.providers() == "" {
		reviewed = s.review(p)
	}
	facts := s.facts()
	problems, broken := s.applyPlan(p)
	heal()
	failed := isFailed(problems)
	s.say("terraform apply%s", texts(problems))
	if strings.Contains(since, "email") {
		broken = slices.DeleteFunc(broken, isOutdated)
	}
	s.crashes("apply", broken, problems)
	s.config = s.config.clone()
	s.before = s.config.clone()
	switch {
	case len(s.outcome.Violations) > 0:
	case failed && disturbed == "" && len(s.config.blocks) == 0:
		s.isOver = true
		s.violateAll("A", "terraform destroy", p.unannounced(problems))
	case failed && disturbed == "":
		s.isOver = true
		s.violateAll("A", "apply", p.unannounced(problems))
	case changed != nil && !changed.is():
		s.violate("D", "%s was overwritten", changed.what)
	default:
		if disturbed == "" {
			s.unplanned(p, facts)
			reviewed()
		}
		p.problems = append(p.problems, problems...) // a warning of the apply announces the next plan too
		s.converges(p, cmp.Or(disturbed, options, "nothing else"))
	}
}

// options are those of a plan that does not read or plan everything.
func (s *story) options() string {
	switch {
	case s.target != "":
		return " -target=" + s.target
	case s.skipsRefresh:
		return " -refresh=false"
	}
	return ""
}

// planInWords plans, and writes the configuration and the plan.
func (s *story) planInWords() *fullPlan {
	if text := s.config.HCL(); text != s.lastHCL {
		s.say("--- configuration:\n%s---", text)
		s.lastHCL = text
	}
	states := maps.Clone(s.states)
	p := s.plan()
	s.say("terraform plan%s%s:\n%s%s", s.options(), strings.Join(append([]string{""}, s.config.replace...), " -replace="), strings.Join(p.words(), "\n"), texts(p.problems))
	s.crashes("plan", p.broken, p.problems)
	if p.isFailed {
		s.states = states // a failed plan changes no state
	}
	return p
}

// dropRefused removes the resources that a plan refuses for a reason, and reports whether there are any.
func (s *story) dropRefused(p *fullPlan) bool {
	g := newGenerator(s.World, 0)
	dropped := false
	for _, one := range p.problems {
		if b := s.config.blocks[one.address]; one.IsError && b != nil && isRefusal(one) {
			g.remove(b)
			dropped = true
		}
	}
	return dropped
}

// announces reports whether the apply is right to fail in this way: a warning of the plan says so, or only the apply can know it.
func (p *fullPlan) announces(failure problem) bool {
	return isLater(failure) || slices.ContainsFunc(p.problems, func(said problem) bool {
		willFail := strings.HasSuffix(said.Summary, "so the apply will fail") || strings.HasPrefix(said.Detail, "The apply will fail")
		isTaken := strings.Contains(said.Summary, "loses permissions of the organization") && strings.Contains(failure.Detail, "The organization's setting")
		return isTaken || said.address == failure.address && (said.Announces(failure.Diagnostic) || willFail && !said.IsError)
	})
}

// saysMore reports whether a warning of the plan says that the next plan has something to do.
func (p *fullPlan) saysMore() bool {
	return slices.ContainsFunc(p.problems, func(said problem) bool {
		return !said.IsError && (strings.Contains(said.Detail, "next plan") || strings.Contains(said.Detail, "plan after that"))
	})
}

// unannounced are the errors that the plan did not announce.
func (p *fullPlan) unannounced(problems []problem) []problem {
	return slices.DeleteFunc(slices.Clone(problems), func(one problem) bool { return !one.IsError || p.announces(one) })
}

// converges plans and applies until nothing is left to do. Without a disturbance that must be immediately, unless the plan
// has announced more.
func (s *story) converges(applied *fullPlan, disturbed string) {
	law, most := "B", 0
	isPartial := disturbed == outsideChange || strings.HasPrefix(disturbed, " -") // what the plan did not see can be refused
	switch {
	case disturbed != "nothing else":
		law, most = "E", 3
	case applied.saysMore():
		most = 1
	}
	for try := 0; ; try++ {
		p := s.planInWords()
		switch {
		case p.isFailed:
			s.violateAll(law, "next plan after "+disturbed, slices.DeleteFunc(slices.Clone(p.problems), func(one problem) bool {
				return applied.announces(one) || isPartial && isRefusal(one)
			}))
			s.isOver = true
			return
		case p.isEmpty():
			s.single()
			s.orphans()
			return
		case try == most && s.config.isContested():
			s.isOver = true
			return
		case try == most:
			s.violate(law, "the next plan after %s%s is not empty: %s; done: %s", disturbed, s.config.providers(), strings.Join(p.words(), ", "), strings.Join(s.done, "; "))
			return
		}
		applied = p
		problems, broken := s.applyPlan(p)
		s.crashes("apply", broken, problems)
		if isFailed(problems) {
			problems = p.unannounced(problems)
			if isPartial {
				problems = slices.DeleteFunc(problems, isRefusal)
			}
			s.violateAll(law, "next apply after "+disturbed, problems)
			s.isOver = true
			return
		}
	}
}

// single checks that no object is in the state twice.
func (s *story) single() {
	seen := map[string]string{}
	for _, address := range slices.Sorted(maps.Keys(s.states)) {
		state := s.states[address]
		key := fmt.Sprint(state.kind, state.Values["id"])
		if seen[key] != "" && state.Values["id"] != nil {
			s.violate("E", "doubled: %s and %s are both %v", seen[key], address, state.Values["id"])
		}
		seen[key] = address
	}
}

// outdated is what Terraform says when a person has taken or given up an email since the plan, and so the apply would name someone else:
// it stops before it asks the provider to change anything.
var outdated = regexp.MustCompile(`: \w+_ids?: planned .* and on apply`)

func isOutdated(message string) bool { return outdated.MatchString(message) }

// crashes checks that nothing is a mistake of the provider's.
func (s *story) crashes(during string, broken []string, problems []problem) {
	for _, message := range broken {
		s.violate("F", "%s: %s", during, message)
	}
	for _, one := range problems {
		if words := one.Summary + one.Detail; strings.Contains(words, "crash: ") || strings.Contains(words, "bug in the provider") || strings.Contains(words, "report this") {
			s.violate("F", "%s: %s: %s", during, one.address, one.String())
		}
	}
}

// refused judges a plan that failed, and takes the edits back. An outdated state is a reason for any refusal.
func (s *story) refused(p *fullPlan, isOutdated bool) {
	if !isOutdated {
		s.violateAll("P", "plan", slices.DeleteFunc(slices.Clone(p.problems), isRefusal))
	}
	s.config = s.before.clone()
	s.say("* the edits are taken back")
}

// texts writes messages for people.
func texts(problems []problem) string {
	var out strings.Builder
	for _, one := range problems {
		fmt.Fprintf(&out, "\n  %s: %s", one.address, strings.ReplaceAll(one.String(), "\n", "\n    "))
	}
	return out.String()
}
