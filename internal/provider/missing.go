package provider

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// A configuration can contain one email or group name in many places. Each place must be a separate error, because
// Terraform plans them one by one. The first has the full explanation. The others only have the place, which
// Terraform adds.

// firstSentence matches the first sentence of an error's detail, without its stop. Names are in quotes, and can have
// any characters.
var firstSentence = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|[^".;\n]|[.;]\S)*`)

// shorten shortens errors about unknown names, except the first in a run.
func (s *protocolServer) shorten(diagnostics []*tfprotov6.Diagnostic) {
	for _, one := range diagnostics {
		meta := s.provider.meta.Load()
		if !suggest.IsMissing(one.Summary) || meta == nil || one.Severity != tfprotov6.DiagnosticSeverityError {
			continue // a warning describes the effect, and Terraform shows one of several
		}
		if !meta.Run.Note(runstate.Said, runstate.Name("", one.Summary)) {
			one.Detail = firstSentence.FindString(one.Detail) + ". Another error of this run has the details."
		}
	}
}
