package groups_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/attributetest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/service/groups"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// samples are groups as a server shows them, two for each row of the table of attributes.
func samples(t *testing.T, o *acctest.Organization) attributetest.Samples {
	t.Helper()
	people := fmt.Sprintf(`{"members": [%d]}`, o.Self.ID)
	groups := fmt.Sprintf(`{"direct_subgroup_ids": [%d]}`, o.SystemGroup(t, "role:moderators"))
	return attributetest.Samples{
		"id":           {`{"id": 1}`, `{"id": 2}`},
		"name":         {`{"name": "sampled"}`, `{"name": "renamed"}`},
		"description":  {`{"description": "before"}`, `{"description": "after"}`},
		"members":      {`{"members": []}`, people},
		"member_ids":   {`{"members": []}`, people},
		"subgroups":    {`{"direct_subgroup_ids": []}`, groups},
		"subgroup_ids": {`{"direct_subgroup_ids": []}`, groups},
	}
}

func TestUserGroupEveryAttribute(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	test := attributetest.Of(groups.Attributes, samples(t, o))
	var err error
	if test.Env.View, err = store.New(o.Client, o.Self, featurelevel.Newest, new(runstate.State)).Read(t.Context(), store.UserGroups); err != nil {
		t.Fatal(err)
	}
	test.Env.Account, test.Env.FeatureLevel = o.Self.ID, featurelevel.Newest
	t.Run("is read, compared and sent", test.Check)
	for name, one := range groups.CreationAttributes() {
		if one.IsComputed() && !one.IsOptional() {
			t.Errorf("%s: the server knows it, and it is in no row of the table", name)
		}
	}
	t.Run("is applied", func(t *testing.T) {
		start := func(t *testing.T) *acctest.Run {
			return acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest}).NewRun(t, "zulip_user_group")
		}
		test.Apply(t, start, values{"name": "sampled"})
	})
}
