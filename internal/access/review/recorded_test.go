package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// savedPlans are the cases of TestAccReviewOfRealPlans with a plan of OpenTofu too. With TF_ACC_TERRAFORM_PATH, that CLI
// makes them again.
var savedPlans = []string{"permission", "drift", "referenced", "new-channel", "membership", "role", "organization", "imported"}

// savedOrganization is the organization that a saved plan was made for.
func savedOrganization(t *testing.T, name string) *acctest.Organization {
	t.Helper()
	o := acctest.StartSandbox(t, sandbox.Config{})
	create := zulip.ChannelCreate{Name: "releases"}
	switch name {
	case "by-site":
		for _, channel := range []string{"releases", "fixed"} {
			create.Name = channel
			create.Permissions = map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}
			if _, _, err := o.Client.CreateChannel(context.Background(), create); err != nil {
				t.Fatal(err)
			}
		}
		return o
	case "permission":
		paul, _ := o.Sandbox.Credentials("guest")
		create.Subscribers = []int64{int64(paul.ID)}
		create.Permissions = map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:moderators"))}
	case "drift":
		create.Permissions = map[string]zulip.GroupSettingValue{"can_send_message_group": zulip.NamedGroup(o.SystemGroup(t, "role:everyone"))}
	default:
		return o
	}
	if _, _, err := o.Client.CreateChannel(context.Background(), create); err != nil {
		t.Fatal(err)
	}
	return o
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	acctest.NoError(t, err)
	return string(text)
}

// The review of a change is the same for a plan of Terraform and a plan of OpenTofu.
func TestReviewSavedPlan_BothTools_Same(t *testing.T) {
	for _, name := range savedPlans {
		for _, made := range []string{"", "tofu-"} {
			t.Run(made+name, func(t *testing.T) {
				found := reviewOf(t, savedOrganization(t, name), readFile(t, made+name+".plan.json"))
				if got, want := markdownOf(t, found), readFile(t, name+".md"); got != want {
					t.Errorf("the review is\n%s\nwanted\n%s", got, want)
				}
			})
		}
	}
}

// Additions of later versions of the tools are ignored. Another format is refused.
func TestReviewOfOtherFormatVersions(t *testing.T) {
	for _, name := range []string{"permission", "tofu-permission"} {
		text := readFile(t, name+".plan.json")
		later := strings.Replace(text, `"format_version":"1.2"`, `"format_version":"1.99","novelty":{"resource_changes":[1]}`, 1)
		if later == text {
			t.Fatalf("%s has another format version than 1.2", name)
		}
		if got, want := markdownOf(t, reviewOf(t, savedOrganization(t, "permission"), later)), readFile(t, "permission.md"); got != want {
			t.Errorf("%s: the review is\n%s\nwanted\n%s", name, got, want)
		}
		for _, version := range []string{"0.2", "2.0", "10.1", "1"} {
			other := strings.Replace(text, `"format_version":"1.2"`, `"format_version":"`+version+`"`, 1)
			if _, err := plan.Parse([]byte(other)); err == nil || !strings.Contains(err.Error(), "this review reads 1.x") {
				t.Errorf("%s of format version %s: %v", name, version, err)
			}
		}
	}
}

// The registry or mirror of the provider makes no difference.
func TestReviewProvider_OtherRegistry_Same(t *testing.T) {
	text := readFile(t, "permission.plan.json")
	const address = "registry.example.com/zulip-iac/zulip"
	for _, other := range []string{"other.example.com/zulip-iac/zulip", "terraform.example.com/zulip-iac/zulip", "terraform.example.com/mirror/zulip"} {
		found := reviewOf(t, savedOrganization(t, "permission"), strings.ReplaceAll(text, address, other))
		if got, want := markdownOf(t, found), readFile(t, "permission.md"); got != want || !strings.Contains(text, address) {
			t.Errorf("%s: the review is\n%s\nwanted\n%s", other, got, want)
		}
	}
}

// An OpenTofu plan in JSON does not have a resource's instance of a provider configuration with for_each. The review then
// looks up nothing in one of the organizations.
//
// The plan is of tofu-by-site.tf, which has a channel with the same ID and name in two organizations. If all instances name
// one site, they are of one organization.
func TestReviewOfProviderInstances(t *testing.T) {
	const site = "http://127.0.0.1:9871"
	o, text := savedOrganization(t, "by-site"), readFile(t, "tofu-by-site.plan.json")
	reviewed := func(text, provider, site string) (*report.Report, error) {
		return tryReview(t, text, review.Options{Provider: provider, Site: site, Store: readOf(o)})
	}
	found, err := reviewed(text, "zulip.by_site", site)
	acctest.NoError(t, err)
	findings := found.Findings()
	if len(found.Channels) != 0 || len(findings) != 1 || !slices.Equal(found.Summary.Conditions, []report.Condition{report.Unknown}) {
		t.Fatalf("of instances that are not told apart it says\n%s", markdownOf(t, found))
	}
	if got := strings.Join(findings[0].Where, " "); got != "zulip_channel.elsewhere zulip_channel.here" {
		t.Errorf("not known is what these change: %s", got)
	}
	expectText(t, markdownOf(t, found), "which instance of the provider configuration", "- `zulip_channel.elsewhere`: `can_send_message_group`: `role:moderators` → `role:members`", "- `zulip_channel.here`: ")

	found, err = reviewed(text, "zulip.fixed", site)
	if err != nil || len(found.Channels) != 1 || found.Channels[0].Name != "fixed" || found.Others != 2 || len(found.Findings()) != 0 {
		t.Errorf("of instances of one site: %v, %+v", err, found)
	}
	for provider, want := range map[string]string{
		"":                   "(zulip.by_site, zulip.fixed)",
		"zulip.fixed":        "the plan is for " + site,
		`zulip.by_site["x"]`: "doesn't distinguish the instances of zulip.by_site",
	} {
		if _, err := reviewed(text, provider, "https://other.example.com"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("as %q: %v", provider, err)
		}
	}

	// A resource that the configuration no longer has may be of any provider configuration, also of an unchanged one.
	gone := strings.ReplaceAll(text, `"address":"zulip_channel.fixed","mode":"managed","type":"zulip_channel","name":"fixed","provider_config_key"`, `"address":"zulip_channel.other","provider_config_key"`)
	if found, err = reviewed(gone, "zulip.by_site", site); err != nil || gone == text || len(found.Channels) != 0 || len(found.Unknown) != 1 {
		t.Errorf("of a resource that the configuration has no more: %v, %+v", err, found)
	}
}

// missed is an account that gained or lost access on a real server at feature level 442, unlike in the review of the change.
type missed struct {
	Miss       string                       `json:"miss"` // "review"
	Change     []any                        `json:"change"`
	Permission permission.ChannelPermission `json:"permission"`
	Who        string                       `json:"who"`
	Role       []any                        `json:"role"`
	Said       any                          `json:"said"`
	Real       any                          `json:"real"`
	Can        []bool                       `json:"access_said"` // before and after
	Could      []bool                       `json:"access_real"`
	Words      any                          `json:"words"`
	Privacy    string                       `json:"privacy"`
}

func (m *missed) isWebhook() bool {
	return strings.Contains(fmt.Sprint(m.Words), "incoming webhook bots")
}

// isAlreadyIn reports whether the request to unsubscribe the account from the archived channel failed before it tried to
// join. The server's answer about its subscription is success.
func (m *missed) isAlreadyIn() bool {
	return m.Change[0] == "archive" && m.Permission == permission.CanSubscribe && !m.isWebhook()
}

// isTakenOut reports whether the account tried to join the archived channel and was then unsubscribed, and no one could
// subscribe it again. It lost access by that.
func (m *missed) isTakenOut() bool {
	return m.Change[0] == "archive" && slices.Contains([]permission.ChannelPermission{permission.CanAddSubscribers, permission.CanRemoveSubscribers}, m.Permission)
}

// scene is a new organization in which such a change is planned again.
type scene struct {
	t       *testing.T
	o       *acctest.Organization
	row     *missed
	who     int64
	address string
	channel int64
	group   int64
}

func newScene(t *testing.T, row *missed) *scene {
	t.Helper()
	role := map[string]int{"owner": 100, "administrator": 200, "moderator": 300, "member": 400, "guest": 600}[fmt.Sprint(row.Role[0])]
	s := &scene{t: t, row: row, address: "who@example.com"}
	s.o = acctest.StartSandbox(t, sandbox.Config{Accounts: map[string]sandbox.Account{
		"owner": {Email: "owner@example.com", FullName: "Olga", Role: 100},
		"other": {Email: "other@example.com", FullName: "Otto", Role: 400},
		"who":   {Email: s.address, FullName: "Who", Role: role},
	}})
	who, _ := s.o.Sandbox.Credentials("who")
	s.who = int64(who.ID)
	if row.isWebhook() {
		bot := s.o.Call(t, "POST", "/bots", map[string]string{"full_name": "Hook", "short_name": "hook", "bot_type": "2"})
		s.who, s.address = int64(bot["user_id"].(float64)), "hook-bot@zulip.example.com"
	}
	s.realm("enable_spectator_access", "true")
	for _, setting := range []string{
		"can_move_messages_between_channels_group", "can_move_messages_between_topics_group", "can_delete_any_message_group",
		"can_delete_own_message_group", "can_resolve_topics_group", "can_add_subscribers_group",
	} {
		s.realm(setting, fmt.Sprintf(`{"new":%d}`, s.o.SystemGroup(t, "role:nobody")))
	}
	return s
}

func (s *scene) realm(setting, value string) {
	s.t.Helper()
	s.o.Call(s.t, "PATCH", "/realm", map[string]string{setting: value})
}

func (s *scene) make(privacy string, subscribers ...int64) {
	s.t.Helper()
	list, err := json.Marshal(append(subscribers, s.o.Self.ID))
	if err != nil {
		s.t.Fatal(err)
	}
	answer := s.o.Call(s.t, "POST", "/channels/create", map[string]string{
		"name": "c", "subscribers": string(list), "invite_only": fmt.Sprint(strings.HasPrefix(privacy, "private")),
		"is_web_public": fmt.Sprint(privacy == "web_public"), "history_public_to_subscribers": fmt.Sprint(privacy != "private_protected_history"),
	})
	s.channel = int64(answer["id"].(float64))
	if privacy != "public" && privacy != "web_public" {
		return
	}
	s.permit(string(permission.CanAdministerChannel), "")
}

// permit gives a permission of the channel to a principal; "" is nobody.
func (s *scene) permit(setting, value string) {
	s.t.Helper()
	if value == "" {
		value = fmt.Sprint(s.o.SystemGroup(s.t, "role:nobody"))
	}
	s.o.Call(s.t, "PATCH", fmt.Sprintf("/streams/%d", s.channel), map[string]string{setting: fmt.Sprintf(`{"new":%s}`, value)})
}

func (s *scene) named() string {
	return fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, s.who)
}

func (s *scene) role(name string) string { return fmt.Sprint(s.o.SystemGroup(s.t, "role:"+name)) }

func (s *scene) channelChange(before, after attributes) attributes {
	base := func(more attributes) attributes {
		if more == nil {
			return nil
		}
		all := attributes{"id": s.channel, "name": "c"}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	return resourceChange("zulip_channel", base(before), base(after))
}

// plan creates the situation before the change, and returns the changes.
func (s *scene) plan() []attributes {
	s.t.Helper()
	permission := string(s.row.Permission)
	switch s.row.Change[0] {
	case "permissions":
		s.make(s.row.Privacy, s.who)
		nobody, named := []string{"role:nobody"}, []string{"user:" + s.address}
		before, after := nobody, named
		if s.row.Can[0] {
			s.permit(permission, s.named())
			before, after = named, nobody
		}
		return []attributes{s.channelChange(attributes{permission: before}, attributes{permission: after})}
	case "deactivate":
		s.make(s.row.Privacy)
		return []attributes{resourceChange("zulip_user", attributes{"id": s.who, "email": s.address}, nil)}
	case "members":
		s.make(s.row.Privacy)
		answer := s.o.Call(s.t, "POST", "/user_groups/create", map[string]string{"name": "g", "description": "", "members": fmt.Sprintf("[%d]", s.who)})
		s.group = int64(answer["group_id"].(float64))
		s.permit("can_subscribe_group", fmt.Sprint(s.group))
		s.permit("can_delete_own_message_group", s.role("everyone"))
		return []attributes{resourceChange("zulip_user_group",
			attributes{"id": s.group, "name": "g", "members": []string{s.address}}, attributes{"id": s.group, "name": "g", "members": []string{}})}
	case "privacy":
		s.make("public")
		return []attributes{s.channelChange(attributes{"privacy": "public"}, attributes{"privacy": s.row.Privacy})}
	case "waiting":
		s.make(s.row.Privacy)
		s.permit(permission, s.role("fullmembers"))
		s.realm("waiting_period_threshold", "100000")
		return []attributes{resourceChange("zulip_organization", attributes{"waiting_period_threshold": 100000}, attributes{"waiting_period_threshold": 0})}
	case "archive":
		return s.planArchive()
	}
	s.t.Fatalf("a change of %v", s.row.Change[0])
	return nil
}

func (s *scene) planArchive() []attributes {
	s.t.Helper()
	var changes []attributes
	switch {
	case s.row.Permission == permission.CanDeleteOwnMessage:
		s.make(s.row.Privacy)
		s.permit("can_subscribe_group", s.named())
		s.permit("can_delete_own_message_group", s.role("everyone"))
	case s.row.isTakenOut():
		s.make(s.row.Privacy, s.who)
		if s.row.Permission == permission.CanAddSubscribers {
			s.realm("can_add_subscribers_group", fmt.Sprintf(`{"new":%s}`, s.role("members")))
		} else {
			s.permit(string(s.row.Permission), s.named())
		}
		changes = append(changes, resourceChange("zulip_channel_subscription",
			attributes{"channel_id": s.channel, "users": []string{s.address}, "added_user_ids": []int64{s.who}}, nil))
	default:
		s.make(s.row.Privacy, s.who)
		if s.row.isWebhook() {
			s.permit(string(s.row.Permission), s.named())
		}
	}
	return append(changes, s.channelChange(attributes{"on_destroy": "archive"}, nil))
}

// TestConformanceReview_PastErrors_Correct plans each change again. It gives the account as little as possible of what the
// account could do on the server before the change.
func TestConformanceReview_PastErrors_Correct(t *testing.T) {
	data, err := os.ReadFile("../../realm/permission/testdata/access/misses.json")
	acctest.NoError(t, err)
	var rows []missed
	acctest.NoError(t, json.Unmarshal(data, &rows))
	tried, alike := 0, 0
	for i, row := range rows {
		if row.Miss != "review" {
			continue
		}
		tried++
		want := int(row.Real.(float64))
		if row.isAlreadyIn() {
			want = int(row.Said.(float64))
		}
		s := newScene(t, &row)
		plan := planOf(t, s.plan()...)
		if got := effectOn(reviewOf(t, s.o, plan), "c", row.Permission, s.who); got != want {
			t.Errorf("[%d] %v: %s by %s %v in a %s channel: %d, not %d: %v", i, row.Change, row.Permission, row.Who, row.Role, row.Privacy, got, want, row.Words)
			continue
		}
		alike++
	}
	fmt.Printf("review where it was wrong: alike %d/%d\n", alike, tried)
}
