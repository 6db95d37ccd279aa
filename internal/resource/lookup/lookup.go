// Package lookup finds the objects that a configuration names in a snapshot: a person or bot by email or ID, a user
// group or channel by name or ID. Errors suggest the most similar names. Functions whose names end in InPlan also find
// objects that this run will create. Other functions, such as [KeepChannel], keep a configured text while it names the
// same object, and otherwise return the object's name.
//
// A [PrincipalList] does this for a list of people or of groups in any order. This package knows no resource.
package lookup

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/snapshot"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/resource/base"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// User finds the person or bot of a `user` attribute: an email, or an ID in digits. The error suggests the most similar
// email.
func User(view *snapshot.Snapshot, text string) (*zulip.User, error) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		if user, ok := view.User(id); ok {
			return user, nil
		}
		return nil, missingUser(text, "the provider's account sees no user or bot with the ID %d; the data source zulip_users lists those it sees", id)
	}
	principal := userPrincipal(text)
	if id, ok := view.Reassigned(principal); ok {
		return nil, reassigned("user", "zulip_user", text, id)
	}
	if user, ok := view.UserByAddress(text); ok {
		return user, nil
	}
	if user, ok := view.HiddenUser(text); ok {
		summary, detail := suggest.Hidden(text, user.ID, fmt.Sprint(user.ID), "zulip_user.NAME.id")
		return nil, &missing{summary: summary, err: errors.New(detail), advises: true}
	}
	if view.IsPlanned(principal) {
		return nil, notYet("account", "zulip_user", text)
	}
	names, absent := suggest.Names{Things: "emails it sees", All: view.Addresses(), Where: "the data source zulip_users lists those it sees", Unquoted: true}, ""
	if strings.Contains(text, "@") && (view.IsInvited(text) || len(suggest.Nearest(text, names.All)) == 0) {
		absent = text
	}
	return nil, &missing{
		summary: suggest.MissingUser(text), absent: absent,
		err: fmt.Errorf("the provider's account sees no user or bot with the email %q%s", text, names.Suggest(text)),
	}
}

// Names returns the known texts of a list or set, for [store.Store.ReadNaming].
func Names(elements []attr.Value) (names []string) {
	for _, element := range elements {
		if text, ok := element.(types.String); ok && text.ValueString() != "" {
			if plain, err := permission.PlainUser(text.ValueString()); err == nil {
				names = append(names, plain)
			}
		}
	}
	return names
}

// NameInPlan registers that a configuration names users or groups by texts: a rename of them is refused then. It warns
// about names that they only get in this run, and about objects that this run ends.
func NameInPlan(view *snapshot.Snapshot, at path.Path, diags *diag.Diagnostics, named ...permission.Principal) {
	for _, principal := range named {
		NameObjectInPlan(view, snapshot.KindOf(principal), principal.Name, at, diags)
		if view.GetsName(principal) {
			reference := "zulip_user.NAME.email or zulip_user.NAME.id"
			if principal.Kind == permission.KindGroup {
				reference = "zulip_user_group.NAME.name or zulip_user_group.NAME.id"
			}
			diags.AddAttributeWarning(at, "A name is new in this plan",
				fmt.Sprintf("%s is the new name of an existing object in this plan. If the configuration has it as text or from a local value, Terraform may change this resource first, and the apply stops here. Reference %s instead.", principal, reference))
		}
	}
}

// NameChannelInPlan is [NameInPlan] for the text of a `channel` attribute.
func NameChannelInPlan(view *snapshot.Snapshot, text string, at path.Path, diags *diag.Diagnostics) {
	if name, _, isID := permission.NameOrID(text); !isID {
		NameObjectInPlan(view, runstate.Channel, name, at, diags)
	}
}

// NameObjectInPlan is [NameInPlan] for an object of a kind.
func NameObjectInPlan(view *snapshot.Snapshot, kind, name string, at path.Path, diags *diag.Diagnostics) {
	if view.NameByText(kind, name) {
		summary, detail := suggest.Ends(kind, name)
		diags.AddAttributeWarning(at, summary, detail)
	}
}

// userPrincipal returns the principal of the text of a `user` attribute.
func userPrincipal(text string) permission.Principal {
	return permission.Principal{Kind: permission.KindUser, Name: text}
}

// UserInConfig is UserInPlan for an attribute of a configuration: see [NameInPlan].
func UserInConfig(view *snapshot.Snapshot, text string, at path.Path, diags *diag.Diagnostics) (user *zulip.User, later bool, err error) {
	NameInPlan(view, at, diags, userPrincipal(text))
	return UserInPlan(view, text)
}

// UserInPlan is User for a plan. later is true if this run will create the account, so that user is nil, or reactivate
// it.
func UserInPlan(view *snapshot.Snapshot, text string) (user *zulip.User, later bool, err error) {
	user, err = User(view, text)
	switch {
	case err == nil:
		return user, !user.IsActive && view.IsPlanned(permission.Principal{Kind: permission.KindUserID, ID: user.ID}), nil
	case !IsReassigned(err) && view.IsPlanned(userPrincipal(text)):
		return nil, true, nil
	}
	return nil, false, err
}

// KeepUser returns the text for a person or bot: the given one if it names them, and otherwise their email. A given
// email is kept if the account does not see the real one and no other user has it.
func KeepUser(kept string, user *zulip.User, view *snapshot.Snapshot) string {
	if kept == "" {
		return user.Address() // without a search for similar names
	}
	found, err := User(view, kept)
	if err == nil && found.ID == user.ID || err != nil && !user.IsBot && user.DeliveryEmail == nil && strings.Contains(kept, "@") {
		return kept
	}
	return user.Address()
}

// GroupReference is the user group of a text in a configuration.
type GroupReference struct {
	Key runstate.Object
	// Group is nil if this run will create the group.
	Group *zulip.UserGroup
}

// Group finds the user group of a `group` attribute: an ID in digits, or a name, which can be `role:members`;
// "name:2024" is the group called 2024. It also finds deactivated groups, and groups that this run creates. The error
// suggests the most similar names.
func Group(view *snapshot.Snapshot, text string) (GroupReference, error) {
	name, id, isID := permission.NameOrID(text)
	if isID {
		if group, ok := view.UserGroup(id); ok {
			return GroupReference{runstate.ID(runstate.Group, id), group}, nil
		}
		return GroupReference{}, missingGroup(text, "the organization has no user group with the ID %d (a group whose name is a number is found as name:%d)", id, id)
	}
	principal := permission.Principal{Kind: permission.KindGroup, Name: name}
	if id, ok := view.Reassigned(principal); ok {
		return GroupReference{}, reassigned("user group", "zulip_user_group", name, id)
	}
	group, isThere := view.UserGroupByName(name)
	switch isPlanned := view.IsPlanned(principal); {
	case isPlanned && (!isThere || group.Deactivated):
		return GroupReference{Key: runstate.Name(runstate.Group, name)}, nil
	case isThere:
		return GroupReference{runstate.ID(runstate.Group, group.ID), group}, nil
	}
	names := suggest.Names{Things: "user groups", All: view.GroupNames(), Where: "the data source zulip_user_groups lists all", Prefix: strings.TrimSuffix(text, name)}
	if strings.HasPrefix(name, "role:") {
		names = suggest.Names{Things: "roles", All: view.RoleNames()}
	}
	return GroupReference{}, missingGroup(name, "the organization has no user group called %q%s", name, names.Suggest(name))
}

// GroupText returns a text that Group accepts: the name of the group, if it has one.
func GroupText(view *snapshot.Snapshot, id int64) string {
	group, ok := view.UserGroup(id)
	if !ok {
		return strconv.FormatInt(id, 10)
	}
	if permission.IsPrincipal(group.Name) && !group.IsSystemGroup {
		return "name:" + group.Name
	}
	return permission.NameText(group.Name)
}

// Channel finds the channel of a `channel` attribute: an ID in digits, or a name, also one that this run gives it;
// "name:2024" is the channel called 2024. It also finds archived channels. The error suggests the most similar names.
func Channel(view *snapshot.Snapshot, text string) (*zulip.Channel, error) {
	name, id, isID := permission.NameOrID(text)
	if isID {
		if channel, ok := view.Channels().ByID(id); ok {
			return channel, nil
		}
		return nil, fmt.Errorf("the provider's account sees no channel with the ID %d (a channel whose name is a number is found as name:%d)", id, id)
	}
	now, isThere := view.Channels().ByName(name)
	if isThere && view.IsReassigned(runstate.Channel, name, now.ID) {
		return nil, reassigned("channel", "zulip_channel", name, now.ID)
	}
	if channel, _ := view.PlannedChannel(name); channel != nil {
		return channel, nil
	}
	if isThere {
		return now, nil
	}
	if _, planned := view.PlannedChannel(name); planned {
		return nil, notYet("channel", "zulip_channel", name)
	}
	names := suggest.Names{Things: "channels it sees", All: view.Channels().Names(), Where: "the data source zulip_channels lists those it sees", Prefix: strings.TrimSuffix(text, name)}
	return nil, fmt.Errorf("the provider's account sees no channel called %q%s", name, names.Suggest(name))
}

// Imported splits the import ID PART/REST at the last slash after which find accepts PART, so that a name can have
// slashes. Without such a slash, the error is that of the longest part.
func Imported[T any](text string, find func(part string) (T, error)) (found T, part, rest string, err error) {
	part = text
	slash := strings.LastIndex(text, "/")
	if slash > 0 {
		part, rest = text[:slash], text[slash+1:]
	}
	found, err = find(part)
	for err != nil && slash > 0 {
		if slash = strings.LastIndex(text[:slash], "/"); slash > 0 {
			if shorter, wrong := find(text[:slash]); wrong == nil {
				return shorter, text[:slash], text[slash+1:], nil
			}
		}
	}
	return found, part, rest, err
}

// NoSuchChannel returns the error at an attribute whose channel [Channel] does not find.
func NoSuchChannel(at path.Path, err error) error {
	detail := base.Sentence(err)
	if !errors.As(err, new(*missing)) { // the error of notYet has the advice
		detail += base.ReferenceAdvice("channel", "zulip_channel.NAME.id")
	}
	summary := "No such channel"
	if IsReassigned(err) {
		summary = Summary(err)
	}
	return base.Refused(at, summary, detail)
}

// NoSuchChannelID is [NoSuchChannel] for an attribute with IDs.
func NoSuchChannelID(at path.Path, id int64) error {
	return NoSuchChannel(at, fmt.Errorf("the provider's account sees no channel with the ID %d; the data source zulip_channels lists those it sees", id))
}

// notYet returns the error about an object that is needed now and that this run will create.
func notYet(noun, resource, name string) error {
	return &missing{summary: fmt.Sprintf("%q does not exist in the organization yet", name), err: fmt.Errorf("this run has not created the %s %q yet. Add depends_on = [%s.NAME], or reference it as %s.NAME.id so that Terraform creates it first", noun, name, resource, resource)}
}

// IsPlannedChannel reports whether a `channel` attribute names a channel that this run will create or unarchive. Its
// subscribers and permissions are not known before.
func IsPlannedChannel(view *snapshot.Snapshot, text string) bool {
	name, _, isID := permission.NameOrID(text)
	if isID {
		return false
	}
	channel, planned := view.PlannedChannel(name)
	if channel == nil {
		channel, _ = view.Channels().ByName(name)
	}
	return planned && (channel == nil || channel.IsArchived)
}

// ChannelInPlan is Channel for a plan. later is true if this run will create or unarchive the channel.
func ChannelInPlan(view *snapshot.Snapshot, text string) (channel *zulip.Channel, later bool, err error) {
	if IsPlannedChannel(view, text) {
		return nil, true, nil
	}
	channel, err = Channel(view, text)
	return channel, false, err
}

// channelText returns a text that Channel accepts: the name of the channel, if the account sees it.
func channelText(view *snapshot.Snapshot, id int64) string {
	channel, ok := view.Channels().ByID(id)
	if !ok {
		return strconv.FormatInt(id, 10)
	}
	return permission.NameText(channel.Name)
}

// KeepChannel returns the text for a channel: the given one if it names the channel, and otherwise its name.
func KeepChannel(kept string, id int64, view *snapshot.Snapshot) string {
	if channel, err := Channel(view, kept); kept != "" && err == nil && channel.ID == id {
		return kept
	}
	return channelText(view, id)
}

// Folder finds the channel folder of a name, also one that this run gives it; zero is no folder, for "". It does not
// find archived folders, whose names are free. The error suggests the most similar names.
func Folder(view *snapshot.Snapshot, name string) (id int64, err error) {
	id, later, err := FolderInPlan(view, name)
	if err == nil && later {
		err = notYet("channel folder", runstate.Folder, name)
	}
	return id, err
}

// FolderInPlan is Folder for a plan. later is true if this run will create or reactivate the folder.
func FolderInPlan(view *snapshot.Snapshot, name string) (id int64, later bool, err error) {
	if name == "" {
		return 0, false, nil
	}
	now, isThere := view.Folders().ByName(name)
	if isThere && view.IsReassigned(runstate.Folder, name, now.ID) {
		return 0, false, reassigned("channel folder", "zulip_channel_folder", name, now.ID)
	}
	planned, isPlanned := view.PlannedFolder(name)
	if isPlanned && planned != 0 {
		return planned, false, nil
	}
	if isThere {
		return now.ID, false, nil
	}
	if isPlanned {
		return 0, true, nil
	}
	names := suggest.Names{Things: "channel folders", All: view.Folders().Names(), Where: "the data source zulip_channel_folders lists all"}
	return 0, false, &missing{
		summary: fmt.Sprintf("Channel folder %s is not in the organization", suggest.Quote(name)),
		err:     fmt.Errorf("the organization has no channel folder called %q%s", name, names.Suggest(name)),
	}
}

// KeepFolder returns the text for a channel folder: the given one if it names the folder, and otherwise its name. ok
// is false if its name is not known.
func KeepFolder(kept string, isKept bool, id int64, view *snapshot.Snapshot) (text string, ok bool) {
	if isKept {
		if found, later, err := FolderInPlan(view, kept); err == nil && !later && found == id {
			return kept, true
		}
	}
	if id == 0 {
		return "", true
	}
	if folder, ok := view.Folders().ByID(id); ok {
		return folder.Name, true
	}
	return "", false
}

// ProfileField finds the custom profile field of a name, also one that this run gives it. later is true if this run will
// create the field, so that field is nil. The error suggests the most similar names.
func ProfileField(view *snapshot.Snapshot, name string) (field *zulip.ProfileField, later bool, err error) {
	now, isThere := view.ProfileFields().ByName(name)
	if isThere && view.IsReassigned(runstate.Field, name, now.ID) {
		return nil, false, reassigned("custom profile field", runstate.Field, name, now.ID)
	}
	field, isPlanned := view.PlannedProfileField(name)
	switch {
	case field != nil:
		return field, false, nil
	case isThere:
		return now, false, nil
	case isPlanned:
		return nil, true, nil
	}
	names := suggest.Names{Things: "custom profile fields", All: view.ProfileFields().Names(), Where: "the organization's settings list all, under Custom profile fields"}
	return nil, false, fmt.Errorf("the organization has no custom profile field called %q%s. If this configuration creates or renames it, reference it as (%s.NAME.name)", name, names.Suggest(name), runstate.Field)
}

// ExistingProfileField is [ProfileField] for a field that is needed now.
func ExistingProfileField(view *snapshot.Snapshot, name string) (*zulip.ProfileField, error) {
	field, later, err := ProfileField(view, name)
	if later {
		err = fmt.Errorf("this run has not created the custom profile field %q yet. Reference it as (%s.NAME.name) so that Terraform creates it first, or add depends_on = [%s.NAME]", name, runstate.Field, runstate.Field)
	}
	return field, err
}

// Instead says how a configuration names an object of a kind without its name as text. It is a sentence without a period.
func Instead(thing, kind string, id int64) string {
	switch kind {
	case runstate.Field: // no attribute takes its ID
		return "Instead, reference the name as (" + kind + ".NAME.name)"
	case runstate.Folder:
		return "Instead, set folder_id = " + kind + ".NAME.id"
	}
	return suggest.WriteID(thing, fmt.Sprint(id), kind+".NAME.id")
}

// reassigned returns the error about a name that this run takes from an object of a kind.
func reassigned(thing, kind, name string, id int64) error {
	summary, detail := suggest.Reassigned(thing, name, id, Instead(thing, kind, id))
	return &missing{summary: summary, err: errors.New(detail), advises: true, isReassigned: true}
}

// IsReassigned reports whether an error is about a name that this run takes from an object.
func IsReassigned(err error) bool {
	found := (*missing)(nil)
	return errors.As(err, &found) && found.isReassigned
}

// missing is the error of a name that no object has. Its summary is the same wherever the name is used.
type missing struct {
	summary string
	err     error
	// advises is true if the error says what to write instead.
	advises bool
	// isReassigned is true if an object has the name now, and this run takes it from the object.
	isReassigned bool
	// absent is the name if it is an email, and is invited or no similar one exists: its user may not have joined yet.
	absent string
}

func (m *missing) Error() string { return m.err.Error() }
func (m *missing) Unwrap() error { return m.err }

// missingUser returns the error about an email or ID that no user has.
func missingUser(text, format string, args ...any) error {
	return &missing{summary: suggest.MissingUser(text), err: fmt.Errorf(format, args...)}
}

// missingGroup is the error of a name or ID that no user group has.
func missingGroup(text, format string, args ...any) error {
	return &missing{summary: suggest.MissingGroup(text), err: fmt.Errorf(format, args...)}
}

// MovedEmail returns the error of an email that belongs to another user than when the plan was made. id is the ID of
// the earlier user.
func MovedEmail(email string, id int64, now *zulip.User) error {
	return &missing{
		summary: email + " now belongs to another user",
		err: fmt.Errorf("it belonged to user %d when the plan was made. Now it belongs to user %d (%q). Nothing was changed. Plan again, and check which user you mean. To name that user whatever their email, write %q",
			id, now.ID, now.FullName, fmt.Sprint(id)),
	}
}

// Summary is the summary of a message about an error of this package.
func Summary(err error) string { return SummaryOr(err, "Cannot find a name of the configuration") }

// SummaryOr is [Summary] with the summary of any other error.
func SummaryOr(err error, other string) string {
	if found := (*missing)(nil); errors.As(err, &found) {
		return found.summary
	}
	return other
}

// AddError reports an error of this package at an attribute. more is added to the detail, unless the error has advice.
func AddError(diags *diag.Diagnostics, at path.Path, err error, more string) {
	base.Report(diags, "", Error(at, err, more))
}

// Error returns the diagnostics of [AddError] as a [base.Error].
func Error(at path.Path, err error, more string) error {
	if found := (*missing)(nil); errors.As(err, &found) && found.advises {
		more = ""
	}
	return base.Refused(at, Summary(err), base.Sentence(err)+more)
}

// isAbsent reports whether an error is about an email that no user has yet, as far as is known.
func isAbsent(err error) bool {
	found := (*missing)(nil)
	return errors.As(err, &found) && found.absent != ""
}

// MovedAdvice returns advice about an email that no user has, if the same plan would remove people from its list.
func MovedAdvice(leaving []int64, view *snapshot.Snapshot) string {
	return fmt.Sprintf("\n\nThis plan would also remove %s. If that is the same person with a new email, replace the old email in the list. If this configuration changes their email, reference zulip_user.NAME.email or zulip_user.NAME.id. Otherwise remove the unknown email first.", UserList.Describe(leaving, view))
}

// ReportAbsent warns about emails in a list that no user has yet. They are added once a user has them. If the same
// plan would remove someone, it is an error that names those people, because one of the new emails may be theirs,
// unless it was invited. Deactivated people do not count as removed.
func ReportAbsent(view *snapshot.Snapshot, absent []error, leaving []int64, at path.Path, diags *diag.Diagnostics) {
	leaving = UserList.Active(leaving, view)
	const ignored = "The provider ignores the email until someone joins with it, and removes no one because of it. The next plan after that adds the new user."
	for _, err := range absent {
		var found *missing
		switch isInvited := errors.As(err, &found) && view.IsInvited(found.absent); {
		case isInvited:
			// Only the detail has the email, so that Terraform can combine several warnings.
			diags.AddAttributeWarning(at, "An invited user is listed who has not joined", fmt.Sprintf("An invitation to %s is pending or planned. ", found.absent)+ignored)
		case len(leaving) > 0:
			AddError(diags, at, err, MovedAdvice(leaving, view))
		default:
			diags.AddAttributeWarning(at, Summary(err), base.Sentence(err)+"\n\n"+ignored+" If the email is misspelled, correct it. If someone hides it from the provider's account, write their ID, as in zulip_user.NAME.id.")
		}
	}
}
