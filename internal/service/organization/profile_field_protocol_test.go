package organization_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// fields returns the server's fields, in order.
func fields(t *testing.T, o *acctest.Organization) []*zulip.ProfileField {
	t.Helper()
	list, err := o.Client.ProfileFields(context.Background())
	acctest.NoError(t, err)
	return list
}

// expectProfileField fails the test unless the server has these fields, each as its type and name.
func expectProfileField(t *testing.T, o *acctest.Organization, want ...string) {
	t.Helper()
	got := []string{}
	for _, f := range fields(t, o) {
		got = append(got, fmt.Sprintf("%v %s", f.Type, f.Name))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the server holds %q, want %q", got, want)
	}
}

// profileFieldByHand adds a text field outside Terraform and returns its ID.
func profileFieldByHand(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	id, err := o.Client.CreateProfileField(context.Background(), zulip.ProfileFieldChange{Type: 1, Name: &name})
	acctest.NoError(t, err)
	return id
}

func team(more values) values {
	config := values{"field_type": "short_text", "name": "Team"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// shift is a list field; options are key, text, key, text.
func shift(options ...string) values {
	list := []any{}
	for i := 0; i < len(options); i += 2 {
		list = append(list, values{"key": options[i], "text": options[i+1]})
	}
	return values{"field_type": "select", "name": "Shift", "options": list}
}

func TestProtocolProfileFieldTypes(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_custom_profile_field")
	want := []string{}
	for _, word := range zulip.ProfileFieldTypes() {
		config := values{"field_type": word, "name": "F " + word}
		switch word {
		case "select":
			config["options"] = []any{values{"key": "a", "text": "A"}}
		case "external_account":
			config["subtype"], config["url_pattern"] = "custom", "https://example.com/%(username)s"
		}
		o.NewRun(t, "zulip_custom_profile_field").MustApply(config)
		want = append(want, word+" F "+word)
	}
	expectProfileField(t, o, want...)
}

// An option keeps its key if its text or position changes, and people keep their choice.
func TestProtocolProfileFieldOptions(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	run.MustApply(shift("d", "Day", "n", "Night"))
	field := fmt.Sprint(run.State.Values["id"])
	chosen := func() string {
		t.Helper()
		me, err := o.Client.User(context.Background(), o.Self.ID)
		acctest.NoError(t, err)
		return me.ProfileData[field].Value
	}
	o.Call(t, http.MethodPatch, "/users/me/profile_data", map[string]string{"data": `[{"id":` + field + `,"value":"n"}]`})

	sent := o.Sent()
	plan, diags := run.Plan(shift("n", "Late", "d", "Day", "w", "Weekend"))
	if len(diags) > 0 {
		t.Errorf("nobody loses anything: %v", diags)
	}
	run.Apply(plan).ExpectNoError(t)
	sent.Expect(t, "PATCH field_data")
	if got := fmt.Sprint(fields(t, o)[0].Options()); got != "[{n Late} {d Day} {w Weekend}]" || chosen() != "n" {
		t.Errorf("the options are %s, chosen was %q", got, chosen())
	}
	run.ExpectUnchanged(shift("n", "Late", "d", "Day", "w", "Weekend"))

	_, diags = run.Plan(shift("n", "Late", "w", "Weekend"))
	if len(diags.Warnings()) > 0 {
		t.Errorf("nobody chose the day: %v", diags)
	}
	plan, diags = run.Plan(shift("d", "Day"))
	diags.ExpectWarning(t, "", `1 person loses their answer in "Shift"`, "keep its key")
	run.Apply(plan).ExpectNoError(t)
	if chosen() != "" {
		t.Errorf("chosen is still %q", chosen())
	}
}

// A plan that destroys a field, or changes its type, names the lost data.
func TestProtocolProfileFieldLoss(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	run.MustApply(team(nil))
	_, diags := run.Plan(nil)
	if len(diags) > 0 {
		t.Errorf("nobody wrote anything: %v", diags)
	}
	write := fmt.Sprintf(`[{"id":%v,"value":"Sales"}]`, run.State.Values["id"])
	o.Call(t, http.MethodPatch, "/users/me/profile_data", map[string]string{"data": write})
	lena, err := o.Client.UserByEmail(context.Background(), "lena.fischer@example.com")
	acctest.NoError(t, err)
	o.Call(t, http.MethodPatch, fmt.Sprintf("/users/%d", lena.ID), map[string]string{"profile_data": write})
	_, diags = run.Plan(nil)
	diags.ExpectWarning(t, "", `2 people lose their answer in "Team"`, "deleted")
	plan, diags := run.Plan(team(values{"field_type": "long_text"}))
	diags.ExpectWarning(t, "", "2 people lose", "re-created")
	if !slices.Equal(plan.Replace, []string{"field_type"}) {
		t.Errorf("replaced because of %v", plan.Replace)
	}
}

func TestProtocolProfileFieldExternalAccount(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	run.MustApply(values{"field_type": "external_account", "subtype": "github"})
	expectProfileField(t, o, "external_account GitHub username")
	if run.State.Values["name"] != "GitHub username" {
		t.Errorf("the state has %v", run.State.Values)
	}
	sent := o.Sent()
	run.MustApply(values{"field_type": "external_account", "subtype": "github", "display_in_profile_summary": true})
	sent.Expect(t, "PATCH display_in_profile_summary")
	before := run.State.Values
	fresh := o.NewRun(t, "zulip_custom_profile_field")
	fresh.Import("GitHub username", nil).ExpectNoError(t)
	if fmt.Sprint(fresh.State.Values) != fmt.Sprint(before) {
		t.Errorf("imported: %v\nwant: %v", fresh.State.Values, before)
	}

	other := o.NewRun(t, "zulip_custom_profile_field")
	account := func(pattern string) values {
		return values{"field_type": "external_account", "subtype": "custom", "name": "Forge", "url_pattern": pattern}
	}
	other.MustApply(account("https://forge.example.com/%(username)s"))
	sent = o.Sent()
	other.MustApply(account("https://forge.example.com/u/%(username)s"))
	sent.Expect(t, "PATCH field_data")
	_, diags := o.NewRun(t, "zulip_custom_profile_field").Plan(values{"field_type": "external_account", "subtype": "github", "required": true})
	diags.ExpectWarning(t, "subtype", "A custom profile field with the name", "GitHub username")
}

func TestProtocolProfileFieldLevels(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 476})
	run := o.NewRun(t, "zulip_custom_profile_field")
	config := values{"field_type": "long_text", "name": "About", "display_in_profile_summary": true, "use_for_user_matching": true}
	run.MustApply(config)
	config["use_for_user_matching"] = false
	sent := o.Sent()
	run.MustApply(config)
	sent.Expect(t, "PATCH use_for_user_matching")

	o = acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 454})
	o.NewRun(t, "zulip_custom_profile_field").ExpectRefused(team(values{"use_for_user_matching": true}), "use_for_user_matching", "455", "454")
}

func TestProtocolProfileFieldPermissions(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	run.MustApply(team(nil))
	moderator := o.As(t, "moderator").NewRun(t, "zulip_custom_profile_field")
	moderator.ExpectRefused(values{"field_type": "date", "name": "x"}, "", "cannot manage custom profile fields", "moderator")
	moderator.Import("Team", nil).ExpectNoError(t)
	moderator.ExpectUnchanged(team(nil))
	moderator.ExpectRefused(team(values{"hint": "x"}), "", "cannot manage custom profile fields")
	moderator.ExpectRefused(nil, "", "cannot manage custom profile fields")
}

// An object that an interrupted apply has created is refused, and adopted if the provider has recover_interrupted.
func TestProtocolListObject_CreateInterrupted_Adopted(t *testing.T) {
	for _, test := range []struct {
		kind                   string
		config                 values
		path, read             string
		title, attribute, sent string
	}{
		{"zulip_linkifier", issues, "/realm/filters", "/realm/linkifiers", "linkifier", "pattern", "POST pattern url_template"},
		{"zulip_custom_profile_field", team(nil), "/realm/profile_fields", "/realm/profile_fields", "custom profile field", "name", "POST field_type name"},
	} {
		o, run := acctest.StartRun(t, test.kind)
		run.Block["max_retries"] = 0
		plan := run.MustPlan(test.config)
		healPost := o.Sandbox.Fail(sandbox.Fault{Method: "POST", Path: test.path, After: true, Action: sandbox.FaultDrop})
		healLook := o.Sandbox.Fail(sandbox.Fault{Method: "GET", Path: test.read, Action: sandbox.FaultDrop})
		run.Apply(plan).ExpectError(t, "", "Cannot create "+test.title)
		healPost()
		healLook()
		sent := o.Sent()
		plan, diags := run.Plan(test.config)
		diags.ExpectWarning(t, test.attribute, "so the apply will fail", "ZULIP_RECOVER_INTERRUPTED")
		run.Apply(plan).ExpectError(t, test.attribute, "A "+test.title+" with the "+test.attribute, "import {")
		sent.Expect(t, test.sent) // refused
		run.Block["recover_interrupted"] = true
		run.MustApply(test.config)
		sent.Expect(t, test.sent)
		if held := run.Process().List(test.kind, values{}, 0, false); len(held) != 1 {
			t.Errorf("%s: the server holds %v", test.kind, held)
		}
	}
}

func TestProtocolProfileFieldOrder(t *testing.T) {
	o, _ := acctest.StartRun(t, "zulip_custom_profile_field")
	a, b, c := profileFieldByHand(t, o, "A"), profileFieldByHand(t, o, "B"), profileFieldByHand(t, o, "C")
	run := o.NewRun(t, "zulip_custom_profile_field_order")
	sent := o.Sent()
	run.MustApply(values{"field_ids": []any{c, a}})
	run.MustApply(values{"field_ids": []any{c}})
	sent.Expect(t, "PATCH order")
	expectProfileField(t, o, "short_text C", "short_text A", "short_text B")
	acctest.NoError(t, o.Client.OrderProfileFields(context.Background(), []int64{a, b, c}))
	run.MustApply(values{"field_ids": []any{c}})
	expectProfileField(t, o, "short_text C", "short_text A", "short_text B")
	run.Import("custom_profile_fields", nil).ExpectNoError(t)
	run.ExpectUnchanged(values{"field_ids": []any{c, a, b}})
	run.ExpectRefused(values{"field_ids": []any{999999}}, "field_ids", "No such custom profile field")
	run.Apply(run.MustPlan(nil)).ExpectNoError(t)
	expectProfileField(t, o, "short_text C", "short_text A", "short_text B")
}

func TestProtocolProfileFieldBadInput(t *testing.T) {
	run := acctest.StartSandbox(t, sandbox.Config{FeatureLevel: 442}).NewRun(t, "zulip_custom_profile_field")
	account := func(more values) values {
		config := values{"field_type": "external_account"}
		for name, value := range more {
			config[name] = value
		}
		return config
	}
	run.ExpectRefusals(acctest.Refusals{
		{values{"field_type": "colour", "name": "x"}, "field_type", []string{"short_text"}},
		{values{"field_type": "date"}, "name", []string{"Set name."}},
		{team(values{"name": " "}), "name", []string{"blank"}},
		{team(values{"name": strings.Repeat("n", 41)}), "name", []string{"40"}},
		{team(values{"hint": strings.Repeat("n", 81)}), "hint", []string{"80"}},
		{team(values{"options": []any{values{"key": "a", "text": "A"}}}), "options", []string{"type select"}},
		{team(values{"subtype": "github"}), "subtype", []string{"type external_account"}},
		{values{"field_type": "select", "name": "x"}, "options", []string{"requires it"}},
		{shift(), "options", []string{"at least 1"}},
		{shift("a", "A", "a", "B"), "options", []string{"Duplicate option key"}},
		{shift("a", "A", "b", "A"), "options", []string{"Duplicate option text"}},
		{shift("", "A"), "options", []string{"blank"}},
		{account(values{"name": "x"}), "subtype", []string{"requires it"}},
		{account(values{"subtype": "custom", "name": "x"}), "url_pattern", []string{"requires it"}},
		{account(values{"subtype": "custom", "url_pattern": "https://example.com/%(username)s"}), "name", []string{"Set name."}},
		{account(values{"subtype": "custom", "name": "x", "url_pattern": "https://example.com/"}), "url_pattern", []string{"%(username)s"}},
		{account(values{"subtype": "github", "name": "x"}), "name", []string{"its own name"}},
		{account(values{"subtype": "github", "hint": "x"}), "hint", []string{"its own name"}},
		{account(values{"subtype": "github", "url_pattern": "https://x/%(username)s"}), "url_pattern", []string{"subtype custom"}},
		{values{"field_type": "user", "name": "x", "display_in_profile_summary": true}, "display_in_profile_summary", []string{"type user"}},
		{values{"field_type": "long_text", "name": "x", "display_in_profile_summary": true}, "display_in_profile_summary", []string{"476"}},
		{team(values{"use_for_user_matching": true}), "use_for_user_matching", []string{"455", "442"}},
	})
	for _, config := range []values{
		{"field_type": acctest.Unknown, "name": acctest.Unknown, "options": acctest.Unknown},
		{"field_type": "select", "name": "x", "options": []any{values{"key": acctest.Unknown, "text": "A"}, values{"key": acctest.Unknown, "text": acctest.Unknown}}},
		{"field_type": "external_account", "subtype": acctest.Unknown, "url_pattern": acctest.Unknown},
	} {
		if _, diags := run.Plan(config); len(diags.Errors()) > 0 {
			t.Errorf("%v, not known yet, is refused: %v", config, diags)
		}
	}
}

// An element of the list is wholly unknown if an unknown condition decides it.
func TestProtocolProfileFieldUnknownOption(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	config := shift("d", "Day")
	config["options"] = append(config["options"].([]any), acctest.Unknown)
	run.Process().Validate("zulip_custom_profile_field", config).ExpectNoError(t)
	run.MustPlan(config)
	run.MustApply(shift("d", "Day", "n", "Night"))

	for name, option := range map[string]any{"text": values{"key": "d"}, "key": values{"text": "Day"}} {
		config["options"] = []any{acctest.Unknown, option}
		o.NewRun(t, "zulip_custom_profile_field").ExpectRefused(config, "options", "Missing required attribute", "options[1]."+name)
	}
}

func TestProtocolProfileFieldNameTaken(t *testing.T) {
	o, run := acctest.StartRun(t, "zulip_custom_profile_field")
	id := profileFieldByHand(t, o, "Taken")
	plan, diags := run.Plan(values{"field_type": "date", "name": "Taken"})
	diags.ExpectNoError(t)
	run.Apply(plan).ExpectError(t, "name", "A custom profile field with the name", fmt.Sprintf(`id = "%d"`, id))
	p := run.Process()
	p.MustPlan("zulip_custom_profile_field", nil, team(nil))
	_, diags = p.Plan("zulip_custom_profile_field", nil, team(values{"hint": "other"}))
	diags.ExpectError(t, "name", `Duplicate custom profile field name "Team"`)
}
