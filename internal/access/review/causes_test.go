package review_test

import (
	"fmt"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
)

// A consequence is listed with the change that has it alone. Another group, which changes in every plan here, is never named.
func TestReviewConsequences_OneCause_Grouped(t *testing.T) {
	const post, read, join, several = "can_send_message_group", "can_read", "can_subscribe_group", ""
	member := func(name string) string { return fmt.Sprintf("the changed members of user group %q", name) }
	for name, test := range map[string]struct {
		plan func(f *firm) (channel int64, changes []attributes)
		want map[string]string
	}{
		"group": {func(f *firm) (int64, []attributes) {
			return f.board, []attributes{f.joins("directors", f.directors, "ada", "otto")}
		}, map[string]string{read: member("directors"), join: member("directors")}},
		"subgroup": {func(f *firm) (int64, []attributes) {
			below := f.group("deputies")
			f.Call(f.t, "POST", fmt.Sprintf("/user_groups/%d/subgroups", f.directors), map[string]string{"add": fmt.Sprintf("[%d]", below)})
			return f.board, []attributes{f.joins("deputies", below, "otto")}
		}, map[string]string{read: member("deputies"), join: member("deputies")}},
		"permission of the organization": {func(f *firm) (int64, []attributes) {
			return f.hall, []attributes{resourceChange("zulip_organization", attributes{"can_delete_any_message_group": []string{"role:administrators"}},
				attributes{"can_delete_any_message_group": []string{"role:moderators", "user:mel@example.com"}})}
		}, map[string]string{"can_delete_any_message_group": "the organization's can_delete_any_message_group"}},
		"role": {func(f *firm) (int64, []attributes) {
			return f.lobby, []attributes{resourceChange("zulip_user_role", nil, attributes{"user_id": f.mel, "user": "mel@example.com", "role": "administrator"})}
		}, map[string]string{"can_administer_channel_group": "the new role of mel@example.com"}},
		"owner of a bot": {func(f *firm) (int64, []attributes) {
			id := int64(f.Call(f.t, "POST", "/bots", map[string]string{"short_name": "deploy", "full_name": "Deploy"})["user_id"].(float64))
			channel := f.channel("ada's", map[string]string{post: fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, f.ada)})
			return channel, []attributes{resourceChange("zulip_bot", attributes{"id": id, "full_name": "Deploy", "owner": "olga@example.com"}, attributes{"id": id, "full_name": "Deploy", "owner": "ada@example.com"})}
		}, map[string]string{post: "the new owner of deploy-bot@zulip.example.com"}},
		"privacy": {func(f *firm) (int64, []attributes) {
			return f.board, []attributes{resourceChange("zulip_channel", attributes{"id": f.board, "name": "board", "privacy": "private_shared_history"}, attributes{"id": f.board, "name": "board", "privacy": "public"})}
		}, map[string]string{join: report.OwnChange}},
		"two groups": {func(f *firm) (int64, []attributes) {
			press := f.group("press", f.ada)
			channel := f.channel("news", map[string]string{post: fmt.Sprintf(`{"direct_members":[],"direct_subgroups":[%d,%d]}`, f.directors, press)})
			return channel, []attributes{f.joins("directors", f.directors, "ada", "otto"), f.joins("press", press, "ada", "mel")}
		}, map[string]string{post: several}},
		"role and subscription": {func(f *firm) (int64, []attributes) {
			channel := f.channel("mods", map[string]string{"invite_only": "true", "history_public_to_subscribers": "true", post: fmt.Sprint(f.SystemGroup(f.t, "role:moderators"))})
			return channel, []attributes{
				resourceChange("zulip_user_role", nil, attributes{"user_id": f.mel, "user": "mel@example.com", "role": "moderator"}),
				resourceChange("zulip_channel_subscription", nil, attributes{"channel_id": channel, "channel": "mods", "users": []string{"mel@example.com"}}),
			}
		}, map[string]string{post: several, read: report.OwnChange}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFirm(t)
			channel, changes := test.plan(f)
			found := f.reviewed("", append(changes, f.joins("advisers", f.advisers, "mel", "gus"))...)
			causes := map[string]string{}
			for _, one := range found.Channels {
				for _, permission := range one.Permissions {
					if one.ID == channel {
						causes[permission.Name] = permission.FollowsFrom
					}
				}
			}
			for permission, want := range test.want {
				if got, has := causes[permission]; !has || got != want {
					t.Errorf("%s: %q, want %q in %q\n%s", permission, got, want, causes, markdownOf(t, found))
				}
			}
		})
	}
}

// A consequence of one change is one line for all objects with it, also if they differ otherwise. So are accounts with the same
// change.
func TestReviewMarkdown_SameChange_OneLine(t *testing.T) {
	f := newFirm(t)
	newcomer := func(email string) attributes {
		return resourceChange("zulip_user", nil, attributes{"email": email, "full_name": email, "role": "member"})
	}
	expectText(t, markdownOf(t, f.reviewed("",
		resourceChange("zulip_user_role", nil, attributes{"user_id": f.id("gus"), "user": "gus@example.com", "role": "member"}),
		resourceChange("zulip_user_group", attributes{"id": f.advisers, "name": "advisers"}, attributes{"id": f.advisers, "name": "advice"}),
		newcomer("nia@example.com"), newcomer("noor@example.com"),
	)), "| group `advice` (was `advisers`), group `directors` | leave the group | `Gus` (guest) | – |",
		"\n| `nia@example.com` (new), `noor@example.com` (new) | new, role `member` | – | – |\n", "`gus@example.com`. The role changes from guest to member.")
}

// Two channels in which the same person gains the same are one line only if the cause is the same too.
func TestReviewConsequences_OtherCauses_NotMerged(t *testing.T) {
	f := newFirm(t)
	press := f.group("press", f.ada)
	for name, group := range map[string]int64{"a": f.directors, "b": press, "c": press} {
		f.channel(name, map[string]string{"can_send_message_group": fmt.Sprint(group)})
	}
	found := f.reviewed("", f.joins("directors", f.directors, "ada", "mel"), f.joins("press", press, "ada", "mel"))
	expectText(t, markdownOf(t, found), "| `#a` | post and start topics | `Mel` | – |", "| `#b`, `#c` | post and start topics | `Mel` | – |")
}

// joins sets the members of a group, of which all but the last are members before.
func (f *firm) joins(name string, id int64, members ...string) attributes {
	var emails []string
	for _, member := range members {
		emails = append(emails, member+"@example.com")
	}
	address := resourceChange("zulip_user_group", attributes{"id": id, "name": name, "members": emails[:len(emails)-1]}, attributes{"id": id, "name": name, "members": emails})
	address["address"] = "zulip_user_group." + name
	return address
}
