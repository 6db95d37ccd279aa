package channels_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// White space is visible in messages: values are quoted.
func TestProtocolChannel_ChangedSincePlan_ValuesQuoted(t *testing.T) {
	o, run := channelManaged(t)
	config := values{"name": "ops", "description": "On call "}
	run.MustApply(config)
	plan := run.MustPlan(but(config, values{"description": "On  call"}))
	theirs := "On call"
	o.Change(t, "ops", zulip.ChannelUpdate{Description: &theirs})
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "description\n  when the plan was made:     \"On call \"\n  now:                        \"On call\"\n  the configuration asks for: \"On  call\"\n")
	sent.Expect(t)
	if got := o.MustChannel(t, "ops").Description; got != theirs {
		t.Errorf("the server holds %q", got)
	}
}

// Values of resources without a table are quoted too.
func TestProtocolChannelFolder_ChangedSincePlan_Quoted(t *testing.T) {
	o, _ := channelManaged(t)
	run := o.NewRun(t, folderType)
	config := values{"name": "Team", "description": "Ours "}
	run.MustApply(config)
	plan := run.MustPlan(but(config, values{"description": "Ours"}))
	o.Call(t, http.MethodPatch, fmt.Sprintf("/channel_folders/%v", run.State.Values["id"]), map[string]string{"description": " Ours"})
	sent := o.Sent()
	run.Apply(plan).ExpectError(t, "", "when the plan was made:     \"Ours \"", "now:                        \" Ours\"", "the configuration asks for: \"Ours\"")
	sent.Expect(t)
}

// The warning about a value that becomes managed quotes it.
func TestProtocolChannel_ManagedNow_ValuesQuoted(t *testing.T) {
	o, run := channelManaged(t)
	run.MustApply(values{"name": "ops"})
	theirs := "Theirs "
	o.Change(t, "ops", zulip.ChannelUpdate{Description: &theirs})
	_, diags := run.Plan(values{"name": "ops", "description": "Ours"})
	diags.ExpectNoError(t)
	diags.ExpectWarning(t, "", "now:                        \"Theirs \"\n  the configuration asks for: \"Ours\"")
}
