package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// commandsThatConnect run each command that asks an organization.
var commandsThatConnect = map[string]func(*testing.T) error{
	"audit":  func(t *testing.T) error { _, err := auditRun(t); return err },
	"review": func(t *testing.T) error { _, _, err := reviewRun(t, "membership"); return err },
	"export": func(t *testing.T) error { _, _, err := exportRun(t, filepath.Join(t.TempDir(), "new")); return err },
}

// Whatever asks first, a wrong key has one text: whose key it is, where it is from, and what to do.
func TestAWrongKeyHasOneText(t *testing.T) {
	acctest.StartSandbox(t, sandbox.Config{})
	t.Setenv("ZULIP_API_KEY", "01234567890123456789012345678901")
	email, site := os.Getenv("ZULIP_EMAIL"), os.Getenv("ZULIP_SITE")
	want := "The server does not accept the account. " + email + " (from ZULIP_EMAIL) with the key from ZULIP_API_KEY, at " + site + ` (from ZULIP_SITE). The server answered GET /users/me with 401: "Invalid API key" (UNAUTHORIZED).` +
		"\n\nThe account's key was refused. Was the account deactivated, or its key made anew? Check email and api_key, ZULIP_EMAIL and ZULIP_API_KEY, or the zuliprc file."
	for name, run := range commandsThatConnect {
		if err := run(t); err == nil || err.Error() != want {
			t.Errorf("%s: the error is\n%v\nwant\n%s", name, err, want)
		}
	}
}

// So has an address of a server at which no organization is.
func TestAnAddressWithoutAnOrganizationHasOneText(t *testing.T) {
	for name, run := range commandsThatConnect {
		o := acctest.StartSandbox(t, sandbox.Config{})
		fault, err := sandbox.ParseFault("GET /server_settings status=400")
		if err != nil {
			t.Fatal(err)
		}
		o.Sandbox.Fail(fault)
		if err := run(t); err == nil || !strings.HasPrefix(err.Error(), "There is no organization at this address. "+os.Getenv("ZULIP_SITE")+" (from ZULIP_SITE) is a Zulip server. ") {
			t.Errorf("%s: the error is\n%v", name, err)
		}
	}
}
