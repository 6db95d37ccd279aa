package provider_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/laws"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// A sample is a valid value of an attribute, and a second one if there is a second.
type sample struct {
	value, another any
	// with are the attributes that differ from those of the life or the smallest configuration, next to the value.
	with values
	// then are those that differ with the second value.
	then values
}

// samples are the samples that neither a life nor the schema tells, by subject.
func samples(t *testing.T, o *acctest.Organization, all []life) map[string]sample {
	t.Helper()
	id := func(name string) any { return o.MustChannel(t, name).ID }
	var groups []any
	for _, one := range o.Call(t, "GET", "/user_groups", nil)["user_groups"].([]any) {
		if group, _ := one.(map[string]any); group["is_system_group"] == false {
			groups = append(groups, int64(group["id"].(float64)))
		}
	}
	folders := o.Call(t, "GET", "/channel_folders", nil)["channel_folders"].([]any)
	folder := int64(folders[0].(map[string]any)["id"].(float64))
	people, one := []any{someone}, []any{"kenji.sato@example.com"}
	crew := lifeOf(all, "zulip_channel_subscribers").create["users"].([]any)
	message, second := lifeOf(all, "zulip_reaction").create["message_id"], any(nil)
	for channel, topic := range map[string]string{"leads": "votes", "general": "rules"} {
		sent := o.Call(t, "POST", "/messages", map[string]string{"type": "channel", "to": fmt.Sprintf("%q", channel), "topic": topic, "content": "Done."})
		second = int64(sent["id"].(float64))
	}
	file := func(size int) any {
		path := filepath.Join(t.TempDir(), "picture.png")
		writePictureOf(t, path, size)
		return path
	}
	direct := values{"channel": nil, "topic": nil}
	generic := values{"bot_type": "generic", "payload_url": nil, "interface": nil}
	account := values{"field_type": "external_account", "subtype": "custom", "url_pattern": "https://example.com/%(username)s", "required": nil}
	service := values{"bot_type": "incoming_webhook", "payload_url": nil, "interface": nil, "role": nil, "default_sending_stream": nil}
	options := []any{values{"key": "b", "text": "Berlin"}, values{"key": "o", "text": "Oslo"}}
	selected := values{"field_type": "select", "options": options}
	organization := func() any {
		return writeFile(t, "organization.json", `{"owner": {"email": "a@example.com", "full_name": "Ada", "role": 100}}`)
	}
	rc := func() any {
		return writeFile(t, "zuliprc", "[api]\nsite="+o.Sandbox.URL()+"\nemail=a@example.com\nkey=k\n")
	}
	own := values{"site": nil, "email": nil, "api_key": nil, "trading_cloud": nil}
	return map[string]sample{
		"zulip_bot.avatar_file":                                                   {value: file(8), another: file(9)},
		"zulip_bot.bot_type":                                                      {value: "generic", another: "incoming_webhook", with: service},
		"zulip_custom_emoji.file":                                                 {value: file(8), another: file(9)},
		"zulip_organization_image.file":                                           {value: file(8), another: file(9)},
		"zulip_channel_subscribers.users":                                         {value: crew, another: append(slices.Clone(crew), one...)},
		"zulip_reaction.message_id":                                               {value: message, another: second},
		"zulip_role_members.role":                                                 {value: "administrator", another: "moderator", then: values{"users": []any{"amara.okafor@example.com"}}},
		"action.zulip_mark_topic_as_read.channel":                                 {value: "general", another: "leads"},
		"action.zulip_message_flags_for_narrow.op":                                {value: "add", another: "remove"},
		"action.zulip_message_flags.op":                                           {value: "add", another: "remove"},
		"action.zulip_report_message.message_id":                                  {value: message, another: second},
		"data.zulip_message_history.message_id":                                   {value: message, another: second},
		"ephemeral.zulip_bot_api_key.bot":                                         {value: robot, another: fmt.Sprint(userID(t, o, robot))},
		"zulip_user.active":                                                       {value: true, another: false, then: values{"email": paul, "role": nil}},
		"zulip_bot.config_data":                                                   {value: values{"key": "s3cret & \"quoted\" %v"}, with: service},
		"zulip_bot.default_all_public_streams":                                    {value: true, another: false, with: generic},
		"zulip_bot.default_events_register_stream":                                {value: "general", another: "", with: generic},
		"zulip_bot.service_name":                                                  {value: "github", with: service},
		"zulip_channel.can_add_subscribers_group":                                 {value: []any{"role:moderators"}, another: []any{"user:" + someone}},
		"zulip_channel.folder_id":                                                 {value: folder, another: 0, with: values{"folder": nil}},
		"zulip_channel.initial_subscribers":                                       {value: people},
		"zulip_channel.on_destroy":                                                {value: "keep", another: "archive"},
		"zulip_channel.privacy":                                                   {value: "private_shared_history", another: "public", with: values{"is_default": nil}},
		"zulip_channel_folder.on_destroy":                                         {value: "keep", another: "archive"},
		"zulip_custom_profile_field.options":                                      {value: options, with: values{"field_type": "select"}},
		"zulip_custom_profile_field.options.key":                                  {value: "b", another: "h", with: selected},
		"zulip_custom_profile_field.options.text":                                 {value: "Berlin", another: "Hamburg", with: selected},
		"zulip_custom_profile_field.subtype":                                      {value: "custom", another: "github", with: account, then: values{"url_pattern": nil, "name": nil, "hint": nil}},
		"zulip_custom_profile_field.url_pattern":                                  {value: "https://example.com/%(username)s", with: account},
		"zulip_draft.recipients":                                                  {value: people, another: one, with: direct},
		"zulip_invitation.group_ids":                                              {value: groups[:1]},
		"zulip_invite_link.group_ids":                                             {value: groups[:1]},
		"zulip_message.on_destroy":                                                {value: "keep", another: "delete"},
		"zulip_message.recipients":                                                {value: people, with: direct},
		"zulip_organization.authentication_methods":                               {value: []any{"Email"}, another: []any{"Email", "Google"}},
		"zulip_organization.can_access_all_users_group":                           {value: []any{"role:members"}, another: []any{"role:everyone"}},
		"zulip_organization.can_create_web_public_channel_group":                  {value: []any{"role:moderators"}, another: []any{"role:owners"}},
		"zulip_organization.default_code_block_language":                          {value: "Python", another: ""},
		"zulip_organization.default_language":                                     {value: "de", another: "en"},
		"zulip_organization.jitsi_server_url":                                     {value: "https://meet.example.com", another: "default"},
		"zulip_organization.message_content_delete_limit_seconds":                 {value: "3600", another: "unlimited"},
		"zulip_organization.message_content_edit_limit_seconds":                   {value: "3600", another: "unlimited"},
		"zulip_organization.message_retention_days":                               {value: "30", another: "unlimited"},
		"zulip_organization.move_messages_between_streams_limit_seconds":          {value: "3600", another: "unlimited"},
		"zulip_organization.move_messages_within_stream_limit_seconds":            {value: "3600", another: "unlimited"},
		"zulip_organization.moderation_request_channel_id":                        {value: id("leads"), another: -1},
		"zulip_organization.name":                                                 {value: "Works", another: "Example"},
		"zulip_organization.new_stream_announcements_stream_id":                   {value: id("incidents"), another: -1},
		"zulip_organization.on_destroy":                                           {value: "reset", another: "keep"},
		"zulip_organization.signup_announcements_stream_id":                       {value: id("incidents"), another: -1},
		"zulip_organization.waiting_period_threshold":                             {value: 3, another: 0},
		"zulip_organization.welcome_message_custom_text":                          {value: "Hello!", another: ""},
		"zulip_organization.zulip_update_announcements_stream_id":                 {value: id("incidents"), another: -1},
		"zulip_default_user_settings.email_notifications_batching_period_seconds": {value: 300, another: 600},
		"zulip_default_user_settings.notification_sound":                          {value: "zulip", another: "ding"},
		"zulip_default_user_settings.web_font_size_px":                            {value: 14, another: 16},
		"zulip_default_user_settings.web_line_height_percent":                     {value: 140, another: 120},
		"zulip_reaction.emoji_code":                                               {value: "1f389", another: "2764", then: values{"emoji_name": "heart"}},
		"zulip_reaction.reaction_type":                                            {value: "unicode_emoji", another: "zulip_extra_emoji", then: values{"emoji_name": "zulip"}},
		"zulip_scheduled_message.recipients":                                      {value: people, another: one, with: direct},
		"zulip_user.deactivation_actions":                                         {value: values{"delete_profile": true}},
		"zulip_user.password":                                                     {value: "correct horse battery staple"},
		"zulip_user.profile_data":                                                 {value: values{"Team": "Core"}, another: values{"Team": "Apps"}},
		"zulip_user_group_membership.subgroups":                                   {value: []any{"sre"}, another: []any{"role:moderators"}, with: values{"members": nil}},
		"zulip_user_role.on_destroy":                                              {value: "member", another: "guest"},
		"zulip_user_status.emoji_code":                                            {value: "1f334", another: "1f3e0", then: values{"emoji_name": "house"}},
		"zulip_user_status.reaction_type":                                         {value: "unicode_emoji", another: "zulip_extra_emoji", then: values{"emoji_name": "zulip"}},

		"action.zulip_export.export_type":                        {value: "public", another: "standard"},
		"action.zulip_export.link_file":                          {value: filepath.Join(t.TempDir(), "link"), another: filepath.Join(t.TempDir(), "other")},
		"action.zulip_export.timeout":                            {value: "30m", another: "1h"},
		"action.zulip_mark_topic_as_read.topic":                  {value: "votes", another: "rules"},
		"action.zulip_mark_topic_as_read.whole_channel":          {value: true, another: false, with: values{"topic": nil}, then: values{"topic": "votes"}},
		"action.zulip_message_flags.messages":                    {value: []any{message}, another: []any{second}},
		"action.zulip_message_flags_for_narrow.include_anchor":   {value: true, another: false},
		"action.zulip_message_flags_for_narrow.narrow":           {value: []any{values{"operator": "topic", "operand": "votes"}}},
		"action.zulip_message_flags_for_narrow.narrow.negated":   {value: true, another: false, with: values{"narrow": []any{values{"operator": "topic", "operand": "votes"}}}},
		"action.zulip_message_flags_for_narrow.narrow.operand":   {value: "votes", another: "rules", with: values{"narrow": []any{values{"operator": "topic"}}}},
		"action.zulip_message_flags_for_narrow.narrow.operator":  {value: "topic", another: "channel", with: values{"narrow": []any{values{"operand": "general"}}}},
		"action.zulip_message_flags_for_narrow.to_the_end":       {value: true, another: false, with: values{"num_before": 0, "num_after": 5}},
		"action.zulip_report_message.description":                {value: "It is spam.", another: "Spam."},
		"action.zulip_send_message.recipients":                   {value: people, another: one, with: direct},
		"action.zulip_send_message.topic":                        {value: "votes", another: "rules"},
		"action.zulip_set_user_settings.groups":                  {value: []any{"sre"}, another: []any{"leads"}, with: values{"users": nil}},
		"action.zulip_typing.recipients":                         {value: people, another: one, with: direct},
		"action.zulip_typing.topic":                              {value: "votes", another: "rules"},
		"data.zulip_channel.id":                                  {value: id("general"), another: id("incidents"), with: values{"name": nil}},
		"data.zulip_channels.folder_id":                          {value: folder, another: 0},
		"data.zulip_channels.privacy":                            {value: "public", another: "private_shared_history"},
		"data.zulip_trading_platforms.organization_id":           {value: "6f1c2a54-0b7e-4a7b-9a53-2f5f2a1d7c10", another: "0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01"},
		"data.zulip_trading_platforms.type":                      {value: "MT5", another: "MT4"},
		"data.zulip_user.id":                                     {value: o.Self.ID, another: userID(t, o, someone), with: values{"email": nil}},
		"data.zulip_user_access.channel_name":                    {value: "g*", another: "*"},
		"data.zulip_user_group.id":                               {value: groups[0], another: groups[1], with: values{"name": nil}},
		"data.zulip_user_groups.user":                            {value: someone, another: "kenji.sato@example.com"},
		"data.zulip_users.emails":                                {value: people, another: one},
		"data.zulip_users.profile_field":                         {value: values{"name": "Team", "value": "Core"}},
		"data.zulip_users.profile_field.name":                    {value: "Team", another: "Desk", with: values{"profile_field": values{"value": "Core"}}},
		"data.zulip_users.profile_field.value":                   {value: "Core", another: "Apps", with: values{"profile_field": values{"name": "Team"}}},
		"data.zulip_users.role":                                  {value: "member", another: "guest"},
		"ephemeral.zulip_trading_token.minimum_lifetime_seconds": {value: 60, another: 30},
		"list.zulip_bot.owner":                                   {value: someone, another: "kenji.sato@example.com"},
		"list.zulip_bot.role":                                    {value: "member", another: "guest"},
		"list.zulip_channel.folder":                              {value: "First", another: ""},
		"list.zulip_channel.privacy":                             {value: "public", another: "private_shared_history"},
		"list.zulip_user.role":                                   {value: "member", another: "guest"},
		"list.zulip_user_role.role":                              {value: "member", another: "guest"},
		"provider.zulip.max_retries":                             {value: 2, another: 0},
		"provider.zulip.request_timeout":                         {value: "30s", another: "1m"},
		"provider.zulip.requests_per_minute":                     {value: 500, another: 600},
		"provider.zulip.sandbox":                                 {value: values{}, with: own},
		"provider.zulip.sandbox.feature_level":                   {value: 500, another: 442, with: own},
		"provider.zulip.sandbox.organization":                    {value: organization(), another: organization(), with: own},
		"provider.zulip.sandbox.state":                           {value: filepath.Join(t.TempDir(), "state.db"), another: filepath.Join(t.TempDir(), "other.db"), with: own},
		"provider.zulip.trading_cloud.organizations_path":        {value: "/api/Organizations", another: "/api/organizations"},
		"provider.zulip.zuliprc":                                 {value: rc(), another: rc()},
	}
}

// smallestConfigs are configurations of the blocks that are no resources and have required attributes, and of the provider block.
func smallestConfigs(o *acctest.Organization, cloud sandbox.TradingCredentials, message any) map[string]values {
	to := values{"channel": "general", "topic": "votes", "content": "Yes"}
	return map[string]values{
		"provider.zulip":                        and(o.Block(nil), "trading_cloud", values{"api_url": cloud.APIURL, "auth_url": cloud.AuthURL, "client_id": cloud.ClientID, "client_secret": cloud.ClientSecret}),
		"action.zulip_mark_topic_as_read":       {"channel": "general", "topic": "votes"},
		"action.zulip_message_flags":            {"flag": "starred", "messages": []any{message}, "op": "add"},
		"action.zulip_message_flags_for_narrow": {"anchor": "newest", "flag": "starred", "num_after": 0, "num_before": 5, "op": "add"},
		"action.zulip_report_message":           {"message_id": message, "report_type": "spam"},
		"action.zulip_send_message":             to,
		"action.zulip_set_user_settings":        {"skip_if_already_edited": true, "users": []any{someone}, "twenty_four_hour_time": true},
		"action.zulip_typing":                   {"channel": "general", "topic": "votes", "op": "start"},
		"data.zulip_channel":                    {"name": "general"},
		"data.zulip_channel_access":             {"channel": "general"},
		"data.zulip_channel_topics":             {"channel": "general"},
		"data.zulip_message_history":            {"message_id": message},
		"data.zulip_trading_platform_ping":      {"platform_id": "0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a01"},
		"data.zulip_user":                       {"email": someone},
		"data.zulip_user_access":                {"user": someone},
		"data.zulip_user_group":                 {"name": "sre"},
		"data.zulip_user_status":                {"user": someone},
		"ephemeral.zulip_bot_api_key":           {"bot": "terraform-bot@zulip.example.com"},
	}
}

func userID(t *testing.T, o *acctest.Organization, email string) any {
	t.Helper()
	id := o.Call(t, "GET", "/users/"+email, nil)["user"].(map[string]any)["user_id"]
	return int64(id.(float64))
}

// robot is the bot of the sandbox, and paul a person whom nothing else names.
const robot, paul = "terraform-bot@zulip.example.com", "paul.dubois@example.com"

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	requireNoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// stageOf starts an organization and returns the sample of a subject in it. A subject without a sample fails the test.
func stageOf(c *laws.Case, s laws.Subject) laws.Stage {
	c.Helper()
	return c.Stage(func() laws.Stage { return newStage(c.T, s) })
}

func newStage(t *testing.T, s laws.Subject) laws.Stage {
	t.Helper()
	o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
	all := lives(t, o)
	l := lifeOf(all, s.Of)
	message := lifeOf(all, "zulip_reaction").create["message_id"]
	switch s.Of {
	case "zulip_report_message":
		o.Call(t, "PATCH", "/realm", map[string]string{"moderation_request_channel_id": fmt.Sprint(o.MustChannel(t, "leads").ID)})
	case "zulip_user":
		if s.Name == "active" {
			o.Call(t, "DELETE", fmt.Sprint("/users/", userID(t, o, paul)), nil)
		}
	case "zulip_organization":
		o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "another"}]`, "invite_only": "true"})
	case "zulip_channel_subscribers", "zulip_channel_subscription_settings":
		o.Call(t, "POST", "/users/me/subscriptions", map[string]string{"subscriptions": `[{"name": "another"}]`})
	}
	stage := laws.Stage{Organization: o, Subject: s, Provider: o.Block(nil), Config: values{}}
	if laws.Resources(s) {
		stage.Config = maps.Clone(l.create)
	} else {
		cloud := sandbox.NewTradingCloud(sandbox.TradingConfig{})
		requireNoError(t, cloud.Start("127.0.0.1:0"))
		t.Cleanup(func() { _ = cloud.Close() })
		others := smallestConfigs(o, cloud.Credentials(), message)
		stage.Provider = others["provider.zulip"]
		if found := others[string(s.Kind)+"."+s.Of]; found != nil {
			stage.Config = found
		}
		l = life{create: stage.Config}
		if s.Of == "zulip_set_user_settings" {
			l.update = lifeOf(all, "zulip_default_user_settings").update
		}
	}
	one, found := sampleFor(samples(t, o, all), s, stage.Config, l.update)
	if !found {
		t.Fatalf("%s has no sample: add one in laws_samples_test.go", s)
	}
	for name, value := range one.with {
		stage.Config = and(stage.Config, name, value)
	}
	stage.Config, stage.Another, stage.Then, stage.Update = stage.With(one.value), one.another, one.then, l.update
	return stage
}

func lifeOf(all []life, of string) life {
	if i := slices.IndexFunc(all, func(l life) bool { return l.of == of }); i >= 0 {
		return all[i]
	}
	return life{}
}

// fewValues finds two values in the description of an attribute with few values, such as the first two in "One of `a`, `b`".
var fewValues = regexp.MustCompile("(?:One of |: )?`([a-z_0-9]+)`(?:,| or|, or)? (?:or )?`([a-z_0-9]+)`")

// seconds are second samples, by subject or by the name of the attribute.
var seconds = map[string]any{
	"channel": "incidents", "topic": "rules", "user": "kenji.sato@example.com", "users": []any{"kenji.sato@example.com"},
	"alternative_url_templates": []any{"https://example.net/{id}"}, "deactivation_notification_comment": "Bye!", "expires_in_minutes": 2880, "scheduled_delivery_timestamp": "2099-02-15T09:00:00Z",
	"welcome_message_custom_text": "Hi!", "recipients": []any{"kenji.sato@example.com"}, "example_input": "#2", "deactivation_actions": values{"delete_profile": false},
	"action.zulip_message_flags_for_narrow.num_before": 6, "action.zulip_send_message.content": "No", "action.zulip_set_user_settings.color_scheme": "dark",
	"action.zulip_set_user_settings.web_home_view": "recent_topics", "action.zulip_typing.op": "stop",
	"action.zulip_message_flags_for_narrow.narrow": []any{values{"operator": "topic", "operand": "rules"}},
	"data.zulip_channel.name":                      "incidents", "data.zulip_user.email": "kenji.sato@example.com", "data.zulip_user_group.name": "leads",
	"data.zulip_users.profile_field":               values{"name": "Desk", "value": "Core"},
	"data.zulip_trading_platform_ping.platform_id": "0d9a5f1e-3c44-4e0e-8f0b-5b1f6f0c9a03", "provider.zulip.sandbox": values{"feature_level": 442},
	"flag": "collapsed", "report_type": "harassment", "anchor": "oldest", "num_after": 1, "zulip_bot.interface": "generic", "topics_policy": "disable_empty_topic",
	"invite_as": "guest", "default_avatar_source": "jdenticon", "video_chat_provider": "disabled", "zulip_organization_image.kind": "icon", "field_type": "short_text",
	"zulip_bot.config_data": values{"key": "y"}, "zulip_bot.default_sending_stream": "incidents", "zulip_bot.service_name": "gitlab", "zulip_bot.short_name": "alarms",
	"zulip_channel.initial_subscribers": []any{"kenji.sato@example.com"},
	"zulip_channel_subscribers.channel": "another", "zulip_channel_subscription_settings.channel": "another",
	"zulip_code_playground.name": "Snake", "zulip_code_playground.pygments_language": "Go", "zulip_code_playground.url_template": "https://example.net/?code={code}",
	"zulip_custom_emoji.name": "bravo", "zulip_custom_profile_field.options": []any{values{"key": "b", "text": "Berlin"}}, "zulip_custom_profile_field.subtype": "github",
	"zulip_custom_profile_field.url_pattern": "https://example.net/%(username)s", "zulip_default_channel_group.channel_ids": []any{},
	"zulip_domain.domain": "example.net", "zulip_invitation.channel_ids": []any{}, "zulip_invite_link.channel_ids": []any{}, "zulip_invitation.group_ids": []any{}, "zulip_invite_link.group_ids": []any{},
	"zulip_invitation.email": "nia@example.com", "zulip_linkifier.pattern": "!(?P<id>[0-9]+)", "zulip_linkifier.reverse_template": "no.{id}",
	"zulip_message.topic": "votes", "zulip_organization.media_preview_size": 200, "zulip_reaction.emoji_name": "heart", "zulip_user.email": "nia@example.com",
	"zulip_user.password": "another correct horse", "zulip_user_group.subgroups": []any{}, "zulip_user_group_membership.group": "sre", "zulip_user_status.emoji_name": "house",
}

// sampleFor returns the sample of an attribute: the one in the list, or one that follows from a configuration or the schema.
func sampleFor(list map[string]sample, s laws.Subject, create, update values) (sample, bool) {
	one, found := firstSample(list, s, create, update)
	for _, at := range []string{s.String(), s.Name} {
		if one.another == nil {
			one.another = seconds[at]
		}
	}
	isTrue, isBool := one.value.(bool)
	switch {
	case one.another != nil:
	case s.Kind == acctest.ProviderBlock && strings.HasPrefix(s.Name, "client_"):
		one.another = fmt.Sprint(one.value, "x") // it is used only for a call
	case s.Kind == acctest.ProviderBlock && (s.Name == "site" || strings.HasSuffix(s.Name, "_url")):
		one.another = fmt.Sprint(one.value, "/")
	case isBool:
		one.another = !isTrue
	case s.IsPermission():
		one.another = []any{"role:owners"}
	}
	return one, found
}

func firstSample(list map[string]sample, s laws.Subject, create, update values) (sample, bool) {
	for _, address := range []string{s.String(), "zulip_default_user_settings." + s.Name} {
		if one, isListed := list[address]; isListed {
			return one, true
		}
	}
	created := (laws.Stage{Subject: s, Config: create}).Value()
	updated, isChanged := update[s.Name]
	words := fewValues.FindStringSubmatch(s.Description)
	switch {
	case created != nil:
		return sample{value: created, another: updated}, true
	case isChanged:
		return sample{value: updated}, true
	case s.ValueType().Is(tftypes.Bool):
		return sample{value: true, another: false}, true
	case s.IsPermission():
		return sample{value: []any{"role:moderators"}, another: []any{"role:administrators"}}, true
	case words != nil && s.IsText():
		return sample{value: words[2], another: words[1]}, true
	case s.Kind == acctest.ListBlock && s.Name == "name":
		return sample{value: "e*", another: "*"}, true
	}
	return sample{}, false
}

func anything(laws.Subject) bool { return true }
