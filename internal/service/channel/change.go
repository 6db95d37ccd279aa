package channel

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// The words of a change of a channel: its steps, and a channel as it was read.
type (
	step    = framework.Step[*zulip.Channel, zulip.ChannelUpdate]
	pending = framework.Pending[*zulip.Channel, zulip.ChannelUpdate]
	reading = framework.Reading[*zulip.Channel]
)

// permissions are the part of a change that channels share with everything else that has permissions.
var permissions = framework.Permissions[*zulip.Channel, zulip.ChannelUpdate]{
	Table:   permission.Channels,
	Held:    func(c *zulip.Channel) map[string]zulip.GroupSettingValue { return c.Permissions },
	Changes: func(u *zulip.ChannelUpdate) *map[string]zulip.GroupSettingChange { return &u.Permissions },
}

// steps lists what has to change to lead a channel from what the plan saw to what it asks. Attributes whose planned
// value is not known or not managed are none. prior is the state; nil for a channel that is to be created.
func steps(saw *zulip.Channel, prior, plan *model, view *snapshot.Snapshot) ([]step, []permission.Problem) {
	all, problems := permissions.Steps(saw, prior.priorPermissions(), plan.permission, view)
	add := func(attribute string, planned bool, want string, value func(*zulip.Channel) string, put func(*zulip.ChannelUpdate, *zulip.Channel)) {
		if planned && value(saw) != want {
			all = append(all, step{
				Attribute: attribute, Value: value, Saw: value(saw), Want: want,
				Put: func(u *zulip.ChannelUpdate, now *zulip.Channel, _ bool) { put(u, now) },
			})
		}
	}
	privacy := zulip.Privacy(plan.Privacy.ValueString())
	add("privacy", framework.IsSet(plan.Privacy), string(privacy),
		func(c *zulip.Channel) string { return string(c.Privacy()) },
		func(u *zulip.ChannelUpdate, now *zulip.Channel) { changePrivacy(u, now.Privacy(), privacy) })
	add("is_default", framework.IsSet(plan.IsDefault), fmt.Sprint(plan.IsDefault.ValueBool()),
		func(c *zulip.Channel) string { return fmt.Sprint(c.IsDefault) },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.IsDefaultStream = plan.IsDefault.ValueBoolPointer() })
	retention := parseRetention(plan.MessageRetentionDays.ValueString())
	add("message_retention_days", framework.IsSet(plan.MessageRetentionDays), plan.MessageRetentionDays.ValueString(), retentionOf,
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.MessageRetentionDays = &retention })
	add("topics_policy", framework.IsSet(plan.TopicsPolicy), plan.TopicsPolicy.ValueString(),
		func(c *zulip.Channel) string { return c.TopicsPolicy },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) {
			u.TopicsPolicy = plan.TopicsPolicy.ValueStringPointer()
		})
	add("default_push_notifications", framework.IsSet(plan.DefaultPush), fmt.Sprint(plan.DefaultPush.ValueBool()),
		func(c *zulip.Channel) string { return fmt.Sprint(pushesByDefault(c)) },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) {
			u.DefaultPushNotifications = plan.DefaultPush.ValueBoolPointer()
		})
	description := storedDescription(plan.Description.ValueString())
	add("description", framework.IsSet(plan.Description), description,
		func(c *zulip.Channel) string { return c.Description },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.Description = &description })
	add("name", framework.IsSet(plan.Name), plan.Name.ValueString(),
		func(c *zulip.Channel) string { return c.Name },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.Name = plan.Name.ValueStringPointer() })
	folder := folderID(plan.FolderID.ValueInt64())
	add("folder_id", framework.IsSet(plan.FolderID), fmt.Sprint(plan.FolderID.ValueInt64()),
		func(c *zulip.Channel) string { return fmt.Sprint(folderOf(c)) },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.FolderID = &folder })
	return all, problems
}

// pushesByDefault reports whether new subscribers get push notifications. A state written with an older server does not
// say so; channels start without.
func pushesByDefault(channel *zulip.Channel) bool {
	return channel.DefaultPushNotifications != nil && *channel.DefaultPushNotifications
}

// changePrivacy writes a change of privacy with the flags it takes, and no other: a flag that is sent again resets what
// hangs on it (server-behavior §C12).
func changePrivacy(update *zulip.ChannelUpdate, from, to zulip.Privacy) {
	flag := func(value bool) *bool { return &value }
	if from.IsPrivate() != to.IsPrivate() {
		update.IsPrivate = flag(to.IsPrivate())
	}
	if (from == zulip.PrivacyWebPublic) != (to == zulip.PrivacyWebPublic) {
		update.IsWebPublic = flag(to == zulip.PrivacyWebPublic)
	}
	// Going private, history is protected unless the same request says otherwise; between the two private kinds
	// it is the only flag.
	if to == zulip.PrivacyPrivateSharedHistory {
		update.HistoryPublicToSubscribers = flag(true)
	}
	if from == zulip.PrivacyPrivateSharedHistory && to == zulip.PrivacyPrivateProtectedHistory {
		update.HistoryPublicToSubscribers = flag(false)
	}
}

// subject is a channel as what is changed.
func (r *Resource) subject(id int64) framework.Subject[*zulip.Channel, zulip.ChannelUpdate] {
	return framework.Subject[*zulip.Channel, zulip.ChannelUpdate]{
		Unread: fmt.Sprintf("channel %d", id),
		Name:   func(c *zulip.Channel) string { return fmt.Sprintf("channel %q", c.Name) },
		Read:   func(ctx context.Context) (*reading, error) { return r.fresh(ctx, id) },
		Send: func(ctx context.Context, pending pending) (ignored []string, err error) {
			for _, update := range requests(pending) {
				answer, err := r.Meta.Client.UpdateChannel(ctx, id, update)
				if err != nil {
					return nil, err
				}
				ignored = append(ignored, answer.IgnoredParameters...)
			}
			return ignored, nil
		},
	}
}

// requests divides what is pending into what one request may carry. Permissions go first, so that nothing else has
// changed when one of them is refused (server-behavior §C10). The exception: while history is protected, the right to
// create topics is fixed, so the change that shares history has to come before.
func requests(pending pending) []zulip.ChannelUpdate {
	permissions, others := pending.Permissions(), pending.Others()
	ordered := []zulip.ChannelUpdate{permissions, others}
	_, topics := permissions.Permissions["can_create_topic_group"]
	if topics && pending.Now.Privacy() == zulip.PrivacyPrivateProtectedHistory {
		slices.Reverse(ordered)
	}
	return slices.DeleteFunc(ordered, func(u zulip.ChannelUpdate) bool { return u.Empty() })
}

// change carries out the steps on a channel and returns it as the server then holds it; nil if it could not be read.
func (r *Resource) change(ctx context.Context, id int64, all []step, now *reading, diags *diag.Diagnostics) *reading {
	return r.subject(id).Change(ctx, &r.Base, all, now, diags)
}

// fresh reads a channel as it is now, together with everybody else who wants to.
func (r *Resource) fresh(ctx context.Context, id int64) (*reading, error) {
	if _, err := r.Meta.Store.Read(ctx, store.Organization); err != nil {
		return nil, err
	}
	view, err := r.Meta.Store.Fresh(ctx, store.Channels)
	if err != nil {
		return nil, err
	}
	channel, ok := view.Channels().ByID(id)
	if !ok {
		return nil, fmt.Errorf("the account the provider uses does not see a channel with the ID %d any more", id)
	}
	if channel.IsArchived {
		return nil, fmt.Errorf("channel %q was archived meanwhile", channel.Name)
	}
	return &reading{Thing: channel, View: view}, nil
}
