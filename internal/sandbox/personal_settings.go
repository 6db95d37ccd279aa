package sandbox

import (
	"time"
	_ "time/tzdata" // not every system has the names of time zones

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// updateSettings is PATCH /settings (https://zulip.com/api/update-settings).
// Below the level of target_users that parameter is as unknown as any other, and
// the caller's own settings are changed.
func updateSettings(r *request) (fields, error) {
	change := rules.OwnChange{
		UserDefaults: r.userSettings(true),
		FullName:     optional(r, "full_name", text()),
		Email:        optional(r, "email", text()),
		OldPassword:  optional(r, "old_password", text()),
		NewPassword:  optional(r, "new_password", text()),
	}
	whose := optional(r.since(featurelevel.TargetUsers), "target_users", jsonOf(targetUsers))
	if err := r.checked(); err != nil {
		return nil, err
	}
	if whose != nil {
		return nil, r.org.UpdateSettingsOf(r.me, *whose, change.UserDefaults)
	}
	return nil, r.org.UpdateOwnSettings(r.me, change)
}

// timezone is the name of a time zone.
func timezone(raw, name string) (string, error) {
	if _, err := time.LoadLocation(raw); err != nil || raw == "" || raw == "Local" {
		return "", rules.Refuse("Invalid %s: Value error, Not a recognized time zone", name)
	}
	return raw, nil
}

// targetUsers reads whose settings are changed.
func targetUsers(value any, path string) (rules.OthersSettings, error) {
	var whose rules.OthersSettings
	object, ok := value.(map[string]any)
	if !ok {
		return whose, rules.Refuse("%s does not have the expected format", path)
	}
	users, err := optionalMember(object, path, "user_ids", false, listOf(parseInteger))
	if err != nil {
		return whose, err
	}
	groups, err := optionalMember(object, path, "group_ids", false, listOf(parseInteger))
	if err != nil {
		return whose, err
	}
	if whose.SkipEdited, err = member(object, path, "skip_if_already_edited", parseBoolean); err != nil {
		return whose, err
	}
	if users != nil {
		whose.Users = *users
	}
	if groups != nil {
		whose.Groups = *groups
	}
	if len(whose.Users)+len(whose.Groups) == 0 {
		return whose, rules.Refuse("Either user_ids or group_ids must be provided.")
	}
	return whose, nil
}
