package sandbox

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// Limits of the organization's texts, in characters (server-behavior §O6).
const (
	maxRealmName        = 40
	maxRealmDescription = 1000
	maxWelcomeMessage   = 8000
	maxJitsiURL         = 200
)

// realmTextLimits are the limits of the texts that have one.
var realmTextLimits = map[string]int{
	"name": maxRealmName, "description": maxRealmDescription, "welcome_message_custom_text": maxWelcomeMessage,
}

// orgTypes are the kinds of organizations.
var orgTypes = []int{0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000}

// updateRealm is PATCH /realm (server-behavior §O2).
func updateRealm(r *request) (fields, error) {
	update := rules.RealmUpdate{
		Flags: map[string]bool{}, Numbers: map[string]int{}, Texts: map[string]string{}, Policies: map[string]string{},
		TimeLimits: map[string]any{}, Channels: map[string]int{},
	}
	for _, s := range rules.RealmTexts {
		parse := text()
		if limit, ok := realmTextLimits[s.Name]; ok {
			parse = text(atMost(limit))
		}
		if s.Name == "default_avatar_source" {
			parse = oneOf("G", "J")
		}
		collect(r.since(s.Since()), s.Name, parse, update.Texts)
	}
	for _, s := range rules.RealmFlags {
		collect(r.since(s.Since()), s.Name, boolean, update.Flags)
	}
	for _, s := range rules.RealmNumbers {
		if number := optional(r.since(s.Since()), s.NameAt(r.level), realmNumber(s.Name)); number != nil {
			update.Numbers[s.Name] = *number
		}
	}
	for _, s := range rules.RealmPolicies {
		collect(r.since(s.Since()), s.Name, oneOf(slices.Sorted(maps.Keys(s.Numbers))...), update.Policies)
	}
	for _, s := range rules.RealmTimeLimits {
		collect(r.since(s.Since()), s.Name, numberOrWord, update.TimeLimits)
	}
	for _, s := range rules.RealmChannels {
		collect(r.since(s.Since()), s.Name, integer, update.Channels)
	}
	if days := optional(r, "message_retention_days", numberOrWord); days != nil {
		update.RetentionDays = *days
	}
	update.JitsiURL = optional(r, "jitsi_server_url", jitsiURL)
	update.OrgType = optional(r, "org_type", oneNumberOf(orgTypes...))
	update.StringID = optional(r, "string_id", text(atMost(maxRealmName)))
	update.AuthenticationMethods = withDefault(r, "authentication_methods", jsonOf(mapOf(parseBoolean)), nil)
	update.Permissions = permissionChanges(r.params, rules.RealmPermissions)
	r.inOrder("zulip_update_announcements_stream_id", "welcome_message_custom_text")
	if err := r.checked(); err != nil {
		return nil, err
	}
	if stale := r.server.staleSettings; stale != nil {
		changed, err := r.org.UpdateStaleRealm(*stale, r.me, update)
		if len(changed) > 0 { // a write empties the cache
			r.server.staleSettings = nil
		}
		return changed, err
	}
	return r.org.UpdateRealm(r.me, update)
}

func realmNumber(name string) parser[int] {
	switch name {
	case "digest_weekday":
		return oneNumberOf(0, 1, 2, 3, 4, 5, 6)
	case "media_preview_size":
		return oneNumberOf(100, 150, 200)
	case "waiting_period_threshold":
		return notNegative
	}
	return integer
}

// oneNumberOf is a JSON number with a closed set of values.
func oneNumberOf(allowed ...int) parser[int] {
	return func(raw, name string) (int, error) {
		value, err := decodeJSON(raw)
		if err != nil {
			return 0, rules.Refuse("%s is not valid JSON", name)
		}
		number, err := parseInteger(value, name)
		if err != nil || !slices.Contains(allowed, number) {
			return 0, rules.Refuse("Invalid %s", name)
		}
		return number, nil
	}
}

// notNegative is a JSON number of zero or more.
func notNegative(raw, name string) (int, error) {
	n, err := integer(raw, name)
	if err == nil && n < 0 {
		err = rules.Refuse("%s is too small", name)
	}
	return n, err
}

// numberOrWord is a limit: a number or a word, both as JSON. The error for other values names the first alternative.
func numberOrWord(raw, name string) (any, error) {
	value, err := decodeJSON(raw)
	if err != nil {
		return nil, rules.Refuse("%s is not valid JSON", name)
	}
	if word, ok := value.(string); ok {
		return word, nil
	}
	return parseInteger(value, name+`["int"]`)
}

// jitsiURL is a URL or the word "default", as JSON.
func jitsiURL(raw, name string) (string, error) {
	url, err := quoted(raw, name)
	if err != nil || url == "default" {
		return url, err
	}
	if !rules.IsURL(url) {
		return "", rules.Refuse("%s is not an allowed_type", name)
	}
	return atMost(maxJitsiURL)(url, name)
}

// registerRealm is the realm part of a snapshot (server-behavior §O3): the settings, and facts about the server.
func registerRealm(r *request, _ registerOptions) fields {
	realm := r.org.Settings()
	answer := fields{}
	for _, s := range rules.RealmFlags {
		r.add(answer, s.Since(), "realm_"+s.Name, *s.Field(&realm))
	}
	for _, s := range rules.RealmNumbers {
		r.add(answer, s.Since(), "realm_"+s.NameAt(r.level), *s.Field(&realm))
	}
	for _, s := range rules.RealmTexts {
		r.add(answer, s.Since(), "realm_"+s.Name, *s.Field(&realm))
	}
	for _, s := range rules.RealmPolicies {
		r.add(answer, s.Since(), "realm_"+s.Name, *s.Field(&realm))
	}
	for _, s := range rules.RealmTimeLimits {
		r.add(answer, s.Since(), "realm_"+s.Name, *s.Field(&realm))
	}
	for _, s := range rules.RealmChannels {
		channel := *s.Field(&realm)
		if channel == 0 {
			channel = -1
		}
		r.add(answer, s.Since(), "realm_"+s.Name, channel)
	}
	for _, p := range rules.RealmPermissions {
		r.add(answer, p.Since, "realm_"+p.Name, r.org.Shown(realm.Permissions[p.Name]))
	}
	answer["realm_message_retention_days"] = realm.MessageRetentionDays
	answer["realm_jitsi_server_url"] = realm.JitsiServerURL
	answer["realm_org_type"] = realm.OrgType
	answer["realm_authentication_methods"] = r.authenticationMethods(realm)
	r.addOlderSettings(answer, realm)
	r.addServerFacts(answer, realm)
	r.addServerConstants(answer)
	answer["server_supported_permission_settings"] = r.supportedPermissions()
	return answer
}

// authenticationMethods shows the methods, in another form than they are written.
func (r *request) authenticationMethods(realm rules.Realm) fields {
	methods := fields{}
	for name, enabled := range realm.AuthenticationMethods {
		method := fields{"enabled": enabled, "available": true}
		if name == rules.UnavailableAuthenticationMethod {
			method["available"] = false
			method["unavailable_reason"] = "You need to upgrade to the Zulip Cloud Plus plan to use this authentication method."
		}
		methods[name] = method
	}
	return methods
}

// addOlderSettings adds settings in the names and forms of older servers, which clients may still read.
func (r *request) addOlderSettings(answer fields, realm rules.Realm) {
	policy := func(permission string, numbers map[string]int) int {
		p, _ := rules.FindPermission(rules.RealmPermissions, permission)
		if g, ok := r.org.Groups.Get(realm.Permissions[permission].Group); ok && numbers[g.Name] != 0 {
			return numbers[g.Name]
		}
		return numbers[p.Default]
	}
	creating := map[string]int{
		rules.Members: 1, rules.Administrators: 2, rules.FullMembers: 3,
		rules.Moderators: 4, rules.Nobody: 6, rules.Owners: 7,
	}
	mentioning := map[string]int{
		rules.Everyone: 1, rules.Members: 2, rules.FullMembers: 3,
		rules.Administrators: 5, rules.Nobody: 6, rules.Moderators: 7,
	}
	answer["realm_create_public_stream_policy"] = policy("can_create_public_channel_group", creating)
	answer["realm_create_private_stream_policy"] = policy("can_create_private_channel_group", creating)
	answer["realm_create_web_public_stream_policy"] = policy("can_create_web_public_channel_group", creating)
	answer["realm_wildcard_mention_policy"] = policy("can_mention_many_users_group", mentioning)
	answer["realm_allow_edit_history"] = realm.MessageEditHistory != "none"
	answer["realm_mandatory_topics"] = realm.TopicsPolicy == "disable_empty_topic"
}

// addServerFacts adds facts that the API cannot change.
func (r *request) addServerFacts(answer fields, realm rules.Realm) {
	const jitsi = "https://meet.jit.si"
	maps.Copy(answer, fields{
		"realm_url": r.site, "realm_uri": r.site, "realm_bot_domain": r.org.Host(),
		"realm_date_created": realm.DateCreated, "realm_plan_type": 1, "realm_upload_quota_mib": nil,
		"realm_presence_disabled": false, "realm_push_notifications_enabled": false,
		"realm_push_notifications_enabled_end_timestamp": nil, "realm_owner_full_content_access": false,
		"realm_email_auth_enabled":             realm.AuthenticationMethods["Email"],
		"realm_password_auth_enabled":          realm.AuthenticationMethods["Email"],
		"realm_empty_topic_display_name":       "general chat",
		"realm_available_video_chat_providers": r.videoChatProviders(),
		"realm_default_external_accounts":      externalAccounts(),
		"server_jitsi_server_url":              jitsi,
		"settings_send_digest_emails":          true, "server_web_public_streams_enabled": true,
		"server_name_changes_disabled": false, "server_avatar_changes_disabled": false,
		"server_inline_image_preview": true, "server_inline_url_embed_preview": true,
		"max_message_length": 10000, "max_topic_length": 60,
		"max_stream_name_length": 60, "max_stream_description_length": 1024,
		"max_avatar_file_size_mib": 5, "max_icon_file_size_mib": 5, "max_logo_file_size_mib": 5, "max_file_upload_size_mib": 100,
		"password_min_length": 0, "password_max_length": 100, "password_min_guesses": 0,
	})
	r.addRealmImages(answer)
	answer["jitsi_server_url"] = jitsi
	if realm.JitsiServerURL != nil {
		answer["jitsi_server_url"] = *realm.JitsiServerURL
	}
	ratings := fields{}
	for id, rating := range rules.GIFRatings {
		ratings[rating.Key] = fields{"name": rating.Name, "id": id}
	}
	if r.level >= featurelevel.GIFRatingPolicy {
		answer["gif_rating_policy_options"] = ratings
	} else {
		r.add(answer, 442, "gif_rating_options", ratings)
	}
	answer["server_emoji_data_url"] = emojiDataPath
	r.add(answer, 397, "max_bulk_new_subscription_messages", rules.MaxNewSubscriptionMessages)
	r.add(answer, 410, "max_channel_folder_name_length", maxFolderName)
	r.add(answer, 410, "max_channel_folder_description_length", maxFolderDescription)
	r.add(answer, 415, "max_reminder_note_length", 1000)
	r.add(answer, 435, "server_report_message_types", []fields{
		{"key": "spam", "name": "Spam"}, {"key": "harassment", "name": "Harassment"},
		{"key": "inappropriate", "name": "Inappropriate content"}, {"key": "norms", "name": "Violates community norms"},
		{"key": "other", "name": "Other reason"},
	})
}

func (r *request) videoChatProviders() fields {
	providers := fields{}
	for _, p := range r.org.VideoChatProviders() {
		providers[p.Key] = fields{"name": p.Name, "id": p.ID}
	}
	return providers
}

// supportedPermissions describes the possible values of the permissions.
func (r *request) supportedPermissions() fields {
	describe := func(all []rules.Permission, creator string, ofSystemGroups any) fields {
		described := fields{}
		for _, p := range all {
			byDefault := p.Default
			if byDefault == rules.Creator {
				byDefault = creator
			}
			r.add(described, p.Since, p.Name, fields{
				"require_system_group": p.RequireSystem, "allow_internet_group": p.AllowInternet,
				"allow_nobody_group": p.AllowNobody, "allow_everyone_group": p.AllowEveryone,
				"default_group_name": byDefault, "default_for_system_groups": ofSystemGroups,
				"allowed_system_groups": append([]string{}, p.AllowedSystem...),
			})
		}
		return described
	}
	return fields{
		"realm":  describe(rules.RealmPermissions, "", nil),
		"stream": describe(rules.ChannelPermissions, "channel_creator", nil),
		"group":  describe(rules.GroupPermissions, "group_creator", rules.Nobody),
	}
}

// serverSettings are the public settings of the server (https://zulip.com/api/get-server-settings).
func serverSettings(r *request) (fields, error) {
	realm := r.org.Settings()
	icon, _ := r.realmImage(rules.RealmIcon)
	settings := fields{
		"authentication_methods": fields{
			"password": true, "dev": false, "email": true, "ldap": false, "remoteuser": false, "github": false,
			"azuread": false, "gitlab": false, "google": false, "apple": false, "saml": false, "openid connect": false,
		},
		"external_authentication_methods": []fields{},
		"zulip_version":                   versionAt(r.level),
		"zulip_feature_level":             r.level,
		"push_notifications_enabled":      false,
		"is_incompatible":                 false,
		"email_auth_enabled":              true,
		"require_email_format_usernames":  true,
		"realm_url":                       r.site,
		"realm_uri":                       r.site,
		"realm_name":                      realm.Name,
		"realm_icon":                      icon,
		"realm_description":               r.org.Render(cmp.Or(realm.Description, "The coolest place in the universe.")),
	}
	settings["zulip_merge_base"] = versionAt(r.level)
	settings["realm_web_public_access_enabled"] = realm.EnableSpectatorAccess
	return settings, nil
}

// exportsPath begins the path of the files of data exports.
const exportsPath = "/user_avatars/exports/1/"

// exportTypes is the first level with a type of exports (https://zulip.com/api/export-realm).
const exportTypes = 304

func startExport(r *request) (fields, error) {
	kind := withDefault(r.since(exportTypes), "export_type", listed(integer, rules.ExportPublic, rules.ExportConsent), rules.ExportPublic)
	if err := r.checked(); err != nil {
		return nil, err
	}
	e, err := r.org.StartExport(r.me, kind)
	if err != nil {
		return nil, err
	}
	answer := fields{}
	answer["id"] = e.ID
	return answer, nil
}

func listExports(r *request) (fields, error) {
	exports := []fields{}
	for _, e := range r.org.Exports.All() {
		object := fields{
			"id": e.ID, "export_time": e.Requested.Unix(), "acting_user_id": e.ActingUserID, "export_url": nil,
			"deleted_timestamp": seconds(e.Deleted), "failed_timestamp": nil, "pending": r.org.Pending(e),
		}
		switch {
		case r.org.HasFile(e):
			object["export_url"] = r.site + exportFile(e)
		case e.Fails && !r.org.Pending(e):
			object["failed_timestamp"] = seconds(e.Finished)
		}
		r.add(object, exportTypes, "export_type", e.Type)
		exports = append(exports, object)
	}
	return fields{"exports": exports}, nil
}

// seconds returns a time in the API's form; null for none.
func seconds(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

func exportFile(e rules.Export) string {
	return fmt.Sprintf("%s%s/zulip-export-%d.tar.gz", exportsPath, e.Secret, e.ID)
}

func listExportConsents(r *request) (fields, error) {
	consents := []fields{}
	for id, u := range r.org.Users.AsWritten() {
		if !u.Active || u.IsBot {
			continue
		}
		object := fields{"user_id": id, "consented": r.org.ConsentsToExport(id)}
		r.add(object, 430, "email_address_visibility", u.EmailVisibility)
		consents = append(consents, object)
	}
	return fields{"export_consents": consents}, nil
}

func deleteExport(r *request) (fields, error) {
	return nil, r.org.DeleteExport(r.id("export_id"))
}

// serveExport serves the file of an export without authentication. A real file holds all data; the sandbox's file describes
// the export.
func (s *Server) serveExport(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	e, ok := s.org.ExportBySecret(req.PathValue("secret"))
	name := s.org.Settings().Name
	s.mu.Unlock()
	if !ok || exportFile(e) != req.URL.Path {
		http.NotFound(w, req)
		return
	}
	content, err := json.Marshal(fields{"zerver_realm": []fields{{"id": 1, "name": name}}})
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	_ = archive.WriteHeader(&tar.Header{Name: "realm.json", Mode: 0o600, Size: int64(len(content)), ModTime: e.Finished})
	_, _ = archive.Write(content) // here and below, the client has gone
	_ = archive.Close()
	_ = compressed.Close()
}
