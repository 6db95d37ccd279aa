package report_test

import (
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

func TestWhatWasTriedInWords(t *testing.T) {
	tried := &report.Tried{Rights: 412, Accounts: 30, Tries: 12360, Untried: []*report.Untried{
		{What: "can_leave_group", Why: "the account is not in the group", Tries: 2}, {What: "can_summarize_topics_group", Why: "no request of the API tries it alone"},
		{What: "can_manage_billing_group", Why: "no request of the API tries it alone"},
	}}
	if got := tried.Text(); got != "Tried on a sandbox: 412 rights by 30 accounts, 12,360 tries; computed and tried agree." {
		t.Error(got)
	}
	const left = "Not tried: can_leave_group (the account is not in the group); can_summarize_topics_group, can_manage_billing_group (no request of the API tries it alone)."
	if got := tried.Lines(); len(got) != 1 || got[0] != left {
		t.Errorf("%q", got)
	}
	tried.Differences = []*report.Difference{{
		Where: "#board", Right: "can_read", Text: "read", Name: "Ada", Address: "ada@example.com", IsAfter: true, Computed: true, Answer: "Invalid message(s)",
	}, {Where: `user group "crew"`, Right: "can_join_group", Text: "join the group", Name: "Mel", Address: "mel@example.com", Tried: true}}
	tried.Unapplied = []*report.NotApplied{{Address: "zulip_channel.x", Why: "name: the plan does not know the value"}}
	if got := tried.Text(); !strings.HasSuffix(got, "computed and tried differ in 2 tries: this report is wrong there, or the sandbox is. But one change of the plan could not be applied to the sandbox, and what depends on that was not tried.") {
		t.Error(got)
	}
	for i, want := range []string{
		`After the plan, #board: Ada (ada@example.com) can read by computing (can_read), and cannot by trying: "Invalid message(s)".`,
		`Before the plan, user group "crew": Mel (mel@example.com) cannot join the group by computing (can_join_group), and can by trying.`,
		"Not applied to the sandbox: zulip_channel.x: name: the plan does not know the value", left,
	} {
		if got := tried.Lines()[i]; got != want {
			t.Error(got)
		}
	}
	if got := (&report.Tried{}).Text(); got != "Nothing was tried on a sandbox." {
		t.Error(got)
	}
}
