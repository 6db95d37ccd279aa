package lookup_test

import (
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// readOrganization reads the example organization as its owner.
func readOrganization(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	server, err := sandbox.New(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	self, err := client.Me(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view, err := store.New(client, self, sandbox.DefaultFeatureLevel, new(runstate.State)).Read(t.Context(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	return view
}
