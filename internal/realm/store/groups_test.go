package store_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// newGroup is a group that is not in the example.
var newGroup = zulip.UserGroupCreate{Name: "fresh"}

func TestFreshGroupsAreOneRequestForAllWhoAsk(t *testing.T) {
	d, client, server := newStore(t)
	view, err := d.Read(context.Background(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sre, _ := view.UserGroupByName("sre")
	if err := client.DeactivateUserGroup(context.Background(), sre.ID); err == nil {
		t.Fatal("sre is in use")
	}
	id, _, err := client.CreateUserGroup(context.Background(), newGroup)
	if err != nil {
		t.Fatal(err)
	}
	askBefore(t, d)
	server.Journal().Reset()
	together(10, func() {
		view, err := d.Fresh(context.Background(), store.UserGroups)
		if err != nil {
			t.Error(err)
			return
		}
		if group, ok := view.UserGroup(id); !ok || group.Name != "fresh" {
			t.Error("the new group is not there")
		}
	})
	if got := server.Journal().Count(sandbox.Filter{Method: http.MethodGet, Path: "/user_groups"}); got != 1 {
		t.Errorf("%d requests", got)
	}
}

func TestRenamedGroupsAreFoundByTheNameThatTheyGet(t *testing.T) {
	d, run := newPlanningStore(t)
	view, err := d.Read(context.Background(), store.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sre, _ := view.UserGroupByName("sre")
	leads, _ := view.UserGroupByName("leads")
	run.PlanName("zulip_user_group", sre.ID, "leads")
	run.PlanName("zulip_user_group", leads.ID, "bosses")
	for name, want := range map[string]int64{"leads": sre.ID, "bosses": leads.ID, "sre": 0} {
		group, ok := view.UserGroupByName(name)
		if ok != (want != 0) || ok && (group.ID != want || group.Name != name) {
			t.Errorf("%s is %+v", name, group)
		}
	}
	if held, _ := view.UserGroups().ByName("sre"); held == nil || held.ID != sre.ID {
		t.Error("the name that the group has now is lost")
	}
}
