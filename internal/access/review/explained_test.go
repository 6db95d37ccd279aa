package review_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// The cause is that the channel is unarchived, and not a changed group that none of its permissions names.
func TestReviewReactivatedChannel_GroupChanged_Explained(t *testing.T) {
	f := newFirm(t)
	shelf := f.channel("shelf", nil)
	f.Archive(t, "shelf")
	found := f.reviewed("", resourceChange("zulip_channel", nil, attributes{"name": "shelf", "adopt_archived": true}),
		resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers", "members": []string{"mel@example.com"}},
			attributes{"id": f.advisers, "name": "advisers", "members": []string{"ada@example.com"}}))
	var permissions []*report.PermissionChange
	for _, channel := range found.Channels {
		if channel.ID == shelf {
			permissions = channel.Permissions
		}
	}
	for _, permission := range permissions {
		if permission.FollowsFrom != "the reactivation of the channel" {
			t.Errorf("%s follows from %s", permission.Name, permission.FollowsFrom)
		}
	}
	if len(permissions) == 0 {
		t.Errorf("the review has no permissions in #shelf: %s", markdownOf(t, found))
	}
}

// causesIn returns the causes of the effects in a channel by the name of the permission.
func causesIn(found *report.Report, channel int64) map[string]string {
	causes := map[string]string{}
	for _, one := range found.Channels {
		if one.ID == channel {
			for _, permission := range one.Permissions {
				causes[permission.Name] = permission.FollowsFrom
			}
		}
	}
	return causes
}

// The cause is never a changed group that gives no one the permission: such a group changes in every plan here.
func TestReviewCause_OtherGroupChanged_NotNamed(t *testing.T) {
	for name, test := range map[string]struct {
		plan func(f *firm) (channel int64, changes []attributes)
		want map[string]string
	}{
		"another permission": {
			plan: func(f *firm) (int64, []attributes) {
				return f.board, []attributes{f.joins("directors", f.directors, "ada", "otto")}
			},
			want: map[string]string{"can_read": "group:directors", "can_subscribe_group": "group:directors"},
		},
		"subgroup": {
			plan: func(f *firm) (int64, []attributes) {
				below := f.group("deputies")
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", below)})
				return f.board, []attributes{f.joins("deputies", below, "otto")}
			},
			want: map[string]string{"can_read": "group:directors > group:deputies", "can_subscribe_group": "group:directors > group:deputies"},
		},
		"unknown subgroup": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", f.group("deputies"))})
				return f.board, []attributes{resourceChange("zulip_user_group", attributes{"id": groupID(f.t, f.Organization, "deputies"), "name": "deputies", "members": []string{}}, attributes{"id": groupID(f.t, f.Organization, "deputies"), "name": "deputies"}, "members")}
			},
			want: map[string]string{"can_read": "group:directors > group:deputies", "can_subscribe_group": "group:directors > group:deputies"},
		},
		"permission of the organization": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "PATCH", "/realm", map[string]string{"can_delete_any_message_group": fmt.Sprintf(`{"new":%d}`, f.directors)})
				return f.hall, []attributes{f.joins("directors", f.directors, "ada", "otto")}
			},
			want: map[string]string{"can_delete_any_message_group": "the organization's can_delete_any_message_group"},
		},
		"role in a group": {
			plan: func(f *firm) (int64, []attributes) {
				f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", groupID(f.t, f.Organization, "role:moderators"))})
				return f.board, []attributes{resourceChange("zulip_user", attributes{"id": f.mel, "full_name": "Mel", "role": "member"}, attributes{"id": f.mel, "full_name": "Mel", "role": "moderator"})}
			},
			want: map[string]string{"can_read": "the role of mel@example.com", "can_subscribe_group": "the role of mel@example.com"},
		},
		"no cause in the report": {
			plan: func(f *firm) (int64, []attributes) {
				return f.hall, []attributes{resourceChange("zulip_channel", attributes{"id": f.hall, "name": "hall", "topics_policy": "inherit"}, attributes{"id": f.hall, "name": "hall", "topics_policy": "empty_topic_only"})}
			},
			want: map[string]string{"can_create_topic_group": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			channel, changes := test.plan(f)
			causes := causesIn(f.reviewed("", append(changes, f.joins("advisers", f.advisers, "mel", "gus"))...), channel)
			for permission, want := range test.want {
				if got, has := causes[permission]; !has || got != want {
					t.Errorf("%s: %q, want %q in %q", permission, got, want, causes)
				}
			}
		})
	}
}

// joins sets the members of a group, of which the first is a member before.
func (f *firm) joins(name string, id int64, members ...string) attributes {
	var emails []string
	for _, member := range members {
		emails = append(emails, member+"@example.com")
	}
	return resourceChange("zulip_user_group", attributes{"id": id, "name": name, "members": emails[:len(emails)-1]}, attributes{"id": id, "name": name, "members": emails})
}

// A cause is a change without which the people wouldn't gain or lose access. Other changes of the same people and groups
// aren't named.
func TestReviewCause_SeveralChanges_OnlyCauses(t *testing.T) {
	const post, topic, read = "can_send_message_group", "can_create_topic_group", "can_read"
	bot := func(f *firm, owner *int64) int64 {
		id := int64(f.Call(f.t, "POST", "/bots", map[string]string{"short_name": "deploy", "full_name": "Deploy"})["user_id"].(float64))
		f.Call(f.t, "PATCH", fmt.Sprintf("/bots/%d", id), map[string]string{"bot_owner_id": fmt.Sprint(*owner)})
		return id
	}
	moved := func(id int64, from, to string) attributes {
		return resourceChange("zulip_bot", attributes{"id": id, "full_name": "Deploy", "owner": from + "@example.com"}, attributes{"id": id, "full_name": "Deploy", "owner": to + "@example.com"})
	}
	becomes := func(id int64, before, after string) attributes {
		return resourceChange("zulip_user_role", attributes{"user_id": id, "role": before}, attributes{"user_id": id, "role": after})
	}
	members := func(id int64, name string, before, after []string) attributes {
		return resourceChange("zulip_user_group", attributes{"id": id, "name": name, "members": before}, attributes{"id": id, "name": name, "members": after})
	}
	group := func(f *firm, name string) string {
		return fmt.Sprintf("%d", f.SystemGroup(f.t, name))
	}
	const ada, mel, otto, gus = "ada@example.com", "mel@example.com", "otto@example.com", "gus@example.com"
	for name, test := range map[string]struct {
		plan func(f *firm) (channel int64, changes []attributes)
		want map[string]string
	}{
		"role of a new owner": {func(f *firm) (int64, []attributes) {
			mods := f.channel("mods", map[string]string{post: group(f, "role:moderators")})
			return mods, []attributes{becomes(f.mel, "member", "moderator"), moved(bot(f, &f.ada), "ada", "mel")}
		}, map[string]string{post: "the role of mel@example.com", topic: "the role of mel@example.com"}},
		"role of a new owner, and the bot": {func(f *firm) (int64, []attributes) {
			mods := f.channel("mods", map[string]string{post: group(f, "role:moderators")})
			gus := f.id("gus")
			return mods, []attributes{becomes(f.mel, "member", "moderator"), moved(bot(f, &gus), "gus", "mel")}
		}, map[string]string{post: "the owner of deploy-bot@zulip.example.com and the role of mel@example.com"}},
		"old owner leaves a group": {func(f *firm) (int64, []attributes) {
			team := f.group("team", f.mel, f.ada)
			channel := f.channel("a", map[string]string{post: fmt.Sprint(team)})
			return channel, []attributes{members(team, "team", []string{ada, mel}, []string{ada}), moved(bot(f, &f.mel), "mel", "otto")}
		}, map[string]string{post: "group:team and the owner of deploy-bot@zulip.example.com", topic: "group:team and the owner of deploy-bot@zulip.example.com"}},
		"a bot of someone else": {func(f *firm) (int64, []attributes) {
			team := f.group("team", f.mel, f.ada)
			channel := f.channel("a", map[string]string{post: fmt.Sprint(team)})
			return channel, []attributes{members(team, "team", []string{ada, mel}, []string{ada}), moved(bot(f, &f.otto), "otto", "olga")}
		}, map[string]string{post: "group:team", topic: "group:team"}},
		"another subgroup": {func(f *firm) (int64, []attributes) {
			emea, apac := f.group("sales-emea", f.mel, f.otto), f.group("sales-apac", f.ada)
			sales := f.group("sales")
			f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", sales), map[string]string{"add": fmt.Sprintf("[%d,%d]", apac, emea)})
			channel := f.channel("sales-emea", map[string]string{post: fmt.Sprint(sales)})
			return channel, []attributes{members(emea, "sales-emea", []string{mel, otto}, []string{}), members(apac, "sales-apac", []string{ada}, []string{ada, gus})}
		}, map[string]string{post: "group:sales > group:sales-emea"}},
		"another group": {func(f *firm) (int64, []attributes) {
			emea, apac := f.group("sales-emea", f.mel, f.otto), f.group("sales-apac", f.ada)
			channel := f.channel("sales-emea", map[string]string{post: fmt.Sprintf(`{"direct_members":[],"direct_subgroups":[%d,%d]}`, apac, emea)})
			return channel, []attributes{members(emea, "sales-emea", []string{mel, otto}, []string{}), members(apac, "sales-apac", []string{ada}, []string{})}
		}, map[string]string{post: "group:sales-apac and group:sales-emea"}},
		"a group that others join": {func(f *firm) (int64, []attributes) {
			emea, apac := f.group("sales-emea", f.mel, f.otto), f.group("sales-apac", f.ada)
			channel := f.channel("sales-emea", map[string]string{post: fmt.Sprint(emea)})
			return channel, []attributes{members(emea, "sales-emea", []string{mel, otto}, []string{}), members(apac, "sales-apac", []string{ada}, []string{ada, mel, otto})}
		}, map[string]string{post: "group:sales-emea"}},
		"subscriber, and another permission": {func(f *firm) (int64, []attributes) {
			return f.board, []attributes{
				resourceChange("zulip_channel_subscribers", attributes{"channel_id": f.board, "channel": "board", "users": []string{ada}}, attributes{"channel_id": f.board, "channel": "board", "users": []string{ada, mel}}),
				resourceChange("zulip_channel", attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"group:directors"}}, attributes{"id": f.board, "name": "board", "can_subscribe_group": []string{"role:owners"}}),
			}
		}, map[string]string{read: "changed subscriptions and can_subscribe_group"}},
		"subscriber with another role": {func(f *firm) (int64, []attributes) {
			channel := f.channel("mods", map[string]string{post: group(f, "role:moderators")})
			return channel, []attributes{
				becomes(f.mel, "member", "moderator"),
				resourceChange("zulip_channel_subscribers", attributes{"channel_id": channel, "channel": "mods", "users": []string{"olga@example.com"}}, attributes{"channel_id": channel, "channel": "mods", "users": []string{"olga@example.com", mel}}),
			}
		}, map[string]string{post: "the role of mel@example.com"}},
		"owner with another role": {func(f *firm) (int64, []attributes) {
			channel := f.channel("mods", map[string]string{post: group(f, "role:moderators")})
			return channel, []attributes{becomes(f.mel, "member", "guest"), moved(bot(f, &f.mel), "mel", "ada")}
		}, map[string]string{post: "the owner of deploy-bot@zulip.example.com"}},
		"the last one deactivated": {func(f *firm) (int64, []attributes) {
			channel := f.channel("secret", map[string]string{"invite_only": "true", "subscribers": fmt.Sprintf("[%d]", f.mel)})
			return channel, []attributes{
				resourceChange("zulip_user", attributes{"id": f.mel, "email": mel, "full_name": "Mel", "active": true}, attributes{"id": f.mel, "email": mel, "full_name": "Mel", "active": false}),
				becomes(f.ada, "administrator", "moderator"), becomes(f.otto, "owner", "administrator"),
				resourceChange("zulip_user", attributes{"id": f.id("gus"), "email": gus, "full_name": "Gus", "active": true}, attributes{"id": f.id("gus"), "email": gus, "full_name": "Gus", "active": false}),
			}
		}, map[string]string{read: "the deactivation of mel@example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			channel, changes := test.plan(f)
			found := f.reviewed("", changes...)
			causes := causesIn(found, channel)
			for permission, want := range test.want {
				if got, has := causes[permission]; !has || got != want {
					t.Errorf("%s: %q, want %q in %q", permission, got, want, causes)
				}
			}
			if t.Failed() {
				t.Log(markdownOf(t, found))
			}
		})
	}
}
