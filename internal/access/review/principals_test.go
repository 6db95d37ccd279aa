package review_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Lists that name people and groups as permissions do mean the same as plain ones.
func TestReviewOfListsOfPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena, _ := o.Sandbox.Credentials("member")
	groups, err := o.Client.UserGroups(t.Context(), featurelevel.Newest)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{}
	for _, group := range groups {
		ids[group.Name] = group.ID
	}
	leads, sre := ids["leads"], ids["sre"]
	words := func(members, subgroups, users []string) string {
		found := reviewOf(t, o, planOf(t,
			resourceChange("zulip_user_group", attributes{"id": leads, "name": "leads", "members": []string{}, "subgroups": []string{}},
				attributes{"id": leads, "name": "leads", "members": members, "subgroups": subgroups}),
			resourceChange("zulip_channel_subscribers", nil, attributes{"channel": "incidents", "channel_id": o.Channel(t, "incidents").ID, "users": users})))
		return fmt.Sprint(found.Verdict.Categories, found.Unknown)
	}
	plain := words([]string{lena.Email}, []string{"sre"}, []string{lena.Email})
	for _, one := range [][3]string{
		{"user:" + lena.Email, "group:sre", "user:" + lena.Email},
		{fmt.Sprint("user_id:", lena.ID), fmt.Sprint("group_id:", sre), fmt.Sprint("user_id:", lena.ID)},
	} {
		if got := words([]string{one[0]}, []string{one[1]}, []string{one[2]}); got != plain {
			t.Errorf("%v: %s, plain %s", slices.Clone(one[:]), got, plain)
		}
	}
}
