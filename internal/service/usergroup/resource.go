// Package usergroup is the resources zulip_user_group, with the permissions of a group, and zulip_user_group_membership, and
// the data sources zulip_user_group and zulip_user_groups.
package usergroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permissionattribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resourcekit"
	"github.com/zulip-iac/terraform-provider-zulip/internal/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/tfvalue"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is the type of the resource.
const kind = "zulip_user_group"

type (
	definition    = resourcekit.TableDefinition[model, facts, zulip.UserGroup, update]
	tableResource = resourcekit.TableResource[model, facts, zulip.UserGroup, update]
	tablePlan     = resourcekit.TablePlan[model, facts, zulip.UserGroup, update]
	creation      = resourcekit.TableCreation[model, facts, zulip.UserGroup, update]
)

// NewResource returns zulip_user_group.
func NewResource() resource.Resource { return resourcekit.NewTable(groups) }

var groups = &definition{
	Definition: resourcekit.Definition[model, zulip.UserGroup, int64]{
		Name: "user_group", Title: "user group", Plural: "user groups",
		Schema:     resourceSchema,
		Source:     resourcekit.Source{Part: store.UserGroups},
		Index:      (*snapshot.Snapshot).UserGroups,
		Key:        func(group *zulip.UserGroup) int64 { return group.ID },
		Find:       findManageable,
		IsGone:     func(group *zulip.UserGroup) bool { return group.Deactivated },
		HowToAdopt: howToAdopt,
		Unique: resourcekit.Unique[model, zulip.UserGroup]{
			Of:      func(m *model) string { return m.Name.ValueString() },
			IsTaken: isTaken,
		},
		DeleteVerb: "deactivate",
	},
	Table:     &attributes,
	Facts:     func(m *model) *facts { return &m.facts },
	ID:        func(f *facts) *types.Int64 { return &f.ID },
	NameOf:    func(group *zulip.UserGroup) string { return group.Name },
	CreatedBy: createdBy,
	NameTaken: nameTaken,
	PlanName:  (*runstate.State).PlanGroupName,
	Adoption: resourcekit.Adoption[model, zulip.UserGroup, update]{
		Attribute: "adopt_deactivated",
		IsAsked:   func(m *model) bool { return m.AdoptDeactivated.ValueBool() },
		Warning:   warnOfAdoption, Refusal: refuseDeactivated,
		Reactivate: func(u *update) { u.Deactivated = new(bool) }, // (server-behavior §G4)
	},
	New:          &zulip.UserGroup{},
	AtCreation:   atCreation,
	CreateObject: create, RegisterCreated: registerMembership, SendUpdate: sendUpdate, Archive: deactivate,
	Derive: wait, Check: check, Protect: protect,
}

// findManageable finds the group that an import means. Its error is for people.
func findManageable(s *snapshot.Snapshot, text string) (*zulip.UserGroup, error) {
	found, err := lookup.Group(s, text)
	switch {
	case err != nil:
		return nil, err
	case found.Group == nil:
		return nil, fmt.Errorf("user group %q does not exist yet", text)
	case found.Group.IsSystemGroup:
		return nil, fmt.Errorf("%q is a role: the roles of people decide who is in it, and nobody can change it", found.Group.Name)
	}
	return found.Group, nil
}

func howToAdopt(group *zulip.UserGroup) string {
	return fmt.Sprintf("User group %q is deactivated. Add a zulip_user_group with its name and adopt_deactivated = true to reactivate it.", group.Name)
}

// isTaken reports whether the server refused a creation because another group has the name.
func isTaken(err error) bool {
	var refusal *zulip.Error
	return errors.As(err, &refusal) && strings.HasPrefix(refusal.Msg, "User group '") && strings.HasSuffix(refusal.Msg, "' already exists.")
}

func createdBy(group *zulip.UserGroup) (creator *int64, at time.Time) {
	if group.DateCreated != nil {
		at = time.Unix(*group.DateCreated, 0)
	}
	return group.CreatorID, at
}

// nameTaken returns the group other than the one with the ID own that has a name, and keeps it in this run.
func nameTaken(s *snapshot.Snapshot, name string, own int64) (*zulip.UserGroup, bool) {
	group, ok := s.UserGroups().ByName(name)
	if !ok || group.ID == own {
		return nil, false
	}
	later, _ := s.UserGroup(group.ID)
	return group, later.Name == group.Name
}

func warnOfAdoption(group *zulip.UserGroup) (summary, detail string) {
	// Only the detail has the name, so that the CLI can make one warning of many.
	return "A deactivated user group will be reactivated",
		fmt.Sprintf("User group %q has the ID %d, and members: %d. What this configuration does not set stays as it was.", group.Name, group.ID, len(group.Members))
}

func refuseDeactivated(group *zulip.UserGroup) (summary, detail string) {
	return fmt.Sprintf("A deactivated user group has the name %q", group.Name),
		fmt.Sprintf("Deactivated groups keep their names, so the name of this one (ID %d) is not free. "+
			"Set adopt_deactivated = true to reactivate it with its members and permissions, choose another name, or rename the deactivated group.", group.ID)
}

// itself is how the permissions of a group name the group.
func itself(f *facts) permission.Principal {
	return permission.Principal{Kind: permission.KindGroup, Name: f.Name.ValueString()}
}

// atCreation leaves out the permissions that name the group itself: the server takes them once it exists.
func atCreation(planned *facts) *facts {
	created := *planned
	for _, one := range attributes.Permissions {
		if principals, known := permissionattribute.PrincipalsOf(*one.At(&created)); known && slices.Contains(principals, itself(planned)) {
			*one.At(&created) = types.SetNull(types.StringType)
		}
	}
	return &created
}

// create creates a group and returns its ID; zero after an error.
func create(ctx context.Context, c *creation) int64 {
	var all update
	for _, step := range c.Steps {
		step.Put(&all, &zulip.UserGroup{}, false)
	}
	request := zulip.UserGroupCreate{
		Name: c.Name, Description: c.Plan.Description.ValueString(),
		Members: all.Add, Subgroups: all.AddSubgroups, Permissions: map[string]zulip.GroupSettingValue{},
	}
	for setting, change := range all.Permissions {
		request.Permissions[setting] = change.New
	}
	newCaller(c.Meta, c.Snapshot).checkLockout(after(nil, all), false, c.Diags)
	if c.Diags.HasError() {
		return 0
	}
	return c.Send(ctx, func(ctx context.Context) (int64, *zulip.Answer, error) {
		return c.Meta.Client.CreateUserGroup(ctx, request)
	})
}

// registerMembership registers which lists of a group that was just created its resource manages.
func registerMembership(run *runstate.State, id int64, planned *facts) {
	for _, list := range membershipLists {
		if tfvalue.IsSet(*list.attribute(planned)) { // on creation, only what is configured is known
			run.ManageMembership(runstate.GroupKey{ID: id}, list.name, true)
		}
	}
}
