package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// crowded is an organization with two guests, two bots, a group that nobody is in, and channels in which the members of
// this group alone can post. One guest is in all of them, the other in every second; the bots take turns.
func crowded(t *testing.T, channels int) (o *acctest.Organization, group int64, ids []int64) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": {Email: "owner@example.com", FullName: "Olga", Role: 100},
		"grace": {Email: "grace@example.com", FullName: "Grace", Role: 600},
		"paul":  {Email: "paul@example.com", FullName: "Paul", Role: 600},
		"bot0":  {Email: "zero-bot@example.com", FullName: "Zero", Role: 400, IsBot: true},
		"bot1":  {Email: "one-bot@example.com", FullName: "One", Role: 400, IsBot: true},
	}})
	id := func(account string) int64 {
		credentials, _ := o.Sandbox.Credentials(account)
		return int64(credentials.ID)
	}
	made, _ := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "partners", "description": "", "members": "[]"})["group_id"].(float64)
	group = int64(made)
	for i := range channels {
		bot := id(fmt.Sprint("bot", i%2))
		in := []int64{id("grace"), bot}
		if i%2 == 1 {
			in = append(in, id("paul"))
		}
		answer := o.Call(t, "POST", "/channels/create", map[string]string{
			"name": fmt.Sprint("room ", i), "subscribers": strings.ReplaceAll(fmt.Sprint(in), " ", ","), "invite_only": "true",
			"can_send_message_group": fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, bot, group),
		})
		channel, _ := answer["id"].(float64)
		ids = append(ids, int64(channel))
	}
	return o, group, ids
}

// One change of a group has the same consequence in many channels: that is one thing to look at, and is counted as one.
func TestReviewCountsWhatThereIsToDecide(t *testing.T) {
	o, group, _ := crowded(t, 40)
	members := func(addresses ...string) attributes {
		return attributes{"id": group, "name": "partners", "members": addresses}
	}
	found := reviewOf(t, o, planOf(t, resourceChange("zulip_user_group", members(), members("grace@example.com", "paul@example.com"))))
	if len(found.Risks) != 40 {
		t.Errorf("%d channels are at risk", len(found.Risks))
	}
	if want := "Two accounts gain a right; one risk."; found.Verdict.Text != want {
		t.Errorf("%s\nwant: %s", found.Verdict.Text, want)
	}
	expectText(t, markdownOf(t, found), "- `external`: channel \"room 0\", channel \"room 10\", channel \"room 12\", channel \"room 14\", channel \"room 16\" and 35 more (list 1). 1 to 2 guests can post and start topics.")
	var text strings.Builder
	if err := page.Write(&text, found); err != nil {
		t.Fatal(err)
	}
	expectText(t, text.String(), `and 35 more</p><p><bdi>1 to 2 guests can post and start topics.</bdi>`, `<summary>The other 35</summary><p><bdi>channel &#34;room 18&#34;</bdi></p>`)

	found = reviewOf(t, o, planOf(t, resourceChange("zulip_user_group", members(), members("grace@example.com"))))
	if want := "One account gains two rights; one risk."; found.Verdict.Text != want {
		t.Errorf("%s\nwant: %s", found.Verdict.Text, want)
	}
}

// Bots that can no longer post are one thing to look at, whichever they are, and all are named.
func TestReviewGathersBotsThatCanNoLongerPost(t *testing.T) {
	o, group, ids := crowded(t, 4)
	changes := []attributes{}
	for i, id := range ids {
		bot := []string{"zero-bot@example.com", "one-bot@example.com"}[i%2]
		change := resourceChange("zulip_channel",
			attributes{"id": id, "name": fmt.Sprint("room ", i), "can_send_message_group": []string{"user:" + bot, fmt.Sprint("group_id:", group)}},
			attributes{"id": id, "name": fmt.Sprint("room ", i), "can_send_message_group": []string{fmt.Sprint("group_id:", group)}})
		change["address"] = fmt.Sprintf("zulip_channel.x[%d]", i)
		changes = append(changes, change)
	}
	found := reviewOf(t, o, planOf(t, changes...))
	expectText(t, markdownOf(t, found), `channel "room 0", channel "room 2", channel "room 1", channel "room 3". 2 bots can no longer post: Zero, One.`)
	if !strings.HasPrefix(found.Verdict.Text, "Two accounts lose a right; ") || len(found.Findings()) > 2 {
		t.Errorf("%s %+v", found.Verdict.Text, found.Findings())
	}
	one := reviewOf(t, o, planOf(t, changes[0]))
	if !strings.HasPrefix(one.Verdict.Text, "One account loses two rights; ") {
		t.Error(one.Verdict.Text)
	}
}
