package organization

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The words of a change of the organization.
type (
	step    = framework.Step[*zulip.Realm, zulip.RealmUpdate]
	pending = framework.Pending[*zulip.Realm, zulip.RealmUpdate]
)

// permissions are the part of a change that the organization shares with everything else that has permissions.
var permissions = framework.Permissions[*zulip.Realm, zulip.RealmUpdate]{
	Table:   permission.Organizations,
	Held:    func(r *zulip.Realm) map[string]zulip.GroupSettingValue { return r.Permissions },
	Changes: func(u *zulip.RealmUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
}

// seen is the organization as a plan saw it.
type seen struct {
	settings    framework.SettingValues
	permissions map[string]zulip.GroupSettingValue
}

// seenNow is the organization as it was just read, for a resource that is to be created.
func seenNow(realm *zulip.Realm, level int, diags *diag.Diagnostics) seen {
	return seen{settings.Read(realm.Settings, level, nil, diags), realm.Permissions}
}

// seenBefore is the organization as a state shows it, with the raw permissions kept beside it.
func seenBefore(state *model, raw map[string]zulip.GroupSettingValue, view *snapshot.Snapshot) seen {
	return seen{state.settings, state.permissionSets().Saw(permission.Organizations, raw, view)}
}

// steps lists what has to change to lead the organization from what the plan saw to what it asks. Attributes whose planned
// value is not known or not managed are none. prior is the state; nil for a resource that is to be created.
func steps(saw seen, prior, plan *model, view *snapshot.Snapshot, level int) (all []step, problems []permission.Problem) {
	for _, setting := range settings.Changes(plan.settings, saw.settings) {
		all = append(all, settingStep(setting, saw, plan, level))
	}
	more, problems := permissions.Steps(&zulip.Realm{Permissions: saw.permissions}, prior.priorPermissions(), plan.permission, view)
	return append(all, more...), problems
}

func settingStep(setting framework.Setting, saw seen, plan *model, level int) step {
	wanted := plan.settings[setting.Name]
	return step{
		Attribute: setting.Name, Saw: describe(saw.settings[setting.Name]), Want: describe(wanted),
		Value: func(realm *zulip.Realm) string {
			// What cannot be read was reported when the state was; here it is just something else.
			var unreadable diag.Diagnostics
			return describe(framework.Settings{setting}.Read(realm.Settings, level, nil, &unreadable)[setting.Name])
		},
		Put: func(update *zulip.RealmUpdate, now *zulip.Realm, _ bool) {
			if setting.Name == methodsAttribute {
				update.Settings.JSON(setting.Name, turnOff(wanted, now.AuthenticationMethods))
				return
			}
			setting.Send(&update.Settings, plan.settings, now.Settings, level)
		},
	}
}

// describe writes a value of a setting for people. Values that mean the same are written the same.
func describe(value attr.Value) string {
	set, isSet := value.(types.Set)
	switch {
	case value == nil || value.IsNull():
		return "nothing"
	case isSet:
		texts := textsOf(set)
		slices.Sort(texts)
		return fmt.Sprintf("%q", texts)
	}
	return value.String()
}

// change carries out the steps and returns the organization as the server then holds it; nil if it could not be read. now
// is what was just read, or nil.
func change(ctx context.Context, base *framework.Base, all []step, now *reading, diags *diag.Diagnostics) *reading {
	subject := framework.Subject[*zulip.Realm, zulip.RealmUpdate]{
		Unread: "the organization",
		Name:   func(*zulip.Realm) string { return "the organization" },
		Read:   func(ctx context.Context) (*reading, error) { return fresh(ctx, base) },
		Send: func(ctx context.Context, pending pending) ([]string, error) {
			return send(ctx, base, pending.Update())
		},
	}
	return subject.Change(ctx, base, all, now, diags)
}

// send makes one request of everything. The server carries it out piece by piece (server-behavior §O2): what an error
// leaves behind is read then.
func send(ctx context.Context, base *framework.Base, update zulip.RealmUpdate) (ignored []string, err error) {
	if slices.Contains(update.Settings.Names(), waitingAttribute) {
		// Who is a full member changes with it.
		defer base.Meta.Store.Invalidate(store.UserGroups)
	}
	answer, err := base.Meta.Client.UpdateRealm(ctx, update)
	if err != nil {
		return nil, err
	}
	return answer.IgnoredParameters, nil
}

// fresh reads the organization as it is now.
func fresh(ctx context.Context, base *framework.Base) (*reading, error) {
	view, err := base.Meta.Store.Fresh(ctx, store.Organization)
	if err != nil {
		return nil, err
	}
	return &reading{Thing: view.Realm(), View: view}, nil
}
