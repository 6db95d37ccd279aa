package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// UserGroup is a named group of people: a custom group, or one of the server's roles (server-behavior §G2).
type UserGroup struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	CreatorID   *int64 `json:"creator_id"`
	DateCreated *int64 `json:"date_created"`
	// Members are the direct members without deactivated people (feature level 303).
	Members           []int64 `json:"members"`
	DirectSubgroupIDs []int64 `json:"direct_subgroup_ids"`
	IsSystemGroup     bool    `json:"is_system_group"`
	Deactivated       bool    `json:"deactivated"`

	// Permissions are the group's own settings by name; a setting the server does
	// not have is absent.
	Permissions map[string]GroupSettingValue `json:"-"`
}

// UnmarshalJSON reads the JSON form.
func (g *UserGroup) UnmarshalJSON(data []byte) error {
	var row userGroupRow
	if err := json.Unmarshal(data, &row); err != nil {
		return fmt.Errorf("user group: %w", err)
	}
	*g = *row.group()
	return nil
}

type plainUserGroup UserGroup

// userGroupRow is a user group as the API sends it.
type userGroupRow struct {
	plainUserGroup

	AddMembers    settingField `json:"can_add_members_group"`
	Join          settingField `json:"can_join_group"`
	Leave         settingField `json:"can_leave_group"`
	Manage        settingField `json:"can_manage_group"`
	Mention       settingField `json:"can_mention_group"`
	RemoveMembers settingField `json:"can_remove_members_group"`
}

func (r *userGroupRow) group() *UserGroup {
	group := UserGroup(r.plainUserGroup)
	permissions := make(groupSettings, 6)
	permissions.add("can_add_members_group", r.AddMembers)
	permissions.add("can_join_group", r.Join)
	permissions.add("can_leave_group", r.Leave)
	permissions.add("can_manage_group", r.Manage)
	permissions.add("can_mention_group", r.Mention)
	permissions.add("can_remove_members_group", r.RemoveMembers)
	group.Permissions = permissions
	return &group
}

// UserGroupCreate holds the parameters of a new group. The server uses its default for an absent permission
// (server-behavior §P10).
type UserGroupCreate struct {
	Name, Description string
	Members           []int64
	// Subgroups need feature level 311; none are not sent.
	Subgroups   []int64
	Permissions map[string]GroupSettingValue
}

// CreateUserGroup creates a group, completely or not at all, and returns its ID. The ID is zero below feature level 317.
// The client does not retry it, because the server refuses the same name a second time, deactivated groups included.
func (c *Client) CreateUserGroup(ctx context.Context, group UserGroupCreate) (int64, *Answer, error) {
	form := params{
		"name":        text(group.Name),
		"description": text(group.Description),
		"members":     orEmpty(group.Members), // required, and null is refused
		"subgroups":   when(len(group.Subgroups) > 0, group.Subgroups),
	}.form()
	for name, value := range group.Permissions {
		form.JSON(name, value)
	}
	var id int64
	answer, err := c.send(ctx, http.MethodPost, "/user_groups/create", form, neverRetry, &field{"group_id", &id})
	return id, answer, err
}

// UserGroupUpdate has the changes of an update. Fields that are nil or absent are not sent.
type UserGroupUpdate struct {
	Name        *string
	Description *string
	// Deactivated reactivates a group when false (feature level 386); true is ignored
	// by the server (server-behavior §G4).
	Deactivated *bool
	Permissions map[string]GroupSettingChange
}

// Empty reports whether the update changes nothing.
func (u *UserGroupUpdate) Empty() bool { return u.form().Empty() }

func (u *UserGroupUpdate) form() *Form {
	form := params{"name": (*text)(u.Name), "description": (*text)(u.Description), "deactivated": u.Deactivated}.form()
	for name, change := range u.Permissions {
		form.JSON(name, change)
	}
	return form
}

// UpdateUserGroup changes a group, completely or not at all; deactivated ones too (server-behavior §P4, §G4). The client
// does not retry it, because an old value no longer matches the second time. Read the group and send the missing parts.
func (c *Client) UpdateUserGroup(ctx context.Context, id int64, update UserGroupUpdate) (*Answer, error) {
	return c.send(ctx, http.MethodPatch, userGroupPath(id), update.form(), neverRetry, nil)
}

// DeactivateUserGroup deactivates a group (feature level 290). The server refuses while
// anything uses the group; [Objections] returns what.
func (c *Client) DeactivateUserGroup(ctx context.Context, id int64) error {
	return c.do(ctx, http.MethodPost, userGroupPath(id)+"/deactivate", nil, neverRetry)
}

// MembershipChange holds the members and subgroups to add and to remove. Subgroups need
// feature level 311.
type MembershipChange struct {
	Add, Delete                   []int64
	AddSubgroups, DeleteSubgroups []int64
}

// Empty reports whether nothing is added or removed.
func (m *MembershipChange) Empty() bool {
	return len(m.Add)+len(m.Delete)+len(m.AddSubgroups)+len(m.DeleteSubgroups) == 0
}

// ChangeUserGroupMembership adds and removes members and subgroups, all or none. It is not idempotent: the server refuses
// to add a current member and to remove another (server-behavior §G6, [IsMembershipMismatch]). People who are added or
// removed get a direct message, except the account itself.
func (c *Client) ChangeUserGroupMembership(ctx context.Context, id int64, change MembershipChange) error {
	return c.do(ctx, http.MethodPost, userGroupPath(id)+"/members", params{
		"add":              when(len(change.Add) > 0, change.Add),
		"delete":           when(len(change.Delete) > 0, change.Delete),
		"add_subgroups":    when(len(change.AddSubgroups) > 0, change.AddSubgroups),
		"delete_subgroups": when(len(change.DeleteSubgroups) > 0, change.DeleteSubgroups),
	}.form(), neverRetry)
}

// UserGroups reads every group, deactivated ones and roles included. Bots are refused
// (server-behavior §G1); [Client.Register] reads groups for them.
func (c *Client) UserGroups(ctx context.Context) ([]*UserGroup, error) {
	form := params{"include_deactivated_groups": true}.form()
	var groups []*UserGroup
	err := c.stream(ctx, http.MethodGet, "/user_groups", form, safeToRetry, func(decoder *json.Decoder) error {
		groups = nil
		return onlyField(decoder, "user_groups", func() error { return decodeRows(decoder, &groups, (*userGroupRow).group) })
	})
	return groups, err
}

// membershipMismatches matches the server's messages for members and subgroups that are in
// the group already, or are not in it (server-behavior §G6).
var membershipMismatches = regexp.MustCompile(`^(User \d+ is already a member of this group|There is no member '\d+' in this user group|User group \d+ is (already|not) a subgroup of this group\.)$`)

// IsMembershipMismatch reports whether a membership change was refused because the group's
// current members are not the ones it assumed.
func IsMembershipMismatch(err error) bool {
	var refusal *Error
	return errors.As(err, &refusal) && membershipMismatches.MatchString(refusal.Msg)
}

// IsUnknownUser reports whether a request was refused because of a user in it, for example a deactivated one.
func IsUnknownUser(err error) bool {
	var refusal *Error
	return errors.As(err, &refusal) && strings.HasPrefix(refusal.Msg, "Invalid user ID")
}

// Objection is one use of a group that prevents its deactivation
// (server-behavior §G9).
type Objection struct {
	// Type is `subgroup`, `channel`, `user_group` or `realm`.
	Type string `json:"type"`
	// SupergroupIDs are the groups that contain it, of a `subgroup`.
	SupergroupIDs []int64 `json:"supergroup_ids"`
	ChannelID     int64   `json:"channel_id"`
	GroupID       int64   `json:"group_id"`
	// Settings are the permissions that name it.
	Settings []string `json:"settings"`
}

// Objections returns the uses of a group that the refusal lists; nil for another error (feature level 298).
func Objections(err error) []Objection {
	var refusal *Error
	var objections []Objection
	if errors.As(err, &refusal) && refusal.Code == "CANNOT_DEACTIVATE_GROUP_IN_USE" {
		_ = json.Unmarshal(refusal.Fields["objections"], &objections) // unreadable objections are left out
	}
	return objections
}

func userGroupPath(id int64) string { return itemPath("/user_groups", id) }

// orEmpty returns a list that is not sent as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
