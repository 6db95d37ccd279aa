package channel_test

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// Two applies of plans that were made before, and one change by hand, at one channel, in every order in which the server
// can get their requests. What must never happen is that a write replaces a value which its plan had not seen.

// A scenario is what everybody wants of the channel's permissions, in the words of configurations.
type scenario struct {
	before values // as the channel is when both plan
	first  values // what the first plan changes
	second values // what the second does
	byHand values // what somebody changes in the web app, one setting
}

var scenarios = map[string]scenario{
	"the same setting by all": {
		before: values{"can_administer_channel_group": who("role:moderators", "user:one@example.com")},
		first:  values{"can_administer_channel_group": who("user:one@example.com", "user:two@example.com")},
		second: values{"can_administer_channel_group": who("role:moderators", "role:members")},
		byHand: values{"can_administer_channel_group": who("role:moderators")},
	},
	"the same wish, and back by hand": {
		before: values{"can_send_message_group": who("role:members")},
		first:  values{"can_send_message_group": who("role:moderators")},
		second: values{"can_send_message_group": who("role:moderators")},
		byHand: values{"can_send_message_group": who("role:members")},
	},
	"two settings in one request each": {
		before: values{"can_remove_subscribers_group": who("role:members"), "can_send_message_group": who("role:members")},
		first:  values{"can_remove_subscribers_group": who("role:moderators"), "can_send_message_group": who("role:moderators")},
		second: values{"can_remove_subscribers_group": who("role:owners"), "can_send_message_group": who("role:owners")},
		byHand: values{"can_send_message_group": who("role:administrators")},
	},
	"two settings that overlap": {
		before: values{"can_remove_subscribers_group": who("role:members"), "can_send_message_group": who("role:members"), "can_resolve_topics_group": who()},
		first:  values{"can_remove_subscribers_group": who("role:moderators"), "can_send_message_group": who("role:moderators")},
		second: values{"can_send_message_group": who("role:owners"), "can_resolve_topics_group": who("role:members")},
		byHand: values{"can_remove_subscribers_group": who("role:administrators")},
	},
}

// How many orders a scenario has: all there are fit in between. A short run tries a few.
const (
	fewestOrders = 30
	mostOrders   = 400
	shortOrders  = 8
)

func TestProtocolInterleavings(t *testing.T) {
	var tried, kept atomic.Int32
	t.Run("orders", func(t *testing.T) {
		for name, scenario := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				schedule := &schedule{}
				orders := 0
				for more := true; more; more = schedule.next() {
					if testing.Short() && orders == shortOrders {
						break // the race detector looks at how requests cross, not at every order
					}
					if orders++; orders > mostOrders {
						t.Fatalf("there are more than %d orders", mostOrders)
					}
					tried.Add(1)
					if t.Run(fmt.Sprint(orders), func(t *testing.T) { try(t, scenario, schedule) }) {
						kept.Add(1)
					}
				}
				if orders < fewestOrders && !testing.Short() {
					t.Errorf("%d orders are too few: are the requests still held?", orders)
				}
			})
		}
	})
	acctest.Report(func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "interleavings: %d schedules, %d kept the promise\n", tried.Load(), kept.Load())
	})
}

// A schedule is a path through the tree of all orders: which of the requests that wait is let through, step by step.
type schedule struct {
	choices, options []int
	step             int
}

// choose returns the next choice out of n: the one that is replayed, or the first where the path is new.
func (s *schedule) choose(n int) int {
	if s.step == len(s.choices) {
		s.choices, s.options = append(s.choices, 0), append(s.options, n)
	}
	choice := s.choices[s.step]
	s.step++
	return choice
}

// next turns to the next path, and reports whether there is one.
func (s *schedule) next() bool {
	s.step = 0
	for len(s.choices) > 0 {
		last := len(s.choices) - 1
		if s.choices[last]++; s.choices[last] < s.options[last] {
			return true
		}
		s.choices, s.options = s.choices[:last], s.options[:last]
	}
	return false
}
