package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// outsider is a guest who is in a group of their own, with the name guests.
const outsider = "gil.guest@example.com"

// principals are the values whose acceptance the parts of the provider must agree about.
var principals = map[string][]any{
	"everyone": {"role:everyone"}, "the internet": {"role:internet"}, "nobody": {"role:nobody"}, "members": {"role:members"}, "full members": {"role:fullmembers"},
	"moderators": {"role:moderators"}, "administrators": {"role:administrators"}, "owners": {"role:owners"}, "no one": {},
	"a guest": {"user:" + outsider}, "a group with a guest": {"group:guests"}, "a user": {"user:" + someone}, "a group": {"group:sre"},
	"everyone and a user": {"role:everyone", "user:" + someone}, "the internet and a user": {"role:internet", "user:" + someone}, "nobody and a user": {"role:nobody", "user:" + someone},
	"moderators and a user": {"role:moderators", "user:" + someone},
}

// addGuest creates the guest and the group.
func addGuest(t *testing.T, o *acctest.Organization) (id int64) {
	t.Helper()
	made, _ := o.Call(t, "POST", "/users", map[string]string{"email": outsider, "full_name": "Gil Guest", "password": "correct horse battery staple"})["user_id"].(float64)
	o.Call(t, "PATCH", fmt.Sprint("/users/", int64(made)), map[string]string{"role": fmt.Sprint(int(zulip.RoleGuest))})
	o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "guests", "description": "", "members": fmt.Sprintf("[%d]", int64(made))})
	return int64(made)
}

func TestLawPermission(t *testing.T) {
	l := laws.Law{Name: "permission", Sentence: "the schema, the plan, its warnings, the server and the reports agree about who can be given a permission, and who then has it", Every: 6}
	laws.Hold(t, l, laws.Subjects(t, laws.Subject.IsPermission), func(c *laws.Case, s laws.Subject) {
		stage := stageOf(c, s)
		guest := addGuest(c.T, stage.Organization)
		stage.Config = values{}
		if s.Of != "zulip_organization" {
			stage.Config = values{"name": "released"}
		}
		run := stage.Trial(c)
		run.Block["lockout_protection"] = false // it refuses more than the server, on purpose
		if !run.Try(stage.Config).Start(c) {
			return
		}
		if s.Of == "zulip_channel" { // others do not have access to it
			stage.Call(c.T, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "released"}]`, "principals": fmt.Sprintf("[%d]", guest)})
		}
		for _, name := range sortedKeys(principals) {
			c.Try(name, func() { compareParts(c, stage, run, principals[name]) })
		}
	})
}

// compareParts gives the permission to principals, by a plan and by a request of its own, and compares.
func compareParts(c *laws.Case, stage laws.Stage, run *laws.Trial, value []any) {
	c.Helper()
	_, diags := run.Plan(stage.With(value))
	refusal := diags.Errors()
	answer := send(c.T, stage, run.State.Values["id"], value)
	switch {
	case len(refusal) > 0 && answer == "":
		c.Broken("the plan refuses what the server accepts", refusal)
	case len(refusal) == 0 && answer != "":
		c.Broken("the plan accepts what the server refuses", answer)
	}
	if len(refusal) > 0 || answer != "" {
		return
	}
	never := strings.Contains(stage.Description, "Never guests")
	names := slices.Contains(value, any("user:"+outsider))
	warns := slices.ContainsFunc(diags.Warnings(), func(one acctest.Diagnostic) bool { return strings.Contains(one.String(), "guests, who never have") })
	if names && never != warns {
		c.Broken("the schema and the plan's warning disagree about guests", "never: ", never, ", warned: ", warns)
	}
	holds := slices.ContainsFunc(value, func(one any) bool {
		return one == "user:"+outsider || one == "group:guests" || one == "role:everyone"
	})
	if has, known := heldBy(c.T, stage, run, outsider); known && holds && has == never {
		c.Broken("the schema and zulip_user_access disagree about guests", "never: ", never, ", has it: ", has)
	}
}

// send changes the permission without the provider, and returns the refusal of the server.
func send(t *testing.T, o laws.Stage, id any, value []any) string {
	t.Helper()
	path := map[string]string{"zulip_channel": fmt.Sprint("/streams/", id), "zulip_user_group": fmt.Sprint("/user_groups/", id), "zulip_organization": "/realm"}[o.Of]
	users := o.Call(t, "GET", "/users", nil)["members"].([]any)
	members, subgroups := []int64{}, []int64{}
	for _, one := range value {
		kind, name, _ := strings.Cut(fmt.Sprint(one), ":")
		switch kind {
		case "role":
			subgroups = append(subgroups, o.SystemGroup(t, "role:"+name))
		case "group":
			for _, group := range o.Snapshot(t, zulip.FetchUserGroups).UserGroups {
				if group.Name == name {
					subgroups = append(subgroups, group.ID)
				}
			}
		case "user":
			for _, user := range users {
				if user := user.(map[string]any); user["delivery_email"] == name || user["email"] == name {
					members = append(members, int64(user["user_id"].(float64)))
				}
			}
		}
	}
	var wire any = map[string]any{"direct_members": members, "direct_subgroups": subgroups}
	if len(members) == 0 && len(subgroups) == 1 {
		wire = subgroups[0]
	}
	encoded, err := json.Marshal(map[string]any{"new": wire})
	requireNoError(t, err)
	if answer, isAccepted := o.Ask(t, "PATCH", path, map[string]string{o.Name: string(encoded)}); !isAccepted {
		return fmt.Sprintf("%q", answer["msg"])
	}
	return ""
}

// heldBy returns whether the data source about a person says that they have the permission.
func heldBy(t *testing.T, stage laws.Stage, run *laws.Trial, email string) (has, known bool) {
	t.Helper()
	all, diags := run.Process().ReadData("zulip_user_access", values{"user": email})
	diags.ExpectNoError(t)
	list, _ := all["organization_permissions"].([]any)
	switch stage.Of {
	case "zulip_channel":
		channels, _ := all["channels"].(values)
		channel, ok := channels["released"].(values)
		if !ok {
			return false, false
		}
		list, _ = channel["permissions"].([]any)
	case "zulip_user_group":
		return false, false
	}
	return slices.Contains(list, any(stage.Name)), true
}
