package lookup

import (
	"fmt"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// NoProfileField returns the error for a name that no custom profile field has.
func NoProfileField(name string, view *snapshot.Snapshot) error {
	names := suggest.Names{Things: "custom profile fields", All: view.ProfileFields().Names(), Where: "the organization's settings list all, under Custom profile fields"}
	return fmt.Errorf("the organization has no custom profile field called %q%s", name, names.Suggest(name))
}
