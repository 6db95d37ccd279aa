package acctest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// StartRun gives a test a sandbox and one resource of a type to manage in it, which does not exist yet.
func StartRun(t *testing.T, resource string) (*Organization, *Run) {
	t.Helper()
	o := StartSandbox(t, sandbox.Config{})
	run := o.NewRun(t, resource)
	return o, run
}

// ExpectImports imports the resource by each ID, or by an identity if by is Values. It fails the test unless the state is
// that of the run each time.
func (r *Run) ExpectImports(by ...any) {
	r.t.Helper()
	for _, key := range by {
		fresh := NewRun(r.ctx, r.t, r.resource, r.Block)
		fresh.MustImport(key)
		if !reflect.DeepEqual(fresh.State.Values, r.State.Values) {
			r.t.Errorf("imported by %v:\n%v\nwant:\n%v", key, fresh.State.Values, r.State.Values)
		}
	}
}

// MustImport imports the resource by an ID, or by an identity if by is Values, and fails the test on an error.
func (r *Run) MustImport(by any) {
	r.t.Helper()
	id, identity := fmt.Sprint(by), Values(nil)
	if values, ok := by.(Values); ok {
		id, identity = "", values
	}
	r.Import(id, identity).ExpectNoError(r.t)
	if r.State == nil {
		r.t.Fatalf("the import by %v finds nothing", by)
	}
}

// Refusals are configurations that a plan refuses with one error: the attribute of the error, and words of its text.
type Refusals = []struct {
	Config    Values
	Attribute string
	Words     []string
}

// ExpectRefusals plans each configuration and fails the test unless it is refused.
func (r *Run) ExpectRefusals(refusals Refusals) {
	r.t.Helper()
	for _, refusal := range refusals {
		r.ExpectRefused(refusal.Config, refusal.Attribute, refusal.Words...)
	}
}

// ExpectRefused plans a configuration and fails the test unless the plan is refused with one error. The error must be at
// the attribute ("" is none), and its summary and detail must contain all the words.
func (r *Run) ExpectRefused(config Values, attribute string, words ...string) {
	r.t.Helper()
	_, diags := r.Plan(config)
	diags.ExpectError(r.t, attribute, words...)
}

// ExpectLack plans a configuration for which the account lacks a permission that another resource can grant. It fails the
// test unless the plan warns, the apply fails with one error, and the state is unchanged. The warning and the error must
// be at the attribute, and contain all the words.
func (r *Run) ExpectLack(config Values, attribute string, words ...string) {
	r.t.Helper()
	plan, diags := r.Plan(config)
	diags.ExpectNoError(r.t)
	diags.ExpectWarning(r.t, attribute, append(words, "unless it grants the permission first", "depends_on")...)
	run := r.Fork()
	run.Apply(plan).ExpectError(r.t, attribute, append(words, "depends_on")...)
	if isNew := r.State == nil; isNew != (run.State == nil) || !isNew && !reflect.DeepEqual(r.State.Values, run.State.Values) {
		r.t.Errorf("the failed apply changes the state to %v", run.State)
	}
}

// ExpectUnchanged plans a configuration and fails the test unless the plan is empty.
func (r *Run) ExpectUnchanged(config Values) {
	r.t.Helper()
	if plan := r.MustPlan(config); !plan.Empty() {
		r.t.Errorf("the plan changes %q", plan.Changes())
	}
}

// ExpectReadTogether reads the resource five times in one process, and fails the test unless that takes this many requests.
func (r *Run) ExpectReadTogether(t *testing.T, o *Organization, requests int) {
	t.Helper()
	p, sent := r.Process(), o.Sent()
	for range 5 {
		_, diags := p.Read(r.resource, r.State)
		diags.ExpectNoError(t)
	}
	if got := len(sent.Requests()); got != requests {
		t.Errorf("%d requests, want %d", got, requests)
	}
}

// MustPlan plans a change of a resource, and fails the test if there is an error.
func (p *Process) MustPlan(resource string, prior *Instance, config Values) *PlannedChange {
	p.t.Helper()
	plan, diags := p.Plan(resource, prior, config)
	diags.ExpectNoError(p.t)
	return plan
}

// MustApply applies a plan, and fails the test if there is an error.
func (p *Process) MustApply(plan *PlannedChange) *Instance {
	p.t.Helper()
	state, diags := p.Apply(plan)
	diags.ExpectNoError(p.t)
	return state
}

// MustReadData reads a data source, and fails the test if there is an error.
func (p *Process) MustReadData(source string, config Values) Values {
	p.t.Helper()
	found, diags := p.ReadData(source, config)
	diags.ExpectNoError(p.t)
	return found
}

// Snapshot reads parts of the organization.
func (o *Organization) Snapshot(t *testing.T, parts ...string) *zulip.RegisterAnswer {
	t.Helper()
	snapshot, err := o.Client.Register(context.Background(), parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Client.DeleteQueue(context.Background(), snapshot.QueueID); err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// UserOf reads the account that a run manages.
func (o *Organization) UserOf(t *testing.T, run *Run) *zulip.User {
	t.Helper()
	id, _ := run.State.Values["id"].(int64)
	user, err := o.Client.User(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// CountUsers returns how many accounts have a name, including deactivated accounts.
func (o *Organization) CountUsers(t *testing.T, name string) (count int) {
	t.Helper()
	users, err := o.Client.Users(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range users {
		if user.FullName == name {
			count++
		}
	}
	return count
}

// Picture writes a PNG image of one shade of gray into a new file, and returns the path.
func Picture(t *testing.T, shade uint8) string {
	t.Helper()
	drawn := image.NewGray(image.Rect(0, 0, 10, 10))
	for i := range drawn.Pix {
		drawn.Pix[i] = color.Gray{Y: shade}.Y
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, drawn); err != nil {
		t.Fatal(err)
	}
	return File(t, encoded.Bytes())
}

// File writes a new file, and returns the path.
func File(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// HashOf returns the SHA-256 sum of a file, in hexadecimal digits.
func HashOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// NoError ends a test with an error that the test is not about.
func NoError(t interface {
	Helper()
	Fatal(arguments ...any)
}, err error,
) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
