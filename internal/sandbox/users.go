package sandbox

import (
	"crypto/md5" //nolint:gosec // the address of a picture, not a secret
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// userView are the options for showing people to a caller.
type userView struct {
	customFields   bool // with profile_data
	clientGravatar bool // lets the client compute avatar_url if possible
}

// userObject is a person or bot as the API shows it (https://zulip.com/api/get-user).
func (r *request) userObject(u rules.User, v userView) fields {
	object := fields{
		"user_id": u.ID, "email": u.APIEmail(), "full_name": u.FullName,
		"role": u.Role, "is_owner": u.IsOwner(), "is_admin": u.IsAdmin(), "is_guest": u.IsGuest(),
		"is_active": u.Active, "is_bot": u.IsBot, "timezone": u.Timezone,
		"date_joined":    u.DateJoined.UTC().Format("2006-01-02T15:04-07:00"),
		"avatar_version": u.AvatarVersion, "avatar_url": avatarURL(u, v.clientGravatar),
	}
	var delivery any
	if u.EmailVisibleTo(r.me) {
		delivery = u.Email
	}
	object["delivery_email"] = delivery
	r.add(object, 433, "is_imported_stub", u.Imported)
	if u.Deleted {
		r.add(object, featurelevel.DeletedUsers, "is_deleted", true)
	}
	if u.IsBot {
		object["bot_type"] = u.BotType
		object["bot_owner_id"] = orNil(u.BotOwnerID)
	} else if v.customFields {
		object["profile_data"] = r.profileData(u)
	}
	return object
}

// profileData holds a person's non-empty custom profile fields.
func (r *request) profileData(u rules.User) fields {
	data := fields{}
	for _, f := range r.org.ListProfileFields() {
		value, ok := u.ProfileData[f.ID]
		if !ok {
			continue
		}
		shown := fields{"value": value}
		if f.Type == rules.FieldShortText || f.Type == rules.FieldLongText {
			shown["rendered_value"] = r.org.Render(value)
		}
		data[strconv.Itoa(f.ID)] = shown
	}
	return data
}

// hiddenUser replaces a user that the caller cannot see (server-behavior §U3).
func (r *request) hiddenUser(id int) fields {
	return r.userObject(rules.User{
		ID: id, FullName: "Unknown user", Role: rules.RoleMember, Active: true,
		EmailVisibility: rules.EmailVisibleToNobody, DateJoined: time.Unix(0, 0), AvatarVersion: 1,
	}, userView{customFields: true})
}

// orNil writes zero as null.
func orNil[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

// readUserView declares the two parameters for reading people.
func (r *request) readUserView() userView {
	return userView{
		clientGravatar: withDefault(r, "client_gravatar", boolean, true),
		customFields:   withDefault(r, "include_custom_profile_fields", boolean, false),
	}
}

func listUsers(r *request) (fields, error) {
	view := r.readUserView()
	only := optional(r.since(384), "user_ids", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	isSelected := func(int) bool { return true }
	if only != nil {
		set := map[int]bool{}
		for _, id := range *only {
			set[id] = true
		}
		isSelected = func(id int) bool { return set[id] }
	}
	members := make([]fields, 0, r.org.Users.Len())
	var hidden []fields
	for id, u := range r.listedUsers() {
		switch {
		case !isSelected(id):
		case r.org.MaySee(r.me, u):
			members = append(members, r.userObject(u, view))
		case only == nil:
			hidden = append(hidden, r.hiddenUser(id))
		}
	}
	return fields{"members": append(members, hidden...)}, nil
}

func getUser(r *request) (fields, error) {
	view := r.readUserView()
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.targetUser()
	if err != nil {
		return nil, err
	}
	return fields{"user": r.userObject(u, view)}, nil
}

// targetUser is the user in a path, by number or by address.
func (r *request) targetUser() (rules.User, error) {
	id := r.id("user_id")
	if email, ok := r.vars["email"]; ok {
		u, err := r.org.UserByAddress(r.me, email)
		if err != nil {
			return u, err
		}
		id = u.ID
	}
	return r.org.VisibleUser(r.me, id)
}

// roleNumber is a role, as JSON.
var roleNumber = listed(integer, rules.RoleOwner, rules.RoleAdministrator, rules.RoleModerator,
	rules.RoleMember, rules.RoleGuest)

func createUser(r *request) (fields, error) {
	r.inOrder("password", "full_name")
	in := rules.NewUser{
		Email:    required(r, "email", text()),
		Password: required(r, "password", text()),
		FullName: required(r, "full_name", text()),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.org.CreateUser(r.me, in)
	if err != nil {
		return nil, err
	}
	return fields{"user_id": u.ID}, nil
}

func updateUser(r *request) (fields, error) {
	change := rules.UserChange{
		FullName: optional(r, "full_name", text()),
		Role:     optional(r, "role", roleNumber),
		Profile: withDefault(r, "profile_data", jsonOf(listOf(profileValue(true,
			"Invalid %s: Input should be a valid dictionary or instance of ProfileDataElement"))), nil),
		NewEmail: optional(r, "new_email", text()),
	}
	if err := r.checked(); err != nil {
		return nil, err
	}
	u, err := r.targetUser()
	if err != nil {
		return nil, err
	}
	return nil, r.org.UpdateUser(r.me, u.ID, change)
}

// profileValue reads one element of profile data, which may hold null if it is nullable. noObject is the endpoint's refusal
// of a value that is no object. The error for a value that is neither a text nor a list of numbers names the first
// alternative.
func profileValue(nullable bool, noObject string) valueParser[rules.ProfileValue] {
	return func(value any, path string) (rules.ProfileValue, error) {
		var v rules.ProfileValue
		object, ok := value.(map[string]any)
		if !ok {
			return v, rules.Refuse(noObject, path)
		}
		var err error
		if v.Field, err = member(object, path, "id", parseInteger); err != nil {
			return v, err
		}
		v.Value, err = member(object, path, "value", func(value any, path string) (any, error) {
			if numbers, err := listOf(parseInteger)(value, path); err == nil {
				return numbers, nil
			}
			if value == nil && nullable {
				return nil, nil
			}
			return parseString(value, path+`["str"]`)
		})
		return v, err
	}
}

func setOwnProfileData(r *request) (fields, error) {
	values := required(r, "data", jsonOf(listOf(profileValue(false, "%s is not a dict"))))
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.SetProfileData(r.me, r.me.ID, values)
}

func removeOwnProfileData(r *request) (fields, error) {
	ids := required(r, "data", integers)
	if err := r.checked(); err != nil {
		return nil, err
	}
	var values []rules.ProfileValue
	for _, id := range ids {
		values = append(values, rules.ProfileValue{Field: id})
	}
	return nil, r.org.SetProfileData(r.me, r.me.ID, values)
}

func deactivateSelf(r *request) (fields, error) {
	return nil, r.org.DeactivateSelf(r.me)
}

func getOwnUser(r *request) (fields, error) {
	object := r.userObject(r.me, userView{customFields: true})
	object["max_message_id"] = r.org.MaxMessageID(r.me.ID)
	return object, nil
}

func deactivateUser(r *request) (fields, error) {
	optional(r, "deactivation_notification_comment", text(stripped, atMost(2000)))
	what := withDefault(r.since(featurelevel.DeactivationActions), "actions", jsonOf(parseDeletions), rules.Deletions{})
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.DeactivateAndDelete(r.me, r.id("user_id"), what)
}

// parseDeletions reads the requested deletions; absent ones are false.
func parseDeletions(value any, path string) (rules.Deletions, error) {
	var what rules.Deletions
	object, ok := value.(map[string]any)
	if !ok {
		return what, rules.Refuse("%s is not a dict", path)
	}
	for _, choice := range []struct {
		key   string
		field *bool
	}{
		{"delete_profile", &what.Profile}, {"delete_public_channel_messages", &what.PublicChannels},
		{"delete_private_channel_messages", &what.PrivateChannels}, {"delete_direct_messages", &what.DirectMessages},
	} {
		given, err := optionalMember(object, path, choice.key, false, parseBoolean)
		if err != nil {
			return what, err
		}
		if given != nil {
			*choice.field = *given
		}
	}
	return what, nil
}

func reactivateUser(r *request) (fields, error) {
	return nil, r.org.ReactivateUser(r.me, r.id("user_id"))
}

// registerUsers is the realm_user part of a snapshot (server-behavior §R23), by ID. Its rows lack is_active, because active
// and other users are in different lists.
func registerUsers(r *request, options registerOptions) fields {
	active, inactive := []fields{}, []fields{}
	view := userView{customFields: true, clientGravatar: options.clientGravatar}
	byID := maps.Collect(r.listedUsers())
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		u := byID[id]
		row := r.userObject(u, view)
		if !r.org.MaySee(r.me, u) {
			if options.capabilities["user_list_incomplete"] {
				continue
			}
			row, u.Active = r.hiddenUser(id), true
		}
		delete(row, "is_active")
		if u.Active {
			active = append(active, row)
		} else {
			inactive = append(inactive, row)
		}
	}
	mayCreate := func(kind string) bool { return r.org.MayRealm(r.me, "can_create_"+kind+"_channel_group") }
	answer := fields{
		"realm_users": active, "realm_non_active_users": inactive,
		"cross_realm_bots": r.systemBots(),
		"user_id":          r.me.ID, "email": r.me.APIEmail(), "delivery_email": r.me.Email, "full_name": r.me.FullName,
		"is_admin": r.me.IsAdmin(), "is_owner": r.me.IsOwner(), "is_guest": r.me.IsGuest(),
		"is_moderator":                  r.me.Role <= rules.RoleModerator,
		"can_create_public_streams":     mayCreate("public"),
		"can_create_private_streams":    mayCreate("private"),
		"can_create_web_public_streams": mayCreate("web_public"),
		"can_create_streams":            mayCreate("public") || mayCreate("private") || mayCreate("web_public"),
		"can_invite_others_to_realm":    r.org.MayRealm(r.me, "can_invite_users_group"),
	}
	r.addOwnAvatar(answer)
	return answer
}

// systemBots are the accounts every server has, in no organization.
func (r *request) systemBots() []fields {
	var bots []fields
	for _, account := range r.org.SystemBots() {
		bot := r.userObject(account, userView{})
		bot["is_system_bot"] = true
		bots = append(bots, bot)
	}
	return bots
}

// userKey is a person's id as a key of a JSON object.
func userKey(id int) string { return strconv.Itoa(id) }

// avatarURL is null if the client can compute it: no picture was uploaded, everyone can see the address, and the client
// says that it computes it.
func avatarURL(u rules.User, clientGravatar bool) any {
	if clientGravatar && u.AvatarUpload == "" && u.EmailVisibility == rules.EmailVisibleToEveryone {
		return nil
	}
	return avatarAddress(u, "", "")
}

// avatarAddress is the address of an account's picture. An upload has a name of its own, and no version (server-behavior
// §U22).
func avatarAddress(u rules.User, size, query string) string {
	if u.AvatarUpload != "" {
		return rules.AvatarPath(u.AvatarUpload + size)
	}
	sum := md5.Sum([]byte(strings.ToLower(u.APIEmail()))) //nolint:gosec // as above
	return fmt.Sprintf("https://secure.gravatar.com/avatar/%s?d=identicon%s&version=%d", hex.EncodeToString(sum[:]), query, u.AvatarVersion)
}

// addOwnAvatar adds the caller's own picture to a snapshot, including its source.
func (r *request) addOwnAvatar(answer fields) {
	answer["avatar_source"] = "G"
	if r.me.AvatarUpload != "" {
		answer["avatar_source"] = "U"
	}
	answer["avatar_url"], answer["avatar_url_medium"] = avatarURL(r.me, false), avatarAddress(r.me, "-medium", "&s=500")
}

func uploadOwnAvatar(r *request) (fields, error) {
	if err := r.org.UploadOwnAvatar(r.me, r.uploads()); err != nil {
		return nil, err
	}
	return r.ownAvatarAnswer()
}

func removeOwnAvatar(r *request) (fields, error) {
	if err := r.org.RemoveOwnAvatar(r.me); err != nil {
		return nil, err
	}
	return r.ownAvatarAnswer()
}

func (r *request) ownAvatarAnswer() (fields, error) {
	me, err := r.org.AnyUser(r.me.ID)
	if err != nil {
		return nil, err
	}
	return fields{"avatar_url": avatarURL(me, false)}, nil
}

// maxStatusText is the limit of a status, in characters (server-behavior §U11).
const maxStatusText = 60

// statusObject holds the non-empty parts of a status.
func (r *request) statusObject(s rules.Status) fields {
	object := fields{}
	if s.Text != "" {
		object["status_text"] = s.Text
	}
	if s.Emoji.Name != "" {
		object["emoji_name"], object["emoji_code"], object["reaction_type"] = s.Emoji.Name, s.Emoji.Code, s.Emoji.Type
	}
	if s.Away {
		object["away"] = true
	}
	return object
}

func getStatus(r *request) (fields, error) {
	status, err := r.org.StatusOf(r.me, r.id("user_id"))
	if err != nil {
		return nil, err
	}
	return fields{"status": r.statusObject(status)}, nil
}

func setStatus(r *request) (fields, error) {
	r.inOrder("status_text", "emoji_name", "emoji_code", "reaction_type")
	change := r.readStatusChange()
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.SetStatusOf(r.me, r.id("user_id"), change)
}

func setOwnStatus(r *request) (fields, error) {
	change := r.readStatusChange()
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.SetStatus(r.me.ID, change)
}

func (r *request) readStatusChange() rules.StatusChange {
	return rules.StatusChange{
		Text:      optional(r, "status_text", text(stripped, atMost(maxStatusText))),
		Away:      optional(r, "away", boolean),
		EmojiName: optional(r, "emoji_name", text()),
		EmojiCode: optional(r, "emoji_code", text()),
		Reaction:  optional(r, "reaction_type", text()),
	}
}

// registerStatuses is the user_status part of a snapshot.
func registerStatuses(r *request, _ registerOptions) fields {
	statuses := fields{}
	for id, status := range r.org.ListStatuses(r.me) {
		statuses[userKey(id)] = r.statusObject(status)
	}
	return fields{"user_status": statuses}
}
