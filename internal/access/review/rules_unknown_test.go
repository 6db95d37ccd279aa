package review_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

// Plans with values that are only known after apply: a random plan of usual changes, its rules, and the same plan with the
// outcomes. A rule that passes must pass with each outcome.
const (
	unknownPlans = 1000 // with ZULIP_TEST_ALL=1; otherwise the first fewUnknown
	fewUnknown   = 50
	outcomes     = 8 // for each plan
	// moreOutcomes are tried for a rule that is unknown and has had one status so far.
	moreOutcomes = 150
)

// unknownRules are rules as in the guide, about the organization below. They pass.
const unknownRules = `
rule "board is for directors" {
  channels   = ["board", "folder:Board"]
  permission = ["read", "read_history", "join"]
  only       = ["group:directors", "role:owners"]
}
rule "no contractor in private channels" {
  channels   = "privacy:private"
  permission = "subscribed"
  never      = "group:contractors"
}
rule "nothing is on the web" {
  channels   = "*"
  permission = "read"
  never      = "internet"
}
rule "press posts news" {
  channels   = "news"
  permission = "send_message"
  only       = ["group:press", "role:administrators"]
}
rule "somebody administers private channels" {
  channels   = "privacy:private"
  permission = "administer_channel"
  at_least   = 1
}
rule "no guests in private channels" {
  channels   = "privacy:private"
  permission = "read"
  only       = "role:members"
}
rule "incidents are for responders" {
  channels   = "incident-*"
  permission = ["read", "administer_channel"]
  only       = ["group:directors", "role:administrators"]
}
rule "two owners" {
  role     = "owner"
  at_least = 2
  at_most  = 4
}
rule "directors administer" {
  role = ["owner", "administrator"]
  only = "group:directors"
}
rule "directors are few" {
  groups     = "directors"
  permission = "member"
  only       = "role:members"
  at_most    = 5
}
rule "administrators manage directors" {
  groups     = ["directors", "contractors"]
  permission = ["manage", "add_members"]
  only       = "role:administrators"
}
rule "administrators manage all groups" {
  permission = ["manage_all_groups", "create_multiuse_invite"]
  only       = "role:administrators"
}
rule "no open door" {
  joining = "invited"
}
limit "removals" {
  people = 3
}
`

// unknownOrganization is the organization that these plans change.
type unknownOrganization struct {
	*acctest.Organization

	ids       map[string]int64 // names of people, groups, channels and folders
	botDomain string
}

func newUnknownOrganization(t *testing.T) *unknownOrganization {
	t.Helper()
	accounts := map[string]sandbox.Account{"owner": {Email: "owner@example.com", FullName: "owner", Role: 100, CanCreateUsers: true}}
	for name, role := range map[string]int{"otto": 100, "ada": 200, "mo": 300, "mel": 400, "max": 400, "mia": 400, "moe": 400, "gus": 600} {
		accounts[name] = sandbox.Account{Email: name + "@example.com", FullName: name, Role: role}
	}
	accounts["bot-bot"] = sandbox.Account{Email: "bot-bot@example.com", FullName: "bot", Role: 400, IsBot: true, Owner: "mel"}
	o := &unknownOrganization{acctest.NewSandbox(t, sandbox.Config{Accounts: accounts}).WithAccount(t, "owner"), map[string]int64{}, "example.com"}
	for name := range accounts {
		credentials, _ := o.Sandbox.Credentials(name)
		o.ids[name] = int64(credentials.ID)
	}
	create := func(path, key, name string, params map[string]string) {
		params["name"], params["description"] = name, ""
		o.ids[name] = int64(o.Call(t, "POST", path, params)[key].(float64))
	}
	group := func(name string, members ...string) {
		create("/user_groups/create", "group_id", name, map[string]string{
			"members": o.list(members), "can_manage_group": fmt.Sprint(o.SystemGroup(t, "role:administrators")),
			"can_add_members_group": fmt.Sprint(o.SystemGroup(t, "role:administrators")),
		})
	}
	group("directors", "owner", "otto", "ada")
	group("contractors", "moe")
	group("press", "mel", "mia", "bot-bot")
	create("/channel_folders/create", "channel_folder_id", "Board", map[string]string{})
	create("/channels/create", "id", "board", map[string]string{
		"invite_only": "true", "history_public_to_subscribers": "true", "folder_id": fmt.Sprint(o.ids["Board"]),
		"can_subscribe_group": fmt.Sprint(o.ids["directors"]), "subscribers": o.list([]string{"owner", "ada"}),
	})
	create("/channels/create", "id", "incident-1", map[string]string{
		"invite_only": "true", "can_administer_channel_group": fmt.Sprint(o.ids["directors"]), "subscribers": o.list([]string{"owner", "otto"}),
	})
	create("/channels/create", "id", "news", map[string]string{"can_send_message_group": fmt.Sprint(o.ids["press"]), "subscribers": o.list([]string{"owner", "mel", "gus"})})
	create("/channels/create", "id", "lounge", map[string]string{"subscribers": o.list([]string{"owner", "max", "moe"})})
	return o
}

func (o *unknownOrganization) list(names []string) string {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = fmt.Sprint(o.ids[name])
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// unknownPlan makes a plan. structure decides its changes, and outcome the values after the apply. With a nil outcome, the
// plan does not know these values.
type unknownPlan struct {
	*unknownOrganization

	structure, outcome *rand.Rand
	changes            []attributes
	root               attributes // the configuration
	fresh              int

	// shape is how the resources are written that are added now. object is a part of the names of their objects, and base
	// is in its place in the names of the resources, which are the same for each key.
	shape, object, base, key string
}

// shapes are the ways to write resources and their references. All but the first have instances with two keys.
var shapes = []string{"plain", "each.key", "count.index", "each.value", "module", "input", "output"}

func (p *unknownPlan) pick(from ...string) string { return from[p.structure.IntN(len(from))] }

// value returns an attribute that is only known after apply: nil and true if there is no outcome.
func (p *unknownPlan) value(come func(r *rand.Rand) any) (value any, unknown bool) {
	if p.outcome == nil {
		return nil, true
	}
	return come(p.outcome), false
}

var unknownPeople = []string{"owner", "otto", "ada", "mo", "mel", "max", "mia", "moe", "gus", "bot-bot"}

// someAddresses are no addresses, all, one, or some.
func someAddresses(r *rand.Rand) any {
	list, kind, chosen := []string{}, r.IntN(5), r.IntN(len(unknownPeople))
	for i, name := range unknownPeople {
		if kind == 1 || kind == 2 && i == chosen || kind > 2 && r.IntN(3) == 0 {
			list = append(list, name+"@example.com")
		}
	}
	return list
}

// add adds a change. later are the attributes that are known after apply. refers are the resources that the configuration
// references in attributes.
func (p *unknownPlan) add(kind, name string, before, after attributes, later map[string]func(r *rand.Rand) any, refers map[string]string) {
	action := "update"
	if before == nil {
		action = "create"
	}
	resource, notKnown := kind+"."+strings.Replace(name, p.object, p.base, 1), attributes{}
	module, address := "", resource
	switch p.shape {
	case "module":
		module = fmt.Sprintf("module.%s[%q]", p.base, p.key)
	case "input", "output":
		if len(refers) > 0 == (p.shape == "input") {
			module = fmt.Sprintf("module.%s[%q]", p.base, p.key)
		} else {
			address += fmt.Sprintf("[%q]", p.key)
		}
	case "count.index":
		address += "[" + strings.TrimPrefix(p.key, "k") + "]"
	case "each.key", "each.value":
		address += fmt.Sprintf("[%q]", p.key)
	}
	if module != "" {
		address = module + "." + address
	}
	for _, attribute := range slices.Sorted(maps.Keys(later)) {
		_, isOfReference := refers[attribute]
		switch value, unknown := p.value(later[attribute]); {
		case unknown && isOfReference && attribute != "channel" && attribute != "group": // a list with one element
			after[attribute], notKnown[attribute] = []any{nil}, []bool{true}
		case unknown:
			notKnown[attribute] = true
		default:
			after[attribute] = value
		}
	}
	p.changes = append(p.changes, attributes{
		"address": address, "module_address": module, "mode": "managed", "type": kind, "provider_name": "registry.example.com/zulip-iac/zulip",
		"change": attributes{"actions": []string{action}, "before": before, "after": after, "after_unknown": notKnown},
	})
	expressions := attributes{}
	for attribute := range after {
		expressions[attribute] = attributes{"constant_value": "x"}
	}
	for attribute := range notKnown {
		expressions[attribute] = attributes{"references": []string{"terraform_data.x.output", "terraform_data.x"}}
	}
	config := attributes{"address": resource, "mode": "managed", "type": kind, "provider_config_key": "zulip", "expressions": expressions}
	into := p.root
	if module != "" {
		into = p.module()["module"].(attributes)
	}
	for attribute, to := range refers {
		expressions[attribute] = attributes{"references": p.references(attribute, strings.Replace(to, p.object, p.base, 1), config)}
	}
	resources, _ := into["resources"].([]attributes)
	if at := slices.IndexFunc(resources, func(one attributes) bool { return one["address"] == resource }); at >= 0 {
		maps.Copy(resources[at]["expressions"].(attributes), expressions)
		return
	}
	into["resources"] = append(resources, config)
}

// module returns the call of the module of the resources that are added now.
func (p *unknownPlan) module() attributes {
	calls, _ := p.root["module_calls"].(attributes)
	if calls == nil {
		calls = attributes{}
		p.root["module_calls"] = calls
	}
	if calls[p.base] == nil {
		calls[p.base] = attributes{"module": attributes{"outputs": attributes{}}, "expressions": attributes{}, "for_each_expression": attributes{"references": []string{"local.keys"}}}
	}
	return calls[p.base].(attributes)
}

// references are the references in the configuration of an attribute that is an attribute of another new resource.
func (p *unknownPlan) references(attribute, to string, config attributes) []string {
	switch p.shape {
	case "each.key", "count.index":
		return []string{to, p.shape}
	case "each.value":
		config["for_each_expression"] = attributes{"references": []string{to}}
		return []string{"each.value.id", "each.value"}
	case "input":
		p.module()["expressions"].(attributes)[attribute] = attributes{"references": []string{to, "each.key"}}
		return []string{"var." + attribute}
	case "output":
		p.module()["module"].(attributes)["outputs"].(attributes)["id"] = attributes{"expression": attributes{"references": []string{to + ".id", to}}}
		return []string{"module." + p.base, "each.key"}
	}
	return []string{to + ".id", to}
}

type later = map[string]func(r *rand.Rand) any

// draw adds one usual change, in one of the shapes.
func (p *unknownPlan) draw() {
	kind := p.pick("group", "group of known people", "channel names new group", "new channel names new group", "channels by for_each", "subscribers of a channel", "subscribers of a new channel",
		"members of a group", "descriptions", "a new person", "a new bot", "a role", "an owner", "membership of a new group", "channel into a new folder", "permission of the organization",
		"subscription of a new channel")
	p.shape = p.pick(shapes...)
	p.base = fmt.Sprintf("base%d", p.fresh)
	keys := []string{"k0", "k1"}
	if p.shape == "plain" {
		keys = keys[:1]
	}
	for _, p.key = range keys {
		p.drawOne(kind)
	}
}

func (p *unknownPlan) drawOne(kind string) {
	p.fresh++
	p.object = fmt.Sprintf("fresh%d", p.fresh)
	name := p.object
	group := func(more later) {
		p.add("zulip_user_group", name, nil, attributes{"name": name, "description": ""}, more, nil)
	}
	members := later{"members": someAddresses}
	names := func(of string) func(*rand.Rand) any { return func(*rand.Rand) any { return []string{of} } }
	channel := p.pick("board", "incident-1", "news", "lounge")
	privacy := p.pick("public", "private_shared_history")
	switch kind {
	case "group":
		group(members)
	case "group of known people":
		p.add("zulip_user_group", name, nil, attributes{"name": name, "members": []string{"max@example.com"}}, later{"description": func(*rand.Rand) any { return "x" }}, nil)
	case "channel names new group":
		group(members)
		permission := p.pick("can_send_message_group", "can_subscribe_group", "can_administer_channel_group", "can_add_subscribers_group")
		p.add("zulip_channel", name+"_"+channel, attributes{"id": p.ids[channel], "name": channel, permission: []string{}}, attributes{"id": p.ids[channel], "name": channel},
			later{permission: names("group:" + name)}, map[string]string{permission: "zulip_user_group." + name})
	case "new channel names new group":
		group(members)
		p.add("zulip_channel", name, nil, attributes{"name": "room-" + name, "privacy": privacy, "can_send_message_group": []string{"group:" + name}}, nil, nil)
	case "channels by for_each":
		p.add("zulip_channel", name, nil, attributes{"privacy": privacy}, later{"name": func(r *rand.Rand) any {
			return []string{"room-", "incident-", "team-"}[r.IntN(3)] + name
		}}, nil)
	case "subscribers of a channel":
		before := []string{"owner@example.com"}
		p.add("zulip_channel_subscribers", name, attributes{"channel_id": p.ids[channel], "channel": channel, "users": before}, attributes{"channel_id": p.ids[channel], "channel": channel},
			later{"users": someAddresses}, nil)
	case "subscribers of a new channel":
		p.add("zulip_channel", name, nil, attributes{"name": "room-" + name, "privacy": privacy}, nil, nil)
		p.add("zulip_channel_subscribers", name, nil, attributes{"channel": "room-" + name}, later{"users": someAddresses}, map[string]string{"channel": "zulip_channel." + name})
	case "subscription of a new channel":
		p.add("zulip_channel", name, nil, attributes{"privacy": privacy}, nil, nil)
		p.changes[len(p.changes)-1]["change"].(attributes)["after"].(attributes)["name"] = "room-" + name
		p.add("zulip_channel_subscription", name, nil, attributes{"users": []string{"mel@example.com"}}, later{"channel": func(*rand.Rand) any { return "room-" + name }}, map[string]string{"channel": "zulip_channel." + name})
	case "members of a group":
		of := p.pick("contractors", "press", "directors")
		list := map[string][]string{"contractors": {"moe@example.com"}, "press": {"bot-bot@example.com", "mel@example.com", "mia@example.com"}, "directors": {"owner@example.com", "otto@example.com", "ada@example.com"}}[of]
		p.add("zulip_user_group", name+"_"+of, attributes{"id": p.ids[of], "name": of, "members": list}, attributes{"id": p.ids[of], "name": of}, members, nil)
	case "descriptions":
		text := func(*rand.Rand) any { return "x" }
		p.add("zulip_channel", name+"_"+channel, attributes{"id": p.ids[channel], "name": channel, "description": ""}, attributes{"id": p.ids[channel], "name": channel}, later{"description": text}, nil)
		p.add("zulip_organization", name, attributes{"description": ""}, attributes{}, later{"description": text}, nil)
	case "a new person":
		p.add("zulip_user", name, nil, attributes{"email": name + "@example.com", "full_name": name, "role": "member"}, nil, nil)
		p.add("zulip_user_group", name, nil, attributes{"name": name}, later{"members": func(*rand.Rand) any { return []string{name + "@example.com"} }}, map[string]string{"members": "zulip_user." + name})
	case "a new bot":
		p.add("zulip_bot", name, nil, attributes{"short_name": name, "full_name": name}, nil, nil)
		p.add("zulip_channel", name+"_"+channel, attributes{"id": p.ids[channel], "name": channel, "can_send_message_group": []string{}}, attributes{"id": p.ids[channel], "name": channel},
			later{"can_send_message_group": names("user:" + name + "-bot@" + p.botDomain)}, map[string]string{"can_send_message_group": "zulip_bot." + name})
	case "a role":
		who := p.pick("ada", "mo", "mel", "otto")
		p.add("zulip_user_role", name, nil, attributes{"user_id": p.ids[who], "user": who + "@example.com"},
			later{"role": func(r *rand.Rand) any {
				return []string{"owner", "administrator", "moderator", "member", "guest"}[r.IntN(5)]
			}}, nil)
	case "an owner":
		p.add("zulip_bot", name, attributes{"id": p.ids["bot-bot"], "owner": "mel@example.com"}, attributes{"id": p.ids["bot-bot"]},
			later{"owner": func(r *rand.Rand) any { return unknownPeople[r.IntN(len(unknownPeople)-1)] + "@example.com" }}, nil)
	case "membership of a new group":
		p.add("zulip_user_group", name, nil, attributes{}, later{"name": func(*rand.Rand) any { return name }}, nil)
		p.add("zulip_user_group_membership", name, nil, attributes{"members": []string{"max@example.com"}}, later{"group": func(*rand.Rand) any { return name }}, map[string]string{"group": "zulip_user_group." + name})
	case "channel into a new folder":
		p.add("zulip_channel_folder", name, nil, attributes{"name": name}, nil, nil)
		p.add("zulip_channel", name+"_"+channel, attributes{"id": p.ids[channel], "name": channel}, attributes{"id": p.ids[channel], "name": channel, "folder": "folder:" + name},
			nil, map[string]string{"folder_id": "zulip_channel_folder." + name})
	case "permission of the organization":
		group(members)
		permission := p.pick("can_create_groups", "can_manage_all_groups", "can_add_custom_emoji_group")
		p.add("zulip_organization", name, attributes{permission: []string{"role:administrators"}}, attributes{}, later{permission: names("group:" + name)}, map[string]string{permission: "zulip_user_group." + name})
	}
}

// reviewed makes the plan and reviews it. Outcome 0 is the plan itself.
func (o *unknownOrganization) reviewed(t *testing.T, seed, outcome uint64) (*report.Report, string) {
	t.Helper()
	p := &unknownPlan{unknownOrganization: o, structure: rand.New(rand.NewPCG(seed, 1)), root: attributes{}}
	if outcome > 0 {
		p.outcome = rand.New(rand.NewPCG(seed, 1+outcome))
	}
	for range 1 + p.structure.IntN(3) {
		p.draw()
	}
	text, err := json.MarshalIndent(attributes{
		"format_version": "1.2", "planned_values": attributes{}, "resource_changes": p.changes,
		"configuration": attributes{"root_module": p.root},
	}, "", " ")
	acctest.NoError(t, err)
	found := mustReview(t, string(text), review.Options{Store: readOf(o.Organization), Rules: rulesOf(t, unknownRules)})
	return found, string(text)
}

// TestConformanceRules_UnknownPlan_SameOutcome checks that a rule that passes is violated by no outcome, and that a rule
// that fails is violated by every outcome. It also checks that no rule is unknown although every outcome is the same.
func TestConformanceRules_UnknownPlan_SameOutcome(t *testing.T) {
	o := newUnknownOrganization(t)
	before, _ := o.reviewed(t, 0, 1)
	for _, rule := range before.Rules {
		if rule.Before != report.RulePasses {
			t.Errorf("before any plan, %s: %s", rule.Name, rule.Before)
		}
	}
	all, sum, open := 0, 0, map[string]int{}
	plans := acctest.Number(unknownPlans, fewUnknown)
	t.Logf("%d plans, seeds 0 to %d", plans, plans-1)
	for seed := range uint64(plans) {
		found, text := o.reviewed(t, seed, 0)
		came := make([]map[string]bool, len(found.Rules)) // the statuses of each rule
		isOpen := func(rule *report.Rule) bool {
			status := came[slices.Index(found.Rules, rule)]
			return rule.Status == report.RuleUnknown && len(status) == 1 && !status[report.RuleUnknown]
		}
		for outcome := uint64(0); outcome < outcomes || outcome < moreOutcomes && slices.ContainsFunc(found.Rules, isOpen); outcome++ {
			known, _ := o.reviewed(t, seed, outcome+1)
			for i, rule := range known.Rules {
				if came[i] == nil {
					came[i] = map[string]bool{}
				}
				came[i][rule.Status] = true
			}
		}
		for i, rule := range found.Rules {
			all++
			switch {
			case rule.Status == report.RulePasses && (came[i][report.RuleFails] || came[i][report.RuleUnknown]), rule.Status == report.RuleFails && came[i][report.RulePasses]:
				t.Errorf("plan %d: %s is %s, and comes out as %v:\n%s\n%s", seed, rule.Name, rule.Status, slices.Collect(maps.Keys(came[i])), strings.Join(rule.Lines(), "\n"), text)
			case rule.Status == report.RuleUnknown:
				open[rule.Name]++
				sum++
				if len(rule.Unknowns) == 0 {
					t.Errorf("plan %d: %s is unknown without a reason", seed, rule.Name)
				}
				if isOpen(rule) {
					t.Errorf("plan %d: %s is unknown, and always comes out as %v:\n%s\n%s", seed, rule.Name, slices.Collect(maps.Keys(came[i])), strings.Join(rule.Lines(), "\n"), text)
				}
			}
		}
	}
	fmt.Printf("rules of %d plans: %d; unknown %d (%.1f %%): %v\n", plans, all, sum, 100*float64(sum)/float64(all), open)
}
