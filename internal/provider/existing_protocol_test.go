package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip/featurelevel"
)

// named are the resources whose names are unique on the server.
var named = []string{
	"zulip_bot", "zulip_channel", "zulip_channel_folder", "zulip_code_playground", "zulip_custom_emoji", "zulip_custom_profile_field",
	"zulip_default_channel_group", "zulip_domain", "zulip_invitation", "zulip_linkifier", "zulip_reaction", "zulip_user", "zulip_user_group",
}

// unnamed are the resources for which the server creates a second object on a second request.
var unnamed = []string{"zulip_draft", "zulip_invite_link", "zulip_message", "zulip_scheduled_message"}

// madeLife is one resource, in a separate organization.
type madeLife struct {
	life
	o   *acctest.Organization
	run *acctest.Run // the run that created it
}

func eachMade(t *testing.T, resources []string, test func(*testing.T, madeLife)) {
	t.Helper()
	for _, resource := range resources {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			o := acctest.NewSandbox(t, sandbox.Config{})
			all := lives(t, o)
			i := slices.IndexFunc(all, func(l life) bool { return l.of == resource })
			run := o.NewRun(t, resource)
			one := all[i]
			one.create = one.at(o.Sandbox.FeatureLevel(), one.create)
			run.MustApply(one.create)
			test(t, madeLife{one, o, run})
		})
	}
}

// An object of another state is never adopted, even if it matches the plan and the same account has just created it.
// The refusal shows the import, and the import works.
func TestProtocolExisting_Create_Refused(t *testing.T) {
	eachMade(t, named, func(t *testing.T, m madeLife) {
		second := m.o.NewRun(t, m.of)
		sent := m.o.Sent()
		plan, diags := second.Plan(m.create)
		if len(diags.Errors()) == 0 {
			if m.of != "zulip_reaction" { // its message is not read by a plan
				diags.ExpectWarning(t, diagnosedAt(diags), "so the apply will fail", "import {")
			}
			diags = second.Apply(plan)
		}
		diags.ExpectError(t, diagnosedAt(diags), "import {", "ZULIP_RECOVER_INTERRUPTED=true")
		if second.State != nil {
			t.Errorf("the second state holds %v", second.State.Values)
		}
		if m.of != "zulip_reaction" { // the server stores only one
			for _, request := range sent.Writes() {
				if request.Status < 400 {
					t.Errorf("the server carried out %s %s", request.Method, request.Path)
				}
			}
		}
		if plan := m.run.MustPlan(m.create); !plan.Empty() {
			t.Errorf("the first state plans %v", plan.Changes())
		}
	})
}

// The object of an apply that was interrupted before its state was written is adopted if recover_interrupted is set.
func TestProtocolInterrupted_RecoverEnabled_Adopted(t *testing.T) {
	eachMade(t, named, func(t *testing.T, m madeLife) {
		id := m.run.State.Values["id"]
		m.run.State = nil // the state was never written
		m.run.Block["recover_interrupted"] = true
		plan, diags := m.run.Plan(m.create)
		diags.ExpectNoError(t)
		diags = append(diags, m.run.Apply(plan)...)
		diags.ExpectNoError(t)
		diags.ExpectWarning(t, diagnosedAt(diags), "will be adopted", "recover_interrupted", "-target")
		if m.run.State == nil || m.run.State.Values["id"] != id {
			t.Fatalf("the state holds %v, want %v", m.run.State, id)
		}
		delete(m.run.Block, "recover_interrupted")
		if plan := m.run.MustPlan(m.create); !plan.Empty() {
			t.Errorf("after it was recovered the plan changes %v", plan.Changes())
		}
	})
}

// Only an object that is exactly as planned is adopted.
func TestProtocolInterrupted_ValuesDiffer_NotAdopted(t *testing.T) {
	others := slices.DeleteFunc(slices.Clone(named), func(resource string) bool {
		return resource == "zulip_reaction" || resource == "zulip_custom_emoji" // these have no other attribute to compare
	})
	eachMade(t, others, func(t *testing.T, m madeLife) {
		config := maps.Clone(m.create)
		for attribute, other := range map[string]any{
			"description": "Something else", "url_template": "https://elsewhere.example.com/{id}{code}", "hint": "Something else", "allow_subdomains": false, "full_name": "Somebody Else", "expires_in_minutes": 60,
		} {
			if config[attribute] != nil {
				config[attribute] = other
			}
		}
		if m.of == "zulip_code_playground" {
			config["url_template"] = "https://elsewhere.example.com/{code}"
		}
		if m.of == "zulip_linkifier" {
			config["url_template"] = "https://elsewhere.example.com/{id}"
		}
		second := m.o.NewRun(t, m.of)
		second.Block["recover_interrupted"] = true
		plan, diags := second.Plan(config)
		if len(diags.Errors()) == 0 {
			diags = second.Apply(plan)
		}
		diags.ExpectError(t, diagnosedAt(diags), "import {")
		if second.State != nil {
			t.Errorf("the state holds %v", second.State.Values)
		}
	})
}

// With create_before_destroy, the old object still has the name when the new one is created. The plan within the apply,
// which has read nothing, is no error. Otherwise the state would keep the old object as deposed forever. The apply is
// an error.
func TestProtocolCreateBeforeDestroy_NameTaken_Refused(t *testing.T) {
	eachMade(t, named, func(t *testing.T, m madeLife) {
		p := m.run.Process()
		again, diags := p.Plan(m.of, nil, m.create)
		diags.ExpectNoError(t)
		_, diags = p.Apply(again)
		diags.ExpectError(t, diagnosedAt(diags), "remove create_before_destroy")
		if plan := m.run.MustPlan(m.create); !plan.Empty() {
			t.Errorf("it was changed: %v", plan.Changes())
		}
	})
}

// A resource with another address, or another key of for_each, is planned as a destroy and a create, in any order.
func TestProtocolResourceAddress_Changed_Refused(t *testing.T) {
	all := slices.DeleteFunc(slices.Clone(named), func(resource string) bool { return resource == "zulip_reaction" })
	eachMade(t, all, func(t *testing.T, m madeLife) {
		for _, endsFirst := range []bool{true, false} {
			p := m.run.Process()
			prior, diags := p.Read(m.of, m.run.State)
			diags.ExpectNoError(t)
			var reported acctest.Diagnostics
			for _, ends := range []bool{endsFirst, !endsFirst} {
				if ends {
					_, diags = p.Plan(m.of, prior, nil)
				} else {
					_, diags = p.Plan(m.of, nil, m.create)
				}
				reported = append(reported, diags...)
			}
			reported.ExpectError(t, "", "will be destroyed and re-created", "moved block")
			_, word, _ := strings.Cut(reported.Errors()[0].Detail, "    id = \"")
			word, _, _ = strings.Cut(word, "\"\n")
			m.o.NewRun(t, m.of).Import(word, nil).ExpectNoError(t)
		}
		_, diags := m.run.Plan(nil)
		diags.ExpectNoError(t)
	})
}

// If names are case-sensitive, a name in another case is another name.
func TestProtocolNames_OtherCase_SeparateObjects(t *testing.T) {
	for resource, config := range map[string]values{
		"zulip_user_group":            {"name": "Ops"},
		"zulip_default_channel_group": {"name": "Ops"},
		"zulip_custom_profile_field":  {"field_type": "short_text", "name": "Ops"},
		"zulip_code_playground":       {"name": "Ops", "pygments_language": "Go", "url_template": "https://play.example.com/{code}"},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(config)
			other := maps.Clone(config)
			other["name"] = "ops"
			for _, endsFirst := range []bool{true, false} {
				p := run.Process()
				prior, diags := p.Read(resource, run.State)
				diags.ExpectNoError(t)
				for _, ends := range []bool{endsFirst, !endsFirst} {
					if ends {
						_, diags = p.Plan(resource, prior, nil)
					} else {
						_, diags = p.Plan(resource, nil, other)
					}
					diags.ExpectNoError(t)
				}
			}
		})
	}
}

// An object without a unique name is never adopted: a second state creates a second object, and destroys only that.
func TestProtocolUnnamed_SecondState_CreatedTwice(t *testing.T) {
	eachMade(t, unnamed, func(t *testing.T, m madeLife) {
		second := m.o.NewRun(t, m.of)
		second.Block["recover_interrupted"] = true
		second.MustApply(m.create)
		if first := m.run.State.Values["id"]; second.State.Values["id"] == first {
			t.Fatalf("both states hold %v", first)
		}
		second.Apply(second.MustPlan(nil)).ExpectNoError(t)
		if plan := m.run.MustPlan(m.create); !plan.Empty() {
			t.Errorf("the end of the second changed the first: %v", plan.Changes())
		}
	})
}

// diagnosedAt is the attribute of the first error, or of the first warning if there is none.
func diagnosedAt(diags acctest.Diagnostics) string {
	if errors := diags.Errors(); len(errors) > 0 {
		diags = errors
	}
	if len(diags) == 0 {
		return ""
	}
	return diags[0].Attribute
}

// TestProtocolCreateBeforeDestroy_Unnamed_Kept replaces objects without unique names in one apply, with
// create_before_destroy. It creates a second object and then destroys the first. The second exists afterwards, with
// people in channels and groups, and the next plan is empty.
func TestProtocolCreateBeforeDestroy_Unnamed_Kept(t *testing.T) {
	for kind, config := range map[string]acctest.Values{
		"zulip_channel_subscription":          {"channel": "leads", "users": []any{"kenji.sato@example.com", "amara.okafor@example.com"}},
		"zulip_user_group_membership":         {"group": "leads", "members": []any{"kenji.sato@example.com"}},
		"zulip_channel_subscription_settings": {"channel": "general", "is_muted": true},
		"zulip_draft":                         {"content": "To be said"},
		"zulip_invite_link":                   {"expires_in_minutes": 60},
		"zulip_message":                       {"channel": "general", "topic": "rules", "content": "Be kind"},
		"zulip_scheduled_message":             {"channel": "general", "topic": "rules", "content": "Later", "scheduled_delivery_timestamp": "2035-01-01T00:00:00Z"},
		"zulip_user_role":                     {"user": "lena.fischer@example.com", "role": "moderator", "on_destroy": "member"},
		"zulip_user_status":                   {"status_text": "Away", "emoji_name": "palm_tree"},
	} {
		t.Run(kind, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, kind)
			run.MustApply(config)

			end := run.MustPlan(nil)
			p := run.Process() // the process of the apply, which has not read the old object
			begin, diags := p.Plan(kind, nil, config)
			diags.ExpectNoError(t)
			made, diags := p.Apply(begin)
			diags.ExpectNoError(t)
			_, diags = p.Apply(end)
			diags.ExpectNoError(t)

			run.State = made
			if plan := run.MustPlan(config); !plan.Empty() {
				t.Errorf("after the apply the plan still changes %q", plan.Changes())
			}
		})
	}
}

// An object that was archived or deactivated outside Terraform keeps its name. The plan warns, so that the rest of it can be
// seen, and says how to adopt the object or to accept its end. The apply refuses. It says how to destroy the others, because
// terraform destroy plans the configuration first.
func TestProtocolNames_ArchivedOutsideTerraform_Refused(t *testing.T) {
	for resource, test := range map[string]struct {
		config     values
		at         string
		method     string
		path       string
		says, hint string
	}{
		"zulip_channel": {values{"name": "gone"}, "name", http.MethodDelete, "/streams/%v", "An archived channel", "adopt_archived"},
		"zulip_user_group": {
			values{"name": "gone"}, "name", http.MethodPost, "/user_groups/%v/deactivate", "A deactivated user group", "adopt_deactivated",
		},
		"zulip_user": {
			values{"email": "gone@example.com", "full_name": "Gone"}, "email", http.MethodDelete, "/users/%v", "already exists and is deactivated", "adopt_deactivated",
		},
		"zulip_bot": {
			values{"short_name": "gone", "full_name": "Gone", "bot_type": "generic"}, "short_name", http.MethodDelete, "/bots/%v", "deactivated bot", "adopt_deactivated",
		},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			run := o.NewRun(t, resource)
			run.MustApply(test.config)
			o.Call(t, test.method, fmt.Sprintf(test.path, run.State.Values["id"]), nil)
			sent := o.Sent()
			plan, diags := run.Plan(test.config)
			diags.ExpectNoError(t)
			diags.ExpectWarning(t, test.at, test.says, test.hint, "so the apply will fail", "To accept it, remove this resource from the configuration")
			if run.State != nil {
				t.Error("it is still in the state")
			}
			run.Apply(plan).ExpectError(t, test.at, test.says, test.hint, "terraform destroy -refresh=false")
			sent.Expect(t)
		})
	}
}

// adoptable are the resources whose archived or deactivated objects can be reactivated, with the attribute that asks for it.
var adoptable = map[string]string{
	"zulip_bot": "adopt_deactivated", "zulip_channel": "adopt_archived", "zulip_channel_folder": "adopt_archived",
	"zulip_user": "adopt_deactivated", "zulip_user_group": "adopt_deactivated",
}

// adoptions are the summaries of the plans that reactivate these objects. They don't name the object, so that the CLI
// combines the warnings of many.
var adoptions = map[string]string{
	"zulip_bot": "A deactivated bot will be reactivated", "zulip_channel": "An archived channel will be unarchived",
	"zulip_channel_folder": "An archived channel folder will be reactivated", "zulip_user": "A deactivated user will be reactivated",
	"zulip_user_group": "A deactivated user group will be reactivated",
}

// The provider's default reactivates the object. The plan shows it, and without the default nothing changes later.
func TestProtocolAdoptDefault_ObjectGone_Reactivated(t *testing.T) {
	eachMade(t, slices.Sorted(maps.Keys(adoptable)), func(t *testing.T, m madeLife) {
		flag, id := adoptable[m.of], m.run.State.Values["id"]
		config := maps.Clone(m.create)
		delete(config, flag)
		m.run.Apply(m.run.MustPlan(nil)).ExpectNoError(t)

		m.run.Block[flag] = true
		plan, diags := m.run.Plan(config)
		diags.ExpectWarning(t, flag, adoptions[m.of]+"\n", "outside Terraform or by an earlier apply. This apply adopts it instead of creating a new ", flag+" is true in the resource or in the provider block")
		if plan.Values[flag] != true {
			t.Errorf("the plan has %s = %v", flag, plan.Values[flag])
		}
		m.run.Apply(plan).ExpectNoError(t)
		if got := m.run.State.Values["id"]; got != id {
			t.Errorf("object %v was created, and %v was not reactivated", got, id)
		}
		for _, isDefault := range []bool{true, false} {
			m.run.Block[flag] = isDefault
			if plan := m.run.MustPlan(config); !plan.Empty() {
				t.Errorf("with the default %v, the next plan changes %v", isDefault, plan.Changes())
			}
		}

		m.run.Apply(m.run.MustPlan(nil)).ExpectNoError(t)
		m.run.Block[flag] = true
		config[flag] = false
		if m.of == "zulip_channel_folder" {
			return // a second folder may have the name
		}
		_, diags = m.run.Plan(config)
		diags.ExpectError(t, diagnosedAt(diags), flag+" = true")
	})
}

// While the provider's settings are not known, the plan does not say what the default is.
func TestProtocolAdoptDefault_SettingsUnknown_Unknown(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{})
	p := acctest.StartProcess(t.Context(), t)
	p.Configure(o.Block(acctest.Values{"adopt_archived": acctest.Unknown})).ExpectNoError(t)
	plan := p.MustPlan("zulip_channel", nil, acctest.Values{"name": "old"})
	if got := plan.Values["adopt_archived"]; got != acctest.Unknown {
		t.Errorf("the plan has adopt_archived = %v", got)
	}
	run := o.NewRun(t, "zulip_channel")
	run.Block["adopt_archived"] = true
	run.Apply(plan).ExpectNoError(t)
	if got := run.State.Values["adopt_archived"]; got != true {
		t.Errorf("the state has adopt_archived = %v", got)
	}
}

// A server that cannot unarchive channels is not asked to.
func TestProtocolAdoptDefault_ServerTooOld_Refused(t *testing.T) {
	o := acctest.NewSandbox(t, sandbox.Config{FeatureLevel: 385})
	for resource, config := range map[string]acctest.Values{"zulip_channel": {"name": "old"}, "zulip_user_group": {"name": "old"}} {
		run := o.NewRun(t, resource)
		run.Block["adopt_archived"], run.Block["adopt_deactivated"] = true, true
		run.MustApply(config)
		run.Apply(run.MustPlan(nil)).ExpectNoError(t)
		_, diags := run.Plan(config)
		diags.ExpectError(t, "name", `has the name "old"`)
	}
}

// Two resources of one configuration cannot have names that are equal for the server, also if the object does not exist yet
// (server-behavior §C23).
func TestProtocolDuplicates_EqualForServer_Refused(t *testing.T) {
	for resource, test := range map[string]struct {
		one, other acctest.Values
		at, words  string
	}{
		"zulip_user":           {acctest.Values{"email": "zoe@example.net", "full_name": "Zoe"}, acctest.Values{"email": "Zoe@example.net", "full_name": "Zoe Quill"}, "email", "for the server"},
		"zulip_bot":            {acctest.Values{"short_name": "news", "full_name": "News"}, acctest.Values{"short_name": "News", "full_name": "News 2"}, "short_name", "for the server"},
		"zulip_channel":        {acctest.Values{"name": "tvxı"}, acctest.Values{"name": "tvxI"}, "name", "for the server"},
		"zulip_channel_folder": {acctest.Values{"name": "ς"}, acctest.Values{"name": "Σ"}, "name", "for the server"},
		"zulip_invitation":     {acctest.Values{"email": "nu@example.net"}, acctest.Values{"email": "NU@example.net"}, "email", "for the server"},
		"zulip_user_group":     {acctest.Values{"name": "both"}, acctest.Values{"name": "both", "description": "Two"}, "name", "the same user group name"},
	} {
		t.Run(resource, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{})
			p := o.NewRun(t, resource).Process()
			_, diags := p.Plan(resource, nil, test.one)
			diags.ExpectNoError(t)
			_, diags = p.Plan(resource, nil, test.other)
			diags.ExpectError(t, test.at, test.words)

			made := o.NewRun(t, resource)
			made.MustApply(test.one)
			for _, isFirst := range []bool{true, false} { // also if one of them exists, whichever is planned first
				p, errors := made.Process(), acctest.Diagnostics{}
				p.Read(resource, made.State)
				for _, isMade := range []bool{isFirst, !isFirst} {
					prior, config := made.State, test.one
					if !isMade {
						prior, config = nil, test.other
					}
					_, diags := p.Plan(resource, prior, config)
					errors = append(errors, diags.Errors()...)
				}
				errors.ExpectError(t, test.at, test.words)
			}
		})
	}
}

// An object that is replaced (-replace) is planned a second time, as a new one. It is no duplicate of itself, also if an earlier
// version of the provider wrote the state.
func TestProtocolReplaced_StateWithoutID_NoDuplicate(t *testing.T) {
	for resource, config := range map[string]acctest.Values{
		"zulip_user":           {"email": "zoe@example.net", "full_name": "Zoe"},
		"zulip_bot":            {"short_name": "news", "full_name": "News"},
		"zulip_channel":        {"name": "news"},
		"zulip_channel_folder": {"name": "news"},
		"zulip_user_group":     {"name": "news"},
	} {
		t.Run(resource, func(t *testing.T) {
			run := acctest.StartSandbox(t, sandbox.Config{}).NewRun(t, resource)
			run.MustApply(config)
			old := *run.State
			old.Private = nil
			p := run.Process()
			state, diags := p.Read(resource, &old)
			diags.ExpectNoError(t)
			update := p.MustPlan(resource, state, config)
			_, diags = p.Plan(resource, update.Replaced(), config)
			diags.ExpectNoError(t)
		})
	}
}

// Terraform shows no warning of the second plan of a replacement, and the first plan of -replace changes nothing. So a plan
// that would take something from people is refused.
func TestProtocolReplaced_SomethingLost_Refused(t *testing.T) {
	const field, folder, group, user = "zulip_custom_profile_field", "zulip_channel_folder", "zulip_user_group", "zulip_user"
	text := acctest.Values{"field_type": "short_text", "name": "Team"}
	sam := acctest.Values{"email": "sam@example.net", "full_name": "Sam"}
	leaving := and(sam, "deactivation_actions", acctest.Values{"delete_direct_messages": true})
	answer := func(o *acctest.Organization, id string) {
		o.Call(t, "PATCH", "/users/me/profile_data", map[string]string{"data": `[{"id":` + id + `,"value":"Sales"}]`})
	}
	for name, test := range map[string]struct {
		resource, account string
		config, later     acctest.Values
		use               func(o *acctest.Organization, id string)
		words             []string // none if the replacement is planned
	}{
		"group in use": {resource: group, config: acctest.Values{"name": "ops"}, use: func(o *acctest.Organization, id string) {
			o.Call(t, "PATCH", fmt.Sprint("/streams/", o.MustChannel(t, "general").ID), map[string]string{"can_send_message_group": `{"new":` + id + `}`})
		}, words: []string{`Cannot replace user group "ops"`, `channel "general": can_send_message_group`}},
		"group in use, renamed": {resource: group, config: acctest.Values{"name": "ops"}, later: acctest.Values{"name": "operators"}, use: func(o *acctest.Organization, id string) {
			o.Call(t, "PATCH", "/realm", map[string]string{"can_mention_many_users_group": `{"new":` + id + `}`})
		}, words: []string{`Cannot replace user group "ops"`, "the organization: can_mention_many_users_group"}},
		"group of another account": {
			resource: group, account: "moderator", config: acctest.Values{"name": "ops"},
			words: []string{`cannot deactivate user group "ops"`},
		},
		"group": {resource: group, config: acctest.Values{"name": "ops"}},
		"folder with a channel": {resource: folder, config: acctest.Values{"name": "News"}, use: func(o *acctest.Organization, id string) {
			o.Call(t, "PATCH", fmt.Sprint("/streams/", o.MustChannel(t, "general").ID), map[string]string{"folder_id": id})
		}, words: []string{"loses its channels", `"general"`}},
		"field with an answer":    {resource: field, config: text, use: answer, words: []string{`1 person loses their answer in "Team"`}},
		"field of another type":   {resource: field, config: text, later: and(text, "field_type", "long_text"), use: answer},
		"user whose messages end": {resource: user, config: leaving, words: []string{"Deactivating sam@example.net permanently deletes data"}},
		"user with another email": {
			resource: user, config: leaving, later: and(leaving, "email", "new@example.net"),
			words: []string{"Deactivating sam@example.net permanently deletes data"},
		},
		"user": {resource: user, config: sam},
	} {
		t.Run(name, func(t *testing.T) {
			o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: featurelevel.Newest})
			run := o.NewRun(t, test.resource)
			run.MustApply(test.config)
			if test.use != nil {
				test.use(o, fmt.Sprint(run.State.Values["id"]))
			}
			if test.account != "" {
				other := o.As(t, test.account).NewRun(t, test.resource)
				other.State, run = run.State, other
			}
			later := test.later
			if later == nil {
				later = test.config
			}
			p, sent := run.Process(), o.Sent()
			state, diags := p.Read(test.resource, run.State)
			diags.ExpectNoError(t)
			_, diags = p.Plan(test.resource, p.MustPlan(test.resource, state, later).Replaced(), later)
			if len(test.words) == 0 {
				diags.ExpectNoError(t)
				return
			}
			diags.ExpectError(t, "", append(test.words, "plan without -replace")...)
			sent.Expect(t)
		})
	}
}

// Each provider configuration runs in a process of its own. One does not know what another one creates, and the error says to
// reference the ID, which the plan does not know yet.
func TestProtocolAlias_NewGroupNamed_IDAdvised(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := o.NewRun(t, "zulip_channel")
	channel.ExpectRefused(acctest.Values{"name": "news", "can_send_message_group": []any{"group:press"}}, "can_send_message_group",
		`If another provider configuration (an alias) does, reference "group_id:${zulip_user_group.NAME.id}"`)
	config := acctest.Values{"name": "news", "can_send_message_group": []any{acctest.Unknown}}
	plan := channel.MustPlan(config)
	group := o.NewRun(t, "zulip_user_group")
	group.MustApply(acctest.Values{"name": "press"})
	plan.Config["can_send_message_group"] = []any{fmt.Sprint("group_id:", group.State.Values["id"])}
	channel.Apply(plan).ExpectNoError(t)
}
