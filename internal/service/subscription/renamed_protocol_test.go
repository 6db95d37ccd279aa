package subscription_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// swapped is an organization in which somebody renames channels while a request that names one of them is on its way: "ops"
// becomes "news", and mostly the private "vault" becomes "ops".
type swapped struct {
	*acctest.Organization
	run *acctest.Run
	ops int64
}

// swapAt begins with lena, ines and kenji in both channels, of which the provider manages "ops" by its ID.
func swapAt(t *testing.T, kind string) *swapped {
	t.Helper()
	o := acctest.NewSandbox(t, sandbox.Config{})
	for _, name := range []string{"ops", "vault"} {
		private(t, o, name, nil, owner, member, member2)
	}
	s := &swapped{Organization: o, run: o.NewRun(t, kind), ops: o.MustChannel(t, "ops").ID}
	s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": texts(owner, member, member2)})
	return s
}

// apply applies a configuration, and renames channels while its first request of a method is held.
func (s *swapped) apply(t *testing.T, method string, users []any, takesName bool) acctest.Diagnostics {
	t.Helper()
	plan := s.run.MustPlan(values{"channel": fmt.Sprint(s.ops), "users": users})
	vault := s.MustChannel(t, "vault").ID
	gate := s.Sandbox.Gate(method, "/users/me/subscriptions")
	done := make(chan error)
	go func() {
		defer gate.Open()
		<-gate.Arrived
		renames := []string{fmt.Sprintf("/streams/%d?new_name=news", s.ops)}
		if takesName {
			renames = append(renames, fmt.Sprintf("/streams/%d?new_name=ops", vault))
		}
		for _, rename := range renames {
			answer, err := http.DefaultClient.Do(byHand(s.Organization, http.MethodPatch, rename))
			if err != nil {
				done <- err
				return
			}
			_ = answer.Body.Close()
		}
		done <- nil
	}()
	result := make(chan acctest.Diagnostics)
	go func() { result <- s.run.Apply(plan) }()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return <-result
}

// stateHas fails the test unless the state has exactly these users.
func stateHas(t *testing.T, run *acctest.Run, users ...string) {
	t.Helper()
	if run.State == nil {
		t.Error("nothing is in the state")
		return
	}
	got := []string{}
	for _, user := range run.State.Values["users"].([]any) {
		got = append(got, fmt.Sprint(user))
	}
	slices.Sort(got)
	slices.Sort(users)
	if !slices.Equal(got, users) {
		t.Errorf("the state has %v, want %v", got, users)
	}
}

// The server refuses a request because there were too many, and before it may be repeated another channel gets the name.
func TestProtocolARenameDuringAWaitHitsNoOtherChannel(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			for status, action := range map[string]sandbox.Fault{
				"429":     {Action: sandbox.FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: 20 * time.Millisecond},
				"503":     {Action: sandbox.FaultStatus, Status: http.StatusServiceUnavailable},
				"dropped": {Action: sandbox.FaultDrop},
			} {
				t.Run(kind+" "+method+" "+status, func(t *testing.T) {
					t.Parallel()
					s := swapAt(t, kind)
					users, want := texts(owner, member, member2, guest), []string{owner, member, member2, guest}
					if method == http.MethodDelete {
						if kind == additiveType { // it takes out whom it has added
							s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": users})
						}
						s.run.MustApply(values{"channel": fmt.Sprint(s.ops), "users": users})
						subscribe(t, s.Organization, "vault", guest)
						users, want = texts(owner, member, member2), []string{owner, member, member2}
					}
					action.Method, action.Path, action.Count = method, "/users/me/subscriptions", 1
					s.Sandbox.Fail(action)
					s.apply(t, method, users, true).ExpectNoError(t)
					expectIn(t, s.Organization, "news", want...)
					if method == http.MethodDelete {
						want = append(want, guest)
					} else {
						want = []string{owner, member, member2}
					}
					expectIn(t, s.Organization, "ops", want...)
					for _, user := range users {
						if !slices.Contains(s.run.State.Values["users"].([]any), user) {
							t.Errorf("the state has %v", s.run.State.Values["users"])
						}
					}
				})
			}
		}
	}
}

// The name is given away, and to nobody: no channel is made of it, and the request goes to the channel by its new name.
func TestProtocolARenameWhileARequestIsOnItsWayMakesNoChannel(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		for _, status := range []int{0, http.StatusTooManyRequests} {
			t.Run(fmt.Sprint(kind, " ", status), func(t *testing.T) {
				t.Parallel()
				s := swapAt(t, kind)
				if status != 0 {
					s.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users/me/subscriptions", Action: sandbox.FaultStatus, Status: status, RetryAfter: 20 * time.Millisecond, Count: 1})
				}
				s.apply(t, http.MethodPost, texts(owner, member, member2, guest), false).ExpectNoError(t)
				expectIn(t, s.Organization, "news", owner, member, member2, guest)
				if s.Channel(t, "ops") != nil {
					t.Error("a channel was made of the old name")
				}
			})
		}
	}
}

// Another channel gets the name in the moment in which the request is on its way: what it did there is undone, and said.
func TestProtocolWhatHitAnotherChannelIsUndone(t *testing.T) {
	for _, kind := range []string{exclusiveType, additiveType} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := swapAt(t, kind)
			diags := s.apply(t, http.MethodPost, texts(owner, member, member2, guest), true)
			diags.ExpectError(t, "channel", `were subscribed to another channel, "ops"`, guest, "unsubscribed from it again")
			expectIn(t, s.Organization, "ops", owner, member, member2)
			expectIn(t, s.Organization, "news", owner, member, member2)
			stateHas(t, s.run, owner, member, member2)

			s = swapAt(t, kind)
			config := values{"channel": fmt.Sprint(s.ops), "users": texts(owner, member, member2, guest)}
			s.run.MustApply(config)
			subscribe(t, s.Organization, "vault", guest)
			diags = s.apply(t, http.MethodDelete, texts(owner, member, member2), true)
			diags.ExpectError(t, "channel", `were unsubscribed from another channel, "ops"`, guest, "subscribed to it again")
			expectIn(t, s.Organization, "ops", owner, member, member2, guest)
			expectIn(t, s.Organization, "news", owner, member, member2, guest)
			stateHas(t, s.run, owner, member, member2, guest)
		})
	}
}
