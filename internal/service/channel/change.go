package channel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/zulip-iac/terraform-provider-zulip/internal/directory"
	"github.com/zulip-iac/terraform-provider-zulip/internal/framework"
	"github.com/zulip-iac/terraform-provider-zulip/internal/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// step is the change of one attribute: what the plan saw, what it asks for, and how that is written.
type step struct {
	attribute    string
	isPermission bool
	// value returns what a channel holds there, as a text that is equal where the values mean the same and that
	// people can read.
	value func(*zulip.Channel) string
	saw   string
	want  string
	// put writes the change into an update of a channel that is as given.
	put func(update *zulip.ChannelUpdate, now *zulip.Channel)
}

// steps lists what has to change to lead a channel from what the plan saw to what it asks. Attributes whose planned
// value is not known or not managed are none.
func steps(saw *zulip.Channel, plan *model, view *directory.View) ([]step, []permission.Problem) {
	var all []step
	add := func(attribute string, planned bool, want string, value func(*zulip.Channel) string, put func(*zulip.ChannelUpdate, *zulip.Channel)) {
		if planned && value(saw) != want {
			all = append(all, step{attribute: attribute, value: value, saw: value(saw), want: want, put: put})
		}
	}
	permissions, problems := permissionSteps(saw, plan, view)
	all = append(all, permissions...)

	privacy := zulip.Privacy(plan.Privacy.ValueString())
	add("privacy", isSet(plan.Privacy), string(privacy),
		func(c *zulip.Channel) string { return string(c.Privacy()) },
		func(u *zulip.ChannelUpdate, now *zulip.Channel) { changePrivacy(u, now.Privacy(), privacy) })
	add("is_default", isSet(plan.IsDefault), fmt.Sprint(plan.IsDefault.ValueBool()),
		func(c *zulip.Channel) string { return fmt.Sprint(c.IsDefault) },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.IsDefaultStream = plan.IsDefault.ValueBoolPointer() })
	retention := parseRetention(plan.MessageRetentionDays.ValueString())
	add("message_retention_days", isSet(plan.MessageRetentionDays), plan.MessageRetentionDays.ValueString(), retentionOf,
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.MessageRetentionDays = &retention })
	add("topics_policy", isSet(plan.TopicsPolicy), plan.TopicsPolicy.ValueString(),
		func(c *zulip.Channel) string { return c.TopicsPolicy },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) {
			u.TopicsPolicy = plan.TopicsPolicy.ValueStringPointer()
		})
	description := storedDescription(plan.Description.ValueString())
	add("description", isSet(plan.Description), description,
		func(c *zulip.Channel) string { return c.Description },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.Description = &description })
	add("name", isSet(plan.Name), plan.Name.ValueString(),
		func(c *zulip.Channel) string { return c.Name },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.Name = plan.Name.ValueStringPointer() })
	folder := folderID(plan.FolderID.ValueInt64())
	add("folder_id", isSet(plan.FolderID), fmt.Sprint(plan.FolderID.ValueInt64()),
		func(c *zulip.Channel) string { return fmt.Sprint(folderOf(c)) },
		func(u *zulip.ChannelUpdate, _ *zulip.Channel) { u.FolderID = &folder })
	return all, problems
}

// permissionSteps lists the permissions that change, in the server's own order.
func permissionSteps(saw *zulip.Channel, plan *model, view *directory.View) (all []step, problems []permission.Problem) {
	for _, setting := range permission.ChannelSettings {
		set := *plan.permission(setting.Name)
		principals, known := framework.PrincipalsOf(set)
		if !known || set.IsNull() {
			continue
		}
		resolved, unusable := permission.Resolve(principals, view)
		nobody := permission.NobodyID(view)
		value := func(c *zulip.Channel) string {
			return permission.Describe(c.Permissions[setting.Name], view)
		}
		if len(unusable) == 0 && permission.Equal(saw.Permissions[setting.Name], resolved.Value, nobody) {
			continue
		}
		problems = append(problems, unusable...)
		for _, principal := range resolved.Planned {
			problems = append(problems, permission.Problem{Principal: principal, Summary: fmt.Sprintf("%q is still not in the organization", principal),
				Detail: "The plan was to create it before this channel. Refer to the resource that creates it, so that Terraform knows the order."})
		}
		for _, principal := range resolved.Deactivated {
			problems = append(problems, deactivated(setting.Name, principal))
		}
		all = append(all, step{
			attribute: setting.Name, isPermission: true, value: value,
			saw: value(saw), want: permission.Describe(resolved.Value, view),
			put: func(u *zulip.ChannelUpdate, now *zulip.Channel) {
				if u.Permissions == nil {
					u.Permissions = map[string]zulip.GroupSettingChange{}
				}
				change := zulip.GroupSettingChange{New: resolved.Value}
				// A value that is not in the form the server stores hides somebody deactivated: the server would
				// compare an old value with what it hides and refuse. It has just been read and compared instead.
				if old, ok := now.Permissions[setting.Name]; ok && permission.IsCanonical(old, nobody) {
					change.Old = &old
				}
				u.Permissions[setting.Name] = change
			},
		})
	}
	return all, problems
}

// deactivated is the problem of naming somebody whom the server no longer accepts in a value that has to be written.
func deactivated(setting string, principal permission.Principal) permission.Problem {
	return permission.Problem{
		Principal: principal,
		Summary:   fmt.Sprintf("%q is deactivated", principal),
		Detail:    fmt.Sprintf("The server refuses deactivated people in %s, which this plan changes. Take %q out of it, or reactivate the account first.", setting, principal),
	}
}

// isSet reports whether a planned value is there and known.
func isSet(value interface {
	IsNull() bool
	IsUnknown() bool
}) bool {
	return !value.IsNull() && !value.IsUnknown()
}

// changePrivacy writes a change of privacy with the flags it takes, and no other: a flag that is sent again resets what
// hangs on it (wire-1 §5.7.3).
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

// requests divides the steps into what one request may carry. Permissions go first, so that nothing else has changed
// when one of them is refused (wire-1 §5.7.2). The exception: while history is protected, the right to create topics
// is fixed, so the change that shares history has to come before.
func requests(pending []step, now *zulip.Channel, withoutOld bool) []zulip.ChannelUpdate {
	var permissions, rest zulip.ChannelUpdate
	for _, step := range pending {
		if step.isPermission {
			step.put(&permissions, now)
		} else {
			step.put(&rest, now)
		}
	}
	for setting, change := range permissions.Permissions {
		if withoutOld && change.Old != nil && !change.Old.IsNamed() {
			permissions.Permissions[setting] = zulip.GroupSettingChange{New: change.New}
		}
	}
	ordered := []zulip.ChannelUpdate{permissions, rest}
	_, topics := permissions.Permissions["can_create_topic_group"]
	if topics && now.Privacy() == zulip.PrivacyPrivateProtectedHistory {
		slices.Reverse(ordered)
	}
	return slices.DeleteFunc(ordered, func(u zulip.ChannelUpdate) bool { return u.Empty() })
}

const (
	// firstPause is how long a change that may have happened waits before it is looked at; each time twice as long. How
	// often it is taken up again is for max_retries to say.
	firstPause = 500 * time.Millisecond
	// mostMismatches is how often the server may refuse an old value that it has just shown.
	mostMismatches = 4
)

// reading is a channel as it was read, with the snapshot it was read into.
type reading struct {
	channel *zulip.Channel
	view    *directory.View
}

// progress is what is known of a change that is under way.
type progress struct {
	sent       int // writes that the server took
	mismatches int // writes that it refused for their old values
	lost       int // writes of which it is not known whether it took them
	pause      time.Duration
	ignored    []string // parameters that the server does not know
	err        error    // of the last write
}

// hopeless reports whether another try would be like the last.
func (p *progress) hopeless(retries int) bool {
	return len(p.ignored) > 0 || p.sent == 2 || p.mismatches == mostMismatches || p.lost > retries
}

// change carries out the steps on a channel and returns it as the server then holds it; nil if it could not be read.
// Before each write the channel is read and compared with what the plan saw, unless now is what was just read; after
// the last write it is read again, and what is missing is sent again. So an answer that was lost, or a setting that the
// server dropped, is made good, and a value that somebody else changed is not overwritten.
func (r *Resource) change(ctx context.Context, id int64, all []step, now *reading, diags *diag.Diagnostics) *reading {
	p := progress{pause: firstPause}
	for {
		if now == nil {
			var err error
			if now, err = r.fresh(ctx, id); err != nil {
				diags.AddError(fmt.Sprintf("Could not read channel %d", id), framework.Explain(err))
				return nil
			}
		}
		channel := now.channel
		pending := slices.DeleteFunc(slices.Clone(all), func(s step) bool { return s.value(channel) == s.want })
		moved := slices.DeleteFunc(slices.Clone(pending), func(s step) bool { return s.value(channel) == s.saw })
		switch {
		case len(pending) == 0:
			return now
		case len(moved) > 0:
			refuse(channel, moved, all, diags)
			return now
		case p.hopeless(r.Meta.Client.MaxRetries()):
			unsettled(channel.Name, pending, &p, r.FeatureLevel(), diags)
			return now
		}
		// The server may refuse an old value that was just read: it counts deactivated people whom it does not show
		// (wire-1 §2). Twice the same answer around an unchanged value is taken for that.
		p.ignored, p.err = r.send(ctx, id, requests(pending, channel, p.mismatches >= 2))
		switch {
		case p.err == nil:
			p.sent++
		case zulip.IsExpectationMismatch(p.err):
			p.mismatches++
		case zulip.MayHaveHappened(p.err):
			tflog.Info(ctx, "It is not known whether the change was made: reading the channel again",
				map[string]any{"channel": channel.Name, "error": p.err.Error(), "wait": p.pause.String()})
			if !sleep(ctx, p.pause) {
				diags.AddError(fmt.Sprintf("The change of channel %q was interrupted", channel.Name), framework.Explain(p.err))
				return nil
			}
			p.lost++
			p.pause *= 2
		default:
			return r.refusedByServer(ctx, id, channel.Name, all, p.err, diags)
		}
		now = nil
	}
}

// send makes the requests in turn and returns the parameters that the server does not know.
func (r *Resource) send(ctx context.Context, id int64, updates []zulip.ChannelUpdate) (ignored []string, err error) {
	defer r.Meta.Directory.Write()()
	for _, update := range updates {
		answer, err := r.Meta.Client.UpdateChannel(ctx, id, update)
		if err != nil {
			return nil, err
		}
		ignored = append(ignored, answer.IgnoredParameters...)
	}
	return ignored, nil
}

// fresh reads a channel as it is now, together with everybody else who wants to.
func (r *Resource) fresh(ctx context.Context, id int64) (*reading, error) {
	if _, err := r.Meta.Directory.Organization(ctx); err != nil {
		return nil, err
	}
	view, err := r.Meta.Directory.FreshChannels(ctx)
	if err != nil {
		return nil, err
	}
	channel, ok := view.Channel(id)
	if !ok {
		return nil, fmt.Errorf("the account the provider uses does not see a channel with the ID %d any more", id)
	}
	if channel.IsArchived {
		return nil, fmt.Errorf("channel %q was archived meanwhile", channel.Name)
	}
	return &reading{channel, view}, nil
}

// refuse reports what somebody else changed since the plan, and leaves it as it is.
func refuse(now *zulip.Channel, moved, all []step, diags *diag.Diagnostics) {
	var text strings.Builder
	for _, step := range moved {
		fmt.Fprintf(&text, "%s\n  the plan saw: %s\n  it is now:    %s\n  asked for:    %s\n\n", step.attribute, step.saw, step.value(now), step.want)
	}
	text.WriteString("Nothing was overwritten. " + applied(all, now) + "Plan again, and review what the difference is now.")
	diags.AddError(fmt.Sprintf("Channel %q was changed by somebody else after it was planned", now.Name), text.String())
}

// refusedByServer reports a refusal, and what had been applied before it.
func (r *Resource) refusedByServer(ctx context.Context, id int64, name string, all []step, cause error, diags *diag.Diagnostics) *reading {
	detail := framework.Explain(cause)
	now, err := r.fresh(ctx, id)
	if err == nil {
		detail += "\n\n" + applied(all, now.channel)
	}
	diags.AddError(fmt.Sprintf("Could not change channel %q", name), detail)
	return now
}

// unsettled reports a change that the server does not make, although it says nothing against it.
func unsettled(name string, pending []step, p *progress, level int, diags *diag.Diagnostics) {
	var text strings.Builder
	for _, step := range pending {
		fmt.Fprintf(&text, "%s is %s, and stays so when it is set to %s.\n", step.attribute, step.saw, step.want)
	}
	if len(p.ignored) > 0 {
		fmt.Fprintf(&text, "The server ignores %s: it is too old for it (feature level %d).\n", strings.Join(p.ignored, ", "), level)
	}
	if p.err != nil {
		text.WriteString("The last try ended so: " + framework.Explain(p.err) + "\n")
	}
	diags.AddError(fmt.Sprintf("Channel %q does not take the change", name), strings.TrimSpace(text.String()))
}

// applied says which of the steps the channel already shows.
func applied(all []step, now *zulip.Channel) string {
	var done []string
	for _, step := range all {
		if step.value(now) == step.want {
			done = append(done, step.attribute)
		}
	}
	if len(done) == 0 {
		return "Nothing else was changed either. "
	}
	return "Already as planned: " + strings.Join(done, ", ") + ". "
}

// sleep waits, and reports whether it was left to wait to the end.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
