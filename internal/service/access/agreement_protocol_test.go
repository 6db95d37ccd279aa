package access_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// rounds is how often the access is compared, and changes the number of changes in between.
const rounds, changes = 20, 12

// Both data sources agree for every person and bot, channel and permission, in the example organization and after random
// changes of it.
func TestProtocolAccess_BothDataSources_Same(t *testing.T) {
	tr := newExample(t)
	random := rand.New(rand.NewPCG(1, 2)) // the same changes every time
	compared, held := 0, 0
	for round := range rounds {
		more, those := tr.compareDataSources(fmt.Sprintf("round %d", round))
		compared, held = compared+more, held+those
		if t.Failed() {
			return
		}
		for done := 0; done < changes; {
			if tr.change(random) {
				done++
			}
		}
	}
	if held*20 < compared || held*20 > 19*compared {
		t.Errorf("of %d permissions %d are held: that tries too little", compared, held)
	}
	fmt.Printf("zulip_user_access: agrees %d/%d\n", compared, compared)
}

// newExample lets the accounts of the example organization make changes.
func newExample(t *testing.T) *trial {
	t.Helper()
	tr := &trial{t: t, o: acctest.StartSandbox(t, sandbox.Config{}), keys: map[string]sandbox.Credentials{}, groups: map[string]any{}}
	for _, name := range []string{"owner", "admin", "moderator", "member", "member2", "guest", "bot"} {
		tr.keys[name], _ = tr.o.Sandbox.Credentials(name)
		tr.names = append(tr.names, name)
	}
	for _, role := range []string{"nobody", "owners", "administrators", "moderators", "fullmembers", "members", "everyone"} {
		tr.groups["role:"+role] = tr.o.SystemGroup(t, "role:"+role)
	}
	for _, group := range tr.must("GET", "/user_groups", nil)["user_groups"].([]any) {
		if group := group.(fields); group["name"] == "sre" || group["name"] == "leads" {
			tr.groups[group["name"].(string)] = group["id"]
		}
	}
	tr.must("PATCH", "/realm", fields{"enable_spectator_access": true})
	for i, privacy := range zulip.Privacies {
		tr.channel(fmt.Sprintf("of privacy %d", i), privacy, []string{"owner", "member", "guest"})
	}
	for name, owner := range map[string]string{"plain": "member", "hook": "member2"} {
		kind := 1
		if name == "hook" {
			kind = 2
		}
		bot := tr.mustAs(owner, "POST", "/bots", fields{"full_name": name, "short_name": name, "bot_type": kind})
		tr.keys[name] = sandbox.Credentials{Email: name + "-bot@zulip.example.com", APIKey: bot["api_key"].(string), ID: int(bot["user_id"].(float64))}
		tr.names = append(tr.names, name)
	}
	return tr
}

// compareDataSources reads both, each in its own process. It returns the number of compared permissions, and the number of
// permissions that someone has.
func (tr *trial) compareDataSources(when string) (compared, held int) {
	tr.t.Helper()
	process := tr.o.NewRun(tr.t, "zulip_channel").Process()
	answers := map[string]values{}
	for _, name := range tr.names {
		answer, diags := process.ReadData("zulip_user_access", values{"user": fmt.Sprint(tr.keys[name].ID), "include_archived": true})
		diags.ExpectNoError(tr.t)
		answers[name] = answer
	}
	process = tr.o.NewRun(tr.t, "zulip_channel").Process()
	for channel := range answers["owner"]["channels"].(values) {
		answer, diags := process.ReadData("zulip_channel_access", values{"channel": channel})
		diags.ExpectNoError(tr.t)
		for _, one := range permission.ChannelPermissions {
			ids := answer[string(one)].(values)["user_ids"].([]any)
			for _, name := range tr.names {
				can, has := slices.Contains(ids, any(int64(tr.keys[name].ID))), slices.Contains(permissionsIn(answers[name], channel), any(string(one)))
				if compared++; can {
					held++
				}
				if can != has || has != (throughIn(answers[name], channel, string(one)) != nil) {
					tr.t.Errorf("%s: %s of %s in %q: %t by the channel, %t by the user", when, one, name, channel, can, has)
				}
			}
		}
	}
	return compared, held
}

// change makes one random change, and reports whether the server accepted it.
func (tr *trial) change(random *rand.Rand) bool {
	tr.t.Helper()
	channels := tr.must("GET", "/streams?include_all=true", nil)["streams"].([]any)
	chosen := channels[random.IntN(len(channels))].(fields)
	channel, path := chosen["name"], fmt.Sprintf("/streams/%v", chosen["stream_id"])
	name := tr.names[1+random.IntN(len(tr.names)-1)] // the owner stays
	ok := false
	switch random.IntN(9) {
	case 0, 1, 2:
		setting := permission.ChannelSettings[random.IntN(len(permission.ChannelSettings))].Name
		_, ok = tr.ask("owner", "PATCH", path, fields{setting: fields{"new": tr.drawValue(random)}})
	case 3:
		settings := []string{"can_add_subscribers_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_move_messages_between_channels_group", "can_move_messages_between_topics_group", "can_resolve_topics_group"}
		_, ok = tr.ask("owner", "PATCH", "/realm", fields{settings[random.IntN(len(settings))]: fields{"new": tr.drawValue(random)}})
	case 4:
		_, ok = tr.ask("owner", "POST", "/users/me/subscriptions", fields{"subscriptions": []any{fields{"name": channel}}, "principals": tr.ids([]string{name})})
	case 5:
		_, ok = tr.ask("owner", "DELETE", "/users/me/subscriptions", fields{"subscriptions": []any{channel}, "principals": tr.ids([]string{name})})
	case 6:
		if name != "bot" && name != "plain" && name != "hook" {
			_, ok = tr.ask("owner", "PATCH", fmt.Sprintf("/users/%d", tr.keys[name].ID), fields{"role": []int{200, 300, 400, 600}[random.IntN(4)]})
		}
	case 7:
		group := []string{"sre", "leads"}[random.IntN(2)]
		verb := []string{"add", "delete"}[random.IntN(2)]
		_, ok = tr.ask("owner", "POST", fmt.Sprintf("/user_groups/%v/members", tr.groups[group]), fields{verb: tr.ids([]string{name})})
	case 8:
		rare := []func() bool{
			func() bool {
				if len(channels) <= 5 {
					return false // only these accounts are deactivated
				}
				_, ok := tr.ask("owner", "DELETE", path, nil)
				return ok
			},
			func() bool {
				_, ok := tr.ask("owner", "PATCH", path, fields{"topics_policy": []string{"inherit", "empty_topic_only"}[random.IntN(2)]})
				return ok
			},
			func() bool {
				_, ok := tr.ask("owner", "DELETE", fmt.Sprintf("/users/%d", tr.keys[name].ID), nil)
				return ok
			},
			func() bool {
				_, ok := tr.ask("owner", "POST", fmt.Sprintf("/users/%d/reactivate", tr.keys[name].ID), nil)
				return ok
			},
		}
		ok = rare[random.IntN(len(rare))]()
	}
	return ok
}

// drawValue draws a value of a permission.
func (tr *trial) drawValue(random *rand.Rand) any {
	names := slices.Sorted(maps.Keys(tr.groups))
	group := tr.groups[names[random.IntN(len(names))]]
	if random.IntN(2) == 0 {
		return group
	}
	subgroups := []any{}
	if random.IntN(3) == 0 {
		subgroups = append(subgroups, tr.groups["sre"])
	}
	return fields{"direct_members": tr.ids([]string{tr.names[random.IntN(len(tr.names))]}), "direct_subgroups": subgroups}
}
