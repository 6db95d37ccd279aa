package review_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/page"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// many is an organization with a number of people, and a plan that changes a number of channels.
func many(t testing.TB, people, channels int) (server *sandbox.Server, dir *store.Store, plan string) {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "Owner", Role: int(zulip.RoleOwner)}}
	for i := range people {
		accounts[fmt.Sprint("m", i)] = sandbox.Account{Email: fmt.Sprintf("m%d@example.com", i), FullName: fmt.Sprint("Member ", i), Role: int(zulip.RoleMember)}
	}
	server, err := sandbox.New(sandbox.Config{Accounts: accounts})
	acctest.NoError(t, err)
	acctest.NoError(t, server.Start("127.0.0.1:0"))
	t.Cleanup(func() { _ = server.Close() })
	owner, _ := server.Credentials("owner")
	client, err := zulip.New(zulip.Config{Site: server.URL(), Email: owner.Email, APIKey: owner.APIKey})
	acctest.NoError(t, err)
	self, err := client.Me(context.Background())
	acctest.NoError(t, err)
	changes := []attributes{}
	for i := range channels {
		name := fmt.Sprint("room ", i)
		id, _, err := client.CreateChannel(context.Background(), zulip.ChannelCreate{Name: name})
		acctest.NoError(t, err)
		// Each channel loses its own people, so that no two are equal.
		posters := []string{"role:administrators", fmt.Sprintf("user:m%d@example.com", i)}
		change := resourceChange("zulip_channel", attributes{"id": id, "name": name, "can_send_message_group": []string{"role:everyone"}},
			attributes{"id": id, "name": name, "can_send_message_group": posters})
		change["address"] = fmt.Sprintf("zulip_channel.x[%d]", i)
		changes = append(changes, change)
	}
	return server, store.New(client, self, 0, new(runstate.State)), planOf(t, changes...)
}

// A review of hundreds of channels and 1,000 people takes one snapshot. Its comment is short enough and says what it leaves
// out. With ZULIP_TEST_ALL=1 there are 5,000 people.
func TestProtocolReview_LargePlan_OneSnapshot(t *testing.T) {
	people, channels := 1000, 250
	if os.Getenv("ZULIP_TEST_ALL") == "1" {
		people, channels = 5000, 1000
	}
	server, dir, plan := many(t, people, channels)
	before := len(server.Journal().Requests(sandbox.Filter{}))
	found := mustReview(t, plan, review.Options{Store: dir})
	requests := server.Journal().Requests(sandbox.Filter{})[before:]
	if len(requests) != 2 || requests[0].Path != "/register" {
		t.Errorf("the review sent %d requests, the first to %s", len(requests), requests[0].Path)
	}
	if len(found.Channels) != channels {
		t.Fatalf("the review has %d channels", len(found.Channels))
	}
	for _, channel := range found.Channels {
		if permission := channel.Permissions[0]; permission.Name != "can_send_message_group" || permission.Lose.Len() != people-1 {
			t.Fatalf("in %s %d lose %s", channel.Name, permission.Lose.Len(), permission.Name)
		}
	}
	text := markdownOf(t, found)
	if len(text) >= markdown.MaxLength || len(text) < markdown.MaxLength/2 {
		t.Errorf("the Markdown has %d bytes", len(text))
	}
	expectText(t, text, "lines are left out", report.Counted(people, "account")+" lose access", "`#room 0`")
}

func BenchmarkReview_LargePlan(b *testing.B) {
	_, dir, plan := many(b, 5000, 1000)
	for b.Loop() {
		dir.Invalidate(store.Channels, store.Users, store.UserGroups, store.Organization, store.Subscribers)
		markdownOf(b, mustReview(b, plan, review.Options{Store: dir}))
	}
}

// The time of a review grows linearly with the channels of the plan and the people of the organization. It includes reading
// the organization and writing Markdown.
func TestProtocolReview_LargePlan_Linear(t *testing.T) {
	for name, sizes := range map[string]func(number int) (people, channels int){
		"channels": func(number int) (people, channels int) { return 300, number },
		"people":   func(number int) (people, channels int) { return number, 50 },
	} {
		t.Run(name, func(t *testing.T) {
			acctest.ExpectLinear(t, 60, func(number int) func() {
				people, channels := sizes(number)
				_, dir, plan := many(t, people, channels)
				return func() {
					dir.Invalidate(store.Channels, store.Users, store.UserGroups, store.Organization, store.Subscribers)
					markdownOf(t, mustReview(t, plan, review.Options{Store: dir}))
				}
			})
		})
	}
}

// hostilePlan is a plan with names of this length, longer than servers accept.
func hostilePlan(t *testing.T, length int) string {
	t.Helper()
	long := func(name string) string { return name + strings.Repeat("n", length) }
	var changes []attributes
	add := func(kind string, before, after attributes) {
		change := resourceChange(kind, before, after)
		change["address"] = fmt.Sprintf("%s.x[%q]", kind, long(fmt.Sprint(len(changes))))
		changes = append(changes, change)
	}
	for i := range 20 {
		add("zulip_user", nil, attributes{"email": long(fmt.Sprint("user", i)) + "@example.com", "full_name": long(fmt.Sprint("User ", i)), "role": long("member")})
		add("zulip_user_group", nil, attributes{
			"name": long(fmt.Sprint("group", i)), "members": []string{"ines.moreau@example.com", long(fmt.Sprint("user", i)) + "@example.com"},
			"subgroups": []string{long(fmt.Sprint("group", i+1))}, "can_manage_group": []string{"group:" + long(fmt.Sprint("group", i))},
		})
		add("zulip_channel", nil, attributes{
			"name": long(fmt.Sprint("channel", i)), "privacy": long("private"), "topics_policy": long("inherit"),
			"can_send_message_group": []string{"group:" + long(fmt.Sprint("group", i)), "user:" + long(fmt.Sprint("user", i)) + "@example.com"}, "can_administer_channel_group": []string{long("role:")},
			"can_subscribe_group": []any{map[string]any{"x": long("")}},
		})
		add("zulip_channel_subscribers", nil, attributes{"channel": long(fmt.Sprint("channel", i)), "users": []string{long(fmt.Sprint("user", i)) + "@example.com"}})
		add("zulip_bot", nil, attributes{"short_name": long(fmt.Sprint("bot", i)), "full_name": long(fmt.Sprint("Bot ", i)), "owner": long(fmt.Sprint("user", i)) + "@example.com"})
	}
	add("zulip_organization", attributes{"can_create_groups": []string{"role:members"}}, attributes{"can_create_groups": []string{"group:" + long("group0")}})
	return planOf(t, changes...)
}

// Names longer than servers accept don't make a page or a comment large: they are cut to that length.
func TestReview_GiganticNames_Truncated(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	const gigantic = 5_000
	for what, run := range map[string]func(text string) *report.Report{
		"with the organization": func(text string) *report.Report { return reviewOf(t, o, text) },
		"offline":               func(text string) *report.Report { return mustReview(t, text, review.Options{}) },
	} {
		found := run(hostilePlan(t, gigantic))
		var text strings.Builder
		acctest.NoError(t, page.Write(&text, found))
		if size := text.Len(); size > 1_500_000 {
			t.Errorf("%s: the page has %d bytes", what, size)
		}
		if strings.Contains(text.String(), strings.Repeat("n", 400)) {
			t.Errorf("%s: a name stands in the page that is not cut", what)
		}
		if found.Offline {
			if len(found.Also) < 80 {
				t.Errorf("%s: the review has %d changes", what, len(found.Also))
			}
			continue
		}
		if !strings.Contains(text.String(), strings.Repeat("n", 60-len("channel0"))+"…") {
			t.Errorf("%s: the name of a channel is not cut at 60 characters", what)
		}
		if len(found.Channels) < 20 || len(found.Groups) < 20 || len(found.People) < 40 {
			t.Errorf("%s: the review has %d channels, %d groups and %d people", what, len(found.Channels), len(found.Groups), len(found.People))
		}
	}
}

// crowded is an organization with two guests, two bots, an empty group, and channels in which only its members can post. One
// guest is in all channels, the other in every second. The bots take turns.
func crowded(t *testing.T, channels int) (o *acctest.Organization, group int64, ids []int64) {
	t.Helper()
	o = acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": {Email: "owner@example.com", FullName: "Olga", Role: 100},
		"grace": {Email: "grace@example.com", FullName: "Grace", Role: 600},
		"paul":  {Email: "paul@example.com", FullName: "Paul", Role: 600},
		"bot0":  {Email: "zero-bot@example.com", FullName: "Zero", Role: 400, IsBot: true},
		"bot1":  {Email: "one-bot@example.com", FullName: "One", Role: 400, IsBot: true},
	}})
	made, _ := o.Call(t, "POST", "/user_groups/create", map[string]string{"name": "partners", "description": "", "members": "[]"})["group_id"].(float64)
	group = int64(made)
	for i := range channels {
		bot := id(t, o, fmt.Sprint("bot", i%2))
		in := []int64{id(t, o, "grace"), bot}
		if i%2 == 1 {
			in = append(in, id(t, o, "paul"))
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

// A change of one group with the same effect in many channels is one risk, and is counted as one.
func TestReview_SameConsequence_CountedOnce(t *testing.T) {
	o, group, _ := crowded(t, 40)
	members := func(addresses ...string) attributes {
		return attributes{"id": group, "name": "partners", "members": addresses}
	}
	found := reviewOf(t, o, planOf(t, resourceChange("zulip_user_group", members(), members("grace@example.com", "paul@example.com"))))
	if len(found.Risks) != 40 {
		t.Errorf("%d channels are at risk", len(found.Risks))
	}
	if want := "2 accounts gain access; 1 risk."; found.Summary.Text != want {
		t.Errorf("%s\nwant: %s", found.Summary.Text, want)
	}
	expectText(t, markdownOf(t, found), "- `external`: channel \"room 0\", channel \"room 10\", channel \"room 12\", channel \"room 14\", channel \"room 16\" and 35 more (list 1). 1 to 2 guests can post and start topics.")
	var text strings.Builder
	acctest.NoError(t, page.Write(&text, found))
	expectText(t, text.String(), `and 35 more</p><p><bdi>1 to 2 guests can post and start topics.</bdi>`, `<summary>Show 35 more</summary><p><bdi>channel &#34;room 18&#34;</bdi></p>`)

	found = reviewOf(t, o, planOf(t, resourceChange("zulip_user_group", members(), members("grace@example.com"))))
	if want := "1 account gains access; 1 risk."; found.Summary.Text != want {
		t.Errorf("%s\nwant: %s", found.Summary.Text, want)
	}
}

// Bots that can no longer post are one risk, which names them all.
func TestReviewBots_PostingLost_OneFinding(t *testing.T) {
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
	if !strings.HasPrefix(found.Summary.Text, "2 accounts lose access; ") || len(found.Findings()) > 2 {
		t.Errorf("%s %+v", found.Summary.Text, found.Findings())
	}
	one := reviewOf(t, o, planOf(t, changes[0]))
	if !strings.HasPrefix(one.Summary.Text, "1 account loses access; ") {
		t.Error(one.Summary.Text)
	}
}
