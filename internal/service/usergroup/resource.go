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

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/attribute"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/core"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/lookup"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// kind is the type of the resource.
const kind = "zulip_user_group"

type (
	definition    = core.Definition[model, zulip.UserGroup, update]
	tableResource = core.Resource[model, zulip.UserGroup, update]
	tablePlan     = core.TablePlan[model, zulip.UserGroup, update]
)

// NewResource returns zulip_user_group.
func NewResource() resource.Resource { return core.New(groups()) }

// groupOn returns the resource of groups on a server.
func groupOn(b base.Base) *tableResource {
	r := core.New(groups())
	r.Base = b
	return r
}

func groups() *definition {
	return &definition{
		Name: "user_group", Title: "user group", Plural: "user groups",
		Schema: resourceSchema,
		Source: core.Source{Part: store.UserGroups, Needs: []store.Part{store.Organization}, NeedsDecide: true},
		Index:  (*snapshot.Snapshot).UserGroups,
		Key:    func(group *zulip.UserGroup) int64 { return group.ID },
		Find:   findManageable,
		IsGone: func(group *zulip.UserGroup) bool { return group.Deactivated }, HowToAdopt: howToAdopt,
		Table:  core.Rows(&attributes, func(m *model) *facts { return &m.facts }),
		Unsent: []string{"adopt_deactivated"},
		Names: func(m *model) []string {
			return append(attributes.Sets(&m.facts).NamedUsers(permission.UserGroups), lookup.Names(m.Members.Elements())...)
		},
		Unique: core.Unique[model, zulip.UserGroup]{
			Of:          func(m *model) string { return m.Name.ValueString() },
			IsFreed:     isFreed,
			IsReferable: true,
			IsTaken:     isTaken,
			CreatedBy:   createdBy,
			Adoption: &core.Adoption[model, zulip.UserGroup]{
				Attribute: "adopt_deactivated",
				IsAsked:   func(m *model) bool { return m.AdoptDeactivated.ValueBool() },
				Warning:   warnOfAdoption, Refusal: refuseDeactivated,
			},
		},
		CheckPlan: warnOfUse,
		CheckTable: func(ctx context.Context, p *tablePlan) {
			wait(p)
			p.Compare()
			check(ctx, p)
		},
		New: &zulip.UserGroup{}, Create: create, MayBeCreated: isOwn, RegisterCreated: registerMembership,
		Adopt: adopt, Reactivation: func(u *update) { u.Deactivated = new(bool) }, // (server-behavior §G4)
		SendUpdate: sendUpdate,
		Protect:    protect,
		Delete: func(ctx context.Context, c *core.Context, state *model) error {
			return deactivate(ctx, groupOn(*c.Base), state)
		},
		Archives: true, DeleteVerb: "deactivate",
	}
}

// isOwn reports whether the provider's account created a group.
func isOwn(_ *model, group *zulip.UserGroup, c *core.Context) bool {
	return group.CreatorID == nil || *group.CreatorID == c.Meta.Store.Self().ID
}

// adopt returns the deactivated group of the name, if the plan asks for it.
func adopt(ctx context.Context, c *core.Context, plan *model) (id int64, ok bool, err error) {
	if !plan.AdoptDeactivated.ValueBool() {
		return 0, false, nil
	}
	s, err := c.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return 0, false, err
	}
	group, ok := s.UserGroups().ByName(plan.Name.ValueString())
	if !ok || !group.Deactivated {
		return 0, false, nil
	}
	return group.ID, true, nil
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

// isFreed reports whether this run has planned to give a group another name.
func isFreed(s *snapshot.Snapshot, group *zulip.UserGroup, _ string) bool {
	later, _ := s.UserGroup(group.ID)
	return later.Name != group.Name
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
		if principals, known := attribute.PrincipalsOf(*one.At(&created)); known && slices.Contains(principals, itself(planned)) {
			*one.At(&created) = types.SetNull(types.StringType)
		}
	}
	return &created
}

// create creates a group and returns its ID.
func create(ctx context.Context, c *core.Context, plan *model) (int64, error) {
	var diags diag.Diagnostics
	on := attribute.On(c.Base, c.Snapshot)
	steps, problems := attributes.Steps(attributes.PriorObject(&zulip.UserGroup{}, on, &diags), atCreation(&plan.facts), on)
	attribute.ReportProblems(&diags, problems)
	var all update
	for _, step := range steps {
		step.Put(&all, &zulip.UserGroup{}, false)
	}
	name := plan.Name.ValueString()
	request := zulip.UserGroupCreate{
		Name: name, Description: plan.Description.ValueString(),
		Members: all.Add, Subgroups: all.AddSubgroups, Permissions: map[string]zulip.GroupSettingValue{},
	}
	for setting, change := range all.Permissions {
		request.Permissions[setting] = change.New
	}
	newCaller(c.Meta, c.Snapshot).checkLockout(after(nil, all), false, &diags)
	if diags.HasError() {
		return 0, core.AsError(diags)
	}
	id, answer, err := c.Meta.Client.CreateUserGroup(ctx, request)
	if err != nil {
		return 0, err
	}
	c.WarnIgnored(fmt.Sprintf("user group %q", name), answer, attributes.Wire.Table)
	if id != 0 {
		return id, nil
	}
	// The server does not tell the ID.
	s, err := c.Meta.Store.Fresh(ctx, store.UserGroups)
	if err != nil {
		return 0, err
	}
	if group, ok := s.UserGroups().ByName(name); ok {
		return group.ID, nil
	}
	return 0, errors.New("the server accepted the request and does not list the user group")
}

// registerMembership registers which lists of a group that was just created its resource manages.
func registerMembership(c *core.Context, id int64, planned *model) {
	for _, list := range membershipLists {
		if base.IsSet(*list.attribute(&planned.facts)) { // on creation, only what is configured is known
			c.Meta.Run.ManageMembership(runstate.GroupKey{ID: id}, list.name, true)
		}
	}
}
