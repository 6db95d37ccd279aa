package review_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/plan"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/report"
	"github.com/zulip-iac/terraform-provider-zulip/internal/access/review"
	"github.com/zulip-iac/terraform-provider-zulip/internal/dev/acctest"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/runstate"
	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/store"
	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox"
	"github.com/zulip-iac/terraform-provider-zulip/internal/zulip"
)

// savedPlans are those cases of TestAccReviewOfRealPlans whose plans OpenTofu made too: TF_ACC_TERRAFORM_PATH names the
// CLI that makes them anew.
var savedPlans = []string{"permission", "drift", "unknown", "new-channel", "membership", "role", "organization", "imported"}

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
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The same change is the same review, whether Terraform planned it or OpenTofu.
func TestReviewOfSavedPlansOfBothTools(t *testing.T) {
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

// What a later version of the tools adds to a plan is passed over; another format is refused.
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
			if _, err := plan.Parse(strings.NewReader(other)); err == nil || !strings.Contains(err.Error(), "this review reads 1.x") {
				t.Errorf("%s of format version %s: %v", name, version, err)
			}
		}
	}
}

// The registry a provider comes from, and whoever copied it, make no difference.
func TestReviewOfProvidersFromElsewhere(t *testing.T) {
	text := readFile(t, "permission.plan.json")
	const address = "registry.example.com/zulip-iac/zulip"
	for _, other := range []string{"other.example.com/zulip-iac/zulip", "terraform.example.com/zulip-iac/zulip", "terraform.example.com/mirror/zulip"} {
		found := reviewOf(t, savedOrganization(t, "permission"), strings.ReplaceAll(text, address, other))
		if got, want := markdownOf(t, found), readFile(t, "permission.md"); got != want || !strings.Contains(text, address) {
			t.Errorf("%s: the review is\n%s\nwanted\n%s", other, got, want)
		}
	}
}

// A plan of OpenTofu in JSON does not say which instance of a provider configuration with for_each a resource has
// (tofu-by-site.tf is what this one is of, and has a channel of the same ID and name in two organizations): nothing of the one is
// taken for the other's. Where all instances name one site, they are of one organization.
func TestReviewOfProviderInstances(t *testing.T) {
	const site = "http://127.0.0.1:9871"
	o, text := savedOrganization(t, "by-site"), readFile(t, "tofu-by-site.plan.json")
	reviewed := func(text, provider, site string) (*report.Report, error) {
		read, err := plan.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return review.New(t.Context(), read, review.Options{Provider: provider, Site: site, Now: time.Now(), Store: store.New(o.Client, o.Self, 0, new(runstate.State))})
	}
	found, err := reviewed(text, "zulip.by_site", site)
	if err != nil {
		t.Fatal(err)
	}
	findings := found.Findings()
	if len(found.Channels) != 0 || len(findings) != 1 || !slices.Equal(found.Verdict.Categories, []report.Category{report.Unknown}) {
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
		"zulip.fixed":        "the plan is of " + site,
		`zulip.by_site["x"]`: "does not tell the instances of zulip.by_site apart",
	} {
		if _, err := reviewed(text, provider, "https://other.example.com"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("as %q: %v", provider, err)
		}
	}

	// What the configuration has no more may have been of any provider configuration, also of one with which nothing changes.
	gone := strings.ReplaceAll(text, `"address":"zulip_channel.fixed","mode":"managed","type":"zulip_channel","name":"fixed","provider_config_key"`, `"address":"zulip_channel.other","provider_config_key"`)
	if found, err = reviewed(gone, "zulip.by_site", site); err != nil || gone == text || len(found.Channels) != 0 || len(found.Unknown) != 1 {
		t.Errorf("of a resource that the configuration has no more: %v, %+v", err, found)
	}
}
