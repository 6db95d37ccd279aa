package organization_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// restrictedTo configures an organization that only emails of one domain can join.
func restrictedTo(domain, lifecycle string) string { return restrictedIf(true, domain, lifecycle) }

func restrictedIf(isRestricted bool, domain, lifecycle string) string {
	return `
resource "zulip_domain" "company" {
  domain = "` + domain + `"
  ` + lifecycle + `
}
resource "zulip_organization" "this" {
  emails_restricted_to_domains = ` + fmt.Sprint(isRestricted) + `
  depends_on                   = [zulip_domain.company]
}
`
}

// The last domain is replaced only with create_before_destroy, and destroyed only without the restriction.
func TestAccSandboxDomain_LastReplaced_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	w := acctest.NewWorkspace(t)
	w.Configure(t, restrictedTo("example.com", ""))
	w.Must(t, "apply", "-auto-approve")
	w.Configure(t, restrictedTo("example.org", ""))
	printed, ok := w.Apply(t)
	if ok || !strings.Contains(printed, "Removing the last domain would open the organization") || !strings.Contains(printed, "create_before_destroy = true") {
		t.Errorf("applied, or without the reason:\n%s", printed)
	}
	expectDomain(t, o, map[string]bool{"example.com": false})
	expectRestricted(t, o, "true")
	w.Configure(t, restrictedTo("example.org", "lifecycle {\n create_before_destroy = true\n }"))
	w.Must(t, "apply", "-auto-approve")
	expectDomain(t, o, map[string]bool{"example.org": false})
	expectRestricted(t, o, "true")
	w.Must(t, "plan", "-detailed-exitcode")
	if printed, ok := w.Run(t, "destroy", "-auto-approve"); ok || !strings.Contains(printed, "Removing the last domain would open") {
		t.Errorf("destroyed:\n%s", printed)
	}
	expectRestricted(t, o, "true")
	w.Configure(t, restrictedIf(false, "example.org", ""))
	w.Must(t, "apply", "-auto-approve")
	w.Must(t, "destroy", "-auto-approve")
	expectDomain(t, o, map[string]bool{})
}
