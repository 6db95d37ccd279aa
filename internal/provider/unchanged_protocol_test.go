package provider_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// pair is one process of the provider and one of the framework's own server, both of the same organization: what the one
// answers the other has to answer too.
type pair struct{ own, full *acctest.Process }

func startPair(t testing.TB, block values) pair {
	t.Helper()
	both := pair{acctest.StartProcess(context.Background(), t), acctest.StartProcessOf(context.Background(), t, provider.FrameworkServer())}
	both.own.Configure(block).ExpectNoError(t)
	both.full.Configure(block).ExpectNoError(t)
	return both
}

// refresh reads an instance in both processes, as a plan does before.
func (p pair) refresh(t *testing.T, of string, state *acctest.Instance) *acctest.Instance {
	t.Helper()
	own, diags := p.own.Read(of, state)
	diags.ExpectNoError(t)
	full, diags := p.full.Read(of, state)
	diags.ExpectNoError(t)
	if !reflect.DeepEqual(own, full) {
		t.Fatalf("the servers read %+v and %+v", own, full)
	}
	return own
}

// plan plans in both processes and compares the answers byte for byte. It returns the diagnostics, and reports whether the
// framework was left out.
func (p pair) plan(t *testing.T, of string, prior *acctest.Instance, config values) (diagnostics []string, short bool) {
	t.Helper()
	req, answer := p.own.PlanCall(of, prior, config)
	_, full := p.full.PlanCall(of, prior, config)
	short = answer.PlannedState == req.ProposedNewState
	diagnostics = texts(answer.Diagnostics)
	if !slices.Equal(diagnostics, texts(full.Diagnostics)) {
		t.Errorf("the diagnostics are\n%q\nand the framework's\n%q", diagnostics, texts(full.Diagnostics))
	}
	answer.Diagnostics, full.Diagnostics = nil, nil // the rest, byte for byte
	if !reflect.DeepEqual(answer, full) {
		t.Errorf("the answer is\n%+v\nand the framework's\n%+v", answer, full)
	}
	return diagnostics, short
}

// texts are diagnostics with their attributes.
func texts(all []*tfprotov6.Diagnostic) (texts []string) {
	for _, one := range all {
		texts = append(texts, fmt.Sprintf("%s %s: %s: %s", one.Severity, one.Attribute, one.Summary, one.Detail))
	}
	return texts
}

// Every resource that stays as it is is answered as the framework answers, and those that are many without it.
func TestProtocolUnchangedResources(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	for _, l := range lives(t, o) {
		t.Run(l.of, func(t *testing.T) {
			run := o.NewRun(t, l.of)
			config := l.at(featurelevel.Newest, l.create)
			run.MustApply(config)
			both := startPair(t, o.Block(nil))
			state := both.refresh(t, l.of, run.State)
			if _, short := both.plan(t, l.of, state, config); short != slices.Contains(provider.UnchangedTypes, l.of) {
				t.Errorf("planned without the framework: %v", short)
			}
			both.plan(t, l.of, state, config) // a second one with the same object in its state
			both.plan(t, l.of, nil, config)   // a new one of the same name

			// A CLI that knows no identities.
			both = startPair(t, o.Block(nil))
			state = both.refresh(t, l.of, run.State)
			state.Identity = nil
			if _, short := both.plan(t, l.of, state, config); short != slices.Contains(provider.UnchangedTypes, l.of) {
				t.Errorf("planned without the framework and without an identity: %v", short)
			}
		})
	}
}

// What there is to say of a resource that stays as it is, and of those beside it, is said.
func TestProtocolUnchangedResourcesAreChecked(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const kenji = "kenji.sato@example.com"
	for of, config := range map[string]values{
		"zulip_channel":    {"name": "deploys", "can_send_message_group": []any{"role:moderators", "user:" + kenji}},
		"zulip_user_group": {"name": "deployers", "can_mention_group": []any{"role:moderators", "user:" + kenji}},
	} {
		t.Run(of, func(t *testing.T) {
			run := o.NewRun(t, of)
			run.MustApply(config)
			person, err := o.Client.UserByEmail(t.Context(), kenji)
			if err != nil {
				t.Fatal(err)
			}
			o.Call(t, "DELETE", fmt.Sprint("/users/", person.ID), nil)
			t.Cleanup(func() { o.Call(t, "POST", fmt.Sprintf("/users/%d/reactivate", person.ID), nil) })
			both := startPair(t, o.Block(nil))
			state := both.refresh(t, of, run.State)
			for _, want := range []string{"", "Two resources manage"} {
				said, short := both.plan(t, of, state, config)
				if text := strings.Join(said, "\n"); !short || !strings.Contains(text, "Deactivated people and groups have no effect") || !strings.Contains(text, want) {
					t.Errorf("without the framework: %v; it says %q", short, said)
				}
			}
		})
	}
}

// BenchmarkPlanUnchanged plans one channel that stays as it is, and compares that with the framework's plan of the same.
func BenchmarkPlanUnchanged(b *testing.B) {
	organization, err := sandbox.New(sandbox.Config{})
	if err != nil {
		b.Fatal(err)
	}
	if err := organization.Start("127.0.0.1:0"); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = organization.Close() })
	owner, _ := organization.Credentials("owner")
	config := values{"name": "deploys", "description": "What ships", "can_send_message_group": []any{"role:moderators"}}
	run := acctest.NewRun(b.Context(), b, "zulip_channel", values{"site": organization.URL(), "email": owner.Email, "api_key": owner.APIKey})
	run.MustApply(config)
	for name, server := range map[string]tfprotov6.ProviderServer{"own": provider.NewServer("test"), "framework": provider.FrameworkServer()} {
		b.Run(name, func(b *testing.B) {
			p := acctest.StartProcessOf(b.Context(), b, server)
			p.Configure(run.Block).ExpectNoError(b)
			state, diags := p.Read("zulip_channel", run.State)
			diags.ExpectNoError(b)
			req, _ := p.PlanCall("zulip_channel", state, config)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := server.PlanResourceChange(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
