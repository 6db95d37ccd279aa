package channels_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Two applies create a channel at the same moment, and the server answers both with the same ID (server-behavior §C25).
// Only the apply that has created it has it in its state, as far as the channel shows the difference.
func TestProtocolChannel_CreatedAtSameMoment_OneState(t *testing.T) {
	config := values{"name": "moment", "description": "Now"}
	for name, second := range map[string]struct {
		account    string
		config     values
		says       []string
		ownedTwice bool
	}{
		"another account":                     {hand, config, []string{`channel "moment"`, "first@example.com", "at the same moment"}, false},
		"the same account, other description": {first, values{"name": "moment", "description": "Later"}, []string{`hannel "moment"`, "description is \"Now\"", "at the same moment"}, false},
		"the same account, other spelling":    {first, values{"name": "MOMENT", "description": "Now"}, []string{`hannel "moment"`, "name is", "at the same moment"}, false},
		"the same account and values":         {first, config, nil, true},
	} {
		for _, latency := range []time.Duration{0, 5 * time.Millisecond, 30 * time.Millisecond} {
			t.Run(fmt.Sprint(name, " ", latency), func(t *testing.T) {
				o := acctest.NewSandbox(t, sandbox.Config{Accounts: people, Latency: latency})
				one := acctest.NewRun(context.Background(), t, "zulip_channel", o.WithAccount(t, first).Block(nil))
				two := acctest.NewRun(context.Background(), t, "zulip_channel", o.WithAccount(t, second.account).Block(nil))
				gate := o.Sandbox.Gate("POST", "/channels/create")
				answers := []chan acctest.Diagnostics{make(chan acctest.Diagnostics, 1), make(chan acctest.Diagnostics, 1)}
				var held []*sandbox.HeldRequest
				for i, plan := range []*acctest.PlannedChange{one.MustPlan(config), two.MustPlan(second.config)} {
					go func() { answers[i] <- []*acctest.Run{one, two}[i].Apply(plan) }()
					held = append(held, <-gate.Arrived)
				}
				held[0].Release()
				(<-answers[0]).ExpectNoError(t)
				held[1].Release()
				diags := <-answers[1]
				gate.Open()
				if second.ownedTwice {
					diags.ExpectNoError(t)
				} else if diags.ExpectError(t, "", second.says...); two.State != nil {
					t.Errorf("the other state has %v", two.State.Values)
				}
				one.ExpectUnchanged(config)
				if got := o.WithAccount(t, first).MustChannel(t, "moment"); got.Description != "Now" {
					t.Errorf("the server has %+v", got)
				}
			})
		}
	}
}
