package message_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// managedAt is managed on a server of a feature level.
func managedAt(t *testing.T, level int) (*acctest.Organization, *acctest.Run) {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: level})
	run := o.NewRun(t, "zulip_message")
	return o, run
}

// The URL comes with the answer, and stays.
func TestProtocolMessageURL(t *testing.T) {
	o, run := managedAt(t, featurelevel.MessageURL)
	run.MustApply(inTopic("house rules", "Be kind."))
	id, url := run.State.Values["id"], run.State.Values["message_url"]
	want := fmt.Sprintf("%s/#narrow/channel/%d-general/topic/house.20rules/near/%d", o.Client.Site(), o.MustChannel(t, "general").ID, id)
	if link := run.State.Values["message_link"]; url != want || link != fmt.Sprintf("[#general > house rules @ 💬](%s)", want) {
		t.Errorf("the state holds %v and %v, want %s", url, link, want)
	}
	sent := o.Sent()
	run.MustApply(inTopic("rules", "Be kind, always."))
	sent.Expect(t, "PATCH content prev_content_sha256", "PATCH propagate_mode send_notification_to_new_thread send_notification_to_old_thread topic")
	if run.State.Values["message_url"] != url || run.State.Values["id"] != id {
		t.Errorf("the state holds %v", run.State.Values)
	}
	imported := o.NewRun(t, "zulip_message")
	imported.Import(fmt.Sprint(id), nil).ExpectNoError(t)
	if imported.State.Values["message_url"] != nil || imported.State.Values["message_link"] != nil {
		t.Errorf("imported: %v", imported.State.Values)
	}
	imported.MustApply(inTopic("rules", "Be kind."))

	direct := o.NewRun(t, "zulip_message")
	direct.MustApply(values{"recipients": []any{"lena.fischer@example.com"}, "content": "Welcome."})
	if url := fmt.Sprint(direct.State.Values["message_url"]); !strings.HasPrefix(url, o.Client.Site()+"/#narrow/dm/") {
		t.Errorf("the URL is %s", url)
	}

	// After a lost answer the message is found, and nobody says its URL.
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/messages", After: true, Action: sandbox.FaultDrop, Count: 1})
	lost := o.NewRun(t, "zulip_message")
	lost.MustApply(inTopic("lost", "x"))
	expectWritten(t, o, "lost", "x")
	if lost.State.Values["message_url"] != nil {
		t.Errorf("found: %v", lost.State.Values)
	}
}

// A state of an older server plans nothing on a newer one, and does not ask for what nobody says any more.
func TestProtocolMessageURLAfterAnUpgrade(t *testing.T) {
	for _, level := range []int{442, featurelevel.MessageURL - 1} {
		o, run := managedAt(t, level)
		config := inTopic("rules", "Be kind.")
		run.MustApply(config)
		if run.State.Values["message_url"] != nil || run.State.Values["message_link"] != nil {
			t.Errorf("level %d: the state holds %v", level, run.State.Values)
		}
		for _, newer := range []int{featurelevel.NewestRelease, featurelevel.Newest} {
			o.Sandbox.SetFeatureLevel(max(level, newer))
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("level %d, then %d: the plan changes %v", level, newer, plan.Changes())
			}
		}
		plan := run.MustPlan(inTopic("rules", "Be kind, always."))
		if fmt.Sprint(plan.Changes()) != "[content]" {
			t.Errorf("the plan changes %v", plan.Changes())
		}
		run.Apply(plan).ExpectNoError(t)
	}
}
