package review

import (
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/meaning"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
)

// The review has the current value of each attribute that can be unmanaged.
func TestReviewUnmanaged_Attributes_AllRead(t *testing.T) {
	notOnServer := []string{"adopt_archived", "adopt_deactivated", "announce", "id", "on_destroy", "url"}
	for _, of := range []string{"zulip_channel", "zulip_user_group"} {
		all, _ := meaning.Of(of)
		current := (&builder{}).currentValues(of, plan.Attributes{})
		for _, name := range all.Attributes() {
			row, _ := all.Attribute(name)
			if _, ok := current[name]; !ok && row.Class != meaning.Membership && !slices.Contains(notOnServer, name) {
				t.Errorf("currentValues lacks %s of %s: the client's type has no field with that JSON key, so add the value in unmanaged.go", name, of)
			}
		}
	}
}
