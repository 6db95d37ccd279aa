package organization_test

import (
	"reflect"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The server may compare a change with a copy of the organization that is older than what it shows (server-behavior §O10):
// what is sent is written all the same, and nothing of the rest changes.
func TestProtocolOrganizationThatIsComparedWithAnOldCopy(t *testing.T) {
	for name, test := range map[string]struct{ before, now, planned values }{
		"a permission": {
			before:  values{"can_create_groups": []any{"role:moderators"}},
			now:     values{"can_create_groups": []any{"role:administrators"}},
			planned: values{"can_create_groups": []any{"role:members"}},
		},
		"back to what the copy has": {
			before:  values{"description": "before", "can_create_groups": []any{"role:moderators"}},
			now:     values{"description": "now", "can_create_groups": []any{"role:administrators"}},
			planned: values{"description": "before", "can_create_groups": []any{"role:moderators"}},
		},
		"a permission and a setting": {
			before:  values{"waiting_period_threshold": 3, "can_invite_users_group": []any{"role:members"}},
			now:     values{"waiting_period_threshold": 5, "can_invite_users_group": []any{"role:moderators"}},
			planned: values{"waiting_period_threshold": 3, "can_invite_users_group": []any{"role:administrators"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, run := managed(t)
			run.MustApply(test.before)
			fault, err := sandbox.ParseFault("PATCH /realm stale 1")
			if err != nil {
				t.Fatal(err)
			}
			o.Sandbox.Fail(fault)
			run.MustApply(test.now)
			before := held(t, o)
			run.MustApply(test.planned)
			// The next change is compared with what is there.
			sent := o.Sent()
			run.MustApply(test.now)
			if writes := sent.Writes(); len(writes) != 1 {
				t.Errorf("sent %v", writes)
			}
			if after := held(t, o); !reflect.DeepEqual(after, before) {
				t.Errorf("the server holds %+v, and held %+v", after, before)
			}
		})
	}
}

// Somebody whom the server's list of people lacks gets a permission, and stays in the state by address (server-behavior §U18).
func TestProtocolOrganizationPermissionOfSomebodyWhomTheListLacks(t *testing.T) {
	const nadia = "user:nadia@example.com"
	o, run := managed(t)
	o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: "/users", Action: sandbox.FaultStale})
	if _, err := o.Client.CreateUser(t.Context(), zulip.NewUser{Email: "nadia@example.com", FullName: "Nadia Haddad", Password: "a long enough password"}); err != nil {
		t.Fatal(err)
	}
	run.MustApply(values{"can_create_groups": []any{"role:administrators", nadia}})
	run.MustApply(values{"can_create_groups": []any{"role:owners", nadia}})
}
