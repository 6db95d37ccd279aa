package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// steps are the applies of a life.
var steps = []string{"create", "update", "destroy"}

// A faultyApply is an apply that a fault disturbs, and the applies after it.
type faultyApply struct {
	c        *laws.Case
	resource string
	step     string
	// writes are the positions of the writes among the requests of the undisturbed apply.
	writes []int
}

// newFaultyApply applies without a fault, and notes the writes. It returns nil if nothing is written.
func newFaultyApply(c *laws.Case, resource, step string) *faultyApply {
	c.Helper()
	f := &faultyApply{c: c, resource: resource, step: step}
	_, _, requests := f.apply(nil)
	for i, request := range requests {
		if request.Method != http.MethodGet && request.Path != "/register" && request.Path != "/events" {
			f.writes = append(f.writes, i)
		}
	}
	return f
}

// apply applies a step of a life with a fault. It returns the requests of the apply.
func (f *faultyApply) apply(fault *sandbox.Fault) (run *laws.Trial, config values, requests []sandbox.Request) {
	f.c.Helper()
	o := acctest.NewSandbox(f.c.T, sandbox.Config{FeatureLevel: featurelevel.Newest})
	l := lifeOf(lives(f.c.T, o), f.resource)
	run, config = laws.NewTrial(f.c, o, f.resource), l.create
	run.Block["max_retries"] = 0
	if f.step != "create" {
		if f.step == "update" && l.update == nil || !run.Try(config).Applied() {
			return nil, nil, nil
		}
		config = map[string]values{"update": l.updated(featurelevel.Newest)}[f.step]
	}
	breach := run.Watch(func() {
		plan := run.MustPlan(config)
		sent, heal := o.Sent(), func() {}
		if fault != nil {
			heal = o.Sandbox.Fail(*fault)
		}
		run.CarryOut(plan, config)
		heal()
		requests = slices.Clone(sent.Requests())
	})
	if breach != "" {
		f.c.Broken("the protocol is violated", breach)
	}
	return run, config, requests
}

// converges applies again, and reports what is left.
func (f *faultyApply) converges(run *laws.Trial, config values, requests []sandbox.Request) {
	f.c.Helper()
	if config == nil {
		f.ends(run)
	} else {
		run.Try(config).Report(f.c)
	}
	seen := map[string]bool{}
	for _, r := range requests {
		write := fmt.Sprint(r.Method, r.Path, slices.Sorted(maps.Keys(r.Params)), r.Params)
		if r.Method == http.MethodPost && r.Path != "/register" && r.Status == http.StatusOK {
			if seen[write] {
				f.c.Broken("created twice", write)
			}
			seen[write] = true
		}
	}
}

// ends destroys what is left after a destroy that a fault disturbed.
func (f *faultyApply) ends(run *laws.Trial) {
	f.c.Helper()
	breach := run.Watch(func() {
		if run.State != nil {
			run.Refresh().ExpectNoError(run)
		}
		if run.State != nil {
			run.Apply(run.MustPlan(nil)).ExpectNoError(run)
		}
	})
	if breach != "" {
		f.c.Broken("it can't be destroyed", breach)
	}
}

func TestLawStateFirst(t *testing.T) {
	l := laws.Law{Name: "state first", Sentence: "what was created is in the state, although every request after it fails; and the next apply completes it"}
	laws.Hold(t, l, acctest.StartProcess(t.Context(), t).Resources(), func(c *laws.Case, resource string) {
		c.Try("all after the first write fail", func() {
			f := newFaultyApply(c, resource, "create")
			if len(f.writes) == 0 {
				return
			}
			run, config, requests := f.apply(&sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusBadRequest, Skip: f.writes[0] + 1})
			if run.State == nil {
				c.Broken("the object is not in the state")
				return
			}
			f.converges(run, config, requests)
		})
	})
}

func TestLawLostAnswer(t *testing.T) {
	l := laws.Law{Name: "lost answer", Sentence: "if the answer to a write is lost, the next apply converges, and nothing is created twice"}
	laws.Hold(t, l, acctest.StartProcess(t.Context(), t).Resources(), func(c *laws.Case, resource string) {
		for _, step := range steps {
			f := newFaultyApply(c, resource, step)
			for i, position := range f.writes {
				c.Try(fmt.Sprintf("%s, write %d", step, i+1), func() {
					f.converges(f.apply(&sandbox.Fault{Action: sandbox.FaultDrop, After: true, Skip: position, Count: 1}))
				})
			}
		}
	})
}

func TestLawCompletion(t *testing.T) {
	l := laws.Law{Name: "completion", Sentence: "if a write fails, the next apply completes it"}
	laws.Hold(t, l, acctest.StartProcess(t.Context(), t).Resources(), func(c *laws.Case, resource string) {
		for _, step := range steps {
			f := newFaultyApply(c, resource, step)
			for i, position := range f.writes {
				c.Try(fmt.Sprintf("%s, write %d", step, i+1), func() {
					f.converges(f.apply(&sandbox.Fault{Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable, Skip: position, Count: 1}))
				})
			}
		}
	})
}
