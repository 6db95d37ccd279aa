package provider_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// What a second error of the same name leaves out begins after the sentence that names it, whatever signs the name has.
func TestProtocolMissingNameWithAStop(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	p := o.NewRun(t, "zulip_channel").Process()
	const sentence = `The organization has no user group called "St. Ives; east".`
	for i, says := range []string{sentence + " If this configuration creates it", sentence + " Another error of this run says more."} {
		_, diags := p.Plan("zulip_channel", nil, values{"name": string(rune('a' + i)), "can_send_message_group": []any{"group:St. Ives; east"}})
		diags.ExpectError(t, "can_send_message_group", `User group "St. Ives; east" is not in the organization`, says)
	}
}
