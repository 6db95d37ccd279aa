package trial_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Accounts of every role, and bots, get one permission, as themselves, through a role, or through the group that they are
// in. Each tries everything with the group, in it and outside.
func TestConformanceGroupGrants(t *testing.T) {
	accounts := map[string]sandbox.Account{
		"owner": {Email: "owner@example.com", Role: 100}, "admin": {Email: "admin@example.com", Role: 200}, "moderator": {Email: "moderator@example.com", Role: 300},
		"member": {Email: "member@example.com", Role: 400}, "guest": {Email: "guest@example.com", Role: 600},
		"bot":   {Email: "all-bot@example.com", Role: 400, IsBot: true, Owner: "member"},
		"chief": {Email: "chief-bot@example.com", Role: 100, IsBot: true, Owner: "owner"},
	}
	for name, account := range accounts {
		account.FullName = name
		accounts[name] = account
	}
	for _, level := range []int{442, 500} {
		o := acctest.NewSandbox(t, sandbox.Config{Accounts: accounts, FeatureLevel: level}).WithAccount(t, "owner")
		o.WithAccount(t, "member").Call(t, "POST", "/bots", map[string]string{"full_name": "hook", "short_name": "hook", "bot_type": "2"})
		nobody := fmt.Sprint(o.SystemGroup(t, "role:nobody"))
		var ids []string
		for _, name := range slices.Sorted(maps.Keys(accounts)) {
			credentials, _ := o.Sandbox.Credentials(name)
			ids = append(ids, fmt.Sprint(credentials.ID))
		}
		permissions, tries := slices.Sorted(maps.Keys(groupAttempts)), 0
		for _, members := range []string{"", strings.Join(ids, ",")} {
			create := map[string]string{"name": "crew" + members, "description": "", "members": "[" + members + "]"}
			for _, name := range permissions {
				create[name] = nobody
			}
			group := int64(o.Call(t, "POST", "/user_groups/create", create)["group_id"].(float64))
			values := []string{
				nobody, fmt.Sprint(o.SystemGroup(t, "role:moderators")), fmt.Sprint(group), `{"direct_members":[` + strings.Join(ids, ",") + `],"direct_subgroups":[]}`,
			}
			for _, all := range []string{fmt.Sprint(o.SystemGroup(t, "role:owners")), `{"direct_members":[` + strings.Join(ids, ",") + `],"direct_subgroups":[]}`} {
				o.Call(t, "PATCH", "/realm", map[string]string{"can_manage_all_groups": `{"new":` + all + `}`})
				for _, name := range permissions {
					for _, value := range values {
						o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group), map[string]string{name: `{"new":` + value + `}`})
						tries += compareGroup(t, o, group, fmt.Sprintf("level %d, members %q, can_manage_all_groups %s, %s %s", level, members, all, name, value))
					}
					o.Call(t, "PATCH", fmt.Sprintf("/user_groups/%d", group), map[string]string{name: `{"new":` + nobody + `}`})
				}
			}
		}
		if tries < 3000 {
			t.Errorf("only %d tries", tries)
		}
	}
}

// compareGroup has every account try everything with a group, and compares this with effective access and its reasons.
func compareGroup(t *testing.T, o *acctest.Organization, id int64, when string) (tries int) {
	t.Helper()
	view, err := store.New(o.Client, o.Self, o.Sandbox.FeatureLevel(), new(runstate.State)).OneAtATime().Read(t.Context(), store.Channels)
	acctest.NoError(t, err)
	org := access.Of(access.Read{View: view, Self: o.Self, Now: time.Now()})
	group := org.Groups[slices.IndexFunc(org.Groups, func(one *access.Group) bool { return one.ID == id })]
	r := &run{sandbox: o.Sandbox}
	r.lookAround()
	for _, setting := range permission.UserGroupSettings {
		who, isCertain := org.People.HeldInGroup(setting.Name, group.Permissions).Certain()
		for user := range org.People.Everybody().All() {
			answer, skip := r.attempt(groupAttempts[setting.Name], int(id), int(user.ID))
			if skip != "" {
				continue
			}
			if !answer.Done() && !groupAttempts[setting.Name].isRefusal(answer) {
				t.Errorf("%s: %s of %s: the server answered %d %q", when, setting.Name, user.FullName, answer.Status, answer.Message)
			}
			through := org.People.Person(user).InGroup(setting.Name, group.Permissions)
			if can := who.Has(user.ID); can != answer.Done() || !isCertain || can != (len(through) > 0) {
				t.Errorf("%s: %s of %s: computed %t (certain: %t, through %q), tried %t %q", when, setting.Name, user.FullName, can, isCertain, through, answer.Done(), answer.Message)
			}
			tries++
		}
	}
	return tries
}
