package review_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/markdown"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/randomorg"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/permission"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
)

func TestMain(m *testing.M) {
	status := m.Run()
	acctest.RemovePlugin()
	os.Exit(status)
}

type attributes = randomorg.Attributes

// resourceChange is the change of one resource, and planOf returns a plan of some changes.
var resourceChange, planOf = randomorg.ResourceChange, randomorg.Plan

var update = flag.Bool("update", false, "write the golden files anew")

func channel(name, attributes string) string {
	return "resource \"zulip_channel\" \"x\" {\n  name = \"" + name + "\"\n  " + attributes + "\n}\n"
}

// madeBy distinguishes the plans of OpenTofu, which are kept next to those of Terraform.
func madeBy() string {
	if filepath.Base(os.Getenv("TF_ACC_TERRAFORM_PATH")) == "tofu" {
		return "tofu-"
	}
	return ""
}

// removed removes a resource from the state, and leaves its object unchanged.
func removed(address string) string {
	return "removed {\n  from = " + address + "\n  lifecycle {\n    destroy = false\n  }\n}\n"
}

func ownedBot(owner string) string {
	return "resource \"zulip_bot\" \"alerts\" {\n  short_name = \"alerts\"\n  full_name  = \"Alerts\"\n  owner      = \"" + owner + "\"\n}\n"
}

// letSpectatorsIn lets people without an account read web-public channels.
func letSpectatorsIn(t *testing.T, o *acctest.Organization) {
	t.Helper()
	o.Call(t, "PATCH", "/realm", map[string]string{"enable_spectator_access": "true"})
}

// effectOn returns the effect on one account and one permission of a channel: 1 if it gains access, -1 if it loses access.
func effectOn(found *report.Report, channel string, name permission.ChannelPermission, account int64) int {
	for _, person := range found.People {
		if person.AccountID == account && person.LosesEverything {
			return -1
		}
	}
	for _, one := range found.Channels {
		for _, says := range one.Permissions {
			switch {
			case one.Name != channel || says.Name != string(name):
			case says.Gain.Has(account):
				return 1
			case says.Lose.Has(account):
				return -1
			}
		}
	}
	return 0
}

// groupID finds a user group.
func groupID(t *testing.T, o *acctest.Organization, name string) int64 {
	t.Helper()
	for _, group := range o.Sandbox.Organization().Groups() {
		if group.Name == name {
			return int64(group.ID)
		}
	}
	t.Fatalf("there is no group %q", name)
	return 0
}

// id returns the ID of an account.
func id(t *testing.T, o *acctest.Organization, account string) int64 {
	t.Helper()
	credentials, ok := o.Sandbox.Credentials(account)
	if !ok {
		t.Fatalf("there is no account %q", account)
	}
	return int64(credentials.ID)
}

// reviewOf reviews a plan of an organization.
func reviewOf(t testing.TB, o *acctest.Organization, text string) *report.Report {
	t.Helper()
	return mustReview(t, text, review.Options{Store: readOf(o)})
}

// readOf reads an organization for one review.
func readOf(o *acctest.Organization) *store.Store {
	return store.New(o.Client, o.Self, 0, new(runstate.State)).OneAtATime()
}

func mustReview(t testing.TB, text string, options review.Options) *report.Report {
	t.Helper()
	found, err := tryReview(t, text, options)
	acctest.NoError(t, err)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[report.Report]()) {
		if value := reflect.ValueOf(*found).FieldByIndex(field.Index); value.Kind() == reflect.Slice && value.IsNil() && !strings.Contains(field.Tag.Get("json"), "omitempty") {
			t.Errorf("%s is null in JSON", field.Name)
		}
	}
	return found
}

// tryReview reviews a plan now, at the site of the sandboxes unless the options name another one. Without a store it reads
// no organization.
func tryReview(t testing.TB, text string, options review.Options) (*report.Report, error) {
	t.Helper()
	parsed, err := plan.Parse([]byte(text))
	acctest.NoError(t, err)
	if options.Store != nil {
		options.Site, options.Now = cmp.Or(options.Site, "https://chat.example.com"), time.Now()
	}
	return review.New(context.Background(), parsed, options)
}

// offline reviews a plan of these changes without an organization.
func offline(t *testing.T, provider, changes, configuration string) (*report.Report, error) {
	t.Helper()
	return tryReview(t, `{"format_version":"1.2","planned_values":{},"resource_changes":[`+changes+`],"configuration":{"root_module":`+configuration+`}}`, review.Options{Provider: provider})
}

func expectText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not hold %q:\n%.4000s", part, text)
		}
	}
}

func markdownOf(t testing.TB, found *report.Report) string {
	t.Helper()
	var text bytes.Buffer
	acctest.NoError(t, markdown.Write(&text, found))
	return text.String()
}

func indented(t *testing.T, found *report.Report) string {
	t.Helper()
	data, err := json.MarshalIndent(found, "", "  ")
	acctest.NoError(t, err)
	return string(data) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		keep(t, name, got)
	}
	want, err := os.ReadFile(path)
	acctest.NoError(t, err)
	if got != string(want) {
		t.Errorf("%s: the review is not what it was; look at it, and run the test with -update if it is right:\n%s", path, got)
	}
}

// host finds the registry of the provider in the output of the CLI, which files must not keep.
var host = regexp.MustCompile(`"[a-z.]+/zulip-iac/zulip`)

// keep writes a file of testdata with -update.
func keep(t *testing.T, name, content string) {
	t.Helper()
	if !*update {
		return
	}
	acctest.NoError(t, os.WriteFile(filepath.Join("testdata", name), []byte(content), 0o600))
}

func changed(address, module, after string) string {
	return `{"address":"` + address + `","module_address":"` + module + `","mode":"managed","type":"zulip_channel","provider_name":"other.example.com/zulip-iac/zulip",
		"change":{"actions":["update"],"before":{"id":1,"name":"x","can_send_message_group":["role:members"]},"after":{"id":1,"name":"x",` + after + `},"after_unknown":{}}}`
}

func TestReviewPlan_SeveralProviders_OneSelected(t *testing.T) {
	changes := changed("zulip_channel.a", "", `"can_send_message_group":["role:nobody"]`) + "," +
		changed(`module.m[\"a.b]\"].zulip_channel.a[0]`, "module.m", `"can_send_message_group":["role:everyone"]`)
	configuration := `{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip"}],
		"module_calls":{"m":{"module":{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip.staging"}]}}}}`
	if _, err := offline(t, "", changes, configuration); err == nil || !strings.Contains(err.Error(), "(zulip, zulip.staging)") || !strings.Contains(err.Error(), "--as") {
		t.Errorf("two at once: %v", err)
	}
	if _, err := offline(t, "zulip.other", changes, configuration); err == nil || !strings.Contains(err.Error(), "it has zulip, zulip.staging") {
		t.Errorf("one that is not there: %v", err)
	}
	found, err := offline(t, "zulip.staging", changes, configuration)
	if err != nil || len(found.Also) != 1 || found.Others != 1 || found.Provider != "zulip.staging" {
		t.Fatalf("%v, %+v", err, found)
	}
	if after := found.Also[0].Attributes[0].Change.After.String(); after != "role:everyone" {
		t.Errorf("after: %s", after)
	}
}

func TestReviewPlan_NotInConfiguration_Unknown(t *testing.T) {
	changes := changed("zulip_channel.a", "", `"can_send_message_group":["role:nobody"]`) + "," +
		changed("zulip_channel.b", "", `"can_send_message_group":["role:nobody"]`) + "," + changed("zulip_channel.gone", "", `"can_send_message_group":["role:nobody"]`)
	found, err := offline(t, "zulip", changes, `{"resources":[{"address":"zulip_channel.a","provider_config_key":"zulip"},{"address":"zulip_channel.b","provider_config_key":"zulip.b"}]}`)
	if err != nil || len(found.Also) != 1 || len(found.Unknown) != 2 || !strings.Contains(found.Unknown[0], "zulip_channel.gone") {
		t.Errorf("%v, %+v", err, found)
	}
}

func TestReviewPlan_OtherProviders_NoChange(t *testing.T) {
	plan, err := plan.Parse([]byte(`{"format_version":"1.2","resource_changes":[{"address":"a.b","mode":"managed","type":"a","provider_name":"registry.example.com/x/a","change":{"actions":["create"]}}]}`))
	if err != nil || !plan.IsEmpty() {
		t.Fatalf("%v, %+v", err, plan)
	}
	found, err := review.New(context.Background(), plan, review.Options{})
	if err != nil || found.Summary.Text != "No one gains or loses access. 1 change of another provider is not reviewed." || found.Others != 1 {
		t.Errorf("%v, %+v", err, found)
	}
}

// FuzzParsePlan checks that no plan crashes the decoder, the review or the Markdown.
func FuzzParsePlan(f *testing.F) {
	files, err := filepath.Glob("testdata/*.plan.json")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no plans: ", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := plan.Parse([]byte(text))
		if err != nil || len(plan.Providers) > 1 {
			return
		}
		found, err := review.New(context.Background(), plan, review.Options{})
		acctest.NoError(t, err)
		if length := len(markdownOf(t, found)); length >= markdown.MaxLength {
			t.Fatalf("the Markdown has %d bytes", length)
		}
	})
}

// A plan is only reviewed against the organization for which it was made.
func TestReviewPlan_OtherOrganization_Refused(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	channel := func(id int64, name string) attributes {
		return resourceChange("zulip_channel", attributes{"id": id, "name": name, "privacy": "public"}, attributes{"id": id, "name": name, "privacy": "private_shared_history"})
	}
	group := func(name string) attributes {
		id := groupID(t, o, "leads")
		return resourceChange("zulip_user_group", attributes{"id": id, "name": name}, attributes{"id": id, "name": name, "members": []string{}})
	}
	general := o.MustChannel(t, "general").ID
	for name, test := range map[string]struct {
		changes []attributes
		site    string
		fails   string // "": the review succeeds
		unknown string
	}{
		"the same":                      {[]attributes{channel(general, "general"), group("leads")}, "https://chat.example.com/", "", ""},
		"another site":                  {[]attributes{channel(general, "general")}, "https://other.example.com", "the plan is for https://other.example.com (provider configuration zulip)", ""},
		"other names":                   {[]attributes{channel(general, "random"), group("board")}, "", "the plan is for a different organization", ""},
		"one that was renamed":          {[]attributes{channel(general, "random"), group("leads")}, "", "", "isn't reviewed"},
		"one of which nothing is known": {[]attributes{channel(general, "random")}, "", "", "isn't reviewed"},
	} {
		t.Run(name, func(t *testing.T) {
			text := planOf(t, test.changes...)
			if test.site != "" {
				text = strings.Replace(text, `"format_version"`, `"configuration":{"provider_config":{"zulip":{"expressions":{"site":{"constant_value":"`+test.site+`"}}}},"root_module":{}},"format_version"`, 1)
			}
			found, err := tryReview(t, text, review.Options{Store: readOf(o)})
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("the error is %v", err)
				}
				return
			}
			acctest.NoError(t, err)
			if got := strings.Join(found.Unknown, " "); !strings.Contains(got, test.unknown) || got != "" && test.unknown == "" {
				t.Errorf("unknown: %q", got)
			}
		})
	}
}

// Lists with people and groups in the form of principals mean the same as plain lists.
func TestReviewOfListsOfPrincipals(t *testing.T) {
	o := acctest.StartSandbox(t, sandbox.Config{})
	lena, _ := o.Sandbox.Credentials("member")
	leads, sre := groupID(t, o, "leads"), groupID(t, o, "sre")
	words := func(members, subgroups, users []string) string {
		found := reviewOf(t, o, planOf(t,
			resourceChange("zulip_user_group", attributes{"id": leads, "name": "leads", "members": []string{}, "subgroups": []string{}},
				attributes{"id": leads, "name": "leads", "members": members, "subgroups": subgroups}),
			resourceChange("zulip_channel_subscribers", nil, attributes{"channel": "incidents", "channel_id": o.Channel(t, "incidents").ID, "users": users})))
		return fmt.Sprint(found.Summary.Conditions, found.Unknown)
	}
	plain := words([]string{lena.Email}, []string{"sre"}, []string{lena.Email})
	for _, one := range [][3]string{
		{"user:" + lena.Email, "group:sre", "user:" + lena.Email},
		{fmt.Sprint("user_id:", lena.ID), fmt.Sprint("group_id:", sre), fmt.Sprint("user_id:", lena.ID)},
	} {
		if got := words([]string{one[0]}, []string{one[1]}, []string{one[2]}); got != plain {
			t.Errorf("%v: %s, plain %s", slices.Clone(one[:]), got, plain)
		}
	}
}
