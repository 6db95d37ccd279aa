package audit_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/audit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
)

// An audit takes what grows with the channels and with the people, and not with the square of either: made, written in every form,
// read again and compared.
func TestProtocolAuditGrowsWithTheOrganization(t *testing.T) {
	for name, facts := range map[string]func(number int) audit.Input{
		"channels": func(number int) audit.Input { return large(250, number) },
		"people":   func(number int) audit.Input { return large(number, 100) },
	} {
		for step, do := range map[string]func(t *testing.T, a *audit.Audit){
			"make":     func(*testing.T, *audit.Audit) {},
			"JSON":     func(t *testing.T, a *audit.Audit) { reread(t, a) },
			"compare":  func(t *testing.T, a *audit.Audit) { compare(t, a, a) },
			"markdown": func(t *testing.T, a *audit.Audit) { expectWritten(t, markdown.WriteAudit(io.Discard, a)) },
			"page":     func(t *testing.T, a *audit.Audit) { expectWritten(t, page.WriteAudit(new(bytes.Buffer), a)) },
		} {
			t.Run(name+"/"+step, func(t *testing.T) {
				acctest.ExpectLinear(t, 120, func(number int) func() {
					input := facts(number)
					made, err := audit.Of(input, audit.Options{})
					if err != nil {
						t.Fatal(err)
					}
					if step != "make" {
						return func() { do(t, made) }
					}
					return func() {
						_, err := audit.Of(input, audit.Options{})
						expectWritten(t, err)
					}
				})
			})
		}
	}
}

func expectWritten(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
