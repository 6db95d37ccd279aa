package export_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/zulip-iac/terraform-provider-zulip/internal/export"
	"github.com/zulip-iac/terraform-provider-zulip/internal/provider"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// useAccount sets the environment to an account of a sandbox.
func useAccount(t *testing.T, server *sandbox.Server, who sandbox.Credentials) {
	t.Helper()
	for name, value := range map[string]string{"ZULIP_SITE": server.URL(), "ZULIP_EMAIL": who.Email, "ZULIP_API_KEY": who.APIKey, "ZULIP_CONFIG": ""} {
		t.Setenv(name, value)
	}
}

// exportInto exports what the account of the environment sees.
func exportInto(folder string, options export.Options) (*export.Result, error) {
	session, err := provider.Open(context.Background(), "test")
	if err != nil {
		return nil, err
	}
	meta := session.Meta()
	options.Folder = folder
	return export.Run(context.Background(), export.Source{Provider: session, Store: meta.Store, Client: meta.Client}, options)
}

// enough is from how many random organizations on each kind of thing must have been in one of them.
const enough = 20

// Whatever an organization has, the plan of its export imports everything and changes nothing; another export writes the
// same files, into the same folder and into another one.
func TestProtocolExportPlansNothing(t *testing.T) {
	seen, organizations := map[string]int{}, 0
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		w.fill()
		useAccount(t, w.server, w.owner)
		options := w.options()
		folder := t.TempDir()
		result, err := exportInto(folder, options)
		if err != nil {
			r.Fatal(err)
		}
		if problems := planFolder(r, folder); len(problems) > 0 {
			r.Fatal(strings.Join(problems, "\n\n"))
		}
		written := filesOf(r, folder)
		for what, into := range map[string]string{"the same folder": folder, "another folder": t.TempDir()} {
			if _, err := exportInto(into, options); err != nil {
				r.Fatal(err)
			}
			sameFiles(r, what, written, filesOf(r, into))
		}
		organizations++
		for kind := range result.Counts {
			seen[kind]++
		}
	})
	for _, kind := range export.Kinds() {
		if organizations >= enough && seen[kind] == 0 && kind != "zulip_invite_link" { // written where they are asked for
			t.Errorf("of %d organizations none had a %s", organizations, kind)
		}
	}
}
