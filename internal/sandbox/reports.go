package sandbox

import "github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"

func reportMessage(r *request) (fields, error) {
	var reasons []string
	for _, reason := range rules.ReportReasons {
		reasons = append(reasons, reason.Type)
	}
	description := withDefault(r, "description", text(atMost(1000)), "")
	reason := required(r, "report_type", listed(text(), reasons...))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.ReportMessage(r.me, r.id("message_id"), reason, description)
}
