package laws

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// An Outcome is what happened to a configuration, from the validation to the plan after the apply.
type Outcome struct {
	// Refusal are the errors of the validation or the plan: nothing was sent.
	Refusal acctest.Diagnostics
	// Warnings are those of the plan.
	Warnings acctest.Diagnostics
	// Failure are the errors of an apply whose plan was accepted.
	Failure acctest.Diagnostics
	// Changes are the attributes that the next plan still changes.
	Changes []string
	// Breach is what Terraform itself would report as a bug of the provider.
	Breach string
}

// Applied reports whether the configuration was applied, and the next plan is empty.
func (o Outcome) Applied() bool { return len(o.Refusal)+len(o.Failure) == 0 && o.wrong() == "" }

// wrong returns the violation of the promise behind most laws: what a plan accepts, the apply does, and once.
func (o Outcome) wrong() string {
	switch {
	case o.Breach != "":
		return "the protocol is violated"
	case slices.ContainsFunc(o.Failure, func(one acctest.Diagnostic) bool {
		return !slices.ContainsFunc(o.Warnings, func(said acctest.Diagnostic) bool { return said.Announces(one) })
	}):
		return "planned, but not applied"
	case len(o.Changes) > 0:
		return "the next plan is not empty"
	case slices.ContainsFunc(o.Refusal, isForeign):
		return "refused in the framework's words"
	}
	return ""
}

// Report reports a violation of the promise behind most laws, and returns whether there is none.
func (o Outcome) Report(c *Case) bool {
	c.Helper()
	if wrong := o.wrong(); wrong != "" {
		c.Broken(wrong, o)
		return false
	}
	return true
}

// Start reports a configuration that the rest of a trial needs, unless it was applied.
func (o Outcome) Start(c *Case) bool {
	c.Helper()
	if !o.Applied() {
		c.Logf("the trial cannot start: %s", o)
		c.NotTried("its start fails")
	}
	return o.Applied()
}

func (o Outcome) String() string {
	return fmt.Sprint(o.Breach, strings.Join(o.Changes, " "), Brief(append(slices.Clone(o.Refusal), o.Failure...)))
}

// Names reports whether an error is at the subject or names it.
func (o Outcome) Names(s Subject) bool {
	return slices.ContainsFunc(o.Refusal, func(one acctest.Diagnostic) bool {
		return one.Attribute == s.Path[0] || strings.Contains(one.Summary+one.Detail, s.Name)
	})
}

// isForeign reports whether an error is not in the provider's own words, but in those of the plugin framework.
func isForeign(one acctest.Diagnostic) bool {
	return slices.ContainsFunc([]string{"always an error in the provider", "eport this to the provider", "Value Conversion Error"}, func(phrase string) bool {
		return strings.Contains(one.String(), phrase)
	})
}

// Brief returns diagnostics in one short line.
func Brief(diags acctest.Diagnostics) string {
	text := strings.Join(strings.Fields(diags.String()), " ")
	if characters := []rune(text); len(characters) > 400 {
		text = string(characters[:400]) + "…"
	}
	return fmt.Sprintf("%+q", text)
}

// A Trial drives one resource, in a process for each step as the CLI does. It reports failures of the test as a breach.
type Trial struct {
	*acctest.Run
	Resource string
	*Witness
}

// NewTrial returns a trial of a resource that doesn't exist yet.
func NewTrial(t testing.TB, o *acctest.Organization, resource string) *Trial {
	t.Helper()
	w := &Witness{TB: t}
	return &Trial{o.NewRun(w, resource), resource, w}
}

// Trial returns a trial of the resource of the subject.
func (s Stage) Trial(c *Case) *Trial {
	c.Helper()
	return NewTrial(c, s.Organization, s.Of)
}

// Try uses a configuration: a resource is applied and planned again, everything else is used once.
func (s Stage) Try(c *Case, config acctest.Values) (out Outcome) {
	c.Helper()
	if s.Kind == acctest.ResourceBlock {
		return s.Trial(c).Try(config)
	}
	return s.alone(c, func(p *acctest.Process) (out Outcome) {
		if s.Kind != acctest.ProviderBlock {
			p.Configure(s.Provider).ExpectNoError(c)
		}
		refusal, failure := p.UseBlock(s.Kind, s.Of, config)
		return Outcome{Refusal: refusal.Errors(), Warnings: refusal.Warnings(), Failure: failure.Errors()}
	})
}

// Validate validates a configuration.
func (s Stage) Validate(c *Case, config acctest.Values) Outcome {
	c.Helper()
	return s.alone(c, func(p *acctest.Process) Outcome {
		return Outcome{Refusal: p.ValidateBlock(s.Kind, s.Of, config).Errors()}
	})
}

func (s Stage) alone(c *Case, use func(*acctest.Process) Outcome) (out Outcome) {
	c.Helper()
	w := &Witness{TB: c}
	breach := w.Watch(func() { out = use(acctest.StartProcess(c.Context(), w)) })
	out.Breach = breach
	return out
}

// Try validates, plans and applies a configuration, and plans it again.
func (r *Trial) Try(config acctest.Values) (out Outcome) {
	out.Breach = r.Watch(func() {
		plan, diags := r.Plan(config)
		if out.Refusal, out.Warnings = diags.Errors(), diags.Warnings(); len(out.Refusal) > 0 {
			return
		}
		if out.Failure = r.CarryOut(plan, config).Errors(); len(out.Failure) == 0 {
			r.again(config, &out)
		}
	})
	return out
}

// again plans a configuration that was applied.
func (r *Trial) again(config acctest.Values, out *Outcome) {
	again, diags := r.Plan(config)
	if out.Failure = diags.Errors(); len(out.Failure) == 0 && !again.Empty() {
		out.Changes = again.Changes()
		if len(out.Changes) == 0 {
			out.Changes = []string{"the object"}
		}
	}
}

// Later plans a configuration with unknown values, and applies it with known ones.
func (r *Trial) Later(unknown, known acctest.Values) (out Outcome) {
	out.Breach = r.Watch(func() {
		plan, diags := r.Plan(unknown)
		if out.Failure, out.Warnings = diags.Errors(), diags.Warnings(); len(out.Failure) > 0 {
			return
		}
		again, diags := r.Fork().Plan(known)
		if out.Failure = diags.Errors(); len(out.Failure) > 0 {
			return
		}
		if len(plan.Replace) == 0 && len(again.Replace) > 0 {
			r.Errorf("an update turns into a replacement because of %q", again.Replace)
			return
		}
		if out.Failure = r.CarryOut(plan, known).Errors(); len(out.Failure) == 0 {
			r.again(known, &out)
		}
	})
	return out
}

// CarryOut applies a plan as the CLI does: an empty one is not applied, and a replacement destroys the old object first.
// config is the configuration during the apply.
func (r *Trial) CarryOut(plan *acctest.PlannedChange, config acctest.Values) acctest.Diagnostics {
	switch {
	case plan.Empty() && len(plan.Replace) == 0:
		return nil
	case plan.Prior == nil || len(plan.Replace) == 0:
		plan.Config = config
		return r.Apply(plan)
	}
	anew, diags := r.Process().Plan(r.Resource, plan.Replaced(), plan.Config)
	if len(diags.Errors()) > 0 {
		return diags
	}
	p := r.Process()
	state, ended := p.Apply(p.DestroyOf(anew, plan.Prior))
	if r.State = state; len(ended.Errors()) > 0 {
		return ended
	}
	made, diags := p.Plan(r.Resource, anew.Prior, config)
	if diags = append(ended, diags...); len(diags.Errors()) > 0 {
		return diags
	}
	state, applied := p.Apply(made)
	if r.State = state; len(applied.Errors()) == 0 {
		made.CheckApplied(r.Witness, state)
	}
	return append(diags, applied...)
}

// A Witness is the test of a trial whose failures are what a law looks for.
type Witness struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

type fatal struct{}

// Watch returns the failures during a call, including a panic of the provider.
func (w *Witness) Watch(do func()) (said string) {
	before := len(w.all())
	defer func() {
		if reason := recover(); reason != nil && reason != (fatal{}) {
			w.Errorf("panic: %v", reason)
		}
		said = strings.Join(w.all()[before:], "; ")
	}()
	do()
	return said
}

func (w *Witness) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said)
}

// Error notes a failure.
func (w *Witness) Error(details ...any) { w.Errorf("%s", fmt.Sprint(details...)) }

// Errorf notes a failure.
func (w *Witness) Errorf(format string, details ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, details...))
}

// Fatal notes a failure, and ends [Witness.Watch].
func (w *Witness) Fatal(details ...any) { w.Error(details...); panic(fatal{}) }

// Fatalf notes a failure, and ends [Witness.Watch].
func (w *Witness) Fatalf(format string, details ...any) { w.Errorf(format, details...); panic(fatal{}) }
