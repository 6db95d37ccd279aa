package bots_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// A picture that becomes managed is compared too, with the picture that the plan saw.
func TestProtocolBotAvatar_UnmanagedUploadedSincePlan(t *testing.T) {
	for before, shades := range map[string][]uint8{"default picture": nil, "uploaded picture": {50}} {
		t.Run(before, func(t *testing.T) {
			o, run := acctest.StartRun(t, "zulip_bot")
			run.MustApply(alerts(nil))
			for _, shade := range shades {
				file, _ := picture(t, shade)
				uploadByHand(t, o, run, file)
			}
			file, hash := picture(t, 10)
			config := alerts(values{"avatar_file": file, "short_name": "alarms"})
			plan := run.MustPlan(config)
			other, otherHash := picture(t, 99)
			theirs := uploadByHand(t, o, run, other)
			run.Apply(plan).ExpectError(t, "", "was changed after the plan was made", theirs, "avatar_file")
			if hashAt(t, o, run) != otherHash || isManaged(run) {
				t.Errorf("the picture was overwritten, or the state holds %v", run.State.Values)
			}
			run.MustApply(config)
			if hashAt(t, o, run) != hash {
				t.Error("the next plan did not upload the file")
			}
		})
	}
}
